"""Draws a laid-out picture as SVG, in light or dark like the reader's system."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from petri.report.picture.diagram import Box, Diagram, Edge, PictureNode
from petri.report.picture.layered import Point
from petri.report.picture.layout import Layout, Route
from petri.report.picture.sizes import (
    BEHIND,
    BOX_NAME,
    EDGE,
    GAP,
    LINE,
    NAME,
    NOTE,
    core_size,
    cut,
    lines,
    node_room,
    shown,
    title,
)
from petri.visible import visible

_EDGE_OF_PICTURE = 12.0
_LIGHT = {
    "ink": "#1f2937", "soft": "#5b6472", "line": "#4b5563", "paper": "#ffffff", "fill": "#f8fafc", "box": "#f1f5f9",
    "edge": "#b6c2d1", "timed": "#dbeafe", "module": "#e7edf5", "accent": "#1d4ed8", "coloured": "#b45309",
}  # fmt: skip
_DARK = {
    "ink": "#e5e7eb", "soft": "#a3adbb", "line": "#a8b0bd", "paper": "#111827", "fill": "#1f2937", "box": "#172032",
    "edge": "#475569", "timed": "#1e3a5f", "module": "#22304a", "accent": "#93c5fd", "coloured": "#fbbf24",
}  # fmt: skip
_COLOURS = """text { fill: INK }
.paper { fill: PAPER } .box { fill: BOX; stroke: EDGE } .place { fill: FILL; stroke: INK }
.timed { fill: TIMED; stroke: INK } .immediate { fill: INK } .module { fill: MODULE; stroke: INK }
.note { fill: SOFT } .token { fill: INK } .coloured { fill: COLOURED }
.arc { stroke: LINE } .head { fill: LINE } .ring { fill: PAPER; stroke: LINE }
"""
_STYLE = """text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif }
.place, .timed, .module { stroke-width: 1.4 }
.behind { opacity: 0.45 }
.outside { opacity: 0.6; stroke-dasharray: 3 2.5 }
.arc { fill: none; stroke-width: 1.2 }
.read { stroke-dasharray: 4 3 }
.reset { stroke-dasharray: 1.5 3 }
.ring { stroke-width: 1.2 }
.heat { fill: #d9480f }
"""
_MARKERS = """
  <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9"
    orient="auto-start-reverse"><path class="head" d="M0,1 L10,5 L0,9 z"/></marker>
  <marker id="double" viewBox="0 0 18 10" refX="17" refY="5" markerUnits="userSpaceOnUse" markerWidth="16"
    markerHeight="9" orient="auto"><path class="head" d="M0,1 L9,5 L0,9 z M9,1 L18,5 L9,9 z"/></marker>
  <marker id="circle" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="8"
    markerHeight="8">    <circle class="ring" cx="5" cy="5" r="4"/></marker>
"""
_ENDS = {
    "take": ' marker-end="url(#arrow)"',
    "give": ' marker-end="url(#arrow)"',
    "both": ' marker-start="url(#arrow)" marker-end="url(#arrow)"',
    "read": "",
    "inhibit": ' marker-end="url(#circle)"',
    "reset": ' marker-end="url(#double)"',
}
Heat = Mapping[str, tuple[float, str]]
# Positions of up to five tokens within a place, in units of its diameter.
_SEATS: dict[int, tuple[Point, ...]] = {
    1: ((0, 0),),
    2: ((-0.17, 0), (0.17, 0)),
    3: ((-0.17, 0.12), (0.17, 0.12), (0, -0.18)),
    4: ((-0.17, -0.17), (0.17, -0.17), (-0.17, 0.17), (0.17, 0.17)),
}


def svg(picture: Diagram, placed: Layout, heat: Heat | None = None) -> str:
    """Return the picture as a complete SVG document; all text in it is escaped.

    heat: for nodes by name a share from 0 to 1, as which they are filled, and what it is in words.
    """
    margin = _EDGE_OF_PICTURE
    left, top, width, height = _extent(picture, placed)
    left, top, width, height = left - margin, top - margin, width + 2 * margin, height + 2 * margin
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">',
        f"<title>{escape(picture.name)}</title>",
        f"<desc>{escape(picture.doc)}</desc>" if picture.doc else "",
        f"<style>{style()}</style>",
        f"<defs>{_MARKERS}</defs>",
        f'<rect class="paper" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"/>',
    ]
    parts += [_box(box, placed.boxes[box.path]) for box in picture.boxes if box.path in placed.boxes]
    parts += [_copies(node, placed.nodes[node.name]) for node in picture.nodes if node.copies > 1]
    for edge, route in zip(picture.edges, placed.routes, strict=True):
        parts.append(_edge(edge, route))
    parts += [_node(node, placed.nodes[node.name], (heat or {}).get(node.name)) for node in picture.nodes]
    for edge, route in zip(picture.edges, placed.routes, strict=True):
        if route.label:
            parts.append(_label(edge.label, route.label))
    return "\n".join(line for line in [*parts, "</svg>"] if line) + "\n"


def escape(text: str) -> str:
    """XML has no way to write control characters."""
    return html.escape(visible(text), quote=False)


def _extent(picture: Diagram, placed: Layout) -> tuple[float, float, float, float]:
    """Left, top, width and height of the whole drawing."""
    xs, ys = [0.0, placed.width], [0.0, placed.height]
    for node in picture.nodes:
        (x, y), (width, above, below) = placed.nodes[node.name], node_room(node)
        xs += [x - width / 2, x + width / 2]
        ys += [y - above, y + below]
    for x, y, width, height in placed.boxes.values():
        xs += [x, x + width]
        ys += [y, y + height]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


def _text(text: str, x: float, y: float, size: float, classes: str = "", anchor: str = "middle") -> str:
    kind = f' class="{classes}"' if classes else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _label(text: str, middle: Point) -> str:
    """Return the text at an edge."""
    x, y = middle
    shown_lines = lines(text)
    y += EDGE / 3 - EDGE * LINE * (len(shown_lines) - 1) / 2
    drawn = [_text(line, x, y + EDGE * LINE * number, EDGE, "note") for number, line in enumerate(shown_lines)]
    return "\n".join(["<g>", f"<title>{escape(text)}</title>", *drawn, "</g>"] if cut(text) else drawn)


def style() -> str:
    """Return the rules of a drawing: plain colours, which every viewer knows, and others for readers of dark
    screens.
    """
    dark = _coloured(_DARK).replace("\n", "\n  ")
    return f"\n{_coloured(_LIGHT)}{_STYLE}@media screen and (prefers-color-scheme: dark) {{\n  {dark}}}\n"


def _coloured(palette: dict[str, str]) -> str:
    return re.sub(r"[A-Z]{3,}", lambda name: palette[name[0].lower()], _COLOURS)


def _box(box: Box, rectangle: tuple[float, float, float, float]) -> str:
    x, y, width, height = rectangle
    label = f"{box.label} ×{box.copies}" if box.copies > 1 else box.label
    return "\n".join(
        [
            f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="7"/>',
            _text(label, x + 9, y + BOX_NAME + 5, BOX_NAME, "note", "start"),
        ]
    )


def _edge(edge: Edge, route: Route) -> str:
    if not route.points:
        return ""
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in route.points[1:])
    kind = f" {edge.kind}" if edge.kind in ("read", "reset") else ""
    (x, y), ends = route.points[0], _ENDS[edge.kind]
    return f'<path class="arc{kind}" d="M{x:.1f},{y:.1f} C{curve}"{ends}/>'


def _copies(node: PictureNode, centre: Point) -> str:
    """Return two more of the elements of an array, beneath the arcs, which lead to the first."""
    x, y = centre
    return "\n".join(_shape(node, (x + off, y - off), "behind") for off in (BEHIND, BEHIND / 2))


def _node(node: PictureNode, centre: Point, heat: tuple[float, str] | None = None) -> str:
    x, y = centre
    whole = [note for note in node.notes if cut(note)]
    told = ". ".join(text for text in (node.doc.rstrip(". \n"), heat[1] if heat else "", *whole) if text)
    parts = [
        f'<g class="node" id="{escape(quoted(node.name))}">',
        f"<title>{escape(told)}</title>" if told else "",
    ]
    parts.append(_shape(node, centre, "outside" if node.outside else ""))
    if heat:
        parts.append(_heat(node, centre, heat[0]))
    _, height = core_size(node)
    if node.tokens:
        parts += _tokens(node, centre)
    lift = BEHIND if node.copies > 1 else 0
    if node.kind == "module":
        parts.append(_text(title(node), x, y - height / 2 + NAME + 8, NAME))
    else:
        parts.append(_text(title(node), x, y - height / 2 - GAP - lift, NAME))
    top = y - height / 2 + NAME + 10 if node.kind == "module" else y + height / 2
    for number, note in enumerate(shown(node.notes)):
        parts.append(_text(note, x, top + NOTE * LINE * (number + 1), NOTE, "note"))
    return "\n".join(line for line in [*parts, "</g>"] if line)


def _heat(node: PictureNode, centre: Point, share: float) -> str:
    """Return the fill of a shape, the stronger the greater the share; of a module, which contains texts, a bar below
    them.
    """
    x, y = centre
    width, height = core_size(node)
    strength = f'fill-opacity="{0.08 + 0.8 * min(max(share, 0.0), 1.0):.2f}"'
    if node.kind == "place":
        return f'<circle class="heat" {strength} cx="{x:.1f}" cy="{y:.1f}" r="{width / 2 - 0.7:g}"/>'
    left, top = x - width / 2 + 0.7, y - height / 2 + 0.7
    if node.kind == "module":
        left, top, width, height = left + 4, y + height / 2 - 7, max((width - 9) * min(share, 1.0), 2.4), 5.4
    place = f'x="{left:.1f}" y="{top:.1f}" width="{width - 1.4:.1f}" height="{height - 1.4:.1f}"'
    return f'<rect class="heat" {strength} {place} rx="1.5"/>'


def quoted(name: str) -> str:
    """Return a name as an identifier of XML."""
    return "n-" + re.sub(r"[^A-Za-z0-9.]", lambda sign: f"_{ord(sign[0]):x}_", name)


def _shape(node: PictureNode, centre: Point, extra: str = "") -> str:
    x, y = centre
    width, height = core_size(node)
    racing = node.kind == "racing"
    kind = f"{'timed' if racing else node.kind} {extra}".strip()
    if node.kind == "place":
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{width / 2:g}"/>'
    rounded = {"timed": 2, "racing": 2, "immediate": 1, "module": 6}[node.kind]
    open_ = ' fill-opacity="0"' if racing else ""
    return (
        f'<rect class="{kind}" x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:g}" height="{height:g}"'
        f' rx="{rounded}"{open_}/>'
    )


def _tokens(node: PictureNode, centre: Point) -> list[str]:
    """Return the initial marking: dots, or a number if there are many."""
    x, y = centre
    diameter = core_size(node)[0]
    colour = "token" if node.black else "coloured"
    seats = _SEATS.get(node.tokens)
    if seats is None:
        text = str(node.tokens) if node.tokens < 10_000 else f"{node.tokens:.0e}".replace("+0", "").replace("+", "")
        size = NAME if len(text) < 4 else NOTE - 1
        return [_text(text, x, y + size / 3, size, colour)]
    return [
        f'<circle class="{colour}" cx="{x + dx * diameter:.1f}" cy="{y + dy * diameter:.1f}" r="3.4"/>'
        for dx, dy in seats
    ]
