"""`pnsim info`."""

from __future__ import annotations

import click

from . import nets
from .console import stdout_console, write_json


@click.command(name="info")
@nets.net_argument
@nets.settings_option
@click.option("--all", "every", is_flag=True, help="Show each element of an array.")
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON, with each element of an array.")
def command(net: str, settings: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Show the parameters, places, transitions and measures of NET.

    NET is a file, the name of a net of the library, or `-` for stdin.
    """
    model = nets.load(net, settings)
    if as_json:
        from petri.report.information import information

        write_json(information(model.net, model.sources))
        return
    from petri.report.information import print_information

    print_information(model.net, stdout_console(), sources=model.sources, every=every)
