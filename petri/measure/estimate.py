"""Figures with their confidence: from replications, or from the batches of one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.intervals import CONSTANT, Interval, Statistic, extreme, pseudo_values, student_quantile
from petri.measure.observation import Observation, beyond_doubles, probe_quantile, share_below
from petri.measure.single_run import BatchInterval, batch_interval
from petri.structs import Frozen, replace

LEVEL = 0.95
Figure = Callable[[Observation], Floats]
"""A figure of a window: an array with one entry per place or transition, or with one entry."""


class Estimate(Frozen):
    """Arrays of values and half-widths of their confidence intervals (nan where none can be given).

    longer: how many times as long the run should be for an interval that can be trusted; inf where that cannot be
    estimated, nan where there is an interval or none can exist.
    """

    value: Floats
    half_width: Floats
    level: float = LEVEL
    n: int = 1  # replications, or batches
    longer: Floats | None = None
    statistic: Statistic = "mean"
    unvaried: Mapping[int, Interval] = {}  # of figures that did not vary, and may be others

    @property
    def constant(self) -> list[int]:
        """The figures that did not vary, by index."""
        if self.statistic != "mean":
            return []
        pairs = zip(self.value.tolist(), self.half_width.tolist(), strict=True)
        return [index for index, (value, half_width) in enumerate(pairs) if half_width <= CONSTANT * abs(value)]

    def with_unvaried(self, intervals: Mapping[int, Interval]) -> Estimate:
        """Return the same, in which figures that did not vary have these intervals."""
        widths = self.half_width.tolist()
        for index, interval in intervals.items():
            widths[index] = interval.half_width
        return replace(self, half_width=np.array(widths), unvaried=intervals)

    def interval(self, index: int = 0) -> Interval:
        if index in self.unvaried:
            return self.unvaried[index]
        longer = math.nan if self.longer is None else float(self.longer[index])
        value, half_width = float(self.value[index]), float(self.half_width[index])
        return Interval(value, half_width, self.level, self.n, longer, self.statistic)


def extreme_of(samples: Floats, statistic: Statistic) -> Estimate:
    """Return the greatest or least over the replications, without interval. samples: by replication and figure."""
    value = extreme(samples, statistic)
    return Estimate(value, np.full(value.shape, math.nan), LEVEL, len(samples), statistic=statistic)


@beyond_doubles
def mean_of(samples: Floats, level: float = LEVEL) -> Estimate:
    """Return the mean over replications with Student's interval. samples: by replication and figure."""
    return _student(samples, _mean(samples), level)


@beyond_doubles
def estimate(
    figure: Figure,
    windows: Sequence[Observation],
    without: Sequence[Observation] | Floats | None = None,
    level: float = LEVEL,
) -> Estimate:
    """Return the mean over replications; for one replication, the interval from its batches.

    windows: the whole window of each replication. without: for the only one, what `left_out` gives, or the figure of
    each of them; None for a figure that can have no interval.
    """
    if len(windows) > 1:
        return mean_of(np.array([figure(window) for window in windows], dtype=np.float64), level)
    whole = np.asarray(figure(windows[0]), dtype=np.float64)
    if without is None:
        return Estimate(whole, np.full(whole.shape, math.nan), level)
    found = _from_batches(figure, whole, without, level)
    return Estimate(whole, np.maximum(found.below, found.above), level, found.n, found.longer)


@beyond_doubles
def estimate_quantile(
    probe: int, share: float, window: Observation, without: Sequence[Observation], level: float = LEVEL
) -> Estimate:
    """Return a quantile of a sample in one replication: from the interval of the share of values below it.

    The share below the sample's quantile is a ratio, with an interval from the batches. The sample's quantiles for
    shares moved by its half-width are the ends (Woodruff 1952, "Confidence intervals for medians and other position
    measures", Journal of the American Statistical Association 47). The smaller of share and 1 - share, `tail`, is moved
    on a logarithmic scale, on which its estimates are nearly symmetric; the longer side counts. The far tail of a
    sample tends to be too short, so the half-width h is widened to h (1 + h / 2 tail). A quantile of whole numbers is
    not a smooth function of the sample, so leaving out batches would say nothing of it; the share is smooth.
    """
    sample = window.probes[probe]
    value = probe_quantile(sample, share)
    point = probe_quantile(sample, share, within=True)

    def below_point(seen: Observation) -> Floats:
        return np.array([share_below(seen.probes[probe], point)])

    found = _from_batches(below_point, below_point(window), without, level)
    error, longer = float(np.maximum(found.below, found.above)[0]), float(found.longer[0])
    tail = min(share, 1.0 - share)
    if tail == 0.0:  # the least or the greatest value
        return Estimate(np.array([value]), np.array([math.nan]), level, found.n)
    half_width = math.nan
    if not math.isnan(error):
        error *= 1.0 + 0.5 * error / tail
        ends = (_moved(share, -error), _moved(share, error))
        half_width = max(abs(probe_quantile(sample, end, within=True) - value) for end in ends)
    return Estimate(np.array([value]), np.array([half_width]), level, found.n, np.array([longer]))


def _moved(share: float, change: float) -> float:
    """Return a share changed on the logarithmic scale of the smaller of it and its complement."""
    if share <= 0.5:
        return min(share * math.exp(change / share), 1.0)
    return max(1.0 - (1.0 - share) * math.exp(-change / (1.0 - share)), 0.0)


def left_out(window: Observation, batches: Sequence[Observation]) -> list[Observation]:
    """Return the window of a replication without each of its batches in turn.

    batches: cumulative snapshots, in order.
    """
    if not batches:
        return []
    pieces = [batches[0], *(later.minus(earlier) for earlier, later in pairwise(batches))]
    return [window.minus(piece) for piece in pieces]


def _from_batches(
    figure: Figure, whole: Floats, without: Sequence[Observation] | Floats, level: float
) -> BatchInterval:
    listed = without if isinstance(without, np.ndarray) else [figure(rest) for rest in without]
    values = np.asarray(listed, dtype=np.float64).reshape(len(without), *whole.shape)
    return batch_interval(pseudo_values(whole, values), level)


def _mean(samples: Floats) -> Floats:
    """Return the mean over replications, which is a double even where the sum of the samples is not."""
    mean: Floats = samples.mean(axis=0)
    return np.where(np.isfinite(mean), mean, (samples / samples.shape[0]).sum(axis=0))


def _student(samples: Floats, value: Floats, level: float) -> Estimate:
    n = samples.shape[0]
    quantile = student_quantile(0.5 + 0.5 * level, n - 1)
    return Estimate(value, quantile * samples.std(axis=0, ddof=1) / math.sqrt(n), level, n)
