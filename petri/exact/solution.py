"""The solution of a net: exact figures with bounds on their errors, as a typed result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from petri.diagnostics import Diagnostic, unknown_name
from petri.display import ShownInNotebook, report
from petri.exact.chain import Limits, StateView, Unsolvable
from petri.exact.exchange import Symmetries, Symmetry, ValueSymmetry, none
from petri.exact.explore import explore
from petri.exact.figures import Figures, Rewards, Undetermined, at_instant, long_run, mixed, up_to
from petri.exact.native import NativeSpace
from petri.exact.native_chain import chain_of
from petri.exact.relevant import relevant
from petri.exact.steady import SteadyState
from petri.exact.symmetry import symmetries
from petri.exact.transient import transient
from petri.measure.bounded import Bounded
from petri.measure.catalogue import PLACE_COLUMNS, TRANSITION_COLUMNS, FigureKind
from petri.measure.figures import recorded_fields
from petri.measure.formula import Judged, judge
from petri.measure.intervals import Interval
from petri.net import Expectation, Measure, Net, Term, lasts
from petri.run.stop import StopSign
from petri.structs import Frozen

CERTAIN = 1.0  # the level of bounds that always hold


class Exact(Frozen):
    """A figure with bounds, or why the chain does not determine it. Times in the net's unit.

    dimension: as of a measure, or "events" for events per time. value: nan where there is no data.
    """

    name: str
    dimension: str
    bounded: Bounded | None
    reason: Diagnostic | None = None

    @property
    def value(self) -> float:
        return float("nan") if self.bounded is None else self.bounded.value

    @property
    def error(self) -> float:
        """The most that the value may differ from the exact one."""
        return float("nan") if self.bounded is None else self.bounded.error

    @property
    def interval(self) -> Interval:
        return Interval(self.value, self.error, CERTAIN, 0)

    def __repr__(self) -> str:
        if self.bounded is None:
            return f"Exact {self.name}: {self.reason.message if self.reason else 'nothing'}"
        return f"Exact {self.name}: {self.value:.12g} ± {self.error:.1g}"


class ClosedClass(Frozen):
    """States that the net does not leave once it is in one of them. dead: it is one, in which nothing happens.

    example: one of these states.
    """

    states: int
    probability: Bounded
    dead: bool
    example: StateView


class Solution(ShownInNotebook, Frozen):
    """What is exact of a net: in the long run, or, with `at`, over the time up to that instant [the net's unit].

    states: tangible and vanishing ones; unreduced: with those that were left out as symmetries map them to others, of
    which some may not be reachable if an exchange of values changes the initial state. symmetries: what may be
    exchanged. shortest: the mean ticks up to the fastest of all events; infinite if no time is exponential. figures: by
    the names that results have, such as "buffer.mean". at_end: the expected tokens of each place at the instant.
    """

    net: Net
    at: float | None
    states: int
    tangible: int
    arcs: int
    classes: tuple[ClosedClass, ...]
    places: tuple[Exact, ...]
    transitions: tuple[Exact, ...]
    measures: tuple[Exact, ...]
    judged: tuple[Judged, ...]
    at_end: tuple[Exact, ...] = ()
    unreduced: float = 0.0
    shortest: float = math.inf
    symmetries: tuple[Symmetry | ValueSymmetry, ...] = ()
    unjudged: tuple[tuple[Expectation, Diagnostic], ...] = ()  # with why a chain does not give their figures

    def exact(self, name: str) -> Exact:
        """Return a figure by its name: of a measure ("loss"), a place ("buffer.mean") or a transition ("send.rate").

        Raises UnknownName (a KeyError) with the nearest names.
        """
        every = {one.name: one for one in (*self.measures, *self.places, *self.transitions)}
        if name not in every:
            raise unknown_name(name, "figure", list(every), {})
        return every[name]

    def figure(self, *names: str) -> Any:
        """Draw exact figures as bars: a plotly figure, which a notebook shows.

        A name is one of `exact`, or that of a column, such as "utilisation" or "rate": a bar for each place or
        transition that has it. Raises UnknownName (a KeyError) with the nearest names, ValueError where there is
        nothing to draw or the units differ, and ImportError if plotly is not installed (the extra `plots`).
        """
        return report().figure(self, *names)

    @property
    def passed(self) -> bool:
        """Whether every expectation holds that the chain judges."""
        return all(verdict.passed for _, verdict in self.judged)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types; what is not known is None."""
        kinds = {"places": self.places, "transitions": self.transitions, "measures": self.measures}
        return {
            "net": self.net.name,
            "at": self.at,
            "time_unit": self.net.time_unit,
            "states": self.states,
            "unreduced": self.unreduced,
            "tangible": self.tangible,
            "arcs": self.arcs,
            "classes": [
                {"states": one.states, "probability": one.probability.value, "dead": one.dead} for one in self.classes
            ],
            **{kind: [_as_dict(figure) for figure in figures] for kind, figures in kinds.items()},
            **({"at_end": [_as_dict(one) for one in self.at_end]} if self.at is not None else {}),
            "expectations": [
                {"text": expectation.text, "passed": verdict.passed, "value": verdict.value, "certain": verdict.certain}
                for expectation, verdict in self.judged
            ],
        }

    def to_pandas(self) -> Any:
        """Return a table with a row for each figure. Raises ImportError if pandas is not installed."""
        import pandas

        rows = [
            {"kind": kind, **_as_dict(figure)}
            for kind, figures in (("place", self.places), ("transition", self.transitions), ("measure", self.measures))
            for figure in figures
        ]
        return pandas.DataFrame(rows, columns=["kind", "name", "value", "error", "low", "high", "dimension", "reason"])


def _as_dict(one: Exact) -> dict[str, Any]:
    known = one.bounded is not None and one.value == one.value
    return {
        "name": one.name,
        "value": one.value if known else None,
        "error": one.error if known else None,
        "low": one.bounded.low if known and one.bounded is not None else None,
        "high": one.bounded.high if known and one.bounded is not None else None,
        "dimension": one.dimension,
        "reason": None if one.reason is None else one.reason.message,
    }


def solve(
    net: Net, at: float | None = None, limits: Limits = Limits(), stop: StopSign | None = None, symmetry: bool = True
) -> Solution:
    """Return the exact figures of a net. symmetry: of states that the net's symmetries map to one another, explore one.

    Raises Unsolvable, NeedsExtra, Interrupted after `stop`, and ModelError where a firing breaks a rule.
    """
    needed = relevant(net)
    allowed = symmetries(needed.net, needed.probes) if symmetry and not net.chances else none(needed.net)

    def solution(allowed: Symmetries) -> Solution:
        space = explore(needed.net, limits, stop, allowed)
        return _Solver(net, needed.net, needed.probes, space, at).solution()

    try:
        return solution(allowed)
    except _Asymmetric:
        return solution(none(needed.net, allowed.of_values))


class _Asymmetric(Exception):
    """A closed class may stand for several, between which symmetries exchange elements: no element has the mean."""


def _without_time(net: Net, space: NativeSpace) -> Unsolvable:
    """Return why no time passes in any state."""
    if all(transition.clock is None and not lasts(transition) for transition in net.transitions):
        return Unsolvable("exact-no-time")
    fire = [net.transitions[one] for one in sorted(set(space.transitions.tolist()))]
    return Unsolvable("exact-standstill", transitions=[one.name for one in fire if not lasts(one)])


class _Solver:
    """Reads the figures of a net off its chain."""

    def __init__(self, net: Net, explored: Net, shown: frozenset[int], space: NativeSpace, at: float | None) -> None:
        self.net, self.space, self.at = net, space, at
        if not space.tangible.any():
            raise _without_time(explored, space)
        self.chain = chain_of(explored, space)
        self.rewards = Rewards(self.chain, shown)
        self.steady = SteadyState(self.chain)
        of = self.steady.classes
        rows = zip(of.value.tolist(), of.low.tolist(), of.high.tolist(), strict=True)
        self.chances = [Bounded(*row) for row in rows]
        self.at_end: tuple[Exact, ...] = ()
        if at is None:
            self._check_symmetry()
            self.figures = [Figures(self.rewards, one, None) for one in long_run(self.rewards, self.steady)]
        else:
            first = transient(self.chain, at)
            self.figures = [Figures(self.rewards, up_to(self.rewards, first), at)]
            self.chances = [Bounded.of(1.0)]
            instant = at_instant(self.rewards, first)
            self.at_end = tuple(Exact(f"{p.name}.tokens", "", instant[i]) for i, p in enumerate(net.places))

    def _check_symmetry(self) -> None:
        """Check that each closed class has a state that every symmetry maps to itself, so it does so with the class.

        Exchanges of values alone leave all figures as they are, whichever class a state is in.
        """
        if not self.space.symmetries.of_elements:
            return
        alone = self.space.alike[self.chain.numbers] == 1.0
        if not all(alone[states].any() for states in self.steady.classes.states):
            raise _Asymmetric

    def solution(self) -> Solution:
        net = self.net
        classes = self._classes()
        return Solution(
            net,
            self.at,
            len(self.space),
            self.chain.states,
            self.space.arcs,
            classes,
            tuple(self._items([place.name for place in net.places], PLACE_COLUMNS)),
            tuple(self._items([transition.name for transition in net.transitions], TRANSITION_COLUMNS)),
            tuple(one for measure in net.measures for one in self._measure(measure)),
            self.judged,
            self.at_end,
            float(self.space.alike.sum()),
            self._shortest(),
            (*self.space.symmetries.of_elements, *self.space.symmetries.of_values),
            tuple((one, found.reason) for one, found in self.expected if found.reason is not None),
        )

    def _shortest(self) -> float:
        fastest = self.space.fastest
        return 1.0 / (fastest * self.chain.tick) if fastest else math.inf

    def _classes(self) -> tuple[ClosedClass, ...]:
        of = self.steady.classes
        rows = zip(of.states, of.value.tolist(), of.low.tolist(), of.high.tolist(), strict=True)
        return tuple(self._class(len(states), Bounded(*row), int(states[0])) for states, *row in rows)

    def _class(self, states: int, probability: Bounded, first: int) -> ClosedClass:
        """first: one of its states in the chain."""
        number = int(self.chain.numbers[first])
        return ClosedClass(states, probability, states == 1 and self.space.is_dead(number), self.space.state(number))

    def _items(self, names: Sequence[str], kinds: Any) -> list[Exact]:
        return [
            self._exact(f"{name}.{column}", kind.dimension, lambda one, k=kind, i=index: one.of(k, i))  # type: ignore[misc]
            for index, name in enumerate(names)
            for column, kind in kinds.items()
            if self._applies(kind, index)
        ]

    def _applies(self, kind: FigureKind, index: int) -> bool:
        return not kind.total or kind.name == "maximum" or self.at is not None

    def _measure(self, measure: Measure) -> list[Exact]:
        """Return a measure, and the other fields that it records."""
        found = [self._exact(measure.name, measure.dimension, lambda one: one.value(measure.formula))]
        for field in recorded_fields(measure)[1:]:
            kind = measure.formula.op if measure.formula.op in ("passage", "order", "content") else "sample"
            term = Term(kind, (), (measure.probe or 0, field))
            found.append(self._exact(f"{measure.name}.{field}", measure.dimension, lambda one, t=term: one.value(t)))  # type: ignore[misc]
        return found

    def _exact(self, name: str, dimension: str, find: Callable[[Figures], Bounded]) -> Exact:
        try:
            return Exact(name, dimension, mixed(self.chances, [find(figure) for figure in self.figures]))
        except Undetermined as why:
            return Exact(name, dimension, None, Diagnostic(why.id, values={"name": name, **why.values}))

    @cached_property
    def expected(self) -> list[tuple[Expectation, Exact]]:
        """Every expectation, with the figure that it is about."""
        every = [
            *(expectation for measure in self.net.measures for expectation in measure.expectations),
            *self.net.expectations,
        ]
        return [(one, self._exact(one.text, "", self._formula_of(one))) for one in every]

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """The expectations that the chain judges."""
        return tuple(
            (expectation, judge(expectation, found.value, found.interval))
            for expectation, found in self.expected
            if found.bounded is not None
        )

    def _formula_of(self, expectation: Expectation) -> Callable[[Figures], Bounded]:
        return lambda figures: figures.value(expectation.formula)
