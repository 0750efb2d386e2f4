"""The chain of a state space: the native engine eliminates the vanishing states, and solves large chains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from petri.diagnostics import Diagnostic
from petri.engine.expression import Context, evaluate
from petri.exact.chain import Chain, Floats, Integers, Interrupted, Kind, StateSpace, Unsolvable
from petri.exact.native import NativeSpace, as_matrix, effort, long_run, reals
from petri.net import Net, Transition, constant_count, operations

MOST_KEPT = 64_000_000  # numbers of firings in progress, mostly of a byte each


LIMITS = {"states": "exact-many-states", "memory": "exact-much-memory", "bindings": "exact-many-bindings"}
"""What ends an exploration: the wording of each."""


def too_many(net: Net, space: StateSpace) -> Unsolvable:
    """Return the error that a limit ended the exploration, with the place that holds the most tokens."""
    return Unsolvable(LIMITS[space.ended], space.crowded, states=len(space), **_fullest(net, space))


def stopped(net: Net, space: StateSpace) -> Diagnostic:
    """Return the message that Ctrl-C ended the exploration, with the same."""
    return Diagnostic("exact-stopped", values={"states": len(space), **_fullest(net, space)})


def _fullest(net: Net, space: StateSpace) -> dict[str, Any]:
    """Return the place that holds the most tokens, if these are many."""
    most = [int(space.counts(place).max()) for place in range(len(net.places))]
    place = max(range(len(most)), key=most.__getitem__, default=0)
    return {"place": net.places[place].name, "tokens": most[place]} if most and most[place] > 10 else {}


def chain_of(net: Net, space: NativeSpace) -> NativeChain:
    """Return the chain of a state space.

    Raises Unsolvable where states are left out, or time stands still; Interrupted.
    """
    if space.stop.is_set():
        raise Interrupted(stopped(net, space))
    if not space.complete:
        raise too_many(net, space)
    native, stuck = space.explored.chain()
    if native is None:
        names = [net.transitions[transition].name for transition in sorted(set(stuck))]
        raise Unsolvable("exact-standstill", transitions=names)
    return NativeChain(net, space, native)


class NativeChain(Chain):
    """`native`: of the engine."""

    def __init__(self, net: Net, space: NativeSpace, native: Any) -> None:
        self.net, self.space, self.native = net, space, native
        self.kind: Kind = space.kind
        self.tick = float(net.tick.length)
        self.numbers: Integers = np.frombuffer(native.numbers(), dtype=np.uint32)
        starts = native.initial()
        self.initial: tuple[Integers, Floats] = (
            np.array([state for state, _ in starts], dtype=np.int64),
            np.array([chance for _, chance in starts]),
        )
        exits = reals(native.exits())
        if self.kind == "continuous":
            with np.errstate(divide="ignore"):
                self.sojourns: Floats = 1.0 / exits
        else:
            self.sojourns = np.where(exits == 0.0, np.inf, space.sojourns[self.numbers])
        self._running: dict[int, NDArray[Any]] = {}

    @cached_property
    def matrix(self) -> Any:
        return as_matrix(self.native.rows())

    def rates(self, amounts: Floats) -> tuple[Floats, float]:
        return self._per_time(*self.native.brought(amounts.tobytes()))

    def in_progress(self, transition: int) -> Integers:
        return self._in_progress(transition).astype(np.int64)

    def _in_progress(self, transition: int) -> NDArray[Any]:
        """Return the same in as few bytes as will do: several columns are made of them, so some are kept."""
        if transition not in self._running:
            found = super().in_progress(transition)
            found = found.astype(np.min_scalar_type(found.max(initial=0)))
            if (len(self._running) + 1) * self.states > MOST_KEPT:
                return found
            self._running[transition] = found
        return self._running[transition]

    def firings(self, transition: int) -> tuple[Floats, float]:
        if (rate := self._rate_of_clocks(transition)) is not None:
            return np.multiply(self._in_progress(transition), rate, dtype=np.float64), 0.0
        return self._per_time(*self.native.firings(transition))

    def _rate_of_clocks(self, transition: int) -> float | None:
        """Return the rate of each running clock, if it never changes and all states are tangible: no arc is read."""
        clock = self.net.transitions[transition].clock
        if clock is None or clock.speed is not None or self.kind != "continuous" or self.states < len(self.space):
            return None
        mean = clock.time.args[0]
        if any(part.op in ("var", "tokens") for part in operations([mean])):
            return None
        return 1.0 / float(self.net.tick.time(float(evaluate(mean, Context(())))))

    def arrivals(self, places: Sequence[int]) -> tuple[Floats, float]:
        given = [_given(transition, places) for transition in self.net.transitions]
        if all(
            count == 0 or (count and self._rate_of_clocks(number) is not None) for number, count in enumerate(given)
        ):
            brought = np.zeros(self.states)
            for number, count in enumerate(given):
                if count:
                    brought += count * self.firings(number)[0]
            return brought, 0.0
        if any(arc.place in places for transition in self.net.transitions for arc in transition.sets):
            return super().arrivals(places)  # it depends on the firing
        taken: list[tuple[float, list[int]]] = []
        for transition in self.net.transitions:
            emptied = [place for place in places if place in transition.resets]
            counts = [
                arc.count
                for arc in transition.inputs
                for place in arc.takes_from
                if place in places and place not in emptied
            ]
            if any(count is not None and count.op != "const" for count in counts):
                return super().arrivals(places)  # it depends on the firing
            taken.append((sum(1.0 if count is None else float(count.value or 0.0) for count in counts), emptied))
        return self._per_time(*self.native.arrivals(places, taken))

    def _per_time(self, brought: bytes, at_once: float) -> tuple[Floats, float]:
        return self.per_time(reals(brought)), at_once

    # ------------------------------------------------------------ what becomes of it

    @cached_property
    def closed(self) -> tuple[Integers, ...]:
        return tuple(np.frombuffer(states, dtype=np.uint32) for states in self.native.closed())

    def rates_in(self, number: int) -> Any:
        return as_matrix(self.native.rates_in(number))

    def stationary(self, number: int, tolerance: float) -> tuple[Floats, float]:
        shares, error = self.native.stationary(number, effort(tolerance), self.space.stop.native)
        self.heed_stop()
        return reals(shares), error

    def bounds(self, number: int, rewards: Floats, tolerance: float) -> tuple[float, float]:
        return long_run(self.native.rates_in(number), rewards, tolerance, self.space.stop)

    def uniformised(self, start: Floats, rate: float, first: int, chances: Floats) -> tuple[Floats, Floats, int]:
        at, during = self.native.uniformised(start.tobytes(), rate, first, chances.tobytes(), self.space.stop.native)
        self.heed_stop()
        return reals(at), reals(during), self.native.most_into()


def _given(transition: Transition, places: Sequence[int]) -> int | None:
    """Return the tokens that each firing gives to places; None if it depends on the firing."""
    total = 0
    for arc in transition.outputs:
        if any(place in places for place in arc.places):
            count = constant_count(arc.count)
            if count is None or arc.condition is not None or arc.index is not None:
                return None
            total += count
    return total
