"""ORIS's nets (.xpn): stochastic transitions, enabling functions, and updates that set places to numbers."""

from __future__ import annotations

import re
from typing import NoReturn

from petri.interchange.reading import infix
from petri.interchange.reading.coloured import black, lacks, times
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.infix import Writer, as_real
from petri.interchange.reading.timing import guard, mean_text
from petri.interchange.reading.tokens import InfixError, Node
from petri.interchange.reading.xml_tree import Element, report_unread, tree_of, whole

_EYE = r"x|y|uuid|height|width|rotation-angle|satellite-[xy]|from|to"
_KINDS = {"0": "immediate", "1": "uniform", "2": "deterministic", "3": "exponential"}


def read(foreign: Foreign, data: bytes) -> None:
    root = tree_of(data, foreign.file, foreign.source, ("features",))
    _Editor(foreign, root).read()
    foreign.comments += root.comments().splitlines()
    report_unread(foreign, root, _EYE)


class _Editor:
    def __init__(self, foreign: Foreign, root: Element) -> None:
        self.foreign, self.root = foreign, root
        self.nodes: dict[str, Element] = {}
        self.places: dict[str, str] = {}  # our names, by the names in the file
        self.transitions: dict[str, Transition] = {}
        self.after: dict[str, list[str]] = {}  # where arcs lead that leave a joint
        self.writer = Writer(self._name, self._name, infix.plain_call)

    def read(self) -> None:
        self._notes()
        self.root.first("tpn-entities")
        for element in self.root.everywhere("joint", "arc", "inhibitor-arc", "note-connector"):
            element.first("properties")
        for element in self.root.everywhere("place", "transition", "joint"):
            self.nodes[element.get("uuid")] = element
            if element.tag == "place":
                self._place(element)
        lowest = self._lowest()
        for element in self.nodes.values():
            if element.tag == "transition":
                self._transition(element, lowest)
        arcs = list(self.root.everywhere("arc", "inhibitor-arc"))
        for arc in arcs:
            self.after.setdefault(arc.get("from"), []).append(arc.get("to"))
        for arc in arcs:
            self._arc(arc)
        for element in self.nodes.values():
            if element.tag == "transition":
                self._update(self.transitions[element.get("uuid")], element)

    def _notes(self) -> None:
        """Make a note a comment of what it is connected with, else of the net."""
        nodes = {one.get("uuid"): one for one in self.root.everywhere("place", "transition")}
        connectors = list(self.root.everywhere("note-connector"))
        for note in self.root.everywhere("note"):
            said = " ".join(" ".join(part.text for part in (note, *note.all("properties"))).split())
            about = [
                nodes[connector.get("to")]
                for connector in connectors
                if connector.get("from") == note.get("uuid") and connector.get("to") in nodes
            ]
            for element in about or [self.root]:
                element.remarks += [said] if said else []

    def _lowest(self) -> int:
        """Return the priority that immediate transitions have at least: above those of constant times."""
        timed = [
            _property(element, "transition.stochastic")
            for element in self.nodes.values()
            if element.tag == "transition"
        ]
        return 1 + max(
            (self._whole(one, one.get("priority") or "0") for one in timed if _kind(one) == "deterministic"), default=0
        )

    def _place(self, element: Element) -> None:
        key = _property(element, "0.default.name").get("name")
        if not key or key in self.places:
            self._refuse("foreign-twice" if key else "foreign-no-id", element, name=key, kind="place")
        self.places[key] = name = self.foreign.names.give("place", key)
        count = self._whole(element, _property(element, "default.marking").get("marking") or "0")
        self.foreign.places.append(Place(name, initial=black(count), doc=element.comments()))

    def _transition(self, element: Element, lowest: int) -> None:
        key = _property(element, "0.default.name").get("name")
        made = Transition(self.foreign.names.give("transition", element.get("uuid"), key), doc=element.comments())
        self.transitions[element.get("uuid")] = made
        self.foreign.transitions.append(made)
        enabling = _property(element, "10.default.enablingFunction").get("enabling-function")
        if enabling.strip():
            guard(made, self._text(enabling, element, 2))
        if _property(element, "12.default.resetTransitions").get("reset-transitions").strip():
            self._refuse("foreign-construct", element, what="a transition that resets the times of others")
        self._time(made, _property(element, "transition.stochastic"), element, lowest)

    def _time(self, made: Transition, timing: Element, element: Element, lowest: int) -> None:
        kind = _kind(timing)
        if kind == "exponential":
            made.clauses["after"] = f"exp({self._mean(timing.get('lambda'), element)})"
            return
        if kind == "uniform":
            low, high = (self._text(timing.get(end), element, infix.ATOM) for end in ("eft", "lft"))
            made.clauses["after"] = f"uniform({as_real(low)}..{as_real(high)})"
            return
        if kind not in ("immediate", "deterministic"):
            self._refuse("foreign-distribution", element, name=timing.get("property-data-type") or "none")
        priority = self._whole(element, timing.get("priority") or "0")
        weight = self._text(timing.get("weight") or "1", element)
        if kind == "deterministic":
            made.clauses["after"] = self._text(timing.get("value"), element)
        else:
            priority += lowest
        made.clauses |= {"priority": str(priority)} if priority else {}
        made.weigh(weight)

    # ------------------------------------------------------------ arcs

    def _arc(self, arc: Element) -> None:
        """Read an arc from a place or a transition; joints on its way are corners of its line."""
        source = self.nodes.get(arc.get("from"))
        if source is None:
            self._refuse("foreign-unknown-name", arc, name=arc.get("from"))
        if source.tag == "joint":
            return
        key, seen = arc.get("to"), set[str]()
        while (target := self.nodes.get(key)) is not None and target.tag == "joint":
            onward = self.after.get(key, [])
            if key in seen or len(onward) != 1:
                self._refuse("foreign-circle", target, name=key)
            seen.add(key)
            key = onward[0]
        if target is None:
            self._refuse("foreign-unknown-name", arc, name=key)
        if source.tag == target.tag:
            self._refuse("foreign-arc-ends", arc, source=_shown(source), target=_shown(target))
        self._write(arc, source, target)

    def _write(self, arc: Element, source: Element, target: Element) -> None:
        counted = next((one.get("multiplicity") for one in arc.everywhere("property") if one.get("multiplicity")), "1")
        count, into = self._whole(arc, counted), target.tag == "transition"
        place = self.places[_shown(source if into else target)]
        transition = self.transitions[(target if into else source).get("uuid")]
        if arc.tag == "inhibitor-arc":
            if not into:
                self._refuse("foreign-arc-ends", arc, source=_shown(source), target=_shown(target))
            transition.inputs.append(lacks(place, count))
        else:
            (transition.inputs if into else transition.outputs).append(times(count, place))
        transition.add_doc(arc.comments())

    def _update(self, transition: Transition, element: Element) -> None:
        """`P2 = 0, P3 = 4`: the places are emptied and then get these numbers of tokens.

        This holds whatever else the transition gives them.
        """
        text = _property(element, "11.default.markingUpdate").get("marking-update")
        for part in filter(str.strip, re.split("[,;]", text)):
            name, _, value = (side.strip() for side in part.partition("="))
            if name not in self.places or not value.isdigit():
                self._refuse("foreign-construct", element, what=f"the update `{part.strip()}`")
            place, count = self.places[name], self._whole(element, value)
            if any(arc.split(" * ")[-1] == place for arc in transition.inputs):
                self._refuse("foreign-construct", element, what=f"`{part.strip()}`, where `{name}` is taken from,")
            given = [arc for arc in transition.outputs if arc.split(" * ")[-1] != place]
            transition.inputs.append(f"reset {place}")
            transition.outputs = [*given, *([times(count, place)] if count else [])]

    # ------------------------------------------------------------ texts

    def _name(self, node: Node) -> str:
        if node.text not in self.places:
            raise InfixError(node.at, f"there is no place `{node.text}`")
        return f"tokens({self.places[node.text]})"

    def _mean(self, rate: str, element: Element) -> str:
        try:
            return mean_text(infix.read(rate), self.writer)
        except InfixError as error:
            self._refuse("foreign-expression", element, text=rate[:80], reason=error.reason)

    def _text(self, text: str, element: Element, binds: int = 0) -> str:
        try:
            return self.writer.operand(infix.read(text), binds)
        except InfixError as error:
            self._refuse("foreign-expression", element, text=text[:80], reason=error.reason)

    def _whole(self, element: Element, text: str) -> int:
        return whole(self.foreign, element, text)

    def _refuse(self, identifier: str, element: Element, **values: str | int) -> NoReturn:
        self.foreign.refuse(identifier, element.span(self.foreign.file), **values)


def _property(element: Element, key: str) -> Element:
    """Return the property with this id; one without values if there is none."""
    inside = element.first("properties")
    found = (one for one in (inside.all("property") if inside is not None else ()) if one.get("id") == key)
    return next(found, Element("property", {}, element.line, element.column))


def _kind(timing: Element) -> str:
    return _KINDS.get(timing.get("property-data-type").partition(".")[0], "")


def _shown(element: Element) -> str:
    return _property(element, "0.default.name").get("name")
