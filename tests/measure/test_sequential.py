"""Sequential stopping: fixed looks, and what the precision means."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import petri
from petri.experiment import Experiment
from petri.measure.intervals import Interval, mser, student_interval
from petri.measure.sequential import Judgeable, Precision, Stopping, looks, widened


def test_the_looks_do_not_depend_on_what_is_seen() -> None:
    assert list(looks(10, 40)) == [10, 13, 17, 22, 28, 35, 40]
    assert list(looks(1, 12)) == [5, 7, 9, 12]
    assert list(looks(10, 10)) == [10]
    assert list(looks(10, 4)) == [4]


@pytest.mark.parametrize(
    ("precision", "interval", "met"),
    [
        (Precision(0.02), Interval(10.0, 0.2, 0.95, 9), True),
        (Precision(0.02), Interval(-10.0, 0.21, 0.95, 9), False),
        (Precision(0.2, relative=False), Interval(0.0, 0.2, 0.95, 9), True),
        (Precision(0.02), Interval(0.0, 0.1, 0.95, 9), False),
        (Precision(0.02), Interval(0.0, 0.0, 0.95, 9), True),
        (Precision(0.02), Interval(math.nan, math.nan, 0.95, 9), False),
        (Precision(0.02), Interval(5.0, math.nan, 0.95, 1), False),
    ],
)
def test_precision(precision: Precision, interval: Interval, met: bool) -> None:
    assert precision.met(interval) is met


def test_it_stops_at_the_first_look_that_is_narrow_enough() -> None:
    values = [1.0, 2.0, 1.2, 1.8, 1.4, 1.6, *([1.5] * 40)]
    stopping = Stopping(5, 40, {"x": Precision(0.1)})
    first = next(n for n in looks(5, 40) if widened(student_interval(values[:n])).half_width <= 0.15)
    assert first > 5
    assert stopping.target({"x": values}) == (first, True)
    assert stopping.target({"x": values[: first - 1]}) == (first, False)
    assert stopping.target({"x": values[:first]}) == (first, True)


def test_intervals_that_decided_when_to_stop_are_wider(tmp_path: Path) -> None:
    """Half as wide again after 10 replications, in a run and in a sweep alike."""
    model = petri.load("mm1", load=0.5)
    run = model.run_precisely(model.plan(until=2_000, warmup=100, seed=3)[0], Precision(0.2))
    found = run.measure("customers").interval
    plain = model.run(until=2_000, warmup=100, seed=3, replications=found.n)
    wider = 1 + 5 / found.n
    assert found.half_width == pytest.approx(plain.measure("customers").interval.half_width * wider)
    assert run.places.mean.half_width[0] == pytest.approx(plain.places.mean.half_width[0] * wider)
    experiment = Experiment(net="mm1", points=[{"load": 0.5}], until=2_000, warmup=100, precision=Precision(0.2))
    point = experiment.run(tmp_path / "s.db").points[0]
    alone = student_interval(list(point.values("customers").values()))
    assert point.interval("customers").half_width == pytest.approx(alone.half_width * (1 + 5 / alone.n))


@pytest.mark.slow
@pytest.mark.parametrize("bound", [0.2, 0.15, 0.1])
def test_how_often_intervals_that_decided_cover(bound: float) -> None:
    """Of figures as skewed as the queue of M/M/1 at load 0.8 in runs of 1,500: a gamma distribution of shape 13.

    With a chance of 95 %, fewer than 937 of 1,000 have a probability of 3 %. Without the widening 912 to 925 cover.
    """
    draws, covered = np.random.default_rng(1), 0
    for _ in range(1_000):
        values = draws.gamma(1.4, 0.92 / 1.4, 200) + 3.0
        n, _ = Stopping(10, 200, {"x": Precision(bound)}).target({"x": values.tolist()})
        found = widened(student_interval(values[:n]))
        covered += found.low <= 3.92 <= found.high
    assert covered >= 937


def test_all_measures_count_and_the_limit_holds() -> None:
    steady, wild = [1.0] * 50, [0.0, 10.0] * 25
    both = {"a": Precision(0.1), "b": Precision(0.1)}
    assert Stopping(5, 20, both).target({"a": steady, "b": wild}) == (20, False)
    assert Stopping(5, 20, {"a": Precision(0.1)}).target({"a": steady, "b": wild}) == (5, True)


def test_a_maximum_is_as_precise_as_its_mean_over_the_replications() -> None:
    stopping = Stopping(5, 96, {"peak": Precision(0.1)}, {"peak": "greatest"})
    assert stopping.target({"peak": [10.0, 10.2, 9.9, 10.1, 10.0]}) == (5, True)


def test_without_a_precision_there_is_one_look() -> None:
    assert Stopping(7, 1000, {}).target({}) == (7, True)


def test_after_a_failure_the_look_that_sees_it_is_the_last() -> None:
    stopping = Stopping(10, 100, {"x": Precision(0.1)})
    assert stopping.upto(3).most == 10
    assert stopping.upto(10).most == 13


def test_a_constant_rest_is_cut_at_its_beginning() -> None:
    """Rounding must not choose among truncations that are all equally good."""
    for start in (5, 20, 60):
        found = mser(np.concatenate([np.full(start, 9.0), np.full(400 - start, 0.1)]))
        assert (found.count, found.settled) == (start, True)


@pytest.mark.parametrize(
    ("mean", "half_width", "met"),
    [
        (10.0, 1.0, True),  # a third of the tolerance
        (10.0, 1.001, False),
        (14.0, 1.001, False),  # reaches into the tolerance
        (15.0, 1.999, True),  # does not
        (15.0, 2.0, False),
        (5.0, 1.999, True),
        (6.0, 1.001, False),
        (math.nan, 0.1, False),
        (10.0, math.nan, False),
    ],
)
def test_a_figure_can_be_judged(mean: float, half_width: float, met: bool) -> None:
    interval = Interval(mean, half_width, 0.95, 9)
    assert Judgeable(((10.0, 3.0),)).met(interval) is met
    assert Judgeable(((10.0, 3.0), (mean, 300.0))).met(interval) is met
    assert Judgeable(((10.0, 3.0), (mean, 1e-9))).met(interval) is False


def test_a_measure_that_is_missing_is_asked_for() -> None:
    stopping = Stopping(7, 40, {"x": Precision(0.1), "y": Precision(0.1)})
    assert stopping.target({}) == (7, False)
    assert stopping.target({"x": [1.0] * 9}) == (7, False)
    assert stopping.target({"x": [1.0] * 9, "y": [1.0] * 6}) == (7, False)
    assert stopping.target({"x": [1.0] * 9, "y": [1.0] * 7}) == (7, True)


def test_a_precision_is_written_as_it_was_given() -> None:
    assert (str(Precision(0.02)), str(Precision(0.25, relative=False))) == ("2%", "0.25")


def test_the_level_widens_the_interval() -> None:
    values = {"x": [9.0, 10.0, 11.0, 10.0, 10.0]}
    stopping = Stopping(5, 5, {"x": Precision(0.2)})
    assert stopping.target(values, 0.95) == (5, True)
    assert stopping.target(values, 0.99) == (5, False)
