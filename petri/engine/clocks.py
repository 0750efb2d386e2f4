"""The clocks of transitions that race, in the reference engine (`docs/semantics.md`, C1 to C5).

The clocks of a transition are looked at when an instant is over: those of bindings that are enabled then run on, the
others stop, and bindings without a clock get one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from petri.catalogue.operations import OPERATIONS
from petri.engine.binding import Binding, Held
from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.engine.interface import ClockState, Limits
from petri.engine.random import RandomStream
from petri.net import (
    Clock,
    Expr,
    Net,
    Scalar,
    Token,
    Transition,
    constant_count,
    is_memoryless,
    is_shared,
    place_of_clocks,
)
from petri.ticks import after

NOWHERE = math.inf  # the end of a clock that does not run
GREATEST_RATE = 2.0**900  # per tick (C4): the sum of all rates of a net is finite


class Settled(NamedTuple):
    """What happened to the clocks of a transition at the end of an instant.

    set: clocks that were set. dropped: clocks whose binding was disabled before they had run down.
    """

    set: int
    dropped: int


class Clocks(Protocol):
    """The clocks of one transition."""

    @property
    def running(self) -> int:
        """The number of clocks that run."""

    @property
    def kept(self) -> int:
        """The number of clocks that run or have stopped and may go on."""

    def end(self) -> float:
        """Return the tick at which the first of them has run down;

        `NOWHERE` if none runs, or none at a speed above 0.
        """

    def due(self, bindings: Sequence[Binding], now: float) -> Sequence[Binding]:
        """Return those of the enabled bindings whose clock has run down (C3). Called when one has (`end`)."""

    def fired(self, binding: Binding, now: float) -> None:
        """End the clock of a binding that was due and is about to fire. It may get other black tokens (C3)."""

    def settle(self, bindings: Sequence[Binding]) -> Settled:
        """End the instant, with these bindings enabled (C2)."""

    def states(self) -> list[ClockState]:
        """Return them as `Session.clocks` tells of them."""


class Engine(Protocol):
    """What clocks ask of an engine: `petri.engine.reference.Engine`."""

    net: Net
    marking: list[list[Held]]
    now: float
    stream: RandomStream
    limits: Limits
    attempt: tuple[int, Sequence[Scalar]]
    clocks: dict[int, Clocks]
    with_clocks: set[int]

    @property
    def common(self) -> CommonClock: ...

    def stream_of(self, index: int) -> RandomStream: ...

    def context(self, variables: Sequence[Scalar], stream: RandomStream | None = None) -> Context: ...

    def count(self, expression: Expr | None, context: Context) -> int: ...

    def work(self, expression: Expr, context: Context) -> float: ...

    def duration(self, expression: Expr, context: Context) -> float: ...


def clocks_of(engine: Engine, index: int) -> Clocks:
    """Return the clocks of a transition that has a clock, at time 0."""
    return SharedClock(engine, index) if is_shared(engine.net.transitions[index]) else OwnClocks(engine, index)


def tokens_found(engine: Engine, index: int, *, taken: bool) -> Counter[int]:
    """Return how many black tokens the arcs of a transition find in each place, or only those that it takes."""
    wanted: Counter[int] = Counter()
    for arc in engine.net.transitions[index].inputs:
        if not (taken and arc.keep):
            wanted[arc.place] += engine.count(arc.count, engine.context(()))
    return wanted


def degree(engine: Engine, index: int, tokens: Callable[[int], int]) -> int:
    """Return how often the firings of the one binding of a transition could start together, with these tokens (C1)."""
    wanted = tokens_found(engine, index, taken=True)
    return min((tokens(place) // count for place, count in wanted.items() if count > 0), default=1)


def clocks_wanted(engine: Engine, index: int, bindings: Sequence[Binding]) -> int:
    """Return the number of clocks of each of the bindings (C1)."""
    clock = engine.net.transitions[index].clock
    assert clock is not None
    if not bindings or clock.servers == 1:
        return 1
    servers = degree(engine, index, lambda place: len(engine.marking[place]))
    return servers if clock.servers is None else min(clock.servers, servers)


def speed(engine: Engine, index: int) -> float:
    """Return how fast the clocks of a transition run now (C5)."""
    expression = clock_of(engine, index).speed
    if expression is None:
        return 1.0
    engine.attempt = (index, [0] * len(engine.net.transitions[index].variables))
    value = float(evaluate(expression, engine.context(())))
    if value < 0.0:
        raise ModelError("negative-speed", expression.span, speed=value)
    return value


def clock_of(engine: Engine, index: int) -> Clock:
    clock = engine.net.transitions[index].clock
    assert clock is not None
    return clock


def mean_of(engine: Engine, index: int, variables: list[Scalar]) -> float:
    """Return the mean of the exponential time of a clock, in ticks, for a binding with these variables."""
    time = clock_of(engine, index).time
    engine.attempt = (index, variables)
    mean = float(evaluate(time.args[0], engine.context(variables)))
    if not OPERATIONS["exp"].holds(mean):
        raise ModelError("bad-parameter", time.span, distribution="exp", mean=mean)
    return mean


class CommonClock:
    """One exponential clock for all transitions whose bindings share one (C4), at the sum of their rates.

    Whenever that sum changes, the clock is set anew: what is left of an exponential time is distributed as the whole.
    Which transition is due is chosen when the clock has run down.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.rates = {index: 0.0 for index, one in enumerate(engine.net.transitions) if is_shared(one)}
        self.sum = 0.0
        self.ends = NOWHERE
        self.chosen: int | None = None  # the transition that is due, from when it has run down until it is set anew

    def ring(self) -> None:
        """End a clock that has run down, and for which a transition is chosen."""
        sums = self.sums()
        part = self.engine.stream.uniform() * self.sum if len(self.rates) > 1 else 0.0
        chosen = 0
        for one in reversed(sums[:-1]):
            chosen *= 2
            if part >= one[chosen] and one[chosen + 1] > 0.0:
                part -= one[chosen]
                chosen += 1
        self.chosen = list(self.rates)[chosen]

    def sums(self) -> list[list[float]]:
        return sums_of_pairs(list(self.rates.values()))

    def total(self) -> float:
        """Return the sum of the rates."""
        return self.sums()[-1][0] if self.rates else 0.0

    def settle(self) -> None:
        """End the instant: the rates are those of now."""
        total = self.total()
        if total != self.sum or self.chosen is not None:
            self.chosen, self.sum = None, total
            self.ends = after(self.engine.now, self.engine.stream.exponential() / total) if total > 0.0 else NOWHERE


