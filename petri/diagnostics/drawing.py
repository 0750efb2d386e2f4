"""Draws a diagnostic over its source lines: the whole culprit underlined, second positions with their labels."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from petri.diagnostics.data import Diagnostic
from petri.net import Span
from petri.visible import visible
from petri.wording import label
from petri.wording.entry import quoted

TAB = 4
WIDTH = 100  # source lines longer than this are clipped around the culprit
NEAR = 10 * WIDTH  # characters around the culprit that are looked at: a file may be one line of 4 MiB
TALLEST = 4  # lines of a culprit that are all shown; of a longer one only the first and the last

_PAINT = {"error": "1;31", "warning": "1;33", "note": "1;36", "hint": "1;32", "frame": "1;34", "title": "1"}


@dataclass(frozen=True, slots=True)
class _Mark:
    """A part of one line to underline: columns from 1, end exclusive; the label is "" except on the last line."""

    start: int
    end: int
    text: str
    main: bool


def draw(diagnostic: Diagnostic, sources: Mapping[str, str], *, colour: bool) -> str:
    """See `petri.diagnostics.render`."""
    paint = _Painter(colour)
    head = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.id}]")
    lines = [head + paint("title", f": {diagnostic.message}")]
    margin = 0
    blocks = _blocks(diagnostic, sources)
    if blocks:
        margin = max((len(str(line)) for _, marks in blocks for line in marks), default=1)
        for number, (span, marks) in enumerate(blocks):
            arrow = "-->" if number == 0 else ":::"
            where = f"{quoted(span.file)}:{span.line}:{span.column}"
            lines.append(f"{' ' * margin}{paint('frame', arrow)} {where}")
            lines += _excerpt(sources.get(span.file), marks, margin, diagnostic.severity, paint)
    indent = " " * (margin + 1 if margin else 2)
    lines += [f"{indent}{paint('note', 'note:')} {text}" for text in diagnostic.notes]
    lines += [f"{indent}{paint('hint', 'hint:')} {text}" for text in diagnostic.hints]
    return "\n".join(lines)


class _Painter:
    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, role: str, text: str) -> str:
        return f"\x1b[{_PAINT[role]}m{text}\x1b[0m" if self._colour and text else text


def _blocks(diagnostic: Diagnostic, sources: Mapping[str, str]) -> list[tuple[Span, dict[int, list[_Mark]]]]:
    """Return for each file, starting with that of the culprit: the span to name and the marks on each of its lines."""
    if diagnostic.span is None:
        return []
    places = [(diagnostic.span, "", True)]
    places += [(mark.span, label(mark.role, diagnostic.values), False) for mark in diagnostic.labels]
    blocks: dict[str, tuple[Span, dict[int, list[_Mark]]]] = {}
    for span, text, main in places:
        _, marks = blocks.setdefault(span.file, (span, {}))
        for line, mark in _split(span, text, main, sources.get(span.file)):
            marks.setdefault(line, []).append(mark)
    return list(blocks.values())


def _split(span: Span, text: str, main: bool, source: str | None) -> list[tuple[int, _Mark]]:
    """Return the span's share of each line that is shown."""
    if source is None:
        return []
    lines = _lines(source)
    last = min(max(span.end_line, span.line), len(lines))
    if span.end_line > span.line and span.end_column <= 1:
        last = max(span.line, last - 1)
    numbers = list(range(span.line, last + 1))
    if len(numbers) > TALLEST:
        numbers = [numbers[0], numbers[-1]]
    marks = []
    for line in numbers:
        content = lines[line - 1] if 1 <= line <= len(lines) else ""
        start = span.column if line == span.line else len(content) - len(content.lstrip()) + 1
        end = span.end_column if line == span.end_line else len(content.rstrip()) + 1
        marks.append((line, _Mark(start, max(end, start + 1), text if line == numbers[-1] else "", main)))
    return marks


