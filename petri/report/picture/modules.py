"""Closes boxes: an instance of a module or a thread is drawn as one node until it is opened."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from petri.report.picture.diagram import Box, Diagram, Edge, PictureNode

MOST_OPEN: Final = 32  # nodes of a drawing in which boxes are opened by themselves
MODULE: Final = " (module)"  # after the name of a module's node, because a place may have the same name
Path = tuple[str, ...]


def closed(picture: Diagram, opened: Collection[Path] | None = None, within: Path = ()) -> Diagram:
    """Return the diagram with all boxes closed but those in `opened`; if None, those of the first levels that have
    room.

    within: only what is in this box, with the nodes around it that it has arcs with.
    """
    levels = _levels(picture, within)
    if opened is None:
        opened = _opened(picture, levels, within)
    visible = {within[:depth] for depth in range(len(within) + 1)} | set(opened)
    shown = {node.name: _shown(node, visible) for node in picture.nodes}
    inside = {name for name, path in shown.items() if path[: len(within)] == within}
    edges = _edges(picture, shown, inside)
    beside = {name for edge in edges for name in (edge.start, edge.end)}
    nodes = _nodes(picture, shown, inside, beside, within)
    boxes = [box for box in picture.boxes if box.path in visible and box.path[: len(within)] == within]
    around = tuple(replace(box, path=box.path[len(within) :]) for box in boxes if box.path != within)
    return replace(picture, nodes=tuple(nodes), edges=tuple(edges), boxes=around)


def views(picture: Diagram) -> list[tuple[Path, Diagram]]:
    """Return the drawing as a whole, path (), and one of the inside of each box that is closed in one of them."""
    found: list[tuple[Path, Diagram]] = []
    pending: list[Path] = [()]
    paths = {box.path for box in picture.boxes}
    for path in pending:
        drawn = closed(picture, within=path)
        found.append((path, drawn))
        modules = [path_of(node) for node in drawn.nodes if node.kind == "module" and not node.outside]
        pending += [module for module in modules if module in paths]
    return found


def _levels(picture: Diagram, within: Path) -> list[list[Box]]:
    """Return the boxes in a box, by depth."""
    boxes = [box for box in picture.boxes if box.path[: len(within)] == within and box.path != within]
    deepest = max((len(box.path) for box in boxes), default=0)
    return [[box for box in boxes if len(box.path) == depth] for depth in range(len(within) + 1, deepest + 1)]


def _opened(picture: Diagram, levels: list[list[Box]], within: Path) -> set[Path]:
    """Return the boxes of as many levels as the drawing has room for."""
    opened: set[Path] = set()
    for level in levels:
        more = opened | {box.path for box in level}
        shown = {_shown(node, more | {within}, len(within)) for node in picture.nodes if _is_in(node, within)}
        if len(shown) > MOST_OPEN:
            break
        opened = more
    return opened


def _is_in(node: PictureNode, within: Path) -> bool:
    return node.box[: len(within)] == within


def _shown(node: PictureNode, visible: Collection[Path], least: int = 0) -> Path:
    """Return the path of the node that stands for this one: itself, or the module that is the outermost closed box."""
    for depth in range(least + 1, len(node.box) + 1):
        if node.box[:depth] not in visible:
            return (*node.box[: depth - 1], node.box[depth - 1] + MODULE)
    return (*node.box, node.name)


def _name(path: Path) -> str:
    return ".".join(path) if _is_module(path) else path[-1]


def module_name(path: Path) -> str:
    """Return the name of a box as people write it: `router.chip`."""
    return ".".join(path).replace("[*]", "")


def _is_module(path: Path) -> bool:
    return path[-1].endswith(MODULE)


def path_of(node: PictureNode) -> Path:
    """Return the path of the box that a module's node stands for."""
    return tuple(node.name.removesuffix(MODULE).split("."))


def _edges(picture: Diagram, shown: dict[str, Path], inside: Collection[str]) -> list[Edge]:
    """Return the edges between what is shown, of which at least one end is inside; those of a module without their
    texts.
    """
    found: dict[Edge, None] = {}
    for edge in picture.edges:
        start, end = shown[edge.start], shown[edge.end]
        if start == end or not (edge.start in inside or edge.end in inside):
            continue
        whole = not _is_module(start) and not _is_module(end)
        found[Edge(_name(start), _name(end), edge.kind, edge.label if whole else "")] = None
    modules = {_name(path) for path in shown.values() if _is_module(path)}
    return _joined(list(found), modules)


def _joined(edges: list[Edge], modules: Collection[str]) -> list[Edge]:
    """Make what a module takes and give back one edge with two heads."""
    kinds = {(edge.start, edge.end, edge.kind) for edge in edges}
    found: dict[Edge, None] = {}
    for edge in edges:
        back = edge.kind in ("take", "give") and (edge.start in modules or edge.end in modules)
        if back and {(edge.end, edge.start, "take"), (edge.end, edge.start, "give")} & kinds:
            place, module = (edge.start, edge.end) if edge.kind == "take" else (edge.end, edge.start)
            edge = Edge(place, module, "both")
        found[edge] = None
    return list(found)


def _nodes(
    picture: Diagram, shown: dict[str, Path], inside: Collection[str], beside: Collection[str], within: Path
) -> list[PictureNode]:
    boxes = {box.path: box for box in picture.boxes}
    found: dict[str, PictureNode] = {}
    for node in picture.nodes:
        path = shown[node.name]
        name = _name(path)
        outside = node.name not in inside
        if name in found or (outside and name not in beside):
            continue
        box = () if outside else path[len(within) : -1]
        if not _is_module(path):
            label = node.label if not outside else node.name.removesuffix(" (transition)").replace("[*]", "")
            found[name] = replace(node, box=box, label=label, outside=outside)
        else:
            module = boxes[tuple(name.removesuffix(MODULE).split("."))]
            label = module_name(module.path) if outside else module.label
            parts = _parts(picture, module.path)
            found[name] = PictureNode(name, label, box, "module", module.copies, notes=parts, outside=outside)
    return list(found.values())


def _parts(picture: Diagram, path: Path) -> tuple[str, ...]:
    """`3 places, 2 transitions`: what is in a closed box."""
    inside = [node for node in picture.nodes if node.box[: len(path)] == path]
    places = sum(node.kind == "place" for node in inside)
    counts = ((places, "place"), (len(inside) - places, "transition"))
    return tuple(f"{count} {what}" + ("" if count == 1 else "s") for count, what in counts if count)
