"""Differences of two configurations: paired, and after Welch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from petri.measure.difference import Difference, combined_interval, paired_difference, unpaired_difference
from petri.measure.intervals import Interval, student_interval, student_quantile


def test_pairs_cancel_what_both_have_in_common() -> None:
    noise = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0]
    first = dict(enumerate(noise))
    second = {index: value + 2.0 + 0.01 * index for index, value in first.items()}
    found = paired_difference(first, second)
    assert found.interval.mean == pytest.approx(2.025)
    assert found.interval.half_width < 0.03
    assert found.certain
    assert found.gain > 1000


def test_only_common_replications_are_paired() -> None:
    found = paired_difference({0: 1.0, 1: 2.0, 7: 100.0}, {1: 3.0, 0: 2.0, 8: -100.0})
    assert (found.interval.mean, found.interval.half_width, found.interval.n) == (1.0, 0.0, 2)
    with pytest.raises(ValueError, match="no replication"):
        paired_difference({0: 1.0}, {1: 1.0})


def test_welch() -> None:
    """The example of unequal variances and sizes: t and degrees of freedom computed from the definition."""
    a = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
    b = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.6, 21.6]
    found = unpaired_difference(student_interval(a), student_interval(b))
    squared = np.var(a, ddof=1) / 15 + np.var(b, ddof=1) / 15
    assert found.interval.mean == pytest.approx(np.mean(b) - np.mean(a))
    # t(0.975, 27.9885…) = 2.04847; the p value of this pair of samples is 0.0214.
    assert found.interval.half_width == pytest.approx(2.04847 * math.sqrt(squared), rel=1e-4)
    assert found.certain


def test_a_difference_without_intervals_has_none() -> None:
    found = unpaired_difference(student_interval([1.0]), student_interval([2.0, 3.0]))
    assert math.isnan(found.interval.half_width)
    assert not found.certain


def test_no_difference_is_not_told_apart() -> None:
    same = {0: 1.0, 1: 2.0}
    assert not paired_difference(same, same).certain


def test_coverage_of_unpaired_intervals() -> None:
    """600 repetitions at 95 %: outside 92 … 98 % with probability below 0.001."""
    stream = np.random.default_rng(5)
    covered = 0
    for _ in range(600):
        a, b = stream.normal(1.0, 1.0, 6), stream.normal(1.5, 4.0, 12)
        interval = unpaired_difference(student_interval(a), student_interval(b)).interval
        covered += abs(interval.mean - 0.5) <= interval.half_width
    assert 0.92 <= covered / 600 <= 0.98


def test_a_weighted_sum_of_the_same_replications_cancels_if_they_are_paired() -> None:
    values = {0: 1.0, 1: 2.0, 2: 4.0}
    both = [(1.0, values), (-1.0, values)]
    assert combined_interval(both, paired=True).half_width == 0.0
    assert combined_interval(both, paired=False).half_width > 1.0


def test_figures_of_a_paired_difference() -> None:
    """1, 4, 4 and 2, 7, 6: differences 1, 3, 2 of variance 1; the variances 3 and 7 make the gain 10."""
    found = paired_difference({0: 1.0, 1: 4.0, 2: 4.0}, {0: 2.0, 1: 7.0, 2: 6.0}, 0.9)
    assert found.gain == pytest.approx(10.0)
    assert (found.first.mean, found.second.mean, found.interval.mean) == (3.0, 5.0, 2.0)
    assert found.interval.half_width == pytest.approx(2.91998558 / math.sqrt(3.0))
    assert {found.first.level, found.second.level, found.interval.level} == {0.9}
    assert found.relative == pytest.approx(2 / 3)
    assert found.paired
    assert paired_difference({0: -1.0}, {0: 1.0}).relative == 2.0
    assert math.isnan(paired_difference({0: 0.0}, {0: 1.0}).relative)
    assert math.isnan(paired_difference({0: 0.0}, {0: 1.0}).gain)
    assert math.isnan(paired_difference({0: 0.0, 1: 1.0}, {0: 1.0, 1: 2.0}).gain)
    assert paired_difference({0: 0.0, 1: 1.0}, {0: 1.0, 1: 2.5}).gain == pytest.approx((0.5 + 1.125) / 0.125)


@pytest.mark.parametrize(
    ("mean", "half_width", "certain"),
    [
        (2.0, 1.9, True),
        (-2.0, 1.9, True),
        (2.0, 2.0, False),
        (0.0, 0.0, False),
        (1e-9, 0.0, True),
        (2.0, math.nan, False),
    ],
)
def test_a_difference_is_certain_if_its_interval_excludes_zero(mean: float, half_width: float, certain: bool) -> None:
    interval = Interval(mean, half_width, 0.95, 9)
    assert Difference(interval, interval, interval, paired=True).certain is certain


def welch(samples: list[tuple[float, list[float]]], level: float) -> tuple[float, float]:
    """Return the mean of a weighted sum of means, and its half-width."""
    errors = [(weight**2 * np.var(values, ddof=1) / len(values), len(values)) for weight, values in samples]
    total = sum(error for error, _ in errors)
    degrees = total**2 / sum(error**2 / (n - 1) for error, n in errors)
    mean = sum(weight * np.mean(values) for weight, values in samples)
    return float(mean), student_quantile(0.5 + 0.5 * level, degrees) * math.sqrt(total)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_unpaired_differences_and_sums_agree_with_their_definition(level: float) -> None:
    a, b, c = [1.0, 2.0, 4.0], [3.0, 3.5, 1.0, 9.0], [5.0, 5.5]
    first, second = student_interval(a, 0.9), student_interval(b, 0.95)
    found = unpaired_difference(first, second, level).interval
    assert (found.mean, found.half_width) == pytest.approx(welch([(-1.0, a), (1.0, b)], level))
    assert (found.level, found.n) == (level, 3)
    assert unpaired_difference(first, second).interval.level == 0.9
    assert not unpaired_difference(first, second).paired
    weighted = [(2.0, a), (-3.0, b), (0.5, c)]
    sums = [(weight, dict(enumerate(values))) for weight, values in weighted]
    combined = combined_interval(sums, paired=False, level=level)
    assert (combined.mean, combined.half_width) == pytest.approx(welch(weighted, level))
    assert (combined.level, combined.n) == (level, 2)
    paired = combined_interval(sums, paired=True, level=level)
    plain = student_interval([2 * x - 3 * y + z / 2 for x, y, z in zip(a, b, c, strict=False)], level)
    assert (paired.mean, paired.half_width, paired.n) == (plain.mean, plain.half_width, 2)


def test_constants_differ_exactly() -> None:
    constant, other = student_interval([1.0, 1.0]), student_interval([3.0, 3.0, 3.0])
    found = unpaired_difference(constant, other)
    assert (found.interval.mean, found.interval.half_width) == (2.0, 0.0)
    assert found.certain
    sums = [(1.0, {0: 1.0, 1: 1.0}), (1.0, {0: 3.0, 1: 3.0, 2: 3.0})]
    assert combined_interval(sums, paired=False) == Interval(4.0, 0.0, 0.95, 2)
    assert math.isnan(combined_interval([(1.0, {0: 1.0}), (1.0, {0: 1.0, 1: 2.0})], paired=False).half_width)
    one = unpaired_difference(student_interval([1.0, 2.0]), Interval(1.0, math.nan, 0.95, 5))
    assert math.isnan(one.interval.half_width)
