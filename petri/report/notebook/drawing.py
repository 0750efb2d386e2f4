"""The drawing of a net as an object that a notebook shows and a program can save."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Final

from petri.atomic_file import write_text
from petri.model import Model
from petri.report.html.markup import Markup, tag
from petri.report.picture import closed, diagram, dot, layout, svg
from petri.structs import Frozen
from petri.visible import visible

LARGEST: Final = 600  # places and transitions after folding; a larger net is not drawn
SUFFIXES: Final = (".svg", ".dot")


class Drawing(Frozen):
    """A net as SVG and as Graphviz DOT. `size`: how many places and transitions are drawn, after folding."""

    name: str
    svg: str
    dot: str
    size: int

    def save(self, path: str | Path) -> None:
        """Write the drawing, as SVG or DOT by the suffix. Raises ValueError for another suffix, OSError."""
        suffix = Path(path).suffix.lower()
        if suffix not in SUFFIXES:
            raise ValueError(f'a drawing is saved as .svg or .dot, not as "{visible(str(path))}"')
        write_text(path, self.dot if suffix == ".dot" else self.svg)

    def __repr__(self) -> str:
        return visible(f"Drawing of {self.name}: {self.size} places and transitions")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.image()

    def image(self) -> Markup:
        """The drawing as an image: a browser runs no script in it, and its style does not reach the notebook."""
        packed = base64.b64encode(self.svg.encode()).decode()
        source = f"data:image/svg+xml;base64,{packed}"
        return tag("img", src=source, alt=f"drawing of the net {self.name}", style="max-width:100%;height:auto")


def draw(model: Model, *, fold: bool = True) -> Drawing:
    """The drawing of a model. Raises ValueError where the net is too large to be read in a drawing."""
    picture = diagram(model.net, fold=fold, sources=model.sources)
    if len(picture.nodes) > LARGEST:
        raise ValueError(f"with {len(picture.nodes):,} places and transitions the net is too large for a drawing")
    shown = closed(picture)
    return Drawing(model.net.name, svg(shown, layout(shown)), dot(picture), len(picture.nodes))
