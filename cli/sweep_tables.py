"""The tables of an experiment on a terminal: each point with its measures, then the expected values with verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from petri.experiment.definition import shown
from petri.report.quantities import NOTHING, Units

if TYPE_CHECKING:
    from petri.experiment.figures import Figure
    from petri.experiment.summary import Outcome, PointOutcome

MOST_ROWS = 200  # points shown; a store holds them all
GAP = 2  # columns between two columns

Column = tuple[str, list[str]]
"""A heading and the cells below it."""


def print_outcome(outcome: Outcome, console: Console) -> None:
    console.print(heading(outcome))
    console.print(Text(summary(outcome), style="dim"))
    points = outcome.points[:MOST_ROWS]
    names = [axis_column(outcome, points, axis) for axis in outcome.axes]
    names.append(("n", [count(point) for point in points]))
    units = Units(outcome.net.seconds)
    measures = [measure_column(one, points, units) for one in outcome.figures]
    for part in parts(names, measures, console.width):
        console.print()
        console.print(table([*names, *part], len(names)))
    if len(outcome.points) > MOST_ROWS:
        console.print(Text(f"… and {len(outcome.points) - MOST_ROWS} more points in {outcome.store}", style="dim"))
    if any(point.imprecise for point in points):
        console.print(Text("* less precise than requested", style="dim"))
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
    units = Units(outcome.net.seconds)
    ends = [units.show(length, "Time") for length in (min(found), max(found))]
    return [f"warm-up found: {ends[0]}" + (f" to {ends[1]}" if ends[0] != ends[1] else "")]


def axis_column(outcome: Outcome, points: Sequence[PointOutcome], axis: str) -> Column:
    return axis, [shown(point.parameters[axis]) if axis in point.parameters else NOTHING for point in points]


def count(point: PointOutcome) -> str:
    return f"{len(point.complete)}{'*' if point.done and point.imprecise else ''}"


def measure_column(one: Figure, points: Sequence[PointOutcome], units: Units) -> Column:
    cells = []
    for point in points:
        interval = point.intervals[one.name]
        cells.append(units.show_with_error(interval.mean, interval.half_width, one.dimension))
    return one.name, cells


def width(column: Column) -> int:
    heading_, cells = column
    return max(cell_len(text) for text in (heading_, *cells)) + GAP


def parts(names: Sequence[Column], measures: Sequence[Column], room: int) -> Iterator[list[Column]]:
    """The measures in groups that fit next to the names; at least one in each."""
    used = sum(map(width, names))
    left = room - used
    part: list[Column] = []
    for column in measures:
        if part and width(column) > left + GAP:
            yield part
            left, part = room - used, []
        part.append(column)
        left -= width(column)
    yield part


def table(columns: Sequence[Column], names: int) -> Table:
    result = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for number, (heading_, _) in enumerate(columns):
        style = "cyan" if number < names - 1 else None
        result.add_column(heading_, justify="right", style=style, no_wrap=True)
    for cells in zip(*(cells for _, cells in columns), strict=True):
        result.add_row(*cells)
    return result


def print_expected(outcome: Outcome, console: Console, units: Units) -> None:
    """Each expected value with the measured one."""
    checked = [(point, one) for point in outcome.points for one in point.checked]
    if not checked:
        return
    dimensions = {one.name: one.dimension for one in outcome.figures}
    result = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for title in ("", "at", "measure", "measured", "expected", "source"):
        result.add_column(title, overflow="fold")
    for point, one in checked:
        dimension = dimensions[one.expected.measure]
        interval = point.intervals[one.expected.measure]
        verdict = Text("pass", style="green") if one.verdict.passed else Text("MISS", style="bold red")
        if one.verdict.certain is False:
            verdict.append("?")
        result.add_row(
            verdict,
            point.label,
            one.expected.measure,
            units.show_with_error(interval.mean, interval.half_width, dimension),
            units.show_with_error(one.value, one.verdict.tolerance, dimension),
            one.expected.source,
        )
    console.print()
    console.print(result)
    missed = sum(not one.verdict.passed for _, one in checked)
    console.print(f"{len(checked) - missed} of {len(checked)} expected values found")
