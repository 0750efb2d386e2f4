"""Rules Q1 to Q6: trials, on nets whose probabilities can be worked out by hand."""

import math

import numpy as np
import pytest

import petri
from petri import LanguageError
from petri.engine.interface import Pilot, Threshold
from petri.engine.seeds import seed_words
from petri.measure.tally import Tally
from petri.net import Chance, Expr, Watched
from petri.result import Result
from petri.run.plan import Plan
from petri.run.replications import replicate
from petri.run.stop import StopSign
from petri.run.trials import begin_trials, factors, tally_of

SEED = seed_words(1, 0, 0, 0)
FLIP = """
place coin : int = 0
place heads
place tails
transition flip: coin(n) -> if up == 1 then heads else tails  draw up ~ bernoulli(0.25)  takes 1
"""
# Up by one with probability 1/3, down otherwise; from 1.
WALK = """
place walker = token
place height = token
transition up:   walker -> walker, height  after exp(1)
transition down: height -> nothing         after exp(1 / 2)
"""


def found(
    text: str,
    engine: str,
    trials: int = 1,
    thresholds: list[Threshold] | None = None,
    until: float = math.inf,
    warmup: float = 0.0,
) -> Tally:
    """Return the first trials of the first question of a net."""
    net = petri.loads(text).net
    asked = begin_trials(net, net.chances[0], Plan(until, warmup, engine=engine), StopSign())
    tally = asked.run(SEED, 0, trials, thresholds or [])
    assert asked.error is None
    return tally


def hits(question: str, engine: str, net: str) -> int:
    return found(f"{net}\nmeasure m = probability({question})", engine).hits


TICKING = "place clock = token  place seen  transition tick: clock -> clock, seen  takes 2"


@pytest.mark.parametrize(
    ("question", "hit"),
    [
        ("tokens(seen) >= 3 before tokens(seen) >= 4", 1),
        ("tokens(seen) >= 4 before tokens(seen) >= 3", 0),
        ("tokens(seen) >= 3 before tokens(seen) >= 3", 1),  # at one instant: it hits
        ("tokens(seen) >= 3 within 6", 1),  # at the very end of the time
        ("tokens(seen) >= 3 within 5.9", 0),
        ("tokens(seen) >= 3 within 2 of tokens(seen) >= 2", 1),
        ("tokens(seen) >= 4 within 2 of tokens(seen) >= 2", 0),
        ("tokens(seen) == 1 within 2 of tokens(seen) >= 2", 0),  # what was before the question does not count
        ("tokens(seen) >= 2 within 2 of tokens(seen) >= 2", 1),
        ("tokens(seen) >= 2 before tokens(seen) != 1", 1),  # it holds at the start: only a return stops
        ("tokens(seen) >= 3 before tokens(seen) != 1", 0),
        ("tokens(seen) == 0 before tokens(seen) == 0", 1),
    ],
)
def test_q1_a_trial(engine: str, question: str, hit: int) -> None:
    assert hits(question, engine, TICKING) == hit


def test_q1_it_misses_where_nothing_can_happen(engine: str) -> None:
    net = "place clock = 2 * token  place seen  transition tick: clock -> seen  takes 2"
    assert hits("tokens(seen) >= 2 before tokens(seen) > 4", engine, net) == 1
    assert hits("tokens(seen) >= 3 before tokens(seen) > 4", engine, net) == 0


def test_q1_markings_within_an_instant_do_not_count(engine: str) -> None:
    net = "place a = token  place b  place c  transition t: a -> b  takes 1  transition u: b -> c"
    assert hits("tokens(b) == 1 before tokens(c) == 1", engine, net) == 0
    assert hits("firings(t) == 1 before tokens(c) == 1", engine, net) == 1


