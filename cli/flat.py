"""`pnsim flat`."""

from __future__ import annotations

import click

from . import nets
from .console import write_json_pieces


@click.command(name="flat")
@nets.net_argument
@nets.settings_option
def command(net: str, settings: tuple[str, ...]) -> None:
    """Print the flat net of NET as JSON. The engines read it; modules, arrays and parameters are resolved."""
    model = nets.load(net, settings)
    from petri.codec import net_text

    write_json_pieces(net_text(model.net, indent=2))
