"""The difference of two configurations: in pairs if they used the same random numbers, otherwise by Welch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from petri.measure.intervals import Interval, paired_interval, student_interval, student_quantile
from petri.measure.observation import beyond_doubles


@dataclass(frozen=True, slots=True)
class Difference:
    """`second` - `first`, with its interval.

    `gain` is the variance of an unpaired difference divided by that of the paired one: the factor by which more
    replications would be needed without common random numbers. nan if the difference is not paired, or constant.
    """

    first: Interval
    second: Interval
    interval: Interval
    paired: bool
    gain: float = math.nan

    @property
    def relative(self) -> float:
        """The difference as a share of the first value; nan if that is 0."""
        return self.interval.mean / abs(self.first.mean) if self.first.mean else math.nan

    @property
    def certain(self) -> bool:
        """Whether the interval excludes 0, so that the sign of the difference is certain at its level."""
        return abs(self.interval.mean) > self.interval.half_width or (
            self.interval.half_width == 0.0 and self.interval.mean != 0.0
        )


@beyond_doubles
def paired_difference(first: Mapping[int, float], second: Mapping[int, float], level: float = 0.95) -> Difference:
    """Return the difference of configurations run with the same seed, from values by number of replication.

    Only replications of both are compared. Raises ValueError if there are none.
    """
    common = sorted(first.keys() & second.keys())
    if not common:
        raise ValueError("no replication in common")
    a = np.array([first[index] for index in common], dtype=np.float64)
    b = np.array([second[index] for index in common], dtype=np.float64)
    gain = math.nan
    if len(common) > 1:
        spread = float(np.var(b - a, ddof=1))
        gain = float(np.var(a, ddof=1) + np.var(b, ddof=1)) / spread if spread > 0.0 else math.nan
    interval = paired_interval(b, a, level)
    return Difference(student_interval(a, level), student_interval(b, level), interval, True, gain)


def unpaired_difference(first: Interval, second: Interval, level: float | None = None) -> Difference:
    """Return the difference of independent runs, from their Student intervals; degrees of freedom by Welch and
    Satterthwaite.

    level: of the difference's interval; default: that of `first`. If one side has no interval, the difference has none.
    """
    level = first.level if level is None else level
    return Difference(first, second, _welch([(1.0, second), (-1.0, first)], level), False)


def _welch(weighted: Sequence[tuple[float, Interval]], level: float) -> Interval:
    """Return the weighted sum of independent means; without an interval if one of them has none."""
    mean = sum(weight * interval.mean for weight, interval in weighted)
    variances = [(weight**2 * _squared_error(interval), interval.n) for weight, interval in weighted]
    total, n = sum(variance for variance, _ in variances), min(n for _, n in variances)
    if math.isnan(total) or total == 0.0:
        return Interval(mean, total, level, n)
    degrees = total**2 / sum(variance**2 / (count - 1) for variance, count in variances)
    return Interval(mean, student_quantile(0.5 + 0.5 * level, degrees) * math.sqrt(total), level, n)


def _squared_error(interval: Interval) -> float:
    """Return the squared standard error of an interval of n values."""
    if interval.n < 2 or math.isnan(interval.half_width):
        return math.nan
    return (interval.half_width / student_quantile(0.5 + 0.5 * interval.level, interval.n - 1)) ** 2


@beyond_doubles
def combined_interval(
    weighted: Sequence[tuple[float, Mapping[int, float]]], paired: bool, level: float = 0.95
) -> Interval:
    """Return the interval of a weighted sum of the means of configurations, from values by number of replication.

    paired: they used the same random numbers, so that the sum of each replication is one value; only replications of
    all configurations count. Otherwise by Welch and Satterthwaite.
    """
    if paired:
        common = sorted(set.intersection(*(set(values) for _, values in weighted)))
        return student_interval([sum(weight * values[index] for weight, values in weighted) for index in common], level)
    return _welch([(weight, student_interval(list(values.values()), level)) for weight, values in weighted], level)
