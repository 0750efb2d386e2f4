"""The figures of a net that its chain determines: places, transitions, measures and expectations.

The averages are those of the states and arcs of the chain. They make an observation of one time unit (in the long run)
or of the time up to an instant, of which `petri.measure.catalogue` and formulas give the figures, as of a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from petri.engine.expression import Context, evaluate
from petri.exact.chain import Floats
from petri.exact.elimination import EliminatedChain
from petri.exact.steady import SteadyState
from petri.exact.transient import Transient
from petri.measure import formula
from petri.measure.bounded import NOTHING, Bounded
from petri.measure.catalogue import TERMS, FigureKind
from petri.measure.observation import Observation
from petri.net import Content, Counter, Order, Passage, Probe, Sample, Term, Watched, operations


class Undetermined(Exception):
    """A chain does not give a figure: `id` of the wording that says why."""

    def __init__(self, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.id = reason
        self.values = values


class Rewards:
    """What states and arcs of a chain bring, as columns by name: averaged once, all together."""

    def __init__(self, chain: EliminatedChain, shown: frozenset[int]) -> None:
        self.chain, self.net, self.shown = chain, chain.net, shown
        self.columns: dict[object, Floats] = {}
        self.at_once: dict[object, float] = {}  # before time begins to pass; of arcs only
        for place in range(len(self.net.places)):
            counts = chain.counts(place).astype(np.float64)
            self.columns["tokens", place] = counts
            self.columns["nonempty", place] = (counts > 0.0).astype(np.float64)
            self.columns["arrivals", place], self.at_once["arrivals", place] = chain.arrivals(place)
        for index in range(len(self.net.transitions)):
            running = chain.in_progress(index).astype(np.float64)
            self.columns["in_progress", index] = running
            self.columns["active", index] = (running > 0.0).astype(np.float64)
            amounts = (chain.space.starts & (chain.space.transitions == index)).astype(np.float64)
            self.columns["firings", index], self.at_once["firings", index] = chain.rates(amounts)
        for number in sorted(shown):
            self._of_probe(number, self.net.probes[number])

    def _of_probe(self, number: int, probe: Probe) -> None:
        """The sums of a probe: of values, of their squares, and their number."""
        space = self.chain.space
        if isinstance(probe, Content):
            self.columns["content", number] = self._content(probe)[self.chain.numbers]
        elif isinstance(probe, Watched):
            self.columns["watched", number] = self._watched(probe)
        elif isinstance(probe, Counter):
            amounts = np.zeros(len(space.sources))
            arcs = np.flatnonzero(space.starts & (space.transitions == probe.transition))
            amounts[arcs] = 1.0 if probe.quantity is None else self.chain.values(probe.quantity, arcs)
            self.columns["sum", number], self.at_once["sum", number] = self.chain.rates(amounts)
        elif isinstance(probe, Sample):
            values, counted = self.samples(probe)
            for power, name in enumerate(("count", "sum", "squares")):
                amounts = np.where(counted, values**power, 0.0)
                self.columns[name, number], self.at_once[name, number] = self.chain.rates(amounts)

    def samples(self, probe: Sample) -> tuple[Floats, Any]:
        """The value of a sample at each arc, and which arcs have one."""
        space = self.chain.space
        values, counted = np.zeros(len(space.sources)), np.zeros(len(space.sources), dtype=bool)
        for one in (probe, *probe.others):
            arcs = np.flatnonzero(space.starts & (space.transitions == one.transition))
            if one.condition is not None:
                arcs = arcs[self.chain.values(one.condition, arcs) != 0.0]
            values[arcs], counted[arcs] = self.chain.values(one.value, arcs), True
        return values, counted

    def _watched(self, probe: Watched) -> Floats:
        """The value in each state of the chain, read once for each marking of the places that it counts."""
        counted = sorted({int(part.value or 0) for part in operations([probe.value]) if part.op == "tokens"})
        nothing = [np.zeros(self.chain.states, dtype=np.int64)]
        running = [self.chain.in_progress(transition) for transition in probe.firings]
        counts = np.stack([*running, *(self.chain.counts(place) for place in counted)] or nothing, axis=1)
        markings, states = np.unique(counts, axis=0, return_inverse=True)
        values = []
        for marking in markings.tolist():
            tokens = dict(zip(counted, marking[len(running) :], strict=False))
            context = Context(marking[: len(running)], tokens.__getitem__, tables=self.net.tables)
            values.append(float(evaluate(probe.value, context)))
        found: Floats = np.array(values)[states.reshape(-1)]
        return found

    def _content(self, probe: Content) -> Floats:
        known: dict[Any, float] = {}

        def value(token: Any) -> float:
            if token not in known:
                known[token] = float(evaluate(probe.value, Context(token, tables=self.net.tables)))
            return known[token]

        space = self.chain.space
        marked = (space.state(number).marking[probe.place] for number in range(len(space)))
        return np.array([sum(map(value, tokens)) for tokens in marked])

    @cached_property
    def names(self) -> list[object]:
        return list(self.columns)

    @cached_property
    def matrix(self) -> Floats:
        return np.stack(list(self.columns.values()), axis=1)


Averages = Mapping[object, Bounded]


def long_run(rewards: Rewards, steady: SteadyState) -> list[Averages]:
    """The averages per time unit in each closed class."""
    found: list[Averages] = []
    for states in steady.classes.states:
        gains = steady.gains_in(states, rewards.matrix)
        rows = zip(gains.value.tolist(), gains.low.tolist(), gains.high.tolist(), strict=True)
        found.append({name: Bounded(*row) for name, row in zip(rewards.names, rows, strict=True)})
    return found


def up_to(rewards: Rewards, first: Transient) -> Averages:
    """The expected integrals and sums up to the instant."""
    averages = {}
    for name, column in rewards.columns.items():
        of_arcs = name in rewards.at_once
        times = first.finished if of_arcs else first.times
        value = float(times @ column) + rewards.at_once.get(name, 0.0)
        size = float(times @ np.abs(column)) + abs(rewards.at_once.get(name, 0.0))
        error = first.error * size + first.missing[1] * float(np.abs(column).max(initial=0.0))
        averages[name] = Bounded(value, value - error, value + error)
    return averages


def at_instant(rewards: Rewards, first: Transient) -> dict[int, Bounded]:
    """The expected tokens of each place at the instant."""
    found = {}
    for place in range(len(rewards.net.places)):
        column = rewards.columns["tokens", place]
        value = float(first.probabilities @ column)
        error = first.error * value + first.missing[0] * float(column.max(initial=0.0))
        found[place] = Bounded(value, value - error, value + error)
    return found


class Figures:
    """The figures of one observation: of a time unit in the long run (`elapsed` 1), or of the time up to an instant."""

    def __init__(self, rewards: Rewards, averages: Averages, elapsed: float | None) -> None:
        self.net, self.rewards, self.averages = rewards.net, rewards, averages
        self.totals = elapsed is not None  # whether sums over the run mean something
        space = rewards.chain.space
        places, transitions = range(len(self.net.places)), range(len(self.net.transitions))
        nothing = np.zeros(len(transitions), dtype=np.int64)
        self.seen = Observation(
            elapsed=1.0 if elapsed is None else elapsed,
            integral=self._column("tokens", places),
            nonempty=self._column("nonempty", places),
            maximum=np.array([space.counts(place).max() for place in places], dtype=np.int64),
            arrivals=self._column("arrivals", places),
            initial=np.array([place.held for place in self.net.places], dtype=np.int64),
            firings=self._column("firings", transitions),
            in_progress=self._column("in_progress", transitions),
            active=self._column("active", transitions),
            set=nothing,
            dropped=nothing,
        )

    def _column(self, name: str, items: Sequence[int]) -> Any:
        column = np.empty(len(items), dtype=object)
        column[:] = [self.averages[name, item] for item in items]
        return column

    def of(self, kind: FigureKind, index: int) -> Bounded:
        """A figure of a place or transition. Raises Undetermined."""
        if kind.total and kind.name != "maximum" and not self.totals:
            raise Undetermined("exact-total")
        return self._figure(kind, index)

    def _figure(self, kind: FigureKind, index: int) -> Bounded:
        above, below = kind.above(self.seen, index), kind.below(self.seen, index)
        return Bounded.of(Bounded.of(_plain(above)) / Bounded.of(_plain(below)))

    def value(self, term: Term) -> Bounded:
        """The value of a formula. Raises Undetermined."""
        if not self.totals and term.op not in ("max", "content", "watched") and formula.grows(self.net, term):
            raise Undetermined("exact-total")
        return self._value(term)

    def _value(self, term: Term) -> Bounded:
        if term.op in ("min2", "max2"):
            one, other = (self._value(argument) for argument in term.args)
            return one.least(other) if term.op == "min2" else one.greatest(other)
        if term.op in formula.ARITHMETIC:
            operands = [self._value(argument) for argument in term.args]
            return Bounded.of(formula.ARITHMETIC[term.op](*operands))
        if term.op == "const" and isinstance(term.value, int | float):
            return Bounded.of(term.value)
        if term.op == "elapsed":
            return Bounded.of(self.seen.elapsed)
        if isinstance(term.value, tuple):
            if term.op == "series":
                raise Undetermined("exact-series")
            return self._of_probe(*term.value)
        index = int(term.value or 0)
        if term.op == "counter":
            self._check(index)
            return self.averages["sum", index]
        return self._figure(TERMS[term.op], index)

    def _check(self, number: int) -> None:
        """Raises Undetermined where the chain does not show what a probe needs."""
        probe = self.net.probes[number]
        if isinstance(probe, Passage):
            raise Undetermined("exact-passage")
        if isinstance(probe, Order):
            raise Undetermined("exact-order")
        if number not in self.rewards.shown:
            raise Undetermined("exact-unseen")

    def _of_probe(self, number: int, field: str) -> Bounded:
        """A figure of a sample, of a content or of a value of the marking."""
        self._check(number)
        probe = self.net.probes[number]
        if isinstance(probe, Content):
            if field != "integral":
                raise Undetermined("exact-extreme")
            return self.averages["content", number]
        if isinstance(probe, Watched):
            if field != "integral":
                raise Undetermined("exact-first" if field == "first" else "exact-extreme")
            return self.averages["watched", number]
        assert isinstance(probe, Sample)
        find = SAMPLE_FIELDS.get(field)
        if find is None:
            raise Undetermined("exact-quantile" if field.startswith("p") else "exact-extreme", field=field)
        return find(*(self.averages[name, number] for name in ("count", "sum", "squares")))


def _std(count: Bounded, total: Bounded, squares: Bounded) -> Bounded:
    mean = total / count
    return (squares / count - mean * mean).root()


SAMPLE_FIELDS: Final[Mapping[str, Callable[[Bounded, Bounded, Bounded], Bounded]]] = {
    "count": lambda count, total, squares: count,
    "sum": lambda count, total, squares: total,
    "mean": lambda count, total, squares: total / count,
    "std": _std,
}


def _plain(value: Any) -> Any:
    """An element of numpy as a number of Python, or within bounds."""
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def mixed(chances: Sequence[Bounded], values: Sequence[Bounded]) -> Bounded:
    """The mean over closed classes, of those that have the figure."""
    known = [(chance, one) for chance, one in zip(chances, values, strict=True) if not math.isnan(one.value)]
    if not known:
        return NOTHING
    if len(values) == 1 or all(one.low == one.high == known[0][1].low for _, one in known):
        return known[0][1]
    total = sum((chance * one for chance, one in known), Bounded.of(0.0))
    return total if len(known) == len(values) else total / sum((chance for chance, _ in known), Bounded.of(0.0))
