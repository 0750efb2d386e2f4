"""The fast explorer and the long-run averages against published values."""

from __future__ import annotations

import numpy as np
import pytest

import petri
from petri.exact.chain import Limits
from petri.exact.native import NativeSpace
from petri.exact.solution import solve
from tests.exact.published import kanban, philosophers

KANBAN = [
    (1, 160, 616, 0.0925846346333826, 1e-13),
    (2, 4_600, 28_120, 0.173871706178, 1e-10),
    pytest.param(3, 58_400, 446_400, 0.233071166010, 1e-10, marks=pytest.mark.slow),
    pytest.param(4, 454_475, 3_979_850, 0.275889753096, 2e-10, marks=pytest.mark.slow),
]
"""Cards, states and arcs (Ciardo & Tilgner 1996), throughput (of one card by QVBS, exact; else by a program that
was written by hand for this net), and its error."""


@pytest.mark.parametrize(("cards", "states", "arcs", "throughput", "error"), KANBAN)
def test_kanban(cards: int, states: int, arcs: int, throughput: float, error: float) -> None:
    solution = solve(kanban(cards))
    assert (solution.states, solution.arcs) == (states, arcs)
    found = solution.exact("enter.rate").bounded
    assert found is not None
    assert found.low - error <= throughput <= found.high + error
    assert found.high - found.low < 1e-9


POLLING = """net polling
param stations = 4
place server : 1..stations = 1
place serving[1..stations]
place empty[1..stations] = token
place full[1..stations]
transition arrive[i in 1..stations]: empty[i] -> full[i]  after exp(stations)
transition pass[i in 1..stations]: server(i), empty[i] -> server(i mod stations + 1), empty[i]  after exp(1 / 200)
transition begin[i in 1..stations]: server(i), full[i] -> serving[i]  after exp(1 / 200)
transition serve[i in 1..stations]: serving[i] -> server(i mod stations + 1), empty[i]  after exp(1)
measure waiting = mean(full[1])
measure first = probability(tokens(serving[1]) == 1 before tokens(serving[2]) == 1)
"""
"""A server that walks from station to station (Ibe and Trivedi 1990), as the Quantitative Verification Benchmark Set
has it."""


@pytest.mark.parametrize(
    ("stations", "waiting", "first"),
    [
        (3, 0.1308020365834841, 0.5214543254248217),
        (4, 0.14119036379818742, 0.5309288026594966),
        (5, 0.14492709367584383, 0.5357405856065404),
        pytest.param(6, 0.14573191126269974, 0.5383486566264674, marks=pytest.mark.slow),
        pytest.param(7, 0.14511673457143429, 0.5397868776025898, marks=pytest.mark.slow),
        pytest.param(8, 0.14378276964032002, 0.5405546705445088, marks=pytest.mark.slow),
        pytest.param(9, None, 0.5409174089353829, marks=pytest.mark.slow),
    ],
)
def test_polling(stations: int, waiting: float | None, first: float) -> None:
    """The figures of the benchmark set that were published as rationals."""
    solution = petri.loads(POLLING, stations=stations).solve()
    for name, published in (("waiting", waiting), ("first", first)):
        found = solution.exact(name).bounded
        assert found is not None
        if published is not None:
            assert found.low - 1e-15 <= published <= found.high + 1e-15
            assert abs(found.value - published) <= 1e-12 * published


@pytest.mark.parametrize("number", [2, 3, 5, 10])
def test_philosophers(number: int) -> None:
    """Each fork is free, or one of its two neighbours has it: 3ⁿ states, as in the Model Checking Contest."""
    space = NativeSpace(philosophers(number))
    assert len(space) == 3**number
    chain, _ = space.explored.chain()
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
