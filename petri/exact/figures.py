"""The figures of a net that its chain determines: places, transitions, measures and expectations.

The averages are those of the states and arcs of the chain. They make an observation of one time unit (in the long run)
or of the time up to an instant, of which `petri.measure.catalogue` and formulas give the figures, as of a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from petri.engine.expression import Context, evaluate
from petri.exact.chain import Chain, Floats, Integers
from petri.exact.first_passage import first_passage
from petri.exact.marking import values
from petri.exact.steady import SteadyState, rounding
from petri.exact.transient import Transient
from petri.measure import formula
from petri.measure.bounded import NOTHING, Bounded
from petri.measure.catalogue import TERMS, FigureKind
from petri.measure.observation import Observation
from petri.net import Chance, Content, Counter, Order, Passage, Probe, Sample, Term, Watched


class Undetermined(Exception):
    """A chain does not give a figure: `id` of the wording that says why."""

    def __init__(self, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.id = reason
        self.values = values


Name = tuple[str, int]
Column = tuple[Floats, float]
"""What each state brings per time unit, and what there is before time begins to pass."""

MOST_KEPT = 20_000_000  # numbers in columns that are kept


class Rewards:
    """What states and arcs of a chain bring, as columns by name: such as the tokens of a place."""

    def __init__(self, chain: Chain, shown: frozenset[int]) -> None:
        self.chain, self.net, self.shown = chain, chain.net, shown
        self.names: list[Name] = [
            *((kind, place) for place in range(len(self.net.places)) for kind in ("tokens", "nonempty", "arrivals")),
            *((kind, t) for t in range(len(self.net.transitions)) for kind in ("in_progress", "active", "firings")),
            *((kind, number) for number in sorted(shown) for kind in self._kinds(self.net.probes[number])),
            *(("share", number) for number, chance in enumerate(self.net.chances) if chance.share),
        ]
        self.keeps = len(self.names) * chain.states <= MOST_KEPT
        self._kept: dict[Name, Column] = {}
        self._chances: dict[int, Bounded] = {}
        self._last: tuple[tuple[int, bool], Integers] | None = None
        self._samples: dict[int, tuple[Floats, Any]] = {}

    def chance(self, number: int, asked: Chance) -> Bounded:
        """Return the probability that a trial hits."""
        if number not in self._chances:
            self._chances[number] = first_passage(self.chain, asked)
        return self._chances[number]

    @staticmethod
    def _kinds(probe: Probe) -> tuple[str, ...]:
        if isinstance(probe, Content):
            return ("content",)
        if isinstance(probe, Watched):
            return ("watched",)
        if isinstance(probe, Counter):
            return ("sum",)
        return ("count", "sum", "squares") if isinstance(probe, Sample) and probe.place is None else ()

    def is_of_states(self, name: Name) -> bool:
        """Return whether it is there as long as the state lasts, and not brought by arcs."""
        return name[0] in ("tokens", "nonempty", "in_progress", "active", "content", "watched", "share")

    def column(self, name: Name) -> Column:
        kind, number = name
        alike = self._alike(kind, number)
        name = kind, alike[0]
        if name not in self._kept:
            found = self._column(kind, alike[0]) if len(alike) == 1 else self._mean(kind, alike)
            if not self.keeps:
                return found
            self._kept[name] = found
        return self._kept[name]

    def _alike(self, kind: str, number: int) -> tuple[int, ...]:
        """Return the places or transitions that have the same figures, as symmetries map them to one another.

        Their mean counts: a state stands for others, in which they have changed parts.
        """
        symmetries = self.chain.space.symmetries
        if kind in ("tokens", "nonempty", "arrivals"):
            return symmetries.places[number]
        return symmetries.transitions[number] if kind in ("in_progress", "active", "firings") else (number,)

    def _mean(self, kind: str, alike: Sequence[int]) -> Column:
        if kind == "arrivals":
            brought, at_once = self.chain.arrivals(alike)
        else:
            columns = [self._column(kind, one) for one in alike]
            brought, at_once = np.sum([column for column, _ in columns], axis=0), sum(one for _, one in columns)
        return brought / len(alike), at_once / len(alike)

    def _column(self, kind: str, number: int) -> Column:
        chain = self.chain
        if kind in ("tokens", "nonempty", "in_progress", "active"):
            counts = self._counts(number, kind in ("tokens", "nonempty"))
            return (counts if kind in ("tokens", "in_progress") else counts > 0).astype(np.float64), 0.0
        if kind == "arrivals":
            return chain.arrivals((number,))
        if kind == "firings":
            return chain.firings(number)
        if kind == "share":
            return self._watched(self.net.chances[number].hit), 0.0
        probe = self.net.probes[number]
        if isinstance(probe, Content):
            return self._content(probe)[chain.numbers], 0.0
        if isinstance(probe, Watched):
            return self._watched(probe), 0.0
        space = chain.space
        if isinstance(probe, Counter):
            amounts = np.zeros(space.arcs)
            arcs = np.flatnonzero(space.starts & (space.transitions == probe.transition))
            amounts[arcs] = 1.0 if probe.quantity is None else chain.values(probe.quantity, arcs)
            return chain.rates(amounts)
        assert isinstance(probe, Sample)
        values, counted = self.samples(number, probe)
        return chain.rates(np.where(counted, values ** ("count", "sum", "squares").index(kind), 0.0))

    def _counts(self, number: int, of_place: bool) -> Integers:
        """Return the tokens of a place, or the firings of a transition in progress; two columns in a row use them."""
        if self._last is None or self._last[0] != (number, of_place):
            counts = self.chain.counts(number) if of_place else self.chain.in_progress(number)
            self._last = (number, of_place), counts
        return self._last[1]

    def samples(self, number: int, probe: Sample) -> tuple[Floats, Any]:
        """Return the value of a sample at each arc, and which arcs have one."""
        if number not in self._samples:
            space = self.chain.space
            values, counted = np.zeros(space.arcs), np.zeros(space.arcs, dtype=bool)
            for one in (probe, *probe.others):
                arcs = np.flatnonzero(space.starts & (space.transitions == one.transition))
                if one.condition is not None:
                    arcs = arcs[self.chain.values(one.condition, arcs) != 0.0]
                values[arcs], counted[arcs] = self.chain.values(one.value, arcs), True
            self._samples[number] = values, counted
        return self._samples[number]

    def _watched(self, probe: Watched) -> Floats:
        running = [self.chain.in_progress(transition) for transition in probe.firings]
        return values(self.net, probe.value, running, self.chain.counts, self.chain.states)

    def _content(self, probe: Content) -> Floats:
        known: dict[Any, float] = {}

        def value(token: Any) -> float:
            if token not in known:
                known[token] = float(evaluate(probe.value, Context(token, tables=self.net.tables)))
            return known[token]

        space = self.chain.space
        marked = (space.state(number).marking[probe.place] for number in range(len(space)))
        return np.array([sum(map(value, tokens)) for tokens in marked])


Averages = Mapping[Name, Bounded]


def long_run(rewards: Rewards, steady: SteadyState) -> list[Averages]:
    """Return the averages per time unit in each closed class."""
    columns = [partial(_first, rewards, name) for name in rewards.names]
    return [
        dict(zip(rewards.names, steady.averages(number, columns), strict=True))
        for number in range(len(steady.classes.states))
    ]


def _first(rewards: Rewards, name: Name) -> Floats:
    rewards.chain.heed_stop()
    return rewards.column(name)[0]


def up_to(rewards: Rewards, first: Transient) -> Averages:
    """Return the expected integrals and sums up to the instant."""
    averages = {}
    for name in rewards.names:
        column, at_once = rewards.column(name)
        times = first.times if rewards.is_of_states(name) else first.finished
        value = float(np.sum(times * column)) + at_once
        size = float(np.sum(times * np.abs(column))) + abs(at_once)
        error = (first.error + rounding(len(column))) * size
        error += first.missing[1] * float(np.abs(column).max(initial=0.0))
        averages[name] = Bounded(value, value - error, value + error)
    return averages


def at_instant(rewards: Rewards, first: Transient) -> dict[int, Bounded]:
    """Return the expected tokens of each place at the instant."""
    found = {}
    for place in range(len(rewards.net.places)):
        column, _ = rewards.column(("tokens", place))
        value = float(np.sum(first.probabilities * column))
        error = (first.error + rounding(len(column))) * value + first.missing[0] * float(column.max(initial=0.0))
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
            maximum=np.array(
                [max(space.counts(one).max() for one in space.symmetries.places[place]) for place in places],
                dtype=np.int64,
            ),
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
        """Return a figure of a place or transition. Raises Undetermined."""
        if kind.total and kind.name != "maximum" and not self.totals:
            raise Undetermined("exact-total")
        return self._figure(kind, index)

    def _figure(self, kind: FigureKind, index: int) -> Bounded:
        above, below = kind.above(self.seen, index), kind.below(self.seen, index)
        return Bounded.of(Bounded.of(_plain(above)) / Bounded.of(_plain(below)))

    def value(self, term: Term) -> Bounded:
        """Return the value of a formula. Raises Undetermined."""
        if (
            not self.totals
            and term.op not in ("max", "content", "watched", "chance", "quantile")
            and formula.grows(self.net, term)
        ):
            raise Undetermined("exact-total")
        return self._value(term)

    def _value(self, term: Term) -> Bounded:
        if term.op in ("min2", "max2"):
            one, other = (self._value(argument) for argument in term.args)
            return one.least(other) if term.op == "min2" else one.greatest(other)
        if term.op == "quantile":
            raise Undetermined("exact-quantile")
        if term.op == "chance":
            return self._chance(int(term.value or 0))  # type: ignore[arg-type]
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

    def _chance(self, number: int) -> Bounded:
        """Return a share of time; or a probability of trials, which all begin at the start of the chain."""
        chance = self.net.chances[number]
        if chance.share:
            return self.averages["share", number] / self.seen.elapsed
        if chance.within is not None or chance.begin is not None:
            raise Undetermined("exact-chance-in-time")
        return self.rewards.chance(number, chance)

    def _check(self, number: int) -> None:
        """Raise Undetermined where the chain does not show what a probe needs."""
        probe = self.net.probes[number]
        if isinstance(probe, Passage):
            raise Undetermined("exact-passage")
        if isinstance(probe, Order):
            raise Undetermined("exact-order")
        if number not in self.rewards.shown:
            raise Undetermined("exact-unseen")

    def _of_probe(self, number: int, field: str) -> Bounded:
        """Return a figure of a sample, of a content or of a value of the marking."""
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
        if probe.place is not None:
            raise Undetermined("exact-arrival")
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
    """Return an element of numpy as a number of Python, or within bounds."""
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def mixed(chances: Sequence[Bounded], values: Sequence[Bounded]) -> Bounded:
    """Return the mean over closed classes, of those that have the figure."""
    known = [(chance, one) for chance, one in zip(chances, values, strict=True) if not math.isnan(one.value)]
    if not known:
        return NOTHING
    if len(values) == 1 or all(one.low == one.high == known[0][1].low for _, one in known):
        return known[0][1]
    total = sum((chance * one for chance, one in known), Bounded.of(0.0))
    return total if len(known) == len(values) else total / sum((chance for chance, _ in known), Bounded.of(0.0))
