"""Line breaking: where a text that is too long may be split, and where columns may be padded.

A text may contain marks, which have no width. `group` encloses text that should stay on one line: if a line is too
long, the outermost group is split first, at its breaks, and continues below the column where it started. The marks are
lone surrogates, which decoded text cannot contain.
"""

from __future__ import annotations

from dataclasses import dataclass, field

OPEN, EACH, CLOSE = "\ud800", "\ud801", "\ud802"
BREAK = "\ud803"  # a space, or the end of a line
STOP = "\ud804"  # nothing, or the spaces that align the lines of a block

_UNMARKED = {ord(mark): "" for mark in (OPEN, EACH, CLOSE, STOP)} | {ord(BREAK): " "}
_HANG = 4


def group(text: str) -> str:
    """Return a text that is split only where necessary."""
    return f"{OPEN}{text}{CLOSE}"


def group_each(text: str) -> str:
    """Return a text that is split at all its breaks or at none."""
    return f"{EACH}{text}{CLOSE}"


def flat(text: str) -> str:
    """Return the text on one line, without marks."""
    return text.translate(_UNMARKED)


def set_text(text: str, indent: int, width: int) -> list[str]:
    """Return the lines of a marked text, the first of them indented."""
    setter = _Setter(width, [" " * indent])
    setter.put(_parsed(text.replace(STOP, "")), 0, indent)
    return setter.lines


@dataclass(slots=True)
class _Group:
    """Chunks between breaks; a chunk is texts and groups."""

    each: bool
    chunks: list[list[str | _Group]] = field(default_factory=lambda: [[]])
    size: int = 0  # on one line

    def close(self) -> None:
        self.size = len(self.chunks) - 1 + sum(_size(chunk) for chunk in self.chunks)


def _size(chunk: list[str | _Group]) -> int:
    return sum(len(item) if isinstance(item, str) else item.size for item in chunk)


def _least(item: _Group) -> int:
    """Approximately the width of the group if it is split wherever possible."""
    parts = [part for chunk in item.chunks for part in chunk]
    return max((len(part) if isinstance(part, str) else _least(part) for part in parts), default=0)


def _parsed(text: str) -> _Group:
    """Return the groups of a text; open groups end with it."""
    stack = [_Group(False)]
    plain = ""
    for character in text:
        if character not in (OPEN, EACH, CLOSE, BREAK):
            plain += character
            continue
        if plain:
            stack[-1].chunks[-1].append(plain)
            plain = ""
        if character == BREAK:
            stack[-1].chunks.append([])
        elif character != CLOSE:
            stack.append(_Group(character == EACH))
        elif len(stack) > 1:
            _close(stack)
    if plain:
        stack[-1].chunks[-1].append(plain)
    while len(stack) > 1:
        _close(stack)
    stack[0].close()
    return stack[0]


def _close(stack: list[_Group]) -> None:
    inner = stack.pop()
    inner.close()
    stack[-1].chunks[-1].append(inner)


@dataclass(slots=True)
class _Setter:
    width: int
    lines: list[str]

    def put(self, item: _Group, tail: int, outer: int) -> None:
        """Lay out a group that is followed by `tail` characters on the same line; `outer` is the indent around it."""
        column = len(self.lines[-1])
        if column + item.size + tail <= self.width:
            self.lines[-1] += _flat(item)
            return
        indent = column
        if len(item.chunks) > 1 and column + _least(item) > self.width:
            indent = min(column, outer + _HANG)
        for number, chunk in enumerate(item.chunks):
            after = tail if number == len(item.chunks) - 1 else 0
            if number and (item.each or len(self.lines[-1]) + 1 + _size(chunk) + after > self.width):
                self.lines.append(" " * indent)
            elif number:
                self.lines[-1] += " "
            self._put_chunk(chunk, after, indent if len(item.chunks) > 1 else outer)

    def _put_chunk(self, chunk: list[str | _Group], tail: int, outer: int) -> None:
        for number, part in enumerate(chunk):
            if isinstance(part, str):
                self.lines[-1] += part
            else:
                self.put(part, _size(chunk[number + 1 :]) + tail if number + 1 < len(chunk) else tail, outer)


def _flat(item: _Group) -> str:
    return " ".join("".join(part if isinstance(part, str) else _flat(part) for part in chunk) for chunk in item.chunks)
