"""The tables of a search on a terminal: every value tried, or what was found at each point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from petri.experiment.design.definition import shown
from petri.report.columns import Column, print_prose, print_table
from petri.report.quantities import NOTHING, Units
from petri.report.search import answer, question, share, verdict
from petri.report.unsettled import estimate, marked, unsettled_note

if TYPE_CHECKING:
    from petri.experiment.threshold.outcome import Found, SearchOutcome, Trial
    from petri.measure.figures import Figure

MARKS = {"holds": "green", "fails": "red", "grows": "red"}


def print_search(outcome: SearchOutcome, console: Console) -> None:
    net = outcome.outcome.net
    title = Text(net.name, style="bold")
    title.append(f": {outcome.outcome.title or question(outcome)}", style="not bold")
    print_prose(console, title)
    print_prose(console, Text(_summary(outcome), style="dim"))
    console.print()
    if len(outcome.found) == 1:
        print_table(console, _tried_columns(outcome, outcome.found[0]), heading="bold")
        console.print()
        print_prose(console, Text(answer(outcome, outcome.found[0]), style="bold"))
    elif outcome.found:
        print_table(console, _found_columns(outcome), heading="bold")
    trials = outcome.outcome
    if note := unsettled_note(trials.points, trials.figures, Units.of(trials.net)):
        print_prose(console, Text(note, style="dim"))


def _summary(outcome: SearchOutcome) -> str:
    rows = [row for point in outcome.outcome.points for row in point.rows]
    tried = len(outcome.outcome.points)
    parts = [question(outcome)] if outcome.outcome.title else []
    parts += [f"{tried} value{'s' * (tried != 1)} tried", f"{len(rows)} replications"]
    parts += [f"seed {outcome.outcome.identity['seed']}"] if rows else []
    return ", ".join([*parts, *(f"{engine} engine" for engine in sorted({row.engine for row in rows}))])


def _tried_columns(outcome: SearchOutcome, found: Found) -> list[Column]:
    trials = found.trials
    columns = [
        Column(outcome.find, [shown(one.value) for one in trials], style="cyan"),
        Column("", [_mark(one) for one in trials], left=True),
        Column("n", [str(one.replications) for one in trials]),
    ]
    return columns + _measure_columns(outcome, trials)


def _found_columns(outcome: SearchOutcome) -> list[Column]:
    found = outcome.found
    axes = dict.fromkeys(name for one in found for name in one.parameters)
    columns = [
        Column(
            axis, [shown(one.parameters[axis]) if axis in one.parameters else NOTHING for one in found], style="cyan"
        )
        for axis in axes
    ]
    columns += [
        Column(outcome.find, [NOTHING if one.value is None else shown(one.value) for one in found], style="bold"),
        Column("fails at", [NOTHING if one.next is None else shown(one.next.value) for one in found]),
        Column("right", [share(one.probability) if one.status == "found" else NOTHING for one in found], rank=1),
        Column("n", [str(one.replications) for one in found], rank=2),
    ]
    return columns + _measure_columns(outcome, [one.last for one in found])


def _measure_columns(outcome: SearchOutcome, trials: Sequence[Trial | None]) -> list[Column]:
    """The condition's measures first; the others are left out first on a narrow terminal."""
    units = Units.of(outcome.outcome.net)
    asked = outcome.condition.names
    figures = sorted(outcome.outcome.figures, key=lambda one: one.name not in asked)
    return [
        _measure_column(one, trials, units, int(one.name not in asked) * (rank + 3)) for rank, one in enumerate(figures)
    ]


def _measure_column(one: Figure, trials: Sequence[Trial | None], units: Units, rank: int) -> Column:
    points = [None if trial is None else trial.point for trial in trials]
    brief = [
        NOTHING if p is None else marked(units.show(p.intervals[one.name].mean, one.dimension), one.name in p.unsettled)
        for p in points
    ]
    full = [NOTHING if point is None else estimate(point, one.name, one.dimension, units) for point in points]
    return Column(one.name, full, brief=brief, rank=rank)


def _mark(trial: Trial) -> Text:
    text = verdict(trial)
    return Text(text, style=MARKS[text.rstrip("?")])
