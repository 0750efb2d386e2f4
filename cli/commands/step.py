"""`pnsim step`."""

from __future__ import annotations

import sys

import click

from petri.report.terminal.stepping import Stepper
from petri.run.walk import Walk

from ..options import nets
from ..options.given import Given
from ..options.net_options import looking_options, net_argument
from ..options.run_options import replication_option, seed_option
from ..terminal.console import printing, stdout_console, write, write_line

PROMPT = "> "


@click.command(name="step")
@net_argument
@click.option("--at", metavar="TIME", help="Begin at this instant: '3 ms'.")
@looking_options
@seed_option
@replication_option
def command(net: str, at: str | None, given: Given, seed: int | None, replication: int) -> None:
    """Walk through a run of NET, firing by firing.

    The enabled bindings are listed. A number chooses one, Enter lets chance choose; without choices the walk is the run
    of that seed. `b` goes back, `c 3 ms` or `c buffer >= 8` continues, `p` shows tokens, `w send` says why the
    transition is enabled or not, `h` shows all commands. They can also come from a file or a pipe.
    """
    model = nets.load(net, given)
    plan, _ = model.plan(until=None if model.net.run_defaults.until is not None else "dead", seed=seed)
    walk = Walk(model.net, plan.seed, replication)
    stepper = Stepper(model, walk, stdout_console(), model.net.tick.ticks(plan.until))
    with printing():
        if at is not None:
            begin = model.net.tick.ticks(model.duration(at))
            walk.run(lambda: walk.now >= begin)
        stepper.begin()
        while stepper.do(_line()):
            pass


def _line() -> str:
    """Return the next command; at the end of the input, the one that quits."""
    write(PROMPT)
    line = sys.stdin.readline()
    if not line:
        write("\n")
        return "q"
    if not sys.stdin.isatty():  # a terminal shows what is typed itself
        write_line(line.removesuffix("\n"))
    return line
