"""Records a run token by token, for the token game: which tokens each firing takes and gives, and what could fire.

The record is what a viewer needs to repeat the run without computing anything: it says which tokens are where after
each event.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from petri.engine.errors import Fault
from petri.engine.interface import Limits, Reason
from petri.engine.reference import Binding, Engine, Firing, Held, advance
from petri.net import Net, Scalar, Token, Transition
from petri.run.clock_recording import ClockRecord, ClockRecorder
from petri.run.row_recording import RowRecord, RowRecorder
from petri.run.session import row_source
from petri.run.verdict_recording import Verdict, VerdictRecorder
from petri.structs import Struct, field

_PIECE: Final = 1_000  # firings between two looks at `stopped`

Taken = tuple[int, int]
"""A place, and the seat in it before the event of the token that is taken."""
Given = tuple[int, tuple[Token, ...]]


class Happening(Struct):
    """A firing that starts, or (transition -1) a row of a stream that arrives. Instants in ticks.

    Or (transition -2 - t) tokens of an output of transition t with a delay, on the way from `start` to `end`; it
    follows the firing that has sent them.
    """

    transition: int
    start: float
    end: float
    variables: tuple[Scalar, ...] = ()
    taken: tuple[Taken, ...] = ()
    given: tuple[Given, ...] = ()


class Recording(Struct):
    """`until`: the instant of the end [ticks]; `ended`: "dead", "until", "firings", "error" or "interrupted".

    fault: the error of the net, if one ended it. rows: what is in the places after each event. clocks: of the
    transitions that race. verdicts: after each event, which is a firing that starts, one that ends later, a row that
    arrives, or the arrival of tokens on their way.
    """

    happenings: list[Happening] = field(default_factory=list)
    until: float = 0.0
    ended: str = "until"
    fault: Fault | None = None
    rows: RowRecord = field(default_factory=RowRecord)
    clocks: ClockRecord = field(default_factory=ClockRecord)
    verdicts: list[Verdict] = field(default_factory=list)


def record(
    net: Net,
    seed: int,
    replication: int,
    until: float,
    firings: int,
    *,
    limits: Limits = Limits(),
    stopped: Callable[[], bool] = lambda: False,
) -> Recording:
    """Record up to the end of instant `until` [ticks], or until there are `firings` firings.

    Raises LanguageError for a stream that cannot be read, ModelError if the initial marking cannot be computed.
    """
    engine = Recorder(net, seed, replication, limits)
    engine.stopped = stopped
    rows = row_source(net)
    reason: Reason = "budget"
    while reason == "budget" and engine.firings < firings and not stopped():
        reason = advance(engine, rows, until, min(_PIECE, firings - engine.firings))
    ended = reason if reason != "budget" else "firings" if engine.firings >= firings else "interrupted"
    return engine.recording(until if reason == "until" and math.isfinite(until) else engine.now, ended)


class Recorder(Engine):
    """The reference engine, which notes what it does."""

    def __init__(self, net: Net, seed: int, replication: int, limits: Limits) -> None:
        super().__init__(net, seed, replication, limits)
        self.happenings: list[Happening] = []
        self._taken: list[Taken] = []
        self._given: list[tuple[int, list[Held]]] | None = None  # what a firing deposits as it starts
        self._depositing = False
        self._numbers: dict[int, int] = {}  # of the happenings of firings in progress, by their identity
        self.rows = RowRecorder(self)
        self.clock_recorder = ClockRecorder(self)
        self.verdicts = VerdictRecorder(self)

    def recording(self, until: float, ended: str) -> Recording:
        rows, clocks, verdicts = self.rows.record, self.clock_recorder.record, self.verdicts.record
        return Recording(self.happenings, until, ended, self.error, rows, clocks, verdicts)

    def start(self, index: int, binding: Binding) -> None:
        number, self._taken, self._given = len(self.happenings), [], []
        super().start(index, binding)
        firing, given = self.happenings[number], _given(self._given)
        if firing.end == firing.start:
            firing.given = given
        elif given:
            self.happenings.append(Happening(-2 - index, self.now, self.now, given=given))
        self._given = None
        self.clock_recorder.fired(index, number)
        self._happened(number)

    def settle(self) -> None:
        if not self.settled:
            super().settle()
            self.clock_recorder.settled()

    def remove(self, place: int, token: Held) -> None:
        self._taken.append((place, self.rows.seat(place, token)))
        super().remove(place, token)

    def take(self, transition: Transition, binding: Binding, sets: list[list[Held]]) -> None:
        for place in transition.resets:
            self.rows.touch(place)
        super().take(transition, binding, sets)
        index = self.attempt[0]
        self.happenings.append(Happening(index, self.now, self.now, tuple(binding.variables), tuple(self._taken)))

    def begin(self, firing: Firing) -> None:
        given = _given(firing.deposits)
        if firing.part:
            self.happenings.append(Happening(-2 - firing.transition, self.now, firing.end, given=given))
        else:
            self.happenings[-1].end, self.happenings[-1].given = firing.end, given
        self._numbers[id(firing)] = len(self.happenings) - 1
        super().begin(firing)

    def finish(self, firing: Firing) -> None:
        self._depositing = True
        super().finish(firing)
        self._depositing = False
        self._happened(~self._numbers.pop(id(firing)))

    def _happened(self, event: int) -> None:
        self.rows.happened(event)
        self.verdicts.happened()

    def forget(self, place: int) -> None:
        super().forget(place)
        self.verdicts.forget(place)

    def arrive(self, place: int, tokens: Sequence[Held]) -> None:
        row = self._given is None and not self._depositing
        if self._given is not None:
            self._given.append((place, list(tokens)))
        elif row:
            self.happenings.append(Happening(-1, self.now, self.now, given=_given([(place, list(tokens))])))
        self.rows.give(place, tokens)
        super().arrive(place, tokens)
        if row:  # of a stream
            self._happened(len(self.happenings) - 1)


def _given(deposits: Sequence[tuple[int, list[Held]]]) -> tuple[Given, ...]:
    return tuple((place, tuple(token.value for token in tokens)) for place, tokens in deposits if tokens)
