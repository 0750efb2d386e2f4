"""Quick fixes: over the corpus of wrong nets, a hint that says what to write is right when it is followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from petri import language
from petri.diagnostics import Diagnostic
from petri.editor.fixes import Change, changes
from petri.language.loader import OpenTexts
from petri.wording import wording_table
from tests.language.messages import RAW, every_net, write_files
from tests.language.test_slips import CASES as SLIPS
from tests.sampling import one_in

FOLDER = TemporaryDirectory(prefix="pnsim-fixes-")  # for as long as the process lives
FILES = Path(FOLDER.name)
NETS = {FILES / f"{one.name}.net": one.net for one in every_net() if one.page != "syntax"}
SYNTAX = {FILES / f"syntax_{one.name}.net": one.net for one in every_net() if one.page == "syntax"}
LONGEST = 20_000  # bytes; the larger ones are about limits, as are those named after one
LIMIT = "too_many_"


def found_in(path: Path, text: str) -> list[Diagnostic]:
    texts = {str(path): text for path, text in NETS.items()} | {str(path): text}
    return language.study(path, OpenTexts(texts)).problems.found


def lines_of(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def applied(change: Change, text: str) -> str:
    lines = lines_of(text)
    span = change.span
    rest = lines[span.end_line - 1][span.end_column - 1 :]
    lines[span.line - 1 : span.end_line] = [lines[span.line - 1][: span.column - 1] + change.text + rest]
    return "\n".join(lines)


MORE = (
    "net n\nmodule Queue()\n  place p\nend\ninstance q = Quue()\n",
    "net n\nimport traffic.packet as a with packet_fixd = 64 B\nplace p = token\n",
)


PARTS = 6


def texts(part: int) -> Iterator[tuple[Path, str]]:
    """Yield each sixth wrong net, with the path that it is read from."""
    yield from islice(all_texts(), part, None, PARTS)


def all_texts() -> Iterator[tuple[Path, str]]:
    for path, text in (NETS | SYNTAX).items():
        if len(text) < LONGEST and not path.name.startswith(LIMIT):
            yield path, text
    for file in RAW:
        with suppress(UnicodeDecodeError):
            yield FILES / f"{file.name}.net", file.data().decode()
    for number, (text, _, _) in enumerate(SLIPS.values()):
        yield FILES / f"slip_{number}.net", text.replace("«", "").replace("»", "")
    for number, text in enumerate(MORE):
        yield FILES / f"more_{number}.net", text


def cases(part: int) -> list[tuple[Path, Diagnostic, Change, str]]:
    """Find the fixes. This takes most of a second, so it is not done when each worker collects its tests."""
    write_files(FILES)
    found = []
    for path, text in texts(part):
        for diagnostic in found_in(path, text):
            if diagnostic.span is not None and diagnostic.span.file.endswith(path.name):
                found += [(path, diagnostic, change, text) for change in changes(diagnostic, lines_of(text))]
    return found


def left_by(path: Path, diagnostic: Diagnostic, change: Change, text: str) -> list[Diagnostic]:
    """Return the errors of the same kind at the same place, after the change."""
    after = found_in(path, applied(change, text))
    start = (diagnostic.span.line, diagnostic.span.column) if diagnostic.span else None
    return [one for one in after if one.id == diagnostic.id and one.span and (one.span.line, one.span.column) == start]


@pytest.mark.parametrize("part", one_in(PARTS, range(PARTS)))
def test_a_fix_removes_its_error(part: int) -> None:
    left = [(case[0].name, case[2], one.id, one.values) for case in cases(part) for one in left_by(*case)]
    assert left == []


@pytest.mark.slow
def test_each_kind_of_fix_is_tried() -> None:
    marked = {name for name, entry in wording_table().items() if entry.fixes}
    tried = {diagnostic.id for part in range(PARTS) for _, diagnostic, _, _ in cases(part)}
    assert sorted(marked - tried) == []
