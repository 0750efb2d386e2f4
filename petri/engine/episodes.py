"""Replications that stop at decisions (I13), on either engine, with actions and observations as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from petri.engine.interface import Reason, Session
from petri.engine.native import NativeSession, native_episodes, windows_of
from petri.engine.reference_session import ReferenceSession
from petri.measure.arrays import Floats
from petri.measure.windows import Windows
from petri.net import DECISION, Net, Place, Scalar, Slot, Transition, lasts
from petri.structs import Frozen
from petri.ticks import NEVER

PIECE: Final = 2**22  # firings of the reference engine between two looks


class Digit(Frozen):
    """A value of a transition or a token that has few values: of variable or slot `at`, from `low` on."""

    at: int
    low: int
    values: tuple[str, ...]


class Row(Frozen):
    """Numbers from `first` on, one for each combination of values, about a place or a transition."""

    first: int
    of: int
    digits: tuple[Digit, ...] = ()

    @property
    def size(self) -> int:
        return prod(len(digit.values) for digit in self.digits)

    def number(self, values: Sequence[Scalar]) -> int:
        """Return the number of a binding or a token."""
        number = 0
        for digit in self.digits:
            number = number * len(digit.values) + int(values[digit.at]) - digit.low
        return self.first + number

    def values(self, number: int) -> dict[int, int]:
        """Return the values that have a number."""
        found, rest = {}, number - self.first
        for digit in reversed(self.digits):
            found[digit.at] = digit.low + rest % len(digit.values)
            rest //= len(digit.values)
        return found

    def names(self, name: str, fields: Sequence[str]) -> Iterator[str]:
        """Yield what each number is about: `assign(r = fast)`."""
        for number in range(self.first, self.first + self.size):
            values = self.values(number)
            told = (f"{fields[d.at] or name} = {d.values[values[d.at] - d.low]}" for d in self.digits)
            yield f"{name}({', '.join(told)})" if self.digits else name


class Tables(Frozen):
    """The actions of a net and the entries of an observation of it.

    An action is a transition that waits for a decision, with a value of each of its variables that have few. An
    observation has the tokens of each place, also by their values if they have few, and the firings in progress of each
    transition that lasts.
    """

    actions: tuple[Row, ...]
    places: tuple[Row, ...]
    firings: tuple[Row, ...]

    @property
    def count(self) -> int:
        return sum(row.size for row in self.actions)

    @property
    def width(self) -> int:
        return sum(row.size for row in (*self.places, *self.firings))


def tables_of(net: Net, most: int) -> Tables:
    """Return the tables. most: values that a variable, or the tokens of a place, are told apart by."""
    actions = [(t, _of_binding(net, one, most)) for t, one in enumerate(net.transitions) if one.priority == DECISION]
    places = [(p, _of_token(place, most)) for p, place in enumerate(net.places)]
    firings = [(t, ()) for t, one in enumerate(net.transitions) if lasts(one)]
    start = sum(prod(len(d.values) for d in digits) for _, digits in places)
    return Tables(_rows(actions, 0), _rows(places, 0), _rows(firings, start))


def _rows(about: Sequence[tuple[int, tuple[Digit, ...]]], first: int) -> tuple[Row, ...]:
    sizes = [Row(0, of, digits).size for of, digits in about]
    starts = accumulate(sizes, initial=first)
    return tuple(Row(start, of, digits) for start, (of, digits) in zip(starts, about, strict=False))


def _of_binding(net: Net, transition: Transition, most: int) -> tuple[Digit, ...]:
    digits: dict[int, Digit] = {}
    for arc in transition.inputs:
        for match, slot in zip(arc.pattern, net.places[arc.place].colour.slots, strict=True):
            if match.bind is not None and match.bind not in digits and (digit := _digit(match.bind, slot, most)):
                digits[match.bind] = digit
    return tuple(digits.values())


def _of_token(place: Place, most: int) -> tuple[Digit, ...]:
    digits = tuple(d for at, slot in enumerate(place.colour.slots) if (d := _digit(at, slot, most)))
    return digits if prod(len(digit.values) for digit in digits) <= most else ()


def _digit(at: int, slot: Slot, most: int) -> Digit | None:
    """Return the values of a slot where they are few."""
    if slot.kind == "real" or slot.low is None or slot.high is None or slot.high - slot.low >= most:
        return None
    low, high = int(slot.low), int(slot.high)
    return Digit(at, low, slot.labels or tuple(str(value) for value in range(low, high + 1)))


class Stepped(Frozen, eq=False):
    """What episodes have come to: why each stopped, when [ticks], what it shows, and which actions are enabled.

    seen: the statistics since the last action; since the beginning after the first one, and before.
    """

    reasons: list[Reason]
    times: Floats
    observations: NDArray[np.float32]  # [episode, entry]
    masks: NDArray[np.int8]  # [episode, action]
    seen: Windows


class Episodes(Protocol):
    """Some replications of one net, each at a decision or at its end."""

    def begin(self, row: int, session: Session) -> None:
        """Let an episode be where a session is, which may go on by itself."""

    def session(self, row: int) -> Any:
        """Return a session in the state of an episode."""

    def step(self, actions: list[int]) -> Stepped:
        """Do an action in each episode where it is enabled, and go on to the next decisions."""


class ReferenceEpisodes:
    """Episodes on the reference engine."""

    def __init__(self, net: Net, tables: Tables, rows: int, passes: bool, until: float) -> None:
        self._net, self._tables, self._until = net, tables, until
        self._sessions: list[ReferenceSession | None] = [None] * rows
        self._reasons: list[Reason] = ["budget"] * rows
        self._fresh = [True] * rows  # whether nothing has been done since it began
        self._masks = np.zeros((rows, tables.count + passes), dtype=np.int8)

    def begin(self, row: int, session: Session) -> None:
        copied = session.copied()
        assert isinstance(copied, ReferenceSession)
        self._sessions[row], self._reasons[row], self._fresh[row] = copied, "budget", True

    def session(self, row: int) -> ReferenceSession:
        session = self._sessions[row]
        assert session is not None
        return session.copied()

    def step(self, actions: list[int]) -> Stepped:
        sessions = [one for one in self._sessions if one is not None]
        observations, seen = np.zeros((len(sessions), self._tables.width), dtype=np.float32), []
        for row, (session, action) in enumerate(zip(sessions, actions, strict=True)):
            if self._reasons[row] == "decision" and 0 <= action < len(self._masks[row]) and self._masks[row, action]:
                self._act(row, session, action)
            while self._reasons[row] == "budget":
                self._reasons[row] = session.advance(self._until, PIECE)
            if self._reasons[row] == "dead" and self._until < NEVER:
                session.rest(self._until)
            seen.append(session.observe())
            self._look(session, observations[row], self._masks[row])
        times = np.array([session.now for session in sessions])
        return Stepped(list(self._reasons), times, observations, self._masks.copy(), Windows.of(seen))

    def _act(self, row: int, session: ReferenceSession, action: int) -> None:
        if not self._fresh[row]:
            session.begin_window()
        self._fresh[row] = False
        if action == self._tables.count:
            session.pass_over()
        else:
            found = next(one for one in self._tables.actions if one.first <= action < one.first + one.size)
            session.decide(found.of, found.values(action))
        self._reasons[row] = "budget"

    def _look(self, session: ReferenceSession, observation: NDArray[Any], mask: NDArray[Any]) -> None:
        marking, under_way = session.marking().in_ticks(), session.under_way()
        for row in self._tables.places:
            for token in marking[row.of]:
                observation[row.number(token)] += 1
        for row in self._tables.firings:
            observation[row.first] = under_way[row.of]
        mask[:] = 0
        mask[self._tables.count :] = 1
        rows = {row.of: row for row in self._tables.actions}
        for transition, values in session.choices():
            mask[rows[transition].number(values)] = 1


class NativeEpisodes:
    """Episodes on the native engine, on threads."""

    def __init__(self, net: Net, tables: Tables, rows: int, passes: bool, until: float, session: NativeSession) -> None:
        self._net, self._session = net, session
        self._shape = rows, -1
        flat = tuple(
            [(row.first, row.of, [(d.at, d.low, len(d.values)) for d in row.digits]) for row in table]
            for table in (tables.actions, tables.places, tables.firings)
        )
        self._episodes = native_episodes(session, rows, flat, (tables.count, tables.width), passes, until)

    def begin(self, row: int, session: Session) -> None:
        assert isinstance(session, NativeSession)
        self._episodes.begin(row, session.native)

    def session(self, row: int) -> NativeSession:
        return self._session.like(self._episodes.session(row))

    def step(self, actions: list[int]) -> Stepped:
        told = self._episodes.step(actions)
        return Stepped(
            told["reasons"],
            np.frombuffer(told["times"]),
            np.frombuffer(told["observations"], dtype=np.float32).reshape(self._shape).copy(),
            np.frombuffer(told["masks"], dtype=np.int8).reshape(self._shape).copy(),
            windows_of(self._net, told["seen"]),
        )


def episodes(net: Net, tables: Tables, rows: int, passes: bool, until: float, session: Session) -> Episodes:
    """Return episodes on the engine of a session of the net, which `begin` has to begin. until: their end [ticks]."""
    if isinstance(session, NativeSession):
        return NativeEpisodes(net, tables, rows, passes, until, session)
    return ReferenceEpisodes(net, tables, rows, passes, until)
