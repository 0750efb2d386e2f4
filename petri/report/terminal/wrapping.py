"""Text in a given width: lines that break beside figures and never within them, and names that stay distinct."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from petri.report.telling.quantities import UNITS

_NUMBER: Final = r"(?<!\w)[-+−<]?\d[\d,.]*(?:[eE][-+]?\d+)?\??"
_UNIT: Final = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_QUANTITY: Final = rf"{_NUMBER}(?: (?:±|\+-)(?: {_NUMBER}|\?))?(?: ?(?:{_UNIT})(?![\w/]))?"
_INDENT: Final = re.compile(r"\s*")
_AFTER: Final = (".", "._ ")  # where a name is cut: better before a whole component than before a word


@cache
def quantity() -> re.Pattern[str]:
    """Return a number with its interval and its unit, such as `2.961 ± 0.004 Gbps`: it stays on one line."""
    return re.compile(_QUANTITY)


@cache
def _atom() -> re.Pattern[str]:
    return re.compile(rf"(?:{_QUANTITY}|\S)+")


def wrapped(text: Text, width: int) -> list[Text]:
    """Return the lines of a text, none wider than `width` unless a single quantity is."""
    lines = []
    for paragraph in text.split("\n", allow_blank=True):
        for line in paragraph.divide(_line_starts(paragraph.plain, width)):
            line.rstrip()
            lines.append(line)
    return lines


def _line_starts(text: str, width: int) -> list[int]:
    """Return where each line but the first begins."""
    starts: list[int] = []
    begin = 0
    if cell_len(text) <= width:
        return starts
    for start, end in _pieces(text, width):
        if cell_len(text[begin:end]) > width and start > begin and text[begin:start].strip():
            starts.append(start)
            begin = start
    return starts


def _pieces(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield what a line may not break: words and quantities; of a word that is too wide, the parts between marks."""
    for atom in _atom().finditer(text):
        start, end = atom.span()
        if cell_len(atom[0]) <= width:
            yield start, end
            continue
        inside = {i for q in quantity().finditer(text, start, end) for i in range(q.start() + 1, q.end())}
        marks = [i for i in range(start + 1, end) if i not in inside and not text[i - 1].isalnum()]
        for piece_start, piece_end in zip([start, *marks], [*marks, end], strict=True):
            letters = [i for i in range(piece_start + width, piece_end, width) if not text[i - 1 : i + 1].isdigit()]
            cuts = [i for i in letters if i not in inside]
            yield from zip([piece_start, *cuts], [*cuts, piece_end], strict=True)


def shortened(names: Sequence[str], width: int, mark: str = "…") -> list[str] | None:
    """Return the names in at most `width` columns each: in a longer name, `mark` replaces its beginning or its middle.

    Names that differ still do; None where that cannot be had. No number within a name is cut.
    """
    for head in range(4):
        found = [name if cell_len(name) <= width else _cut(name, head, width, mark) for name in names]
        whole = [name for name in found if name is not None]
        if len(whole) == len(names) and len(set(whole)) == len(set(names)):
            return whole
    return None


def _cut(name: str, head: int, width: int, mark: str) -> str | None:
    """Return the name without what follows its first `head` components, up to where the rest fits."""
    indent = _INDENT.match(name)
    kept = indent.end() if indent else 0
    for _ in range(head):
        kept = name.find(".", kept) + 1
        if not kept:
            return None
    starts = [i for i in range(kept + 1, len(name)) if name[i:].strip(" ×0123456789")]
    best = None
    for marks in _AFTER:
        cuts = (f"{name[:kept]}{mark}{name[i:]}" for i in starts if name[i - 1] in marks)
        best = next((short for short in cuts if cell_len(short) <= width), None)
        if best is not None and 2 * cell_len(best) >= width:
            return best  # without leaving out much more than there was no room for
    cuts = (f"{name[:kept]}{mark}{name[i:]}" for i in starts if not name[i].isdigit() or not name[i - 1].isalnum())
    return best or next((short for short in cuts if cell_len(short) <= width), None)
