"""Choices among transitions and tokens (rule R2) against the weights that they should have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

import petri
from tests.verification.draws import Numbers, firings
from tests.verification.judging import chi_square

WEIGHTED = """net weighted
place p = token
transition a: p -> p  weight {first}  takes 1
transition b: p -> p  weight 2        takes 1
transition c: p -> p  weight 1.5      takes 1
"""
TOKENS = """net tokens
place bag  : 0..3 = all
place used : 0..3
transition draw_one: bag(n) -> used(n)  takes 1
transition refill:   used(a), used(b), used(c), used(d) -> bag(a), bag(b), bag(c), bag(d)
  when a < b and b < c and c < d
"""
PAIRS = """net pairs
place left  : 0..2 = all
place right : 0..4 = all
place turn = token
transition join: turn, left(l), right(r) -> turn, left(l), right(r)  when (l + r) mod 2 == 0  takes 1
"""


def choices(count: int, seed: int) -> Iterator[tuple[str, float]]:
    """Yield what was chosen, and the p-value of the counts."""
    yield "transitions of weight 0.5, 2 and 1.5", of_transitions(0.5, count, seed)
    yield from of_tokens(count, seed)
    yield "bindings of a guard, eight of fifteen", of_bindings(count, seed)


def of_transitions(weight: float, count: int, seed: int) -> float:
    """Three transitions, as if the weight of the first were 0.5."""
    chosen = firings(petri.loads(WEIGHTED.format(first=weight)), count, seed).transitions
    return chi_square(np.bincount(chosen, minlength=3), np.array([0.5, 2.0, 1.5]) / 4.0)


def of_tokens(count: int, seed: int) -> Iterator[tuple[str, float]]:
    """Four tokens of a bag, taken one by one: each order, and each pair of orders that follow one another."""
    model = petri.loads(TOKENS)
    fired = firings(model, count, seed)
    taken = fired.words[np.repeat(fired.transitions == 0, np.where(fired.transitions == 0, 1, 4))]
    rounds = taken[: len(taken) // 4 * 4].reshape(-1, 4)
    number = {order: index for index, order in enumerate(permutations(range(4)))}
    orders = np.array([number[tuple(order)] for order in rounds.tolist()])
    yield "orders of four tokens of a bag", chi_square(np.bincount(orders, minlength=24), np.full(24, 1 / 24))
    pairs = orders[0::2][: len(orders) // 2] * 24 + orders[1::2][: len(orders) // 2]
    yield "orders after orders", chi_square(np.bincount(pairs, minlength=576), np.full(576, 1 / 576))


def of_bindings(count: int, seed: int) -> float:
    words: Numbers = firings(petri.loads(PAIRS), count, seed).words.reshape(-1, 2)
    fits = [(left, right) for left in range(3) for right in range(5) if (left + right) % 2 == 0]
    number = {pair: index for index, pair in enumerate(fits)}
    counts = np.bincount([number[tuple(pair)] for pair in words.tolist()], minlength=len(fits))
    return chi_square(counts, np.full(len(fits), 1 / len(fits)))
