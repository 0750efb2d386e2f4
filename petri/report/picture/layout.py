"""The layout of a picture, in points with y downwards: each box by itself, as columns, and within the one around it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from petri.report.picture.diagram import Diagram, Edge, PictureNode
from petri.report.picture.layered import Arranged, Item, Link, Point, Run, arrange
from petri.report.picture.rows import BESIDE
from petri.report.picture.sizes import BOX_NAME, core_size, label_size, node_room, text_width

TURN: Final = 6.0  # radius where an arc turns round
MARGIN: Final = 12.0  # between a box and what is in it
TITLE: Final = BOX_NAME + 10.0
Side = Literal["left", "right"]
Path = tuple[str, ...]


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
    boxes: dict[Path, tuple[float, float, float, float]]


def layout(picture: Diagram) -> Layout:
    """Compute the layout."""
    reader = _Nested(picture)
    whole = reader.level((), {})
    reader.place(whole, 0.0, 0.0)
    routes = tuple(reader.route(number) for number in range(len(picture.edges)))
    return Layout(whole.arranged.width, whole.arranged.height, reader.centres, routes, reader.frames)


@dataclass(slots=True)
class _Level:
    """A box that is laid out: its children, what was arranged, and which link is that of an edge.

    ports: for each edge that leaves the box, how far below its middle it does.
    """

    path: Path
    children: list[Path]
    boxes: dict[Path, _Level]
    arranged: Arranged
    links: dict[int, int]
    labelled: dict[int, int]
    leaving: dict[int, Side]
    ports: dict[int, float]
    x: float = 0.0
    y: float = 0.0

    @property
    def size(self) -> Point:
        return self.arranged.width, self.arranged.height + TITLE + MARGIN


class _Nested:
    """Lays out one diagram. The path of a node is that of its box and then its name."""

    def __init__(self, picture: Diagram) -> None:
        self.picture = picture
        self.nodes = {(*node.box, node.name): node for node in picture.nodes}
        paths = {node.name: (*node.box, node.name) for node in picture.nodes}
        self.ends = [(paths[first], paths[second]) for first, second in picture.flow()]
        self.children: dict[Path, list[Path]] = {(): []}
        for path in [*(box.path for box in picture.boxes), *self.nodes]:
            self.children.setdefault(path[:-1], []).append(path)
        order = {path: number for number, path in enumerate(self.nodes)}
        first = {path[:depth]: 10**9 for path in self.nodes for depth in range(1, len(path) + 1)}
        for path in self.nodes:
            for depth in range(1, len(path) + 1):
                first[path[:depth]] = min(first[path[:depth]], order[path])
        for children in self.children.values():
            children.sort(key=lambda path: first.get(path, 10**9))
        self.titles = {box.path: text_width(box.label, BOX_NAME) + 50 for box in picture.boxes}
        self.centres: dict[str, Point] = {}
        self.frames: dict[Path, tuple[float, float, float, float]] = {}
        self.pieces: dict[int, list[tuple[int, list[Run]]]] = {}
        self.labels: dict[int, Point] = {}

    # ------------------------------------------------------------ arranging

    def level(self, path: Path, leaving: dict[int, Side]) -> _Level:
        """Lay out a box. `leaving`: at which side each edge leaves it that has only one end within."""
        children = self.children.get(path, [])
        depth = len(path) + 1
        at = {child: number for number, child in enumerate(children)}
        inner = {
            number: (first[:depth], second[:depth])
            for number, (first, second) in enumerate(self.ends)
            if first[: depth - 1] == path == second[: depth - 1] and first[:depth] != second[:depth]
        }
        turned = _turned({number: (at[a], at[b]) for number, (a, b) in inner.items()}, len(children))
        sides: dict[Path, dict[int, Side]] = {child: {} for child in children}
        for number, (first, second) in inner.items():
            left, right = (second, first) if number in turned else (first, second)
            sides[left][number], sides[right][number] = "right", "left"
        for number, side in leaving.items():
            sides[self._inside(number, path)[:depth]][number] = side
        boxes = {child: self.level(child, sides[child]) for child in children if child not in self.nodes}
        items = [self._item(child, boxes.get(child), len(sides[child])) for child in children]
        keys, links, of_edge, labelled = dict[object, int](), list[Link](), dict[int, int](), dict[int, int]()
        ports: dict[object, int] = {}
        for number in [*inner, *leaving]:
            link, key = self._link(number, path, at, turned, leaving, items, ports, boxes)
            if key not in keys:
                keys[key] = len(links)
                links.append(link)
                labelled[number] = len(links) - 1
            of_edge[number] = keys[key]
            for child in self.ends[number]:
                if child[:depth] in boxes:
                    items[at[child[:depth]]].ends[keys[key]] = boxes[child[:depth]].ports[number]
        arranged = arrange(items, links, self.titles.get(path, 0.0), rows=not path)
        _pad(arranged, items, bool(path))
        found = _Level(path, children, boxes, arranged, of_edge, labelled, leaving, {})
        middle = found.size[1] / 2
        for number, side in leaving.items():
            run = arranged.runs[of_edge[number]][-1 if side == "right" else 0]
            found.ports[number] = run[2] + TITLE - middle
        return found

    def _inside(self, number: int, path: Path) -> Path:
        """Return the end of an edge that is within a box."""
        first, second = self.ends[number]
        return first if first[: len(path)] == path else second

    def _link(
        self,
        number: int,
        path: Path,
        at: dict[Path, int],
        turned: set[int],
        leaving: dict[int, Side],
        items: list[Item],
        ports: dict[object, int],
        boxes: dict[Path, _Level],
    ) -> tuple[Link, object]:
        """Return the link of an edge in a box, and what edges have in common that are drawn as one there."""
        first, second = self.ends[number]
        edge, depth = self.picture.edges[number], len(path) + 1
        if number in leaving:
            inside = self._inside(number, path)
            outside = second if inside == first else first
            port = (outside, edge.kind, inside == first, leaving[number])
            if port not in ports:
                ports[port] = len(items)
                items.append(Item(0.0, 6.0, lambda _: 0.0, pin="last" if leaving[number] == "right" else "first"))
            start, end = at[inside[:depth]], ports[port]
            if leaving[number] == "left":
                start, end = end, start
        else:
            start, end = at[first[:depth]], at[second[:depth]]
            if number in turned:
                start, end = end, start
        ends = tuple(boxes[end[:depth]].ports[number] if end[:depth] in boxes else None for end in (first, second))
        near = self._labelled_end(edge, path, start, at)
        label = None if near is None else (label_size(edge.label)[0] + 6, label_size(edge.label)[1])
        forward = edge.start == first[-1]
        return Link(start, end, label, near or "start"), (start, end, edge.kind, forward, ends, near and edge.label)

    def _labelled_end(self, edge: Edge, path: Path, start: int, at: dict[Path, int]) -> Literal["start", "end"] | None:
        """Return at which end of its link an edge's text stands in this box: where its transition is."""
        if not edge.label:
            return None
        for name in (edge.start, edge.end):
            child = (*path, name)
            node = self.nodes.get(child)
            if node is not None and node.kind != "place":
                return "start" if at[child] == start else "end"
        return None

    def _item(self, child: Path, level: _Level | None, arcs: int) -> Item:
        if level is not None:
            width, height = level.size
            return Item(width, height, lambda _: width / 2)
        node = self.nodes[child]
        width, above, below = node_room(node)
        core = core_size(node)
        return Item(
            width, above + below, _rim(node), shape=_lift(node), spread=core[1] - (4 if node.kind == "place" else 6)
        )

    # ------------------------------------------------------------ placing

    def place(self, level: _Level, x: float, y: float) -> None:
        """Move what a box contains to where the box is, and note the pieces of its edges."""
        if level.path:
            width, height = level.size
            self.frames[level.path] = (x, y, width, height)
            y += TITLE
        for child, (cx, cy) in zip(level.children, level.arranged.middles, strict=False):
            if child in level.boxes:
                width, height = level.boxes[child].size
                self.place(level.boxes[child], x + cx - width / 2, y + cy - height / 2)
            else:
                node = self.nodes[child]
                self.centres[node.name] = (x + cx, y + cy + _lift(node))
        for number, link in level.links.items():
            runs = [(a + x, b + x, c + y) for a, b, c in level.arranged.runs[link]]
            depth = len(level.path) * {"right": -1, "left": 1}.get(level.leaving.get(number, ""), 0)
            self.pieces.setdefault(number, []).append((depth, runs))  # out of boxes, and then into others
            label = level.arranged.labels[link]
            if label is not None and level.labelled.get(number) == link:
                self.labels[number] = (label[0] + x, label[1] + y)

    def route(self, number: int) -> Route:
        pieces = sorted(self.pieces.get(number, []), key=lambda piece: piece[0])
        points = _smooth([run for _, runs in pieces for run in runs])
        start = self.centres[self.picture.edges[number].start]
        if points and math.dist(points[0], start) > math.dist(points[-1], start):
            points.reverse()
        return Route(tuple(points), self.labels.get(number))


