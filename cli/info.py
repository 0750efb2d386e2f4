"""`pnsim info`."""

from __future__ import annotations

import click

from . import nets
from .console import stdout_console


@click.command(name="info")
@click.argument("net")
@nets.settings_option
@click.option("--all", "every", is_flag=True, help="Show each element of an array.")
def command(net: str, settings: tuple[str, ...], every: bool) -> None:
    """Show the parameters, places, transitions and measures of NET.

    NET is a file, or the name of a net of the library.
    """
    model = nets.load(net, settings)
    from petri.report.information import print_information

    print_information(model.net, stdout_console(), sources=model.sources, every=every)
