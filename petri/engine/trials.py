"""Trials on the reference engine (rules Q1 to Q3, Q6): each path is a session, at time 0 or a copy of an earlier one.

`petri/native/engine/src/session/trials.rs` is the twin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from petri.engine.clocks import NOWHERE
from petri.engine.errors import STOPPED, Fault
from petri.engine.interface import ENDLESS, MOST_TRIAL_FIRINGS, Asked, Limits, Pilot, Threshold, Words3
from petri.engine.reference_session import ReferenceSession
from petri.engine.trajectory import splitmix
from petri.engine.trial_net import trial_net
from petri.measure.tally import Tally
from petri.net import Chance, Net
from petri.structs import Struct, replace

MOST_ENTRIES: Final = 256  # paths of a pilot run whose states at a threshold are kept


def words_of(seed: Words3, trial: int, branch: int) -> Words3:
    """Return the words that initialise the random numbers of a branch of a trial; branch 0 is the trial itself (Q2)."""
    a, b, c = (splitmix(branch, splitmix(trial, word)) for word in seed)
    return a, b, c


class _Path(Struct):
    """Where a path stands, besides the state of its engine.

    level, born: the thresholds that its value has reached, and the one at which it began. armed: the condition that
    stops it has not held at the end of some instant. started: instant 0 is over. begun: when the question was put.
    """

    level: int = 0
    born: int = 0
    armed: bool = False
    started: bool = False
    begun: float | None = None


_Entry = tuple[ReferenceSession, _Path]  # a state in which a path has reached a threshold


class _Halted(Exception):
    """Trials end early; `ReferenceTrials.error` says why."""


class ReferenceTrials:
    """Trials of one question of a net. stopped: whether somebody wants them to end.

    window: from when to when the question is put, if it is about a share of time [ticks]; None for a probability.
    """

    def __init__(
        self,
        net: Net,
        chance: Chance,
        limits: Limits,
        most_firings: int = MOST_TRIAL_FIRINGS,
        stopped: Callable[[], bool] | None = None,
        window: tuple[float, float] | None = None,
    ) -> None:
        self.net, self.numbers = trial_net(net, chance)
        self.window, self.within = window, time_limit(chance, window)
        self.value, self.hits, self.weights = 0.0, 0, [1.0]
        self.limits, self.most_firings = limits, most_firings
        self.stopped = stopped or (lambda: False)
        self.error: Fault | None = None
        self.session = self.begun(None, (0, 0, 0))

    def begun(self, state: ReferenceSession | None, words: Words3) -> ReferenceSession:
        """Return a session at time 0, or in the state of another one, with random numbers of its own."""
        if state is None:
            session = ReferenceSession(self.net, 0, 0, self.limits, Asked(), None, self.stopped)
        else:
            session = state.copied()
        session.reseed(words)
        return session

    # ------------------------------------------------------------ one path

    def read(self, name: str) -> int:
        """Return what is watched, at the end of the last instant; 0 if the question does not have it."""
        return self.session.watched(self.numbers[name]) if name in self.numbers else 0

    def to_next_instant(self, path: _Path) -> bool | None:
        """Go on to the end of the next instant at which something happens, or to that of time 0.

        Returns whether the path has hit, if it is over.
        """
        end = self.session.next_end() if path.started else 0.0
        path.started = True
        if end == NOWHERE or (path.begun is not None and end - path.begun > self.within):
            return False
        if self.stopped():
            raise self.halted(STOPPED)
        if self.session.advance(end, 2**62) == "error":
            self.error = self.session.error
            raise _Halted
        return self.look(path)

    def look(self, path: _Path) -> bool | None:
        """End an instant (Q1): return whether the path has hit, if that is decided."""
        if path.begun is None and ("begin" not in self.numbers or self.read("begin")):
            path.begun = self.session.now
        if path.begun is None:
            return None
        if self.read("hit"):
            return True
        stops = bool(self.read("stop"))
        if stops and path.armed:
            return False
        path.armed = path.armed or not stops
        return None

    def spend(self, path: _Path) -> None:
        """Add what a path counts for the time until something happens again, in a share of time (Q6)."""
        if self.window is None or not path.started or not self.read("hit"):
            return
        start, end = self.window
        time = min(self.session.next_end(), end) - max(self.session.now, start)
        if time > 0.0:
            self.count(path, time / (end - start))

    def count(self, path: _Path, share: float) -> None:
        self.value += self.weights[path.level] * share
        self.hits += 1

    def halted(self, identifier: str) -> _Halted:
        self.error = Fault(identifier, None, {}, self.net.tick.time(self.session.now), None, {})
        return _Halted()

    # ------------------------------------------------------------ trials

    def run(self, seed: Words3, first: int, count: int, thresholds: Sequence[Threshold]) -> Tally:
        """See `petri.engine.interface.Trials`."""
        self.weights = [1.0]
        for threshold in thresholds:
            self.weights.append(self.weights[-1] / threshold.factor)
        tally = Tally(split=self.window is not None or any(threshold.factor > 1 for threshold in thresholds))
        try:
            for number in range(first, first + count):
                tally = tally.plus(self.trial(seed, number, thresholds))
        except _Halted:
            pass
        return tally

    def trial(self, seed: Words3, number: int, thresholds: Sequence[Threshold]) -> Tally:
        """Return one trial, with its branches, the last begun first; its value is an estimate (Q4) or a share (Q6)."""
        self.value, self.hits, at_once, branches, firings = 0.0, 0, 0, 0, 0
        waiting: list[tuple[ReferenceSession, _Path, int]] = []  # states at thresholds, and how many paths go on there
        self.session, path, goes_on = self.begun(None, words_of(seed, number, 0)), _Path(), False
        while True:
            before = self.session.firings
            hit = self.follow(path, goes_on, thresholds, waiting, firings - before)
            firings += self.session.firings - before
            if hit:
                self.count(path, 1.0)
                at_once += self.session.now == 0.0
            if not waiting:
                return Tally(1, self.hits, self.value, self.value * self.value, at_once, firings)
            state, there, left = waiting.pop()
            if left > 1:
                waiting.append((state, there, left - 1))
            branches += 1
            self.session = self.begun(state, words_of(seed, number, branches))
            path, goes_on = replace(there), True

    def follow(
        self,
        path: _Path,
        goes_on: bool,
        thresholds: Sequence[Threshold],
        waiting: list[tuple[ReferenceSession, _Path, int]],
        firings: int,
    ) -> bool:
        """Follow a path to its end: return whether it hits. goes_on: from a threshold that has been examined."""
        while True:
            if not goes_on:
                self.spend(path)
                hit = self.to_next_instant(path)
                if hit is False or (hit and self.window is None):
                    return hit
                if firings + self.session.firings > self.most_firings:
                    raise self.halted(ENDLESS)
            goes_on = False
            if "importance" not in self.numbers:
                continue
            near = self.read("importance")
            if path.born and near < thresholds[path.born - 1].value:
                return False
            while path.level and near < thresholds[path.level - 1].value:
                path.level -= 1
            while path.level < len(thresholds) and near >= thresholds[path.level].value:
                path.level += 1
                left = thresholds[path.level - 1].factor - 1
                if left:
                    waiting.append((self.session.copied(), replace(path, born=path.level), left))

    # ------------------------------------------------------------ pilot runs

    def pilot(self, seed: Words3, paths: int, wanted: float) -> Pilot:
        """See `petri.engine.interface.Trials`.

        Each stage begins at the states in which paths of the stage before have reached its threshold (Q5).
        """
        chosen: list[tuple[int, float]] = []
        entries: list[_Entry] = []
        lengths: list[float] = []
        share = 0.0
        try:
            while True:
                stage = len(chosen)
                floor = chosen[-1][0] if chosen and self.window is not None else -math.inf
                reached, firings = [], 0
                for number in range(paths):
                    path = self.begun_pilot(words_of(seed, stage, number), number, entries)
                    before = self.session.firings
                    reached.append(self.greatest(*path, floor))
                    firings += self.session.firings - before
                lengths.append(firings / paths)
                share = sum(most == math.inf for most in reached) / paths
                value = next_threshold(reached, wanted, chosen[-1][0] if chosen else None)
                if value is None or share >= wanted:
                    break
                found: list[_Entry] = []
                there = [number for number, most in enumerate(reached) if most >= value]
                rises = 0
                for number in there:
                    path = self.begun_pilot(words_of(seed, stage, number), number, entries)
                    rises += self.rises(*path, floor, value, found)
                if not found:
                    break
                chosen.append((value, (len(there) if self.window is None else rises) / paths))
                entries = found
        except _Halted:
            return Pilot((), 0.0, ())
        return Pilot(tuple(chosen), share, tuple(lengths))

    def begun_pilot(self, words: Words3, number: int, entries: list[_Entry]) -> tuple[_Path, bool]:
        """Return a path of a stage, with these random numbers; and whether it goes on from an entry."""
        state, there = entries[number % len(entries)] if entries else (None, _Path())
        self.session = self.begun(state, words)
        return replace(there), state is not None

    def greatest(self, path: _Path, goes_on: bool, floor: float) -> float:
        """Return the greatest value that a path reaches before it is below `floor`; infinite if it hits."""
        before, most = self.session.firings, -math.inf
        while True:
            if not goes_on:
                if (hit := self.to_next_instant(path)) is not None:
                    return math.inf if hit else most
                self.check_length(before)
            goes_on = False
            near = self.read("importance")
            if near < floor:
                return most
            most = max(most, near)

    def rises(self, path: _Path, goes_on: bool, floor: float, value: int, found: list[_Entry]) -> int:
        """Return how often a path rises to a value before it is below `floor`; once, unless a share of time is asked
        for.

        found: gets the states there, up to a number.
        """
        rises, is_there, before = 0, False, self.session.firings
        while True:
            if not goes_on:
                hit = self.to_next_instant(path)
                if hit is False or (hit and self.window is None):
                    return rises
                self.check_length(before)
            goes_on = False
            near = self.read("importance")
            if near < floor:
                return rises
            was_there, is_there = is_there, near >= value
            if is_there and not was_there:
                rises += 1
                if len(found) < MOST_ENTRIES:
                    found.append((self.session.copied(), replace(path)))
                if self.window is None:
                    return rises

    def check_length(self, before: int) -> None:
        """End the run at a path that has not ended: it may not have as many firings as that."""
        if self.session.firings - before > self.most_firings:
            raise self.halted(ENDLESS)


def time_limit(chance: Chance, window: tuple[float, float] | None) -> float:
    """Return the time after the question at which a path is over [ticks]."""
    if window is not None:
        return window[1]
    return math.inf if chance.within is None else float(chance.within.value or 0)


def next_threshold(reached: Sequence[float], wanted: float, before: int | None) -> int | None:
    """Return the greatest value that the share `wanted` of paths reaches, or else the least one above `before`."""
    falling = sorted(reached, reverse=True)
    least = falling[-1] if before is None else before
    value = falling[max(math.ceil(wanted * len(falling)), 1) - 1]
    if value > least:
        return int(value) if math.isfinite(value) else None
    above = [most for most in reached if least < most < math.inf]
    return int(min(above)) if above else None
