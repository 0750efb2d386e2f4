"""`pnsim flat`."""

from __future__ import annotations

import json

import click

from . import nets
from .console import write


@click.command(name="flat")
@click.argument("net")
@nets.settings_option
def command(net: str, settings: tuple[str, ...]) -> None:
    """Print the flat net of NET as JSON: what the engines read, with modules, arrays and parameters resolved."""
    model = nets.load(net, settings)
    from petri.codec import net_to_dict

    write(json.dumps(net_to_dict(model.net), indent=2, ensure_ascii=False) + "\n")
