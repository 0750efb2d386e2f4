"""Structural analysis: the weighted sums of tokens that never change (place invariants).

Tokens are counted whatever their colour. A transition's effect on a place is *constant* when the number of tokens
that it takes and gives there does not depend on the binding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from petri.net import Net, Transition
from petri.trace.replay import constant

MOST_ROWS = 4096  # Farkas' algorithm may need exponentially many; beyond this it gives up

Effect = Mapping[int, int | None]
"""By place: tokens given minus tokens taken; None if that depends on the binding or the marking."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """The sum of weight × tokens over these places, tokens held by firings included, is always `total`."""

    weights: Mapping[int, int]
    total: int


def taken(transition: Transition) -> Effect:
    """Tokens that a firing takes, by place."""
    tokens: dict[int, int | None] = {}
    for arc in transition.inputs:
        if not arc.keep:
            add(tokens, arc.place, constant(arc.count))
    for place in transition.resets:
        tokens[place] = None
    return tokens


def given(transition: Transition) -> Effect:
    """Tokens that a firing gives, by place."""
    tokens: dict[int, int | None] = {}
    for arc in transition.outputs:
        fixed = arc.condition is None and len(arc.places) == 1
        for place in arc.places:
            add(tokens, place, constant(arc.count) if fixed else None)
    return tokens


def add(tokens: dict[int, int | None], place: int, count: int | None) -> None:
    sofar = tokens.get(place, 0)
    tokens[place] = None if count is None or sofar is None else sofar + count


def effect(transition: Transition) -> Effect:
    """The effect of a whole firing, by place."""
    plus, minus = given(transition), taken(transition)
    change: dict[int, int | None] = {}
    for place in {*plus, *minus}:
        gains, losses = plus.get(place, 0), minus.get(place, 0)
        change[place] = None if gains is None or losses is None else gains - losses
    return change


def invariants(net: Net) -> list[Invariant] | None:
    """The semi-positive place invariants of minimal support (Martínez & Silva 1982); None if there are too many.

    Places that some transition changes by a varying amount, or that receive rows of a file, belong to none.
    """
    effects = [effect(transition) for transition in net.transitions]
    vague = {place for change in effects for place, amount in change.items() if amount is None}
    vague |= {index for index, place in enumerate(net.places) if place.stream is not None}
    # Each row: what remains to be cancelled, by transition, and the weights so far, by place.
    rows: list[tuple[dict[int, int], dict[int, int]]] = []
    for place in range(len(net.places)):
        if place not in vague:
            left = {t: amount for t, change in enumerate(effects) if (amount := change.get(place))}
            rows.append((left, {place: 1}))
    for transition in range(len(net.transitions)):
        cancelled = cancel(rows, transition)
        if cancelled is None:
            return None
        rows = cancelled
    initial = [place.held for place in net.places]
    return [
        Invariant(weights, sum(weight * initial[place] for place, weight in sorted(weights.items())))
        for _, weights in rows
    ]


def cancel(
    rows: list[tuple[dict[int, int], dict[int, int]]], transition: int
) -> list[tuple[dict[int, int], dict[int, int]]] | None:
    """One step of the algorithm: combines the rows that the transition changes in pairs into rows that it does not."""
    kept = [row for row in rows if transition not in row[0]]
    gains = [row for row in rows if row[0].get(transition, 0) > 0]
    losses = [row for row in rows if row[0].get(transition, 0) < 0]
    if len(kept) + len(gains) * len(losses) > MOST_ROWS:
        return None
    for gain in gains:
        for loss in losses:
            kept.append(combine(gain, -loss[0][transition], loss, gain[0][transition]))
    supports = [frozenset(weights) for _, weights in kept]
    minimal = []
    for index, row in enumerate(kept):
        support = supports[index]
        smaller = (other < support or (other == support and i < index) for i, other in enumerate(supports))
        if not any(smaller):
            minimal.append(row)
    return minimal


def combine(
    first: tuple[dict[int, int], dict[int, int]], a: int, second: tuple[dict[int, int], dict[int, int]], b: int
) -> tuple[dict[int, int], dict[int, int]]:
    """a × first + b × second, divided by their greatest common divisor."""
    left, weights = (
        {key: a * x.get(key, 0) + b * y.get(key, 0) for key in {*x, *y}} for x, y in zip(first, second, strict=True)
    )
    divisor = gcd(*left.values(), *weights.values())
    return (
        {key: value // divisor for key, value in left.items() if value},
        {key: value // divisor for key, value in weights.items() if value},
    )
