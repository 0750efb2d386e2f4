"""The clocks of transitions that race, in words: `its clock has 3.2 ms of 5 ms left`."""

from __future__ import annotations

import math

from petri.engine.interface import ClockState
from petri.engine.state import State
from petri.net import Net, Token, is_shared
from petri.report.telling.token_text import Values


class ClockText:
    """Words the clocks of a state."""

    def __init__(self, net: Net, state: State) -> None:
        self.net, self.now = net, state.now
        self.values = Values(net)
        self.of: dict[int, list[ClockState]] = {}
        for clock in state.clocks:
            self.of.setdefault(clock.transition, []).append(clock)

    def all(self, transition: int) -> str:
        """Tell of all clocks of a transition that run, or of those that have stopped; "" if there are none."""
        clocks = self.of.get(transition, [])
        running = [clock for clock in clocks if clock.left is None]
        if not running:
            return self._stopped(clocks)
        first = min(running, key=lambda one: one.ends)
        if first.time is None:
            return f"{self._part(first)}, which {self.state(first)}"
        if len(running) == 1:
            return f"its clock {self.state(first)}"
        return f"{len(running):,} clocks run; the first {self.state(first)}"

    def binding(self, transition: int, found: tuple[tuple[Token, ...], ...]) -> str:
        """Return what the binding that has found these tokens for its input arcs waits for, if it is enabled."""
        of = self.net.transitions[transition]
        if of.clock is None:
            return "can fire"
        if is_shared(of):
            return "enabled"
        coloured = [bool(self.net.places[arc.place].colour.slots) for arc in of.inputs]
        tokens = tuple(some[0] for some, one in zip(found, coloured, strict=True) if one)
        own = [clock for clock in self.of.get(transition, []) if clock.tokens == tokens]
        return f"its clock {self.state(own[0])}" if own else "its clock is set when this instant is over"

    def state(self, clock: ClockState) -> str:
        """`has 3.2 ms of 5 ms left`"""
        if clock.left is not None:
            return f"has stopped with {self._of(clock.left, clock.time)} left"
        if clock.ends <= self.now:
            return "has run down"
        if math.isinf(clock.ends):
            return "stands still"
        left = clock.ends - self.now
        if clock.time is None:
            return f"has {self.values.time(left)} left"
        of = self.net.transitions[clock.transition].clock
        if of is not None and of.speed is not None:
            return f"has {self.values.time(left)} left at this speed; it was set to {self.values.time(clock.time)}"
        return f"has {self._of(left, clock.time)} left"

    def _part(self, clock: ClockState) -> str:
        """Tell of one whose rate is part of the common clock (C4)."""
        whose = f"its {clock.clocks:,} clocks run" if clock.clocks > 1 else "its clock runs"
        others = sum(map(is_shared, self.net.transitions)) - 1
        return f"{whose} as one with those of all exponential times" if others else f"{whose} as one"

    def _stopped(self, clocks: list[ClockState]) -> str:
        if len(clocks) > 1:
            return f"{len(clocks):,} of its clocks have stopped"
        return f"its clock {self.state(clocks[0])}" if clocks else ""

    def _of(self, left: float, time: float | None) -> str:
        return self.values.time(left) if time is None else f"{self.values.time(left)} of {self.values.time(time)}"
