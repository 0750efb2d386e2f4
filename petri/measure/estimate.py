"""Figures with confidence intervals: from replications, or from the batches of one long run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from petri.measure.intervals import Interval, pseudo_values, student_quantile
from petri.measure.observation import Floats, Observation, beyond_doubles
from petri.structs import Frozen

LEVEL = 0.95
FEWEST_BATCHES = 10  # with fewer, batch means are not reliable

Figure = Callable[[Observation], Floats]
"""A figure of a window: an array with one entry per place or transition, or with one entry."""


class Estimate(Frozen):
    """Arrays of values and half-widths of their confidence intervals (nan if unknown)."""

    value: Floats
    half_width: Floats
    level: float = LEVEL
    n: int = 1  # replications, or batches

    def interval(self, index: int = 0) -> Interval:
        return Interval(float(self.value[index]), float(self.half_width[index]), self.level, self.n)


@beyond_doubles
def estimate(
    figure: Figure, windows: Sequence[Observation], without: Sequence[Observation] = (), level: float = LEVEL
) -> Estimate:
    """The mean over replications with Student's interval; for one replication, the jackknife over its batches.

    windows: the whole window of each replication. without: for a single replication, the result of `left_out`.
    """
    if len(windows) > 1:
        samples = np.array([figure(window) for window in windows], dtype=np.float64)
        return _student(samples, samples.mean(axis=0), level)
    whole = np.asarray(figure(windows[0]), dtype=np.float64)
    if not without:
        return Estimate(whole, np.full(whole.shape, math.nan), level)
    values = np.array([figure(rest) for rest in without], dtype=np.float64)
    return _student(pseudo_values(whole, values), whole, level)


def left_out(window: Observation, batches: Sequence[Observation]) -> list[Observation]:
    """The window of a replication without each of its batches in turn; empty if there are too few.

    batches: cumulative snapshots, in order.
    """
    if len(batches) < FEWEST_BATCHES:
        return []
    pieces = [batches[0], *(later.minus(earlier) for earlier, later in pairwise(batches))]
    return [window.minus(piece) for piece in pieces]


def _student(samples: Floats, value: Floats, level: float) -> Estimate:
    n = samples.shape[0]
    quantile = student_quantile(0.5 + 0.5 * level, n - 1)
    return Estimate(value, quantile * samples.std(axis=0, ddof=1) / math.sqrt(n), level, n)
