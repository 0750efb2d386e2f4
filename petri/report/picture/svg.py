"""Draws a laid-out picture as SVG, in light or dark like the reader's system."""

from __future__ import annotations

import xml.sax.saxutils

from petri.report.picture.curves import clipped
from petri.report.picture.diagram import Box, Diagram, Edge, PictureNode
from petri.report.picture.layout import Layout, Point, Route
from petri.report.picture.sizes import BOX_NAME, EDGE, GAP, LINE, NAME, NOTE, core_size, node_size
from petri.visible import visible

_EDGE_OF_PICTURE = 12.0
_STYLE = """
  svg { --ink: #1f2937; --soft: #6b7280; --line: #4b5563; --paper: #ffffff; --fill: #f8fafc; --box: #eef2f7;
        --edge-of-box: #cbd5e1; --timed: #dbeafe; --accent: #1d4ed8; --token: #1f2937; --coloured: #b45309; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e5e7eb; --soft: #9ca3af; --line: #a8b0bd; --paper: #111827; --fill: #1f2937; --box: #182234;
          --edge-of-box: #374151; --timed: #1e3a5f; --accent: #93c5fd; --token: #e5e7eb; --coloured: #fbbf24; }
  }
  text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .box { fill: var(--box); stroke: var(--edge-of-box); }
  .place { fill: var(--fill); stroke: var(--ink); stroke-width: 1.4; }
  .timed { fill: var(--timed); stroke: var(--ink); stroke-width: 1.4; }
  .immediate { fill: var(--ink); }
  .behind { opacity: 0.45; }
  .note { fill: var(--soft); }
  .badge { fill: var(--accent); font-weight: bold; }
  .token { fill: var(--token); }
  .coloured { fill: var(--coloured); }
  .arc { fill: none; stroke: var(--line); stroke-width: 1.2; }
  .read { stroke-dasharray: 4 3; }
  .reset { stroke-dasharray: 1.5 3; }
  .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; }
  .head { fill: var(--line); }
  .ring { fill: var(--paper); stroke: var(--line); stroke-width: 1.2; }
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
# Positions of up to five tokens within a place, in units of its diameter.
_SEATS: dict[int, tuple[Point, ...]] = {
    1: ((0, 0),),
    2: ((-0.17, 0), (0.17, 0)),
    3: ((-0.17, 0.12), (0.17, 0.12), (0, -0.18)),
    4: ((-0.17, -0.17), (0.17, -0.17), (-0.17, 0.17), (0.17, 0.17)),
}


def svg(picture: Diagram, placed: Layout) -> str:
    """The picture as a complete SVG document; all text in it is escaped."""
    margin = _EDGE_OF_PICTURE
    left, top, width, height = _extent(picture, placed)
    left, top, width, height = left - margin, top - margin, width + 2 * margin, height + 2 * margin
    nodes = {node.name: node for node in picture.nodes}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">',
        f"<title>{escape(picture.name)}</title>",
        f"<desc>{escape(picture.doc)}</desc>" if picture.doc else "",
        f"<style>{_STYLE}</style>",
        f"<defs>{_MARKERS}</defs>",
        f'<rect class="paper" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"/>',
    ]
    lines += [_box(box, placed.boxes[box.path]) for box in picture.boxes if box.path in placed.boxes]
    for edge, route in zip(picture.edges, placed.routes, strict=True):
        lines.append(_edge(edge, route, nodes, placed))
    lines += [_node(node, placed.nodes[node.name]) for node in picture.nodes]
    for edge, route in zip(picture.edges, placed.routes, strict=True):
        if route.label:
            lines.append(_text(edge.label, route.label[0], route.label[1] + EDGE / 3, EDGE, "note halo"))
    return "\n".join(line for line in [*lines, "</svg>"] if line) + "\n"


def escape(text: str) -> str:
    """XML has no way to write control characters."""
    return xml.sax.saxutils.escape(visible(text))


def _extent(picture: Diagram, placed: Layout) -> tuple[float, float, float, float]:
    """Left, top, width and height of the whole drawing."""
    xs, ys = [0.0, placed.width], [0.0, placed.height]
    for node in picture.nodes:
        (x, y), (width, height) = placed.nodes[node.name], node_size(node)
        xs += [x - width / 2, x + width / 2]
        ys += [y - height / 2, y + height / 2]
    for x, y, width, height in placed.boxes.values():
        xs += [x, x + width]
        ys += [y, y + height]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


def _text(text: str, x: float, y: float, size: float, classes: str = "", anchor: str = "middle") -> str:
    kind = f' class="{classes}"' if classes else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(box: Box, rectangle: tuple[float, float, float, float]) -> str:
    x, y, width, height = rectangle
    lines = [
        f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="7"/>',
        _text(box.label, x + 9, y + BOX_NAME + 5, BOX_NAME, "note", "start"),
    ]
    if box.copies > 1:
        lines.append(_text(f"×{box.copies}", x + width - 9, y + BOX_NAME + 5, BOX_NAME, "badge", "end"))
    return "\n".join(lines)


def _edge(edge: Edge, route: Route, nodes: dict[str, PictureNode], placed: Layout) -> str:
    points = clipped(
        route.points,
        lambda point: _is_within(nodes[edge.start], placed.nodes[edge.start], point),
        lambda point: _is_within(nodes[edge.end], placed.nodes[edge.end], point),
    )
    if not points:
        return ""
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in points[1:])
    kind = f" {edge.kind}" if edge.kind in ("read", "reset") else ""
    return f'<path class="arc{kind}" d="M{points[0][0]:.1f},{points[0][1]:.1f} C{curve}"{_ENDS[edge.kind]}/>'


def _is_within(node: PictureNode, centre: Point, point: Point) -> bool:
    """Whether the point is in the node's shape, including a small margin."""
    width, height = core_size(node)
    dx, dy = point[0] - centre[0], point[1] - centre[1]
    if node.kind == "place":
        return dx * dx + dy * dy < (width / 2 + 1.5) ** 2
    return abs(dx) < width / 2 + 1.5 and abs(dy) < height / 2 + 1.5


def _node(node: PictureNode, centre: Point) -> str:
    x, y = centre
    lines = ["<g>", f"<title>{escape(node.doc)}</title>" if node.doc else ""]
    if node.copies > 1:
        lines += [_shape(node, (x + 5, y - 5), "behind"), _shape(node, (x + 2.5, y - 2.5), "behind")]
    lines.append(_shape(node, centre))
    width, height = core_size(node)
    if node.copies > 1:
        lines.append(_text(f"×{node.copies}", x + width / 2 + 7, y - height / 2 + 6, NOTE, "badge halo", "start"))
    if node.tokens:
        lines += _tokens(node, centre)
    lift = 5 if node.copies > 1 else 0
    lines.append(_text(node.label, x, y - height / 2 - GAP - lift, NAME, "halo"))
    for number, note in enumerate(node.notes):
        lines.append(_text(note, x, y + height / 2 + NOTE * LINE * (number + 1), NOTE, "note halo"))
    return "\n".join(line for line in [*lines, "</g>"] if line)


def _shape(node: PictureNode, centre: Point, extra: str = "") -> str:
    x, y = centre
    width, height = core_size(node)
    kind = f"{node.kind} {extra}".strip()
    if node.kind == "place":
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{width / 2:g}"/>'
    return (
        f'<rect class="{kind}" x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:g}" height="{height:g}"'
        f' rx="{2 if node.kind == "timed" else 1}"/>'
    )


def _tokens(node: PictureNode, centre: Point) -> list[str]:
    """The initial marking: dots, or a number if there are many."""
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
