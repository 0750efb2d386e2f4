"""Transitions that wait for a decision (I13), in a component and as episodes."""

from __future__ import annotations

import random

import pytest

import petri
from petri.component import Component
from petri.diagnostics import LanguageError
from tests.engines import ENGINES
from tests.training.nets import ADMISSION, ASSIGNMENT


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def played(net: Component, end: float, waits: bool) -> None:
    """Decide by a generator of random numbers of its own."""
    chance = random.Random(2)
    while net.advance(end) < end:
        choices = net.choices()
        assert choices
        if waits and chance.random() < 0.3:
            net.decide(None)
        else:
            net.decide(*chance.choice(choices))


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("text", [ADMISSION, ASSIGNMENT])
def test_both_engines_do_the_same_for_the_same_decisions(text: str, waits: bool) -> None:
    found = []
    for engine in ("reference", "native"):
        net = petri.loads(text).component(engine=engine, seed=4)
        played(net, 60.0, waits)
        found.append((net.hash, net.firings, net.now, net.marking, net.figures()))
    assert found[0] == found[1]
    assert found[0][1] > 50


def test_what_is_decided(engine: str) -> None:
    net = petri.loads(ASSIGNMENT).component(engine=engine)
    assert net.choices() == []
    now = net.advance(1000.0)
    assert 0.0 < now < 1000.0
    choices = net.choices()
    assert len(choices) == 3
    assert choices[0].transition == "assign"
    assert {choice.values["c"] for choice in choices} == {"ann", "bob", "eve"}
    task = choices[0].values
    assert net.advance(1000.0) == now  # it insists
    for wrong in (("come", {}), ("assign", {"c": "joe"}), ("assign", {"who": "bob"})):
        with pytest.raises(LanguageError, match="does not wait for this decision"):
            net.decide(*wrong)
    kept = net.snapshot()
    net.decide("assign", {"c": "bob"})
    assert net.choices() == []
    with pytest.raises(LanguageError):
        net.decide("assign", {"c": "ann"})
    after = net.advance(1000.0)
    assert [choice.values["c"] for choice in net.choices()] in (["ann", "eve"], ["ann", "eve", "bob"])
    net.restore(kept)
    assert net.choices() == choices
    net.decide("assign", {"c": "bob", **{name: value for name, value in task.items() if name != "c"}})
    assert net.advance(1000.0) == after


def test_of_several_bindings_the_net_prefers_one(engine: str) -> None:
    net = petri.loads(ASSIGNMENT).component(engine=engine)
    while net.advance(1000.0) < 1000.0 and len(net.choices()) < 9:  # three tasks wait
        net.decide(None)
    oldest = min(choice.values["t.born"] for choice in net.choices())
    net.decide("assign", {"c": "eve"})
    net.advance(net.now)
    assert oldest not in [task["born"] for task in net.marking["queue"]]


def test_a_net_that_decides_by_itself_may_be_asked_at_the_end_of_an_instant_alone(engine: str) -> None:
    text = """net late
place a = 2 * token
place b
place c
transition t: a -> b, c
transition ask: c -> nothing decide
transition u: b -> nothing
measure asked = tokens(b) at ask record max
run until 10
"""
    net = petri.loads(text).component(engine=engine)
    assert net.advance(5.0) == 0.0
    assert (len(net.choices()), net.marking["a"], net.marking["b"]) == (1, [], [])
    net.decide("ask")
    assert net.advance(5.0) == 0.0
    net.decide(None)
    assert net.advance(5.0) == 5.0
    assert net.marking["c"] == [None]
    assert petri.loads(text + "measure n = count(ask)\n").run(engine=engine).measure("n").value == 2


def test_a_run_decides_at_random(engine: str) -> None:
    """3,000 customers: with a chance of 1/2 each, 1,500 ± 5 · 27 are admitted but in 1 of 1.7 million seeds."""
    counted = "".join(f"measure {name}s = count({name})\n" for name in ("admit", "refuse", "arrive"))
    result = petri.loads(ADMISSION + counted).run(until=3000, seed=1, engine=engine)
    counts = [result.measure(name).value for name in ("admits", "refuses", "arrives")]
    assert abs(counts[0] - counts[1]) < 2 * 137
    assert counts[0] + counts[1] == counts[2] - 1


def test_a_component_without_decisions_is_the_net_itself() -> None:
    model = petri.loads("place p = token\ntransition t: p -> p takes 1")
    assert model.component()._net is model.net
