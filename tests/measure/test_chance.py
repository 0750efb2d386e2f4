"""Intervals of probabilities from trials (Q4)."""

from __future__ import annotations

import math

import pytest

import petri
from petri.measure.chance import chance_interval, clopper_pearson
from petri.measure.tally import Tally, total


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [  # 1 - 0.025^(1/n) for none of n; the others from tables of the beta distribution
        (0, 20, 0.0, 0.1684335),
        (1, 20, 0.0012651, 0.2487328),
        (10, 20, 0.2719578, 0.7280422),
        (20, 20, 0.8315665, 1.0),
        (0, 1_000_000, 0.0, 3.688873e-6),
    ],
)
def test_clopper_pearson(hits: int, trials: int, low: float, high: float) -> None:
    assert clopper_pearson(hits, trials, 0.95) == pytest.approx((low, high), rel=1e-5)


def test_it_covers_at_least_as_often_as_it_says() -> None:
    """Summed over all outcomes of 30 trials, for several probabilities."""
    for p in (0.01, 0.1, 0.35, 0.5, 0.9):
        covered = 0.0
        for hits in range(31):
            low, high = clopper_pearson(hits, 30, 0.95)
            if low <= p <= high:
                covered += math.comb(30, hits) * p**hits * (1 - p) ** (30 - hits)
        assert 0.95 <= covered <= 1.0


def test_of_trials_that_were_split() -> None:
    """Student's interval of the values 0, 0, 0.5, 0.25."""
    interval = chance_interval(Tally(4, 5, 0.75, 0.3125, split=True), 0.95)
    assert interval.mean == 0.1875
    assert interval.half_width == pytest.approx(3.182446 * math.sqrt(0.0572917 / 4), rel=1e-5)
    assert interval.low == 0.0  # and not below


def test_nothing_is_known_without_hits() -> None:
    assert math.isnan(chance_interval(Tally(100, split=True), 0.95).mean)
    assert math.isnan(chance_interval(Tally(), 0.95).mean)
    assert chance_interval(Tally(100), 0.95).ends == pytest.approx((0.0, 1 - 0.025**0.01))


def test_replications_count_together() -> None:
    assert total([Tally(10, 2, 2.0, 2.0), Tally(30, 3, 3.0, 3.0)]).estimate == 0.125


def test_a_run_and_the_exact_answer() -> None:
    """The run's interval contains the exact probability. Neither needs an end of the run."""
    model = petri.load("tandem_overflow", c=4)
    exact = model.solve().exact("overflow").value
    result = model.run()
    interval = result.measure("overflow").interval
    assert interval.low < exact < interval.high
    assert interval.relative <= 0.1
    assert result.to_dict()["measures"][0]["low"] == interval.low


@pytest.mark.parametrize(("c", "probability"), [(8, 5.602363637e-6), (10, 3.147277622e-7), (16, 7.157670419e-11)])
def test_exact_overflow_of_a_tandem(c: int, probability: float) -> None:
    """By elimination without subtraction, which agrees with PRISM to the digits that PRISM has."""
    assert petri.load("tandem_overflow", c=c).solve().exact("overflow").value == pytest.approx(probability, rel=1e-6)


def test_instances_with_the_same_question_have_answers_of_their_own() -> None:
    """Of a queue at load r that holds one: r³ (1 - r) / (1 - r⁴) to reach 4 before 0."""
    lines = petri.loads("""
    time ms
    module Line(arrivals: Time)
      place source = token
      place q cap 4 = token
      transition arrive: source -> source, q  after exp(arrivals)
      transition serve:  q -> nothing         after exp(1 ms)
      measure full = probability(tokens(q) == 4 before tokens(q) == 0)
    end
    instance slow = Line(8 ms)
    instance fast = Line(2 ms)
    """)
    solution = lines.solve()
    for name, load in (("slow", 1 / 8), ("fast", 1 / 2)):
        assert solution.exact(f"{name}.full").value == pytest.approx(load**3 * (1 - load) / (1 - load**4), rel=1e-9)


@pytest.mark.parametrize(("unit", "of"), [("time ms", "ms"), ("time s", "ms"), ("time min", "us"), ("", "")])
def test_a_time_limit_has_a_unit(unit: str, of: str) -> None:
    """1 - exp(-1.5): how likely a time of mean 2 is over within 3. Three half-widths: a false alarm in 10^8 runs."""
    text = f"""{unit}  place a = token  place b  transition t: a -> b  after exp(2 {of})
    measure m = probability(tokens(b) == 1 within 3 {of}, trials: 2000)"""
    interval = petri.loads(text).run().measure("m").interval
    assert abs(interval.mean - (1 - math.exp(-1.5))) < 3 * interval.half_width


@pytest.mark.parametrize("condition", ["before tokens(off) == 0", "within 5", "within 5 of tokens(off) == 0"])
def test_what_holds_at_the_start_is_an_error(condition: str) -> None:
    net = "place on = token  place off  transition t: on -> off  after 1"
    failure = petri.loads(f"{net}  measure m = probability(tokens(on) == 1 {condition})").run().failure
    assert failure is not None
    assert failure.id == "trial-hits-at-once"