def test_q2_random_numbers_of_trials(engine: str) -> None:
    """The same trials, together and one by one; others with another seed."""
    text = f"{FLIP}\nmeasure m = probability(tokens(heads) == 1 before tokens(tails) == 1)"
    net = petri.loads(text).net
    asked = begin_trials(net, net.chances[0], Plan(math.inf, engine=engine), StopSign())
    one_by_one = [asked.run(SEED, number, 1, []).hits for number in range(60)]
    assert sum(one_by_one) == asked.run(SEED, 0, 60, []).hits
    assert "".join(map(str, one_by_one)).startswith(FLIPS)
    assert one_by_one != [asked.run(seed_words(2, 0, 0, 0), number, 1, []).hits for number in range(60)]


FLIPS = "010001000010100010111001"


def test_q3_splitting(engine: str) -> None:
    """Each path to 3 counts 1 / (2 · 3), and a path that falls below its threshold ends."""
    text = (
        f"{WALK}\nmeasure m = probability(tokens(height) == 4 before tokens(height) == 0) splitting on tokens(height)"
    )
    tally = found(text, engine, 40, [Threshold(2, 2), Threshold(3, 3)])
    assert tally.hits > 0
    assert tally.sum == pytest.approx(tally.hits / 6)
    # Ruin: (2 − 1) / (2⁴ − 1) = 1/15.
    assert abs(tally.estimate - 1 / 15) < 0.1


def test_q3_a_jump_over_thresholds_is_split_at_each(engine: str) -> None:
    """All paths hit, so the sum of what they count is exactly 1."""
    net = "place a = token  place b  transition t: a -> 5 * b  takes 1  transition u: 5 * b -> nothing  after 1"
    question = "measure m = probability(tokens(b) == 0 within 9 of tokens(b) > 1) splitting on tokens(b)"
    tally = found(f"{net}\n{question}", engine, 1, [Threshold(1, 2), Threshold(3, 3), Threshold(5, 2)])
    # Those born at a threshold end when they fall below it, unless they hit at that instant.
    assert tally.hits == 12
    assert tally.sum == pytest.approx(1.0)


def test_q4_the_estimate(engine: str) -> None:
    text = f"{FLIP}\nmeasure m = probability(tokens(heads) == 1 before tokens(tails) == 1, trials: 200)"
    model = petri.loads(text)
    ran, _ = replicate(model.net, Plan(1.0, engine=engine), range(2))
    tallies = [one.window.chances[0] for one in ran]
    interval = Result(model.net, Plan(1.0, engine=engine), ran).measure("m").interval
    assert interval.mean == sum(tally.hits for tally in tallies) / 400
    assert interval.low < 0.25 < interval.high
    assert interval.n == 400


@pytest.mark.parametrize("split", ["", " splitting on tokens(height)"])
def test_q4_a_run_makes_its_trials_once(engine: str, split: str) -> None:
    """However many replications it has, and threads."""
    text = f"{WALK}\nmeasure m = probability(tokens(height) == 4 before tokens(height) == 0, trials: 60){split}"
    model = petri.loads(text)
    one = model.run(until=1, engine=engine, threads=1).replications[0].window.chances
    result = model.run(until=1, engine=engine, replications=5, threads=3)
    assert [ran.window.chances for ran in result.replications] == [one, (), (), (), ()]
    assert result.measure("m").interval.n == 60


def test_q5_factors() -> None:
    """The product up to threshold i is about 1 / √(Pᵢ Pᵢ₊₁)."""
    chosen = factors(Pilot(((2, 0.25), (3, 0.25), (4, 0.25)), 0.25, (5.0, 5.0, 5.0, 5.0)))
    assert [one.factor for one in chosen] == [8, 4, 4]
    assert [one.value for one in chosen] == [2, 3, 4]


def test_q5_branches_have_as_many_firings_as_long_trials() -> None:
    """A trial has 0.25 * 7 + 0.5 * 3 + 0.5 * 3 branches of 5 firings: for 95, there are four times as many."""
    chosen = factors(Pilot(((2, 0.25), (3, 0.25), (4, 0.25)), 0.25, (95.0, 5.0, 5.0, 5.0)))
    assert [one.factor for one in chosen] == [32, 4, 4]


