"""`pnsim flat`."""

from __future__ import annotations

import click

from petri.codec import net_text

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..terminal.console import write_json_pieces


@click.command(name="flat")
@net_argument
@settings_option
def command(net: str, given: Given) -> None:
    """Print the flat net of NET as JSON. The engines read it; modules, arrays and parameters are resolved."""
    model = nets.load(net, given)
    write_json_pieces(net_text(model.net, indent=2))
