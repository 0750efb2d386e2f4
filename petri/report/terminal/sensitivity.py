"""Sensitivities on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from petri.experiment.sensitivity.study import Sensitivity
from petri.report.telling.sensitivity import effect_tables, heading, index_tables, remarks
from petri.report.terminal.tables import print_prose, print_table


def print_sensitivity(found: Sensitivity, console: Console, *, every: bool = False) -> None:
    """Print a table for each figure: what changes it, and what is noise."""
    print_prose(console, Text(found.net.name, style="bold"))
    print_prose(console, Text(heading(found), style="dim"))
    for title, columns, rest in [*effect_tables(found, every), *index_tables(found)]:
        console.print()
        print_prose(console, Text(title, style="bold"))
        if columns[0].cells:
            print_table(console, columns)
        if rest:
            print_prose(console, Text(rest, style="dim"))
    if said := remarks(found):
        console.print()
    for text in said:
        print_prose(console, Text(text, style="dim"))
