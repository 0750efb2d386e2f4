"""Structural analysis, which needs no states: place and transition invariants, siphons and traps.

Tokens are counted whatever their colour. A transition's effect on a place is *constant* when the number of tokens
that it takes and gives there does not depend on the binding.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from petri.net import Net, Transition, constant_count
from petri.structs import Frozen

MOST_ROWS = 4096  # Farkas' algorithm may need exponentially many; beyond this it gives up

Row = tuple[dict[int, int], dict[int, int]]
Rows = list[Row]
Effect = Mapping[int, int | None]
"""By place: tokens given minus tokens taken; None if that depends on the binding or the marking."""


class Invariant(Frozen):
    """The sum of weight × tokens over these places, tokens held by firings included, is always `total`."""

    weights: Mapping[int, int]
    total: int


def taken(transition: Transition) -> Effect:
    """Return tokens that a firing takes, by place."""
    tokens: dict[int, int | None] = {}
    for arc in transition.inputs:
        for place in arc.takes_from:
            add(tokens, place, constant_count(arc.count))
    for place in transition.emptied:
        tokens[place] = None
    return tokens


def given(transition: Transition) -> Effect:
    """Return tokens that a firing gives, by place."""
    tokens: dict[int, int | None] = {}
    for arc in transition.outputs:
        fixed = arc.condition is None and len(arc.places) == 1
        for place in arc.places:
            add(tokens, place, constant_count(arc.count) if fixed else None)
    return tokens


def add(tokens: dict[int, int | None], place: int, count: int | None) -> None:
    sofar = tokens.get(place, 0)
    tokens[place] = None if count is None or sofar is None else sofar + count


def effect(transition: Transition) -> Effect:
    """Return the effect of a whole firing, by place."""
    plus, minus = given(transition), taken(transition)
    change: dict[int, int | None] = {}
    for place in {*plus, *minus}:
        gains, losses = plus.get(place, 0), minus.get(place, 0)
        change[place] = None if gains is None or losses is None else gains - losses
    return change


def invariants(net: Net) -> list[Invariant] | None:
    """Return the semi-positive place invariants of minimal support (Martínez & Silva 1982); None if there are too many.

    Places that some transition changes by a varying amount, or that receive rows of a file, and ports, belong to none.
    """
    effects = [effect(transition) for transition in net.transitions]
    vague = {place for change in effects for place, amount in change.items() if amount is None}
    vague |= {index for index, place in enumerate(net.places) if place.stream is not None or place.port}
    # Each row: what remains to be cancelled, by transition, and the weights so far, by place.
    rows: Rows = []
    for place in range(len(net.places)):
        if place not in vague:
            left = {t: amount for t, change in enumerate(effects) if (amount := change.get(place))}
            rows.append((left, {place: 1}))
    found = _cancelled(rows, len(net.transitions))
    if found is None:
        return None
    initial = [place.held for place in net.places]
    return [
        Invariant(weights, sum(weight * initial[place] for place, weight in sorted(weights.items())))
        for weights in found
    ]


def cycles(net: Net) -> list[Mapping[int, int]] | None:
    """Return the semi-positive transition invariants of minimal support: how often each fires so that all is as before.

    Transitions with an effect that varies belong to none. None if there are too many.
    """
    rows: Rows = []
    for index, transition in enumerate(net.transitions):
        change = effect(transition)
        if all(amount is not None for amount in change.values()):
            rows.append(({place: amount for place, amount in change.items() if amount}, {index: 1}))
    return _cancelled(rows, len(net.places))


def _cancelled(rows: Rows, columns: int) -> list[Mapping[int, int]] | None:
    """Farkas' algorithm: the minimal positive combinations of rows in which nothing remains."""
    for column in range(columns):
        fewer = cancel(rows, column)
        if fewer is None:
            return None
        rows = fewer
    return [weights for _, weights in rows]


