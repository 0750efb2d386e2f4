"""Differences of two configurations: paired, and after Welch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from petri.measure.difference import combined_interval, paired_difference, unpaired_difference
from petri.measure.intervals import student_interval


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