def _excerpt(
    source: str | None, marks: dict[int, list[_Mark]], margin: int, severity: str, paint: _Painter
) -> list[str]:
    if not source or not marks:
        return []
    bar = paint("frame", "|")
    blank = f"{' ' * margin} {bar}"
    drawn = [blank]
    previous = None
    for line in sorted(marks):
        if previous is not None and line == previous + 2:
            drawn.append(_numbered(previous + 1, _lines(source)[previous], margin, paint))
        elif previous is not None and line > previous + 2:
            drawn.append(paint("frame", "..."))
        drawn += _marked_line(line, source, marks[line], margin, severity, paint)
        previous = line
    return drawn


def _numbered(line: int, content: str, margin: int, paint: _Painter) -> str:
    text = _clip(_cells(content[:NEAR])[0], 0)
    return f"{paint('frame', str(line).rjust(margin))} {paint('frame', '|')} {text}".rstrip()


def _marked_line(line: int, source: str, marks: list[_Mark], margin: int, severity: str, paint: _Painter) -> list[str]:
    """Return the source line and, below it, one row of underlines; labels that collide get separate rows."""
    lines = _lines(source)
    content, marks = _near(lines[line - 1] if line <= len(lines) else "", marks)
    cells, offsets = _cells(content)
    focus = min(marks, key=_importance)
    first = _window(len(cells), _offset(offsets, focus.start), _offset(offsets, focus.end))
    rows: list[tuple[int, str]] = []
    blank = f"{' ' * margin} {paint('frame', '|')} "
    gutter = f"{paint('frame', str(line).rjust(margin))} {paint('frame', '|')} "
    drawn = [(gutter + _clip(cells, first)).rstrip()]
    for mark in sorted(marks, key=_importance):
        start = max(_offset(offsets, mark.start) - first, 0)
        end = min(_offset(offsets, mark.end) - first, WIDTH)
        role = severity if mark.main else "frame"
        underline = ("^" if mark.main else "-") * max(end - start, 1)
        rows.append((start, paint(role, f"{underline} {mark.text}".rstrip())))
    drawn += [f"{blank}{' ' * start}{row}" for start, row in rows]
    return drawn


def _importance(mark: _Mark) -> tuple[bool, int]:
    return not mark.main, mark.start


def _near(content: str, marks: list[_Mark]) -> tuple[str, list[_Mark]]:
    """Return what of a very long line is near its first culprit, and the marks within that."""
    before = max(min(marks, key=_importance).start - NEAR // 2, 0) if len(content) > NEAR else 0
    if before:
        marks = [_Mark(max(mark.start - before, 1), max(mark.end - before, 2), mark.text, mark.main) for mark in marks]
    return content[before : before + NEAR], marks


@lru_cache(maxsize=4)
def _lines(source: str) -> list[str]:
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _cells(content: str) -> tuple[list[str], list[int]]:
    """Return the screen columns of a line as shown, and for each of its characters the column (from 0) where it starts.

    Tabs become spaces, control characters visible signs; the second column of a wide character is "".
    """
    shown: list[str] = []
    offsets: list[int] = []
    for character in content:
        offsets.append(len(shown))
        if character == "\t":
            shown += " " * (TAB - len(shown) % TAB)
        elif unicodedata.combining(character):
            if shown:
                shown[-1] += character
        elif not character.isprintable():
            shown += visible(character)
        elif unicodedata.east_asian_width(character) in "WF":
            shown += [character, ""]
        else:
            shown.append(character)
    offsets.append(len(shown))
    return shown, offsets


def _offset(offsets: list[int], column: int) -> int:
    """Return the screen column of a source column; columns past the line's end continue from there."""
    if column - 1 < len(offsets):
        return offsets[max(column - 1, 0)]
    return offsets[-1] + column - len(offsets)


def _window(width: int, start: int, end: int) -> int:
    """Return the first screen column to show, so that the culprit from `start` to `end` is visible with its context."""
    if max(width, end) <= WIDTH:
        return 0
    spare = max(WIDTH - (end - start), 20) // 2
    return max(0, min(start - spare, max(width, end) - WIDTH))


def _clip(cells: list[str], first: int) -> str:
    """Return the columns from `first` that fit, with an ellipsis where text is cut off."""
    shown = cells[first : first + WIDTH]
    if first > 0 and shown:
        shown[0] = "…"
    if len(cells) > first + WIDTH:
        shown[-1] = "…"
    return "".join(shown)
