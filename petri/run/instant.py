"""Runs a replication again to some instant, and reads off its state there.

The firings in progress follow from the trace: a firing that started and has not ended. What it holds and will give
follows from its variables; only where an arc asks for `tokens(…)`, the run is repeated once more to its start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

import numpy as np

from petri.engine.firings import TracedFiring
from petri.engine.interface import Reason, Session
from petri.engine.reference import Engine
from petri.engine.state import InProgress, State, ends, in_progress, looks_at_marking, seated
from petri.net import Net
from petri.run.plan import Plan
from petri.run.session import begin
from petri.run.stop import StopSign, interruptible
from petri.structs import Frozen

_PIECE: Final = {
    "native": 65_536,
    "reference": 1_000,
}  # firings between two looks at the sign to stop; their trace is kept
_ENDLESS: Final = 1 << 62
LOOKAHEAD: Final = 100_000  # firings within which the next one of a transition is looked for

T = TypeVar("T")
P = ParamSpec("P")


def interrupted_by_ctrl_c(method: Callable[Concatenate[ReplayedRun, P], T]) -> Callable[Concatenate[ReplayedRun, P], T]:
    """Return a method of a course that runs on a thread of its own;

    Ctrl-C stops its session, and raises KeyboardInterrupt.
    """

    @wraps(method)
    def interruptible_method(course: ReplayedRun, /, *given: P.args, **named: P.kwargs) -> T:
        return interruptible(lambda _: method(course, *given, **named), stop=course.stop)

    return interruptible_method


class Moment(Frozen):
    """The state at an instant of a run, and what the run does around it.

    ended: how the run stood there: "until" if it goes on after this instant, "budget" just before a firing that has
    been chosen, "dead", or "error". counts, last: for each transition, how often it has fired, and when it did last
    [ticks; nan if never]; empty if not known. following: the firing that starts next. dropped: how many clocks of each
    transition have stopped before they had run down; empty if not known.
    """

    state: State
    ended: Reason
    counts: Sequence[int] = ()
    last: Sequence[float] = ()
    following: TracedFiring | None = None
    dropped: Sequence[int] = ()


class ReplayedRun:
    """One replication, which goes forwards to an instant and beyond, and remembers what its firings tell.

    Its methods raise KeyboardInterrupt at Ctrl-C, and cannot be used any more then.
    """

    def __init__(self, net: Net, plan: Plan, replication: int) -> None:
        self.net = net
        self.plan = plan
        self.replication = replication
        self.stop = StopSign()
        self.session = interruptible(lambda _: self._begin(trace=True), stop=self.stop)
        self.counts = np.zeros(len(net.transitions), dtype=np.int64)
        self.last = np.full(len(net.transitions), math.nan)
        # The number of a firing in progress, the firing, and when all that it gives has arrived.
        self._open: list[tuple[int, TracedFiring, float]] = []
        self._delaying = np.array(
            [any(arc.delay for arc in transition.outputs) for transition in net.transitions], dtype=bool
        )
        self._drained = 0

    def _begin(self, trace: bool) -> Session:
        plan = self.plan
        return begin(
            self.net, plan.engine, plan.seed, self.replication, limits=plan.limits, trace=trace, stop=self.stop
        )

    def _run(self, until: float, firings: int) -> Reason:
        """Run at most `firings` firings, in one piece."""
        if self.stop.is_set():
            raise KeyboardInterrupt
        return self.session.advance(until, min(firings, _PIECE[self.plan.engine]))

    @interrupted_by_ctrl_c
    def advance(self, until: float, firings: int | None) -> Reason:
        """Run to the end of instant `until` [ticks], or just before the next firing once `firings` have started."""
        while True:
            reason = self._run(until, _ENDLESS if firings is None else firings - self.session.firings)
            self._drain()
            if reason != "budget" or (firings is not None and self.session.firings >= firings):
                return reason

    @interrupted_by_ctrl_c
    def number_of(self, transition: int, after: float) -> int | None:
        """Return which firing of the run is the first of a transition that starts after an instant [ticks], from 1."""
        while True:
            begun = self.session.firings
            reason = self._run(self.net.tick.ticks(self.plan.until), _ENDLESS)
            firings = self.session.trace()
            found = np.flatnonzero((firings.transitions == transition) & (firings.start_ticks > after))
            if len(found):
                return begun + int(found[0]) + 1
            if reason != "budget":
                return None

    @interrupted_by_ctrl_c
    def moment(self, ended: Reason, look_ahead: bool = True) -> Moment:
        """Return the state here. Goes one firing further to see the next, so call it once."""
        session = self.session
        marking, clocks = session.marking().in_ticks(), tuple(session.clocks())
        state = State(session.now, session.firings, marking, self._in_progress(), clocks)
        dropped = session.observe().dropped.tolist()
        counts, last = self.counts.tolist(), self.last.tolist()
        following = None
        if look_ahead and ended in ("budget", "until"):
            self._run(math.inf, 1)
            following = next(iter(self.session.trace()), None)
        return Moment(state, ended, counts, last, following, dropped)

    @interrupted_by_ctrl_c
    def next_firing(self, transition: int, known: TracedFiring | None) -> TracedFiring | None:
        """Return the next firing of a transition within `LOOKAHEAD` firings. `known`: the one that `moment` found."""
        if known is not None and known.transition == transition:
            return known
        last = self.session.firings + LOOKAHEAD
        while self.session.firings < last:
            reason = self._run(math.inf, last - self.session.firings)
            firings = self.session.trace()
            found = np.flatnonzero(firings.transitions == transition)
            if len(found):
                next_one: TracedFiring = firings[int(found[0])]
                return next_one
            if reason != "budget":
                return None
        return None

    def _drain(self) -> None:
        firings = self.session.trace()
        self.counts += np.bincount(firings.transitions, minlength=len(self.counts))
        self.last[firings.transitions] = firings.start_ticks  # of several the last assignment stays
        now = self.session.now
        self._open = [one for one in self._open if one[2] > now]
        rows = np.flatnonzero((firings.end_ticks > now) | self._delaying[firings.transitions])
        for i in map(int, rows):
            last = max(ends(self.net, firing := firings[i]))
            if last > now:
                self._open.append((self._drained + i, firing, last))
        self._drained += len(firings)

    def _in_progress(self) -> tuple[InProgress, ...]:
        before = self._engines([number for number, one, _ in self._open if looks_at_marking(self.net, one.transition)])
        nowhere = Engine(self.net, seed=1, replication=0)
        found = [in_progress(self.net, one, before.get(number, nowhere)) for number, one, _ in self._open]
        left = [part for parts in found for part in parts if part.end > self.session.now]
        return tuple(sorted(left, key=lambda part: part.end))

    def _engines(self, numbers: list[int]) -> dict[int, Engine]:
        """Return an engine with the marking just before each of these firings."""
        if not numbers:
            return {}
        again, found = self._begin(trace=False), {}
        for number in numbers:
            self._lead(again, number)
            found[number] = seated(self.net, State(again.now, number, again.marking().in_ticks()))
        return found

    def _lead(self, session: Session, firings: int) -> None:
        """Run to just before the next firing once `firings` have started."""
        while session.firings < firings and not self.stop.is_set():
            session.advance(math.inf, min(firings - session.firings, _PIECE[self.plan.engine]))

    @interrupted_by_ctrl_c
    def again(self, firings: int) -> Session:
        """Return the same replication from its start, with a trace, to just before firing number `firings` + 1."""
        session = self._begin(trace=True)
        self._lead(session, firings)
        return session

    @interrupted_by_ctrl_c
    def lead(self, session: Session, firings: int) -> None:
        """Another session of this replication goes on in the same way."""
        self._lead(session, firings)
