"""What is looked at in a replication while it runs: measures in windows, and the condition at which it ends."""

from __future__ import annotations

import math

from petri.measure.formula import evaluate
from petri.measure.observation import Observation
from petri.net import Net
from petri.run.checkpoint import SavedObservation, SavedSeries
from petri.run.condition import StopCondition, Watched
from petri.run.plan import Plan

LONGEST_SERIES = 1_000_000  # windows; a longer series is cut off


class Series:
    """The values of one measure in windows of equal length, counted from the end of the warm-up.

    `next` is the tick at which the window under way ends.
    """

    def __init__(self, measure: int, length: float) -> None:
        self.measure = measure
        self.length = length
        self.values: list[float] = []
        self.next = math.inf

    def begin(self, net: Net, now: float, seen: Observation) -> None:
        self.start = net.tick.time(now)
        self.last = seen
        self.go_on(net)

    def go_on(self, net: Net) -> None:
        full = len(self.values) == LONGEST_SERIES
        self.next = math.inf if full else net.tick.ticks(self.start + (len(self.values) + 1) * self.length)

    def save(self) -> SavedSeries:
        begun = math.isfinite(self.next) or bool(self.values)
        last = SavedObservation.of(self.last) if begun else None
        return SavedSeries(tuple(self.values), self.start if begun else 0.0, last)

    def resume(self, net: Net, saved: SavedSeries) -> None:
        self.values = list(saved.values)
        if saved.last is not None:
            self.start, self.last = saved.start, saved.last.observation()
            self.go_on(net)

    def take(self, net: Net, seen: Observation) -> None:
        """Evaluate the measure over the window that ends now."""
        self.values.append(evaluate(net.measures[self.measure].formula, seen.minus(self.last)))
        self.last = seen
        self.go_on(net)


class Watching:
    """What is looked at in one replication."""

    def __init__(self, net: Net, plan: Plan) -> None:
        self.net = net
        self.series = [Series(index, one.window) for index, one in enumerate(net.measures) if one.window]
        condition = net.run_defaults.stop if math.isinf(plan.until) else None
        self.condition = None if condition is None else StopCondition(condition)

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self.series) or self.condition is not None

    @property
    def values(self) -> dict[int, list[float]]:
        """Return the windows so far, by measure."""
        return {series.measure: [*series.values] for series in self.series}

    @property
    def next(self) -> float:
        """Return the tick at which the next window ends."""
        return min((series.next for series in self.series), default=math.inf)

    @property
    def firings(self) -> int | None:
        """Return after how many firings the condition is to be looked at, if there is one."""
        return None if self.condition is None else self.condition.next

    def begin(self, session: Watched) -> None:
        """Note where the first windows begin: the warm-up is over."""
        if self.series:
            now, seen = session.now, session.observe()
            for series in self.series:
                series.begin(self.net, now, seen)

    def take(self, session: Watched) -> None:
        """End the windows that end with the instant that is over."""
        now = session.now
        ending = [series for series in self.series if now >= series.next]
        if ending:
            seen = session.observe()
            for series in ending:
                series.take(self.net, seen)

    def is_over(self, session: Watched) -> bool:
        """Return whether it is time to look at the condition, and it holds."""
        return self.condition is not None and self.condition.holds(session)
