"""What is told of wrong nets: the pages of `messages/`, section by section, and files that are no text.

After a change of wording, `PNSIM_UPDATE=1 pytest tests/language/test_messages.py` writes them anew: read the difference
before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri import language
from petri.diagnostics import LanguageError, render_all, summary
from petri.language.syntax.foreign import decode
from petri.language.syntax.parser import parse
from petri.wording import area_table
from tests.documents import Section, renew
from tests.language.messages import FOLDER, RAW, WrongNet, every_net, without_drawing, write_files

UPDATE = bool(os.environ.get("PNSIM_UPDATE"))
SECTIONS = every_net()

# Told where a page cannot go; each has a test of its own (test_parameters, test_files, test_hostile).
ELSEWHERE = {
    "exact-of-random",  # only `pnsim check` and runs tell it: tests/cli/test_sampling_notes.py
    "infinite-variance",
    "infinite-variance-of-waits",
    "looks-through",  # only the native engine knows: tests/cli/test_searches.py
    "only-modules",
    "no-warm-up",
    "not-one-declaration",  # of texts that a program writes: tests/builder
    "parameter-value",
    "path-without-file",
    "table-not-there",
    "table-too-large",
    "too-many-errors",
    "too-many-files",
    "too-much-to-read",
    "unknown-parameter",
}

# A message on a limit may need a net that reaches it.
SLOW = ("too_many_measures", "vectors_too_large")
SOME_SLOW = [
    pytest.param(one, id=f"{one.page}-{one.name}", marks=[pytest.mark.slow] if one.name in SLOW else [])
    for one in SECTIONS
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return all nets of the pages as files, with what they read."""
    made = tmp_path_factory.mktemp("messages")
    write_files(made)
    for one in SECTIONS:
        if one.page != "syntax":
            (made / f"{one.name}.net").write_text(one.net, encoding="utf-8")
    return made


def drawn(name: str, text: str) -> str:
    diagnostics = parse(text, name)[1]
    return f"{render_all(diagnostics, {name: text})}\n\n{summary(diagnostics)}\n"


@pytest.mark.parametrize("one", SOME_SLOW)
def test_messages(one: WrongNet, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{one.name}.net"
    if one.page == "syntax":
        told = drawn(name, one.net)
    else:
        monkeypatch.chdir(folder)
        found, sources = language.check_with_sources(name)
        told = f"{render_all(found, sources)}\n\n{summary(found)}\n"
    if one.kind == "messages":
        told = without_drawing(told, name)
    if UPDATE:
        one.renew(told)
    else:
        assert told == one.told


@pytest.mark.parametrize("file", RAW, ids=lambda file: file.name)
def test_files_with_other_bytes(file: Section) -> None:
    name = f"{file.name}.net"
    text, diagnostics = decode(file.data(), name)
    diagnostics = diagnostics or parse(text, name)[1]
    told = f"{render_all(diagnostics, {name: text})}\n\n{summary(diagnostics)}\n"
    if UPDATE:
        renew(FOLDER / "bytes.md", file.name, "drawing", told)
    else:
        assert told == file.blocks["drawing"]


def test_every_error_has_a_net() -> None:
    areas = ("arcs", "checks", "lints", "measures", "threads", "values")
    known = {name for area in areas for name in area_table(area) if not name.startswith("label ")} - ELSEWHERE
    text = "".join(one.told for one in SECTIONS)
    assert [name for name in sorted(known) if f"[{name}]" not in text] == []


def test_names_of_nets_differ() -> None:
    names = [one.name for one in SECTIONS if one.page != "syntax"]
    assert len(names) == len(set(names))


def test_a_part_has_nothing_to_run(folder: Path) -> None:
    with pytest.raises(LanguageError) as raised:
        language.load(folder / "only_modules.net")
    assert [diagnostic.id for diagnostic in raised.value.diagnostics] == ["only-modules"]
