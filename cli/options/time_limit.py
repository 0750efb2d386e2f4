"""The option `--time-limit`: a command stops by itself, and keeps what is done."""

from __future__ import annotations

import click

from petri.catalogue.units import TIMES, UNITS
from petri.diagnostics import Diagnostic
from petri.experiment.design.preparation import quantity
from petri.run.stop import TimeLimit

from ..terminal.console import tell
from ..terminal.exits import refusal

# Its value is a `TimeLimit` that has begun, or None.
time_limit_option = click.option(
    "--time-limit",
    metavar="TIME",
    callback=lambda _, __, text: parse(text),
    help="Stop after '90 s' or '10 min' of real time, and keep what is done.",
)


def parse(text: str | None) -> TimeLimit | None:
    """`90`, `90 s`, `10 min`, from now on. Raises Refusal."""
    if text is None:
        return None
    parts = quantity(text)
    unit = "s" if parts is None or parts[1] is None else parts[1]
    if parts is None or parts[0] <= 0 or unit not in TIMES:
        raise refusal("time-limit-form", text=text)
    return TimeLimit(float(parts[0] * UNITS[unit].scale))


def tell_over(limit: TimeLimit | None) -> None:
    """Say on stderr that it was the time limit which ended the command, if it was."""
    if limit is not None and limit.over:
        tell(Diagnostic("time-over", severity="warning"))