def _pad(arranged: Arranged, items: list[Item], framed: bool) -> None:
    """Room at the sides of a box where no arc leaves it."""
    if not framed:
        return
    if not any(item.pin == "first" for item in items):
        arranged.middles = [(x + MARGIN, y) for x, y in arranged.middles]
        arranged.runs = [[(a + MARGIN, b + MARGIN, y) for a, b, y in runs] for runs in arranged.runs]
        arranged.labels = [None if label is None else (label[0] + MARGIN, label[1]) for label in arranged.labels]
        arranged.width += MARGIN
    if not any(item.pin == "last" for item in items):
        arranged.width += MARGIN


def _lift(node: PictureNode) -> float:
    """Return how far below the middle of its room the middle of a node's shape is."""
    _, above, below = node_room(node)
    return (above - below) / 2


def _rim(node: PictureNode) -> Callable[[float], float]:
    width, _ = core_size(node)
    radius = width / 2
    if node.kind == "place":
        return lambda height: math.sqrt(max(radius * radius - height * height, 1.0)) + 1.5
    return lambda _: radius + 1.5


def _turned(links: dict[int, tuple[int, int]], count: int) -> set[int]:
    """Return the links that have to be turned round so that there is no circle: those that would close one, in
    order.
    """
    after: list[set[int]] = [set() for _ in range(count)]
    turned = set()
    for number, (first, second) in links.items():
        if _reaches(after, second, first):
            turned.add(number)
            first, second = second, first
        after[first].add(second)
    return turned


