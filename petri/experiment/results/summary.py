"""Results from the rows of a store: estimates of each point with their intervals, compared with expected values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from petri.diagnostics import unknown_name
from petri.experiment.design.definition import Expected, point_label
from petri.experiment.design.preparation import Point, expected_value, predicted_value
from petri.experiment.design.sampling import Values
from petri.experiment.design.task import ReplicationRecord
from petri.experiment.design.warmup import Warmup
from petri.file_read import FileRead
from petri.measure.figures import Figure, figures, statistics
from petri.measure.formula import Verdict, judge
from petri.measure.intervals import Interval, Statistic
from petri.measure.pooling import Sample, interval_of, precision_interval, value_of
from petri.measure.selection import Best, Choice
from petri.measure.sequential import Judgeable, Precision, widened
from petri.measure.trend import Drift, unsettled
from petri.net import Expectation, Net, Term
from petri.result.export import interval_dict, number
from petri.structs import as_dict


@dataclass(frozen=True)
class Checked:
    """An expected value, in the net's units, and whether the measure has it. `predicted` as of `Expected`."""

    expected: Expected
    value: float
    verdict: Verdict
    predicted: float | None = None


@dataclass(frozen=True)
class PointOutcome:
    """One point: its rows, in order of their number, and its estimates.

    Estimates use the replications that ended as planned. `wanted` is the required precision of each measure; `done`:
    the experiment has all of the point's replications.
    """

    parameters: Values
    names: tuple[str, ...]
    rows: tuple[ReplicationRecord, ...] = field(repr=False)
    warmup: Warmup | None = None
    until: float = math.nan
    seed: int = 0
    net_hash: str = ""
    wanted: Mapping[str, Precision | Judgeable] = field(default_factory=dict)
    done: bool = True
    checked: tuple[Checked, ...] = ()
    statistics: Mapping[str, Statistic] = field(default_factory=dict)  # by figure, where it is not the mean

    @staticmethod
    def of(point: Point, rows: Sequence[ReplicationRecord], warmup: Warmup | None) -> PointOutcome:
        """Make the outcome of a point that was prepared from its replications."""
        plan, kinds = point.plan, statistics(point.net, point.names)
        return PointOutcome(
            point.parameters, point.names, tuple(rows), warmup, plan.until, plan.seed, point.net_hash, statistics=kinds
        )

    @property
    def label(self) -> str:
        return point_label(self.parameters)

    @property
    def complete(self) -> list[ReplicationRecord]:
        return [row for row in self.rows if row.complete]

    @property
    def failures(self) -> list[ReplicationRecord]:
        """Replications that stopped inside the model, or of which a figure could not be computed."""
        return [row for row in self.rows if not row.complete or row.failure is not None]

    def values(self, name: str) -> dict[int, float]:
        """Return a figure by number of replication.

        Raises UnknownName (a KeyError) if the experiment did not keep it.
        """
        return {index: value_of(sample) for index, sample in self.samples(name).items()}

    def samples(self, name: str) -> dict[int, Sample]:
        """Return the same, and of a probability what the trials of each replication have found."""
        if name not in self.names:
            raise unknown_name(name, "measure", self.names, {"parameter": list(self.parameters)})
        return {row.index: row.sample(name) for row in self.complete}

    def interval(self, name: str, level: float = 0.95) -> Interval:
        """Return a figure over the replications, with its interval (`petri.measure.pooling`)."""
        found = interval_of(self.samples(name).values(), self.statistics.get(name, "mean"), level)
        return widened(found) if self.wanted else found

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        return {name: self.interval(name) for name in self.names}

    @cached_property
    def unsettled(self) -> dict[str, Drift]:
        """The figures that still move at the end of the runs, so that their estimates depend on the runs' length."""
        if any(row.ended == "dead" for row in self.rows):
            return {}
        return {one.name: one for one in unsettled([row.courses for row in self.complete if row.courses])}

    def unsettled_to_list(self) -> list[dict[str, Any]] | None:
        """`unsettled` as JSON types; None if no replication says whether its figures have settled."""
        if not any(row.courses for row in self.rows):
            return None
        return [
            {"name": one.name, "early": number(one.early), "late": number(one.late), "steady": one.steady}
            for one in self.unsettled.values()
        ]

    @property
    def imprecise(self) -> list[str]:
        """Measures whose interval is wider than required."""
        intervals = {
            name: widened(precision_interval(self.samples(name).values(), self.statistics.get(name, "mean")))
            for name in self.wanted
        }
        return [name for name, precision in self.wanted.items() if not precision.met(intervals[name])]

    def to_dict(self) -> dict[str, Any]:
        warmup = self.warmup
        return {
            "parameters": dict(self.parameters),
            "net_hash": self.net_hash,
            "seed": self.seed,
            "until": number(self.until),
            "warmup": None if warmup is None else warmup.length,
            "warmup_settled": None if warmup is None else warmup.settled,
            "replications": len(self.rows),
            "done": self.done,
            "measures": {name: interval_dict(interval) for name, interval in self.intervals.items()},
            "imprecise": self.imprecise,
            "unsettled": self.unsettled_to_list(),
            "failures": [{"replication": row.index, **(row.failure or {})} for row in self.failures],
            "expected": [checked_dict(one) for one in self.checked],
        }


