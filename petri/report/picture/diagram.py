"""The parts of a picture of a net: nodes, edges, and boxes around the nodes of a module's instance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

from petri.net import Expr, Net, OutputArc, Place, SetArc, Transition, constant_weight
from petri.report.picture.folding import array_of, fold_names, starred
from petri.report.telling.expressions import ExpressionText, priority_text

MANY = 6  # elements of an array; of more, those that differ only in their texts are drawn as one
TRANSITION = " (transition)"  # after the name of a transition's node, because a place may have the same name


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A place or a transition. `copies` counts the equal elements that it represents."""

    name: str  # unique in the diagram
    label: str  # its name within its box
    box: tuple[str, ...]  # names of the boxes around it, the outermost first
    kind: str  # "place", "timed", "racing" or "immediate"; "module" for a box that is closed
    copies: int = 1
    tokens: int = 0  # initial marking of a place
    black: bool = True  # a place of tokens without colour
    notes: tuple[str, ...] = ()  # texts below the label: discipline, capacity, firing time, guard
    loops: str = ""  # `n in 0..3` of an array whose texts contain `n`
    doc: str = ""
    outside: bool = False  # beside the box whose inside is drawn


@dataclass(frozen=True, slots=True)
class Edge:
    """`kind` is take, give, both (taken and given back), read, inhibit or reset."""

    start: str
    end: str
    kind: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """An instance of a module. `path` names the boxes around it and, last, itself."""

    path: tuple[str, ...]
    label: str
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Diagram:
    name: str
    doc: str
    nodes: tuple[PictureNode, ...]
    edges: tuple[Edge, ...]
    boxes: tuple[Box, ...]

    def flow(self) -> list[tuple[str, str]]:
        """Return for each edge, the node on the left and the node on the right.

        An edge that returns a token to a resource (a place that starts with black tokens) does not count.
        """
        resources = {node.name for node in self.nodes if node.kind == "place" and node.black and node.tokens}
        return [
            (edge.end, edge.start) if edge.kind == "give" and edge.end in resources else (edge.start, edge.end)
            for edge in self.edges
        ]


def diagram(net: Net, *, fold: bool = True, sources: Mapping[str, str] | None = None) -> Diagram:
    """Return the diagram of a net; with `fold`, equal elements of an array are drawn once.

    So are those of an array of places to which a transition gives by a computed index; edges then show the index.

    `sources` maps file names to their text, so that firing times and guards are shown as written.
    """
    reader = _DiagramReader(net, sources or {}, fold)
    nodes, edges = reader.parts()
    folds = _folds(nodes, edges, reader.joined) if fold else {node.name: node.name for node in nodes}
    nodes, edges = reader.parts({name for name, drawn in folds.items() if name == drawn})
    nodes, boxes = _boxed(nodes, folds)
    return Diagram(net.name, net.doc, tuple(nodes), _moved(edges, folds), boxes)


