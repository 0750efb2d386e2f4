"""`pnsim sensitivity`."""

from __future__ import annotations

from typing import Any

import click

from petri.diagnostics import Diagnostic
from petri.experiment.design.definition import Definition
from petri.experiment.design.options import options_of
from petri.experiment.sensitivity.overall import SAMPLES
from petri.experiment.sensitivity.study import Sensitivity, sensitivity
from petri.report.telling.progress import fitting
from petri.report.terminal.sensitivity import print_sensitivity

from ..options import nets
from ..options.given import Given
from ..options.net_options import given_options, net_argument
from ..options.option_groups import Grouped
from ..options.pages import check as check_report
from ..options.pages import report_option, write_page
from ..options.ranges import Whole
from ..options.run_options import COUNT, engine_option, output_options, seed_option
from ..options.time_limit import tell_over, time_limit_option
from ..terminal import exits
from ..terminal.console import always_shown, show, tell
from ..terminal.exits import refusal
from ..terminal.progress import StatusLine, terminal_width
from .solve import exact_libraries, states_option

RUNS = options_of(Definition)


class Progress(StatusLine):
    """Watches which factor is changed."""

    def __call__(self, done: int, of: int, name: str) -> None:
        if self.due():
            self.show(fitting([(f"{done + 1} of {of}", name), (f"{done + 1} of {of}",)], terminal_width() - 1))


@click.command(name="sensitivity", cls=Grouped)
@net_argument
@given_options
@click.option(
    "--over", "overs", multiple=True, metavar="NAME[=RANGE]",
    help="Change this parameter or transition; with --global over RANGE (0.5..0.9). May be repeated.  [default: all]",
)  # fmt: skip
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Only this figure. May be repeated.")
@click.option("--exact", is_flag=True, help="From exact solutions (`pnsim solve`) instead of runs.")
@states_option
@click.option(
    "--global", "globally", is_flag=True,
    help="Over whole ranges instead: how much of the variance each parameter causes (Sobol, Morris).",
)  # fmt: skip
@click.option(
    "--samples", type=Whole(4, 2**16), default=SAMPLES, show_default=True, metavar="N",
    help="With --global: N points for each parameter, and twice N; a power of 2.",
)  # fmt: skip
@click.option("--until", metavar="TIME", help=RUNS["until"].help)
@click.option("--warmup", metavar="TIME", help=RUNS["warmup"].help)
@click.option(
    "--replications", "-n", type=Whole(2, 100_000), metavar="N",
    help="Replications of each changed net.  [default: those of the net's `run` line, at least 10; 2 with --global]",
)  # fmt: skip
@seed_option
@engine_option
@time_limit_option
@click.option("--threads", type=COUNT, metavar="N", help="Replications run in parallel (default: all cores).")
@click.option("--all", "every", is_flag=True, help="Show also what is noise, in rows of its own.")
@report_option
@output_options
def command(net: str, given: Given, **asked: Any) -> int:
    """Say how much each figure of NET changes with each parameter, and if a transition were faster.

    NET is a file, the name of a net of the library, or `-` for stdin. Each change is run with the random numbers of the
    net as it is, a stream for each transition, so that intervals of differences are narrow.

    \b
    pnsim sensitivity mm1k
    pnsim sensitivity mm1k --global --over load=0.5..0.9 --over seats

    Exit status: 0 done, 1 the net cannot be solved (--exact), 2 could not start, 3 a run stopped with an error in the
    model, 130 interrupted.
    """
    check_report(asked["report"])
    model = nets.load(net, given)
    over = _over(asked["overs"], asked["globally"])
    options = {name: asked[name] for name in (
        "exact", "states", "globally", "samples", "replications", "threads", "time_limit", "until", "warmup", "seed",
        "engine",
    )}  # fmt: skip
    with exact_libraries(), Progress(asked["quiet"]) as progress:
        found = sensitivity(model, over=over, measures=asked["measures"] or None, watch=progress, **options)
    with always_shown(lambda: _show(found, asked)):
        if asked["report"]:
            from petri.report.html import sensitivity_report  # which few commands need

            write_page(sensitivity_report(found), asked["report"])
    if found.interrupted:
        tell_over(asked["time_limit"])
        tell(Diagnostic("sensitivity-interrupted", values={"count": found.nets}))
        return exits.INTERRUPTED
    return exits.DONE


def _over(texts: tuple[str, ...], globally: bool) -> dict[str, str | None] | None:
    """Return the names of `--over`, with their ranges. Raises Refusal."""
    found: dict[str, str | None] = {}
    for text in texts:
        name, equals, written = (part.strip() for part in text.partition("="))
        if equals and not globally:
            raise refusal("sensitivity-range", text=text, name=name)
        found[name] = written or None
    return found or None


def _show(found: Sensitivity, asked: dict[str, Any]) -> None:
    show(found, asked["as_json"], lambda one, console: print_sensitivity(one, console, every=asked["every"]))
