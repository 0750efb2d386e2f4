"""`pnsim info`."""

from __future__ import annotations

import click

from petri.report.terminal import reach
from petri.report.terminal import speed as how
from petri.report.terminal.information import information, print_information

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..terminal.console import stdout_console, write_json


@click.command(name="info")
@net_argument
@settings_option
@click.option("--all", "every", is_flag=True, help="Show each element of an array.")
@click.option("--structure", is_flag=True, help="Show what follows from the arcs alone: invariants, siphons and traps.")
@click.option("--speed", is_flag=True, help="Show how each transition is run, and what keeps it from machine code.")
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON, with each element of an array.")
def command(net: str, given: Given, every: bool, structure: bool, speed: bool, as_json: bool) -> None:
    """Show the parameters, places, transitions and measures of NET.

    NET is a file, the name of a net of the library, or `-` for stdin.
    """
    model = nets.load(net, given)
    if structure:
        if as_json:
            write_json(reach.structure(model.net))
        else:
            reach.print_structure(model.net, stdout_console())
        return
    if speed:
        if as_json:
            write_json(how.speed(model.net))
        else:
            how.print_speed(model.net, stdout_console(), every=every)
        return
    if as_json:
        write_json(information(model.net, model.sources))
        return
    print_information(model.net, stdout_console(), sources=model.sources, every=every)
