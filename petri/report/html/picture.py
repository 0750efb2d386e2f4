"""The net's picture within a page: it scrolls, zooms, and shows the documentation of each part."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from petri.net import Net
from petri.report.html.markup import Markup, aside, content, tag
from petri.report.picture import Diagram, diagram, layout, svg, views
from petri.report.picture.diagram import TRANSITION
from petri.report.picture.folding import starred
from petri.report.picture.modules import MODULE
from petri.report.picture.svg import Heat
from petri.structs import Frozen


class Loads(Frozen):
    """By which places and transitions, by number, are coloured: from 0 to 1.

    unit: the value of 1. place, transition: what is said of it; lead: of the part of a module with the highest.
    """

    places: Mapping[int, float]
    transitions: Mapping[int, float]
    unit: float = 100.0
    place: str = "{:.3g}% used"
    transition: str = "{:.3g}% active"
    lead: str = "busiest"


LARGEST: Final = 600  # places and transitions after folding; a larger picture shows nothing
_SIZE: Final = re.compile(r'width="(\d+)" height="(\d+)"')
_BUTTONS: Final = (
    ("in", "+", "Larger"),
    ("out", "−", "Smaller"),
    ("fit", "fit", "Fit the width"),
    ("full", "1:1", "Full size"),
)


def picture(net: Net, sources: Mapping[str, str] | None = None, busy: Loads | None = None) -> Markup:
    """Return the picture, and the insides of what is closed in it, or a sentence that says why there is none.

    sources: the net's texts, if available. busy: how much places, and transitions, are used, by name.
    """
    whole = diagram(net, sources=sources)
    if len(whole.nodes) > LARGEST:
        return aside(f"With {len(whole.nodes):,} places and transitions the net is too large for a picture.")
    heat = heat_of(whole, net, busy) if busy else {}
    (_, first), *others = views(whole)
    inner = [
        tag(
            "details", tag("summary", "Inside ", tag("code", ".".join(path).replace("[*]", ""))), _sheet(net, one, heat)
        )
        for path, one in others
    ]
    races = any(transition.clock is not None for transition in net.transitions)
    legend = aside(_LEGEND, _RACES if races else "", _HEAT if heat else "")
    return content(_sheet(net, first, heat), legend, inner)


_LEGEND: Final = (
    "Circles are places, boxes are timed transitions, bars immediate ones; large boxes are modules and threads. "
    "Dashed lines read, a line that ends in a circle inhibits. ×n means n equal elements. Point at a part for its "
    "documentation."
)
_RACES: Final = " An open box fires after its time, unless another takes the tokens first."
_HEAT: Final = (
    " The redder a transition, the more of the time it was active; the redder a place, the more of its tokens were in "
    "use, or of its capacity. The bar of a module is that of the busiest part."
)


def _sheet(net: Net, drawn: Diagram, heat: Heat) -> Markup:
    text = svg(drawn, layout(drawn), heat)
    size = _SIZE.search(text)
    assert size is not None
    # A shadow tree separates the picture's style, ids and classes from those of the page.
    sheet = Markup('<div class="sheet"><template shadowrootmode="open">' + text + _FITTED + "</template></div>")
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
    return tag("div", tools, view, class_="net", data_width=size[1], style=f"--width:{size[1]}")


def heat_of(whole: Diagram, net: Net, busy: Loads) -> dict[str, tuple[float, str]]:
    """Return the average of the elements that a node stands for; of a module, the part with the highest."""
    shares: dict[str, list[float]] = {}
    for number, share in busy.places.items():
        shares.setdefault(starred(net.places[number].name), []).append(share)
    for number, share in busy.transitions.items():
        shares.setdefault(starred(net.transitions[number].name) + TRANSITION, []).append(share)
    found: dict[str, tuple[float, str]] = {}
    for node in whole.nodes:
        values = shares.get(starred(node.name))
        if values:
            share = sum(values) / len(values)
            text = (busy.place if node.kind == "place" else busy.transition).format(busy.unit * share)
            found[node.name] = (share, text)
            for depth in range(1, len(node.box) + 1):
                module = ".".join(node.box[:depth]) + MODULE
                if share > found.get(module, (-1.0, ""))[0]:
                    found[module] = (share, f"{busy.lead}: {node.name.removesuffix(TRANSITION)}, {text}")
    return found


_FITTED: Final = "<style>:host{display:block}svg{width:100%;height:auto;display:block}.paper{fill:none}</style>"