def test_q5_the_number_of_trials() -> None:
    text = f"{FLIP}\nmeasure m = probability(tokens(heads) == 1 before tokens(tails) == 1"
    for settings, least, most in ((")", 1_000, 2_500), (", precision: 50%)", 1_000, 1_000), (", trials: 7)", 7, 7)):
        net = petri.loads(text + settings).net
        asked = begin_trials(net, net.chances[0], Plan(math.inf), StopSign())
        tally = tally_of(asked, net.chances[0], SEED, SEED)
        assert least <= tally.trials <= most


class Coins:
    """Trials that hit with probability p, each of one firing."""

    error = None

    def __init__(self, p: float, seed: int) -> None:
        self.p, self.chance = p, np.random.default_rng(seed)

    def run(self, seed: object, first: int, count: int, thresholds: object) -> Tally:
        hits = int(self.chance.binomial(count, self.p))
        return Tally(count, hits, hits, hits, 0, count)

    def pilot(self, seed: object, paths: int, wanted: float) -> Pilot:
        raise NotImplementedError


def decide(p: float, error: float, seed: int, *compared: float) -> Tally:
    asked = Chance(Watched(Expr("const", "bool", value=True)), error=error)
    return tally_of(Coins(p, seed), asked, SEED, SEED, compared)


def test_q5_an_expectation_is_decided_as_surely_as_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials of a probability that is the bound itself go on to the end, but where the test errs: on each side in at
    most 5 % of all cases, however often it looks. Of 400 cases 36 are exceeded with a probability of 0.05 %."""
    monkeypatch.setattr("petri.run.trials.MOST_FIRINGS", 300_000)
    found = [decide(0.02, 0.05, seed, 0.02) for seed in range(400)]
    ended = [tally.estimate for tally in found if tally.trials < 300_000]
    assert sum(value < 0.02 for value in ended) <= 36
    assert sum(value > 0.02 for value in ended) <= 36
    assert len(ended) > 0


def test_q5_what_is_clear_is_decided_soon() -> None:
    """Wald's test of 2 % against 4 % needs about 1,500 trials on average; the looks here begin at 1,000."""
    for p, bound in ((0.02, 0.04), (0.04, 0.02)):
        found = [decide(p, 0.01, seed, bound) for seed in range(50)]
        assert all((tally.estimate < bound) == (p < bound) for tally in found)
        assert sum(tally.trials for tally in found) / 50 < 4_000
    # None of n hits: 1 - 1e-5 to the power of n is below the share of the error.
    assert 700_000 < decide(0.0, 0.01, 1, 1e-5).trials < 1_500_000
    # Between two values: the nearer one decides.
    assert decide(0.02, 0.01, 1, 0.018, 0.05).trials > decide(0.02, 0.01, 1, 0.01, 0.05).trials


def test_q5_expectations_are_decided(engine: str) -> None:
    question = "probability(tokens(heads) == 1 before tokens(tails) == 1, error: 2%)"
    text = f"{FLIP}\nmeasure m = {question}\nexpect < 0.3\nexpect m == 0.25 within 0.06"
    result = petri.loads(text).run(engine=engine)
    assert result.passed
    assert all(verdict.certain for _, verdict in result.judged)
    assert result.measure("m").interval.n < 10_000


# Of time 11: at 2, 4, 6, 8 and 10 one more is seen.
SHARE = f"{TICKING}\nmeasure m = share(CONDITION) splitting on tokens(seen)"


