"""The best setting, and parameters of measured figures, on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from petri.experiment.tuning.calibration import Calibration
from petri.experiment.tuning.procedure import Tuned
from petri.report.telling import tune as telling
from petri.report.terminal.tables import print_prose, print_table


def print_tuned(tuned: Tuned, console: Console, *, quiet: bool = False) -> None:
    """Print the best settings that were tried, and the best one. quiet: without what is not certain."""
    print_prose(console, Text(f"{tuned.net.name}: {telling.heading(tuned)}", style="dim"))
    if tuned.tried:
        console.print()
        print_table(console, telling.setting_columns(tuned))
    console.print()
    print_prose(console, Text(telling.answer(tuned), style="bold"))
    for text in () if quiet else telling.remarks(tuned):
        print_prose(console, text)


def print_calibration(found: Calibration, console: Console, *, quiet: bool = False) -> None:
    """Print the parameters, and the measured figures beside those of the net."""
    print_table(console, telling.parameter_columns(found))
    console.print()
    print_table(console, telling.match_columns(found))
    for text in () if quiet else telling.match_remarks(found):
        console.print()
        print_prose(console, text)
