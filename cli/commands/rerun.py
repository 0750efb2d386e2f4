"""`pnsim rerun`."""

from __future__ import annotations

from typing import Any

import click

from petri.experiment.procedure.rerun import Repeated, recorded, repeat

from ..options.given import read_pairs
from ..options.net_options import tables_option
from ..options.ranges import Whole
from ..options.run_options import engine_option
from ..terminal import exits
from ..terminal.console import printing, write_json, write_line


@click.command(name="rerun")
@click.argument("result")
@click.option(
    "--replication",
    "replications",
    type=Whole(min=0),
    multiple=True,
    metavar="I",
    help="Repeat only replication I, counted from 0. May be repeated.",
)
@click.option("--net", metavar="FILE", help="The net of a JSON result, if it has moved.")
@click.option(
    "--stream", "streams", multiple=True, metavar="PLACE=FILE", help="The recording of a place, if it has moved."
)
@tables_option
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each replication.")
def command(
    result: str,
    replications: tuple[int, ...],
    net: str | None,
    streams: tuple[str, ...],
    table: tuple[str, ...],
    engine: str,
    as_json: bool,
) -> int:
    """Repeat replications of RESULT and check that their trajectories are the same.

    RESULT is the output of `pnsim run --json`, a store (sweep.db), or a point of a store (sweep.db:threads=4). The
    trajectory hash, which covers every firing with its times and variables, decides.

    Exit status: 0 all are the same, 1 at least one differs, 2 could not start.
    """
    found = recorded(
        result,
        replications or None,
        engine=engine,
        net=net,
        streams=read_pairs(streams, "stream"),
        tables=read_pairs(table, "table"),
    )
    different = 0
    for one in found:
        repeated = repeat(one)
        different += not repeated.same
        with printing():
            if as_json:
                write_json(_entry(repeated), indent=None)
            else:
                write_line(_line(repeated))
    if not as_json:
        same = len(found) - different
        verdict = f"{different} of {len(found)} differ" if different else f"all {same} are the same"
        if len(found) != 1:
            with printing():
                write_line(verdict)
    return exits.FAILED if different else exits.DONE


def _entry(repeated: Repeated) -> dict[str, Any]:
    one = repeated.recorded
    return {
        "point": one.point,
        "replication": one.index,
        "same": repeated.same,
        "hash": f"{repeated.hash:016x}",
        "recorded": f"{one.hash:016x}",
        "firings": repeated.firings,
        "seconds": repeated.seconds,
    }


def _line(repeated: Repeated) -> str:
    one = repeated.recorded
    what = f"{one.point}  replication {one.index}"
    if repeated.same:
        return f"same    {what}  {repeated.hash:016x}  {repeated.firings:,} firings"
    return f"DIFFERS {what}  {repeated.hash:016x} instead of {one.hash:016x}"
