"""Both engines on random nets: the same trajectory, statistics, marking and errors."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import petri
from petri.engine.interface import Limits, Session
from petri.engine.native import MOST_FIRINGS, available
from petri.measure.observation import Observation
from petri.net import DECISION, Net
from petri.run.session import begin
from petri.structs import replace
from tests.engine.copies import several
from tests.engine.nets import nets
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

NETS = Path(__file__).parents[2] / "benchmarks" / "nets"
LIMITS = Limits(firings_at_an_instant=60, tokens=60)
FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=12)
MANY_NETS = settings(FEW, max_examples=150)


def same(one: object, other: object) -> bool:
    """Numbers, and arrays of them, that are equal to the last bit."""
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)


def assert_same_probe(one: Mapping[str, object], other: Mapping[str, object]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert same(one[name], other[name]), name


def assert_same_observation(one: Observation, other: Observation) -> None:
    for name in ("maximum", "arrivals", "initial", "firings", "set", "dropped"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in ("elapsed", "integral", "nonempty", "in_progress", "active"):
        assert same(getattr(one, name), getattr(other, name)), name
    assert len(one.probes) == len(other.probes)
    for a, b in zip(one.probes, other.probes, strict=True):
        assert_same_probe(a, b)


def assert_same_state(one: Session, other: Session) -> None:
    assert (one.firings, one.now, one.hash) == (other.firings, other.now, other.hash)
    assert one.error == other.error
    assert one.marking() == other.marking()
    assert one.clocks() == other.clocks()
    levels = one.levels(), other.levels()
    assert (levels[0] is None) == (levels[1] is None)
    assert levels[0] is None or same(*levels)
    assert_same_observation(one.observe(), other.observe())


def pair(net: Net, seed: int) -> tuple[Session, Session]:
    levels = seed % 2 == 1  # observed beside the trace, or not at all
    first = begin(net, "reference", seed, 0, limits=LIMITS, trace=True, levels=levels)
    return first, begin(net, "native", seed, 0, limits=LIMITS, trace=True, levels=levels)


def with_code(net: Net, seed: int, patiences: Sequence[int], limits: Limits, levels: bool = False) -> list[Session]:
    """Native sessions that make machine code after these numbers of firings. Code belongs to a net: each has a copy."""
    found = []
    for patience in patiences:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("petri.engine.native.PATIENCE", patience)
            found.append(begin(replace(net, doc=net.doc), "native", seed, 0, limits=limits, levels=levels))
    return found


def assert_pieces_agree(net: Net, pieces: int, firings: int) -> None:
    """Check that both engines are in the same state after each piece of a run."""
    reference, native = (begin(net, engine, 1, 0) for engine in ("reference", "native"))
    for _ in range(pieces):
        for session in (reference, native):
            session.advance(math.inf, firings)
        assert_same_state(reference, native)


def assert_pieces_change_nothing(net: Net, seed: int) -> None:
    """Check, one firing at a time and all at once, that the native engine does the same."""
    whole = begin(net, "native", seed, 0, limits=LIMITS)
    pieces = begin(net, "native", seed, 0, limits=LIMITS)
    whole.advance(10.0, 100)
    while pieces.firings < 100 and pieces.advance(10.0, 1) == "budget":
        pass
    assert_same_state(whole, pieces)


def assert_same_run(net: Net, seed: int, piece: int) -> None:
    assert_pieces_change_nothing(net, seed)  # here, as most of the time goes into making nets
    reference, native = pair(net, seed)
    for until in (3.0, math.inf):
        for _ in range(4):
            reason = reference.advance(until, piece)
            assert native.advance(until, piece) == reason
            traced = [(f.start, f.end, f.transition, tuple(f.variables)) for f in reference.trace()]
            assert [(f.start, f.end, f.transition, tuple(f.variables)) for f in native.trace()] == traced
        assert_same_state(reference, native)
        reference.begin_window()
        native.begin_window()
    event(reason if reference.error is None else reference.error.id)
    event(f"{min(reference.firings // 20 * 20, 100)} firings or more")


RUNS = given(nets(), st.integers(0, 3), st.integers(1, 30))
test_same_run = FEW(RUNS(assert_same_run))
test_same_run_of_many_nets = pytest.mark.slow(MANY_NETS(RUNS(assert_same_run)))


def assert_decisions_agree(net: Net, seed: int, piece: int, patience: int) -> None:
    """Check that both engines ask for the same decisions, and do the same for them (I13).

    Most of the transitions that may wait for one do.
    """
    chance = random.Random(seed)
    decided = [one.clock is None and chance.random() < 0.8 for one in net.transitions]
    waiting = [replace(one, priority=DECISION) if d else one for one, d in zip(net.transitions, decided, strict=True)]
    net = replace(net, transitions=tuple(waiting), stops_at_decisions=True)
    reference = begin(net, "reference", seed, 0, limits=LIMITS)
    [native] = with_code(net, seed, [patience], LIMITS)
    reason, decisions = "budget", 0
    while reason in ("budget", "decision") and reference.firings < 60 and decisions < 60:
        reason = reference.advance(math.inf, piece)
        assert native.advance(math.inf, piece) == reason
        choices = reference.choices()
        assert native.choices() == choices
        if reason == "decision":
            decisions += 1
            if chance.random() < 0.2:
                reference.pass_over()
                native.pass_over()
                continue
            index, values = chance.choice(choices)
            found = (match.bind for arc in net.transitions[index].inputs for match in arc.pattern)
            wanted = {bound: values[bound] for bound in found if bound is not None and chance.random() < 0.7}
            assert reference.decide(index, wanted)
            assert native.decide(index, wanted)
    assert_same_state(reference, native)
    event(f"{min(decisions, 2)} decisions or more")


DECISIONS = given(nets(), st.integers(0, 3), st.integers(1, 30), st.sampled_from([0, MOST_FIRINGS]))
test_the_same_is_decided = FEW(DECISIONS(assert_decisions_agree))
test_the_same_is_decided_in_many_nets = pytest.mark.slow(MANY_NETS(DECISIONS(assert_decisions_agree)))


# Machine code leaves the last thousand firings before the limit of an instant to the interpreter.
FAR = Limits(firings_at_an_instant=5000, tokens=60)


def assert_code_does_the_same(net: Net, copies: int, seed: int, piece: int, patience: int, levels: bool) -> None:
    """Check one net, or several alike side by side, which share their code."""
    net = net if copies == 1 else several(net, copies)
    reference = begin(net, "reference", seed, 0, limits=FAR, levels=levels)
    with pytest.MonkeyPatch.context() as patch:
        # At once, or when the interpreter has begun.
        patch.setattr("petri.engine.native.PATIENCE", patience)
        compiled = begin(net, "native", seed, 0, limits=FAR, levels=levels)
    for until in (3.0, math.inf):
        for _ in range(4):
            assert compiled.advance(until, piece) == reference.advance(until, piece)
        assert_same_state(reference, compiled)
        reference.begin_window()
        compiled.begin_window()
    event("none" if reference.error is None else reference.error.id)


CODED_RUNS = given(
    nets(),
    st.sampled_from([1, 1, 2, 5]),
    st.integers(0, 3),
    st.integers(1, 60),
    st.sampled_from([0, 40]),
    st.booleans(),
)
test_machine_code_does_the_same = FEW(CODED_RUNS(assert_code_does_the_same))
test_machine_code_does_the_same_in_many_nets = pytest.mark.slow(MANY_NETS(CODED_RUNS(assert_code_does_the_same)))


def test_ends_at_one_instant_come_before_any_start_in_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Firings of 2 and of 1 + 1 end together, so that `both` is enabled before `alone` can start (I1)."""
    text = """net together
place a = token
place b = token
place half
place x
place y
transition long:  a -> x       takes 2.0
transition first: b -> half    takes 1.0
transition last:  half -> y    takes 1.0
transition both:  x, y -> a, b priority 1
transition alone: x -> a
"""
    net = petri.loads(text).net
    monkeypatch.setattr("petri.engine.native.PATIENCE", 0)
    reference, compiled = begin(net, "reference", 1, 0, limits=FAR), begin(net, "native", 1, 0, limits=FAR)
    for session in (reference, compiled):
        session.advance(100.0, 10_000)
    assert compiled.observe().firings[[t.name for t in net.transitions].index("alone")] == 0
    assert_same_state(reference, compiled)


