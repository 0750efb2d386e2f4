"""The options of `pnsim run`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from petri.experiment.design.definition import COMMON, PER_TRANSITION, Definition
from petri.experiment.design.options import options_of
from petri.net import MOST_REPLICATIONS
from petri.run.plan import RunOptions

from ..options.net_options import given_options, optional_net_argument
from ..options.option_groups import Grouped
from ..options.pages import REPORT_HELP
from ..options.ranges import Whole
from ..options.run_options import engine_option, seed_option
from ..options.time_limit import time_limit_option
from .running import Asked, run

LIMITS = Whole(1, 2**63 - 1)


@click.command(name="run", cls=Grouped)
@optional_net_argument
@given_options
@click.option("--until", metavar="TIME", help="End of the run: '20 ms', or `dead` (when no transition can fire).")
@click.option("--warmup", metavar="TIME", help="Exclude the first TIME from the statistics; `auto` determines it.")
@click.option(
    "--replications",
    "-n",
    type=Whole(1, MOST_REPLICATIONS),
    metavar="N",
    help="Number of independent replications.",
)
@click.option("--precision", metavar="SHARE", help="Replicate until every interval is within ± SHARE (2%).")
@click.option("--max-replications", type=LIMITS, metavar="N", help="Limit for --precision.  [default: 1,000]")
@seed_option
@click.option("--streams", type=click.Choice([COMMON, PER_TRANSITION]), help=options_of(Definition)["streams"].help)
@engine_option
@time_limit_option
@click.option("--threads", type=LIMITS, metavar="N", help="Replications run in parallel (default: all cores).")
@click.option("--json", "as_json", is_flag=True, help="Print all results as JSON instead of the summary.")
@click.option(
    "--trace",
    metavar="FILE",
    help="Write every firing to a .csv, .parquet, .xes (pm4py), .vcd (GTKWave) or .json (Perfetto) file.",
)
@click.option(
    "--out",
    "outs",
    multiple=True,
    metavar="PORT=FILE",
    help="Write what leaves through a port of the net: done=done.csv.",
)
@click.option("--exact", is_flag=True, help="Solve the net as well (`pnsim solve`), and compare.")
@click.option("--bound", is_flag=True, help="Show figures as shares of their bounds (`pnsim bound`), too.")
@click.option("--report", metavar="FILE.html", help=REPORT_HELP)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Show all places and transitions, each element of an array, and why a net died.",
)
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes.")
@click.option("--max-tokens", type=LIMITS, metavar="N", help="Stop when the net would hold more than N tokens.")
@click.option("--max-instant", type=LIMITS, metavar="N", help="Stop at more than N firings at one instant.")
@click.option("--max-firings", type=LIMITS, metavar="N", help="Stop each replication after N firings.")
@click.option("--save-at", "saving", nargs=2, metavar="TIME FILE", help="Save the state at TIME, to go on from it.")
@click.option("--from", "saved", metavar="FILE", help="Go on from a saved state; with -n, as N branches of it.")
def command(**options: Any) -> int:
    """Simulate NET and print its measures.

    NET is a file, the name of a net of the library (`pnsim list`), or `-` for stdin. Options override the
    `run` line of the net. With `--from`, NET is by default the net whose state was saved.

    Exit status: 0 done, 1 an expectation failed, a figure could not be computed or the net has errors, 2 could
    not start, 3 stopped inside the model, 130 interrupted (with Ctrl-C, what was finished is kept and shown).
    """
    asked = {field.name: options.pop(field.name) for field in fields(Asked)}
    return run(Asked(**asked), RunOptions(**options))  # type: ignore[typeddict-item]
