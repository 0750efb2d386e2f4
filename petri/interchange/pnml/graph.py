"""Place/transition nets in PNML: the graph of nodes and arcs, which symmetric nets have as well.

Tools write the same label as an attribute, as a child with `text`, or with `value`; `Element.label` reads all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Protocol

from petri.interchange.pnml.times import Times
from petri.interchange.reading.arcs import Arcs
from petri.interchange.reading.coloured import black
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.intervals import Intervals
from petri.interchange.reading.priorities import Priorities
from petri.interchange.reading.xml_tree import Element, whole

_NODES: Final = ("place", "transition", "referencePlace", "referenceTransition")
# Kinds of arcs by the words of tools, in lower case and without `arc` at the end.
_KINDS: Final = {
    "": "normal", "normal": "normal", "standard": "normal", "timed": "normal", "transport": "normal",
    "inhibitor": "inhibitor", "tapninhibitor": "inhibitor", "read": "test", "test": "test", "reset": "reset",
    "biflow": "both", "bidirectional": "both",
}  # fmt: skip
_NO_LIMIT: Final = ("", "inf", "infinity", "infinite", "unbounded", "-1", "ω")


def labelled(element: Element) -> str:
    """Return the name that an element shows, else its id."""
    name = element.label("name")
    for one in element.all("name"):
        one.pass_over()
    return name or element.get("id")


class GivesTimes(Protocol):
    def give(self, made: Transition, element: Element) -> None: ...


class Graph:
    """A place/transition net: black tokens and arcs with numbers. Nets of another kind override the last methods."""

    def __init__(self, foreign: Foreign, net: Element) -> None:
        self.foreign, self.net = foreign, net
        self.nodes: dict[str, Element] = {}
        self.meant: dict[str, str] = {}  # the node that each reference stands for, as far as they were followed
        self.transitions: dict[str, Transition] = {}
        self.arcs: dict[str, Arcs] = {}  # by the name of the transition
        self.intervals = Intervals(foreign)
        self.times: GivesTimes = Times(foreign, net, self.intervals)

    def read(self) -> None:
        foreign = self.foreign
        foreign.call(labelled(self.net))
        arcs = []
        for element in self._parts(self.net):
            if element.tag == "arc":
                arcs.append(element)
            else:
                self._keep(element)
        for key, element in self.nodes.items():
            if element.tag == "place":
                self._place(key, element)
            elif element.tag == "transition":
                name = foreign.names.give("node", key, labelled(element))
                self.transitions[key] = made = Transition(name, doc=element.comments())
                self.arcs[name] = Arcs()
                foreign.transitions.append(made)
                self._transition(made, element)
        for arc in arcs:
            self._arc(arc)
        self._write()
        self._order()
        self.intervals.tell()

    def _parts(self, inside: Element) -> Iterator[Element]:
        """Yield the nodes and arcs of the net, on all of its pages."""
        for element in inside.all(*_NODES, "arc", "page"):
            if element.tag == "page":
                labelled(element)
                yield from self._parts(element)
            else:
                yield element

    def _keep(self, element: Element) -> None:
        key = element.get("id")
        if not key:
            self.foreign.refuse("foreign-no-id", element.span(self.foreign.file), kind=element.tag)
        if key in self.nodes:
            self.foreign.refuse("foreign-twice", element.span(self.foreign.file), name=key)
        self.nodes[key] = element

    def _end_of(self, arc: Element, end: str) -> str:
        """Return the node at an end of an arc; a reference stands for what it refers to."""
        key, seen = arc.get(end), set[str]()
        while (node := self.nodes.get(key)) is not None and node.tag.startswith("reference"):
            labelled(node)
            if key in seen:
                self.foreign.refuse("foreign-circle", node.span(self.foreign.file), name=key)
            seen.add(key)
            key = self.meant.get(key) or node.get("ref")
        self.meant |= dict.fromkeys(seen, key)
        if node is None:
            self.foreign.refuse("foreign-unknown-name", arc.span(self.foreign.file), name=key or end)
        return key

    def _arc(self, arc: Element) -> None:
        source, target = self._end_of(arc, "source"), self._end_of(arc, "target")
        if self.nodes[source].tag == self.nodes[target].tag:
            self.foreign.refuse("foreign-arc-ends", arc.span(self.foreign.file), source=source, target=target)
        labelled(arc)
        into, kind = self.nodes[target].tag == "transition", self._kind(arc)
        place, transition = (source, target) if into else (target, source)
        made = self.transitions[transition]
        if not into and kind not in ("normal", "both"):
            what = f"an arc of the kind `{kind}` from the transition `{transition}` to a place"
            self.foreign.refuse("foreign-construct", arc.span(self.foreign.file), what=what)
        if into or kind == "both":
            self._join(place, made, True, "normal" if kind == "both" else kind, arc)
        if not into or kind == "both":
            self._join(place, made, False, "normal", arc)
        made.add_doc(arc.comments())

    def _kind(self, arc: Element) -> str:
        """Return `normal`, `inhibitor`, `test`, `reset` or `both`."""
        said = [arc.get("type")]
        for label in arc.all("type", "arctype"):
            said += [label.get("value"), label.said("text"), label.said("value"), label.text]
        words = dict.fromkeys(re.sub(r"\s*_?arc$", "", one.strip().lower()) for one in said if one.strip())
        kinds = {_KINDS.get(word) for word in words}
        if len(kinds) > 1 or None in kinds:
            shown = ", ".join(one.strip() for one in said if one.strip())
            self.foreign.refuse("foreign-arc-kind", arc.span(self.foreign.file), kind=shown[:80])
        return kinds.pop() or "" if kinds else "normal"

    def _write(self) -> None:
        for made in self.transitions.values():
            self.arcs[made.name].write(made)

    def _order(self) -> None:
        """Give transitions their priorities, if the file has some."""
        said = {key: self.nodes[key].label("priority") for key in self.transitions}
        if any(said.values()):
            levels = {
                made.name: whole(self.foreign, self.nodes[key], said[key] or "0")
                for key, made in self.transitions.items()
            }
            spans = {made.name: self.nodes[key].span(self.foreign.file) for key, made in self.transitions.items()}
            Priorities(self.foreign, self.arcs, spans.__getitem__).of_levels(levels)

    def number(self, element: Element, *names: str, missing: int) -> int:
        """Return a number of tokens, under the first of these labels that the element has. Raises LanguageError."""
        for name in names:
            said = element.label(name)
            if said:
                return whole(self.foreign, element.first(name) or element, said)
        return missing

    def capacity(self, element: Element) -> str:
        """Return the capacity of a place; empty if it has none."""
        said = element.label("capacity")
        if said.lower() in _NO_LIMIT or (limit := whole(self.foreign, element, said)) == 0:
            return ""
        return str(limit)

    def count(self, arc: Element) -> int:
        """Return the number of an arc."""
        return self.number(arc, "inscription", "weight", "multiplicity", missing=1)

    # ------------------------------------------------------------ what other nets have in another way

    def _transition(self, made: Transition, element: Element) -> None:
        """Read the time of a transition, and what else it has beside its arcs and its priority."""
        guard, player = element.label("guard"), element.label("player")
        what = f"the guard `{guard[:80]}`" if guard else "a transition of the environment, of a game,"
        if guard or player not in ("", "0"):
            self.foreign.refuse("foreign-construct", element.span(self.foreign.file), what=what)
        self.times.give(made, element)

    def _place(self, key: str, element: Element) -> None:
        name = self.foreign.names.give("node", key, labelled(element))
        count = self.number(element, "initialMarking", "marking", missing=0)
        limit = self.capacity(element)
        self.foreign.places.append(Place(name, initial=black(count), capacity=limit, doc=element.comments()))

    def _join(self, key: str, transition: Transition, into: bool, kind: str, arc: Element) -> None:
        """Add an arc between a place and a transition; into: it is an input."""
        self.join(self.foreign.names.give("node", key), transition, into, kind, arc, self.count(arc))

    def join(self, place: str, transition: Transition, into: bool, kind: str, arc: Element, count: int) -> None:
        """Add an arc of black tokens."""
        arcs, span = self.arcs[transition.name], arc.span(self.foreign.file)
        if kind == "reset":
            arcs.empty(place)
        elif kind == "inhibitor" and not count:
            self.foreign.refuse("foreign-construct", span, what="an inhibitor arc of 0 tokens, which always disables,")
        elif not count:
            self.foreign.warn("foreign-arc-nothing", span, source=arc.get("source"), target=arc.get("target"))
        elif kind == "inhibitor":
            arcs.inhibit(place, count)
        elif kind == "test":
            arcs.test(place, count)
        else:
            (arcs.take if into else arcs.give)(place, count)
