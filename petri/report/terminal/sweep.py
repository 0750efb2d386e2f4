"""The tables of an experiment on a terminal: each point with its measures, then the expected values with verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
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
from petri.report.terminal.tables import GAP, print_prose, print_table, with_tall_heading

MOST_ROWS = 200  # points shown; a store holds them all


def print_outcome(outcome: Outcome, console: Console) -> None:
    print_prose(console, heading(outcome))
    print_prose(console, Text(summary(outcome), style="dim"))
    points = outcome.points[:MOST_ROWS]
    names = [axis_column(outcome, points, axis) for axis in outcome.axes]
    names.append(Column("n", [count(point) for point in points]))
    units = Units.of(outcome.net)
    measures = [measure_column(one, points, units) for one in outcome.figures]
    if len(list(parts(names, measures, console.width))) > 1:
        names, measures = (list(map(with_tall_heading, columns)) for columns in (names, measures))
    for part in parts(names, measures, console.width):
        console.print()
        print_table(console, [*names, *part], heading="bold")
    if len(outcome.points) > MOST_ROWS:
        more = f"… and {len(outcome.points) - MOST_ROWS} more points in {outcome.store}"
        print_prose(console, Text(more, style="dim"))
    if any(point.imprecise for point in points):
        print_prose(console, Text("* less precise than requested", style="dim"))
    if any("?" in str(cell) for column in measures for cell in column.cells):
        print_prose(console, Text(DOUBTFUL, style="dim"))
    if note := unsettled_note(points, outcome.figures, units):
        print_prose(console, Text(note, style="dim"))
    if outcome.best is not None:
        print_prose(console, Text("\n" + outcome.best.text))
    print_expected(outcome, console, units)


def heading(outcome: Outcome) -> Text:
    title = Text(outcome.net.name, style="bold")
    if outcome.title:
        title.append(f": {outcome.title}", style="not bold")
    return title


def summary(outcome: Outcome) -> str:
    rows = [row for point in outcome.points for row in point.rows]
    engines = " and ".join(sorted({row.engine for row in rows})) or "no"
    number = len(outcome.points)
    parts = [
        f"{number} point{'s' * (number != 1)}",
        f"{len(rows)} replications",
        f"seed {outcome.identity['seed']}",
        *(["streams per transition"] if outcome.identity.get("streams") == PER_TRANSITION else []),
        f"{engines} engine",
        *found_warmups(outcome),
        f"store {outcome.store}",
    ]
    return ", ".join(parts)


def found_warmups(outcome: Outcome) -> list[str]:
    """`warm-up found: 12.5 us to 300 us`, if pilot runs determined it."""
    found = [point.warmup.length for point in outcome.points if point.warmup is not None]
    if outcome.identity["warmup"] != "auto" or not found:
        return []
    units = Units.of(outcome.net)
    ends = [units.show(length, "Time") for length in (min(found), max(found))]
    return [f"warm-up found: {ends[0]}" + (f" to {ends[1]}" if ends[0] != ends[1] else "")]


def axis_column(outcome: Outcome, points: Sequence[PointOutcome], axis: str) -> Column:
    values = [shown(point.parameters[axis]) if axis in point.parameters else NOTHING for point in points]
    return Column(axis, values, style="cyan")


def count(point: PointOutcome) -> str:
    return f"{len(point.complete)}{'*' if point.done and point.imprecise else ''}"


def measure_column(one: Figure, points: Sequence[PointOutcome], units: Units) -> Column:
    return Column(one.name, [estimate(point, one.name, shown_dimension(one.dimension), units) for point in points])


def parts(names: Sequence[Column], measures: Sequence[Column], room: int) -> Iterator[list[Column]]:
    """Yield the measures in groups that fit beside the names; at least one in each."""
    used = sum(column.natural + GAP for column in names)
    left = room - used
    part: list[Column] = []
    for column in measures:
        if part and column.natural > left:
            yield part
            left, part = room - used, []
        part.append(column)
        left -= column.natural + GAP
    yield part


def print_expected(outcome: Outcome, console: Console, units: Units) -> None:
    """Print each expected value with the measured one."""
    checked = [(point, one) for point in outcome.points for one in point.checked]
    if not checked:
        return
    dimensions = {one.name: shown_dimension(one.dimension) for one in outcome.figures}
    measured, wanted = [], []
    for point, one in checked:
        dimension, within = dimensions[one.expected.measure], one.expected.within
        measured.append(estimate(point, one.expected.measure, dimension, units))
        wanted.append(bound_text("==", one.value, within.bound, not within.relative, units, dimension))
    console.print()
    columns = [
        Column("", [found(one) for _, one in checked], left=True),
        Column("at", [point.label for point, _ in checked], "prose"),
        Column("measure", [one.expected.measure for _, one in checked], "name"),
        Column("measured", measured, left=True),
        Column("expected", wanted, left=True),
        Column("source", [one.expected.source for _, one in checked], "prose"),
    ]
    print_table(console, columns, heading="bold")
    missed = sum(not one.verdict.passed for _, one in checked)
    print_prose(console, f"{len(checked) - missed} of {len(checked)} expected values found")


def found(one: Checked) -> Text:
    verdict = Text("pass", style="green") if one.verdict.passed else Text("MISS", style="bold red")
    return verdict.append(" (uncertain)", style="not bold dim") if one.verdict.certain is False else verdict
