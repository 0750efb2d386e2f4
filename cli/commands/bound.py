"""`pnsim bound`."""

from __future__ import annotations

import click
from rich.text import Text

from petri.bounds import Bound
from petri.report.telling.bounds import HOLD, bound_tables
from petri.report.telling.quantities import Units
from petri.report.terminal.tables import print_prose, print_table
from petri.result.export import number

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..terminal import exits
from ..terminal.console import stdout_console, write_json
from .solve import exact_libraries

NONE = "No measure of this net is a quotient of averages; --all has transitions and places."


@click.command(name="bound")
@net_argument
@settings_option
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also bound how often each transition fires, and the tokens of each place.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON.")
def command(net: str, given: Given, everything: bool, as_json: bool) -> int:
    """Say how large or small the figures of NET can be in the long run, and what limits them.

    NET is a file, the name of a net of the library, or `-` for stdin. Nothing is run: the bounds follow from the arcs
    and the mean times alone, by a linear programme, so they hold for any distributions with these means. Guards,
    colours and orders may allow less than a bound, and never more.

    Exit status: 0 done, 2 could not start.
    """
    model = nets.load(net, given)
    with exact_libraries():
        bounds = model.bounds()
        if as_json:
            parts = {"measures": bounds.measures}
            parts |= {"transitions": bounds.transitions, "places": bounds.places} if everything else {}
            write_json({name: list(map(_as_dict, of)) for name, of in parts.items()})
            return exits.DONE
        tables = list(bound_tables(bounds, Units.of(model.net), everything))
    console = stdout_console()
    for place, columns in enumerate(tables):
        if place:
            console.print()
        print_table(console, columns)
    print_prose(console, Text(f"\n{HOLD}" if tables else NONE, style="dim"))
    return exits.DONE


def _as_dict(bound: Bound) -> dict[str, object]:
    """Return a bound for JSON: null where there is none."""
    sides = {"at_least": (bound.low, bound.below), "at_most": (bound.high, bound.above)}
    limits = {
        f"{side}_because": [{"kind": one.kind, "name": one.name, "count": one.count, "share": one.share} for one in of]
        for side, (_, of) in sides.items()
    }
    return {"name": bound.name, **{side: number(value) for side, (value, _) in sides.items()}, **limits}
