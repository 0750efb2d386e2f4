"""`pnsim draw`."""

from __future__ import annotations

from pathlib import Path

import click

from petri.atomic_file import write_text

from . import nets
from .console import write_document
from .exits import refusal

SUFFIXES = (".svg", ".dot")


@click.command(name="draw")
@nets.net_argument
@click.option("--output", "-o", metavar="FILE", help="Output file, FILE.svg or FILE.dot. [default: SVG on stdout]")
@click.option("--unfold", is_flag=True, help="Draw each element of an array, even if all look alike.")
@nets.settings_option
def command(net: str, output: str | None, unfold: bool, settings: tuple[str, ...]) -> None:
    """Draw NET as SVG, or as a Graphviz DOT file.

    Graphviz computes the layout if it is installed; otherwise a simpler layout is used. Places are circles. Transitions
    are boxes, or bars if they take no time. A dashed line reads; a line that ends in a circle inhibits.
    """
    suffix = Path(output).suffix.lower() if output else ".svg"
    if suffix not in SUFFIXES:
        raise refusal("output-suffix", path=output, suffixes=list(SUFFIXES), suggestion=f"{output}.svg")
    model = nets.load(net, settings)
    from petri.report import picture

    drawn = picture.diagram(model.net, fold=not unfold, sources=model.sources)
    text = picture.dot(drawn) if suffix == ".dot" else picture.svg(drawn, picture.layout(drawn))
    if output is None:
        write_document(text)
        return
    try:
        write_text(output, text)
    except OSError as error:
        raise refusal("output-unwritable", path=output, reason=error.strerror or str(error)) from error
