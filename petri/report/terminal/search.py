"""A search on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from petri.experiment.threshold.outcome import SearchOutcome
from petri.report.telling.quantities import Units
from petri.report.telling.search import answer, found_columns, question, tried_columns
from petri.report.telling.unsettled import unsettled_note
from petri.report.terminal.tables import print_prose, print_table


def print_search(outcome: SearchOutcome, console: Console) -> None:
    """Print every value tried; of a search at several points, what was found at each."""
    trials = outcome.outcome
    title = Text(trials.net.name, style="bold")
    title.append(f": {trials.title or question(outcome)}", style="not bold")
    print_prose(console, title)
    print_prose(console, Text(_summary(outcome), style="dim"))
    console.print()
    if len(outcome.found) == 1:
        print_table(console, tried_columns(outcome, outcome.found[0]), heading="bold")
        console.print()
        print_prose(console, Text(answer(outcome, outcome.found[0]), style="bold"))
    elif outcome.found:
        print_table(console, found_columns(outcome), heading="bold")
    if note := unsettled_note(trials.points, trials.figures, Units.of(trials.net)):
        print_prose(console, Text(note, style="dim"))


def _summary(outcome: SearchOutcome) -> str:
    rows = [row for point in outcome.outcome.points for row in point.rows]
    tried = len(outcome.outcome.points)
    parts = [question(outcome)] if outcome.outcome.title else []
    parts += [f"{tried} value{'s' * (tried != 1)} tried", f"{len(rows)} replications"]
    parts += [f"seed {outcome.outcome.identity['seed']}"] if rows else []
    return ", ".join([*parts, *(f"{engine} engine" for engine in sorted({row.engine for row in rows}))])
