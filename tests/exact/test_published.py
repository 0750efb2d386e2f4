"""The fast explorer and the long-run averages against published values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import petri
from petri.exact.chain import Limits
from petri.exact.native import NativeSpace
from petri.exact.solution import solve
from petri.net import Clock, Expr, InputArc, Net, OutputArc, Place, Transition
from petri.ticks import Tick

TICKS = 2**32  # of a time unit


class Written:
    """A net of black tokens in the making."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[str, Place] = {}
        self.transitions: list[Transition] = []

    def place(self, name: str, tokens: int = 0) -> None:
        self.places[name] = Place(name, initial=((tokens, ()),) if tokens else ())

    def after(self, name: str, rate: float, takes: Sequence[str], gives: Sequence[str]) -> None:
        """Add a transition that fires at this rate while it can."""
        number = list(self.places).index
        mean = Expr("const", "real", value=TICKS / rate)
        inputs = tuple(InputArc(number(place)) for place in takes)
        outputs = tuple(OutputArc((number(place),)) for place in gives)
        clock = Clock(Expr("exp", "real", (mean,)))
        self.transitions.append(Transition(name, inputs=inputs, outputs=outputs, clock=clock))

    def net(self) -> Net:
        return Net(self.name, tuple(self.places.values()), tuple(self.transitions), tick=Tick(1, TICKS))


def kanban(cards: int) -> Net:
    """Four cells, each with so many cards (Ciardo & Tilgner 1996). Parts enter by `enter`."""
    of = Written("kanban")
    for cell in range(4):
        of.place(f"cards{cell}", cards)
        for place in ("work", "rework", "done"):
            of.place(f"{place}{cell}")
    of.after("enter", 1.0, ["cards0"], ["work0"])
    for cell, (fails, succeeds) in enumerate([(0.36, 0.84), (0.42, 0.98), (0.39, 0.91), (0.33, 0.77)]):
        of.after(f"fail{cell}", fails, [f"work{cell}"], [f"rework{cell}"])
        of.after(f"succeed{cell}", succeeds, [f"work{cell}"], [f"done{cell}"])
        of.after(f"again{cell}", 0.3, [f"rework{cell}"], [f"work{cell}"])
    of.after("fork", 0.4, ["done0", "cards1", "cards2"], ["cards0", "work1", "work2"])
    of.after("join", 0.5, ["done1", "done2", "cards3"], ["cards1", "cards2", "work3"])
    of.after("leave", 0.9, ["done3"], ["cards3"])
    return of.net()


def philosophers(number: int) -> Net:
    """Return philosophers: each takes one fork, then the other, gives both back, or thinks on (MCC, Philosophers)."""
    of = Written("philosophers")
    for i in range(number):
        of.place(f"think{i}", 1)
        of.place(f"fork{i}", 1)
        for place in ("left", "right", "eat"):
            of.place(f"{place}{i}")
    for i in range(number):
        own, other = f"fork{i}", f"fork{(i + 1) % number}"
        of.after(f"take_left{i}", 1.0, [f"think{i}", own], [f"left{i}"])
        of.after(f"take_right{i}", 1.0, [f"think{i}", other], [f"right{i}"])
        of.after(f"then_right{i}", 1.0, [f"left{i}", other], [f"eat{i}"])
        of.after(f"then_left{i}", 1.0, [f"right{i}", own], [f"eat{i}"])
        of.after(f"stop{i}", 1.0, [f"eat{i}"], [f"think{i}", own, other])
    return of.net()


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
