"""The figures of an experiment in the rows and columns of the table that the paper prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from petri.experiment.design.definition import shown
from petri.experiment.design.sampling import Value
from petri.validation.statements import short
from petri.validation.suite import FigureCheck

MOST_COLUMNS: Final = 8  # of a table with one parameter along its rows
FILLED: Final = 0.6  # share of the cells of such a table that have a figure


@dataclass(frozen=True)
class Printed:
    """cells: the figures of a row and a column by both; several if the paper states a figure more than once."""

    corner: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Mapping[tuple[str, str], Sequence[FigureCheck]]


def printed(checks: Sequence[FigureCheck]) -> Printed:
    """Put the parameter with the most values along the rows; the others, and the measures, are the columns.

    If such a table were too wide, or had many empty cells, each row is a point, and the measures are the columns.
    """
    varying = differing(checks)
    along = max(varying, key=lambda name: len(varying[name]), default="")
    split = arranged(checks, [along] if along else [], [name for name in varying if name != along])
    wide = len(split.columns) > MOST_COLUMNS
    if wide or len(split.cells) < FILLED * len(split.rows) * len(split.columns):
        return arranged(checks, list(varying), [])
    return split


def differing(checks: Sequence[FigureCheck]) -> dict[str, list[Value]]:
    """Return the parameters that differ between these figures, with their values in order of appearance."""
    names = dict.fromkeys(name for check in checks for name in check.point.parameters)
    values = {name: list(dict.fromkeys(check.point.parameters.get(name, "") for check in checks)) for name in names}
    return {name: ones for name, ones in values.items() if len(ones) > 1}


def arranged(checks: Sequence[FigureCheck], down: Sequence[str], across: Sequence[str]) -> Printed:
    """Return a row for each combination of values of `down`; a column for each measure and combination of `across`."""
    cells: dict[tuple[str, str], list[FigureCheck]] = {}
    for check in checks:
        row, column = described(check, down), described(check, across, named=True)
        heading = f"{column} {short(check.measure)}" if column else short(check.measure)
        cells.setdefault((row, heading), []).append(check)
    rows, columns = ({key[place]: None for key in cells} for place in (0, 1))
    return Printed(", ".join(down), list(rows), list(columns), cells)


def described(check: FigureCheck, names: Sequence[str], *, named: bool = False) -> str:
    """`contiguous, 8`, or `contiguous, engines=8` where nothing else says of what a number is the value."""
    values = {name: check.point.parameters[name] for name in names if name in check.point.parameters}
    return ", ".join(
        f"{name}={shown(value)}" if named and not isinstance(value, str) else shown(value)
        for name, value in values.items()
    )
