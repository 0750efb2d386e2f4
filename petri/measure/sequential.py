"""When to stop replicating: at the first planned look at which every interval is narrow enough.

The looks are fixed beforehand: they depend neither on what was seen nor on how many workers there are, so that the
same experiment always stops at the same replication. Looking too often would stop by luck at a run whose interval
happens to be too narrow; looks whose distance grows in proportion keep that effect small (Law, Simulation Modeling
and Analysis, 5th edition, section 9.4.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from petri.measure.intervals import Interval, student_interval

FEWEST: Final = 5  # replications before the first look: the deviation of fewer says next to nothing
FIRST_LOOK: Final = 10  # where nothing else is asked for


@dataclass(frozen=True, slots=True)
class Precision:
    """The half-width wanted: a share of the mean, or (not `relative`) a length in the measure's own unit."""

    bound: float
    relative: bool = True

    def met(self, interval: Interval) -> bool:
        """Whether the interval is narrow enough. One without data is not; one of width 0 always is."""
        if math.isnan(interval.mean) or math.isnan(interval.half_width):
            return False
        return interval.half_width <= (self.bound * abs(interval.mean) if self.relative else self.bound)

    def __str__(self) -> str:
        return f"{100 * self.bound:.10g}%" if self.relative else f"{self.bound:.10g}"


def looks(first: int, most: int) -> Iterator[int]:
    """The numbers of replications after which to look: `first`, then a quarter more each, to `most`.

    The first is at least `FEWEST`. When `most` is smaller than the first look, it is the only one.
    """
    number = max(first, FEWEST)
    while number < most:
        yield number
        number += -(-number // 4)
    yield most


@dataclass(frozen=True, slots=True)
class Stopping:
    """Replicate to the first look at which every measure named in `wanted` has its precision, `most` at the latest.

    Without `wanted` there is one look, after `first` replications.
    """

    first: int
    most: int
    wanted: Mapping[str, Precision]

    def upto(self, failed: int) -> Stopping:
        """The same, with the look at which replication `failed` is first seen as the last one."""
        return replace(self, most=next(look for look in looks(self.first, self.most) if look > failed))

    def target(self, values: Mapping[str, Sequence[float]], level: float = 0.95) -> tuple[int, bool]:
        """How many replications are needed as far as can be told, and whether the precision is reached with them.

        values: of each measure, replication after replication from number 0, without gaps. While they are fewer than
        the first number given back, there is more to do.
        """
        if not self.wanted:
            return self.first, True
        number = 0
        for number in looks(self.first, self.most):
            have = min((len(values.get(name, ())) for name in self.wanted), default=0)
            if have < number:
                return number, False
            intervals = {name: student_interval(values[name][:number], level) for name in self.wanted}
            if all(self.wanted[name].met(interval) for name, interval in intervals.items()):
                return number, True
        return number, False
