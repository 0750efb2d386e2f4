"""Arcs that take the tokens of a place in turn (I4, T10), written as plain ones where that is the same."""

from __future__ import annotations

from collections.abc import Sequence

from petri import net
from petri.net import enabling_expressions, operations
from petri.structs import replace


def with_turns(transition: net.Transition, places: Sequence[net.Place]) -> net.Transition:
    """Return the transition, whose arc in turn sees only the first token where each token would do as well."""
    if not transition.inputs or not transition.inputs[0].in_turn or transition.clock is not None:
        return transition
    arc, *others = transition.inputs
    bound = {match.bind for match in arc.pattern}
    prefer = transition.prefer
    keys = () if prefer is None else (prefer.key, prefer.then)
    asked = operations([*enabling_expressions(transition, places), *keys])
    differ = any(part.op == "var" and part.value in bound for part in asked)
    if differ or any(match.equal is not None for match in arc.pattern) or arc.place in [one.place for one in others]:
        return transition
    return replace(transition, inputs=(replace(arc, any=False, in_turn=False), *others))
