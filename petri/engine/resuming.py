"""The reference engine writes its state (`petri.engine.checkpoint`), and goes on from one.

For each kind of state there is a function that writes it, and one that takes it in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from petri.engine.binding import Held
from petri.engine.checkpoint import (
    SavedEngine,
    SavedFiring,
    SavedGift,
    SavedOwnClock,
    SavedOwnClocks,
    SavedPlace,
    SavedSharedClock,
    SavedTransition,
    Words,
    chunks,
    narrow,
    token_of,
    wide,
)
from petri.engine.clocks import NOWHERE, OwnClock, OwnClocks, SharedClock
from petri.engine.probes import Probes
from petri.engine.reference import Engine, Firing
from petri.engine.saved_check import arcs_of
from petri.engine.saved_probes import resume_probes, saved_probes
from petri.engine.statistics import Level, OccupancyRecorder, Statistics
from petri.engine.trajectory import bits
from petri.measure.occupancy import LEVELS
from petri.net import Colour, Net, OutputArc


def saved_engine(
    engine: Engine, statistics: Statistics, probes: Probes, levels: OccupancyRecorder | None
) -> SavedEngine:
    """The state, after an instant is over."""
    now = int(engine.now)
    clocks = engine.clocks.values()
    times = None if levels is None else np.array([one.times for one in levels.at(engine.now)]).reshape(-1)
    return SavedEngine(
        now=now,
        firings=engine.firings,
        hash=engine.hash.value,
        random=engine.stream.state,
        places=tuple(_saved_place(engine, statistics, place) for place in range(len(engine.marking))),
        transitions=tuple(_saved_transition(statistics, index, now) for index in range(len(statistics.transitions))),
        in_progress=tuple(_saved_firing(engine.net, firing) for firing in engine.in_progress),
        shared=tuple(_saved_shared(engine, one) for one in clocks if isinstance(one, SharedClock)),
        common=None if engine.common.ends == NOWHERE else int(engine.common.ends),
        own=tuple(_saved_own(engine, one) for one in clocks if isinstance(one, OwnClocks)),
        rows=tuple(rows.arrived for rows in engine.streams.values()),
        window=int(statistics.window),
        **saved_probes(probes, engine.now),
        levels=None if times is None else tuple(int(time) for time in times.tolist()),
        settled=True,
        own_random=tuple(stream.state for stream in engine.own_streams),
    )


def resume_engine(
    engine: Engine, statistics: Statistics, probes: Probes, levels: OccupancyRecorder | None, saved: SavedEngine
) -> None:
    """An engine at time 0 goes on from a state of its net that `check` has accepted."""
    engine.now, engine.firings, engine.hash.value = float(saved.now), saved.firings, saved.hash
    engine.stream.state = saved.random
    for stream, state in zip(engine.own_streams, saved.own_random, strict=True):
        stream.state = state
    engine.settled = saved.settled
    for place, of_place in enumerate(saved.places):
        engine.marking[place] = []
        for token in _tokens(engine, place, of_place):
            engine.enter(place, token)
        _resume_place(statistics, place, of_place, saved.now)
        engine.forget(place)
    engine.move_to(engine.now)
    for index, of_transition in enumerate(saved.transitions):
        _resume_transition(statistics, index, of_transition, saved.now)
    for serial, firing in enumerate(saved.in_progress):
        statistics.transitions[firing.transition].value += firing.part == 0
        engine.begin(_firing(engine, serial - len(saved.in_progress), firing))
    _resume_clocks(engine, statistics, saved)
    for rows, arrived in zip(engine.streams.values(), saved.rows, strict=True):
        rows.arrived = arrived
    statistics.window = float(saved.window)
    resume_probes(probes, saved)
    if levels is not None:
        times = np.array(saved.levels or [0] * LEVELS * len(saved.places), dtype=np.float64)
        levels.resume(times.reshape(-1, LEVELS), [place.tokens for place in saved.places], engine.now)


# ---------------------------------------------------------------- tokens


def _words(tokens: Sequence[Held]) -> Words:
    return tuple(bits(value) for token in tokens for value in token.value)


def _held(engine: Engine, place: int, words: Words) -> Held:
    """A token of these words."""
    return engine.hold(place, token_of(words, _colour(engine, place).slots))


def _colour(engine: Engine, place: int) -> Colour:
    return engine.net.places[place].colour


def _tokens(engine: Engine, place: int, saved: SavedPlace) -> list[Held]:
    width = len(_colour(engine, place).slots)
    tokens = chunks(saved.words, width) if width else [()] * saved.tokens
    return [_held(engine, place, words) for words in tokens]


# ---------------------------------------------------------------- places and transitions


def _saved_place(engine: Engine, statistics: Statistics, place: int) -> SavedPlace:
    level, tokens = statistics.places[place], engine.marking[place]
    integral, busy = level.at(int(engine.now))
    return SavedPlace(len(tokens), _words(tokens), wide(integral), busy, level.maximum, statistics.arrivals[place])


def _resume_place(statistics: Statistics, place: int, saved: SavedPlace, now: int) -> None:
    level = statistics.places[place] = _level(saved, now)
    level.value, level.maximum = saved.tokens, saved.maximum
    statistics.arrivals[place] = saved.arrivals


def _level(saved: SavedPlace | SavedTransition, now: int) -> Level:
    level = Level()
    level.integral, level.busy, level.since, level.busy_since = narrow(saved.integral), saved.busy, now, now
    return level


def _saved_transition(statistics: Statistics, index: int, now: int) -> SavedTransition:
    integral, busy = statistics.transitions[index].at(now)
    counts = statistics.firings[index], statistics.set[index], statistics.dropped[index]
    return SavedTransition(wide(integral), busy, *counts)


def _resume_transition(statistics: Statistics, index: int, saved: SavedTransition, now: int) -> None:
    statistics.transitions[index] = _level(saved, now)
    statistics.firings[index] = saved.firings
    statistics.set[index], statistics.dropped[index] = saved.set, saved.dropped


# ---------------------------------------------------------------- firings in progress


def _saved_firing(net: Net, firing: Firing) -> SavedFiring:
    arcs = arcs_of(net.transitions[firing.transition], firing.part) or ()
    gives = (
        SavedGift(place, len(tokens), _words(tokens if arc.each is not None else tokens[:1]))
        for arc, (place, tokens) in zip(arcs, firing.deposits, strict=True)
    )
    return SavedFiring(int(firing.end), firing.transition, firing.part, tuple(gives))


def _firing(engine: Engine, serial: int, saved: SavedFiring) -> Firing:
    """serial: below those of firings to come."""
    arcs = arcs_of(engine.net.transitions[saved.transition], saved.part) or ()
    deposits = [(gift.place, _given(engine, arc, gift)) for arc, gift in zip(arcs, saved.gives, strict=True)]
    return Firing(float(saved.end), serial, saved.part, saved.transition, deposits)


def _given(engine: Engine, arc: OutputArc, gift: SavedGift) -> list[Held]:
    """The tokens that an arc will deposit: all of one value, or each of its own."""
    width = len(engine.net.places[gift.place].colour.slots)
    if arc.each is not None and width:
        return [_held(engine, gift.place, words) for words in chunks(gift.words, width)]
    return [_held(engine, gift.place, gift.words) for _ in range(gift.count)]


# ---------------------------------------------------------------- clocks


def _saved_shared(engine: Engine, clock: SharedClock) -> SavedSharedClock:
    return SavedSharedClock(wide(clock.running), engine.common.rates[clock.index])


def _saved_own(engine: Engine, clocks: OwnClocks) -> SavedOwnClocks:
    places = [arc.place for arc, coloured in zip(clocks.transition.inputs, clocks.coloured, strict=True) if coloured]
    position = {id(token): n for place in set(places) for n, token in enumerate(engine.marking[place])}
    saved = (
        SavedOwnClock(
            tuple(position[id(token)] for token in clock.tokens) if places else (),
            float(clock.time),
            float(clock.target if clock.runs else clock.left),
            clock.runs,
            clock.mean or 0.0,
        )
        for clock in clocks.clocks
    )
    runs = clocks.has_speed and clocks.running
    course = (float(clocks.virtual), int(clocks.since), float(clocks.pace)) if runs else (0.0, 0, 1.0)
    return SavedOwnClocks(*course, tuple(saved))


def _resume_clocks(engine: Engine, statistics: Statistics, saved: SavedEngine) -> None:
    shared, own = iter(saved.shared), iter(saved.own)
    for index, clocks in engine.clocks.items():
        if isinstance(clocks, SharedClock):
            one = next(shared)
            clocks.running, engine.common.rates[index] = narrow(one.running), one.rate
        elif isinstance(clocks, OwnClocks):
            _resume_own(engine, clocks, next(own))
        statistics.transitions[index].value = clocks.running
    engine.common.sum = engine.common.total()
    engine.common.ends = NOWHERE if saved.common is None else float(saved.common)


def _resume_own(engine: Engine, clocks: OwnClocks, saved: SavedOwnClocks) -> None:
    clocks.virtual, clocks.since, clocks.pace = saved.virtual, float(saved.since), saved.pace
    places = [arc.place for arc, coloured in zip(clocks.transition.inputs, clocks.coloured, strict=True) if coloured]
    clocks.look_at_tokens()
    for oldest, one in enumerate(saved.clocks):
        tokens = tuple(engine.marking[place][n] for place, n in zip(places, one.tokens, strict=True))
        if clocks.place is not None:
            tokens = (engine.marking[clocks.place][oldest],)
        target, left = (one.until, 0.0) if one.runs else (0.0, one.until)
        mean = one.mean if clocks.is_memoryless else None
        clocks.clocks.append(OwnClock(tokens, one.time, target, left, one.runs, mean))
