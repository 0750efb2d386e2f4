"""Reconstructs the marking from the firings alone: what each takes and gives, and when.

A trace contains the transition, start, end and variables of each firing. By the rules (E2, E3, I5, I11) these
determine what it takes and gives; nothing is drawn again.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from petri.diagnostics import LanguageError
from petri.engine.expression import Context, arrival, destination, evaluate, number_of
from petri.engine.firings import TracedFiring
from petri.net import InputArc, Net, OutputArc, Scalar, Token, Transition, constant_count
from petri.traffic import Recordings


@dataclass(frozen=True, slots=True)
class Moved:
    """Tokens of one value that an arc takes or gives. `value` is None if it is unknown or was not requested."""

    place: int
    count: int
    value: Token | None = None


class Watcher(Protocol):
    """Receives the events in order."""

    def reached(self, now: float) -> None:
        """Something is about to happen at this time; `Replay.tokens` is still the marking before."""

    def started(self, firing: TracedFiring, taken: Sequence[Moved], given: Sequence[Moved]) -> None:
        """Note that a firing has taken its tokens; an immediate one will deposit at once."""

    def ended(self, firing: TracedFiring, given: Sequence[Moved], now: float) -> None:
        """Note that a firing has deposited its tokens."""

    def arrived(self, moved: Moved) -> None:
        """Tokens of an output with a delay have arrived."""


class Replay:
    """Follows one replication. `tokens` is the number in each place, at the instant of the last event.

    valued: the places whose token values the watcher needs.
    """

    def __init__(self, net: Net, watcher: Watcher, valued: Collection[int] = ()) -> None:
        self.net = net
        self.watcher = watcher
        self.tokens = [place.held for place in net.places]
        self._streams = Streams(net)
        self._refill()
        self._pending: list[tuple[float, int, int, TracedFiring, Sequence[Moved]]] = []  # by time, firing and part
        self._started = 0
        self._takes = [_Takes(net, transition, valued) for transition in net.transitions]
        self._gives = [_Gives(transition, valued) for transition in net.transitions]

    def start(self, firing: TracedFiring) -> None:
        """Take the next firing to start; those that end before it, or at its start, end first (I1)."""
        start, end, transition, variables = firing
        tokens = self.tokens
        self.advance(start)
        given, taken = self._gives[transition].always, self._takes[transition].always
        later: Sequence[tuple[float, Moved]] = ()
        if given is None:
            context = Context(variables, tokens.__getitem__, start, end, None, self.net.tables)
            given, later = self._gives[transition].of(context)
        if taken is None:  # the end is not known when the tokens to take are chosen
            taken = self._takes[transition].of(Context(variables, tokens.__getitem__, start, start))
        self.watcher.reached(start)
        for moved in taken:
            tokens[moved.place] -= moved.count
        for place in self.net.transitions[transition].resets:
            taken = [*taken, Moved(place, tokens[place])]
            tokens[place] = 0
        self._refill()
        self.watcher.started(firing, taken, given)
        self._started += 1
        if end <= start:
            self._end(firing, given, end)
        else:
            heapq.heappush(self._pending, (end, self._started, 0, firing, given))
        for part, (instant, moved) in enumerate(later, 1):
            if instant <= start:
                self._arrive(moved, start)
            else:
                heapq.heappush(self._pending, (instant, self._started, part, firing, [moved]))

    def _refill(self) -> None:
        """Give an empty place with a stream its next row (S6)."""
        for place in self._streams.places:
            if self.tokens[place] <= 0 and self._streams.take_row(place):
                self.tokens[place] = 1

    def advance(self, now: float) -> None:
        """Process all ends up to `now`."""
        while self._pending and self._pending[0][0] <= now:
            instant, _, part, firing, given = heapq.heappop(self._pending)
            if part:
                self._arrive(given[0], instant)
            else:
                self._end(firing, given, instant)

    def _arrive(self, moved: Moved, now: float) -> None:
        self.watcher.reached(now)
        self.tokens[moved.place] += moved.count
        self.watcher.arrived(moved)

    def _end(self, firing: TracedFiring, given: Sequence[Moved], now: float) -> None:
        self.watcher.reached(now)
        for moved in given:
            self.tokens[moved.place] += moved.count
        self.watcher.ended(firing, given, now)


class Streams:
    """Counts the rows of a net's streams in the files themselves: the firings do not tell which row was the last."""

    def __init__(self, net: Net) -> None:
        self.places = [index for index, place in enumerate(net.places) if place.stream is not None]
        self._left = dict.fromkeys(self.places, 0)
        self._ended: set[int] = set()
        if self.places:
            self._recordings = Recordings(net)

    def take_row(self, place: int) -> bool:
        """Return whether there is a next row, which is then gone."""
        if not self._left[place] and place not in self._ended:
            self._left[place] = self._count_block(place)
        if not self._left[place]:
            self._ended.add(place)
            return False
        self._left[place] -= 1
        return True

    def _count_block(self, place: int) -> int:
        try:
            return self._recordings.count(place)
        except LanguageError:  # which ends the run, too, and is reported there
            return 0


