"""An explorer that is slow and obviously right: every state of a small net, by the rules of the reference engine.

A state is seated in an engine, which says what is enabled, and fires. Only what a state is, and which of its events
come when, is said here.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from petri.engine.clocks import clocks_wanted, mean_of, speed
from petri.engine.expression import Context
from petri.engine.reference import Binding, Engine, Firing, Held
from petri.engine.saved_check import arcs_of
from petri.exact.branching import BranchingStream
from petri.exact.chain import (
    Ended,
    Floats,
    Integers,
    Kind,
    Limits,
    Running,
    Stage,
    StateView,
    Unsolvable,
    refuse_streams,
)
from petri.exact.exchange import none
from petri.net import Expr, Net, Scalar, Token, is_memoryless, is_shared
from petri.run.stop import StopSign
from tests.exact.oracle.timing import Stages, stages

State = StateView
Clocked = list[tuple[int, Sequence[Binding]]]


class Event(NamedTuple):
    """What may happen in a state: the firing of `transition` that starts or ends (-1: time passes).

    weight: a probability, or a rate per tick.
    """

    transition: int
    starts: bool
    weight: float
    target: State
    variables: tuple[Scalar, ...] = ()


class Share(NamedTuple):
    """A class of bindings that may fire: its tokens by their positions, and its probability or rate per tick."""

    transition: int
    variables: list[Scalar]
    seats: list[list[int]]
    weight: float


class Seat(Engine):
    """An engine that is put into states, and takes every outcome of each choice."""

    def __init__(self, net: Net) -> None:
        super().__init__(net, seed=1, replication=0)
        self.stream = self.branching = BranchingStream()
        self.own_streams = []
        self.branching.drawing = lambda: self.attempt[0]
        self.clocked = tuple(self.clocks)
        self.clocks = {}
        self.running: list[Running] = []
        self.stages: Stages = ()
        self.orders = [place.discipline == "bag" for place in net.places]
        for index, transition in enumerate(net.transitions):
            if any(arc.delay is not None for arc in transition.outputs):
                raise Unsolvable("exact-delay", index)
        for index in self.clocked:
            if not is_memoryless(net.transitions[index]):
                raise Unsolvable("exact-clock", index)

    # ------------------------------------------------------------ states

    def look(self) -> State:
        """Return the state that the engine is in."""
        marking = tuple(self._tokens(place) for place in range(len(self.marking)))
        return StateView(marking, self._in_order(self.running))

    def _tokens(self, place: int) -> tuple[Token, ...]:
        row = self.marking[place]
        if self.orders[place]:
            return tuple(sorted(token.value for token in row))
        if self.net.places[place].discipline == "key":
            row = sorted(row, key=attrgetter("key"))
        if self.net.places[place].per:
            row = sorted(row, key=lambda token: self.line_of(place, token.value))
        return tuple(token.value for token in row)

    def _in_order(self, running: Sequence[Running]) -> tuple[Running, ...]:
        """Sort firings whose order does not matter: those that end at different times, or deposit in bags."""
        ordered: list[Running] = []
        for _, together in groupby(sorted(running, key=_end), key=_end):
            group = list(together)
            if all(self.orders[place] for one in group for place, _ in one.deposits) or _end(group[0])[0]:
                group.sort()
            ordered += group
        return tuple(ordered)

    def sit(self, state: State) -> None:
        """Put the engine into a state."""
        self.marking = [[self.hold(place, token) for token in row] for place, row in enumerate(state.marking)]
        self.known = [None for _ in self.net.transitions]
        self.at_this_instant.clear()
        self.running = list(state.running)
        self.reserved = [Counter[Token]() for _ in self.net.places]
        self.deposits_due = 0
        for one in self.running:
            for place, tokens in self._held(one):
                self.reserve(place, tokens, 1)
                self.deposits_due += len(tokens)

    def _held(self, running: Running) -> list[tuple[int, list[Held]]]:
        return [(place, [self.hold(place, token) for token in tokens]) for place, tokens in running.deposits]

    # ------------------------------------------------------------ in place of the engine's

    def ready(self, index: int) -> Sequence[Binding]:
        """Transitions with clocks do not fire at once."""
        return () if index in self.clocked else self.known_bindings(index)

    def duration(self, expression: Expr, context: Context) -> float:
        try:
            parts = stages(expression, context)
        except Unsolvable as reason:
            raise Unsolvable(reason.id, self.attempt[0], **reason.values) from None
        self.stages = tuple(self._rounded(part) for part in parts)
        return 1.0 if self.stages else 0.0

    def _rounded(self, part: Stage) -> Stage:
        if part.kind == "exponential":
            return part
        ticks = super().duration(Expr("const", "real", value=part.ticks), Context(()))
        return part._replace(ticks=ticks, period=ticks if part.period else 0.0)

    def begin(self, firing: Firing) -> None:
        super().begin(firing)
        self.in_progress.clear()
        self.running.append(Running(self.stages, firing.transition, tuple(self._deposits(firing))))

    def _deposits(self, firing: Firing) -> Iterator[tuple[int, tuple[Token, ...]]]:
        """Yield what each arc will deposit; tokens that one gives for those of a set one by one (E11)."""
        arcs = arcs_of(self.net.transitions[firing.transition], firing.part) or ()
        for arc, (place, held) in zip(arcs, firing.deposits, strict=True):
            tokens = tuple(token.value for token in held)
            if arc.each is not None and self.net.places[place].colour.slots:
                yield from ((place, (token,)) for token in tokens)
            elif tokens:
                yield place, tokens

    # ------------------------------------------------------------ events

    def events(self, state: State) -> tuple[list[Event], float]:
        """Return what may happen in the state, and the ticks until then: 0 if it vanishes, nan at random times."""
        self.sit(state)
        candidates = self.candidates()
        if candidates:
            return self._started(state, [share for one in self._chances(candidates) for share in one]), 0.0
        clocks: Clocked = [(index, bindings) for index in self.clocked if (bindings := self.known_bindings(index))]
        kinds = {one.stages[0].kind == "exponential" for one in state.running} | ({True} if clocks else set())
        if len(kinds) > 1:
            constant = next(one.transition for one in state.running if one.stages[0].kind != "exponential")
            raise Unsolvable("exact-mixed", constant)
        if kinds == {False}:
            return self._passing(state)
        if not kinds:
            return [], math.nan
        racing = self._started(state, [share for one in self._racing(clocks) for share in one])
        return [*self._ends(state), *racing], float("nan")

    def _chances(self, candidates: Clocked) -> Iterator[list[Share]]:
        """Choose a candidate by weight, and one of its bindings evenly (I3, I4)."""
        weights = self.weights([index for index, _ in candidates])
        for (index, bindings), weight in zip(candidates, weights, strict=True):
            share = weight / sum(weights)
            preferred = self.preferred(index, bindings)
            if share > 0.0:
                yield self._classes(index, preferred, [share / len(preferred)] * len(preferred))

    def _racing(self, clocks: Clocked) -> Iterator[list[Share]]:
        """Yield the bindings whose clocks may run down: all evenly of a shared clock, else by their own rates (C4)."""
        for index, bindings in clocks:
            number, pace = clocks_wanted(self, index, bindings), speed(self, index)
            shared = is_shared(self.net.transitions[index])
            rates = []
            for binding in list(bindings[:1]) * len(bindings) if shared else bindings:
                mean = mean_of(self, index, binding.variables)
                if mean == 0.0:
                    raise Unsolvable("exact-zero-clock", index)
                rates.append(number * pace / mean)
            if pace > 0.0:
                yield self._classes(index, bindings, rates)

    def _classes(self, index: int, bindings: Sequence[Binding], weights: Sequence[float]) -> list[Share]:
        """Bindings that take equal tokens are one class, unless it matters which of a queue (E9).

        Their tokens are noted by their positions.
        """
        arcs = self.net.transitions[index].inputs
        classes: dict[object, Share] = {}
        for binding, weight in zip(bindings, weights, strict=True):
            seats = [
                [next(i for i, other in enumerate(self.marking[arc.place]) if other is token) for token in tokens]
                for arc, tokens in zip(arcs, binding.found, strict=True)
            ]
            values = tuple(token.value for tokens in binding.found for token in tokens)
            key = (values, *(tuple(seat) for arc, seat in zip(arcs, seats, strict=True) if arc.any))
            if key in classes:
                classes[key] = classes[key]._replace(weight=classes[key].weight + weight)
            else:
                classes[key] = Share(index, list(binding.variables), seats, weight)
        return list(classes.values())

    def _started(self, state: State, shares: list[Share]) -> list[Event]:
        """Return the firings of these bindings, with each outcome of their draws."""
        events = []
        for share in shares:
            outcomes: dict[tuple[tuple[Scalar, ...], State], float] = {}
            for probability, outcome in self.branching.outcomes(partial(self._fired, state, share)):
                outcomes[outcome] = outcomes.get(outcome, 0.0) + probability
            for (variables, target), probability in outcomes.items():
                events.append(Event(share.transition, True, share.weight * probability, target, variables))
        return events

    def _fired(self, state: State, share: Share) -> tuple[tuple[Scalar, ...], State]:
        """Return the variables of a firing and the state after it."""
        self.sit(state)
        arcs = self.net.transitions[share.transition].inputs
        found = [[self.marking[arc.place][seat] for seat in row] for arc, row in zip(arcs, share.seats, strict=True)]
        fires = Binding(list(share.variables), found)
        self.start(share.transition, fires)
        return tuple(fires.variables), self.look()

    def _ends(self, state: State) -> Iterator[Event]:
        """Exponential stages end, each at its rate; equal firings are one event."""
        for one in dict.fromkeys(state.running):
            self.sit(state)
            self.running.remove(one)
            if one.stages[1:]:
                self.running.append(one._replace(stages=one.stages[1:]))
            else:
                self.finish(Firing(0.0, 0, 0, one.transition, self._held(one)))
            yield Event(one.transition, False, state.running.count(one) / one.stages[0].ticks, self.look())

    def _passing(self, state: State) -> tuple[list[Event], float]:
        """Time passes to the next ends, of all firings that end then, in the order of their start (I1)."""
        step = min(one.stages[0].ticks for one in state.running)
        outcomes: dict[State, float] = {}
        for probability, target in self.branching.outcomes(lambda: self._passed(state, step)):
            outcomes[target] = outcomes.get(target, 0.0) + probability
        return [Event(-1, False, probability, target) for target, probability in outcomes.items()], step

    def _passed(self, state: State, step: float) -> State:
        self.sit(state)
        before, self.running = self.running, []
        for one in before:
            first = one.stages[0]
            if first.ticks > step:
                left = (first._replace(ticks=first.ticks - step), *one.stages[1:])
            elif first.kind == "geometric" and not self.branching.chance(first.chance):
                left = (first._replace(ticks=first.period), *one.stages[1:])
            else:
                left = one.stages[1:]
            if left:
                self.running.append(one._replace(stages=left))
            else:
                self.finish(Firing(0.0, 0, 0, one.transition, self._held(one)))
        return self.look()

    def clocks_running(self, state: State, index: int) -> int:
        """Return the number of clocks of a transition that run in the state (M2)."""
        self.sit(state)
        bindings = self.known_bindings(index)
        return clocks_wanted(self, index, bindings) * len(bindings)


def _end(running: Running) -> tuple[bool, float]:
    """Return what firings are ordered by: constant times by their end."""
    first = running.stages[0]
    return (True, 0.0) if first.kind == "exponential" else (False, first.ticks)


class NaiveSpace:
    """See `petri.exact.chain.StateSpace`."""

    def __init__(self, net: Net, limits: Limits = Limits(), stop: StopSign | None = None) -> None:
        refuse_streams(net)
        self.net = net
        self.stop = stop or StopSign()
        self.symmetries = none(net)
        self.initial = 0
        self.seat = Seat(net)
        self.states: list[State] = []
        self.steps: list[float] = []
        self._arcs: list[tuple[int, int, Event]] = []
        self.ended: Ended = self._explore(limits)
        self.crowded: int | None = None  # it has no limit of bindings
        self.complete = self.ended == "complete"
        self.expanded = len(self.steps)
        self.kind: Kind = self._kind()
        self._as_arrays()

    def _explore(self, limits: Limits) -> Ended:
        """Breadth first."""
        numbers: dict[State, int] = {}

        def number(state: State) -> int:
            if state not in numbers:
                numbers[state] = len(self.states)
                self.states.append(state)
                waiting.append(state)
            return numbers[state]

        waiting: deque[State] = deque()
        self.seat.sit(StateView(tuple(_initial(self.net)), ()))
        number(self.seat.look())
        while waiting:
            if self.stop.is_set():
                return "stopped"
            if len(self.states) > limits.states:
                return "states"
            state = waiting.popleft()
            source = numbers[state]
            events, step = self.seat.events(state)
            self.steps.append(step)
            for event in events:
                self._arcs.append((source, number(event.target), event))
        return "complete"

    def _kind(self) -> Kind:
        """Return the kind of times that pass: where exponentials and constants alternate, constants end at a rate."""
        constant = any(step > 0.0 for step in self.steps)
        self.takes_turns = constant and any(math.isnan(self.steps[source]) for source, _, _ in self._arcs)
        return "ticks" if constant and not self.takes_turns else "continuous"

    def _as_arrays(self) -> None:
        arcs, tick = self._arcs, float(self.net.tick.length)
        steps = np.array(self.steps + [np.nan] * (len(self.states) - len(self.steps)))
        self.tangible: NDArray[np.bool_] = steps != 0.0
        self.sources: Integers = np.array([source for source, _, _ in arcs], dtype=np.int64)
        self.targets: Integers = np.array([target for _, target, _ in arcs], dtype=np.int64)
        self.transitions: Integers = np.array([event.transition for _, _, event in arcs], dtype=np.int64)
        self.starts: NDArray[np.bool_] = np.array([event.starts for _, _, event in arcs], dtype=bool)
        self.weights: Floats = np.array([event.weight for _, _, event in arcs], dtype=np.float64)
        rates = np.isnan(steps[self.sources]) if arcs else np.zeros(0, dtype=bool)
        self.weights[rates] /= tick
        self.sojourns: Floats = np.full(len(self.states), np.nan)
        if self.kind == "ticks":
            self.sojourns = np.where(np.isnan(steps), np.inf, steps) * tick
        elif arcs:
            constant = steps[self.sources] > 0.0
            self.weights[constant] /= steps[self.sources[constant]] * tick

    def __len__(self) -> int:
        return len(self.states)

    @property
    def alike(self) -> Floats:
        return np.ones(len(self.states))

    @property
    def arcs(self) -> int:
        return len(self._arcs)

    def state(self, number: int) -> StateView:
        return self.states[number]

    @property
    def fastest(self) -> float:
        timed = self.weights[self.tangible[self.sources]]
        return 0.0 if self.kind == "ticks" or self.takes_turns else float(timed.max(initial=0.0))

    def is_dead(self, number: int) -> bool:
        return not (self.sources == number).any()

    def counts(self, place: int) -> Integers:
        return np.array([len(state.marking[place]) for state in self.states], dtype=np.int64)

    def in_progress(self, transition: int) -> Integers:
        if self.net.transitions[transition].clock is None:
            seen = (sum(one.transition == transition for one in state.running) for state in self.states)
        else:
            lasts = self.tangible & (np.arange(len(self.states)) < self.expanded)
            pairs = zip(self.states, lasts.tolist(), strict=True)
            seen = (self.seat.clocks_running(state, transition) if lasting else 0 for state, lasting in pairs)
        return np.fromiter(seen, dtype=np.int64, count=len(self.states))

    def variables(self, arcs: Sequence[int]) -> list[Sequence[Scalar]]:
        return [self._arcs[arc][2].variables for arc in arcs]


def _initial(net: Net) -> Iterator[tuple[Token, ...]]:
    for place in net.places:
        yield tuple(token for count, token in place.initial for _ in range(count))
