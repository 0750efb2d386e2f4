"""The net's picture within a page: it scrolls, zooms, and shows the documentation of each part."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from petri.net import Net
from petri.report.html.markup import Markup, content, tag
from petri.report.picture import diagram, layout, svg

LARGEST: Final = 600  # places and transitions after folding; a larger picture shows nothing
_SIZE: Final = re.compile(r'width="(\d+)" height="(\d+)"')
_BUTTONS: Final = (
    ("in", "+", "Larger"),
    ("out", "−", "Smaller"),
    ("fit", "fit", "Fit the width"),
    ("full", "1:1", "Full size"),
)


def picture(net: Net, sources: Mapping[str, str] | None = None) -> Markup:
    """The picture, or a sentence that says why there is none. `sources` are the net's texts, if available."""
    drawn = diagram(net, sources=sources)
    if len(drawn.nodes) > LARGEST:
        return tag(
            "p", f"With {len(drawn.nodes):,} places and transitions the net is too large for a picture.", class_="note"
        )
    text = svg(drawn, layout(drawn))
    size = _SIZE.search(text)
    assert size is not None
    # A shadow tree separates the picture's style, ids and classes from those of the page.
    sheet = Markup('<div class="sheet"><template shadowrootmode="open">' + _FITTED + text + "</template></div>")
    buttons = [
        tag("button", sign, type="button", data_step=step, title=what, aria_label=what) for step, sign, what in _BUTTONS
    ]
    view = tag(
        "div",
        sheet,
        class_="view",
        role="region",
        aria_label=f"Picture of the net {net.name}; + and − zoom, arrow keys move",
        tabindex=0,
    )
    tools = tag("div", buttons, class_="tools", hidden=True)
    return content(
        tag("div", tools, view, class_="net", data_width=size[1], style=f"--width:{size[1]}"),
        tag(
            "p",
            "Circles are places, boxes are timed transitions, bars immediate ones. Dashed lines read, "
            "a line that ends in a circle inhibits. ×n means n equal elements. Point at a part for its documentation.",
            class_="note",
        ),
    )


_FITTED: Final = (
    "<style>:host{display:block}svg{width:100%;height:auto;display:block}:host svg{--paper:var(--sheet)}</style>"
)