class _Takes:
    """The tokens that a transition takes."""

    def __init__(self, net: Net, transition: Transition, valued: Collection[int]) -> None:
        self.arcs = [(place, arc) for arc in transition.inputs for place in arc.takes_from]
        self.valued = [place in valued for place, _ in self.arcs]
        self.sets = transition.sets
        always = _all_constant(self.arcs)
        self.always = None if any(self.valued) or self.sets else always

    def of(self, context: Context) -> Sequence[Moved]:
        taken = [
            Moved(place, number_of(arc.count, context), _pattern_value(arc, context) if valued else None)
            for (place, arc), valued in zip(self.arcs, self.valued, strict=True)
        ]
        return taken + [Moved(arc.place, int(context.variables[arc.number])) for arc in self.sets]


def _pattern_value(arc: InputArc, context: Context) -> Token | None:
    """Return the token that the arc has found; None if it leaves some slot open."""
    value: list[Scalar] = []
    for match in arc.pattern:
        if match.bind is not None:
            value.append(context.variables[match.bind])
        elif match.equal is not None:
            value.append(evaluate(match.equal, context))
        else:
            return None
    return tuple(value)


class _Gives:
    """The tokens that a transition gives."""

    def __init__(self, transition: Transition, valued: Collection[int]) -> None:
        self.arcs = transition.outputs
        self.valued = [arc.each is None and any(place in valued for place in arc.places) for arc in self.arcs]
        computed = any(arc.condition or arc.index or arc.delay for arc in self.arcs)
        always = _all_constant([(arc.places[0], arc) for arc in self.arcs])
        self.always = None if computed or any(self.valued) else always

    def of(self, context: Context) -> tuple[Sequence[Moved], Sequence[tuple[float, Moved]]]:
        """Return what it gives when it ends, and what arrives at a time of its own."""
        given: list[Moved] = []
        later: list[tuple[float, Moved]] = []
        for arc, valued in zip(self.arcs, self.valued, strict=True):
            if arc.condition is not None and not evaluate(arc.condition, context):
                continue
            place, count = destination(arc, context)
            if count:
                moved = Moved(place, count, tuple(evaluate(e, context) for e in arc.values) if valued else None)
                given.append(moved) if arc.delay is None else later.append((arrival(arc.delay, context), moved))
        return given, later


def _all_constant(arcs: Sequence[tuple[int, InputArc | OutputArc]]) -> Sequence[Moved] | None:
    """Return what arcs move from or to these places, if that is always the same number of tokens."""
    counts = [(place, constant_count(arc.count)) for place, arc in arcs]
    moved = [Moved(place, count) for place, count in counts if count is not None]
    return moved if len(moved) == len(counts) else None
