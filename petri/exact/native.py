"""The state space that the native engine explores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from petri.engine.errors import ModelError
from petri.engine.trajectory import value_of
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
from petri.exact.exchange import Symmetries, none
from petri.exact.libraries import library
from petri.exact.timing import without_stages
from petri.net import Net, Scalar, Span, Token
from petri.run.stop import StopSign

MOST_SWEEPS = 5_000  # through the rates, in search of a long-run average
BASIS = 10  # vectors between restarts at first, each of 4 bytes a state

Rows = tuple[bytes, bytes, bytes]
Stages = tuple[int, list[tuple[int, float]], list[float]]

REASONS = {
    "clock-with-memory": "exact-clock",
    "clock-at-once": "exact-zero-clock",
    "mixed-times": "exact-mixed",
    "delay": "exact-delay",
    "draw": "exact-continuous-draw",
    "time": "exact-time",
    "reads-now": "exact-instant",
}
"""The native engine's reasons for refusing a net, and their wording."""


class NativeSpace:
    """See `petri.exact.chain.StateSpace`.

    Raises Unsolvable, ModelError where a firing breaks a rule, and ImportError if the native engine is not built.
    """

    initial = 0

    def __init__(
        self, net: Net, limits: Limits = Limits(), stop: StopSign | None = None, symmetries: Symmetries | None = None
    ) -> None:
        """symmetries: of states that they map to one another, one is kept; not where times are constant."""
        from petri import _native

        refuse_streams(net)
        self.net = net
        self.stop = stop or StopSign()
        allowed = none(net) if symmetries is None else symmetries
        parts = [element.parts() for element in allowed.of_elements], [one.parts() for one in allowed.of_values]
        try:
            explored, refusal = _native.explore(net, parts, limits.states, limits.memory, self.stop.native)
        except ValueError as error:
            raise ModelError("net-refused", reason=str(error)) from error
        if explored is None:
            raise _refused(net, refusal)
        self.explored = explored
        self.alike = reals(explored.alike())
        self.symmetries = allowed if len(self.alike) else none(net)
        if not len(self.alike):
            self.alike = np.ones(len(explored))
        self.ended: Ended = explored.ended
        self.crowded: int | None = explored.crowded
        self.complete = self.ended == "complete"
        self.expanded: int = explored.expanded
        self.kind: Kind = "ticks" if explored.in_ticks else "continuous"
        self.takes_turns: bool = explored.takes_turns

    def __len__(self) -> int:
        return len(self.explored)

    @property
    def arcs(self) -> int:
        found: int = self.explored.arcs
        return found

    @cached_property
    def offsets(self) -> Integers:
        """The first arc of each expanded state, then the number of arcs."""
        return np.frombuffer(self.explored.offsets(), dtype=np.int64)

    @cached_property
    def sources(self) -> Integers:
        return np.repeat(np.arange(self.expanded), np.diff(self.offsets))

    @cached_property
    def targets(self) -> Integers:
        return np.frombuffer(self.explored.targets(), dtype=np.uint32).astype(np.int64)

    @cached_property
    def transitions(self) -> Integers:
        return self._labels(0).astype(np.int64)

    @cached_property
    def starts(self) -> NDArray[np.bool_]:
        return self._labels(1).astype(bool)

    @cached_property
    def weights(self) -> Floats:
        return self._labels(2)

    def _labels(self, part: int) -> Floats:
        """Return a part of the label of each arc."""
        labels = np.array([label[part] for label in self.explored.labels()], dtype=np.float64)
        return labels[np.frombuffer(self.explored.arc_labels(), dtype=np.uint32)]

    @cached_property
    def tangible(self) -> NDArray[np.bool_]:
        tangible = np.ones(len(self), dtype=bool)
        tangible[: self.expanded] = np.frombuffer(self.explored.vanishing(), dtype=np.uint8) == 0
        return tangible

    @cached_property
    def sojourns(self) -> Floats:
        sojourns = np.full(len(self), np.nan)
        if self.kind == "ticks":
            ticks = np.frombuffer(self.explored.ticks(), dtype=np.int64)
            times = self.net.tick.time(ticks.astype(np.float64))
            sojourns[: self.expanded] = np.where(self.tangible[: self.expanded] & (ticks == 0), np.inf, times)
        return sojourns

    def state(self, number: int) -> StateView:
        marking, running = self.explored.state(number)
        tokens = (self._tokens(place, row) for place, row in enumerate(marking))
        return StateView(tuple(tokens), tuple(self._running(*one) for one in running))

    def _tokens(self, place: int, row: int | bytes) -> tuple[Token, ...]:
        slots = self.net.places[place].colour.slots
        if isinstance(row, int):
            return ((),) * row
        whole = np.frombuffer(row, dtype=np.int64).reshape(-1, len(slots)).T
        real = np.frombuffer(row, dtype=np.float64).reshape(-1, len(slots)).T
        columns = [(real if slot.kind == "real" else whole)[i].tolist() for i, slot in enumerate(slots)]
        tokens = list(zip(*columns, strict=True))
        if per := self.net.places[place].per:
            return tuple(sorted(tokens, key=lambda token: [token[slot] for slot in per]))
        return tuple(sorted(tokens) if self.net.places[place].discipline == "bag" else tokens)

    def _running(self, stages: Stages, transition: int, gives: list[tuple[int, int, bytes]]) -> Running:
        left, rounds, means = stages
        now = [Stage("constant", float(left))] if left and not rounds else []
        lefts = [left, *(ticks for ticks, _ in rounds[1:])]
        again = [
            Stage("geometric", float(ticks), float(period), chance)
            for ticks, (period, chance) in zip(lefts, rounds, strict=False)
        ]
        whole = [*now, *again, *(Stage("exponential", mean) for mean in means)]
        black = ((),)
        deposits = [(place, (self._tokens(place, token) if token else black) * count) for place, count, token in gives]
        return Running(tuple(whole), transition, tuple(deposits))

    @property
    def fastest(self) -> float:
        if self.kind != "continuous" or self.takes_turns:
            return 0.0
        has_clock = [transition.clock is not None for transition in self.net.transitions]
        rates = (rate for transition, starts, rate in self.explored.labels() if has_clock[transition] or not starts)
        return max(rates, default=0.0)

    def is_dead(self, number: int) -> bool:
        return bool(self.offsets[number] == self.offsets[number + 1])

    def counts(self, place: int) -> Integers:
        return np.frombuffer(self.explored.counts(place), dtype=np.int64)

    def in_progress(self, transition: int) -> Integers:
        has_clock = self.net.transitions[transition].clock is not None
        count = self.explored.clocks_running if has_clock else self.explored.in_progress
        return np.frombuffer(count(transition), dtype=np.int64)

    def variables(self, arcs: Sequence[int]) -> list[list[Scalar]]:
        labels = self.transitions[list(arcs)].tolist()
        kinds = [[variable.kind for variable in self.net.transitions[label].variables] for label in labels]
        rows = zip(self.explored.variables(arcs), kinds, strict=True)
        return [[value_of(word, kind) for word, kind in zip(row, of, strict=True)] for row, of in rows]