def cancel(rows: Rows, column: int) -> Rows | None:
    """Do one step of the algorithm: combine the rows in which something remains in pairs in which nothing does."""
    kept = [row for row in rows if column not in row[0]]
    gains = [row for row in rows if row[0].get(column, 0) > 0]
    losses = [row for row in rows if row[0].get(column, 0) < 0]
    if len(kept) + len(gains) * len(losses) > MOST_ROWS:
        return None
    for gain in gains:
        for loss in losses:
            kept.append(combine(gain, -loss[0][column], loss, gain[0][column]))
    supports = [frozenset(weights) for _, weights in kept]
    minimal = []
    for index, row in enumerate(kept):
        support = supports[index]
        smaller = (other < support or (other == support and i < index) for i, other in enumerate(supports))
        if not any(smaller):
            minimal.append(row)
    return minimal


def combine(first: Row, a: int, second: Row, b: int) -> Row:
    """Return a × first + b × second, divided by their greatest common divisor."""
    left, weights = (
        {key: a * x.get(key, 0) + b * y.get(key, 0) for key in {*x, *y}} for x, y in zip(first, second, strict=True)
    )
    divisor = gcd(*left.values(), *weights.values())
    return (
        {key: value // divisor for key, value in left.items() if value},
        {key: value // divisor for key, value in weights.items() if value},
    )


MOST_SETS = 200  # siphons, or traps, that are listed
MOST_PLACES = 24  # of a net whose siphons and traps are looked for


def siphons(net: Net) -> list[frozenset[int]] | None:
    """Return the minimal siphons: sets of places that stay empty once they are, with no firing in progress.

    None if too many.

    Every transition that may give a token to the set takes one from it.
    """
    return _minimal_sets(
        net, [(_given_places(transition), _taken_places(transition)) for transition in net.transitions]
    )


def traps(net: Net) -> list[frozenset[int]] | None:
    """Return the minimal traps: sets of places that never lose their last token, held by firings or not.

    None if too many.

    Every transition that may take a token from the set surely gives one to it.
    """
    return _minimal_sets(
        net,
        [
            (_taken_places(transition, perhaps=True), _given_places(transition, surely=True))
            for transition in net.transitions
        ],
    )


def _taken_places(transition: Transition, perhaps: bool = False) -> frozenset[int]:
    """Return where a firing takes tokens, whatever it binds; or, with `perhaps`, where it may."""
    arcs = [arc for arc in transition.inputs if perhaps or (constant_count(arc.count) or 0) > 0]
    resets = transition.emptied if perhaps else ()
    kept = [] if perhaps else [arc.place for arc in arcs if arc.keep]
    return frozenset(kept) | frozenset(place for arc in arcs for place in arc.takes_from) | frozenset(resets)


def _given_places(transition: Transition, surely: bool = False) -> frozenset[int]:
    """Return where a firing may give tokens; or, with `surely`, where it does."""
    if not surely:
        return frozenset(place for arc in transition.outputs for place in arc.places)
    fixed = [arc for arc in transition.outputs if arc.condition is None and len(arc.places) == 1]
    return frozenset(arc.places[0] for arc in fixed if (constant_count(arc.count) or 0) > 0)


def _minimal_sets(net: Net, rules: list[tuple[frozenset[int], frozenset[int]]]) -> list[frozenset[int]] | None:
    """Return the minimal sets of places for which each rule holds: if it meets the first set, it meets the second."""
    if len(net.places) > MOST_PLACES:
        return None
    found: list[frozenset[int]] = []

    def grow(chosen: frozenset[int], never: frozenset[int]) -> bool:
        """Complete a set; False if there are too many."""
        if any(one <= chosen for one in found):
            return True
        broken = next((need for touched, need in rules if touched & chosen and not need & chosen), None)
        if broken is None:
            found[:] = [one for one in found if not chosen <= one] + [chosen]
            return len(found) <= MOST_SETS
        barred = never
        for place in sorted(broken - never):
            if not grow(chosen | {place}, barred):
                return False
            barred |= {place}
        return True

    never: frozenset[int] = frozenset()
    for place in range(len(net.places)):
        if not grow(frozenset({place}), never):
            return None
        never |= {place}
    return sorted(found, key=lambda one: (len(one), sorted(one)))