def sums_of_pairs(rates: Sequence[float]) -> list[list[float]]:
    """Rates, followed by zeros up to a power of two; the sums of each two; the sums of each two of these; up to one."""
    sums = [[*rates, *[0.0] * ((1 << (len(rates) - 1).bit_length()) - len(rates))]]
    while len(sums[-1]) > 1:
        sums.append([one + other for one, other in zip(sums[-1][::2], sums[-1][1::2], strict=True)])
    return sums


class SharedClock:
    """The part of a transition in the common clock (C4): how many clocks it has, and the sum of their rates."""

    def __init__(self, engine: Engine, index: int) -> None:
        self.engine, self.index = engine, index
        self.running = 0
        self.fires = 0  # firings since the instant began

    @property
    def kept(self) -> int:
        return 0

    def end(self) -> float:
        """Return the tick at which the common clock has run down."""
        return self.engine.common.ends if self.engine.common.rates[self.index] > 0.0 else NOWHERE

    def due(self, bindings: Sequence[Binding], now: float) -> Sequence[Binding]:
        return bindings if self.engine.common.chosen == self.index else ()

    def fired(self, binding: Binding, now: float) -> None:
        self.fires += 1
        self.engine.common.ends = NOWHERE
        transition = self.engine.net.transitions[self.index]
        binding.found = chosen_by_chance(self.engine, transition, binding.found, self.running)

    def settle(self, bindings: Sequence[Binding]) -> Settled:
        running = clocks_wanted(self.engine, self.index, bindings) * len(bindings)
        self.engine.common.rates[self.index] = self.rate_of(running) if running else 0.0
        more = running - (self.running - self.fires)
        self.running, self.fires = running, 0
        return Settled(max(more, 0), max(-more, 0))

    def states(self) -> list[ClockState]:
        return [ClockState(self.index, (), self.running, self.end())] if self.running else []

    def rate_of(self, clocks: int) -> float:
        """Return the sum of the rates, per tick."""
        pace = speed(self.engine, self.index)
        mean = mean_of(self.engine, self.index, [0] * len(self.engine.net.transitions[self.index].variables))
        if mean == 0.0:
            return GREATEST_RATE if pace > 0.0 else 0.0
        return min(clocks * (pace / mean), GREATEST_RATE)


