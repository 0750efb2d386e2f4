"""A timeline in the Trace Event Format of Chrome, which Perfetto reads: which resource does what, and when.

Each token of a resource (a place that starts with tokens, which firings take one by one and give back) has a track.
There a slice shows the firing that holds the token. If a later firing returns the token, an outer slice "in use" covers
the time until then, and contains the firings that carry the token's value in their variables. A transition that takes
no token of a resource has its own tracks. The tokens in all other places are counters.
"""

from __future__ import annotations

import heapq
import json
import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import BinaryIO, Final

from petri.engine.firings import TracedFiring
from petri.engine.lets import Known, in_traces, value_of
from petri.net import Let, Net, Scalar, Slot, Token, Transition, Variable
from petri.trace.replay import Moved, Replay
from petri.trace.rows import TextWriter, shown, told
from petri.version import VERSION

MOST_EVENTS: Final = 2_000_000  # about 300 MB, the limit of viewers
MOST_LINES: Final = 4096  # buffered
MOST_TOKENS: Final = 256  # of a resource; one with more tokens is a counter
MOST_TRACKS: Final = 4_096
IN_USE: Final = "in use"


@dataclass(slots=True)
class Track:
    """The track of a token: process and thread of the format. `inner` is the firing shown within its slice of use."""

    process: int
    thread: int
    identity: Token
    start: str  # the start of its events, without the phase
    inner: TracedFiring | None = None


@dataclass
class Pool:
    """The tokens of a resource, distinguished by the values of the slots that never change (`lasting`).

    A returning token is taken to be the one of its identity that has been away longest.
    """

    place: int
    process: int
    lasting: list[int]
    tracks: list[Track] = field(default_factory=list)
    here: dict[Token, list[int]] = field(default_factory=dict)  # by identity: heap of tracks with a token here
    away: dict[Token, deque[int]] = field(default_factory=dict)  # by identity: those in use, the oldest first

    def identity(self, value: Token | None) -> Token | None:
        return None if value is None else tuple(value[slot] for slot in self.lasting)

    def put(self, index: int) -> None:
        heapq.heappush(self.here.setdefault(self.tracks[index].identity, []), index)

    def take(self, identity: Token | None) -> int | None:
        """Return the track of such a token, or (None) of any; None if the trace has no such token."""
        if identity is None or not self.here.get(identity):
            identity = next((known for known, indices in self.here.items() if indices), None)
        return None if identity is None else heapq.heappop(self.here[identity])

    def leave(self, index: int) -> None:
        self.away.setdefault(self.tracks[index].identity, deque()).append(index)

    def holder(self, identity: Token) -> int | None:
        """Return the track of the token of this identity that is in use."""
        found = self.away.get(identity)
        return found[0] if found else None

    def back(self, identity: Token) -> int | None:
        """Return the track of the returning token; None if no token was away."""
        if not self.away.get(identity):
            found = next((known for known, indices in self.away.items() if indices), None)
            if found is None:
                return None
            identity = found
        return self.away[identity].popleft()


@dataclass(slots=True)
class Holding:
    """The tokens that a firing gives back itself, as (place, track), and the tracks of tokens in use that show it."""

    returned: list[tuple[int, int]]
    nested: list[Track] = field(default_factory=list)
    lane: tuple[int, int] | None = None  # (transition, lane) if the firing has its own track


