"""The places on which the enabling of a transition depends (rules E1 to E8)."""

from __future__ import annotations

from collections.abc import Iterator

from petri.net import Expr, Net, Transition, operations, room_slots
from petri.structs import Frozen


class Dependence(Frozen):
    """The bindings are unchanged until one of `places` changes, or, with `clock`, until time advances."""

    places: frozenset[int]
    clock: bool


def dependence(net: Net, transition: Transition) -> Dependence:
    """The dependence of the enabling of a transition of this net."""
    places = {arc.place for arc in transition.inputs} | {arc.place for arc in transition.inhibitors}
    clock = False
    for operation in operations(enabling_expressions(net, transition)):
        if operation.op == "tokens":
            places.add(int(operation.value or 0))
        clock = clock or operation.op in ("now", "end")
    for arc in transition.outputs:
        places.update(place for place in arc.places if net.places[place].capacity is not None)
    return Dependence(frozenset(places), clock)


def enabling_expressions(net: Net, transition: Transition) -> Iterator[Expr | None]:
    """The expressions that are evaluated before a firing starts."""
    yield transition.guard
    for arc in transition.inputs:
        yield arc.count
        yield from (match.equal for match in arc.pattern)
    for inhibitor in transition.inhibitors:
        yield inhibitor.threshold
        yield from (match.equal for match in inhibitor.pattern)
    for output in transition.outputs:
        if any(net.places[place].capacity is not None for place in output.places):
            yield from (output.condition, output.index, output.count)
            slots = {slot for place in output.places for slot in room_slots(net.places[place])}
            yield from (value for slot, value in enumerate(output.values) if slot in slots)
