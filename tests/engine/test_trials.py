"""Both engines have the same trials, thresholds and sums, bit for bit; copies of engines go on as saved states do."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import petri
from petri.engine.interface import Limits, Threshold
from petri.engine.native import NativeTrials, available
from petri.engine.seeds import seed_words
from petri.engine.trials import ReferenceTrials
from petri.net import Chance, Expr, Net, Watched
from petri.run.plan import Plan
from petri.run.stop import StopSign
from petri.run.trials import begin_trials
from tests.engine.nets import nets
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

QUEUES = """
place source = token
place one cap 4
place two cap 6 = 2 * token
place free = token
transition arrive: source -> source, one  {after} exp(1)
transition pass:   one -> two             {after} exp(0.7)
transition leave:  two, free -> free      {after} {service}
measure loss = probability(tokens(two) == 5 before tokens(two) == 0) splitting on 2.5 * tokens(two) + tokens(one)
"""
COLOURED = """
type Job = { size: int, born: int }
place source : int = 0
place queue : Job by size
place held : Job bag
place servers = 2 * token
place done
place cup
transition arrive: source(n) -> source((n + 1) mod 7), queue({ size: (5 * n) mod 7, born: n })  takes exp(1)
transition start:  queue(j), servers -> held(j)
transition finish: held(j) -> servers, done  after uniform(1..1 + j.size)  prefer least j.born
transition leave:  3 * done -> cup in 2  takes 1
measure many = probability(tokens(queue) >= 5 before tokens(cup) >= 2 within 40 of tokens(held) == 2)
  splitting on tokens(queue) + tokens(held)
"""
SHARE = """
place source = token
place one cap 4
place two cap 6 = 2 * token
transition arrive: source -> source, one  after exp(1)
transition pass:   one -> two             takes uniform(0.2..0.9)
transition leave:  two -> nothing         after uniform(0.2..0.8) resume
measure full = share(tokens(two) >= 4) splitting on 2 * tokens(two) + tokens(one)
"""
NETS = {
    "clocks": QUEUES.format(after="after", service="exp(0.5)"),
    "firings": QUEUES.format(after="takes", service="erlang(2, 0.5)"),
    "own clocks": QUEUES.format(after="after", service="uniform(0.2..0.8) resume"),
    "coloured": COLOURED,
    "share of time": SHARE,
}


@pytest.mark.parametrize("name", one_in(2, NETS))
@pytest.mark.parametrize("patience", one_in(2, [0, 10**9], {0: "machine code", 10**9: "interpreted"}.__getitem__))
def test_both_engines_agree(name: str, patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
    net = petri.loads(NETS[name]).net
    seed, pilot_seed = seed_words(3, 0, 0, 0), seed_words(3, 0, 0, 1)
    found = []
    for engine in ("reference", "native"):
        trials = begin_trials(net, net.chances[0], Plan(12.0, 4.0, engine=engine), StopSign())
        pilot = trials.pilot(pilot_seed, 15, 0.3)
        values = [value for value, _ in pilot.thresholds][:2]
        thresholds = [Threshold(value, factor) for value, factor in zip(values, (3, 2), strict=False)]
        thresholds = thresholds or [Threshold(2, 3), Threshold(3, 2)]
        found.append((pilot, trials.run(seed, 0, 8, thresholds), trials.run(seed, 8, 2, []), trials.error))
    assert found[0] == found[1]
    assert found[0][1].split


def most_tokens(net: Net) -> Expr:
    """Return the sum of the tokens of all places."""
    found = Expr("tokens", "int", value=0)
    for place in range(1, len(net.places)):
        found = Expr("add", "int", (found, Expr("tokens", "int", value=place)))
    return found


def assert_same_trials(net: Net, seed: int, patience: int) -> None:
    assert_same_until(60, net, seed, patience)


def assert_same_until(most_firings: int, net: Net, seed: int, patience: int) -> None:
    """Paths are split wherever a token more is there than at the start, so that each part of a state is copied."""
    held = sum(place.held for place in net.places)
    many = Expr("ge", "bool", (most_tokens(net), Expr("const", "int", value=held + 4)))
    within = Expr("const", "real", value=2.0**40)
    chance = Chance(Watched(many), within=within, importance=Watched(most_tokens(net)))
    thresholds = [Threshold(held, 2), Threshold(held + 1, 2), Threshold(held + 2, 2)]
    limits = Limits(firings_at_an_instant=60, tokens=60)
    words = seed_words(seed, 0, 0, 0)
    reference = ReferenceTrials(net, chance, limits, most_firings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("petri.engine.native.PATIENCE", patience)
        native = NativeTrials(net, chance, limits, most_firings)
    for first in range(4):
        found = [trials.run(words, first, 1, thresholds) for trials in (reference, native)]
        assert found[0] == found[1]
        fault, other = reference.error, native.error
        assert (fault and fault.id) == (other and other.id)
        event(f"ended early, {fault.id}" if fault else f"hit: {found[0].hits > 0}")
        if fault:
            return


FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=10)
RUNS = given(nets(), st.integers(0, 3), st.sampled_from([0, 10**9]))
test_same_trials = FEW(RUNS(assert_same_trials))
test_same_trials_of_many_nets = pytest.mark.slow(settings(FEW, max_examples=100)(RUNS(assert_same_trials)))


def test_a_fault_is_told_by_both_engines() -> None:
    text = """
    place a : int = 3
    transition t: a(n) -> a(n - 1)  takes 12 div n
    measure m = probability(tokens(a) == 9 before tokens(a) > 1)
    """
    faults = []
    for engine in ("reference", "native"):
        result = petri.loads(text).run(engine=engine)
        assert result.failure is not None
        faults.append(result.failure)
    assert faults[0] == faults[1]
    assert faults[0].id == "division-by-zero"


def test_what_nobody_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    net = petri.loads(
        "place a = token  transition t: a -> a  takes 1  measure m = probability(tokens(a) == 3 within 9e9)"
    ).net
    plan = Plan(math.inf)
    for kind in (ReferenceTrials, NativeTrials):
        trials = kind(net, net.chances[0], plan.limits, 500)
        assert trials.run((1, 2, 3), 0, 5, []).trials == 0
        assert trials.error is not None
        assert trials.error.id == "trial-endless"


@given(st.integers(3, 15))
@settings(FEW, max_examples=13, derandomize=True)
def test_a_trial_has_no_more_firings_than_it_may_where_its_last_path_hit(most_firings: int) -> None:
    """A path that hits may go beyond the limit; the next one is over at its first look, however early it began."""
    births = petri.loads("net births\nplace a = token\ntransition born: a -> 2 * a  after exp(1)\nrun until dead").net
    assert_same_until(most_firings, births, 0, 10**9)
