"""The tables of an experiment on a terminal: each point with its measures, then the expected values with verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from petri.experiment.results.outcome import Outcome
from petri.report.telling.columns import Column
from petri.report.telling.quantities import Units
from petri.report.telling.sweep import axis_columns, expected_columns, legend, measure_columns, summary
from petri.report.terminal.tables import GAP, print_prose, print_table, with_tall_heading

MOST_ROWS = 200  # points shown; a store holds them all


def print_outcome(outcome: Outcome, console: Console) -> None:
    title = Text(outcome.net.name, style="bold")
    if outcome.title:
        title.append(f": {outcome.title}", style="not bold")
    print_prose(console, title)
    print_prose(console, Text(summary(outcome), style="dim"))
    points = outcome.points[:MOST_ROWS]
    names = axis_columns(points, outcome.axes)
    measures = measure_columns(points, outcome.figures, Units.of(outcome.net))
    if len(list(parts(names, measures, console.width))) > 1:
        names, measures = (list(map(with_tall_heading, columns)) for columns in (names, measures))
    for part in parts(names, measures, console.width):
        console.print()
        print_table(console, [*names, *part], heading="bold")
    if len(outcome.points) > MOST_ROWS:
        more = f"… and {len(outcome.points) - MOST_ROWS} more points in {outcome.store}"
        print_prose(console, Text(more, style="dim"))
    for line in legend(measures, points, outcome):
        print_prose(console, Text(line, style="dim"))
    if outcome.best is not None:
        print_prose(console, Text("\n" + outcome.best.text))
    print_expected(outcome, console)


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


def print_expected(outcome: Outcome, console: Console) -> None:
    """Print each expected value with the measured one."""
    checked = [(point, one) for point in outcome.points for one in point.checked]
    if not checked:
        return
    console.print()
    print_table(console, expected_columns(checked, outcome), heading="bold")
    missed = sum(not one.verdict.passed for _, one in checked)
    print_prose(console, f"{len(checked) - missed} of {len(checked)} expected values found")
