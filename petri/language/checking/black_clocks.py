"""Clocks over black tokens that other transitions take: where it matters which token has which clock (C1 to C3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from petri.diagnostics import Diagnostic, Value
from petri.net import InputArc, Net, Transition, constant_count, is_shared, lasts, place_of_clocks

MOST_STEPS = 200  # in the search for places that have one token together


def black_clocks(flat: Net, transition: Transition) -> Iterator[Diagnostic]:
    """Yield notes on the clocks of a transition: one for each of its arcs."""
    clock = transition.clock
    coloured = any(flat.places[arc.place].colour.slots for arc in transition.inputs)
    if clock is None or clock.memory != "restart" or is_shared(transition) or coloured:
        return
    taking = [arc for arc in transition.inputs if not arc.keep]
    for arc in taking:
        others = [other for other in flat.transitions if other is not transition and _takes(other, arc.place)]
        values: dict[str, Value] = {"name": transition.name, "place": flat.places[arc.place].name}
        again = next((other for other in others if _returns(other, arc.place)), None)
        single = place_of_clocks(flat, transition) is not None or not others or has_one_token(flat, arc.place)
        if again is not None and single:
            yield Diagnostic("clock-begins-again", arc.span, {**values, "other": again.name}, severity="note")
        if single:
            continue
        racing = next((other for other in others if other.clock is not None), None)
        if len(taking) == 1 and constant_count(arc.count) == 1:
            yield Diagnostic("servers-for-patience", arc.span, values, severity="note")
        elif racing is not None:
            yield Diagnostic("black-clocks", arc.span, {**values, "other": racing.name}, severity="note")


def _takes(transition: Transition, place: int) -> bool:
    return any(place in arc.takes_from for arc in transition.inputs)


def _returns(transition: Transition, place: int) -> bool:
    """Return whether it gives a token back at once, and does more than a mere renewal of the token needs."""
    given = [arc.places[0] for arc in transition.outputs if arc.delay is None and len(arc.places) == 1]
    return not lasts(transition) and place in given and (len(given) > 1 or len(transition.inputs) > 1)


def has_one_token(flat: Net, place: int) -> bool:
    """Return whether a place never has more than one token: it and others, which are looked for, have one together."""
    return _are_one(flat, frozenset((place,)), [MOST_STEPS])


def _are_one(flat: Net, places: Set[int], steps: list[int]) -> bool:
    steps[0] -= 1
    if steps[0] < 0 or sum(flat.places[place].held for place in places) > 1:
        return False
    for transition in flat.transitions:
        given = sum(_given(transition, place) for place in places)
        if given > sum(_taken(transition.inputs, place) for place in places):
            kept = {arc.place for arc in transition.inputs if arc.keep or _given(transition, arc.place)}
            sources = sorted({arc.place for arc in transition.inputs} - kept - places)
            return given == 1 and any(_are_one(flat, places | {place}, steps) for place in sources)
    return True


def _given(transition: Transition, place: int) -> int:
    """Return the number of tokens that a firing may give; 2 where it is not known."""
    counts = [constant_count(arc.count) for arc in transition.outputs if place in arc.places]
    return sum(2 if count is None else count for count in counts)


def _taken(inputs: Sequence[InputArc], place: int) -> int:
    """Return the number of tokens that a firing takes at the least."""
    return sum(constant_count(arc.count) or 0 for arc in inputs if not arc.keep and arc.place == place)