JOINS = """net joins
place left  : {{ key: {keys}, n: int }} = {{key: i mod {spread}, n: i}} for i in 0..{size}-1
place right : {{ key: {keys}, n: int }} = {{key: i mod {spread}, n: i}} for i in 0..{size}-1
place ask   : {{ key: {keys}, n: int }}
transition join: left({{key: k, n: a}}), right({{key: k, n: b}}) -> left({{key: x, n: a}}), right({{key: y, n: b}})
  {guard}
  draw x ~ uniform(0..{spread}-1), y ~ uniform(0..{spread}-1)
  takes exp(1)
transition drift: left(p) -> ask(p)  takes exp(2)
"""
# Then two joins look tokens up in one index.
ANSWER = """transition answer: ask({key: k, n: a}), right({key: k, n: b})
  -> left({key: k, n: a}), right({key: k, n: b + 1})
  takes exp(0.5)
"""
RETURN = """transition give_back: ask(p) -> left(p)  takes 1.0
"""
FEW_KEYS, MANY_KEYS, HASHED = "0..9", "0..999", "0..1_000_000"


@pytest.mark.parametrize("rest", one_in(2, [ANSWER, RETURN], {ANSWER: "two joins", RETURN: "one join"}.__getitem__))
@pytest.mark.parametrize("guard", ["", "when a mod 3 != 0"], ids=["all", "filtered"])
@pytest.mark.parametrize(
    ("keys", "spread", "size"),
    [
        (FEW_KEYS, 10, 12),  # a token or two of each key
        pytest.param(FEW_KEYS, 10, 50, marks=pytest.mark.slow),  # more than a bucket holds
        (FEW_KEYS, 2, 40),  # more than a byte counts
        pytest.param(MANY_KEYS, 250, 300, marks=pytest.mark.slow),  # more seats than a block has
        (HASHED, 30, 60),
    ],
)
def test_joins_in_machine_code(
    monkeypatch: pytest.MonkeyPatch, keys: str, spread: int, size: int, guard: str, rest: str
) -> None:
    net = petri.loads(JOINS.format(keys=keys, spread=spread, size=size, guard=guard) + rest).net
    monkeypatch.setattr("petri.engine.native.PATIENCE", 0)
    limits = Limits(firings_at_an_instant=5000, tokens=5000)
    reference, compiled = (begin(net, engine, 1, 0, limits=limits) for engine in ("reference", "native"))
    for piece in (1, 10, 60):
        for session in (reference, compiled):
            session.advance(math.inf, piece)
        assert_same_state(reference, compiled)