def _reaches(after: list[set[int]], start: int, end: int) -> bool:
    seen, pending = {start}, [start]
    while pending:
        one = pending.pop()
        if one == end:
            return True
        pending += after[one] - seen
        seen |= after[one]
    return False


def _smooth(runs: list[Run]) -> list[Point]:
    """Level pieces, and between two a curve that leaves and arrives level."""
    if not runs:
        return []
    points: list[Point] = [(runs[0][0], runs[0][2])]

    def line(x: float, y: float) -> None:
        a, b = points[-1]
        if abs(x - a) > 0.01 or abs(y - b) > 0.01:
            middle = (a + x) / 2
            points.extend([(middle, b), (middle, y), (x, y)])

    def turn(y: float, side: float) -> None:
        """Round from the last point to one below it: a corner, straight on, a corner."""
        a, b = points[-1]
        points.extend([(a + side, b), (a + side, b), (a + side, b + TURN)])
        points.extend([(a + side, b + TURN), (a + side, y - TURN), (a + side, y - TURN)])
        points.extend([(a + side, y), (a + side, y), (a, y)])

    back = False
    for start, end, y in runs:
        backwards = end < start - BESIDE  # from row to row; at a port pieces may overlap a little
        if backwards:
            line(start, points[-1][1])
        if backwards != back:
            turn(y, TURN if backwards else -TURN)
            back = backwards
        line(start, y)
        line(end, y)
    return points
