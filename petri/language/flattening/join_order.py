"""The order in which the arcs of a transition that races are bound (C1).

`susceptible(i), read infected(j), read edge(j, i)` reads well, but pairs each i with each j before an edge is
asked for. Bound as edge, susceptible, infected, each arc but the first has only the tokens that match. A transition
that races fires each of its bindings when its time has come, so only the number of a binding depends on the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from petri.net import Expr, InputArc, Match, Variable, operations
from petri.structs import Frozen, replace


class _Arc(Frozen):
    """An arc, with the variables that it can bind, and those that must be bound before it."""

    arc: InputArc
    offers: frozenset[int]
    needs: frozenset[int]

    @property
    def names(self) -> frozenset[int]:
        return self.offers | self.needs


def _variable(match: Match) -> int | None:
    """The variable that a slot has as it is."""
    if match.equal is not None and match.equal.op == "var":
        return int(match.equal.value or 0)
    return match.bind


def _read(e: Expr | None) -> Iterable[int]:
    return [] if e is None else [int(part.value or 0) for part in operations((e,)) if part.op == "var"]


def _seen(arc: InputArc) -> _Arc:
    offers = {variable for match in arc.pattern if (variable := _variable(match)) is not None}
    tested = [match.equal for match in arc.pattern if _variable(match) is None]
    needs = {variable for e in (*tested, arc.count) for variable in _read(e)}
    return _Arc(arc, frozenset(offers), frozenset(needs - offers))


def _is_joined(arcs: Iterable[_Arc]) -> bool:
    """Whether each arc with variables, but the first, shares one with those before it, and has what it needs."""
    bound: frozenset[int] = frozenset()
    for arc in arcs:
        if not arc.needs <= bound or (bound and arc.names and not arc.names & bound):
            return False
        bound |= arc.offers
    return True


def _led_by(first: _Arc, arcs: list[_Arc]) -> list[_Arc]:
    """The arcs behind a first one, each as soon as it shares a variable with those before it."""
    order, rest = [first], [arc for arc in arcs if arc is not first]
    while rest:
        bound = frozenset().union(*(arc.offers for arc in order))
        at = next((at for at, arc in enumerate(rest) if arc.names & bound and arc.needs <= bound), 0)
        order.append(rest.pop(at))
    return order


def _bound(arcs: Iterable[_Arc], variables: Sequence[Variable]) -> tuple[InputArc, ...]:
    """The arcs, where the first slot with a variable binds it and the others equal it."""
    bound: set[int] = set()

    def match(slot: Match) -> Match:
        variable = _variable(slot)
        if variable is None:
            return slot
        if variable in bound:
            span = None if slot.equal is None else slot.equal.span
            return Match(equal=Expr("var", variables[variable].kind, value=variable, span=span))
        bound.add(variable)
        return Match(bind=variable)

    return tuple(replace(arc.arc, pattern=tuple([match(slot) for slot in arc.arc.pattern])) for arc in arcs)


def in_join_order(inputs: tuple[InputArc, ...], variables: Sequence[Variable]) -> tuple[InputArc, ...]:
    """The arcs in their order, unless one shares no variable with those before it, and another order mends that."""
    arcs = [_seen(arc) for arc in inputs]
    if len(arcs) < 3 or _is_joined(arcs):
        return inputs
    # An arc that knows the variables of many others leads to bindings in the fewest steps.
    by_worth = sorted(arcs, key=lambda arc: -sum(bool(other.names & arc.offers) for other in arcs))
    orders = (_led_by(first, arcs) for first in by_worth if not first.needs)
    joined = next((order for order in orders if _is_joined(order)), None)
    return inputs if joined is None else _bound(joined, variables)
