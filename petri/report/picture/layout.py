"""The layout of a picture, in points with y downwards: by Graphviz if installed, otherwise by networkx."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

from petri.report.picture.diagram import Diagram
from petri.report.picture.dot import skeleton
from petri.report.picture.sizes import BOX_MARGIN, BOX_NAME, node_size

Point = tuple[float, float]
COLUMN_GAP, ROW_GAP = 62.0, 16.0


@dataclass(frozen=True, slots=True)
class Route:
    """The curve of an edge: `points` are the start and then triples of a cubic Bézier curve; `label` its centre."""

    points: tuple[Point, ...]
    label: Point | None


@dataclass(frozen=True, slots=True)
class Layout:
    """Centres of the nodes by name, routes of the edges in order, rectangles (x, y, width, height) of the boxes."""

    width: float
    height: float
    nodes: dict[str, Point]
    routes: tuple[Route, ...]
    boxes: dict[tuple[str, ...], tuple[float, float, float, float]]


def has_graphviz() -> bool:
    """Whether the program `dot` of Graphviz is on the path."""
    return shutil.which("dot") is not None


def layout(picture: Diagram, *, graphviz: bool | None = None) -> Layout:
    """Compute the layout. `graphviz`: whether to use it (None: if installed)."""
    if has_graphviz() if graphviz is None else graphviz:
        placed = _by_graphviz(picture)
        if placed is not None:
            return placed
    return _by_networkx(picture)


# ---------------------------------------------------------------- Graphviz


def _by_graphviz(picture: Diagram) -> Layout | None:
    """None if Graphviz does not finish within half a minute."""
    try:
        done = subprocess.run(
            ["dot", "-Tjson0"], input=skeleton(picture), capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _read_graphviz(picture, json.loads(done.stdout))


def _read_graphviz(picture: Diagram, graph: dict[str, Any]) -> Layout:
    _, _, width, height = map(float, graph["bb"].split(","))

    def point(text: str) -> Point:
        x, y = text.split(",")[:2]
        return float(x), height - float(y)

    nodes = {}
    boxes = {}
    for entry in graph.get("objects", []):
        kind, _, number = entry["name"].rpartition("_")
        if kind == "node":
            nodes[picture.nodes[int(number)].name] = point(entry["pos"])
        elif kind == "cluster":
            left, low, right, high = map(float, entry["bb"].split(","))
            boxes[picture.boxes[int(number)].path] = (left, height - high, right - left, high - low)
    routes: list[Route] = [Route((), None)] * len(picture.edges)
    for entry in graph.get("edges", []):
        curve = [point(text) for text in entry["pos"].split(";")[0].split()]
        if not _is_forward(curve, nodes[picture.edges[int(entry["id"])].start]):
            curve.reverse()
        routes[int(entry["id"])] = Route(tuple(curve), point(entry["lp"]) if "lp" in entry else None)
    return Layout(width, height, nodes, tuple(routes), boxes)


def _is_forward(curve: list[Point], start: Point) -> bool:
    """Whether a curve begins at its edge's first node, and not at its second."""
    first, last = curve[0], curve[-1]
    return abs(first[0] - start[0]) + abs(first[1] - start[1]) <= abs(last[0] - start[0]) + abs(last[1] - start[1])


# ---------------------------------------------------------------- networkx


def _by_networkx(picture: Diagram) -> Layout:
    """Columns along the flow of tokens, and a band of rows for each box, so that boxes do not overlap."""
    columns = _columns(picture)
    sizes = {node.name: node_size(node) for node in picture.nodes}
    bands = {node.name: node.box for node in picture.nodes}
    tops, bottom = _bands(columns, sizes, bands)
    centres: dict[str, Point] = {}
    x = 0.0
    for column in columns:
        width = max(sizes[name][0] for name in column)
        for band, (top, height) in tops.items():
            inside = [name for name in column if bands[name] == band]
            free = height - sum(sizes[name][1] for name in inside)
            y = top
            for name in inside:
                y += free / (len(inside) + 1)
                centres[name] = (x + width / 2, y + sizes[name][1] / 2)
                y += sizes[name][1]
        x += width + COLUMN_GAP
    routes = tuple(_curve(centres, picture, index) for index in range(len(picture.edges)))
    return Layout(max(x - COLUMN_GAP, 0.0), bottom, centres, routes, _boxes(picture, centres, sizes))


