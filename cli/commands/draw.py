"""`pnsim draw`."""

from __future__ import annotations

from pathlib import Path

import click

from petri.atomic_file import replacing, write_text
from petri.diagnostics import did_you_mean
from petri.report import picture
from petri.report.picture import Diagram, closed
from petri.report.picture.converting import NoConverter, converted
from petri.report.picture.modules import module_name

from ..options import nets
from ..options.given import Given
from ..options.net_options import net_argument, settings_option
from ..terminal.console import write_document
from ..terminal.exits import refusal, writing

SUFFIXES = (".svg", ".dot", ".pdf", ".png")


@click.command(name="draw")
@net_argument
@click.option("--output", "-o", metavar="FILE", help="Output file: .svg, .dot, .pdf or .png. [default: SVG on stdout]")
@click.option("--unfold", is_flag=True, help="Draw each element of an array, even if all look alike.")
@click.option(
    "--open", "opened", multiple=True, metavar="NAME", help="Open this module; `all` opens all. May be repeated."
)
@settings_option
def command(net: str, output: str | None, unfold: bool, opened: tuple[str, ...], given: Given) -> None:
    """Draw NET as SVG, PDF or PNG, or as a Graphviz DOT file.

    Places are circles. Transitions are boxes, open ones with `after`, or bars if they take no time. A dashed line
    reads; a line that ends in a circle inhibits. Modules and threads of a large net are drawn as closed boxes; --open
    router.chip shows the inside of one. PDF and PNG need rsvg-convert, Inkscape or Chromium.
    """
    suffix = Path(output).suffix.lower() if output else ".svg"
    if suffix not in SUFFIXES:
        raise refusal("output-suffix", path=output, suffixes=list(SUFFIXES), suggestion=f"{output}.svg")
    model = nets.load(net, given)
    drawn = _opened(picture.diagram(model.net, fold=not unfold, sources=model.sources), opened)
    text = picture.dot(drawn) if suffix == ".dot" else picture.svg(drawn, picture.layout(drawn))
    if output is None:
        write_document(text)
        return
    with writing(output):
        if suffix in (".pdf", ".png"):
            _convert(text, output, suffix)
        else:
            write_text(output, text)


def _convert(text: str, output: str, suffix: str) -> None:
    try:
        found = converted(text, suffix)
    except NoConverter as error:
        raise refusal("no-converter", path=output, reason=str(error)) from error
    with replacing(output) as file:
        file.write(found)


def _opened(drawn: Diagram, names: tuple[str, ...]) -> Diagram:
    """Return the drawing with these modules open, and those around them; without names those that there is room for."""
    if not names:
        return closed(drawn)
    known = {module_name(box.path): box.path for box in drawn.boxes}
    opened: set[tuple[str, ...]] = set()
    for name in names:
        path = known.get(name.replace("[*]", ""))
        if path is None and name != "all":
            raise refusal("unknown-box", name=name, suggestion=did_you_mean(name, known), known=sorted(known) or None)
        opened |= set(known.values()) if path is None else {path[:depth] for depth in range(1, len(path) + 1)}
    return closed(drawn, opened)
