"""Times from a start to the next end of equal key, in bounded memory.

An end is matched with the oldest waiting start of its key. At most `limit` starts wait at once: when one more comes,
the oldest of all is forgotten. The Rust twin is `petri/native/engine/src/observe/passages.rs`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Any, Final

from petri.measure.histogram import Histogram

LIMIT: Final = 1 << 18


class Passages:
    """The completed passages, as a histogram of their times, and the waiting starts."""

    def __init__(self, limit: int = LIMIT) -> None:
        if limit < 1:
            raise ValueError("limit must be at least 1")
        self.limit = limit
        self.begun = 0
        self.waiting: OrderedDict[int, tuple[Hashable, float]] = OrderedDict()  # by number of the start, oldest first
        self.by_key: dict[Hashable, deque[int]] = {}
        self.restart()

    def restart(self) -> None:
        """Set all figures to zero. Waiting starts are kept: a passage counts when it ends."""
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

    def end(self, key: Hashable, now: float) -> None:
        numbers = self.by_key.get(key)
        if numbers is None:
            self.unmatched += 1
        else:
            self.times.add(now - self.take(numbers[0]))

    def take(self, number: int) -> float:
        """Remove a start, the oldest of its key; returns its time."""
        key, time = self.waiting.pop(number)
        numbers = self.by_key[key]
        numbers.popleft()
        if not numbers:
            del self.by_key[key]
        return time

    def snapshot(self) -> dict[str, Any]:
        """The histogram's snapshot, with `unmatched`, `forgotten`, and the number `waiting` now."""
        counts = {"unmatched": self.unmatched, "waiting": len(self.waiting), "forgotten": self.forgotten}
        return self.times.snapshot() | counts
