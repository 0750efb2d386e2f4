"""One replication under way, on either engine: what `run` drives and the tests look into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from petri.engine.errors import Fault
from petri.engine.firings import Firings, TracedFiring
from petri.engine.probes import Probes
from petri.engine.reference import Engine, Limits, Observer, Reason
from petri.engine.statistics import Statistics
from petri.measure.observation import Floats, Observation
from petri.measure.occupancy import OccupancyRecorder
from petri.net import Net, Scalar, Token


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be kept besides the statistics: a trace, the time at each number of tokens of each place."""

    trace: bool = False
    levels: bool = False


Levels = Floats
"""Times [net's unit] by place and number of tokens; the last number stands for at least so many."""


class RowSource(Protocol):
    """The rows of the net's streams, block after block; an empty block is the end."""

    def tokens(self, place: int) -> list[Token]:
        """The next rows of a place."""

    def words(self, place: int) -> bytes:
        """The same as native 64-bit words, slot after slot."""


class Session(Protocol):
    """A replication that can be run piece by piece. Results do not depend on how it is cut into pieces."""

    @property
    def now(self) -> float:
        """Model time, in the net's unit."""

    @property
    def firings(self) -> int:
        """Firings started since time 0."""

    @property
    def hash(self) -> int:
        """The trajectory hash so far (R4)."""

    @property
    def error(self) -> Fault | None:
        """Why the run stopped, after `advance` returned "error"."""

    def advance(self, until: float, firings: int) -> Reason:
        """Run to the end of instant `until`, or for so many firings more.

        Returns "until", "dead" (nothing can happen any more), "budget" (the firings are used up), or "error". Reads the
        files of the net's streams as it goes; raises LanguageError where one cannot be read, or holds what it may not.
        """

    def begin_window(self) -> None:
        """The warm-up is over: statistics start at `now` (M3)."""

    def observe(self) -> Observation:
        """Everything counted since the window began."""

    def marking(self) -> list[list[Token]]:
        """The tokens of each place: by seat in a bag, else in order of arrival."""

    def levels(self) -> Levels | None:
        """The time at each number of tokens since the window began, when it was asked for: [place, number]."""

    def trace(self) -> Firings:
        """The firings since the last call, when tracing was asked for."""


def begin(
    net: Net,
    engine: str,
    seed: int,
    replication: int,
    *,
    limits: Limits = Limits(),
    trace: bool = False,
    levels: bool = False,
    block: int | None = None,
) -> Session:
    """A session at time 0. `engine` is "native" or "reference". Raises ImportError where there is no native one.

    block: rows of a stream that are read at a time. It makes no difference to what happens. Raises LanguageError where
    a stream of the net cannot be read.
    """
    rows: RowSource | None = None
    if any(place.stream is not None for place in net.places):
        from petri.traffic import Recordings

        rows = Recordings(net, block)
    if engine == "reference":
        return ReferenceSession(net, seed, replication, limits, Asked(trace, levels), rows)
    from petri.engine.native import NativeSession

    return NativeSession(net, seed, replication, limits, Asked(trace, levels), rows)


class ReferenceSession:
    """A replication on the reference engine."""

    def __init__(
        self, net: Net, seed: int, replication: int, limits: Limits, asked: Asked, rows: RowSource | None = None
    ) -> None:
        self._statistics = Statistics(net)
        self._probes = Probes(net)
        self._net = net
        self._trace = Trace()
        initial = [place.held for place in net.places]
        self._levels = OccupancyRecorder(initial) if asked.levels else None
        observers: list[Observer] = [self._statistics, self._probes]
        observers += [self._trace] if asked.trace else []
        observers += [self._levels] if self._levels else []
        self._engine = Engine(net, seed, replication, limits, observers)
        self._rows = rows
        self._probes.tokens = lambda place: len(self._engine.marking[place])
        self._initial = np.array(initial, dtype=np.int64)

    @property
    def now(self) -> float:
        return self._engine.now

    @property
    def firings(self) -> int:
        return self._engine.firings

    @property
    def hash(self) -> int:
        return self._engine.hash.value

    @property
    def error(self) -> Fault | None:
        return self._engine.error

    def advance(self, until: float, firings: int) -> Reason:
        engine = self._engine
        last = engine.firings + firings
        while (reason := engine.advance(until, last - engine.firings)) == "input":
            assert engine.wanted is not None
            assert self._rows is not None
            engine.feed(engine.wanted, self._rows.tokens(engine.wanted))
        return reason

    def begin_window(self) -> None:
        self._statistics.restart(self.now)
        self._probes.restart()
        if self._levels is not None:
            self._levels.restart(self.now)

    def observe(self) -> Observation:
        statistics, now = self._statistics, self.now
        places = np.array([level.at(now) for level in statistics.places], dtype=np.float64).reshape(-1, 2)
        transitions = np.array([level.at(now) for level in statistics.transitions], dtype=np.float64).reshape(-1, 2)
        return Observation(
            elapsed=now - statistics.window,
            integral=places[:, 0],
            nonempty=places[:, 1],
            maximum=np.array([level.maximum for level in statistics.places], dtype=np.int64),
            arrivals=np.array(statistics.arrivals, dtype=np.int64),
            initial=self._initial,
            firings=np.array(statistics.firings, dtype=np.int64),
            in_progress=transitions[:, 0],
            active=transitions[:, 1],
            probes=self._probes.snapshots(),
        )

    def marking(self) -> list[list[Token]]:
        return [[token.value for token in row] for row in self._engine.marking]

    def levels(self) -> Levels | None:
        return None if self._levels is None else np.array([one.times for one in self._levels.at(self.now)])

    def trace(self) -> Firings:
        return Firings.of(self._net, self._trace.drain())


class Trace:
    """An observer that remembers firings."""

    def __init__(self) -> None:
        self._firings: list[TracedFiring] = []

    def changed(self, place: int, size: int, now: float) -> None:
        pass

    def arrived(self, place: int, token: Token, now: float) -> None:
        pass

    def ended(self, transition: int, now: float) -> None:
        pass

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        self._firings.append(TracedFiring(now, end, transition, tuple(variables)))

    def drain(self) -> list[TracedFiring]:
        drained, self._firings = self._firings, []
        return drained