# ------------------------------------------------------------ chains


def effort(tolerance: float) -> tuple[float, int, int]:
    """Return how far the engine goes for bounds of this width."""
    return tolerance, MOST_SWEEPS, BASIS


def reals(parts: bytes) -> Floats:
    return np.frombuffer(parts, dtype=np.float64)


def as_matrix(rows: Rows) -> Any:
    """Return a sparse matrix of the engine's."""
    offsets, columns, rates = rows
    indptr = np.frombuffer(offsets, dtype=np.int64)
    indices = np.frombuffer(columns, dtype=np.uint32).astype(np.int32)
    shape = len(indptr) - 1, len(indptr) - 1
    return library("scipy.sparse").csr_matrix((reals(rates).copy(), indices, indptr), shape=shape)


def rows_of(matrix: Any) -> Rows:
    """Return the same as the engine reads it."""
    return matrix.indptr.astype(np.uint64).tobytes(), matrix.indices.astype(np.uint32).tobytes(), matrix.data.tobytes()


def stationary(rates: Any, tolerance: float, stop: StopSign) -> tuple[Floats, float]:
    """Return the stationary distribution of an irreducible chain, and the error of averages over it, relative to their
    span.

    rates: a sparse matrix, without entries on the diagonal, of at least two states.
    """
    from petri import _native

    shares, error = _native.stationary(rows_of(rates), effort(tolerance), stop.native)
    return reals(shares), error


def long_run(rows: Rows, rewards: Floats, tolerance: float, stop: StopSign) -> tuple[float, float]:
    """Bounds of the long-run average of rewards, one for each state of such a chain; they always hold."""
    from petri import _native

    return _native.long_run(rows, rewards.astype(np.float64).tobytes(), effort(tolerance), stop.native)


def _refused(net: Net, refusal: Any) -> Exception:
    reason, where, details, transition = refusal
    if reason == "time":
        of = net.transitions[transition]
        times = [of.time, *(draw.expression for draw in of.draws), None if of.clock is None else of.clock.time]
        return Unsolvable(REASONS[reason], transition, draw=without_stages(times))
    if reason in REASONS:
        return Unsolvable(REASONS[reason], transition)
    span = None if where is None else Span(where[0], *where[1][1:])
    return ModelError(reason, span, **details)
