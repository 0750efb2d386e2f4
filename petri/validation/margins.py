"""How far the two sides of a statement are apart, compared with the noise of the runs.

A statement is a set of margins, numbers that are positive where it is true. Each is a weighted sum of the figures of
some points, so its interval follows from the replications: in pairs where the points share their random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from petri.experiment.results.summary import PointOutcome
from petri.measure.difference import combined_interval
from petri.measure.intervals import Interval, student_interval
from petri.structs import Frozen

Verdict = Literal["holds", "fails", "undecided"]
HOLDS: Final = "holds"
FAILS: Final = "fails"
UNDECIDED: Final = "undecided"

Weighted = Sequence[tuple[float, PointOutcome]]


def estimate(point: PointOutcome, measure: str) -> Interval:
    """Return the mean over the replications, with its interval.

    Of a maximum too, unlike elsewhere: the paper's maximum is that of one window, as is that of each replication.
    """
    return student_interval(list(point.values(measure).values()))


class Margin(Frozen):
    """A margin with its interval. `strict`: 0 is not enough."""

    interval: Interval
    strict: bool = True

    @property
    def verdict(self) -> Verdict:
        """`holds` or `fails` if the whole interval is on one side of 0."""
        if self.interval.half_width == 0.0 and self.interval.mean == 0.0:
            return FAILS if self.strict else HOLDS
        if self.interval.low > 0.0:
            return HOLDS
        return FAILS if self.interval.high < 0.0 else UNDECIDED

    @property
    def doubt(self) -> float:
        """The half-width in proportion to the margin: the greater, the less it decides."""
        if math.isnan(self.interval.half_width):
            return math.inf
        return self.interval.half_width / abs(self.interval.mean) if self.interval.mean else math.inf


def margin(measure: str, weighted: Weighted, offset: float = 0.0, strict: bool = True) -> Margin:
    """Return the sum of weight·figure over the points, and of `offset`."""
    paired = len({point.seed for _, point in weighted}) == 1
    values = [(weight, point.values(measure)) for weight, point in weighted]
    interval = combined_interval(values, paired)
    return Margin(Interval(offset + interval.mean, interval.half_width, interval.level, interval.n), strict)


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge parts that must all hold."""
    found = set(verdicts)
    return FAILS if FAILS in found else UNDECIDED if UNDECIDED in found else HOLDS


def some(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge parts of which one is enough."""
    found = set(verdicts)
    return HOLDS if HOLDS in found else UNDECIDED if UNDECIDED in found else FAILS
