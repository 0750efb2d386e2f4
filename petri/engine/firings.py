"""Firings as a trace receives them: one by one, or many by columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from petri.engine.lets import Known, in_traces, value_of
from petri.measure.arrays import Floats as Reals
from petri.measure.arrays import Integers as Ints
from petri.net import Let, Net, Scalar


class TracedFiring(NamedTuple):
    """A firing in a trace, with times in ticks.

    `transition` is an index, `variables` are in the order of the transition's.
    """

    start: float
    end: float
    transition: int
    variables: Sequence[Scalar]


class Firings(Sequence[TracedFiring]):
    """Firings in the order of their starts, with each column as an array.

    start_ticks, end_ticks: as the engine counts; starts, ends: in the net's unit. transitions: indices. words: the
    variables of one firing after the other, 64 bits each: an integer, or a float if the transition's variable is real;
    times are in ticks.
    """

    def __init__(self, net: Net, start_ticks: Reals, end_ticks: Reals, transitions: Ints, words: Ints) -> None:
        self.net = net
        self.start_ticks = start_ticks
        self.end_ticks = end_ticks
        self.transitions = transitions
        self.words = words

    @classmethod
    def of(cls, net: Net, firings: Iterable[TracedFiring]) -> Firings:
        """Return the columns of firings of this net."""
        if isinstance(firings, Firings):
            return firings
        rows = list(firings)
        kinds = [[variable.kind for variable in transition.variables] for transition in net.transitions]
        words = [
            np.float64(value).view(np.int64) if kind == "real" else value
            for row in rows
            for value, kind in zip(row.variables, kinds[row.transition], strict=True)
        ]
        return cls(
            net,
            np.array([row.start for row in rows], dtype=np.float64),
            np.array([row.end for row in rows], dtype=np.float64),
            np.array([row.transition for row in rows], dtype=np.int64),
            np.array(words, dtype=np.int64),
        )

    @cached_property
    def starts(self) -> Reals:
        return self.net.tick.time(self.start_ticks)

    @cached_property
    def ends(self) -> Reals:
        return self.net.tick.time(self.end_ticks)

    @cached_property
    def offsets(self) -> Ints:
        """Where in `words` the variables of each firing start, followed by the end of the last ones."""
        widths = np.array([len(transition.variables) for transition in self.net.transitions], dtype=np.int64)
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(widths[self.transitions], out=offsets[1:])
        return offsets

    def by_transition(self) -> Iterator[tuple[int, Ints]]:
        """Yield each transition that fires, and the positions of its firings, in order."""
        order = np.argsort(self.transitions, kind="stable")
        found, starts = np.unique(self.transitions[order], return_index=True)
        if len(order):
            yield from zip(found.tolist(), np.split(order, starts[1:]), strict=True)

    def variables(self, transition: int, rows: Ints) -> list[list[Scalar | None]]:
        """Return, for firings of one transition, a list of values, in the net's unit, for each of its variables."""
        variables = self.net.transitions[transition].variables
        kept = zip(self._kept(transition, rows), variables, strict=True)
        return [self.net.tick.quantity(values, variable.dimension).tolist() for values, variable in kept]

    def lets(self, transition: int, rows: Ints) -> list[list[Scalar | None]]:
        """Return the same for each of its names that a firing alone determines;

        None where the value cannot be computed.
        """
        lets = in_traces(self.net.transitions[transition])
        if not lets:
            return []
        bound = zip(*(values.tolist() for values in self._kept(transition, rows)), strict=True)
        instants = zip(self.start_ticks[rows].tolist(), self.end_ticks[rows].tolist(), strict=True)
        firings = [(Known(*instant), next(bound, ())) for instant in instants]
        return [[self.value(let, variables, known) for known, variables in firings] for let in lets]

    def value(self, let: Let, variables: Sequence[Scalar], known: Known) -> Scalar | None:
        """Return the value of a name, in the net's unit."""
        value = value_of(let, self.net, variables, known)
        return None if value is None else self.net.tick.quantity(value, let.dimension)

    def _kept(self, transition: int, rows: Ints) -> Iterator[Ints | Reals]:
        """Yield the values of its variables, as the engine keeps them."""
        starts = self.offsets[rows]
        for number, variable in enumerate(self.net.transitions[transition].variables):
            words = self.words[starts + number]
            yield words.view(np.float64) if variable.kind == "real" else words

    def __len__(self) -> int:
        return len(self.start_ticks)

    def __iter__(self) -> Iterator[TracedFiring]:
        kinds = [[variable.kind == "real" for variable in transition.variables] for transition in self.net.transitions]
        ints = self.words.tolist()
        reals = self.words.view(np.float64).tolist() if any(map(any, kinds)) else ints
        position = 0
        for start, end, transition in zip(
            self.start_ticks.tolist(), self.end_ticks.tolist(), self.transitions.tolist(), strict=True
        ):
            variables: tuple[Scalar, ...] = ()
            for real in kinds[transition]:
                variables += (reals[position] if real else ints[position],)
                position += 1
            yield TracedFiring(start, end, transition, variables)

    def __getitem__(self, position: Any) -> Any:
        rows = range(len(self))[position]
        if isinstance(rows, int):
            return next(iter(self[rows : rows + 1]))
        if rows.step != 1:
            return [self[row] for row in rows]
        part = slice(rows.start, rows.stop)
        words = self.words[self.offsets[rows.start] : self.offsets[rows.stop]]
        return Firings(self.net, self.start_ticks[part], self.end_ticks[part], self.transitions[part], words)
