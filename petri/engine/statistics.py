"""Statistics of the reference engine: integrals over time of every place and transition (rules M1 to M3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from petri.engine.clocks import Settled
from petri.engine.observer import Observer
from petri.measure.occupancy import LEVELS, Occupancy
from petri.net import Net, Scalar


class Level:
    """An integer that changes in time: its integral, the time it is above zero, and its maximum.

    Times are whole numbers of ticks, kept as ints, so no sum is rounded.
    """

    __slots__ = ("busy", "busy_since", "integral", "maximum", "since", "value")

    def __init__(self, value: int = 0) -> None:
        self.value = self.maximum = value
        self.since = self.busy_since = self.integral = self.busy = 0

    def at(self, now: int) -> tuple[int, int]:
        """Return the integral and the time above zero up to `now`."""
        integral = self.integral + self.value * (now - self.since)
        return integral, self.busy + (now - self.busy_since if self.value > 0 else 0)

    def change(self, value: int, now: int) -> None:
        integral, busy = self.at(now)
        self.integral, self.since = integral, now
        if self.value == 0:
            self.busy_since = now
        elif value == 0:
            self.busy = busy
        self.value = value
        self.maximum = max(self.maximum, value)

    def restart(self, now: int) -> None:
        """Forget the past, keep the value."""
        self.integral = self.busy = 0
        self.since = self.busy_since = now
        self.maximum = self.value


class Statistics(Observer):
    """`window` is the instant from which it counts."""

    def __init__(self, net: Net) -> None:
        self.window = 0.0
        self.places = [Level(place.held) for place in net.places]
        self.transitions = [Level() for _ in net.transitions]
        self.arrivals = [0] * len(net.places)
        self.firings = [0] * len(net.transitions)
        self.set = [0] * len(net.transitions)
        self.dropped = [0] * len(net.transitions)

    def changed(self, place: int, size: int, now: float) -> None:
        self.arrivals[place] += max(0, size - self.places[place].value)
        self.places[place].change(size, int(now))

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        level = self.transitions[transition]
        self.firings[transition] += 1
        level.change(level.value + 1, int(now))

    def ended(self, transition: int, now: float) -> None:
        level = self.transitions[transition]
        level.change(level.value - 1, int(now))

    def settled(self, transition: int, running: int, changes: Settled, now: float) -> None:
        self.transitions[transition].change(running, int(now))
        self.set[transition] += changes.set
        self.dropped[transition] += changes.dropped

    def restart(self, now: float) -> None:
        """End the warm-up."""
        self.window = now
        for level in (*self.places, *self.transitions):
            level.restart(int(now))
        self.arrivals = [0] * len(self.arrivals)
        self.firings, self.set, self.dropped = ([0] * len(self.firings) for _ in range(3))


class OccupancyRecorder(Observer):
    """Records the time at each number of tokens of each place.

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

    def restart(self, now: float) -> None:
        """End the warm-up: count from `now`."""
        self._times[:] = 0.0
        self._since = [now] * len(self._held)

    def at(self, now: float) -> list[Occupancy]:
        """Return the times of each place, up to `now`."""
        times = self._times.copy()
        for place, held in enumerate(self._held):
            times[place, min(held, self._last)] += now - self._since[place]
        return [Occupancy(row) for row in times]
