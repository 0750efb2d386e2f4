"""Bounds on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from petri.bounds import Bound
from petri.report.telling.bounds import share_columns
from petri.report.terminal.tables import print_prose, print_table
from petri.result import Result

NO_SHARE = "No measure of this run has an upper bound."


def print_shares(bounds: Sequence[Bound], result: Result, console: Console) -> None:
    """Print how much of its bound each measure of a run has reached."""
    columns = share_columns(bounds, result)
    console.print()
    if columns[0].cells:
        print_table(console, columns)
    else:
        print_prose(console, NO_SHARE)
