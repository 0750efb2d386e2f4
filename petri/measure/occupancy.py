"""How long a place holds how many tokens: time-weighted distributions and their quantiles."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from petri.measure.arrays import Floats
from petri.structs import Frozen

LEVELS: Final = 256  # numbers of tokens recorded; the last entry includes all greater numbers


class Occupancy(Frozen, eq=False):
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
        """The time average of tokens; a lower bound if the last entry is not 0."""
        total = self.total
        return float(np.arange(self.times.size) @ self.times) / total if total > 0.0 else math.nan

    def quantile(self, share: float) -> float:
        """Return the least number of tokens that is not exceeded for this share of the time (0 < share <= 1).

        inf if it is in the last entry, nan if no time has passed.
        """
        total = self.total
        if not total > 0.0:
            return math.nan
        reached = np.cumsum(self.times) >= share * total * (1.0 - 1e-12)
        level = int(np.argmax(reached)) if reached.any() else self.times.size - 1
        return math.inf if level == self.times.size - 1 else float(level)
