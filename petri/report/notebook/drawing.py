"""Draws a net for a notebook or a program."""

from __future__ import annotations

import base64

from petri.model import Model
from petri.report.html.markup import Markup, tag
from petri.report.html.picture import LARGEST
from petri.report.picture import closed, diagram, dot, layout, svg
from petri.views import Drawing


def drawing_html(drawing: Drawing) -> Markup:
    """Return the drawing as an image: a browser runs no script in it, and its style does not reach the notebook."""
    packed = base64.b64encode(drawing.svg.encode()).decode()
    source = f"data:image/svg+xml;base64,{packed}"
    return tag("img", src=source, alt=f"drawing of the net {drawing.name}", style="max-width:100%;height:auto")


def draw(model: Model, *, fold: bool = True) -> Drawing:
    """Return the drawing of a model. Raises ValueError where the net is too large to be read in a drawing."""
    picture = diagram(model.net, fold=fold, sources=model.sources)
    if len(picture.nodes) > LARGEST:
        raise ValueError(f"with {len(picture.nodes):,} places and transitions the net is too large for a drawing")
    shown = closed(picture)
    return Drawing(model.net.name, svg(shown, layout(shown)), dot(picture), len(picture.nodes))