def chosen_by_chance(engine: Engine, transition: Transition, found: list[list[Held]], clocks: int) -> list[list[Held]]:
    """Return what the arcs take of places whose black tokens have clocks: any of those that the clocks are for (C3)."""
    taking = [not arc.keep and not engine.net.places[arc.place].colour.slots for arc in transition.inputs]
    arcs = list(zip(transition.inputs, found, taking, strict=True))
    if any(takes and constant_count(arc.count) is None for arc, _, takes in arcs):
        return found
    wanted: Counter[int] = Counter()
    for arc, tokens, takes in arcs:
        wanted[arc.place] += len(tokens) if takes else 0
    first = {place: engine.marking[place][: count * clocks] for place, count in wanted.items() if count}
    chosen = {
        place: [tokens.pop(engine.stream.equal_choice(len(tokens))) for _ in range(wanted[place])]
        for place, tokens in first.items()
        if place in engine.with_clocks
    }
    return [
        [chosen[arc.place].pop() for _ in tokens] if takes and arc.place in chosen else tokens
        for arc, tokens, takes in arcs
    ]


@dataclass(slots=True, eq=False)
class OwnClock:
    """The clock of a binding: `tokens` identify it. Times in ticks.

    time: to which it was set. target: while it runs, the transition's virtual time at which it has run down. left:
    while it has stopped, what it has to run. mean: of a memoryless clock.
    """

    tokens: tuple[Held, ...]
    time: float
    target: float = 0.0
    left: float = 0.0
    runs: bool = True
    mean: float | None = None