class _DiagramReader:
    """Turns the parts of one net into nodes and edges."""

    def __init__(self, net: Net, sources: Mapping[str, str], fold: bool) -> None:
        self.net = net
        self.joined = _joined(net) if fold else frozenset()
        self.text = ExpressionText(net, sources)

    def parts(self, alone: Collection[str] = ()) -> tuple[list[PictureNode], list[Edge]]:
        """Nodes and edges; the texts of those that are drawn `alone` contain their indices."""
        nodes, edges = [self.place(place) for place in self.net.places], list[Edge]()
        for transition in self.net.transitions:
            words = self.text.element(transition) if _key(transition) in alone else self.text
            found = self.edges(transition, words)
            edges += found
            nodes.append(self.transition(transition, words, [edge.label for edge in found]))
        return nodes, edges

    def place(self, place: Place) -> PictureNode:
        notes = []
        if place.discipline == "key":
            keys = [_named(place, key) for key in (place.key, place.then) if key is not None]
            notes.append(f"by {', '.join(keys)}{self.text.per(place)}")
        elif place.discipline != "bag":
            notes.append(f"{place.discipline}{self.text.per(place)}")
        if place.stream is not None:
            notes.append(f"rows of {PurePath(place.stream.name).name or 'a file'}")
        if place.port:
            notes.append(f"port {place.port}")
        if place.capacity is not None:
            notes.append(self.text.capacity(place))
        tokens = place.held
        black = not place.colour.slots
        lines = (" ".join(notes),) if notes else ()
        return PictureNode(place.name, place.name, (), "place", 1, tokens, black, lines, doc=place.doc)

    def transition(self, transition: Transition, words: ExpressionText, labels: list[str]) -> PictureNode:
        notes: list[str] = []
        time, clock = transition.time, transition.clock
        kind = "racing" if clock is not None else "immediate" if time.op == "const" and not time.value else "timed"
        if clock is not None:
            notes += words.clock(transition, clock)
        elif kind == "timed":
            notes.append(words.as_written(time, transition.variables, "Time"))
        if transition.guard is not None:
            notes.append(f"[{words.as_written(transition.guard, transition.variables)}]")
        if transition.priority:
            notes.append(priority_text(transition.priority))
        if constant_weight(transition) != 1.0:
            notes.append(f"weight {words.as_written(transition.weight, transition.variables)}")
        if transition.prefer is not None:
            notes.append(words.preference(transition, transition.prefer))
        name = _key(transition)
        loops = words.loops(transition)
        indices = re.findall(r"(\w+)\s+in\b", loops)
        used = any(re.search(rf"\b{index}\b", text) for index in indices for text in (*notes, *labels))
        texts = tuple(notes)
        return PictureNode(
            name, transition.name, (), kind, notes=texts, loops=loops if used else "", doc=transition.doc
        )

    def edges(self, transition: Transition, words: ExpressionText) -> list[Edge]:
        name = _key(transition)
        found = []
        for arc in transition.inputs:
            text, kind = words.token(arc, transition), "read" if arc.keep else "take"
            found.append(Edge(self._place(arc.place), name, kind, self._label(arc.place, text)))
        for inhibitor in transition.inhibitors:
            threshold = inhibitor.threshold
            least = "" if threshold is None else f"≥ {words.of(threshold, transition.variables)}"
            found.append(Edge(self._place(inhibitor.place), name, "inhibit", self._label(inhibitor.place, least)))
        found += [Edge(self._place(place), name, "reset", self._label(place, "")) for place in transition.resets]
        for of_set in transition.sets:
            text = _set_label(of_set, transition, words)
            found.append(Edge(self._place(of_set.place), name, "take", self._label(of_set.place, text)))
        for output in transition.outputs:
            text = _output_label(output, transition, words)
            for place in output.places:
                label = text if output.index is not None else self._label(place, text)
                found.append(Edge(name, self._place(place), "give", label))
        return _merged(found)

    def _label(self, place: int, text: str) -> str:
        """Return the text at an edge, with the place's index if the place does not show it."""
        array = array_of(self._place(place))
        return f"{array[1]} {text}".rstrip() if array and array[0] in self.joined else text

    def _place(self, index: int) -> str:
        return self.net.places[index].name


def _named(place: Place, key: Expr) -> str:
    """Return the field that is the key of a place, without those that contain it."""
    name = place.colour.slots[int(key.value or 0)].name if key.op == "var" else "key"
    return name.rpartition(".")[2] or "value"


def _key(transition: Transition) -> str:
    return transition.name + TRANSITION


def _set_label(arc: SetArc, transition: Transition, words: ExpressionText) -> str:
    number, pattern, condition = words.set(arc, transition)
    label = f"{number} {pattern}".rstrip()
    return f"{label} when {condition}" if condition else label


def _output_label(arc: OutputArc, transition: Transition, words: ExpressionText) -> str:
    label = words.token(arc, transition)
    if arc.index is not None:
        label = f"[{words.of(arc.index, transition.variables)}] {label}".rstrip()
    if arc.condition is not None:
        label = f"{label} if {words.of(arc.condition, transition.variables)}".lstrip()
    if arc.delay is not None:
        label = f"{label} in {words.as_written(arc.delay, transition.variables, 'Time')}".lstrip()
    return label


def _merged(edges: list[Edge]) -> list[Edge]:
    """Make a token that is taken and given back unchanged one edge with two heads."""
    merged = []
    given = [edge for edge in edges if edge.kind == "give"]
    for edge in edges:
        back = Edge(edge.end, edge.start, "give", edge.label)
        if edge.kind == "take" and back in given:
            given.remove(back)
            merged.append(replace(edge, kind="both"))
        elif edge.kind != "give":
            merged.append(edge)
    return merged + given


