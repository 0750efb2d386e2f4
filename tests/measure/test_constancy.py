"""What the structure of a net says of its figures holds in every run."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import petri
from petri.analysis.constancy import Constancy
from petri.engine.interface import Limits, Session
from petri.net import Net
from petri.run.session import begin
from tests.engine.nets import nets
from tests.engines import ENGINES, FASTEST

LIMITS = Limits(firings_at_an_instant=60, tokens=60)
FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=25)


def ran(net: Net, seed: int, until: float) -> Session | None:
    """Return a session at an instant; None if it did not come there."""
    session = begin(net, FASTEST, seed, 0, limits=LIMITS)
    if session.advance(until, 5_000) not in ("until", "dead"):
        return None
    session.rest(until)
    return session


def check(net: Net, until: float) -> None:
    said = Constancy(net)
    random_transitions, random_places = said.random
    sessions = [found for seed in range(3) if (found := ran(net, seed, until)) is not None]
    if not sessions:
        return
    seen = [session.observe() for session in sessions]
    event(f"same places {len(net.places) - len(random_places)}")
    event(f"same transitions {len(net.transitions) - len(random_transitions)}")
    for one in seen:
        for p in range(len(net.places)):
            least, most = said.tokens(p)
            assert least * one.elapsed <= one.integral[p] * (1 + 1e-12), net.places[p].name
            assert one.integral[p] <= most * one.elapsed * (1 + 1e-12) if math.isfinite(most) else True
        for t in range(len(net.transitions)):
            least, most = said.in_progress(t)
            assert least * one.elapsed <= one.in_progress[t] * (1 + 1e-12), net.transitions[t].name
            assert one.in_progress[t] <= most * one.elapsed * (1 + 1e-12) if math.isfinite(most) else True
    for other in seen[1:]:
        for name in ("integral", "nonempty", "arrivals"):
            same = getattr(seen[0], name) == getattr(other, name)
            assert all(same[p] for p in range(len(net.places)) if p not in random_places), name
        for name in ("firings", "in_progress", "active", "set", "dropped"):
            same = getattr(seen[0], name) == getattr(other, name)
            assert all(same[t] for t in range(len(net.transitions)) if t not in random_transitions), name
    if not any(session.drew for session in sessions):
        assert len({session.hash for session in sessions}) == 1


@given(nets(), st.sampled_from([3.0, 40.0]))
@FEW
def test_of_random_nets(net: Net, until: float) -> None:
    check(net, net.tick.ticks(until))


@pytest.mark.slow
@given(nets(), st.sampled_from([3.0, 40.0]))
@settings(FEW, max_examples=1000)
def test_of_many_random_nets(net: Net, until: float) -> None:
    check(net, net.tick.ticks(until))


# Which transitions are random, of nets that say why.
NETS = {
    "two clocks, one of which draws": (
        "place a = token  place b = token  transition t: a -> a takes 3  transition u: b -> b takes exp(2)",
        {"u"},
    ),
    "a queue behind a clock": (
        """place c = token  place q  place s = token
        transition arrive: c -> c, q takes 3  transition serve: q, s -> s takes exp(2)""",
        {"serve"},
    ),
    "two that want one token": (
        "place a = token  transition t: a -> a takes 1  transition u: a -> a takes 2",
        {"t", "u"},
    ),
    "one that goes first": (
        "place a = token  transition t: a -> a takes 1 priority 1  transition u: a -> a takes 2",
        set(),
    ),
    "one that is let in by one that may come first": (
        """place c = token  place d  place q cap 1  place s = token
        transition arrive: c -> c, d takes 2   transition serve: q, s -> s takes 2
        transition enter: d -> q priority 1    transition lose: d -> nothing""",
        {"enter", "lose", "serve"},
    ),
    "the same, and it comes first": (
        """place c = token  place d  place q cap 1  place s = token
        transition arrive: c -> c, d takes 2   transition serve: q, s -> s takes 2 priority 2
        transition enter: d -> q priority 1    transition lose: d -> nothing""",
        set(),
    ),
    "a bag of numbers": ("place a : int = 1, 2  transition t: a(n) -> a(n + 1) takes 1", {"t"}),
    "a line of numbers": ("place a : int fifo = 1, 2  transition t: a(n) -> a(n + 1) takes 1", set()),
    "a chain at one instant": (
        """place c = token  place a  place b
        transition go: c -> c, a takes 1  transition t: a -> b  transition u: b -> nothing""",
        set(),
    ),
}


@pytest.mark.parametrize("name", NETS)
def test_what_is_random(name: str) -> None:
    text, random = NETS[name]
    net = petri.loads(f"net test\n{text}").net
    found, _ = Constancy(net).random
    assert {net.transitions[t].name for t in found} == random


def test_what_is_always_empty_or_always_busy() -> None:
    net = petri.load("mm1").net
    said, names = Constancy(net), [place.name for place in net.places]
    assert [said.tokens(p) for p in range(3)] == [(0.0, 0.0), (0.0, math.inf), (0.0, 1.0)]
    assert names == ["source", "queue", "server"]
    assert [said.in_progress(t) for t in range(2)] == [(1.0, 1.0), (0.0, 1.0)]
    assert said.is_conserved({2: 1.0}, {1: 1.0})
    assert not said.is_conserved({1: 1.0}, {1: 1.0})


def test_opposite_guards_leave_nothing() -> None:
    text = """net test  place s = token  place d : int  place e : int
    transition come: s -> s, d(x) draw x ~ uniform(1..6) takes exp(1)
    transition low: d(n) -> nothing when n < LIMIT
    transition high: d(n) -> nothing when n >= 3"""
    for limit, empty in ((3, True), (2, False)):
        assert (1 in Constancy(petri.loads(text.replace("LIMIT", str(limit))).net).emptied_at_once) is empty


@pytest.mark.parametrize("engine", ENGINES)
def test_whether_anything_was_drawn(engine: str) -> None:
    for text, drew in (("takes 2", False), ("takes exp(2)", True), ("takes 2 * bernoulli(0.5) + 1", True)):
        model = petri.loads(f"net test  place a = token  transition t: a -> a {text}")
        for own in (False, True):
            result = model.with_own_streams(own).run(until=10, replications=2, engine=engine)
            assert [one.drew for one in result.replications] == [drew, drew]
