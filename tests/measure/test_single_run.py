from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from petri.measure import single_run
from petri.measure.arrays import Floats
from petri.measure.intervals import student_interval, student_quantile
from petri.measure.single_run import batch_interval, join, lag_correlation, ranks, skewness
from tests.sampling import one_in


def normal(count: int, seed: int = 1, figures: int = 1) -> Floats:
    return np.random.default_rng(seed).standard_normal((count, figures))


def correlated(count: int, phi: float, seed: int = 1, figures: int = 1) -> Floats:
    """Return an autoregression: its batches are as correlated as its values."""
    values = normal(count, seed, figures)
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


@pytest.mark.parametrize("period", [8.3, 10.7])
def test_what_is_periodic_is_known_to_within_what_the_ends_cut_off(period: float) -> None:
    """Batches that the period does not divide, of a mean of 5."""
    values = 5.0 + np.diff(np.sin(2.0 * np.pi * np.arange(161) / period))[:, None]
    found = batch_interval(values, 0.95)
    assert abs(values.mean() - 5.0) <= found.above[0] == found.below[0] <= 3.0 / 160
    assert math.isnan(found.longer[0])
    assert math.isnan(batch_interval(values[:100], 0.95).above[0])


def test_chance_is_not_taken_for_a_period() -> None:
    values = np.hstack([correlated(160, phi, figures=2_000) for phi in (0.0, 0.5, 0.9)])
    assert np.isnan(single_run._cancelling(values)).all()
    rare = np.random.default_rng(5).poisson(0.05, (160, 6_000)).astype(float)
    assert np.isnan(single_run._cancelling(rare)).all()


def test_figures_are_judged_one_by_one() -> None:
    values = np.hstack([normal(160), correlated(160, 0.95), np.full((160, 1), 0.1), np.full((160, 1), math.nan)])
    found = batch_interval(values, 0.95)
    assert np.isnan(found.above).tolist() == [False, True, False, True]
    assert np.isnan(found.longer).tolist() == [True, False, True, True]
    assert found.above[2] == pytest.approx(0.0, abs=1e-15)


def batch_correlation(length: float) -> float:
    """Return the correlation of the means of batches, so many times as long as the process remembers."""
    return -(math.expm1(-length) ** 2) / (2.0 * (1.0 - length - math.exp(-length)))


def batch_length(correlation: float) -> float:
    """Return the inverse of `batch_correlation`, between the ends of the table that is used."""
    low, high = 1e-3, 1e3
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if batch_correlation(middle) > correlation else (low, middle)
    return low


def successive(values: list[float]) -> float:
    """Return the correlation of each value with the next, in a run of 160 batches; 0 where it is negative."""
    mean = sum(values) / len(values)
    above = sum((a - mean) * (b - mean) for a, b in itertools.pairwise(values))
    correlation = above / sum((a - mean) ** 2 for a in values)
    return batch_correlation(batch_length(correlation) * len(values) / 160) if correlation > 0.0 else 0.0


def by_definition(values: list[float]) -> tuple[float, float, float]:
    """Return what `batch_interval` gives for one figure that varies, at 95 %: below, above, longer."""
    n = len(values)
    k = n // 8 if n >= 16 else n
    joined = [sum(part) / len(part) for i in range(k) if (part := values[i * n // k : (i + 1) * n // k])]
    mean = sum(joined) / k
    deviation = math.sqrt(sum((x - mean) ** 2 for x in joined) / (k - 1))
    skew = k / ((k - 1) * (k - 2)) * sum(((x - mean) / deviation) ** 3 for x in joined) if k > 2 else 0.0
    greatest = (k - 2) / math.sqrt(k - 1)
    ranked = [sum((y < x) + 0.5 * (y == x) for y in values) for x in values]
    correlation = successive(ranked)
    rarity = abs(skew) / max(greatest, 1.0)
    if n < 128 or correlation > 0.45 or rarity > 0.8:
        rarity = 0.0 if n < 128 else rarity
        longer = max(batch_length(0.45) / batch_length(correlation), 128 / n, max(rarity / 0.8, 1.0) ** 2)
        return math.nan, math.nan, 1.5 * longer
    beta = min(max(skew, -0.35 * greatest), 0.35 * greatest) / (6.0 * math.sqrt(k))
    t = student_quantile(0.975, k - 1)
    sides = [(math.cbrt(1.0 + 6.0 * beta * (t - beta)) - 1.0) / (2.0 * beta) for t in (t, -t)]
    phi = min(successive(values), 0.85)
    wider = 1.0 + 2.0 * min(max((correlation - 0.25) / 0.2, 0.0), 1.0)
    factor = math.sqrt((1.0 + phi) / (1.0 - phi)) * wider * deviation / math.sqrt(k)
    return sides[0] * factor, -sides[1] * factor, math.nan


@pytest.mark.parametrize("count", one_in(3, [9, 15, 16, 100, 127, 128, 135, 160, 255, 320]))
def test_intervals_agree_with_their_definition(count: int) -> None:
    """Of figures from independent to strongly correlated, symmetric and skewed, among them some that have none."""
    columns = [correlated(count, phi, seed) for seed, phi in enumerate((0.0, 0.2, 0.35, 0.45, 0.5, 0.7))]
    columns += [column**3 for column in columns[:3]]
    columns += [np.exp(2.0 * column) for column in columns[:3]] + [-np.exp(columns[1])]
    columns += [np.round(column) for column in columns[:4]]
    one = np.zeros((count, 1))
    one[count // 2 : count // 2 + 3] = 1.0
    columns += [one, one + 0.01 * columns[0]]
    found = batch_interval(np.hstack(columns), 0.95)
    expected = [by_definition(column[:, 0].tolist()) for column in columns]
    for name, values in zip(("below", "above", "longer"), zip(*expected, strict=True), strict=True):
        assert getattr(found, name) == pytest.approx(values, rel=2e-4, nan_ok=True), name
    assert found.n == (count // 8 if count >= 16 else count)


@pytest.mark.parametrize("count", [2, 3, 40, 160])
def test_a_constant_has_no_width_and_what_is_not_known_none(count: int) -> None:
    unknown = normal(count)
    unknown[count // 2] = math.nan
    constant = np.full((count, 1), 1 / 3)
    constant[::2] += 2.0**-54
    found = batch_interval(np.hstack([constant, unknown]), 0.95)
    assert found.above[0] + found.below[0] == pytest.approx(0.0, abs=1e-14)
    assert np.isnan([found.above[1], found.below[1], *found.longer]).all()


def test_one_batch_tells_nothing() -> None:
    found = batch_interval(normal(1), 0.95)
    assert (found.n, found.longer[0]) == (1, math.inf)
    assert np.isnan([found.below[0], found.above[0]]).all()
    assert batch_interval(normal(2), 0.95).longer[0] < math.inf


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
