"""The places on which the enabling of a transition depends (rules E1 to E8)."""

from __future__ import annotations

from petri.net import Net, Transition, enabling_expressions, operations
from petri.structs import Frozen


class Dependence(Frozen):
    """The bindings are unchanged until one of `places` changes, or, with `clock`, until time advances."""

    places: frozenset[int]
    clock: bool


def dependence(net: Net, transition: Transition) -> Dependence:
    """Return the dependence of the enabling of a transition of this net."""
    places = {arc.place for arc in transition.inputs} | {arc.place for arc in transition.inhibitors}
    clock = False
    for operation in operations(enabling_expressions(transition, net.places)):
        if operation.op == "tokens":
            places.add(int(operation.value or 0))
        clock = clock or operation.op in ("now", "end")
    for arc in transition.outputs:
        places.update(place for place in arc.places if net.places[place].capacity is not None)
    return Dependence(frozenset(places), clock)