# ---------------------------------------------------------------- folding and boxes


def _joined(net: Net) -> frozenset[str]:
    """Return the arrays of places to which a transition gives by a computed index."""
    places = (p for t in net.transitions for arc in t.outputs if arc.index is not None for p in arc.places)
    arrays = (array_of(net.places[place].name) for place in places)
    return frozenset(array[0] for array in arrays if array)


def _folds(nodes: list[PictureNode], edges: list[Edge], joined: frozenset[str]) -> dict[str, str]:
    """Return the name under which each node is drawn."""
    looks: dict[str, tuple[object, ...]] = {
        node.name: (node.kind, node.tokens, node.black, node.notes) for node in nodes
    }
    links = [(edge.start, edge.end, (edge.kind, starred(edge.label))) for edge in edges]
    return fold_names(looks, links, joined | _many(nodes, edges))


def _many(nodes: list[PictureNode], edges: list[Edge]) -> set[str]:
    """Return the arrays of many transitions that are equal but for their texts."""
    looks = {node.name: (node.kind, node.tokens, node.black) for node in nodes}
    links = [(edge.start, edge.end, edge.kind.replace("both", "take")) for edge in edges]
    links += [(edge.end, edge.start, "give") for edge in edges if edge.kind == "both"]
    alike = [name.removesuffix(TRANSITION) for name, drawn in fold_names(looks, links).items() if name != drawn]
    sizes = Counter(array[0] for name in alike if name + TRANSITION in looks and (array := array_of(name)))
    return {array for array, size in sizes.items() if size > MANY}


def _moved(edges: list[Edge], folds: Mapping[str, str]) -> tuple[Edge, ...]:
    """Return the edges between the drawn nodes. Edges that differ only in an index become one, for index `[i]`."""
    alike: dict[Edge, set[str]] = {}
    for edge in edges:
        drawn = Edge(folds[edge.start], folds[edge.end], edge.kind, starred(edge.label))
        alike.setdefault(drawn, set()).add(edge.label)
    return tuple(
        replace(edge, label=labels.pop() if len(labels) == 1 else edge.label.replace("[*]", "[i]"))
        for edge, labels in alike.items()
    )


def _boxed(nodes: list[PictureNode], folds: Mapping[str, str]) -> tuple[list[PictureNode], tuple[Box, ...]]:
    """Return one node for each folded name, and boxes from the dots in names: `engine[*].alu` is `alu` in the box
    `engine`.

    What belongs to a place is beside it: `doctor.leaving` of a place `doctor` that follows a schedule is in no box.
    """
    places = {name for node in nodes if node.kind == "place" for name in (node.name, folds[node.name])}
    elements: dict[tuple[str, ...], set[tuple[str, ...]]] = {}  # the elements that each drawn path represents
    paths = {}
    for node in nodes:
        drawn, meant = _path(folds[node.name], places), _path(node.name, places)
        paths[folds[node.name]] = drawn
        for depth in range(1, len(drawn) + 1):
            elements.setdefault(drawn[:depth], set()).add(meant[:depth])
    kept: dict[str, PictureNode] = {}
    boxes: dict[tuple[str, ...], Box] = {}
    for node in nodes:
        name = folds[node.name]
        path = paths[name]
        for depth in range(1, len(path)):
            box = path[:depth]
            boxes[box] = Box(box, _plain(box[-1]), _copies(elements, box))
        copies = _copies(elements, path)
        label = _plain(path[-1], node.loops)
        kept.setdefault(name, replace(node, name=name, label=label, box=path[:-1], copies=copies))
    return list(kept.values()), tuple(boxes.values())


def _path(name: str, places: Collection[str]) -> tuple[str, ...]:
    parts = name.split(".")
    for depth in range(1, len(parts)):
        if ".".join(parts[:depth]) in places:
            return *parts[: depth - 1], ".".join(parts[depth - 1 :])
    return tuple(parts)


def _plain(part: str, loops: str = "") -> str:
    return part.removesuffix(TRANSITION).replace("[*]", f"[{loops}]" if loops else "")


def _copies(elements: Mapping[tuple[str, ...], set[tuple[str, ...]]], path: tuple[str, ...]) -> int:
    """Return the number of copies in one copy of the surrounding box."""
    around = len(elements[path[:-1]]) if len(path) > 1 else 1
    return len(elements[path]) // around