# Stations that are alike but for their numbers, beside others that are not, each in another way.
STATIONS = """net stations
type Part = { kind: 0..3, seen: int }
place queue[0..9] : Part fifo = { kind: i mod 4, seen: 0 } for i in 0..1
place shelf[0..9] : Part lifo = { kind: 1, seen: i } for i in 0..2
place free[0..9] = 2 * token
place spare[0..9] = token
transition work[i in 0..9]: queue[i](p), free[i] -> queue[(i + 1) mod 10]({kind: i mod 4, seen: p.seen + 1}), free[i]
  takes exp(0.5 + i)
transition rest[i in 0..9]: 2 * free[i], spare[i] -> 2 * free[i], spare[i]  takes 1.0 + i mod 3
transition move[i in 0..9]: shelf[i](p) -> shelf[(i * 3) mod 10]({kind: p.kind, seen: p.seen + i})
  when p.seen mod (i + 2) != 1
  takes i / 4
transition swap[i in 0..9]: spare[i], shelf[i](p) -> spare[(i + 5) mod 10], queue[i](p)
  takes exp(if i < 5 then 1.0 else 2.0)
"""


@pytest.mark.parametrize("patience", [0, 100])
def test_transitions_that_are_alike_and_others(patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
    assert_pieces_agree(petri.loads(STATIONS).net, 10, 200)


# Lines from which tokens are taken, until none is left or to make room for others of the same key.
LINES = """net lines
type Item = {{ k: 0..2, n: int }}
place queue : Item {discipline} per k {capacity} = {{k: i mod 3, n: i}} for i in 0..{last}
place go = 3 * token
place out : Item
{transitions}
"""
DRAIN = "transition take: go, queue(i) -> go, out(i)"
TO_ONE = """transition move: queue({k: k, n: n}) -> queue({k: 2, n: n + 1})  takes exp(1)
transition back: queue({k: 2, n: n}) -> queue({k: n mod 2, n: n}) in 1.0, go  takes exp(2)"""
TO_SOME = """transition move: go, queue({k: k, n: n})
  -> if n > 0 then queue({k: n mod 3, n: n + 1}) in exp_of[k], go  takes exp(1)
const exp_of = [0.0, 0.5, 2.0]"""


@pytest.mark.parametrize("discipline", ["fifo", "lifo", "by -n"])
@pytest.mark.parametrize(
    ("transitions", "capacity", "last"), [(DRAIN, "", 6), (TO_ONE, "cap 2", 4), (TO_SOME, "cap 3", 5)]
)
@pytest.mark.parametrize("patience", one_in(2, [0, 20]))
def test_lines(
    transitions: str, capacity: str, last: int, discipline: str, patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = LINES.format(transitions=transitions, capacity=capacity, last=last, discipline=discipline)
    monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
    assert_pieces_agree(petri.loads(text).net, 6, 40)


# Keys whose values are not declared: some stay among few, others go anywhere.
WANDERING = """net wandering
place left : { key: int, n: int } = {key: i, n: 0} for i in 0..9
place right : { key: int, n: int } = {key: i, n: 0} for i in 0..9
place asked : int
transition join: left({key: k, n: a}), right({key: k, n: b})
  -> left({key: x, n: a + 1}), right({key: {new}, n: b}), asked(b)
  draw x ~ uniform(0..9)
  takes exp(1)
transition answer: asked(n), right({key: n, n: b}) -> right({key: n, n: b + 1})  takes exp(1)
"""


@pytest.mark.parametrize("new", ["9 - x", "k", "min(k + 1, 12)", "k + 1", "0 - k", "k * k"])
def test_keys_whose_values_are_found(new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    net = petri.loads(WANDERING.replace("{new}", new)).net
    monkeypatch.setattr("petri.engine.native.PATIENCE", 20)
    reference, compiled = (begin(net, engine, 1, 0) for engine in ("reference", "native"))
    for _ in range(6):
        for session in (reference, compiled):
            session.advance(math.inf, 40)
        assert_same_state(reference, compiled)


# Where thousands of firings are in progress, the engine foresees what the next ones will touch.
MANY = [
    ("ring", {"stations": 3000, "share": 1}),
    ("ring", {"stations": 20_000, "share": 1}),
    ("folded_ring", {"stations": 3000}),
    ("folded_ring", {"stations": 30_000}),
    ("keyed_bag", {"waiting": 20_000}),
    ("in_progress", {"firings": 3000}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters"), MANY)
def test_thousands_of_firings_in_progress(
    name: str, parameters: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    net = petri.load(NETS / f"{name}.net", **parameters).net
    interpreted = begin(net, "native", 1, 0)
    monkeypatch.setattr("petri.engine.native.PATIENCE", 0)
    sessions = [interpreted, begin(net, "native", 1, 0)]
    for session in sessions:
        session.advance(math.inf, 30_000)
    assert_same_state(*sessions)


@pytest.mark.slow
def test_thousands_of_firings_in_progress_in_the_reference() -> None:
    net = petri.load(NETS / "in_progress.net", firings=2100).net
    sessions = [begin(net, engine, 1, 0) for engine in ("reference", "native")]
    for session in sessions:
        session.advance(math.inf, 4000)
    assert_same_state(*sessions)
