"""`pnsim export`."""

from __future__ import annotations

import click

from petri.interchange.out.exporting import exported
from petri.report import picture

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..terminal.console import tell
from ..terminal.document import check, deliver

FORMATS = ("pnml", "pnpro", "prism", "jani", "dot")


@click.command(name="export")
@net_argument
@click.option("--format", "format_", type=click.Choice(FORMATS), required=True, help="The format to write.")
@click.option("--output", "-o", metavar="FILE", help="Write to this file instead of printing.")
@settings_option
def command(net: str, format_: str, output: str | None, given: Given) -> None:
    """Print NET for another tool, with its parameters, modules and arrays resolved (docs/interchange.md).

    What the format cannot say is an error, with the line of the net.
    """
    model = nets.load(net, given)
    check(output, model.sources)
    if format_ == "dot":
        text = picture.dot(picture.diagram(model.net))
    else:
        text, findings = exported(model.net, format_, model.sources)
        for finding in findings:
            tell(finding, model.sources)
    deliver(text, output)
