"""PIPE's nets (.xml): PNML of its own, with rates. The rate of an immediate transition is a weight.

Tokens of several colours are black tokens of several places: `P0` has those of the colour `Default`, `P0_red` others.
"""

from __future__ import annotations

from typing import Final

from petri.interchange.pnml.graph import Graph, labelled
from petri.interchange.reading.coloured import black
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.infix import mean_of_rate, number_text
from petri.interchange.reading.timing import guard
from petri.interchange.reading.tokens import is_number
from petri.interchange.reading.xml_tree import Element, whole

_DEFAULT: Final = "Default"


class Pipe(Graph):
    def __init__(self, foreign: Foreign, net: Element) -> None:
        super().__init__(foreign, net)
        foreign.origin = "PIPE"
        self.limits: dict[str, tuple[list[str], int]] = {}  # capacities for all colours of a place
        self.used: dict[str, dict[str, None]] = {}  # the colours of tokens that come to a place, in their order
        for arc in net.everywhere("arc"):
            for end in ("source", "target"):
                self.used.setdefault(arc.get(end), {}).update(dict.fromkeys(self._counts(arc, "inscription", "1")))
        for one in net.everywhere("tagged"):
            one.seen = one.label("value") == "false"
        for one in net.all("token", "labels"):
            if one.tag == "labels" and (said := one.said("text")):
                foreign.comments.append(" ".join(said.split()))
            one.pass_over()

    def _transition(self, made: Transition, element: Element) -> None:
        for one in element.all("orientation"):
            one.pass_over()
        rate, servers = self._rate(element), element.label("infiniteServer")
        priority = whole(self.foreign, element, element.label("priority") or "1")
        timed = element.label("timed")
        if not timed and element.label("rate"):
            self.foreign.warn("foreign-rate-as-weight", element.span(self.foreign.file), transition=element.get("id"))
        if (timed or "false") == "true":
            made.clauses["after"] = f"exp({mean_of_rate(rate)})"
            made.clauses |= {"servers": "all"} if servers == "true" else {}
            return
        made.clauses["priority"] = str(priority)
        made.weigh(rate)

    def _order(self) -> None:
        """Only immediate transitions have priorities, which they have got."""

    def _rate(self, element: Element) -> str:
        """Return the rate, which must be a positive number."""
        said = element.label("rate") or "1.0"
        if not is_number(said) or float(said) <= 0:
            span = element.span(self.foreign.file)
            self.foreign.refuse("foreign-expression", span, text=said[:80], reason="it is not a rate")
        return number_text(said)

    # ------------------------------------------------------------ colours

    def _place(self, key: str, element: Element) -> None:
        name, limit = labelled(element), self.capacity(element)
        counts = self._counts(element, "initialMarking", "0")
        colours = dict.fromkeys((*counts, *self.used.get(key, ()))) if any(counts.values()) else self.used.get(key)
        of_place = []
        for colour in colours or (_DEFAULT,):
            given = self.foreign.names.give("node", (key, colour), name if colour == _DEFAULT else f"{name}_{colour}")
            of_place.append(Place(given, initial=black(counts.get(colour, 0)), doc=element.comments()))
        if len(of_place) == 1:
            of_place[0].capacity = limit
        elif limit:
            self.limits[key] = [place.name for place in of_place], int(limit)
        self.foreign.places += of_place

    def _join(self, key: str, transition: Transition, into: bool, kind: str, arc: Element) -> None:
        for colour, count in self._counts(arc, "inscription", "1").items():
            self.join(self.foreign.names.give("node", (key, colour)), transition, into, kind, arc, count)

    def _write(self) -> None:
        """Write the capacity of a place for all of its colours as a condition of the transitions that give to it."""
        super()._write()
        for names, limit in self.limits.values():
            held = " + ".join(f"tokens({name})" for name in names)
            for made in self.transitions.values():
                arcs = [self.arcs[made.name].at(name) for name in names]
                change = sum(arc.gives - arc.takes for arc in arcs)
                if any(arc.gives for arc in arcs) and change > 0:
                    guard(made, f"{held} <= {limit - change}")

    def _counts(self, element: Element, label: str, missing: str) -> dict[str, int]:
        """`Default,1,red,2`, or a number of tokens of the one colour."""
        said = [part.strip() for part in (element.label(label) or missing).split(",")]
        pairs = list(zip(said[::2], said[1::2], strict=False)) if len(said) > 1 else [(_DEFAULT, said[0])]
        if len(said) > 1 and len(said) % 2:
            self.foreign.refuse("foreign-line", element.span(self.foreign.file), text=",".join(said)[:80])
        counts = {colour: whole(self.foreign, element, count or missing) for colour, count in pairs}
        return {colour: count for colour, count in counts.items() if count} or {_DEFAULT: 0}
