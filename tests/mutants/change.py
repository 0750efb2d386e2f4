"""A small change of a source, which a test should notice."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

Span = tuple[tuple[int, int], tuple[int, int]]
"""Start and end: line and column, both from 0."""


@dataclass(frozen=True)
class Change:
    """`was` and `becomes` are the lines of the span before and after, as one line with single spaces."""

    file: str  # relative to `ROOT`
    line: int
    function: str
    was: str
    becomes: str
    source: str = field(repr=False)  # of the whole file
    span: Span = field(repr=False)
    text: str = field(repr=False)  # to be at the span

    def changed_source(self) -> str:
        lines = self.source.split("\n")
        (first, start), (last, end) = self.span
        return "\n".join([*lines[:first], lines[first][:start] + self.text + lines[last][end:], *lines[last + 1 :]])

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: in {self.function or 'the file'}: `{self.was}` becomes `{self.becomes}`"


def change_of(file: str, source: str, function: str, span: Span, text: str) -> Change:
    """`text` is to be at the span."""
    lines = source.split("\n")
    (first, start), (last, end) = span
    was = "\n".join(lines[first : last + 1])
    becomes = lines[first][:start] + text + lines[last][end:]
    return Change(file, first + 1, function, in_one_line(was), in_one_line(becomes), source, span, text)


def in_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
