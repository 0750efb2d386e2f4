"""What trials have found (Q4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from petri.structs import Frozen


class Tally(Frozen):
    """What trials have found. The value of a trial is the sum over its paths that hit, of what each counts.

    hits: paths that hit. at_once: of these, at the first instant. split: whether paths were split, so that values may
    be other than 0 and 1.
    """

    trials: int = 0
    hits: int = 0
    sum: float = 0.0
    squares: float = 0.0
    at_once: int = 0
    firings: int = 0
    split: bool = False

    def checked(self) -> Tally:
        """Itself, from a file. Raises ValueError if no trials can have found this."""
        counts = (self.trials, self.hits, self.at_once, self.firings)
        counted = self.split or self.hits == self.sum == self.squares <= self.trials
        if min(counts) < 0 or max(counts) >= 2**63 or not counted:
            raise ValueError("the numbers of trials and hits contradict one another")
        if not (0.0 <= self.sum <= self.hits and 0.0 <= self.squares <= self.hits**2):
            raise ValueError("the hits of trials that were split count more than one each")
        return self

    def plus(self, other: Tally) -> Tally:
        return Tally(
            self.trials + other.trials,
            self.hits + other.hits,
            self.sum + other.sum,
            self.squares + other.squares,
            self.at_once + other.at_once,
            self.firings + other.firings,
            self.split or other.split,
        )

    @property
    def estimate(self) -> float:
        """nan without trials."""
        return self.sum / self.trials if self.trials else math.nan


def total(tallies: Sequence[Tally]) -> Tally:
    found = Tally()
    for tally in tallies:
        found = found.plus(tally)
    return found
