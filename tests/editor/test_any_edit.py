"""Edits: whatever is typed, every question has an answer, and unchanged statements are not parsed again."""

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
from petri.language.syntax.parser import Parsed, parse_text
from petri.language.syntax.reuse import KnownStatements

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


def content(parsed: Parsed) -> object:
    return parsed.file, parsed.diagnostics, parsed.broken, [nodes for _, nodes in parsed.statements]


def test_edits_of_all_kinds_give_what_a_fresh_parse_gives() -> None:
    random = Random(5)
    for name in ("npf", "patterns/ixp_thread", "prioritising"):
        text = (Path(library.nets()) / f"{name}.net").read_text(encoding="utf-8")
        known = KnownStatements()
        for _ in range(10):
            place = random.randrange(len(text))
            new = random.choice(
                ["", "\n", " ", "place x\n", "end\n", "(", "## said\n", ":", "module M\n", "# ", "as a"]
            )
            text = text[:place] + new + text[place + random.choice([0, 0, 1, 20]) :]
            assert content(parse_text(text, "n.net", known)) == content(parse_text(text, "n.net"))


def test_only_the_statement_that_changed_is_parsed() -> None:
    known = KnownStatements()
    text = "net n\nplace a\nplace b\ntransition t: a -> b\n"
    first = parse_text(text, "n.net", known).file.declarations
    second = parse_text(text.replace("place b", "place b : int"), "n.net", known).file.declarations
    assert [old is new for old, new in zip(first, second, strict=True)] == [True, True, False, True]


def test_an_import_with_a_name_changes_how_names_are_read() -> None:
    known = KnownStatements()
    text = 'net n\nimport "a.net" as a\nimport "b.net"\nplace p : a.T\nmeasure m = a.x + b.x\n'
    parse_text(text, "n.net", known)
    other = text.replace('"a.net" as a', '"a.net"').replace('"b.net"', '"b.net" as b')
    assert content(parse_text(other, "n.net", known)) == content(parse_text(other, "n.net"))