def checked_dict(one: Checked) -> dict[str, Any]:
    return {
        "measure": one.expected.measure,
        "value": number(one.verdict.value),
        "expected": one.value,
        "tolerance": one.verdict.tolerance,
        "passed": one.verdict.passed,
        "certain": one.verdict.certain,
        "source": one.expected.source,
    }


@dataclass(frozen=True)
class BestPoint:
    """The point with the best mean. others: those that might be better; certain: none is, as surely as asked for."""

    wanted: Best
    point: PointOutcome = field(repr=False)
    others: tuple[PointOutcome, ...] = field(repr=False)
    certain: bool

    @property
    def text(self) -> str:
        """`threads=4 has the greatest throughput, or is within 1% of it, with …`."""
        wanted = self.wanted
        within = f"{100 * wanted.within:.10g}%" if wanted.relative else f"{wanted.within:.10g}"
        text = f"{self.point.label} has the {wanted.text}"
        if self.certain:
            sure = f"{100 * wanted.confidence:.10g}%"
            return f"{text}, or is within {within} of it, with a probability of at least {sure}"
        if len(self.others) == 1:
            return f"{text} so far; {self.others[0].label} may have it, too"
        return f"{text} so far; {len(self.others)} other points may have it"

    def to_dict(self) -> dict[str, Any]:
        return {
            **as_dict(self.wanted),
            "point": dict(self.point.parameters),
            "others": [dict(one.parameters) for one in self.others],
            "certain": self.certain,
        }


@dataclass(frozen=True, repr=False)
class OutcomeFigures:
    """An experiment as its store has it. `net` is the flat net of the first point, for names, units and dimensions."""

    title: str
    net: Net
    identity: Mapping[str, Any]
    points: tuple[PointOutcome, ...]
    store: Path
    interrupted: bool = False
    description: str = ""
    files: tuple[FileRead, ...] = ()  # what was read of the recordings
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)  # measures that add up to a whole, by its name
    choice: Choice | None = None

    @cached_property
    def best(self) -> BestPoint | None:
        """The best point, or the best so far; None if it was not asked for, or if no point has values."""
        if self.choice is None:
            return None
        best = self.choice.best
        selection = self.choice.of([list(point.values(best.figure).values()) for point in self.points])
        if not selection.left:
            return None
        first, *others = (self.points[number] for number in selection.left)
        return BestPoint(best, first, tuple(others), selection.certain)

    @property
    def figures(self) -> tuple[Figure, ...]:
        return figures(self.net, self.points[0].names if self.points else None)

    @property
    def axes(self) -> list[str]:
        """The parameters that the points set, in order of appearance."""
        return list(dict.fromkeys(name for point in self.points for name in point.parameters))

    @property
    def done(self) -> bool:
        return all(point.done for point in self.points)

    @property
    def passed(self) -> bool:
        """Whether every expected value was found."""
        return all(one.verdict.passed for point in self.points for one in point.checked)

    @property
    def failed(self) -> bool:
        """Whether any replication stopped inside the model, or has a figure that could not be computed."""
        return any(point.failures for point in self.points)

    def point(self, **parameters: Any) -> PointOutcome:
        """Return the only point with these parameters.

        Raises KeyError if there is more than one, UnknownName if none.
        """
        for name in parameters:
            if name not in self.axes:
                raise unknown_name(name, "parameter", self.axes, {"measure": [figure.name for figure in self.figures]})
        found = [
            point
            for point in self.points
            if all(name in point.parameters and point.parameters[name] == value for name, value in parameters.items())
        ]
        if not found:
            raise unknown_name(point_label(parameters), "point", [point.label for point in self.points], {})
        if len(found) != 1:
            raise KeyError(f"{len(found)} points with {point_label(parameters)}")
        return found[0]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types; missing values are None."""
        return {
            "title": self.title,
            "net": self.net.name,
            "time_unit": self.net.time_unit,
            "identity": dict(self.identity),
            "store": str(self.store),
            "interrupted": self.interrupted,
            "done": self.done,
            "passed": self.passed,
            **({} if self.best is None else {"best": self.best.to_dict()}),
            "dimensions": {figure.name: figure.dimension for figure in self.figures},
            **({"recordings": [read.to_dict() for read in self.files]} if self.files else {}),
            "points": [point.to_dict() for point in self.points],
        }


def check(expected: Sequence[Expected], point: PointOutcome, net: Net) -> tuple[Checked, ...]:
    """Return the expected values of this point, compared with its measures."""
    checked = []
    for one in expected:
        if not one.applies(point.parameters):
            continue
        value = expected_value(one, net, point.names)
        predicted = None if one.predicted is None else predicted_value(one, one.predicted, net)
        expectation = Expectation(
            one.measure, Term("const", value=0.0), "==", value, one.within.bound, not one.within.relative
        )
        interval = point.interval(one.measure)
        checked.append(Checked(one, value, judge(expectation, interval.mean, interval), predicted))
    return tuple(checked)
