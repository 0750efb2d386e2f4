"""The exact figures of a net on a terminal, and beside those of a simulation."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from petri.exact.solution import Solution
from petri.report.telling.expected import failing
from petri.report.telling.quantities import Units
from petri.report.telling.solution import certainty, comparison, figure_tables, heading, held
from petri.report.terminal.tables import print_prose, print_table
from petri.result import Result


def print_solution(solution: Solution, console: Console, *, seconds: float) -> None:
    """Print exact figures: measures first, then transitions and places."""
    units = Units.of(solution.net)
    for line in heading(solution, units, seconds):
        print_prose(console, line)
    for columns in figure_tables(solution, units):
        console.print()
        print_table(console, columns)
    _print_certainty(solution, console)


def _print_certainty(solution: Solution, console: Console) -> None:
    if text := certainty(solution):
        print_prose(console, Text(f"\n{text}", style="dim"))
    failed = [expectation for expectation, verdict in solution.judged if not verdict.passed]
    if failed:
        text = f"✗ {failing(len(failed), len(solution.judged))} FAILED"
        print_prose(console, Text(f"\n{text}", style="bold red"))
    elif solution.judged:
        print_prose(console, Text(f"\n✓ {held(solution)}", style="green"))


def print_comparison(solution: Solution, result: Result, console: Console) -> None:
    """Print simulated and exact figures side by side, with their difference in half-widths of the interval."""
    units = Units.of(solution.net)
    columns, remarks = comparison(solution, result, units)
    if not columns[0].cells:
        return
    console.print()
    print_table(console, columns)
    for text in remarks:
        print_prose(console, text)
