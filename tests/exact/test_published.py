"""The fast explorer and the long-run averages against published values."""

from __future__ import annotations

import numpy as np
import pytest

from petri.exact.chain import Limits
from petri.exact.native import NativeSpace
from petri.exact.solution import solve
from tests.exact.published import kanban, philosophers

KANBAN = [
    (1, 160, 616, 0.0925846346333826, 1e-13),
    (2, 4_600, 28_120, 0.173871706178, 1e-10),
    (3, 58_400, 446_400, 0.233071166010, 1e-10),
    pytest.param(4, 454_475, 3_979_850, 0.275889753096, 2e-10, marks=pytest.mark.slow),
    pytest.param(5, 2_546_432, 24_460_016, 0.30712475930, 1e-9, marks=pytest.mark.slow),
]
"""Cards, states and arcs (Ciardo & Tilgner 1996), throughput (of one card by QVBS, exact; else by a program that
was written by hand for this net), and its error."""


@pytest.mark.parametrize(("cards", "states", "arcs", "throughput", "error"), KANBAN)
def test_kanban(cards: int, states: int, arcs: int, throughput: float, error: float) -> None:
    solution = solve(kanban(cards))
    assert (solution.states, solution.arcs) == (states, arcs)
    found = solution.figure("enter.rate").bounded
    assert found is not None
    assert found.low - error <= throughput <= found.high + error
    assert found.high - found.low < 1e-9


@pytest.mark.parametrize("number", [2, 3, 5, 10])
def test_philosophers(number: int) -> None:
    """Each fork is free, or one of its two neighbours has it: 3ⁿ states, as in the Model Checking Contest."""
    space = NativeSpace(philosophers(number))
    assert len(space) == 3**number
    chain = space.explored.chain()
    assert chain is not None
    assert [len(states) for states in chain.closed()] == [
        4,
        4,
    ]  # bytes: all starve, with forks in their left or right hands


def test_a_limit_on_states_leaves_what_was_found() -> None:
    space = NativeSpace(kanban(4), Limits(states=10_000))
    assert not space.complete
    assert space.expanded < 10_000 < len(space) + 100
    assert len(space.offsets) == space.expanded + 1
    assert space.targets.max() < len(space)


def test_a_limit_on_memory_leaves_what_was_found() -> None:
    space = NativeSpace(kanban(4), Limits(memory=2**20))
    assert space.explored.ended == "memory"
    assert 0 < space.expanded < len(space)


def test_counts_obey_the_invariants_of_the_net() -> None:
    space = NativeSpace(kanban(2))
    held = [space.counts(place) for place in range(4)]
    assert np.all(sum(held) == 2)
