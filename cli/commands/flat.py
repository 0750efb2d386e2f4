"""`pnsim flat`."""

from __future__ import annotations

import click

from petri.atomic_file import replacing
from petri.codec import net_text

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..terminal.console import write_json_pieces
from ..terminal.exits import check_output, writing


@click.command(name="flat")
@net_argument
@settings_option
@click.option("--output", "-o", metavar="FILE", help="Write what programs in C load: without whitespace and positions.")
def command(net: str, given: Given, output: str | None) -> None:
    """Print the flat net of NET as JSON. The engines read it; modules, arrays and parameters are resolved."""
    model = nets.load(net, given)
    if output is None:
        write_json_pieces(net_text(model.net, indent=2))
        return
    check_output(output, model.sources)
    with writing(output), replacing(output) as file:
        for piece in net_text(model.net, spans=False):
            file.write(piece.encode())