@pytest.mark.parametrize(
    ("condition", "warmup", "share"),
    [
        ("tokens(seen) >= 3", 0.0, 5 / 11),  # from 6 to 11
        ("tokens(seen) >= 3", 5.0, 5 / 6),  # what is before the window does not count, nor what is after the end
        ("tokens(seen) >= 3", 7.0, 1.0),
        ("tokens(seen) == 2", 5.0, 1 / 6),
        ("tokens(seen) == 0", 0.0, 2 / 11),  # from time 0 on
        ("tokens(seen) == 6", 0.0, 0.0),  # only after the end
    ],
)
def test_q6_a_share_of_time(engine: str, condition: str, warmup: float, share: float) -> None:
    """With and without splitting: all paths are alike, so what they count adds up to the share."""
    text = SHARE.replace("CONDITION", condition)
    for thresholds in ([], [Threshold(1, 2), Threshold(3, 3)]):
        tally = found(text, engine, 1, thresholds, until=11.0, warmup=warmup)
        assert tally.sum == pytest.approx(share)
        assert tally.split


def test_q6_what_has_died_lasts_until_the_end(engine: str) -> None:
    net = "place clock = 2 * token  place seen  transition tick: clock -> seen  after 2"
    text = f"{net}\nmeasure m = share(tokens(seen) == 2) splitting on tokens(seen)"
    assert found(text, engine, 1, [Threshold(1, 4)], until=10.0).sum == pytest.approx(0.6)


def test_q6_paths_that_fall_below_their_threshold_end(engine: str) -> None:
    """Between 2 and 6 b holds a token: of both paths from there, only the trial itself comes back at 8."""
    net = "place a = token  place b  transition t: a -> b  takes 2  transition u: b -> a  after 4"
    text = f"{net}\nmeasure m = share(tokens(b) == 1) splitting on tokens(b)"
    tally = found(text, engine, 1, [Threshold(1, 2)], until=10.0)
    assert tally.sum == pytest.approx(6 / 10)
    assert tally.hits == 4


LINE = """
place source = token
place q cap 4
transition come: source -> source, q  after exp(1)
transition go:   q -> nothing         after exp(1 / 2)
"""


def test_q6_a_share_is_that_of_the_whole_run() -> None:
    """M/M/1/4 from empty until 20, without the first 5: as computed from the chain."""
    text = f"{LINE}measure m = share(tokens(q) == 4SETTINGS) splitting on tokens(q)\nrun until 20 warmup 5"
    model = petri.loads(text.replace("SETTINGS", ", precision: 4%"))
    early, late = (model.solve(at=time).exact("m").value * time for time in (5.0, 20.0))
    assert early > 0.0
    interval = model.run(seed=2).measure("m").interval
    assert interval.relative <= 0.04
    assert interval.low < (late - early) / 15 < interval.high
    assert model.solve().exact("m").value == pytest.approx(1 / 31)


def test_q6_pilot_runs_count_all_that_rise() -> None:
    """A queue that grows with probability 1/3 does so once with 1/3, again with 1/9 …: 1/2 times on average."""
    net = petri.loads(f"{LINE.replace('cap 4', 'cap 30')}measure m = share(tokens(q) == 30) splitting on tokens(q)").net
    trials = begin_trials(net, net.chances[0], Plan(1000.0), StopSign())
    pilot = trials.pilot(SEED, 100, 0.3)
    rises = [many for value, many in pilot.thresholds[1:] if value - 1 in dict(pilot.thresholds)]
    assert len(rises) >= 5
    assert abs(sum(rises) / len(rises) - 0.5) < 5 * math.sqrt(0.75 / (100 * len(rises)))
    assert len(pilot.lengths) == len(pilot.thresholds) + 1


def test_q6_it_needs_an_end() -> None:
    text = f"{LINE}measure m = share(tokens(q) == 4) splitting on tokens(q)"
    for options, expected in (({}, "no-end"), ({"until": "dead"}, "share-no-end"), ({"until": 0}, "warmup-beyond-end")):
        with pytest.raises(LanguageError) as refused:
            petri.loads(text).run(**options)
        assert [one.id for one in refused.value.diagnostics] == [expected]
