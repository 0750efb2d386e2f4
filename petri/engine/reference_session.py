"""A replication on the reference engine, with its statistics."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from petri.engine.errors import Fault
from petri.engine.firings import Firings, TracedFiring
from petri.engine.interface import Asked, ClockState, Levels, Limits, Reason, RowSource, Words3
from petri.engine.marking import Marking
from petri.engine.observer import Observer
from petri.engine.probes import Probes, WatchedState
from petri.engine.reference import Engine, advance
from petri.engine.statistics import Level, OccupancyRecorder, Statistics
from petri.file_read import FileRead
from petri.measure.arrays import Floats
from petri.measure.observation import Observation, probe_in_units
from petri.measure.windows import Windows
from petri.net import Net, Scalar, Token
from petri.ticks import NEVER


class ReferenceSession:
    """A replication on the reference engine."""

    def __init__(
        self,
        net: Net,
        seed: int,
        replication: int,
        limits: Limits,
        asked: Asked,
        rows: RowSource | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> None:
        """Begin a session. stopped: whether a long search for bindings should end."""
        self._statistics = Statistics(net)
        self._probes = Probes(net)
        self._net = net
        self._trace = Trace()
        initial = [place.held for place in net.places]
        self._levels = OccupancyRecorder(initial) if asked.levels else None
        observers: list[Observer] = [self._probes, self._statistics]
        observers += [self._trace] if asked.trace else []
        observers += [self._levels] if self._levels else []
        self._engine = Engine(net, seed, replication, limits, observers)
        self._probes.begin()
        if stopped is not None:
            self._engine.stopped = stopped
        self._rows = rows
        self._probes.tokens = self._tokens
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
    def drew(self) -> bool:
        engine = self._engine
        return any(stream.drawn for stream in (engine.stream, *engine.own_streams))

    @property
    def error(self) -> Fault | None:
        return self._engine.error

    def advance(self, until: float, firings: int) -> Reason:
        return advance(self._engine, self._rows, until, firings)

    def next_end(self) -> float:
        """Return when something will happen next, in ticks; `NOWHERE` if nothing will. An instant is over."""
        return self._engine.next_end()

    def watched(self, probe: int) -> int:
        """Return the value of a `Watched` probe at the end of the last instant; of a real one, in multiples of 2⁻⁴⁰."""
        state = self._probes.probes[probe]
        assert isinstance(state, WatchedState)
        return state.now if state.value.parts == 1.0 else round(Fraction(state.now, 2**64))

    def _tokens(self, place: int) -> int:
        return len(self._engine.marking[place])

    def copied(self) -> ReferenceSession:
        """Another session in the same state, without streams."""
        shared = (self._net, self._engine.stopped)
        return copy.deepcopy(self, {id(one): one for one in shared})

    def reseed(self, words: Words3) -> None:
        """Other random numbers from now on: SFC64 from these words."""
        self._engine.stream.restart(words)

    def put(self, place: int, time: float, token: Token) -> None:
        self._engine.put(place, time, token)

    def keep_outputs(self, stops: bool = False) -> None:
        self._engine.put_out, self._engine.stops_at_output = self._engine.put_out or [], stops

    def outputs(self, place: int) -> list[Token]:
        kept = self._engine.put_out or []
        self._engine.put_out = [one for one in kept if one[0] != place]
        return [(time, *token) for at, time, token in kept if at == place]

    def choices(self) -> list[tuple[int, tuple[Scalar, ...]]]:
        return self._engine.decidable()

    def decide(self, transition: int, wanted: Mapping[int, Scalar]) -> bool:
        return self._engine.decide(transition, wanted)

    def pass_over(self) -> None:
        self._engine.pass_over()

    def rest(self, until: float) -> None:
        self._engine.move_to(until)

    def begin_window(self) -> None:
        self._statistics.restart(self.now)
        self._probes.restart(self.now)
        if self._levels is not None:
            self._levels.restart(self.now)

    def snapshot(self) -> Observation:
        return self.observe()

    def observations(self, snapshots: list[Observation]) -> Windows:
        seen = Windows.of([*snapshots], like=self.observe())
        snapshots.clear()
        return seen

    def next_event(self) -> float:
        return min(self._engine.next_end(), self._engine.next_arrival(), NEVER)

    def observe(self, until: float | None = None) -> Observation:
        statistics, now = self._statistics, self.now if until is None else max(self.now, until)
        tick = self._net.tick
        places = tick.time(levels_at(statistics.places, now))
        transitions = tick.time(levels_at(statistics.transitions, now))
        return Observation(
            elapsed=tick.time(now - statistics.window),
            integral=places[:, 0],
            nonempty=places[:, 1],
            maximum=np.array([level.maximum for level in statistics.places], dtype=np.int64),
            arrivals=np.array(statistics.arrivals, dtype=np.int64),
            initial=self._initial,
            firings=np.array(statistics.firings, dtype=np.int64),
            in_progress=transitions[:, 0],
            active=transitions[:, 1],
            set=np.array(statistics.set, dtype=np.int64),
            dropped=np.array(statistics.dropped, dtype=np.int64),
            probes=tuple(probe_in_units(snapshot, tick) for snapshot in self._probes.snapshots(now)),
        )

    def marking(self) -> Marking:
        return Marking.of(self._net, [[token.value for token in row] for row in self._engine.marking])

    def under_way(self) -> Counter[int]:
        return Counter(one.transition for one in self._engine.in_progress if one.part == 0)

    def clocks(self) -> list[ClockState]:
        return [state for clocks in self._engine.clocks.values() for state in clocks.states()]

    def levels(self) -> Levels | None:
        if self._levels is None:
            return None
        return self._net.tick.time(np.array([one.times for one in self._levels.at(self.now)]))

    def files(self) -> tuple[FileRead, ...]:
        return () if self._rows is None else self._rows.read()

    def trace(self) -> Firings:
        return Firings.of(self._net, self._trace.drain())


def levels_at(levels: Sequence[Level], now: float) -> Floats:
    """Return the integral and the time above zero of each level up to `now`, in ticks; each rounded once."""
    return np.array([level.at(int(now)) for level in levels], dtype=np.float64).reshape(-1, 2)


class Trace(Observer):
    """Records firings."""

    def __init__(self) -> None:
        self._firings: list[TracedFiring] = []

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        self._firings.append(TracedFiring(now, end, transition, tuple(variables)))

    def drain(self) -> list[TracedFiring]:
        drained, self._firings = self._firings, []
        return drained