def _bands(
    columns: list[list[str]], sizes: dict[str, Point], bands: dict[str, tuple[str, ...]]
) -> tuple[dict[tuple[str, ...], tuple[float, float]], float]:
    """For each box the top and the height of its band of rows, boxes in the same box side by side; and the end."""
    tops = {}
    y = 0.0
    for band in sorted(set(bands.values())):
        y += len(band) * (2 * BOX_MARGIN + BOX_NAME)
        rows = [[sizes[name][1] for name in column if bands[name] == band] for column in columns]
        height = max(sum(heights) + ROW_GAP * (len(heights) + 1) for heights in rows)
        tops[band] = (y, height)
        y += height
    return tops, y


def _columns(picture: Diagram) -> list[list[str]]:
    """Nodes by their position along the flow, cycles cut where they close; in each column near their neighbours."""
    import networkx

    acyclic = networkx.DiGraph()
    acyclic.add_nodes_from(node.name for node in picture.nodes)
    for start, end in picture.flow():
        if start != end and not networkx.has_path(acyclic, end, start):
            acyclic.add_edge(start, end)
    columns = [list(layer) for layer in networkx.topological_generations(acyclic)]
    _pull_right(columns, acyclic)
    neighbours = {name: [*acyclic.successors(name), *acyclic.predecessors(name)] for name in acyclic}
    seats = {name: seat / len(column) for column in columns for seat, name in enumerate(column)}
    for sweep in (columns, columns[::-1]) * 4:
        for column in sweep:
            column.sort(key=lambda name: _mean([seats[other] for other in neighbours[name]] or [seats[name]]))
            seats.update({name: seat / len(column) for seat, name in enumerate(column)})
    return columns


def _pull_right(columns: list[list[str]], acyclic: Any) -> None:
    """A node that only feeds later columns, such as a resource, is placed directly before them."""
    column_of = {name: number for number, column in enumerate(columns) for name in column}
    for name in [name for column in reversed(columns) for name in column]:
        after = [column_of[other] for other in acyclic.successors(name)]
        if after and not acyclic.in_degree(name) and min(after) - 1 > column_of[name]:
            columns[column_of[name]].remove(name)
            column_of[name] = min(after) - 1
            columns[column_of[name]].append(name)
    columns[:] = [column for column in columns if column]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _curve(centres: dict[str, Point], picture: Diagram, index: int) -> Route:
    """A gentle curve from centre to centre; parallel edges bend apart."""
    edge = picture.edges[index]
    (x1, y1), (x2, y2) = centres[edge.start], centres[edge.end]
    twins = [i for i, other in enumerate(picture.edges) if {other.start, other.end} == {edge.start, edge.end}]
    bend = 0.15 + 0.15 * twins.index(index) if len(twins) > 1 else 0.08
    middle = ((x1 + x2) / 2 - (y2 - y1) * bend, (y1 + y2) / 2 + (x2 - x1) * bend)
    first = (x1 + (middle[0] - x1) * 2 / 3, y1 + (middle[1] - y1) * 2 / 3)
    second = (x2 + (middle[0] - x2) * 2 / 3, y2 + (middle[1] - y2) * 2 / 3)
    label = ((x1 + 2 * middle[0] + x2) / 4, (y1 + 2 * middle[1] + y2) / 4)
    return Route(((x1, y1), first, second, (x2, y2)), label if edge.label else None)


def _boxes(
    picture: Diagram, centres: dict[str, Point], sizes: dict[str, Point]
) -> dict[tuple[str, ...], tuple[float, float, float, float]]:
    """A frame around the nodes of each box, wider the more boxes it contains."""
    frames = {}
    for box in picture.boxes:
        inside = [node for node in picture.nodes if node.box[: len(box.path)] == box.path]
        margin = BOX_MARGIN * (1 + max(len(node.box) for node in inside) - len(box.path))
        left = min(centres[n.name][0] - sizes[n.name][0] / 2 for n in inside) - margin
        right = max(centres[n.name][0] + sizes[n.name][0] / 2 for n in inside) + margin
        top = min(centres[n.name][1] - sizes[n.name][1] / 2 for n in inside) - margin - BOX_NAME
        bottom = max(centres[n.name][1] + sizes[n.name][1] / 2 for n in inside) + margin
        frames[box.path] = (left, top, right - left, bottom - top)
    return frames
