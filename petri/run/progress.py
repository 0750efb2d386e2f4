"""How far the replications of a run are."""

from __future__ import annotations

import math
import time

from petri.structs import Struct, field


class Progress(Struct):
    """The progress of the replications; their threads write it, the display reads it."""

    replications: int
    until: float
    finished: int = 0
    firings: int = 0
    running: dict[int, tuple[float, int]] = field(default_factory=dict)  # replication: (model time, firings)
    started: float = field(default_factory=time.perf_counter)

    @property
    def time(self) -> float:
        """Model time of the replication that is furthest behind; at the end, that of the whole run."""
        ended = self.until if self.finished == self.replications and math.isfinite(self.until) else 0.0
        return min((now for now, _ in list(self.running.values())), default=ended)

    @property
    def rate(self) -> float:
        """Firings per second of wall-clock time, over all replications."""
        total = self.firings + sum(firings for _, firings in list(self.running.values()))
        return total / max(time.perf_counter() - self.started, 1e-9)

    @property
    def share(self) -> float:
        """Share done, by model time; nan if only the death of the net ends the run."""
        if math.isinf(self.until):
            return math.nan if self.replications == 1 else self.finished / self.replications
        reached = sum(min(now / self.until, 1.0) if self.until else 1.0 for now, _ in list(self.running.values()))
        return (self.finished + reached) / self.replications
