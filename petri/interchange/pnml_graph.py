"""Place/transition nets in PNML: the graph of nodes and arcs, which symmetric nets have as well."""

from __future__ import annotations

from petri.interchange.coloured import black, lacks, times
from petri.interchange.foreign import Foreign, Place, Transition
from petri.interchange.xml_tree import Element

UNTIMED = {"after": "exp(1)"}
LARGEST_NUMBER = 10**9  # of tokens, also of an arc


def labelled(element: Element) -> str:
    """The name that an element shows, else its id."""
    return element.said("name", "text") or element.said("name", "value") or element.get("id")


class Graph:
    """A place/transition net: black tokens and arcs with numbers. Nets of another kind override the last methods."""

    timed = False

    def __init__(self, foreign: Foreign, net: Element) -> None:
        self.foreign, self.net = foreign, net
        self.nodes: dict[str, Element] = {}
        self.meant: dict[str, str] = {}  # the node that each reference stands for, as far as they were followed
        self.transitions: dict[str, Transition] = {}

    def read(self) -> None:
        foreign = self.foreign
        foreign.call(self.net.said("name", "text") or self.net.get("id"))
        for element in self.net.everywhere("place", "transition", "referencePlace", "referenceTransition"):
            self._keep(element)
        for key, element in self.nodes.items():
            if element.tag == "place":
                self._place(key, element)
            elif element.tag == "transition":
                name = foreign.names.give("node", key, labelled(element))
                self.transitions[key] = made = Transition(name, clauses=dict(UNTIMED), doc=element.comments())
                foreign.transitions.append(made)
                self._transition(made, element)
        arcs: dict[tuple[str, str, str], list[Element]] = {}
        for arc in self.net.everywhere("arc"):
            source, target = self._end_of(arc, "source"), self._end_of(arc, "target")
            kind = arc.first("type")
            said = arc.said("type") or (kind.get("value") if kind is not None else "")
            arcs.setdefault((source, target, said), []).append(arc)
        for ends, parts in arcs.items():
            self._arc(*ends, parts)
        if foreign.transitions and not self.timed:
            foreign.note("foreign-untimed", self.net.span(foreign.file), origin=foreign.origin)

    def _keep(self, element: Element) -> None:
        key = element.get("id")
        if not key:
            self.foreign.refuse("foreign-no-id", element.span(self.foreign.file), kind=element.tag)
        if key in self.nodes:
            self.foreign.refuse("foreign-twice", element.span(self.foreign.file), name=key)
        self.nodes[key] = element

    def _transition(self, made: Transition, element: Element) -> None:
        """What a transition has beside its arcs: here nothing."""

    def _place(self, key: str, element: Element) -> None:
        marking = element.first("initialMarking")
        count = self._number(marking, 0) if marking is not None else 0
        name = self.foreign.names.give("node", key, labelled(element))
        self.foreign.places.append(Place(name, initial=black(count), doc=element.comments()))

    def _end_of(self, arc: Element, end: str) -> str:
        """The node at an end of an arc; a reference stands for what it refers to."""
        key, seen = arc.get(end), set[str]()
        while (node := self.nodes.get(key)) is not None and node.tag.startswith("reference"):
            if key in seen:
                self.foreign.refuse("foreign-circle", node.span(self.foreign.file), name=key)
            seen.add(key)
            key = self.meant.get(key) or node.get("ref")
        self.meant |= dict.fromkeys(seen, key)
        if node is None:
            self.foreign.refuse("foreign-unknown-name", arc.span(self.foreign.file), name=key or end)
        return key

    def _arc(self, source: str, target: str, kind: str, arcs: list[Element]) -> None:
        """The arcs of one kind from one node to another: their numbers add up."""
        if self.nodes[source].tag == self.nodes[target].tag:
            self.foreign.refuse("foreign-arc-ends", arcs[0].span(self.foreign.file), source=source, target=target)
        into = self.nodes[target].tag == "transition"
        place, transition = (source, target) if into else (target, source)
        self._join(place, self.transitions[transition], into, kind, arcs)
        for arc in arcs:
            self.transitions[transition].add_doc(arc.comments())

    def _join(self, key: str, transition: Transition, into: bool, kind: str, arcs: list[Element]) -> None:
        """Write the arcs of one kind between a place and a transition; into: they are inputs."""
        total = sum(self._number(arc.first("inscription"), 1) for arc in arcs)
        place, span = self.foreign.names.give("node", key), arcs[0].span(self.foreign.file)
        if not total:
            self.foreign.warn("foreign-arc-nothing", span, source=arcs[0].get("source"), target=arcs[0].get("target"))
            return
        if not into:
            transition.outputs.append(times(total, place))
        elif kind in ("inhibitor", "inhibitorArc"):
            transition.inputs.append(lacks(place, total))
        elif kind in ("read", "test", "readArc"):
            transition.inputs.append(f"read {times(total, place)}")
        elif kind in ("reset", "resetArc"):
            transition.inputs.append(f"reset {place}")
        elif kind in ("", "normal"):
            transition.inputs.append(times(total, place))
        else:
            self.foreign.refuse("foreign-arc-kind", span, kind=kind)

    def _number(self, label: Element | None, missing: int) -> int:
        if label is None:
            return missing
        said = label.said("text") or label.said("value")
        return whole(self.foreign, label, said.removeprefix("Default,").strip() or str(missing))


def whole(foreign: Foreign, element: Element, text: str) -> int:
    """A number of tokens. Raises LanguageError."""
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit()) or len(plain) > 10 or int(plain) > LARGEST_NUMBER:
        foreign.refuse("foreign-number", element.span(foreign.file), text=plain[:40], most=LARGEST_NUMBER)
    return int(plain)
