"""The table of RFC 2544 on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.report.telling.forwarding import columns, legend
from petri.report.telling.search import question
from petri.report.terminal.tables import print_prose, print_table


def print_forwarding(outcome: ForwardingOutcome, console: Console) -> None:
    """Print the table in 80 columns, with what its columns are."""
    title = Text(outcome.net.name, style="bold")
    title.append(f": {outcome.title or 'RFC 2544'}", style="not bold")
    print_prose(console, title)
    print_prose(console, Text(f"{question(outcome.search)}, {_runs(outcome)}", style="dim"))
    console.print()
    print_table(console, columns(outcome), heading="bold")
    console.print()
    for line in legend(outcome):
        print_prose(console, Text(line, style="dim"))


def _runs(outcome: ForwardingOutcome) -> str:
    points = [trial.point for row in outcome.rows for trial in row.found.trials]
    points += [point for row in outcome.rows for point in [*row.delays.values(), *(one for _, one in row.losses)]]
    distinct = {id(point): point for point in points}.values()
    rows = [row for point in distinct for row in point.rows]
    engines = " and ".join(sorted({row.engine for row in rows})) or "no"
    return f"{len(rows)} replications, seed {rows[0].seed if rows else '-'}, {engines} engine"
