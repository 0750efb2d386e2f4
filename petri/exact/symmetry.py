"""Elements of arrays that may be exchanged, so that of the states which differ by an exchange one is explored.

An exchange must map the whole net to itself: the initial tokens, and each transition to one that does the same with the
exchanged places. Names only suggest what to try: elements of arrays with the same indices.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from petri.exact.exchange import Element, Symmetries, Symmetry, none
from petri.exact.values import value_symmetries
from petri.net import (
    Content,
    Counter,
    Expr,
    InputArc,
    Net,
    OutputArc,
    Place,
    Probe,
    Transition,
    Watched,
    expressions,
    lasts,
    operations,
)
from petri.structs import replace

COMMUTE: Final = frozenset(("add", "mul", "and", "or", "min", "max"))
_BRACKETS: Final = re.compile(r"\[([^\]]*)\]")

Family = Sequence[Sequence[int]]
"""The places of each element, in the same order."""
Form = tuple[Any, ...]


def symmetries(net: Net, shown: Iterable[int]) -> Symmetries:
    """Return the exchanges that a net allows. shown: the probes whose values it must keep."""
    probes = [net.probes[number] for number in shown]
    if not _is_readable(net, probes):
        return none(net)
    found = _Finder(net, probes).find()
    return replace(found, of_values=value_symmetries(net, probes, found))


class _Finder:
    def __init__(self, net: Net, probes: Sequence[Probe]) -> None:
        self.net, self.probes = net, probes
        self.touched = [frozenset(_places(transition)) for transition in net.transitions]
        self.touching: dict[int, list[int]] = defaultdict(list)
        for index, places in enumerate(self.touched):
            for place in places:
                self.touching[place].append(index)
        self.forms = [_form(transition, {}) for transition in net.transitions]
        self.alike: dict[Form, list[int]] = defaultdict(list)
        for index, form in enumerate(self.forms):
            self.alike[form].append(index)
        self.used_places: set[int] = set()
        self.used_transitions: set[int] = set()

    def find(self) -> Symmetries:
        every = none(self.net)
        found, places, transitions = [], [*every.places], [*every.transitions]
        for names, family in self._families():
            if self.used_places & {place for row in family for place in row}:
                continue
            maps = self._exchanges(family)
            elements = None if maps is None else self._elements(family, *maps)
            if maps is None or elements is None:
                continue
            rotates, exchanges = maps
            found.append(Symmetry(rotates, elements, names))
            self.used_places |= {place for element in elements for place in element.places}
            self.used_transitions |= {transition for element in elements for transition in element.transitions}
            for of_places, of_transitions in exchanges:
                _join(places, of_places)
                _join(transitions, of_transitions)
        return Symmetries(tuple(found), tuple(places), tuple(transitions))

    # ------------------------------------------------------------ what to try

    def _families(self) -> Iterator[tuple[tuple[str, ...], Family]]:
        """Arrays with the same indices: each alone, then those together that transitions connect."""
        arrays: dict[tuple[int, str], dict[str, int]] = defaultdict(dict)
        for number, place in enumerate(self.net.places):
            for depth, (name, index) in enumerate(_indices(place.name)):
                arrays[depth, name][index] = number
        alike: dict[tuple[int, tuple[str, ...]], list[str]] = defaultdict(list)
        for (depth, name), elements in arrays.items():
            if len(elements) > 1:
                alike[depth, tuple(elements)].append(name)
        for (depth, indices), names in alike.items():
            rows = {name: [arrays[depth, name][index] for index in indices] for name in names}
            for name in names:
                yield (name,), [[place] for place in rows[name]]
            for together in self._connected(rows):
                yield tuple(together), list(zip(*(rows[name] for name in together), strict=True))

    def _connected(self, rows: Mapping[str, Sequence[int]]) -> Iterator[list[str]]:
        """Yield the arrays between which transitions move tokens, of those that are not used yet."""
        owner = {place: name for name, places in rows.items() for place in places}
        waiting = [name for name in rows if not self.used_places & set(rows[name])]
        while waiting:
            together, pending = [], [waiting[0]]
            while pending:
                name = pending.pop()
                if name not in waiting:
                    continue
                waiting.remove(name)
                together.append(name)
                near = {place for p in rows[name] for t in self.touching[p] for place in self.touched[t]}
                pending += sorted({owner[place] for place in near if place in owner})
            if len(together) > 1:
                yield together

    # ------------------------------------------------------------ whether it is one

    def _exchanges(self, family: Family) -> tuple[bool, list[tuple[dict[int, int], dict[int, int]]]] | None:
        """Exchanges of neighbours, or else a rotation; by what they do to places and transitions."""
        swaps = []
        for one, other in pairwise(family):
            there = dict(zip(one, other, strict=True))
            if (of := self._exchange({**there, **{b: a for a, b in there.items()}})) is None:
                break
            swaps.append(of)
        else:
            return False, swaps
        targets = [*family[1:], family[0]]
        ring = {a: b for row, target in zip(family, targets, strict=True) for a, b in zip(row, target, strict=True)}
        turn = self._exchange(ring)
        return None if turn is None else (True, [turn])

    def _exchange(self, at: dict[int, int]) -> tuple[dict[int, int], dict[int, int]] | None:
        """Map, with places mapped so, the transitions mapped likewise; None if that is another net."""
        places = self.net.places
        if any(_place_form(places[a]) != _place_form(places[b]) for a, b in at.items()):
            return None
        moved = sorted({transition for place in at for transition in self.touching[place]})
        forms = {index: _form(self.net.transitions[index], at) for index in moved}
        transitions = {index: index for index in moved if forms[index] == self.forms[index]}
        free = {index for index in moved if index not in transitions}
        for index in sorted(free):
            target = next((one for one in self.alike.get(forms[index], ()) if one in free), None)
            if target is None:
                return None
            free.remove(target)
            transitions[index] = target
        if any(_probe_form(probe, at, transitions) != _probe_form(probe, {}, {}) for probe in self.probes):
            return None
        return at, transitions

    # ------------------------------------------------------------ elements

    def _elements(
        self, family: Family, rotates: bool, exchanges: Sequence[tuple[dict[int, int], dict[int, int]]]
    ) -> tuple[Element, ...] | None:
        """Return the elements with their transitions whose firings last; None if one of these belongs to several."""
        owner = {place: number for number, row in enumerate(family) for place in row}
        lasting: list[list[int]] = [[] for _ in family]
        for index in sorted({transition for place in owner for transition in self.touching[place]}):
            if not lasts(self.net.transitions[index]):
                continue
            if index in self.used_transitions:
                return None
            if not rotates:
                owners = {owner[place] for place in self.touched[index] if place in owner}
                if len(owners) != 1:
                    return None
                lasting[owners.pop()].append(index)
        firsts = lasting[0] if not rotates else self._firsts(exchanges[0][1], len(family))
        if firsts is None:
            return None
        rows = [tuple(firsts)]
        for step in range(len(family) - 1):
            turn = exchanges[0 if rotates else step][1]
            rows.append(tuple(turn[index] for index in rows[-1]))
        if not rotates and any(sorted(row) != sorted(own) for row, own in zip(rows, lasting, strict=True)):
            return None
        return tuple(Element(tuple(places), row) for places, row in zip(family, rows, strict=True))

    def _firsts(self, turn: Mapping[int, int], size: int) -> list[int] | None:
        """Return the first of each ring of lasting transitions; None if a ring is of another size."""
        firsts, seen = [], set()
        for index in sorted(turn):
            if index in seen or not lasts(self.net.transitions[index]):
                continue
            ring = [index]
            while (following := turn[ring[-1]]) != index:
                ring.append(following)
            if len(ring) != size:
                return None
            seen.update(ring)
            firsts.append(index)
        return firsts


def _join(groups: list[tuple[int, ...]], exchange: Mapping[int, int]) -> None:
    for one, other in exchange.items():
        if other not in groups[one]:
            together = tuple(sorted(groups[one] + groups[other]))
            for member in together:
                groups[member] = together


def _indices(name: str) -> Iterator[tuple[str, str]]:
    """Yield each index in a name, with the name that has `…` in its place."""
    for brackets in _BRACKETS.finditer(name):
        start = brackets.start(1)
        for index in brackets[1].split(","):
            yield f"{name[:start]}…{name[start + len(index) :]}", index.strip()
            start += len(index) + 1


def _is_readable(net: Net, probes: Sequence[Probe]) -> bool:
    """Return whether no figure needs the values of single firings, which are looked for in states as they are.

    Sets read and change values in ways that are not followed.
    """
    if any(transition.sets for transition in net.transitions):
        return False
    counts = [arc.count for transition in net.transitions for arc in transition.inputs]
    if any(count is not None and count.op != "const" for count in counts):
        return False
    return all(
        isinstance(probe, Content | Watched) or (isinstance(probe, Counter) and probe.quantity is None)
        for probe in probes
    )


# ---------------------------------------------------------------- what parts of a net are, whatever they are called


def _places(transition: Transition) -> Iterator[int]:
    """Yield every place that a transition names."""
    yield from transition.places
    yield from (int(part.value or 0) for part in operations(expressions(transition)) if part.op == "tokens")


def _of(expression: Expr | None, at: Mapping[int, int]) -> Form | None:
    """Return an expression with other places, its operands in one order where this has no meaning."""
    if expression is None:
        return None
    if expression.op == "tokens":
        place = int(expression.value or 0)
        return "tokens", expression.kind, at.get(place, place)
    operands = [_of(part, at) for part in _operands(expression)]
    if expression.op in COMMUTE:
        operands.sort(key=repr)
    return expression.op, expression.kind, repr(expression.value), tuple(operands)


def _operands(expression: Expr) -> Iterator[Expr]:
    """Yield the operands, those of the same operation within it included if it is associative."""
    for part in expression.args:
        if expression.op in COMMUTE and (part.op, part.kind) == (expression.op, expression.kind):
            yield from _operands(part)
        else:
            yield part


def _form(transition: Transition, at: Mapping[int, int]) -> Form:
    """Return what a transition does with other places: all but its name."""

    def of(expression: Expr | None) -> Form | None:
        return _of(expression, at)

    def pattern(arc: Any) -> Form:
        return tuple((match.bind, of(match.equal)) for match in arc.pattern)

    def output(arc: OutputArc) -> Form:
        places = tuple(at.get(place, place) for place in arc.places)
        return places, tuple(map(of, arc.values)), of(arc.index), of(arc.count), of(arc.condition)

    def taken(arc: InputArc) -> Form:
        return tuple(at.get(place, place) for place in arc.takes_from)

    inputs = [
        (at.get(arc.place, arc.place), pattern(arc), of(arc.count), arc.any, arc.in_turn, taken(arc))
        for arc in transition.inputs
    ]
    inhibitors = [(at.get(arc.place, arc.place), pattern(arc), of(arc.threshold)) for arc in transition.inhibitors]
    outputs = [output(arc) for arc in transition.outputs]
    prefer, clock = transition.prefer, transition.clock
    return (
        tuple(variable.kind for variable in transition.variables),
        tuple(sorted(inputs, key=lambda row: row[0])),  # of one place in their order, which says who comes first
        tuple(sorted(inhibitors, key=repr)),
        tuple(sorted(at.get(place, place) for place in transition.resets)),
        of(transition.guard),
        tuple((draw.variable, of(draw.expression)) for draw in transition.draws),
        of(transition.time),
        tuple(sorted(outputs, key=lambda row: repr(row[0]))),
        transition.priority,
        of(transition.weight),
        None if prefer is None else (of(prefer.key), prefer.most, of(prefer.then)),
        None if clock is None else (of(clock.time), clock.memory, clock.servers, of(clock.speed)),
    )


def _place_form(place: Place) -> Form:
    """Return what a place is: all but its name."""
    slots = tuple((slot.kind, slot.low, slot.high) for slot in place.colour.slots)
    keys = _of(place.key, {}), _of(place.then, {}), _of(place.weight, {})
    return slots, place.discipline, keys, place.per, place.capacity, tuple(place.initial), place.stream


def _probe_form(probe: Probe, at: Mapping[int, int], transitions: Mapping[int, int]) -> Form:
    if isinstance(probe, Content):
        return at.get(probe.place, probe.place), _of(probe.value, {})
    if isinstance(probe, Counter):
        return (transitions.get(probe.transition, probe.transition),)
    assert isinstance(probe, Watched)
    firings = [transitions.get(firing, firing) for firing in probe.firings]
    found: Form = _with_firings(_of(probe.value, at), firings)
    return found


def _with_firings(form: Any, firings: Sequence[int]) -> Any:
    """Return a form with the transitions in place of the variables that stand for them."""
    if isinstance(form, tuple):
        if len(form) == 4 and form[0] == "var":
            return "firings", firings[int(form[2])]
        parts = [_with_firings(part, firings) for part in form]
        if form and form[0] in COMMUTE:
            parts[3] = tuple(sorted(parts[3], key=repr))
        return tuple(parts)
    return form
