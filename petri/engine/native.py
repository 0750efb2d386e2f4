"""The switch to the native engine, and its sessions (`petri/native` has the engine itself)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from struct import Struct, pack
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from petri.engine.checkpoint import SavedEngine, chunks, token_of
from petri.engine.errors import STOPPED, Fault, ModelError, known
from petri.engine.firings import Firings
from petri.engine.interface import (
    ENDLESS,
    MOST_TRIAL_FIRINGS,
    Asked,
    ClockState,
    Levels,
    Limits,
    Pilot,
    Reason,
    RowSource,
    Threshold,
    Words3,
)
from petri.engine.marking import Marking
from petri.engine.seeds import many_seed_words, seed_words
from petri.engine.trial_net import trial_net
from petri.file_read import FileRead
from petri.latest import kept_for_latest
from petri.measure.arrays import Floats, Integers
from petri.measure.observation import OF_PLACES, PER_NODE, TIMES, Observation, probe_in_units
from petri.measure.occupancy import LEVELS
from petri.measure.tally import Tally
from petri.measure.windows import Column, Ragged, Windows
from petri.net import Chance, Net, Scalar, Span, Token
from petri.structs import Frozen, as_packed, as_tuple, field, read_packed, replace

if TYPE_CHECKING:
    from petri._native import Ensemble as EnsembleOfModule
    from petri._native import Episodes as NativeEpisodes
    from petri._native import Session, Snapshot, Stopped
    from petri._native import Trials as NativeModuleTrials

_native: ModuleType | None
try:
    import petri._native as _native
except ModuleNotFoundError as error:
    # Only an extension that was never built may be missing. One that is broken must raise its error.
    if error.name != "petri._native":
        raise
    _native = None

MOST_FIRINGS = 2**63 - 1

# Firings, over all runs of a net, after which they wait until machine code is generated. None: it is generated when
# that pays, on another thread where a core is free. Results are the same; tests and measurements set a number, so that
# the moment does not depend on the machine.
PATIENCE: int | None = None


def available() -> bool:
    """Return whether the native engine was built with this installation."""
    return _native is not None


def stop_flag() -> Any:
    """Return a flag that makes sessions on other threads end a search for bindings;

    None if the native engine is not built.
    """
    return None if _native is None else _native.Stop()


class Compiled(Frozen):
    """A net compiled for the native engine, and the files that its spans refer to.

    trials: the nets of trials that have been asked for, each with the numbers of its probes, by the identity of the
    question.
    """

    net: Net
    program: Any
    files: tuple[str, ...]
    trials: dict[int, tuple[Compiled, dict[str, int]]] = field(default_factory=dict)


@kept_for_latest
def compiled(net: Net) -> Compiled:
    """Return the compiled net, which the replications of a run share.

    Raises ModelError if the engine cannot run the net: a program made or changed it, or it is too large.
    """
    return _compile(net)


def compiled_for_trials(net: Net, chance: Chance) -> tuple[Compiled, dict[str, int]]:
    """Return the compiled net of the trials of a question, and the numbers of its probes. Replications share it."""
    kept = compiled(net).trials
    found = kept.get(id(chance))
    if found is None:
        bare, numbers = trial_net(net, chance)
        found = kept[id(chance)] = _compile(bare, trials=True), numbers
    return found


def _compile(net: Net, trials: bool = False) -> Compiled:
    if _native is None:
        raise ImportError("the native engine is not built", name="petri._native")
    try:
        program = _native.Program(net, trials=trials)
    except ValueError as error:
        raise ModelError("net-refused", reason=str(error)) from error
    return Compiled(net, program, tuple(program.files))


def compiled_for(net: Net, start: SavedEngine) -> Compiled:
    """Return the net compiled for a state that its initial marking does not lead to: as if all tokens of it were
    initial too.

    The initial marking tells the compiler which values tokens have, and how many there are at most.
    """
    assert _native is not None
    program = _native.Program(with_tokens_of(net, start), lanes=False)
    return Compiled(net, program, tuple(program.files))


def with_tokens_of(net: Net, start: SavedEngine) -> Net:
    """Return the net with more initial tokens: those of a state, and those that firings in progress hold."""
    more: list[list[tuple[int, Token]]] = [list(place.initial) for place in net.places]
    for tokens, place, saved in zip(more, net.places, start.places, strict=True):
        slots = place.colour.slots
        coloured = [(1, token_of(words, slots)) for words in chunks(saved.words, len(slots))] if slots else []
        tokens += coloured or [(saved.tokens, ())] * (not slots)
    for firing in start.in_progress:
        for arc in net.transitions[firing.transition].inputs if firing.part == 0 else ():
            count = (arc.count.value or 0) if arc.count is not None and arc.count.op == "const" else 1
            slots = net.places[arc.place].colour.slots
            more[arc.place].append((int(count), tuple(slot.low or 0 for slot in slots)))
        for gift in firing.gives:
            slots = net.places[gift.place].colour.slots
            given = [token_of(words, slots) for words in chunks(gift.words, len(slots))] if slots else [()]
            more[gift.place] += [(gift.count // len(given), token) for token in given if gift.count]
    places = (replace(place, initial=tuple(tokens)) for place, tokens in zip(net.places, more, strict=True))
    return replace(net, places=tuple(places))


def speed(net: Net) -> list[tuple[str, tuple[list[int], bool] | None, list[tuple[str, int]]]]:
    """Return how each transition is run: how a binding is found (`one`, `any`, `counted`, `ranked`, `searched`); the
    input arcs whose tokens it looks through at nearly every firing, where these may be many, and whether through all
    combinations of them; why it is interpreted, with the number of the place or output arc that is to blame.

    Empty if the native engine is not built. Raises ModelError if the engine cannot run the net.
    """
    return compiled(net).program.speed() if available() else []


class Course(Frozen):
    """What each replication of an ensemble does: the ends of warm-up and run [ticks].

    rests: whether the latter is an instant. firings: the most of each. batches: how many snapshots each keeps at most;
    batch: after how many firings, until neighbours are joined for the first time. watched: whether it pauses when its
    statistics have begun. levels: whether the times at each number of tokens are recorded.
    """

    warmup: float
    until: float
    rests: bool
    firings: int | None
    batches: int
    batch: int
    watched: bool
    levels: bool


Pause = Literal["rows", "begun", "instant", "firings"]
"""What a replication of an ensemble waits for: rows of the place `wanted`; or to be looked at, as its statistics have
begun, or what `look` named has come."""


class EnsembleColumns(Frozen, eq=False):
    """What replications have come to, as `petri.run.ensemble.Ensemble` has it, with the faults by row."""

    ended: list[str]
    numbers: dict[str, Any]
    windows: Windows
    batches: Windows
    batch_ends: Integers
    tokens: list[Column]
    levels: Levels | None
    faults: dict[int, Fault | None]


class NativeSession:
    """A replication on the native engine. Raises ImportError if it is not built."""

    def __init__(
        self,
        net: Net,
        seed: int,
        replication: int,
        limits: Limits,
        asked: Asked,
        rows: RowSource | None = None,
        stop: Any = None,
        start: SavedEngine | None = None,
    ) -> None:
        """stop: of `stop_flag`. start: a state of the net, instead of time 0."""
        self._rows = rows
        self._compiled = compiled(net)
        assert _native is not None
        packed = None if start is None else as_packed(start)
        words = seed_words(seed, replication)
        numbers = (limits.firings_at_an_instant, limits.tokens, PATIENCE)
        asking = (words, numbers, asked.trace, asked.levels, stop, packed)
        try:
            self._session: Session = _native.Session(self._compiled.program, *asking)
        except OverflowError:  # more tokens, or others, than the net can come to from its initial marking
            assert start is not None
            self._compiled = compiled_for(net, start)
            self._session = _native.Session(self._compiled.program, *asking)
        except ValueError as error:
            raise ModelError("state-unfit", reason=str(error)) from error
        if (fault := self._session.initial_fault) is not None:
            raise ModelError(fault[0], span_of(self._compiled, fault[1]), **fault[2])

    @property
    def now(self) -> float:
        return self._session.now

    @property
    def firings(self) -> int:
        return self._session.firings

    @property
    def hash(self) -> int:
        return self._session.hash

    @property
    def drew(self) -> bool:
        return self._session.drew

    @property
    def error(self) -> Fault | None:
        return fault_of(self._compiled, self._session.error)

    def advance(self, until: float, firings: int) -> Reason:
        session = self._session
        last = session.firings + firings
        while True:
            reason: Reason = session.advance(until, min(last - session.firings, MOST_FIRINGS))
            if reason != "input":
                return reason
            place = session.wanted
            assert self._rows is not None
            assert place is not None
            session.feed(place, self._rows.words(place))

    def put(self, place: int, time: float, token: Token) -> None:
        self._session.put(place, time, self._packing(place, 0).pack(*token))

    def keep_outputs(self, stops: bool = False) -> None:
        self._session.keep_outputs(stops)

    def outputs(self, place: int) -> list[Token]:
        rows = self._packing(place, 1).iter_unpack(self._session.outputs(place))
        return [(float(time), *token) for time, *token in rows]

    def _packing(self, place: int, instants: int) -> Struct:
        """Return how the engine keeps tokens of a place, behind an instant."""
        kinds = ("d" if slot.kind == "real" else "q" for slot in self._compiled.net.places[place].colour.slots)
        return Struct("=" + "q" * instants + "".join(kinds))

    def verify_shapes(self) -> int:
        """Return, for tests, how many transitions share machine code.

        ValueError if one would have other code by itself.
        """
        return self._session.verify_shapes()

    @property
    def ran_code(self) -> bool:
        """For tests: whether machine code has run, which belongs to the compiled net and not to the session."""
        return self._session.ran_code

    def choices(self) -> list[tuple[int, tuple[Scalar, ...]]]:
        return self._session.choices()

    def decide(self, transition: int, wanted: Mapping[int, Scalar]) -> bool:
        words = [(variable, int.from_bytes(_word(value), "little")) for variable, value in wanted.items()]
        return self._session.decide(transition, words)

    def pass_over(self) -> None:
        self._session.pass_over()

    def rest(self, until: float) -> None:
        self._session.rest(until)

    def begin_window(self) -> None:
        self._session.begin_window()

    def save(self) -> SavedEngine:
        """Return the state, after `advance` has returned "until" or "dead". Another session may go on from it."""
        return read_packed(self._session.save(), SavedEngine)

    def observe(self, until: float | None = None) -> Observation:
        return self._read([self._session.observe(until)])[0]

    def next_event(self) -> float:
        return self._session.next_event

    def copied(self) -> NativeSession:
        return self.like(self._session.copied())

    @property
    def native(self) -> Session:
        """The session of the module."""
        return self._session

    def like(self, session: Session) -> NativeSession:
        """Return a session of the module as one of the same net."""
        made = object.__new__(NativeSession)
        made._rows, made._compiled, made._session = self._rows, self._compiled, session
        return made

    def snapshot(self) -> Snapshot:
        return self._session.observe()

    def observations(self, snapshots: list[Snapshot | Observation]) -> Windows:
        made = [snapshot if isinstance(snapshot, Observation) else None for snapshot in snapshots]
        unread = [snapshot for snapshot in snapshots if not isinstance(snapshot, Observation)]
        snapshots.clear()
        windows = self._read(unread)
        read = iter(windows)
        return Windows.of([next(read) if one is None else one for one in made]) if len(windows) < len(made) else windows

    def _read(self, snapshots: list[Snapshot]) -> Windows:
        """Return what they have seen; the list is spent."""
        assert _native is not None
        return windows_of(self._compiled.net, _native.statistics(snapshots))

    def clocks(self) -> list[ClockState]:
        return [ClockState(*clock) for clock in self._session.clocks()]

    def levels(self) -> Levels | None:
        times = self._compiled.net.tick.time(reals(self._session.levels()))
        return times.reshape(-1, LEVELS) if times.size else None

    def marking(self) -> Marking:
        return Marking(self._compiled.net, self._session.marking())

    def under_way(self) -> Counter[int]:
        return Counter(one.transition for one in self.save().in_progress if one.part == 0)

    def files(self) -> tuple[FileRead, ...]:
        return () if self._rows is None else self._rows.read()

    def trace(self) -> Firings:
        starts, ends, transitions, words = self._session.trace()
        net = self._compiled.net
        return Firings(net, reals(starts), reals(ends), integers(transitions), integers(words))


def _word(value: Scalar) -> bytes:
    """Return the word that the engine keeps of a value."""
    return pack("<d" if isinstance(value, float) else "<q", value)


def native_episodes(session: NativeSession, *asking: Any) -> NativeEpisodes:
    """Return `petri._native.Episodes` of the net of a session."""
    assert _native is not None
    made: NativeEpisodes = _native.Episodes(session.native, *asking)
    return made


class NativeEnsemble:
    """Replications of a net, one after the other. Raises ImportError if the engine is not built.

    ended: how many since `take`. under_way: whether one is; now [ticks], firings: of this one.
    """

    def __init__(self, net: Net, seed: int, numbers: Sequence[int], limits: Limits, course: Course, stop: Any) -> None:
        self._compiled = compiled(net)
        assert _native is not None
        self._numbers, self._levels = np.array(numbers), course.levels
        limited = (limits.firings_at_an_instant, limits.tokens, PATIENCE)
        seeds = many_seed_words(seed, numbers).tobytes()
        self._running: EnsembleOfModule = _native.Ensemble(
            self._compiled.program, as_tuple(course), limited, seeds, stop
        )
        self.ended, self.under_way, self.now, self.firings = 0, False, 0.0, 0

    def advance(self, seconds: float, begin: bool = True) -> Pause | None:
        """Run for about as long, or until one pauses; `begin`: whether replications may begin.

        Raises ModelError if the initial marking cannot be computed.
        """
        self.ended, under_way, pause = self._running.advance(seconds, begin)
        if (fault := self._running.initial_fault) is not None:
            raise ModelError(fault[0], span_of(self._compiled, fault[1]), **fault[2])
        self.under_way = under_way is not None
        self.now, self.firings = under_way or (0.0, 0)
        return pause

    @property
    def wanted(self) -> int:
        """Return the place that waits for rows."""
        place = self._running.wanted
        assert place is not None
        return place

    def feed(self, place: int, words: bytes) -> None:
        """Give it its next rows; none are the end."""
        self._running.feed(place, words)

    def observe(self) -> Observation:
        """Return what the one under way has counted since its window started."""
        assert _native is not None
        return windows_of(self._compiled.net, _native.statistics([self._running.observe()]))[0]

    def look(self, at: float, firings: int | None) -> None:
        """Let the one under way pause at the end of an instant [ticks], and after so many firings of it."""
        self._running.look(at, firings)

    def conclude(self, planned: bool) -> None:
        """End the one under way: as planned, or because of an error that the caller knows."""
        self._running.conclude(planned)
        self.ended, self.under_way = self.ended + 1, False

    def take(self) -> EnsembleColumns:
        """Return those that have ended since the last call."""
        read, net = self._running.take(), self._compiled.net
        number = len(read["ended"])
        names = {
            "time": reals,
            "seconds": reals,
            "died": reals,
            "firings": integers,
            "warm": integers,
            "drew": integers,
        }
        numbers: dict[str, Any] = {name: of(read[name]) for name, of in names.items()}
        numbers |= {name: net.tick.time(numbers[name]) for name in ("time", "died")}
        numbers |= {name: numbers[name] != 0 for name in ("warm", "drew")}
        numbers["hash"] = np.frombuffer(read["hash"], dtype=np.uint64)
        numbers["index"], self._numbers = self._numbers[:number], self._numbers[number:]
        levels = net.tick.time(reals(read["levels"])).reshape(number, -1, LEVELS) if self._levels else None
        tokens = [
            Ragged(integers(words), np.cumsum(integers(lengths))) if place.colour.slots else integers(words)
            for place, (lengths, words) in zip(net.places, read["markings"], strict=True)
        ]
        faults = {row: fault_of(self._compiled, fault) for row, fault in read["faults"].items()}
        windows, batches = (windows_of(net, read[name]) for name in ("windows", "batches"))
        batch_ends = np.cumsum(integers(read["batch_count"]))
        return EnsembleColumns(read["ended"], numbers, windows, batches, batch_ends, tokens, levels, faults)


class NativeTrials:
    """Trials of one question on the native engine. Raises ImportError if it is not built."""

    def __init__(
        self,
        net: Net,
        chance: Chance,
        limits: Limits,
        most_firings: int = MOST_TRIAL_FIRINGS,
        stop: Any = None,
        window: tuple[float, float] | None = None,
    ) -> None:
        """stop: of `stop_flag`. window: from when to when a share of time is asked for [ticks], if it is."""
        self._compiled, numbers = compiled_for_trials(net, chance)
        assert _native is not None
        within = None if chance.within is None else float(chance.within.value or 0)
        question = (numbers["hit"], *(numbers.get(name) for name in ("stop", "begin", "importance")), within, window)
        self._share = window is not None
        limited = (limits.firings_at_an_instant, limits.tokens, PATIENCE)
        self._trials: NativeModuleTrials = _native.Trials(self._compiled.program, question, limited, most_firings, stop)
        if (fault := self._trials.initial_fault) is not None:
            raise ModelError(fault[0], span_of(self._compiled, fault[1]), **fault[2])
        self.error: Fault | None = None

    def pilot(self, seed: Words3, paths: int, wanted: float) -> Pilot:
        chosen, share, lengths, halted = self._trials.pilot(seed, paths, wanted)
        self._note(halted)
        return Pilot(tuple(chosen), share, tuple(lengths))

    def run(self, seed: Words3, first: int, count: int, thresholds: Sequence[Threshold]) -> Tally:
        found, halted = self._trials.run(
            seed, first, count, [(threshold.value, threshold.factor) for threshold in thresholds]
        )
        self._note(halted)
        return Tally(*found, self._share or any(threshold.factor > 1 for threshold in thresholds))

    def _note(self, halted: str | None) -> None:
        if halted == "error":
            self.error = fault_of(self._compiled, self._trials.error)
        elif halted is not None:
            self.error = Fault(STOPPED if halted == "stopped" else ENDLESS, None, {}, 0.0, None, {})


def span_of(compiled: Compiled, parts: tuple[int, int, int, int, int] | None) -> Span | None:
    return None if parts is None else Span(compiled.files[parts[0]], *parts[1:])


def fault_of(compiled: Compiled, stopped: Stopped | None) -> Fault | None:
    """Return the error of a session, as data of the engine."""
    if stopped is None:
        return None
    error, span, details, transition, variables, time = stopped
    culprit = span_of(compiled, span)
    binding = known(compiled.net, transition, variables, error, culprit)
    return Fault(error, transition, binding, compiled.net.tick.time(time), culprit, details)


def reals(data: bytes) -> Floats:
    return np.frombuffer(data, dtype=np.float64)


def integers(data: bytes) -> Integers:
    return np.frombuffer(data, dtype=np.int64)


def windows_of(net: Net, read: dict[str, Any]) -> Windows:
    """Return what `statistics` gives, in the net's unit."""
    tick, number = net.tick, len(read["elapsed"]) // 8
    held = np.array([place.held for place in net.places], dtype=np.int64)
    rows: dict[str, Any] = {"initial": np.broadcast_to(held, (number, held.size))}
    for name in PER_NODE:
        if name != "initial":
            width = len(net.places) if name in OF_PLACES else len(net.transitions)
            data = read.get(name, b"")
            rows[name] = (tick.time(reals(data)) if name in TIMES else integers(data)).reshape(number, width)
    probes = [probe_in_units({name: column(*of) for name, of in one.items()}, tick) for one in read["probes"]]
    return Windows(tick.time(reals(read["elapsed"])), rows, probes)


def column(data: bytes, real: bool, ends: bytes | None) -> Column:
    values = reals(data) if real else integers(data)
    return values if ends is None else Ragged(values, integers(ends))
