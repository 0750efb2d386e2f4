"""How long a place holds how many tokens: time-weighted distributions and their quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from petri.measure.observation import Floats
from petri.net import Scalar, Token

LEVELS: Final = 256  # numbers of tokens recorded; the last entry includes all greater numbers


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """The time [net's unit] for which a place held 0, 1, 2 … tokens; the last entry includes all greater numbers."""

    times: Floats

    @property
    def total(self) -> float:
        return math.fsum(self.times)

    @property
    def shares(self) -> Floats:
        """Each number's share of the time; nan if no time has passed."""
        total = self.total
        return self.times / total if total > 0.0 else np.full(self.times.shape, math.nan)

    @property
    def mean(self) -> float:
        """The time average of tokens; a lower bound if `overflow` is not 0."""
        total = self.total
        return float(np.arange(self.times.size) @ self.times) / total if total > 0.0 else math.nan

    @property
    def overflow(self) -> float:
        """The share of time in the last entry."""
        total = self.total
        return float(self.times[-1]) / total if total > 0.0 else math.nan

    def quantile(self, share: float) -> float:
        """The least number of tokens that is not exceeded for this share of the time (0 < share <= 1).

        inf if it is in the last entry, nan if no time has passed.
        """
        total = self.total
        if not total > 0.0:
            return math.nan
        reached = np.cumsum(self.times) >= share * total * (1.0 - 1e-12)
        level = int(np.argmax(reached)) if reached.any() else self.times.size - 1
        return math.inf if level == self.times.size - 1 else float(level)

    def plus(self, other: Occupancy) -> Occupancy:
        """The sum of two windows: of two replications, or of two batches of one."""
        return Occupancy(self.times + other.times)

    def minus(self, earlier: Occupancy) -> Occupancy:
        """The window after `earlier`, a snapshot of the same run."""
        return Occupancy(self.times - earlier.times)


class OccupancyRecorder:
    """An observer of the reference engine that records the time at each number of tokens of each place.

    initial: tokens of each place at time 0.
    """

    def __init__(self, initial: Sequence[int], levels: int = LEVELS) -> None:
        self._last = levels - 1
        self._times = np.zeros((len(initial), levels))
        self._held = list(initial)
        self._since = [0.0] * len(initial)

    def changed(self, place: int, size: int, now: float) -> None:
        self._times[place, min(self._held[place], self._last)] += now - self._since[place]
        self._held[place], self._since[place] = size, now

    def arrived(self, place: int, token: Token, now: float) -> None:
        pass

    def left(self, place: int, token: Token, now: float) -> None:
        pass

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        pass

    def ended(self, transition: int, now: float) -> None:
        pass

    def restart(self, now: float) -> None:
        """The warm-up is over: count from `now`."""
        self._times[:] = 0.0
        self._since = [now] * len(self._held)

    def at(self, now: float) -> list[Occupancy]:
        """The times of each place, up to `now`."""
        times = self._times.copy()
        for place, held in enumerate(self._held):
            times[place, min(held, self._last)] += now - self._since[place]
        return [Occupancy(row) for row in times]


def weighted_quantile(values: ArrayLike, weights: ArrayLike, share: float) -> float:
    """The least value such that those up to it have this share of the weight (0 < share <= 1).

    With durations as weights it is the quantile of a piecewise constant quantity over time. nan without weight.
    """
    x, w = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    total: Any = math.fsum(w)
    if not total > 0.0:
        return math.nan
    order = np.argsort(x, kind="stable")
    reached = np.cumsum(w[order]) >= share * total * (1.0 - 1e-12)
    return float(x[order][int(np.argmax(reached)) if reached.any() else -1])
