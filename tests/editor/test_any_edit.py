"""Whatever is typed, every question has an answer: random edits of nets, and random questions about them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from lsprotocol import types

from petri import library
from petri.diagnostics import LanguageError
from petri.editor import answers
from petri.editor.positions import Text
from petri.editor.publishing import diagnostics_by_path
from petri.editor.workspace import Workspace

NEW = (
    *("", "\n", " ", ".", "(", ")", "{", "}", "[", '"', "-> ", "0..", ": ", "\u2028", "𝄞", "9999999999999999999"),
    *("place x\n", "end\n", "module M(\n", "thread t\n", "## x\n", "import ", "with ", "if ", "as a", "for "),
)


def edited(random: Random, text: str) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + random.choice(NEW) + text[place + random.choice([0, 0, 0, 1, 5, 40]) :]


def ask_everything(workspace: Workspace, path: Path, random: Random) -> None:
    def texts(one: Path) -> Text:
        return Text(workspace.text(one), "utf-16")

    checked = workspace.check(path)
    assert "program-fault" not in {one.id for one in checked.diagnostics}, checked.diagnostics
    text = texts(path)
    line = random.randrange(len(text.lines))
    where = types.Position(line, random.randrange(len(text.lines[line]) + 2))
    for one, files in diagnostics_by_path(workspace, [path])[path]:
        answers.diagnostic(one, text, files, texts, Path.as_uri)
    answers.formatted(text)
    asked = answers.Asked(workspace, checked, texts, Path.as_uri)
    document = types.TextDocumentIdentifier(path.as_uri())
    answers.hover(asked, types.HoverParams(document, where))
    answers.definition(asked, types.DefinitionParams(document, where))
    answers.references(asked, types.ReferenceParams(types.ReferenceContext(True), document, where))
    answers.highlights(asked, types.DocumentHighlightParams(document, where))
    answers.completion(asked, types.CompletionParams(document, where))
    answers.symbols(asked, types.DocumentSymbolParams(document))
    answers.hints(asked, types.InlayHintParams(document, text.whole))
    answers.quick_fixes(asked, types.CodeActionParams(document, text.whole, types.CodeActionContext([])))
    answers.lenses(asked, types.CodeLensParams(document))
    with suppress(LanguageError):
        answers.rename(asked, types.RenameParams(document, where, "renamed"))


def any_edits(seed: int, name: str, count: int) -> None:
    random = Random(seed)
    path = Path(library.nets()) / f"{name}.net"
    workspace = Workspace()
    text = path.read_text(encoding="utf-8")
    for number in range(count):
        text = edited(random, text) if number % 8 else path.read_text(encoding="utf-8")
        workspace.open(path, text)
        ask_everything(workspace, path, random)


@pytest.mark.parametrize("count", [7, pytest.param(30, marks=pytest.mark.slow)])
def test_any_edit_of_small_nets(count: int) -> None:
    for seed, name in enumerate(("patterns/ixp_thread", "patterns/token_bucket", "patterns/round_robin")):
        any_edits(seed, name, count)


@pytest.mark.parametrize("count", [4, pytest.param(16, marks=pytest.mark.slow)])
def test_any_edit_of_a_net_with_imports(count: int) -> None:
    any_edits(3, "npf", count)