class TimelineWriter(TextWriter):
    """Writes replication 0, and stops at `MOST_EVENTS`."""

    def __init__(self, net: Net, file: BinaryIO, until: float = math.inf) -> None:
        super().__init__(file)
        self._net = net
        self._until = until
        nanos, self._shown = nanoseconds(net)
        self._nanos = net.tick.time(nanos)  # of a tick
        self._events = 0
        names = short_names([transition.name for transition in net.transitions])
        self._titles = [f'"name":{json.dumps(name)},"args":{{' for name in names]
        self._keys = [[json.dumps(one.name) + ":" for one in told(transition)] for transition in net.transitions]
        self._lets = [in_traces(transition) for transition in net.transitions]
        self._named = [any(v.labels or v.dimension for v in t.variables) for t in net.transitions]
        self._pools = {
            place: Pool(place, number + 1, lasting_slots(net, place)) for number, place in enumerate(resources(net))
        }
        self._replay = Replay(net, self, frozenset(self._pools))
        self._carried = [carried(net, transition, self._pools.values()) for transition in net.transitions]
        self._own = [all(arc.place not in self._pools or arc.keep for arc in t.inputs) for t in net.transitions]
        self._lanes: list[list[Track]] = [[] for _ in net.transitions]  # by transition
        self._free: list[list[int]] = [[] for _ in net.transitions]  # heaps of free lanes
        self._holdings: dict[int, Holding] = {}
        self._dirty: set[int] = set()
        self._now = 0.0
        self._lines: list[str] = []
        self._last_counter: dict[int, int] = {}
        self._header()

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        if replication == 0 and self.full_at is None:
            for firing in firings:
                self._replay.start(firing)
                if self._events >= MOST_EVENTS:
                    self.full_at = self._net.tick.time(firing.start)
                    break
                if len(self._lines) >= MOST_LINES:
                    self._write_lines()
            self._write_lines()

    def close(self) -> None:
        if self.full_at is None:
            self._replay.advance(self._net.tick.ticks(self._until))
            self._flush()
        self._write_lines()
        self._text.write("\n]}\n")
        super().close()

    # ------------------------------------------------------------ what happens

    def started(self, firing: TracedFiring, taken: Sequence[Moved], given: Sequence[Moved]) -> None:
        own: list[tuple[int, int]] = []
        for moved in taken:
            if moved.place not in self._pools:
                self._dirty.add(moved.place)
                continue
            pool = self._pools[moved.place]
            found = pool.take(pool.identity(moved.value))
            if found is not None:
                own.append((moved.place, found))
        returned, kept = self._returned(own, given)
        holding = self._holdings[id(firing)] = Holding(returned)
        for place, index in kept:
            self._open(place, index, firing, holding)
        for place, index in returned:
            if firing.end > firing.start:
                self._slice(self._pools[place].tracks[index], firing)
        if firing.end > firing.start:
            self._nest(firing, own, holding)
        if self._own[firing.transition]:
            holding.lane = self._on_own_track(firing)

    def ended(self, firing: TracedFiring, given: Sequence[Moved], now: float) -> None:
        holding = self._holdings.pop(id(firing))
        for track in holding.nested:
            if track.inner is firing:
                self._leave(track, now)
        own = list(holding.returned)
        for moved in given:
            self._give(moved, own, now)
        if holding.lane is not None:
            transition, lane = holding.lane
            heapq.heappush(self._free[transition], lane)

    def arrived(self, moved: Moved) -> None:
        self._give(moved, [], self._now)

    def _give(self, moved: Moved, own: list[tuple[int, int]], now: float) -> None:
        """Tokens come back, those of `own` to the tracks that the firing has not left."""
        pool = self._pools.get(moved.place)
        if pool is None:
            self._dirty.add(moved.place)
            return
        for _ in range(moved.count):
            identity = pool.identity(moved.value) or ()
            entry = matching(own, pool, identity)
            if entry is not None:
                own.remove(entry)
            index = entry[1] if entry is not None else self._close(pool, identity, now)
            pool.tracks[index].identity = identity
            pool.put(index)

    def _returned(
        self, own: Sequence[tuple[int, int]], given: Sequence[Moved]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return those of the tokens taken that the same firing gives back, and the others."""
        back: dict[int, int] = {}
        for moved in given:
            back[moved.place] = back.get(moved.place, 0) + moved.count
        returned, kept = [], []
        for place, index in own:
            if back.get(place, 0) > 0:
                back[place] -= 1
                returned.append((place, index))
            else:
                kept.append((place, index))
        return returned, kept

    def _open(self, place: int, index: int, firing: TracedFiring, holding: Holding) -> None:
        """Note that a token leaves for longer than one firing."""
        pool = self._pools[place]
        track = pool.tracks[index]
        pool.leave(index)
        self._write(f'"ph":"B"{track.start}{self._stamp(firing.start)},"name":"{IN_USE}"')
        if firing.end > firing.start:
            self._enter(track, firing, holding)

    def _close(self, pool: Pool, identity: Token, now: float) -> int:
        """Take back a token in use; if none was in use, this is a new token with a new track."""
        index = pool.back(identity)
        if index is None:
            return self._new_track(pool, identity)
        track = pool.tracks[index]
        if track.inner is not None:
            self._leave(track, now)
        self._write(f'"ph":"E"{track.start}{self._stamp(now)}')
        return index

    def _nest(self, firing: TracedFiring, own: Sequence[tuple[int, int]], holding: Holding) -> None:
        """Draw the firing on the tracks of tokens in use whose value it carries."""
        for pool, positions in self._carried[firing.transition]:
            index = pool.holder(tuple(firing.variables[position] for position in positions))
            if index is not None and (pool.place, index) not in own and pool.tracks[index].inner is None:
                self._enter(pool.tracks[index], firing, holding)

    def _enter(self, track: Track, firing: TracedFiring, holding: Holding) -> None:
        track.inner = firing
        holding.nested.append(track)
        self._write(f'"ph":"B"{track.start}{self._stamp(firing.start)},{self._titled(firing)}')

    def _leave(self, track: Track, now: float) -> None:
        track.inner = None
        self._write(f'"ph":"E"{track.start}{self._stamp(now)}')

    def _on_own_track(self, firing: TracedFiring) -> tuple[int, int]:
        """Write a firing on a track of its transition, which has as many as it has firings in progress."""
        transition = firing.transition
        lanes, free = self._lanes[transition], self._free[transition]
        if not free:
            self._threads += 1
            name = self._net.transitions[transition].name
            self._metadata("thread_name", self._firings, self._threads, f"{name} {len(lanes) + 1}" if lanes else name)
            free.append(len(lanes))
            lanes.append(Track(self._firings, self._threads, (), event_start(self._firings, self._threads)))
        lane = heapq.heappop(free)
        if firing.end > firing.start:
            self._slice(lanes[lane], firing)
        else:
            self._write(f'"ph":"i"{lanes[lane].start}{self._stamp(firing.start)},"s":"t",{self._titled(firing)}')
        return transition, lane

    # ------------------------------------------------------------ writing

    def _header(self) -> None:
        net = self._net
        about = {"net": net.name, "version": f"pnsim {VERSION}", "time": self._shown}
        self._text.write(f'{{"displayTimeUnit":"ns","otherData":{json.dumps(about)},"traceEvents":[')
        for place, pool in self._pools.items():
            self._metadata("process_name", pool.process, 0, net.places[place].name)
            for count, value in net.places[place].initial:
                for _ in range(count):
                    pool.put(self._new_track(pool, pool.identity(value) or ()))
        self._threads = 0
        self._firings = len(self._pools) + 1
        self._counters = self._firings + 1
        self._metadata("process_name", self._firings, 0, "other firings")
        self._metadata("process_name", self._counters, 0, "tokens in places")
        self._counter_starts = [
            f'"ph":"C","pid":{self._counters},"name":{json.dumps(place.name)},"ts":' for place in net.places
        ]
        self._dirty.update(place for place in range(len(net.places)) if place not in self._pools)

    def _new_track(self, pool: Pool, identity: Token) -> int:
        index = len(pool.tracks)
        pool.tracks.append(Track(pool.process, index + 1, identity, event_start(pool.process, index + 1)))
        place = self._net.places[pool.place]
        slots = [place.colour.slots[slot] for slot in pool.lasting]
        single = place.held == 1
        label = token_label(slots, identity) if slots else "" if single else str(index + 1)
        self._metadata("thread_name", pool.process, index + 1, f"{place.name.rpartition('.')[2]} {label}".strip())
        return index

    def _metadata(self, kind: str, process: int, thread: int, name: str) -> None:
        number, sort = ("process", process) if kind == "process_name" else ("thread", thread)
        self._write(f'"ph":"M","pid":{process},"tid":{thread},"name":"{kind}","args":{{"name":{json.dumps(name)}}}')
        self._write(
            f'"ph":"M","pid":{process},"tid":{thread},"name":"{number}_sort_index","args":{{"sort_index":{sort}}}'
        )

    def _slice(self, track: Track, firing: TracedFiring) -> None:
        length = repr((round(firing.end * self._nanos) - round(firing.start * self._nanos)) / 1000)
        self._write(f'"ph":"X"{track.start}{self._stamp(firing.start)},"dur":{length},{self._titled(firing)}')

    def _titled(self, firing: TracedFiring) -> str:
        """Return the name of the transition, and the values that the firing has bound."""
        values: Iterable[str] = map(repr, firing.variables)
        if self._named[firing.transition]:
            variables = self._net.transitions[firing.transition].variables
            pairs = zip(variables, firing.variables, strict=True)
            values = [self._value(v, value) for v, value in pairs]
        if lets := self._lets[firing.transition]:
            known = Known(firing.start, firing.end)
            found = [(let, value_of(let, self._net, firing.variables, known)) for let in lets]
            values = [*values, *(self._value(let, value) for let, value in found)]
        return self._titles[firing.transition] + ",".join(map(add, self._keys[firing.transition], values)) + "}"

    def _value(self, named: Variable | Let, value: Scalar | None) -> str:
        if value is None:
            return "null"
        if named.labels:
            return json.dumps(shown(named, value))
        return repr(self._net.tick.quantity(value, named.dimension))

    def _write(self, event: str) -> None:
        self._lines.append(f",\n{{{event}}}" if self._events else f"\n{{{event}}}")
        self._events += 1

    def _write_lines(self) -> None:
        self._text.write("".join(self._lines))
        self._lines.clear()

    def _stamp(self, time: float) -> str:
        """Microseconds, in whole nanoseconds: viewers round to these, and slices rounded by them may overlap."""
        return repr(round(time * self._nanos) / 1000)

    def reached(self, now: float) -> None:
        if now != self._now:
            self._flush()
            self._now = now

    def _flush(self) -> None:
        """Counters that differ from the end of the previous instant."""
        stamp = self._stamp(self._now)
        for place in sorted(self._dirty):
            count = self._replay.tokens[place]
            if self._last_counter.get(place) != count:
                self._last_counter[place] = count
                self._write(f'{self._counter_starts[place]}{stamp},"args":{{"tokens":{count}}}')
        self._dirty.clear()


def nanoseconds(net: Net) -> tuple[float, str]:
    """Return the nanoseconds of the timeline for a unit of model time, and the same in words."""
    if net.seconds is None:
        return 1e6, "1 unit of model time is shown as 1 ms"
    if net.seconds < 1e-9:
        return 1.0, f"1 {net.time_unit} is shown as 1 ns"
    return net.seconds * 1e9, "as it is"


def resources(net: Net) -> list[int]:
    """Places that start with tokens, from which firings take one at a time, and to which some give.

    Excluded are places with more than `MOST_TOKENS`, and those beyond `MOST_TRACKS` tokens in total.
    """
    one_by_one: set[int] = set()
    several: set[int] = set()
    given: set[int] = set()
    for transition in net.transitions:
        for arc in transition.inputs:
            one = arc.count is None or (arc.count.op == "const" and arc.count.value == 1)
            (one_by_one if one else several).update(arc.takes_from)
        several.update(transition.emptied)
        given.update(place for arc in transition.outputs for place in arc.places)
    found, tracks = [], 0
    for index, place in enumerate(net.places):
        tokens = place.held
        fits = 0 < tokens <= MOST_TOKENS and tracks + tokens <= MOST_TRACKS
        if fits and index in one_by_one & given and index not in several:
            found.append(index)
            tracks += tokens
    return found


def lasting_slots(net: Net, place: int) -> list[int]:
    """Return the slots that a token brings back unchanged, as far as the arcs show: nothing is computed."""
    changed = {
        slot
        for transition in net.transitions
        for arc in transition.outputs
        if place in arc.places
        for slot, value in enumerate(arc.values)
        if value.op not in ("var", "const")
    }
    return [slot for slot in range(len(net.places[place].colour.slots)) if slot not in changed]


def carried(net: Net, transition: Transition, pools: Iterable[Pool]) -> list[tuple[Pool, list[int]]]:
    """Return for a resource whose colour is a record: the transition's variables that contain such a record.

    `j.at.engine` and `j.at.thread` of a transition carry a token of a place with the slots `engine` and `thread`.
    """
    positions = {variable.name: index for index, variable in enumerate(transition.variables)}
    found = []
    for pool in pools:
        slots = [net.places[pool.place].colour.slots[slot].name for slot in pool.lasting]
        if not slots or "" in slots:
            continue
        prefixes = [name[: -len(slots[0])] for name in positions if name.endswith(f".{slots[0]}")]
        found += [
            (pool, [positions[prefix + slot] for slot in slots])
            for prefix in prefixes
            if all(prefix + slot in positions for slot in slots)
        ]
    return found


def matching(own: Sequence[tuple[int, int]], pool: Pool, identity: Token) -> tuple[int, int] | None:
    """Return the token (place, track) of this resource held by a firing: the one with an identity, or the first."""
    held = [entry for entry in own if entry[0] == pool.place]
    alike = (entry for entry in held if pool.tracks[entry[1]].identity == identity)
    return next(alike, held[0] if held else None)


def event_start(process: int, thread: int) -> str:
    return f',"pid":{process},"tid":{thread},"ts":'


def token_label(slots: Sequence[Slot], value: Token) -> str:
    """`engine 3, thread 1`."""
    parts = []
    for slot, one in zip(slots, value, strict=True):
        text = slot.labels[int(one)] if slot.labels and 0 <= one < len(slot.labels) else f"{one:.10g}"
        parts.append(f"{slot.name} {text}".strip())
    return ", ".join(parts)


def short_names(names: Sequence[str]) -> list[str]:
    """Return the last part of each dotted name, with as many parts before it as make it differ from the others."""
    parts = [name.split(".") for name in names]
    lengths = [1] * len(names)
    while True:
        shown_names = [".".join(one[-length:]) for one, length in zip(parts, lengths, strict=True)]
        seen: dict[str, list[int]] = {}
        for index, name in enumerate(shown_names):
            seen.setdefault(name, []).append(index)
        clashing = [
            index for same in seen.values() if len(same) > 1 for index in same if lengths[index] < len(parts[index])
        ]
        if not clashing:
            return shown_names
        for index in clashing:
            lengths[index] += 1
