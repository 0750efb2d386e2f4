from __future__ import annotations

import math

import numpy as np
import pytest

from petri.measure import single_run
from petri.measure.intervals import student_interval
from petri.measure.observation import Floats
from petri.measure.single_run import batch_interval, join, lag_correlation, ranks, skewness


def normal(count: int, seed: int = 1, figures: int = 1) -> Floats:
    return np.random.default_rng(seed).standard_normal((count, figures))


def correlated(count: int, phi: float, seed: int = 1) -> Floats:
    """An autoregression: its batches are as correlated as its values."""
    values = normal(count, seed)
    for row in range(1, count):
        values[row] += phi * values[row - 1]
    return values


def test_ranks_of_equal_values_are_equal() -> None:
    assert ranks(np.array([[5.0], [1.0], [5.0], [2.0]]))[:, 0].tolist() == [3.5, 1.0, 3.5, 2.0]


def test_joined_batches_leave_nothing_out() -> None:
    values = np.arange(19.0)[:, None]
    assert join(values, 8)[:, 0].tolist() == [4.0, 13.5]
    assert len(join(normal(255), 8)) == 31


def test_lag_correlation() -> None:
    assert lag_correlation(np.array([[1.0], [2.0], [3.0], [4.0]]))[0] == pytest.approx(0.25)
    assert lag_correlation(np.ones((5, 1)))[0] == 0.0


def test_skewness_of_a_worked_example() -> None:
    """1, 1, 4: deviations -1, -1, 2, S = √3; 3/2 · (8 - 2) / 3√3."""
    assert skewness(np.array([[1.0], [1.0], [4.0]]))[0] == pytest.approx(math.sqrt(3.0))


def test_willinks_limits_of_a_worked_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1, 1, 4: β = √3 / (6 √3) = 1/6, t = 4.302653, G(t) = 3 (∛(t + 5/6) - 1), S/√k = 1."""
    monkeypatch.setattr(single_run, "LARGEST_ADJUSTMENT", 1e9)
    below, above = single_run._sides(np.array([[1.0], [1.0], [4.0]]), 0.95)
    assert below[0] == pytest.approx(3.0 * (math.cbrt(4.3026527297 + 5 / 6) - 1.0))
    assert above[0] == pytest.approx(-3.0 * (math.cbrt(-4.3026527297 + 5 / 6) - 1.0))


def test_the_adjustment_for_skewness_is_bounded() -> None:
    values = np.zeros((24, 1))
    values[3] = 1.0
    below, above = single_run._sides(values, 0.95)
    assert below[0] < above[0] < 4.0 / 24


def test_independent_batches_give_nearly_students_interval() -> None:
    values = normal(160, seed=3)
    found = batch_interval(values, 0.95)
    plain = student_interval(join(values, 8)[:, 0])
    assert found.n == plain.n == 20
    assert found.below[0] + found.above[0] == pytest.approx(2.0 * plain.half_width, rel=0.25)
    assert math.isnan(found.longer[0])


@pytest.mark.parametrize("count", [128, 160, 255])
def test_correlated_batches_give_none(count: int) -> None:
    found = batch_interval(correlated(count, 0.9), 0.95)
    assert math.isnan(found.below[0] + found.above[0])
    assert found.longer[0] > 3.0


def test_too_few_batches_give_none() -> None:
    found = batch_interval(normal(40), 0.95)
    assert math.isnan(found.above[0])
    assert found.longer[0] == pytest.approx(1.5 * 128 / 40, rel=0.3)
    assert batch_interval(normal(0), 0.95).longer[0] == math.inf


def test_a_figure_that_hangs_on_one_event_has_none() -> None:
    values = np.zeros((160, 1))
    values[77] = 1.0
    assert math.isnan(batch_interval(values, 0.95).above[0])
    assert batch_interval(values, 0.95).longer[0] > 1.0


def test_figures_are_judged_one_by_one() -> None:
    values = np.hstack([normal(160), correlated(160, 0.95), np.full((160, 1), 0.1), np.full((160, 1), math.nan)])
    found = batch_interval(values, 0.95)
    assert np.isnan(found.above).tolist() == [False, True, False, True]
    assert np.isnan(found.longer).tolist() == [True, False, True, True]
    assert found.above[2] == pytest.approx(0.0, abs=1e-15)


def queue_waits(load: float, customers: int, runs: int, batches: int, seed: int) -> Floats:
    """Mean waits of M/M/1 by batch and run, from Lindley's recursion, after as long a warm-up as a quarter."""
    chance = np.random.default_rng(seed)
    wait = np.zeros(runs)
    means = np.zeros((batches * 5 // 4, runs))
    for batch in means:
        for _ in range(customers // batches):
            batch += wait
            wait = np.maximum(wait + chance.standard_exponential(runs) - chance.standard_exponential(runs) / load, 0.0)
        batch /= customers // batches
    return means[batches // 4 :]


@pytest.mark.parametrize(
    ("load", "customers", "least_shown", "most_shown"), [(0.5, 6400, 0.9, 1.0), (0.8, 1280, 0.0, 0.1)]
)
def test_coverage_of_a_queue(load: float, customers: int, least_shown: float, most_shown: float) -> None:
    """Of 400 runs: 92 to 98 % cover where intervals are shown (at a true 95.5 %, false alarm 0.3 %)."""
    means = queue_waits(load, customers, 400, 160, seed=8)
    found = batch_interval(means, 0.95)
    shown = ~np.isnan(found.above)
    assert least_shown <= shown.mean() <= most_shown
    if least_shown:
        error = load / (1.0 - load) - means.mean(axis=0)
        covered = ((error <= found.above) & (-error <= found.below))[shown]
        assert 0.92 <= covered.mean() <= 0.98
