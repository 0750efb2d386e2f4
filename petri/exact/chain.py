"""What explorers find, and the chain that it is: the interface between them and what reads figures from them."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from petri.diagnostics import Diagnostic
from petri.engine.expression import Context, evaluate
from petri.exact.exchange import Symmetries
from petri.net import Expr, Net, Scalar, Token
from petri.run.plan import check_whole
from petri.run.stop import StopSign
from petri.structs import Frozen

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Ended = Literal["complete", "states", "memory", "bindings", "stopped"]
"""What ended an exploration: bindings, that in one state there were too many of one transition to try."""
Kind = Literal["continuous", "ticks"]

MOST_STATES = 10_000_000
MOST_MEMORY = min(4 * 2**30, sys.maxsize)  # less where addresses have 32 bits


class Limits(Frozen):
    """Where an exploration ends. states: tangible and vanishing. memory: bytes that states and arcs may take."""

    states: int = MOST_STATES
    memory: int = MOST_MEMORY


def bounds(states: int | None) -> Limits:
    """Return the limits with this number of states, or the usual one.

    Raises TypeError or ValueError for a wrong number.
    """
    if states is not None:
        check_whole("states", states, 1)
    return Limits() if states is None else Limits(states=states)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended the work. diagnostic: how far it had come."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Unsolvable(Exception):
    """A net has no chain that can be explored, or solved.

    id: that of the wording. transition, blamed_place: its index, if one is to blame. values: of the wording.
    """

    def __init__(
        self, reason: str, transition: int | None = None, *, blamed_place: int | None = None, **values: Any
    ) -> None:
        super().__init__(reason)
        self.id = reason
        self.transition = transition
        self.blamed_place = blamed_place
        self.values = values

    def diagnostic(self, net: Net) -> Diagnostic:
        """Return the message, at the transition or the place that is to blame."""
        if self.blamed_place is not None:
            place = net.places[self.blamed_place]
            return Diagnostic(self.id, place.span, {**self.values, "place": place.name})
        blamed = None if self.transition is None else net.transitions[self.transition]
        values = {**self.values, **({} if blamed is None else {"transition": blamed.name})}
        return Diagnostic(self.id, None if blamed is None else blamed.span, values)


def refuse_streams(net: Net) -> None:
    """Raise Unsolvable where a place receives the rows of a file."""
    for number, place in enumerate(net.places):
        if place.stream is not None:
            raise Unsolvable("exact-stream", blamed_place=number)


class Stage(NamedTuple):
    """A part of a firing time that is left, in ticks: an exponential one by its mean, or a constant.

    geometric: a constant after which it is over by `chance`, and otherwise begins again, with `period`.
    """

    kind: Literal["exponential", "constant", "geometric"]
    ticks: float
    period: float = 0.0
    chance: float = 1.0


class Running(NamedTuple):
    """A firing in progress: the stages that it still has to go through, and what it will deposit, arc by arc."""

    stages: tuple[Stage, ...]
    transition: int
    deposits: tuple[tuple[int, tuple[Token, ...]], ...]


class StateView(NamedTuple):
    """A state. Times in ticks, as the engine keeps them.

    marking: of each place its tokens, of a bag in no order of meaning, of others in the order in which they arrived, of
    `by` in that of their keys. running: firings in progress; of those with constant times, in the order of their ends.
    """

    marking: tuple[tuple[Token, ...], ...]
    running: tuple[Running, ...]


class StateSpace(Protocol):
    """The states that a net reaches, numbered as they were found, and the arcs between them.

    A state is *vanishing* if a transition is enabled that fires at once, else *tangible*. Unless
    the exploration ended `complete`, no arcs are known of the states from `expanded` on.

    An arc is one firing of a binding class (bindings of equal values are one), with one outcome of its draws; or the
    end of a firing in progress, or of one of its stages. Where times are constant, an arc of a tangible state is the
    passing of time to the next ends, with all of them. sources, targets: states. transitions: indices. starts: whether
    the transition starts there (False: ends, -1: time passes). weights: rates per time unit of the net from tangible
    states of a continuous chain, else probabilities.
    """

    stop: StopSign
    symmetries: Symmetries

    @property
    def alike(self) -> Floats:
        """For how many states each stands: more than 1 where symmetries map it to others, which are left out."""

    @property
    def initial(self) -> int: ...

    @property
    def ended(self) -> Ended: ...

    @property
    def crowded(self) -> int | None:
        """The transition that has too many bindings, if they ended the exploration."""

    @property
    def complete(self) -> bool: ...

    @property
    def expanded(self) -> int: ...

    @property
    def kind(self) -> Kind: ...

    @property
    def takes_turns(self) -> bool:
        """Whether constants pass in some states and exponential times in others; then a constant ends at a rate."""

    @property
    def sources(self) -> Integers: ...

    @property
    def targets(self) -> Integers: ...

    @property
    def transitions(self) -> Integers: ...

    @property
    def starts(self) -> NDArray[np.bool_]: ...

    @property
    def weights(self) -> Floats: ...

    @property
    def tangible(self) -> NDArray[np.bool_]: ...

    @property
    def sojourns(self) -> Floats:
        """Return the mean time of each tangible state until something ends, unless the chain is continuous."""

    @property
    def arcs(self) -> int: ...

    def __len__(self) -> int: ...

    def state(self, number: int) -> StateView: ...

    @property
    def fastest(self) -> float:
        """The greatest rate of an arc of a continuous chain; of others 0."""

    def is_dead(self, number: int) -> bool:
        """Return whether nothing happens in a state that was expanded."""

    def counts(self, place: int) -> Integers:
        """Return the tokens of a place in each state."""

    def in_progress(self, transition: int) -> Integers:
        """Return the firings in progress or running clocks of a transition in each state (0 in vanishing states)."""

    def variables(self, arcs: Sequence[int]) -> Sequence[Sequence[Scalar]]:
        """Return the variables of the firing that each of these arcs starts, draws included."""


class Chain(ABC):
    """The Markov chain of the tangible states: the vanishing ones are eliminated, with the firings in them.

    continuous: its matrix has rates per time unit of the net. ticks: probabilities, and a state is left after its stay.
    In both, arcs of a state to itself are left out of continuous chains, and kept in those in ticks.
    """

    net: Net
    space: StateSpace
    kind: Kind
    numbers: Integers  # of the tangible states in the state space
    sojourns: Floats  # mean time in each state, before it is left (or entered again, in ticks); inf if it is never left
    initial: tuple[Integers, Floats]  # states of the chain, and their probabilities
    tick: float  # its length in the net's time unit

    @property
    def states(self) -> int:
        return len(self.numbers)

    def heed_stop(self) -> None:
        """Raise Interrupted after Ctrl-C."""
        if self.space.stop.is_set():
            values = {"states": len(self.space), "arcs": self.space.arcs}
            raise Interrupted(Diagnostic("exact-stopped-solving", values=values))

    @property
    @abstractmethod
    def matrix(self) -> Any:
        """Rates, or probabilities, between the tangible states, as a sparse matrix."""

    @cached_property
    def generator(self) -> Any:
        """The rates between different states."""
        rates = self.matrix.copy()
        if self.kind != "continuous":
            rates.data = rates.data / np.repeat(self.sojourns, np.diff(rates.indptr))
        rates.setdiag(0.0)
        rates.eliminate_zeros()
        return rates

    @cached_property
    def exits(self) -> Floats:
        """The rate at which each state is left."""
        return np.where(np.isinf(self.sojourns), 0.0, 1.0 / self.sojourns)

    # ------------------------------------------------------------ what states and arcs bring

    def counts(self, place: int) -> Integers:
        """Return the tokens of a place in each state of the chain."""
        return self._here(self.space.counts(place))

    def in_progress(self, transition: int) -> Integers:
        """Return the firings of a transition in progress, or its clocks that run."""
        return self._here(self.space.in_progress(transition))

    def _here(self, numbers: Integers) -> Integers:
        """Return those of the tangible states; mostly all are, and a copy takes time."""
        return numbers if self.states == len(self.space) else numbers[self.numbers]

    @abstractmethod
    def rates(self, amounts: Floats) -> tuple[Floats, float]:
        """Return what arcs bring, an amount each, per time unit in each state; and before time begins to pass."""

    def per_time(self, brought: Floats) -> Floats:
        """Return what each state brings, per time unit."""
        if self.kind == "continuous":
            return brought
        return np.where(np.isinf(self.sojourns), 0.0, brought / self.sojourns)

    def firings(self, transition: int) -> tuple[Floats, float]:
        """Return the same of the starts of a transition."""
        return self.rates((self.space.starts & (self.space.transitions == transition)).astype(np.float64))

    def arrivals(self, places: Sequence[int]) -> tuple[Floats, float]:
        """Return the same of the tokens that firings deposit in places, together (M1).

        Together, since a state that stands for others may move tokens from one to another of them (exactly no arrival).
        """
        return self.rates(np.sum([self._gained(place) for place in places], axis=0))

    def _gained(self, place: int) -> Floats:
        """Return the tokens that each arc deposits in a place."""
        space = self.space
        counts = space.counts(place)
        gained = (counts[space.targets] - counts[space.sources]).astype(np.float64)
        for index, transition in enumerate(self.net.transitions):
            arcs = np.flatnonzero(space.starts & (space.transitions == index))
            if not len(arcs):
                continue
            if place in transition.resets:
                gained[arcs] += counts[space.sources[arcs]]
                continue
            for arc in transition.inputs:
                if place in arc.takes_from:
                    gained[arcs] += 1.0 if arc.count is None else self.values(arc.count, arcs)
            for taking in transition.sets:
                if place == taking.place:
                    gained[arcs] += self.values(Expr("var", "int", value=taking.number), arcs)
        return gained

    def values(self, expression: Expr, arcs: NDArray[np.int64]) -> Floats:
        """Return the value of an expression at the firings that these arcs start, on the marking before (E8)."""
        space = self.space
        if expression.op == "const":
            return np.full(len(arcs), float(expression.value or 0.0))
        counts: dict[int, Integers] = {}
        found = np.empty(len(arcs))
        for number, (arc, variables) in enumerate(zip(arcs.tolist(), space.variables(arcs.tolist()), strict=True)):

            def tokens(place: int, source: int = int(space.sources[arc])) -> int:
                if place not in counts:
                    counts[place] = space.counts(place)
                return int(counts[place][source])

            context = Context(variables, tokens, tables=self.net.tables)
            found[number] = float(evaluate(expression, context))
        return found

    # ------------------------------------------------------------ what becomes of it

    @property
    @abstractmethod
    def closed(self) -> tuple[Integers, ...]:
        """The closed classes, each with its states."""

    @abstractmethod
    def rates_in(self, number: int) -> Any:
        """Return the rates between different states of a closed class, as a sparse matrix."""

    @abstractmethod
    def stationary(self, number: int, tolerance: float) -> tuple[Floats, float]:
        """Return the shares of the states of a closed class, and the error of averages over them, relative to their
        span.

        By the native engine, for classes of at least two states.
        """

    @abstractmethod
    def bounds(self, number: int, rewards: Floats, tolerance: float) -> tuple[float, float]:
        """Return bounds of the average of one reward over a closed class, which always hold; by the native engine."""

    @abstractmethod
    def uniformised(self, start: Floats, rate: float, first: int, chances: Floats) -> tuple[Floats, Floats, int]:
        """Return the chain from probabilities at the start on, in steps at a rate, which no state exceeds.

        chances: of `first` steps, and of each number above. Returns the probabilities of the states after that many
        steps, the expected steps in each state, and the most arcs into one.
        """
