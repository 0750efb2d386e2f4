"""Times from a start to the next end of equal key, in bounded memory.

An end is matched with the oldest waiting start of its key. At most `limit` starts wait at once: when one more comes,
the oldest of all is forgotten. The Rust twin is `petri/native/engine/src/observe/passages.rs`.
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

from petri.measure.histogram import Histogram
from petri.measure.intervals import Interval
from petri.structs import Frozen
from petri.ticks import Tick

LIMIT: Final = 1 << 18


class OpenPassages(Frozen):
    """Passages that have not ended.

    mean: the time that passages have taken in the measured time, also those that have not ended, for each that has. It
    is the maximum likelihood estimate of exponential times, and that of those that have ended where as many are open at
    the end of the measured time as at its start. Otherwise these leave out the longest ones.
    """

    open: int
    ended: int
    mean: float

    @classmethod
    def of(cls, snapshots: Iterable[Mapping[str, Any]]) -> OpenPassages:
        """Make one of all replications together, with times in the net's unit."""
        seen = list(snapshots)
        times = sum(Histogram.of(one, buckets=False).sum + one["open"] - one["open_before"] for one in seen)
        ended, still_open = (int(sum(one[name] for one in seen)) for name in ("count", "waiting"))
        return cls(still_open, ended, times / ended if ended else math.nan)

    def matters(self, found: Interval) -> bool:
        """Return whether the mean of passages that have ended may be wrong by more than its interval says."""
        unknown = math.isnan(found.half_width)
        least = (0.05 if unknown and found.doubt != "heavy" else 0.01) * abs(found.mean)
        return self.open > 0 and abs(self.mean - found.mean) > (least if unknown else max(found.half_width, least))


class Passages:
    """The completed passages, as a histogram of their times [net's unit], and the waiting starts.

    Instants are given in ticks.
    """

    def __init__(self, limit: int = LIMIT, tick: Tick = Tick()) -> None:
        if limit < 1:
            raise ValueError("limit must be at least 1")
        self.limit = limit
        self.tick = tick
        self.begun = 0
        self.waiting: OrderedDict[int, tuple[Hashable, float]] = OrderedDict()  # by number of the start, oldest first
        self.by_key: dict[Hashable, deque[int]] = {}
        self.instants = 0  # the sum of the instants of waiting starts
        self.restart(0.0)

    def restart(self, now: float) -> None:
        """Set all figures to zero. Waiting starts are kept: a passage counts when it ends."""
        self.open_before = self.open(now)
        self.times = Histogram()
        self.unmatched = 0  # ends without a start
        self.forgotten = 0  # starts dropped at the limit

    def start(self, key: Hashable, now: float) -> None:
        if len(self.waiting) >= self.limit:
            self.take(next(iter(self.waiting)))
            self.forgotten += 1
        self.waiting[self.begun] = (key, now)
        self.by_key.setdefault(key, deque()).append(self.begun)
        self.begun += 1
        self.instants += int(now)

    def end(self, key: Hashable, now: float) -> None:
        numbers = self.by_key.get(key)
        if numbers is None:
            self.unmatched += 1
        else:
            self.times.add(self.tick.time(now - self.take(numbers[0])))

    def take(self, number: int) -> float:
        """Remove a start, the oldest of its key; returns its time."""
        key, time = self.waiting.pop(number)
        self.instants -= int(time)
        numbers = self.by_key[key]
        numbers.popleft()
        if not numbers:
            del self.by_key[key]
        return time

    def open(self, now: float) -> float:
        """Return how long waiting starts have waited, together."""
        return float(len(self.waiting) * int(now) - self.instants)

    def snapshot(self, now: float) -> dict[str, Any]:
        """Return the histogram's snapshot, with `unmatched` and `forgotten`, and how many starts are `waiting`, and
        `open` for how long together, now and at the last restart.
        """
        counts = {"unmatched": self.unmatched, "forgotten": self.forgotten, "waiting": len(self.waiting)}
        return self.times.snapshot() | counts | {"open": self.open(now), "open_before": self.open_before}
