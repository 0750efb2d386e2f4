"""Expected values as a table, as a paper prints it: a heading of parameters and measures, and a line for each point.

threads  engines  throughput  delay
      1        2  591 Mbps    226 us
      8        2  2.86 Gbps   –
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from petri.experiment.design.sampling import Value, parse_value
from petri.experiment.yaml.tree import YamlText
from petri.net import Span

NOTHING: Final = ("", "-", "–", "—")  # cells without a value
_GAP: Final = re.compile(r"\s{2,}|\t")
_RULE: Final = re.compile(r"[\s|+:=-]*")  # a line between the heading and the rows


@dataclass(frozen=True)
class Cell:
    """A value of a measure; `at` are the parameters of its row, `span` its line."""

    at: Mapping[str, Value]
    measure: str
    value: str
    span: Span


def read_table(text: YamlText, parameters: Collection[str], error: Callable[..., None]) -> Iterator[Cell]:
    """Yield the values of a table. error: called for each line that is wrong.

    Cells are separated by two blanks or more, or by `|`. Columns with the name of a parameter say which point, all
    others are measures.
    """
    lines = [(span, _cells(line)) for span, line in _lines(text)]
    if len(lines) < 2:
        error("expected-table-empty", text.span)
        return
    (heading_span, heading), *rows = lines
    twice = next((name for number, name in enumerate(heading) if name in heading[:number]), None)
    if twice is not None:
        error("expected-table-twice", heading_span, name=twice)
        return
    if not any(name not in parameters for name in heading):
        error("expected-table-no-measure", heading_span, names=heading)
        return
    for span, row in rows:
        if len(row) != len(heading):
            error("expected-table-row", span, found=len(row), wanted=len(heading))
            continue
        cells = dict(zip(heading, row, strict=True))
        at = {name: parse_value(cell) for name, cell in cells.items() if name in parameters and cell not in NOTHING}
        for name, cell in cells.items():
            if name not in parameters and cell not in NOTHING:
                yield Cell(at, name, cell, span)


def _lines(text: YamlText) -> Iterator[tuple[Span, str]]:
    """Yield each line that is not empty, with its place in the file: the lines of `|` begin below it."""
    first: Any = text.span.line + (0 if text.plain else 1)
    for number, line in enumerate(text.value.split("\n")):
        if line.strip() and not _RULE.fullmatch(line):
            row = min(first + number, max(text.span.end_line, text.span.line))
            yield Span(text.span.file, row, 1, row, len(line) + 1), line


def _cells(line: str) -> list[str]:
    """`| a | b |` and `a   b`."""
    if "|" in line:
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    return [cell.strip() for cell in _GAP.split(line.strip())]