class OwnClocks:
    """A clock, or several, for each binding of a transition; or for each of the black tokens that it takes one of.

    Virtual time passes at the speed of the clocks, so a clock runs down at a virtual time that no change of speed moves
    (C5): at tick t it is `virtual + pace · (t − since)`. Without a speed, virtual time is the time itself.
    """

    def __init__(self, engine: Engine, index: int) -> None:
        self.engine, self.index = engine, index
        self.transition = engine.net.transitions[index]
        self.coloured = [bool(engine.net.places[arc.place].colour.slots) for arc in self.transition.inputs]
        self.place = place_of_clocks(engine.net, self.transition)
        # The black tokens at the last end of an instant.
        self.stood: dict[int, list[Held]] = {arc.place: [] for arc in self.transition.inputs}
        self.clocks: list[OwnClock] = []  # in the order in which they were set
        self.has_speed = clock_of(engine, index).speed is not None
        self.is_memoryless = is_memoryless(self.transition)
        self.virtual, self.since, self.pace = 0.0, 0.0, 1.0

    @property
    def running(self) -> int:
        return sum(clock.runs for clock in self.clocks)

    @property
    def kept(self) -> int:
        return len(self.clocks)

    def end(self) -> float:
        return min((self.end_of(clock) for clock in self.clocks if clock.runs), default=NOWHERE)

    def end_of(self, clock: OwnClock) -> float:
        """Return the tick at which a clock that runs has run down."""
        if not self.has_speed:
            return clock.target
        if self.pace == 0.0:
            return self.since if clock.target <= self.virtual else NOWHERE
        return after(self.since, (clock.target - self.virtual) / self.pace)

    def due(self, bindings: Sequence[Binding], now: float) -> Sequence[Binding]:
        bindings = self.of_tokens(bindings)
        ended = [identity(clock.tokens) for clock in self.with_tokens(bindings) if self.end_of(clock) <= now]
        due = [binding for binding in bindings if identity(self.tokens(binding)) in ended]
        if any(self.coloured) or not due:
            return due
        # Which black tokens are taken is not a choice: those of the clock that was set first.
        return [min(due, key=lambda binding: ended.index(identity(self.tokens(binding))))]

    def fired(self, binding: Binding, now: float) -> None:
        tokens = identity(self.tokens(binding))
        ready = (clock for clock in self.with_tokens([binding]) if identity(clock.tokens) == tokens)
        self.clocks.remove(next(clock for clock in ready if self.end_of(clock) <= now))

    def of_tokens(self, bindings: Sequence[Binding]) -> Sequence[Binding]:
        """Return the bindings to which clocks belong: where each black token has one, one for each token (C1)."""
        if self.place is None:
            return bindings
        found = zip(self.transition.inputs, bindings[0].found if bindings else [], strict=False)
        arcs = [(arc.keep, tokens) for arc, tokens in found]
        rows = ([tokens if keep else [token] for keep, tokens in arcs] for token in self.engine.marking[self.place])
        return [Binding(bindings[0].variables, row) for row in rows if bindings]

    def tokens(self, binding: Binding) -> tuple[Held, ...]:
        """Return the tokens that identify a binding (C1)."""
        arcs = zip(self.transition.inputs, binding.found, self.coloured, strict=True)
        has_one = self.place is not None
        return tuple(tokens[0] for arc, tokens, coloured in arcs if coloured or (has_one and not arc.keep))

    def with_tokens(self, bindings: Sequence[Binding]) -> list[OwnClock]:
        """Return the running clocks, in order, without those that have lost their tokens at this instant (C2)."""
        running = [clock for clock in self.clocks if clock.runs]
        if any(self.coloured) or self.place is not None or not bindings:
            return running
        return running[max(0, len(running) - self.degree_of_old_tokens()) :]

    def degree_of_old_tokens(self) -> int:
        """Return the enabling degree by the black tokens that have been there since the last end of an instant."""
        there = {
            place: {id(token) for token in self.engine.marking[place]}.intersection(map(id, tokens))
            for place, tokens in self.stood.items()
        }
        wanted = tokens_found(self.engine, self.index, taken=False)
        if any(len(there[place]) < count for place, count in wanted.items()):
            return 0
        return degree(self.engine, self.index, lambda place: len(there[place]))

    def look_at_tokens(self) -> None:
        """Make the tokens that are there now old ones."""
        if not any(self.coloured):
            self.stood = {arc.place: list(self.engine.marking[arc.place]) for arc in self.transition.inputs}

    # ------------------------------------------------------------ the end of an instant

    def settle(self, bindings: Sequence[Binding]) -> Settled:
        wanted = 1 if self.place is not None else clocks_wanted(self.engine, self.index, bindings)
        bindings = self.of_tokens(bindings)
        dropped = self.stop(bindings, wanted)
        if not self.running:
            self.virtual, self.since = 0.0, self.engine.now
        if self.has_speed and bindings:
            self.change_pace(speed(self.engine, self.index))
        new = sum(self.run(binding, wanted) for binding in bindings)
        self.look_at_tokens()
        return Settled(new, dropped)

    def virtual_now(self) -> float:
        now = self.engine.now
        return self.virtual + self.pace * (now - self.since) if self.has_speed else now

    def change_pace(self, pace: float) -> None:
        if pace != self.pace:
            self.virtual, self.since, self.pace = self.virtual_now(), self.engine.now, pace

    def stop(self, bindings: Sequence[Binding], wanted: int) -> int:
        """Clocks of bindings that are not enabled stop, and those that were set first where tokens are lacking."""
        surplus = Counter(identity(clock.tokens) for clock in self.clocks if clock.runs)
        surplus.subtract({identity(self.tokens(binding)): wanted for binding in bindings})
        lost = self.running - len(self.with_tokens(bindings))
        if lost:
            surplus[()] = max(surplus[()], lost)
        memory = clock_of(self.engine, self.index).memory
        left, dropped = [], 0
        for clock in self.clocks:
            key = identity(clock.tokens)
            if clock.runs and surplus[key] > 0:
                surplus[key] -= 1
                clock.runs = False
                clock.left = clock.time if memory == "repeat" else clock.target - self.virtual_now()
                dropped += 1
            if clock.runs or (memory != "restart" and all(self.is_there(token) for token in clock.tokens)):
                left.append(clock)
        self.clocks = left
        return dropped

    def states(self) -> list[ClockState]:
        there = [clock for clock in self.clocks if all(self.is_there(token) for token in clock.tokens)]
        return [self.state(clock) for clock in there]

    def values(self, clock: OwnClock) -> tuple[Token, ...]:
        """Return those of the coloured tokens of its binding."""
        return tuple(token.value for token in clock.tokens) if any(self.coloured) else ()

    def state(self, clock: OwnClock) -> ClockState:
        tokens = self.values(clock)
        if clock.runs:
            return ClockState(self.index, tokens, 1, self.end_of(clock), clock.time)
        return ClockState(self.index, tokens, 1, NOWHERE, clock.time, clock.left)

    def is_there(self, token: Held) -> bool:
        return any(other is token for row in self.engine.marking for other in row)

    def run(self, binding: Binding, wanted: int) -> int:
        """Let as many clocks of a binding run as should: those that do, those that stopped, then new ones.

        Returns the number of new ones.
        """
        tokens = self.tokens(binding)
        own = [clock for clock in self.clocks if identity(clock.tokens) == identity(tokens)]
        running = [clock for clock in own if clock.runs]
        for clock in running:
            self.renew(clock, binding)
        stopped = [clock for clock in own if not clock.runs]
        for clock in stopped[: max(0, wanted - len(running))]:
            clock.runs = True
            self.start(clock, clock.left)
        new = max(0, wanted - len(own))
        for _ in range(new):
            self.clocks.append(self.new(binding, tokens))
        return new

    def new(self, binding: Binding, tokens: tuple[Held, ...]) -> OwnClock:
        """Set a clock."""
        engine = self.engine
        engine.attempt = (self.index, binding.variables)
        if sum(clocks.kept for clocks in engine.clocks.values()) >= engine.limits.tokens:
            raise ModelError("clock-limit", limit=engine.limits.tokens)
        mean = mean_of(engine, self.index, binding.variables) if self.is_memoryless else None
        clock = OwnClock(tokens, self.draw(binding), mean=mean)
        self.start(clock, clock.time)
        return clock

    def draw(self, binding: Binding) -> float:
        """Return the time to which a clock is set: a whole number of ticks, unless its speed may change."""
        engine, time = self.engine, clock_of(self.engine, self.index).time
        engine.attempt = (self.index, binding.variables)
        context = engine.context(binding.variables, engine.stream_of(self.index))
        return engine.work(time, context) if self.has_speed else engine.duration(time, context)

    def start(self, clock: OwnClock, left: float) -> None:
        """Start a clock."""
        clock.target = self.virtual_now() + left if self.has_speed else after(self.engine.now, left)

    def renew(self, clock: OwnClock, binding: Binding) -> None:
        """Draw a memoryless clock anew whose mean has changed (C4)."""
        if clock.mean is not None and (mean := mean_of(self.engine, self.index, binding.variables)) != clock.mean:
            clock.mean, clock.time = mean, self.draw(binding)
            self.start(clock, clock.time)


def identity(tokens: Sequence[Held]) -> tuple[int, ...]:
    """Return which tokens these are: two of equal value are two."""
    return tuple(map(id, tokens))
