"""Intervals of means, of probabilities from trials (Q4), and of quantiles."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import petri
from petri.experiment import Experiment, Precision, Store, stored_outcome
from petri.measure.chance import chance_interval, clopper_pearson
from petri.measure.intervals import (
    incomplete_beta,
    mser,
    order_interval,
    paired_interval,
    pseudo_values,
    student_interval,
    student_quantile,
    student_tail,
)
from petri.measure.tally import Tally, total
from petri.model import Model
from tests.cli.calling import caller
from tests.experiment.nets import write_net

# Two-sided 95 % (probability 0.975) and 99 % quantiles of Student's t, from published tables and closed forms.
QUANTILES = [
    (0.975, 1, 12.706204736174698),
    (0.975, 2, 4.302652729749464),
    (0.975, 4, 2.776445105197793),
    (0.975, 5, 2.5705818356363146),
    (0.975, 9, 2.262157162798205),
    (0.975, 10, 2.2281388519862744),
    (0.975, 19, 2.093024054408309),
    (0.975, 29, 2.045229642132703),
    (0.975, 30, 2.0422724563012373),
    (0.975, 120, 1.979930405082422),
    (0.995, 10, 3.169272672616951),
    (0.9, 1, 3.0776835371752536),
]


@pytest.mark.parametrize(("probability", "degrees", "expected"), QUANTILES)
def test_student_quantile(probability: float, degrees: int, expected: float) -> None:
    assert student_quantile(probability, degrees) == pytest.approx(expected, rel=1e-9)
    assert student_quantile(1.0 - probability, degrees) == pytest.approx(-expected, rel=1e-9)


@pytest.mark.parametrize("probability", [0.5000001, 0.6, 0.9, 0.999, 0.9999999])
def test_closed_forms_of_one_and_two_degrees(probability: float) -> None:
    cauchy = math.tan(math.pi * (probability - 0.5))
    two = (2 * probability - 1) / math.sqrt(2 * probability * (1 - probability))
    assert student_quantile(probability, 1) == pytest.approx(cauchy, rel=1e-8)
    assert student_quantile(probability, 2) == pytest.approx(two, rel=1e-8)


@pytest.mark.parametrize("degrees", [1, 2.5, 7, 40, 1000, 99_999])
def test_quantile_inverts_the_distribution(degrees: float) -> None:
    for tail in (0.4, 0.1, 0.025, 1e-4, 1e-9):
        assert student_tail(student_quantile(1.0 - tail, degrees), degrees) == pytest.approx(tail, rel=1e-6)


def test_many_degrees_are_normal() -> None:
    assert student_quantile(0.975, 100_000) == pytest.approx(1.959987708, rel=1e-8)


@pytest.mark.parametrize(("probability", "degrees"), [(0.0, 3), (1.0, 3), (0.5, 0), (math.nan, 3)])
def test_no_quantile(probability: float, degrees: float) -> None:
    with pytest.raises(ValueError, match="no t quantile"):
        student_quantile(probability, degrees)


def test_interval_of_replications() -> None:
    interval = student_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (interval.mean, interval.n) == (3.0, 5)
    assert interval.half_width == pytest.approx(2.776445105 * math.sqrt(2.5 / 5), rel=1e-9)
    assert interval.relative == pytest.approx(interval.half_width / 3.0)
    assert interval.high - interval.low == pytest.approx(2 * interval.half_width)


def test_one_value_has_no_interval_and_none_no_mean() -> None:
    assert math.isnan(student_interval([4.0]).half_width)
    assert math.isnan(student_interval([]).mean)
    assert math.isnan(student_interval([1.0, math.nan, 2.0]).mean)


def test_pairs() -> None:
    assert paired_interval([2.0, 3.0, 4.0], [1.0, 2.0, 3.0]).half_width == 0.0


def test_pseudo_values_of_a_mean_are_its_values() -> None:
    values = [3.0, 5.0, 4.0, 6.0]
    assert pseudo_values(4.5, [(18.0 - v) / 3 for v in values]) == pytest.approx(values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[math.inf, 1.0], [math.inf, math.inf], [math.inf, -math.inf], [1.5e308, 1.5e308]])
def test_values_beyond_doubles_have_no_interval(values: list[float]) -> None:
    found = [student_interval(values), paired_interval(values, values[::-1])]
    assert all(math.isnan(interval.half_width) for interval in found if not math.isfinite(interval.mean))
    assert not math.isfinite(found[0].mean)


def test_mser() -> None:
    """Worked example: the transient 10, 8, 3 is cut."""
    cut = mser([10, 8, 3, 1, 2, 1, 2, 1, 2, 1, 2, 1], batch=1)
    assert (cut.count, cut.settled) == (3, True)
    assert cut.statistic == pytest.approx(0.02743484, abs=5e-9)


def test_mser_5_is_mser_of_means_of_five() -> None:
    series = np.concatenate([np.linspace(100.0, 0.0, 23), np.tile([1.0, -1.0, 0.5], 40)])
    means = series[: series.size // 5 * 5].reshape(-1, 5).mean(axis=1)
    assert mser(series).count == 5 * mser(means, batch=1).count


def test_mser_of_a_series_that_still_falls_is_not_settled() -> None:
    assert not mser(np.linspace(100.0, 0.0, 400)).settled
    assert not mser([1.0, 2.0]).settled


def test_a_series_without_a_batch_is_not_settled() -> None:
    for values, batch in (([], 1), ([3.0, 1.0, 2.0, 1.0], 5)):
        cut = mser(values, batch)
        assert (cut.count, cut.settled) == (0, False)
        assert math.isnan(cut.statistic)
    assert mser([3.0] * 9).settled


def test_mser_agrees_with_its_definition() -> None:
    series = np.random.default_rng(3).standard_normal(60).cumsum()
    statistics = [series[d:].var() / (60 - d) for d in range(31)]
    assert mser(series, batch=1).count == int(np.argmin(statistics))
    assert mser(series, batch=1).statistic == pytest.approx(min(statistics))


def test_the_incomplete_beta_function_at_its_ends() -> None:
    assert incomplete_beta(2.0, 3.0, 0.0, 1.0) == 0.0
    assert incomplete_beta(2.0, 3.0, 1.0, 0.0) == 1.0


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


LIFE = """
net life
place up = token
transition fail: up -> nothing  after exp(10)
measure half   = quantile(time_until(tokens(up) == 0), 50%)
measure late   = quantile(time_until(tokens(up) == 0), 90%)
measure double = quantile(2 * time_until(tokens(up) == 0), 0.5)
run until {until}
"""

ENGINES = pytest.mark.parametrize("engine", ["reference", "auto"])


@pytest.mark.parametrize(
    ("n", "share", "low", "high"),
    [  # tables of the binomial distribution: P(X < l) and P(X >= u) at most 2.5 %
        (10, 0.5, 2, 9),
        (20, 0.5, 6, 15),
        (100, 0.5, 40, 61),
        (100, 0.9, 84, 96),
        (72, 0.95, 64, 72),
        (71, 0.95, None, None),  # 0.95^71 is more than 2.5 %
        (5, 0.5, None, None),
    ],
)
def test_ends_are_order_statistics(n: int, share: float, low: int | None, high: int | None) -> None:
    found = order_interval(range(1, n + 1), share)
    assert found.mean == math.ceil(share * n)
    if low is None:
        assert math.isnan(found.half_width)
    else:
        assert found.ends == (low, high)


@pytest.mark.slow
def test_they_cover_as_often_as_they_say() -> None:
    """Of 400 intervals of the 90 % quantile from 100 exponential times, fewer than 366 cover in 0.1 % of all cases."""
    chance = np.random.default_rng(5)
    intervals = [order_interval(chance.exponential(size=100), 0.9) for _ in range(400)]
    covered = sum(one.low <= math.log(10) <= one.high for one in intervals)
    assert 366 <= covered <= 400


@ENGINES
def test_of_a_run(engine: str) -> None:
    """An exponential time of mean 10 has the quantiles 10 ln 2 and 10 ln 10."""
    result = petri.loads(LIFE.format(until=100)).run(replications=100, engine=engine)
    for name, exact in (("half", 10 * math.log(2)), ("late", 10 * math.log(10))):
        found = result.measure(name).interval
        assert found.low < exact < found.high
        assert found.n == 100
    assert result.measure("double").value == 2 * result.measure("half").value
    assert result.to_dict()["measures"][1]["statistic"] == "p90"


@ENGINES
def test_a_time_that_is_not_over_is_greater_than_any(engine: str) -> None:
    """Half of them fail within 7, and three of four within 14, but the mean of all is not known by then."""
    result = petri.loads(LIFE.format(until=14)).run(replications=60, engine=engine)
    half, late = (result.measure(name).interval for name in ("half", "late"))
    assert half.low < 10 * math.log(2) < half.high < 14
    assert late.mean == math.inf
    assert math.isnan(late.half_width)
    assert result.to_dict()["measures"][1]["value"] is None


def test_in_a_sweep(tmp_path: Path) -> None:
    path = write_net(tmp_path, LIFE.format(until=200), "life.net")
    wanted = {"half": Precision(0.4)}
    point = Experiment(net=path, points=[{}], precision=wanted).run(tmp_path / "s.db").points[0]
    assert point.interval("half").statistic == "p50"
    assert point.interval("half").relative <= 0.4
    assert not point.imprecise
    assert 10 < len(point.rows) < 200
    run = Model(petri.load(path).net).run(replications=len(point.rows))
    assert run.measure("half").interval == point.interval("half")


def test_a_store_keeps_what_was_not_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_net(tmp_path, LIFE.format(until=14), "life.net")
    ran = caller(capsys)("sweep", str(path), "-n", "60", "--store", str(tmp_path / "s.db"), "--quiet")
    run = petri.load(path).run(replications=60)
    point = stored_outcome(Store.open(tmp_path / "s.db")).points[0]
    assert point.interval("half") == run.measure("half").interval
    assert point.interval("late").mean == math.inf
    half = run.measure("half").interval
    assert f"{half.mean:.3f} ({half.low:.2f}..{half.high:.1f})" in ran.out
