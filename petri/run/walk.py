"""A replication that somebody walks through: firing by firing, by choice or by chance, and back.

It stands between two firings: either some transition is enabled, or the net is dead. Without choices it is the same
trajectory as that of a run. Going back restores an earlier copy of the engine, and repeats the choices from there.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Final

from petri.engine.errors import STOPPED, Fault, ModelError
from petri.engine.firings import TracedFiring
from petri.engine.interface import Limits, Reason, RowSource
from petri.engine.observer import Observer
from petri.engine.reference import Binding, Engine, advance
from petri.engine.state import InProgress, State, in_progress
from petri.net import Net, Scalar
from petri.run.session import row_source
from petri.run.stop import CtrlC
from petri.structs import Frozen

EVERY: Final = 2_000  # firings between two copies of the engine
MOST_COPIES: Final = 50


class Enabled(Frozen):
    """A transition with one of its bindings. `waits`: one of a higher priority goes before it, so it cannot fire."""

    transition: int
    variables: tuple[Scalar, ...]
    waits: bool = False


class Step(Frozen):
    """What happened, in ticks: a firing that started ("starts"), or one that ended ("ends") and gave its tokens."""

    kind: str
    transition: int
    now: float
    end: float = 0.0
    variables: tuple[Scalar, ...] = ()


class Walk:
    """The walk through one replication, on the reference engine."""

    def __init__(self, net: Net, seed: int, replication: int, limits: Limits = Limits()) -> None:
        """Raise ModelError if the marking at the start cannot be computed, LanguageError for a wrong recording."""
        self.net = net
        self._seed, self._replication, self._limits = seed, replication, limits
        self._chosen: dict[int, tuple[int, int]] = {}  # by number of firing: the transition, and which binding
        self._copies: dict[int, Engine] = {}
        self._rows: RowSource | None = None
        self.steps: list[Step] = []  # of the last firing
        self.engine: Engine = self._fresh()
        self.reason: Reason = self._settle()

    # ------------------------------------------------------------ where it stands

    @property
    def now(self) -> float:
        """Model time [ticks]."""
        return self.engine.now

    @property
    def firings(self) -> int:
        return self.engine.firings

    @property
    def fault(self) -> Fault | None:
        """Why the walk ends here, if an error of the net ends it."""
        return self.engine.error

    def enabled(self) -> list[Enabled]:
        """Return what could fire now; first what may, then what waits for a higher priority."""
        if self.reason != "budget":
            return []
        ready = [(n, bindings) for n in range(len(self.net.transitions)) if (bindings := self.engine.ready(n))]
        highest = max(self.net.transitions[number].priority for number, _ in ready)
        listed = [
            Enabled(number, tuple(binding.variables), self.net.transitions[number].priority < highest)
            for number, bindings in ready
            for binding in bindings
        ]
        return sorted(listed, key=lambda one: one.waits)

    def state(self) -> State:
        """Return the same for explanations."""
        marking = [[token.value for token in row] for row in self.engine.marking]
        firings = sorted(self.engine.in_progress)
        found = (self._watcher.open[firing.serial, firing.part] for firing in firings)
        clocks = (state for clock in self.engine.clocks.values() for state in clock.states())
        return State(self.now, self.firings, marking, tuple(found), tuple(clocks))

    # ------------------------------------------------------------ steps

    def fire(self, choice: Enabled | None = None) -> list[Step]:
        """Do one firing, chosen or by chance, and what happens up to the next one that can start."""
        self._keep_copy()
        if choice is None:
            choice_made = self._chosen.get(self.firings)
        else:
            same = [tuple(one.variables) for one in self.engine.ready(choice.transition)]
            choice_made = (choice.transition, same.index(choice.variables))
            self._forget_from(self.firings)
            self._chosen[self.firings] = choice_made
        self._watcher.steps = []
        self._start(choice_made)
        self.reason = self._settle()
        self.steps = self._watcher.steps
        return self.steps

    def run(self, stop: Callable[[], bool], most: float = math.inf) -> int:
        """Fire at random until `stop` is true or nothing can fire; at most `most` firings. Returns how many.

        Raises KeyboardInterrupt between two firings. If it came while bindings were searched for, the walk is
        back before the firing that led there.
        """
        begun = self.firings
        with CtrlC() as ctrl_c:
            while self.reason == "budget" and self.firings - begun < most and not stop():
                self.engine.stopped = lambda: ctrl_c.seen
                self.fire()
                if self.fault is not None and self.fault.id == STOPPED:
                    self.back(1)
                self.engine.stopped = _never
                ctrl_c.check()
        return self.firings - begun

    def back(self, count: int) -> int:
        """Undo `count` firings, or all if there are fewer. Returns how many."""
        wanted = max(self.firings - count, 0)
        undone = self.firings - wanted
        kept = max((number for number in self._copies if number <= wanted), default=None)
        if kept is None:
            self.engine = self._fresh()
        else:
            self.engine = copy.deepcopy(self._copies[kept], self._shared())
            self._watcher = next(observer for observer in self.engine.observers if isinstance(observer, _Watcher))
        self.engine.stopped = _never
        self.reason = self._settle()
        while self.firings < wanted:
            self._start(self._chosen.get(self.firings))
            self.reason = self._settle()
        self._forget_from(wanted)
        return undone

    # ------------------------------------------------------------ the engine

    def _fresh(self) -> Engine:
        engine = self._engine_at_start()
        self._watcher = _Watcher(engine)
        engine.observers = [self._watcher]
        self._rows = row_source(self.net)
        return engine

    def _engine_at_start(self) -> Engine:
        return Engine(self.net, self._seed, self._replication, self._limits)

    def _settle(self) -> Reason:
        """Let time go on until something can fire."""
        return advance(self.engine, self._rows, math.inf, 0)

    def _start(self, choice: tuple[int, int] | None) -> None:
        if choice is None:
            self.engine.advance(self.engine.now, 1)
            return
        number, which = choice
        binding = self.engine.ready(number)[which]
        try:
            self.engine.start(number, Binding(list(binding.variables), binding.found))
        except ModelError as error:
            self.engine.error = self.engine.fault_of(error)

    def _keep_copy(self) -> None:
        """Not of a net with streams, whose files are read on."""
        if self.engine.streams or self.firings % EVERY or self.firings in self._copies:
            return
        self._copies[self.firings] = copy.deepcopy(self.engine, self._shared())
        if len(self._copies) > MOST_COPIES:
            self._copies = {number: one for at, (number, one) in enumerate(self._copies.items()) if at % 2 == 0}

    def _shared(self) -> dict[int, object]:
        """Return what copies of the engine have in common: the net, which does not change."""
        return {id(self.net): self.net}

    def _forget_from(self, number: int) -> None:
        self._chosen = {at: choice for at, choice in self._chosen.items() if at < number}
        self._copies = {at: one for at, one in self._copies.items() if at <= number}


def _never() -> bool:
    return False


class _Watcher(Observer):
    """Notes the steps, and what firings in progress hold."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.steps: list[Step] = []
        self.open: dict[tuple[int, int], InProgress] = {}  # by the number of the firing, and the part

    def ended(self, transition: int, now: float) -> None:
        self.steps.append(Step("ends", transition, now))

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        self.steps.append(Step("starts", transition, now, end, tuple(variables)))
        going_on = {(firing.serial, firing.part) for firing in self.engine.in_progress}
        self.open = {part: one for part, one in self.open.items() if part in going_on}
        firing = TracedFiring(now, end, transition, tuple(variables))
        for one in in_progress(self.engine.net, firing, self.engine):
            self.open[self.engine.firings, one.part] = one
