"""Records the clocks of a run: when each is set, stops, goes on, and is over."""

from __future__ import annotations

import math
from typing import Final

from petri.engine.clocks import OwnClock, OwnClocks, SharedClock
from petri.engine.reference import Engine
from petri.net import Token
from petri.structs import Struct, field

OPEN: Final = -1.0  # the end of a clock that is there when the record ends

Change = tuple[float, int, float]
"""At the end of an instant [ticks]: how many clocks run as this one; the tick, or virtual tick (C5), at which it will
have run down; of one that has stopped, whose number is 0, what it has left."""
Pace = tuple[float, float, float]
"""From a tick on: the virtual time there, and how much of it passes in a tick (C5)."""


class ClockSpan(Struct):
    """The clock of a binding, or the part of a transition in the common clock (C4).

    tokens: as in `ClockState`. time: to which it was set, None of a shared one. over: the instant at whose end it is
    gone. fired: the number of the happening that fired it, or -1.
    """

    transition: int
    tokens: tuple[Token, ...] = ()
    time: float | None = None
    changes: list[Change] = field(default_factory=list)
    over: float = OPEN
    fired: int = -1


class ClockRecord(Struct):
    """paces: of each transition whose clocks have a speed."""

    spans: list[ClockSpan] = field(default_factory=list)
    paces: dict[int, list[Pace]] = field(default_factory=dict)


class ClockRecorder:
    """Looks at the clocks of an engine whenever they may have changed."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.record = ClockRecord()
        self._own: dict[int, dict[int, tuple[OwnClock, ClockSpan]]] = {}  # by transition, and then which object it is
        self._shared: dict[int, ClockSpan] = {}

    def settled(self) -> None:
        """End the instant: all clocks are as they should be (C2)."""
        for index, clocks in self.engine.clocks.items():
            if isinstance(clocks, SharedClock):
                self._see_shared(index, clocks)
            elif isinstance(clocks, OwnClocks):
                self._see_gone(index, clocks, -1)
                self._see_own(index, clocks)

    def fired(self, index: int, happening: int) -> None:
        """Note that a transition has fired, and if it has clocks one of them is over."""
        clocks = self.engine.clocks.get(index)
        if isinstance(clocks, OwnClocks):
            self._see_gone(index, clocks, happening)

    def _see_gone(self, index: int, clocks: OwnClocks, happening: int) -> None:
        there = {id(clock) for clock in clocks.clocks}
        own = self._own.get(index, {})
        for key in [key for key in own if key not in there]:
            _, span = own.pop(key)
            span.over, span.fired = self.engine.now, happening

    def _see_own(self, index: int, clocks: OwnClocks) -> None:
        own = self._own.setdefault(index, {})
        for clock in clocks.clocks:
            if id(clock) not in own:
                own[id(clock)] = clock, ClockSpan(index, clocks.values(clock), clock.time)
                self.record.spans.append(own[id(clock)][1])
            self._change(own[id(clock)][1], int(clock.runs), clock.target if clock.runs else clock.left)
        if clocks.has_speed:
            paces = self.record.paces.setdefault(index, [])
            if not paces or paces[-1] != (clocks.since, clocks.virtual, clocks.pace):
                paces.append((clocks.since, clocks.virtual, clocks.pace))

    def _see_shared(self, index: int, clocks: SharedClock) -> None:
        if index not in self._shared:
            self._shared[index] = ClockSpan(index)
            self.record.spans.append(self._shared[index])
        running = clocks.running if math.isfinite(clocks.end()) else 0
        self._change(self._shared[index], running, clocks.end() if running else 0.0)

    def _change(self, span: ClockSpan, running: int, value: float) -> None:
        if not span.changes or span.changes[-1][1:] != (running, value):
            span.changes.append((self.engine.now, running, value))
