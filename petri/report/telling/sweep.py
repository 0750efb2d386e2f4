"""The words and tables of a sweep: for the terminal, the page and the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from petri.experiment.design.definition import PER_TRANSITION, shown
from petri.experiment.results.outcome import Outcome
from petri.experiment.results.summary import Checked, PointOutcome
from petri.measure.figures import Figure
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.expected import bound_text
from petri.report.telling.quantities import DOUBTFUL, NOTHING, Units
from petri.report.telling.unsettled import estimate, unsettled_note

IMPRECISE: Final = "* less precise than requested"


def summary(outcome: Outcome) -> str:
    """`9 points, 90 replications, seed 7, native engine, store mm1.db`."""
    rows = [row for point in outcome.points for row in point.rows]
    engines = " and ".join(sorted({row.engine for row in rows})) or "no"
    number = len(outcome.points)
    parts = [
        f"{number} point{'s' * (number != 1)}",
        f"{len(rows)} replications",
        f"seed {outcome.identity['seed']}",
        *(["streams per transition"] if outcome.identity.get("streams") == PER_TRANSITION else []),
        f"{engines} engine",
        *_warmups(outcome),
        f"store {outcome.store}",
    ]
    return ", ".join(parts)


def _warmups(outcome: Outcome) -> list[str]:
    """Return `warm-up found: 12.5 us to 300 us`, if pilot runs determined it."""
    found = [point.warmup.length for point in outcome.points if point.warmup is not None]
    if outcome.identity["warmup"] != "auto" or not found:
        return []
    units = Units.of(outcome.net)
    ends = [units.show(length, "Time") for length in (min(found), max(found))]
    return [f"warm-up found: {ends[0]}" + (f" to {ends[1]}" if ends[0] != ends[1] else "")]


# ---------------------------------------------------------------- points


def axis_columns(points: Sequence[PointOutcome], axes: Sequence[str]) -> list[Column]:
    """Return a column for each parameter that is varied, and one for the number of replications."""
    columns = [Column(axis, [_parameter(point, axis) for point in points], style="cyan") for axis in axes]
    return [*columns, Column("n", [str(len(point.complete)) for point in points])]


def _parameter(point: PointOutcome, axis: str) -> str:
    return shown(point.parameters[axis]) if axis in point.parameters else NOTHING


def measure_columns(points: Sequence[PointOutcome], figures: Sequence[Figure], units: Units) -> list[Column]:
    """Return a column for each measure; figures with a star are less precise than requested."""
    return [Column(figure.name, [_estimate(point, figure, units) for point in points]) for figure in figures]


def _estimate(point: PointOutcome, one: Figure, units: Units) -> str:
    text = estimate(point, one.name, shown_dimension(one.dimension), units)
    return f"{text} *" if point.done and one.name in point.imprecise else text


def legend(columns: Sequence[Column], points: Sequence[PointOutcome], outcome: Outcome) -> list[str]:
    """Return what the marks in columns of measures mean."""
    cells = [str(cell) for column in columns for cell in column.cells]
    lines = [IMPRECISE] if any(cell.endswith("*") for cell in cells) else []
    lines += [DOUBTFUL] if any("?" in cell for cell in cells) else []
    moving = unsettled_note(points, outcome.figures, Units.of(outcome.net))
    return [*lines, moving] if moving else lines


# ---------------------------------------------------------------- expected values


def expected_columns(checked: Sequence[tuple[PointOutcome, Checked]], outcome: Outcome) -> list[Column]:
    """Return each expected value beside the measured one, with the verdict."""
    dimensions, units = (
        {figure.name: shown_dimension(figure.dimension) for figure in outcome.figures},
        Units.of(outcome.net),
    )
    measured, wanted = [], []
    for point, one in checked:
        dimension, within = dimensions[one.expected.measure], one.expected.within
        measured.append(estimate(point, one.expected.measure, dimension, units))
        wanted.append(bound_text("==", one.value, within.bound, not within.relative, units, dimension))
    return [
        Column("", [_verdict(one) for _, one in checked], left=True),
        Column("at", [point.label for point, _ in checked], "prose"),
        Column("measure", [one.expected.measure for _, one in checked], "name"),
        Column("measured", measured, left=True),
        Column("expected", wanted, left=True),
        Column("source", [one.expected.source for _, one in checked], "prose"),
    ]


def _verdict(one: Checked) -> Text:
    verdict = Text("pass", style="green") if one.verdict.passed else Text("MISS", style="bold red")
    return verdict.append(" (uncertain)", style="not bold dim") if one.verdict.certain is False else verdict
