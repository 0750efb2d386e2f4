"""Positions: the language counts lines and characters from 1, the protocol from 0 and in units of an encoding."""

from __future__ import annotations

import re
from functools import lru_cache

from lsprotocol import types

from petri.net import Span

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


@lru_cache(maxsize=16)
def _split(text: str) -> list[str]:
    return _LINE_BREAK.split(text)


class Text:
    """A text with its lines. encoding: of the positions, as the client chose it (`utf-8`, `utf-16` or `utf-32`)."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.lines = _split(text)
        self._width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        self._codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]

    def position(self, line: int, column: int) -> types.Position:
        """Return the position of a line and column as in spans; beyond the text, its nearest position."""
        number = min(max(line, 1), len(self.lines))
        before = self.lines[number - 1][: max(column, 1) - 1]
        return types.Position(number - 1, len(before.encode(self._codec, "surrogatepass")) // self._width)

    def range(self, span: Span) -> types.Range:
        return types.Range(self.position(span.line, span.column), self.position(span.end_line, span.end_column))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Return the line and column of a position of the client; never beyond the line's end."""
        number = min(max(position.line, 0), len(self.lines) - 1)
        line = self.lines[number]
        if line.isascii():
            return number + 1, min(position.character, len(line)) + 1
        data = line.encode(self._codec, "surrogatepass")[: position.character * self._width]
        return number + 1, len(data.decode(self._codec, "ignore")) + 1

    def before(self, line: int, column: int) -> str:
        """Return the text up to a line and column."""
        return "\n".join([*self.lines[: line - 1], self.lines[line - 1][: column - 1]])

    def of(self, span: Span) -> str:
        """Return the text of a span."""
        lines = self.lines[span.line - 1 : span.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return "\n".join(lines)

    @property
    def whole(self) -> types.Range:
        last = len(self.lines)
        return types.Range(types.Position(0, 0), self.position(last, len(self.lines[-1]) + 1))
