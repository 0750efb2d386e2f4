"""TAPAAL's nets (.tapn): PNML of its own, in which labels are attributes, parts share nodes, and tokens have ages.

An arc may ask for tokens of an age, and a place bounds the ages of its tokens. This is the time of a transition that
takes one token from a place from which nothing else takes. Other conditions on ages are refused.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from petri.interchange.reading.foreign import Foreign, Transition
from petri.interchange.reading.infix import as_real, mean_of_rate, number_text
from petri.interchange.reading.intervals import Intervals
from petri.interchange.reading.tokens import is_number
from petri.interchange.reading.xml_tree import Element

_SHARED: Final = {"shared-place": "place", "shared-transition": "transition"}
_AGED: Final = ("timed", "transport", "tapnInhibitor")  # arcs whose inscription is an interval of ages
_ARCS: Final = {"inputArc": "timed", "inhibitorArc": "tapnInhibitor", "outputArc": "normal"}  # as its engines read them
_STOCHASTIC: Final = ("distribution", "a", "b", "value", "mean", "stddev", "rate", "weight", "firingMode")
_OF_SHARED: Final = ("initialMarking", "invariant", "urgent", "player", "infiniteServer", "priority", *_STOCHASTIC)
_INTERVAL: Final = re.compile(r"([\[(])\s*(\w+)\s*,\s*(\w+)\s*([\])])(?:\s*:\s*\d+)?")
_INVARIANT: Final = re.compile(r"(<=?)\s*(\w+)")


def is_net(root: Element) -> bool:
    """Return whether a file is of TAPAAL: its places have invariants, or its arcs kinds that no other tool has."""
    parts = (one for net in root.nested for one in net.nested)
    return any(
        part.tag in _ARCS or "invariant" in part.attributes or part.attributes.get("type") in _AGED for part in parts
    )


def joined(foreign: Foreign, root: Element) -> Element:
    """Return the net of all active parts of a file. What they share is there once, and its parts refer to it."""
    foreign.origin = "TAPAAL"
    net = Element("net", {"id": foreign.name}, root.line, root.column)
    for one in root.all(*_SHARED):
        one.tag = _SHARED[one.tag]
        one.attributes["id"] = f"shared:{one.get('name')}"
        net.nested.append(one)
    shared = {(one.tag, one.get("name")): one.get("id") for one in net.nested}
    constants = {one.get("name"): one.get("value") for one in root.all("constant")}
    net.nested += root.all("declaration")
    parts = [part for part in root.all("net") if part.get("active") != "false"]
    for part in parts:
        prefix = f"{part.get('id')}." if len(parts) > 1 else ""
        net.attributes["type"] = part.get("type")
        for one in part.all("place", "transition", "arc", "declaration", *_ARCS):
            _rename(one, prefix, shared)
            net.nested.append(one)
    for one in net.nested:
        _as_pnml(one, constants)
    _pass_over_the_rest(foreign, root)
    return net


def _rename(one: Element, prefix: str, shared: dict[tuple[str, str], str]) -> None:
    for end in ("id", "source", "target"):
        if one.attributes.get(end):
            one.attributes[end] = prefix + one.attributes[end]
    if (one.tag, one.attributes.get("name", "")) in shared:
        one.attributes["ref"] = shared[one.tag, one.get("name")]
        one.tag = f"reference{one.tag.capitalize()}"
        for name in _OF_SHARED:  # which the shared node says as well
            one.get(name)


def _as_pnml(one: Element, constants: dict[str, str]) -> None:
    """Write constants as their values, and keep the interval of an arc apart from its number."""
    values = one.attributes
    if one.tag in _ARCS:
        values["type"], values["inscription"] = _ARCS[one.tag], one.label("inscription")
        values["weight"] = "1" if _INTERVAL.fullmatch(values["inscription"]) else values.pop("inscription")
        one.tag = "arc"
        for child in one.all("inscription"):
            child.pass_over()
    for name in ("weight", "initialMarking"):
        values |= {name: constants.get(values[name], values[name])} if name in values else {}
    if one.tag == "arc":
        if values.get("type") in _AGED:
            values["ages"] = re.sub(r"\w+", lambda word: constants.get(word[0], word[0]), values.pop("inscription", ""))
        number = values.pop("weight", values.pop("inscription", "1"))
        values |= {} if any(child.tag == "hlinscription" for child in one.nested) else {"inscription": number}
    elif "invariant" in values:
        values["invariant"] = re.sub(r"\w+", lambda word: constants.get(word[0], word[0]), values["invariant"])


def _pass_over_the_rest(foreign: Foreign, root: Element) -> None:
    """Report what a file says beside its net: queries, bounds of the search, and parts that take no part."""
    for note in (note for part in root.all("net") for note in part.all("labels")):
        foreign.comments += filter(None, (" ".join(note.text.split()),))
        note.pass_over()
    idle = [one for one in root.nested if one.tag == "net" and one.attributes.get("active") == "false"]
    queries = [one for one in root.nested if one.tag in ("query", "queries")]
    for one in (*idle, *queries, *root.all("k-bound", "feature")):
        one.pass_over()
    for one in idle:
        foreign.warn("foreign-unread", one.span(foreign.file), what=f"the part `{one.get('id')}`, which is not active,")
    if queries:
        foreign.warn("foreign-measures", queries[0].span(foreign.file), count=len(queries))


class Ages:
    """Reads the times of transitions from the ages for which their arcs ask."""

    def __init__(self, foreign: Foreign, net: Element, root: Element, intervals: Intervals) -> None:
        self.foreign, self.intervals = foreign, intervals
        meant = {one.get("id"): one.get("ref") for one in net.nested if one.tag.startswith("reference")}
        self.places = {one.get("id"): one for one in net.nested if one.tag == "place"}
        self.into: dict[str, list[Element]] = {}  # the arcs to a transition
        self.takers: dict[str, set[str]] = {place: set() for place in self.places}
        for arc in net.nested:
            if arc.tag == "arc":
                source, target = (meant.get(arc.get(end), arc.get(end)) for end in ("source", "target"))
                self.into.setdefault(target, []).append(arc)
                if arc.attributes.get("type") != "tapnInhibitor":
                    self.takers.setdefault(source, set()).add(target)
        self.of = {key: meant.get(key, key) for key in (*self.places, *meant)}
        feature = root.first("feature")
        self.is_stochastic = feature is not None and feature.get("isStochastic") == "true"
        self.bounds = {key: bound for key, one in self.places.items() if (bound := self._invariant(one))}
        self.is_timed = bool(self.bounds) or any(self._is_aged(arc) for arcs in self.into.values() for arc in arcs)
        for key in self.bounds:
            if not self.takers[key]:
                self._refuse(self.places[key], "an invariant of a place from which nothing takes")

    def give(self, made: Transition, element: Element) -> None:
        """Read the time of a transition."""
        span, urgent = element.span(self.foreign.file), element.get("urgent") == "true"
        said = {name: element.get(name) for name in (*_STOCHASTIC, "infiniteServer")}
        arcs = self.into.get(element.get("id"), [])
        aged = [arc for arc in arcs if self._is_aged(arc) or self._is_bounded(arc)]
        if aged:
            made.clauses |= self._aged(aged, arcs, element, urgent)
        elif self.is_stochastic and said["distribution"]:
            made.clauses |= self._distributed(said, element)
        elif self.is_timed and not urgent:
            made.clauses |= self.intervals.within("0", "", True, span)
        elif not urgent:
            made.clauses |= self.intervals.without(span)

    def _aged(self, aged: list[Element], arcs: list[Element], element: Element, urgent: bool) -> dict[str, str]:
        if all(self.bounds.get(self._place(arc)) == "0" and self._ages(arc)[0] == "0" for arc in aged):
            return {}
        arc, place = aged[0], self._place(aged[0])
        alone = arcs == aged == [arc] and self.takers[place] == {element.get("id")}
        if not alone or arc.attributes.get("type") != "timed" or arc.attributes.get("inscription", "1") != "1":
            self._refuse(arc, "a condition on the age of a token that other arcs may take, or beside others,")
        low, high, closed = self._ages(arc)
        bound = self.bounds.get(place, "")
        if bound and (not high or float(bound) <= float(high)):
            high = bound
        clauses = self.intervals.within(low, low if urgent else high, closed or urgent, arc.span(self.foreign.file))
        return clauses | {"servers": "all"} if clauses else {}

    def _distributed(self, said: dict[str, str], element: Element) -> dict[str, str]:
        kind = said["distribution"]
        names = {"constant": ("value",), "uniform": ("a", "b"), "exponential": ("rate",)}.get(kind, ())
        values = [number_text(said[name]) for name in names if is_number(said[name])]
        if not names or len(values) < len(names):
            self.foreign.refuse("foreign-distribution", element.span(self.foreign.file), name=kind)
        weight = {"weight": number_text(said["weight"])} if said["weight"] not in ("", "1", "1.0") else {}
        if kind == "constant":
            return ({"after": values[0]} if float(values[0]) else {}) | weight
        if kind == "exponential":
            return {"after": f"exp({mean_of_rate(values[0])})"}
        return {"after": f"uniform({as_real(values[0])}..{as_real(values[1])})"}

    def _place(self, arc: Element) -> str:
        return self.of.get(arc.get("source"), "")

    def _is_bounded(self, arc: Element) -> bool:
        return arc.attributes.get("type") != "tapnInhibitor" and self._place(arc) in self.bounds

    def _is_aged(self, arc: Element) -> bool:
        return arc.attributes.get("type") in _AGED and self._ages(arc)[:2] != ("0", "")

    def _ages(self, arc: Element) -> tuple[str, str, bool]:
        """Return the least and the greatest age, which is empty without a bound, and whether both are allowed."""
        text = arc.get("ages") or "[0,inf)"
        found = _INTERVAL.fullmatch(text.strip())
        if found is None or not found[2].isdigit() or not (found[3].isdigit() or found[3] == "inf"):
            self.foreign.refuse("foreign-line", arc.span(self.foreign.file), text=text[:80])
        return found[2], "" if found[3] == "inf" else found[3], (found[1], found[4]) == ("[", "]")

    def _invariant(self, place: Element) -> str:
        """Return the greatest age of a token; empty without a bound."""
        text = place.get("invariant") or "< inf"
        found = _INVARIANT.fullmatch(text.strip())
        if found is None or not (found[2].isdigit() or found[2] == "inf"):
            self.foreign.refuse("foreign-line", place.span(self.foreign.file), text=text[:80])
        if next(place.all("colorinvariant"), None) is not None:
            self._refuse(place, "ages that depend on colours")
        return "" if found[2] == "inf" else found[2]

    def _refuse(self, element: Element, what: str) -> NoReturn:
        self.foreign.refuse("foreign-construct", element.span(self.foreign.file), what=what)
