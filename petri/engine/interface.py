"""A replication in progress, on either engine: `run` drives it and the tests inspect it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from petri.engine.errors import Fault
from petri.engine.firings import Firings
from petri.engine.marking import Marking
from petri.file_read import FileRead
from petri.measure.arrays import Floats
from petri.measure.observation import Observation
from petri.measure.tally import Tally
from petri.measure.windows import Windows
from petri.net import MOST_TOKENS, Scalar, Token
from petri.structs import Frozen

Words3 = tuple[int, int, int]
Reason = Literal["until", "dead", "budget", "input", "output", "decision", "error"]
"""Why `advance` returned. "input": a stream needs rows; a session supplies them itself. "output": see
`keep_outputs`. "decision": see `choices`.
"""


class Limits(Frozen):
    """The limits at which a run stops (X3)."""

    firings_at_an_instant: int = 1_000_000
    tokens: int = MOST_TOKENS


class Asked(Frozen):
    """What to record besides the statistics: a trace, the time at each number of tokens of each place."""

    trace: bool = False
    levels: bool = False


class ClockState(Frozen):
    """The clock of a binding (C1), or the part of a transition in the common clock (C4). Times in ticks.

    tokens: the coloured tokens of its binding, arc by arc, as the engine keeps them; of a part none.
    clocks: of a part, how many it stands for, otherwise 1.
    ends: when it has run down at the speed of now; infinite if it has stopped, or at speed 0.
    time: to which it was set; None of a part.
    left: what it has to run once it goes on; None while it runs.
    """

    transition: int
    tokens: tuple[Token, ...]
    clocks: int
    ends: float
    time: float | None = None
    left: float | None = None


Levels = Floats
"""Times [net's unit] by place and number of tokens; the last entry includes all greater numbers."""


class RowSource(Protocol):
    """The rows of the net's streams, block after block; an empty block is the end."""

    def tokens(self, place: int) -> list[Token]:
        """Return the next rows of a place."""

    def words(self, place: int) -> bytes:
        """Return the same as native 64-bit words, slot after slot."""

    def read(self) -> tuple[FileRead, ...]:
        """Return what was read so far, in the order of the places."""


class Session(Protocol):
    """A replication that can be run piece by piece. Results do not depend on the division into pieces."""

    @property
    def now(self) -> float:
        """Model time, in ticks."""

    @property
    def firings(self) -> int:
        """Firings started since time 0."""

    @property
    def hash(self) -> int:
        """The trajectory hash so far (R4)."""

    @property
    def drew(self) -> bool:
        """Whether any random number has been drawn since time 0: otherwise the run is the same with any seed."""

    @property
    def error(self) -> Fault | None:
        """Why the run stopped, after `advance` returned "error"."""

    def advance(self, until: float, firings: int) -> Reason:
        """Run to the end of instant `until` [ticks], or for `firings` more firings.

        Returns "until", "dead" (no transition can fire), "budget" (the firings are used up), or "error". Reads
        the files of the net's streams during the run; raises LanguageError if one cannot be read or has an invalid row.
        """

    def put(self, place: int, time: float, token: Token) -> None:
        """Let a token come into a port at an instant, not before `now` (I12): values as the engine keeps them."""

    def keep_outputs(self, stops: bool = False) -> None:
        """Keep from now on what leaves through ports out. stops: `advance` returns "output" once something has."""

    def outputs(self, place: int) -> list[Token]:
        """Return what has left through a port out since the last call: of each token the instant, then the slots."""

    def choices(self) -> list[tuple[int, tuple[Scalar, ...]]]:
        """Return what may fire after `advance` has returned "decision" (I13): transitions and values of variables."""

    def decide(self, transition: int, wanted: Mapping[int, Scalar]) -> bool:
        """Let a transition fire that waits for a decision, with these values of variables; of several such bindings
        one by I4. False, and nothing happens, where there is none.
        """

    def pass_over(self) -> None:
        """Let time go on after `advance` has returned "decision": nothing more is decided at this instant."""

    def rest(self, until: float) -> None:
        """Time passes up to the instant `until` [ticks], after `advance` has returned "dead" (I10)."""

    def begin_window(self) -> None:
        """End the warm-up: statistics start at `now` (M3)."""

    def observe(self, until: float | None = None) -> Observation:
        """Return everything counted since the window started; up to an instant behind `now`, before which nothing
        happens.
        """

    def next_event(self) -> float:
        """Return when something will happen next, in ticks; `NEVER` if nothing will. An instant is over."""

    def copied(self) -> Session:
        """Return another session in the same state, of a net without streams but those of ports."""

    def snapshot(self) -> Any:
        """Return the statistics as they are now.

        `observations` reads them, as most snapshots of a run are never wanted.
        """

    def observations(self, snapshots: list[Any]) -> Windows:
        """Return what these snapshots have seen; an observation among them is one already.

        The list is empty afterwards.

        So each snapshot of a large net can go as soon as it is read.
        """

    def marking(self) -> Marking:
        """Return the tokens of each place: by position in a bag, otherwise in order of arrival, lines one after the
        other.
        """

    def under_way(self) -> Counter[int]:
        """Return the number of firings in progress, by transition; one that has none is left out."""

    def clocks(self) -> list[ClockState]:
        """Return the clocks of each transition, in the order in which they were set, without those of lost tokens."""

    def levels(self) -> Levels | None:
        """Return the time at each number of tokens since the window started, if requested: [place, number]."""

    def files(self) -> tuple[FileRead, ...]:
        """Return what was read of the files of the net's streams."""

    def trace(self) -> Firings:
        """Return the firings since the last call, if a trace was requested."""


MOST_TRIAL_FIRINGS = 100_000_000  # of one trial, with its branches
ENDLESS = "trial-endless"


class Threshold(Frozen):
    """A path that rises to this importance, in parts where it is real, goes on as `factor` paths (Q3)."""

    value: int
    factor: int


class Pilot(Frozen):
    """Thresholds with how many paths reach each, for every path from the one before.

    share: of the paths from the last one that hit. lengths: the firings of an average path from time 0, and from each
    threshold.
    """

    thresholds: tuple[tuple[int, float], ...]
    share: float
    lengths: tuple[float, ...]


class Trials(Protocol):
    """Trials of one question (Q1), each a run of its own. seed: words, from which each path has random numbers (Q2)."""

    @property
    def error(self) -> Fault | None:
        """Why trials ended early; its id may be `STOPPED`."""

    def pilot(self, seed: Words3, paths: int, wanted: float) -> Pilot:
        """Choose thresholds: the share `wanted` of `paths` paths, at least, reaches the next one."""

    def run(self, seed: Words3, first: int, count: int, thresholds: Sequence[Threshold]) -> Tally:
        """Return the trials from number `first` on; as many as there were, where one has failed."""
