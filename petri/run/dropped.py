"""What stopped the last clock of a transition before it had run down.

The run is repeated in parts, and the part in which that happened again in smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from petri.engine.firings import TracedFiring
from petri.engine.interface import Session
from petri.engine.state import ends
from petri.net import Net
from petri.run.instant import Moment, ReplayedRun
from petri.structs import Frozen

_PARTS: Final = 256  # into which the run is divided, and then the part in which the clock stopped


class Dropped(Frozen):
    """A clock stopped at the instant `at` [ticks], because `by` started then, or ended and gave its tokens."""

    at: float
    by: TracedFiring


def dropped(course: ReplayedRun, moment: Moment, transition: int) -> Dropped | None:
    """Return when a clock of the transition was last dropped or stopped before a moment of the course.

    None if none was, or if the row of a stream may have done it. Raises KeyboardInterrupt at Ctrl-C.
    """
    streams = any(place.stream is not None for place in course.net.places)
    if streams or not moment.state.firings or not any(moment.dropped[transition : transition + 1]):
        return None
    return _Search(course, moment, transition).found()


class _Search:
    def __init__(self, course: ReplayedRun, moment: Moment, transition: int) -> None:
        self.course, self.moment, self.transition = course, moment, transition
        self.total = moment.dropped[transition]

    def found(self) -> Dropped | None:
        number = self._firing()
        at_start = self.course.again(number)
        trace = at_start.trace()
        last = trace[len(trace) - 1]
        net, now = self.course.net, self.moment.state.now
        later = {instant for one in trace for instant in ends(net, one) if last.start < instant <= now}
        session = self.course.again(number - 1)
        if self._happened(session):
            return None  # before the first firing
        for instant in sorted({last.start, *later}):
            session.advance(instant, number + 1)
            if self._happened(session):
                happened = [one for one in trace if one.start == instant or instant in ends(net, one)]
                return Dropped(instant, next(self._culprits(happened, instant), happened[-1]))
        return None

    def _firing(self) -> int:
        """Return the number of the last firing that starts before the clock stops, from 1."""
        low, high = 0, self.moment.state.firings
        while high - low > 1:
            step, session = max(1, (high - low) // _PARTS), self.course.again(low)
            while low + step < high:
                self.course.lead(session, low + step)
                if self._happened(session):
                    high = low + step
                else:
                    low += step
        return high

    def _happened(self, session: Session) -> bool:
        return int(session.observe().dropped[self.transition]) >= self.total

    def _culprits(self, happened: list[TracedFiring], instant: float) -> Iterator[TracedFiring]:
        """Yield those that take what the transition needs, or give what inhibits it."""
        net = self.course.net
        needed = {arc.place for arc in net.transitions[self.transition].inputs}
        unwanted = {arc.place for arc in net.transitions[self.transition].inhibitors}
        for one in happened:
            takes = one.start == instant and needed & _taken(net, one.transition)
            gives = instant in ends(net, one) and unwanted & _given(net, one.transition)
            if takes or gives:
                yield one


def _taken(net: Net, transition: int) -> set[int]:
    of = net.transitions[transition]
    return {place for arc in of.inputs for place in arc.takes_from} | set(of.emptied)


def _given(net: Net, transition: int) -> set[int]:
    return {place for arc in net.transitions[transition].outputs for place in arc.places}
