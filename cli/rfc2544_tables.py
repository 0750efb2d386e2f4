"""The table of RFC 2544 on a terminal: a row for each frame size, in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from petri.report.columns import Column, print_prose, print_table
from petri.report.forwarding import columns, legend
from petri.report.search import question

if TYPE_CHECKING:
    from petri.experiment.forwarding.outcome import ForwardingOutcome

RANKS = {"throughput": 3, "loss": 1, "burst": 2}


def print_forwarding(outcome: ForwardingOutcome, console: Console) -> None:
    title = Text(outcome.net.name, style="bold")
    title.append(f": {outcome.title or 'RFC 2544'}", style="not bold")
    print_prose(console, title)
    print_prose(console, Text(f"{question(outcome.search)}, {_runs(outcome)}", style="dim"))
    console.print()
    print_table(console, [_column(*one) for one in columns(outcome)], heading="bold")
    console.print()
    for line in legend(outcome):
        print_prose(console, Text(line, style="dim"))


def _column(name: str, heading: str, cells: Sequence[str]) -> Column:
    return Column(heading, list(cells), rank=RANKS.get(name, 0), style="cyan" if name == "size" else "")


def _runs(outcome: ForwardingOutcome) -> str:
    points = [trial.point for row in outcome.rows for trial in row.found.trials]
    points += [point for row in outcome.rows for point in [*row.delays.values(), *(one for _, one in row.losses)]]
    distinct = {id(point): point for point in points}.values()
    rows = [row for point in distinct for row in point.rows]
    engines = " and ".join(sorted({row.engine for row in rows})) or "no"
    return f"{len(rows)} replications, seed {rows[0].seed if rows else '-'}, {engines} engine"
