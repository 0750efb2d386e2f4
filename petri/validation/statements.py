"""Statements of a paper in words, as checks on the figures of an experiment.

A statement names an experiment, its measures, and one form: `increasing`, `decreasing`, `bent`, `higher` (with
`lower`), `near`, `apart`, `gap`, `below`, `above`, or `zero`. It holds or fails if the intervals say so, and is
undecided otherwise.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from petri.catalogue.units import UNITS
from petri.experiment.design.definition import DERIVED, FITTED, INPUT, TRIVIAL, shown
from petri.experiment.design.preparation import quantity
from petri.experiment.results.outcome import Outcome
from petri.experiment.results.summary import PointOutcome
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units
from petri.validation.margins import FAILS, HOLDS, UNDECIDED, Margin, Verdict, Weighted, estimate, every, margin, some

STATISTIC: Final = re.compile(r"mean|std|min|max|sum|count|p\d+")
STRAIGHT: Final = 0.1  # slopes that differ by less than this share of the greater belong to one line
APART: Final = 0.05
FORMS: Final = (
    "increasing", "decreasing", "bent", "higher", "greatest", "near", "apart", "gap", "below", "above", "zero",
)  # fmt: skip
EACH: Final = ("below", "above", "zero")  # forms that every point must fulfil
COMMON: Final = ("says", "source", "experiment", "measures", "at", "predicted", "role")
READ: Final = "read"
STATEMENT_ROLES: Final = (READ, FITTED, INPUT, DERIVED, TRIVIAL)
OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "higher": ("lower", "factor"),
    "greatest": ("within",),
    "near": ("within",),
    "apart": ("by",),
    "gap": ("is", "within"),
}
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {"higher": ("lower",), "near": ("within",), "gap": ("is", "within")}

Where = Mapping[str, Any]
"""Parameters of a point, or some of them."""

Curve = Sequence[tuple[float, PointOutcome]]
"""Points along a parameter, with their places on it."""


class StatementError(ValueError):
    """A file of statements cannot be read, or a statement names points or measures that its experiment lacks."""


@dataclass(frozen=True)
class Statement:
    """`options` has the entry of the form, and its further entries.

    predicted: the verdict of the model that was made before the statement was known; "" if it was known. role: "read"
    if the paper says it in words and the number is ours; the others as of `Expected`.
    """

    says: str
    source: str
    experiment: str
    measures: tuple[str, ...]
    form: str
    options: Mapping[str, Any]
    at: Where = field(default_factory=dict)
    predicted: str = ""
    role: str = ""

    def judge(self, outcome: Outcome) -> Judged:
        """Raise StatementError if the experiment has no such point or measure."""
        answers = [self.judge_measure(outcome, measure) for measure in self.measures]
        names = [f"{short(measure)}: " if len(self.measures) > 1 else "" for measure in self.measures]
        said = [name + values for name, (_, values) in zip(names, answers, strict=True)]
        return Judged(self, every(verdict for verdict, _ in answers), "; ".join(said))

    def judge_measure(self, outcome: Outcome, measure: str) -> tuple[Verdict, str]:
        """Return the verdict, and the deciding values."""
        if self.form in CURVES:
            return self.judge_curves(outcome, measure)
        show = shower(outcome, measure)
        if self.form in EACH:
            points = [point for point in outcome.points if matches(point, self.at)]
            values = ", ".join(show(self.value(point, measure)) for point in points)
            return every(self.judge_point(point, measure) for point in points), values
        if self.form == "greatest":
            return self.judge_greatest(outcome, measure)
        pair = (self.option, self.options["lower"]) if self.form == "higher" else self.option
        first, second = (self.point(outcome, place) for place in pair)
        margins = self.pair_margins(first, second, measure)
        verdict = every(one.verdict for one in margins)
        a, b = (self.value(point, measure) for point in (first, second))
        if self.form == "higher":
            sign = ">" if a > b else "≤"
        elif self.form == "gap":
            sign = "-"
        else:
            sign = "≈" if (verdict == HOLDS) == (self.form == "near") else "≠"
        said = f"{show(a)} {sign} {show(b)}"
        if self.form == "gap":
            said += f" = {show(a - b)}"
        elif verdict == FAILS and a > b and self.form == "higher":
            said += f", not by the factor {self.options['factor']}"
        return verdict, said + doubted(outcome, measure, verdict, margins)

    def judge_greatest(self, outcome: Outcome, measure: str) -> tuple[Verdict, str]:
        """Judge whether no other point exceeds this one by more than a share of it."""
        best, show = self.point(outcome, self.option), shower(outcome, measure)
        others = [point for point in outcome.points if point is not best and matches(point, self.at)]
        factor = 1 + share(self.options.get("within", 0))
        margins = [margin(measure, [(factor, best), (-1.0, other)], strict=False) for other in others]
        verdict = every(one.verdict for one in margins)
        most = max((self.value(other, measure) for other in others), default=math.nan)
        said = f"{show(self.value(best, measure))}; at most {show(most)} elsewhere"
        return verdict, said + doubted(outcome, measure, verdict, margins)

    @property
    def option(self) -> Any:
        return self.options[self.form]

    def judge_point(self, point: PointOutcome, measure: str) -> Verdict:
        """Judge a form that every point must fulfil."""
        value = self.value(point, measure)
        if self.form == "zero":
            return HOLDS if all(one == 0 for one in point.values(measure).values()) else FAILS
        bound = share(self.option)
        weight, offset = (-1.0, bound) if self.form == "below" else (1.0, -bound)
        return margin(measure, [(weight, point)], offset).verdict if not math.isnan(value) else FAILS

    def pair_margins(self, first: PointOutcome, second: PointOutcome, measure: str) -> list[Margin]:
        """Judge a form with two points."""
        a, b = self.value(first, measure), self.value(second, measure)
        if self.form == "higher":
            factor = share(self.options.get("factor", 1))
            by_factor = margin(measure, [(1.0, first), (-factor, second)], strict=False)
            return [margin(measure, [(1.0, first), (-1.0, second)]), *([by_factor] if factor != 1 else [])]
        sign = 1.0 if a >= b else -1.0
        apart = ((sign, first), (-sign, second))
        if self.form == "gap":
            target, within = share(self.options["is"]), share(self.options["within"])
            difference = ((1.0, first), (-1.0, second))
            return [
                margin(measure, difference, within - target, strict=False),
                margin(measure, [(-weight, point) for weight, point in difference], within + target, strict=False),
            ]
        size, larger = max((abs(a), first), (abs(b), second), key=lambda one: one[0])
        unit = math.copysign(1.0, self.value(larger, measure)) if size else 1.0
        if self.form == "near":
            nearer = [(-weight, point) for weight, point in apart]
            return [margin(measure, [*nearer, (unit * share(self.options["within"]), larger)], strict=False)]
        by = share(self.options.get("by", APART))
        return [margin(measure, apart), margin(measure, [*apart, (-unit * by, larger)], strict=False)]

    def judge_curves(self, outcome: Outcome, measure: str) -> tuple[Verdict, str]:
        """Judge a form that runs along a parameter."""
        show, verdicts, said, margins = shower(outcome, measure), [], [], []
        for name, curve in self.curves(outcome, str(self.option)):
            own = CURVES[self.form](measure, curve)
            verdicts.append((some if self.form == "bent" else every)(one.verdict for one in own))
            said.append(name + " → ".join(show(self.value(point, measure)) for _, point in curve))
            margins += own
        verdict = every(verdicts)
        # The margins of `bent` are differences of slopes, which have another unit.
        doubt = "" if self.form == "bent" else doubted(outcome, measure, verdict, margins)
        return verdict, ", ".join(said) + doubt

    def curves(self, outcome: Outcome, axis: str) -> Iterator[tuple[str, Curve]]:
        """Yield for each combination of the other parameters, its name (of several), and the points along the axis."""
        points = [point for point in outcome.points if matches(point, self.at) and axis in point.parameters]
        if not points:
            raise StatementError(f"`{self.says}`: {self.experiment} has no points along {axis}")
        rest = [tuple((name, shown(v)) for name, v in p.parameters.items() if name != axis) for p in points]
        kinds = dict.fromkeys(rest)
        for others in kinds:
            own = [point for point, names in zip(points, rest, strict=True) if names == others]
            own.sort(key=lambda point: self.position(point, axis))
            name = " ".join(value for _, value in others) + ": " if len(kinds) > 1 else ""
            yield name, [(self.position(point, axis), point) for point in own]

    def position(self, point: PointOutcome, axis: str) -> float:
        """Return the place of a point along the axis: a number, or a quantity in the unit of its dimension."""
        value = point.parameters[axis]
        parts = quantity(value) if isinstance(value, str) else None
        if parts is not None:
            number, unit = parts
            if unit is None or unit in UNITS:
                return float(number if unit is None else number * UNITS[unit].scale)
        elif not isinstance(value, str):
            return float(value)
        raise StatementError(f"`{self.says}`: {axis}={shown(value)} is not a number or a quantity with a unit")

    def point(self, outcome: Outcome, where: Where) -> PointOutcome:
        found = [point for point in outcome.points if matches(point, {**self.at, **where})]
        if len(found) != 1:
            raise StatementError(f"`{self.says}`: {self.experiment} has {len(found)} points with {dict(where)}")
        return found[0]

    def value(self, point: PointOutcome, measure: str) -> float:
        if measure not in point.names:
            raise StatementError(f"`{self.says}`: {self.experiment} does not keep {measure}")
        return estimate(point, measure).mean


@dataclass(frozen=True)
class Judged:
    """A statement, its verdict, and the deciding values."""

    statement: Statement
    verdict: Verdict
    values: str

    @property
    def holds(self) -> bool:
        return self.verdict == HOLDS


def short(measure: str) -> str:
    """`sequence.duplicate_ack_share` for a table: the unit shows that it is a share, so `_share` is dropped.

    A statistic keeps the name before it: `router.wait.max` becomes `wait.max`.
    """
    parts = measure.split(".")
    last = 2 if STATISTIC.fullmatch(parts[-1]) else 1
    return ".".join(parts[-last:]).removesuffix("_share")


def ascending(measure: str, curve: Curve, sign: float = 1.0) -> list[Margin]:
    return [margin(measure, [(sign, b), (-sign, a)]) for (_, a), (_, b) in itertools.pairwise(curve)]


def descending(measure: str, curve: Curve) -> list[Margin]:
    return ascending(measure, curve, -1.0)


def bent(measure: str, curve: Curve) -> list[Margin]:
    """Return for each two successive slopes, by how much their difference exceeds a tenth of the greater."""
    slopes = []
    for (x, a), (y, b) in itertools.pairwise(curve):
        slope = (estimate(b, measure).mean - estimate(a, measure).mean) / (y - x)
        slopes.append((slope, [(1 / (y - x), b), (-1 / (y - x), a)]))
    margins = []
    for (first, before), (second, after) in itertools.pairwise(slopes):
        sign = 1.0 if first >= second else -1.0
        size, larger = max((first, before), (second, after), key=lambda one: abs(one[0]))
        part = math.copysign(STRAIGHT, size)
        margins.append(margin(measure, [*times(sign, before), *times(-sign, after), *times(-part, larger)]))
    return margins


def times(factor: float, weighted: Weighted) -> list[tuple[float, PointOutcome]]:
    return [(factor * weight, point) for weight, point in weighted]


CURVES: Final[Mapping[str, Callable[[str, Curve], list[Margin]]]] = {
    "increasing": ascending,
    "decreasing": descending,
    "bent": bent,
}


def doubted(outcome: Outcome, measure: str, verdict: Verdict, margins: Sequence[Margin]) -> str:
    """Return the margin that leaves a statement undecided, with its interval."""
    open_ones = [one for one in margins if one.verdict == UNDECIDED]
    if verdict != UNDECIDED or not open_ones:
        return ""
    interval = max(open_ones, key=lambda one: one.doubt).interval
    units, dimension = measured_in(outcome, measure)
    return f"; margin {units.show_with_error(interval.mean, interval.half_width, dimension)}"


def matches(point: PointOutcome, where: Where) -> bool:
    return all(
        name in point.parameters and shown(point.parameters[name]) == written(value) for name, value in where.items()
    )


def written(value: Any) -> str:
    return shown(value) if isinstance(value, bool | int | float | str) else str(value)


def measured_in(outcome: Outcome, measure: str) -> tuple[Units, str]:
    """Return the units of the net, and the dimension of the measure."""
    return Units.of(outcome.net), {figure.name: shown_dimension(figure.dimension) for figure in outcome.figures}.get(
        measure, ""
    )


def shower(outcome: Outcome, measure: str) -> Callable[[float], str]:
    """Write values of the measure in their unit."""
    units, dimension = measured_in(outcome, measure)
    return lambda value: units.show(value, dimension, 3)


def share(value: Any) -> float:
    """0.1, 1.2 or the text 10%. Raises StatementError."""
    text = str(value)
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise StatementError(f"`{text}` is neither a number nor a percentage") from None


def read_statements(path: Path) -> list[Statement]:
    """Return the statements of a file. Raises StatementError, with the number of the statement that is wrong."""
    try:
        entries = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise StatementError(f"{path}: {error}") from error
    if not isinstance(entries, list):
        raise StatementError(f"{path}: expected a list of statements")
    return [statement(entry, f"{path}, statement {number_}") for number_, entry in enumerate(entries, 1)]


def statement(entry: Any, where: str) -> Statement:
    """Return one entry of the list."""
    if not isinstance(entry, dict):
        raise StatementError(f"{where}: expected lines of the form name: value")
    forms = [form for form in FORMS if form in entry]
    if len(forms) != 1:
        raise StatementError(f"{where}: expected exactly one of {', '.join(FORMS)}")
    form = forms[0]
    unknown = set(entry) - {*COMMON, form, *OPTIONS.get(form, ())}
    needed = {"says", "source", "experiment", "measures", *NEEDED.get(form, ())}
    if unknown or not needed <= set(entry):
        wrong = f"unknown: {', '.join(sorted(map(str, unknown)))}" if unknown else ""
        lacking = ", ".join(sorted(needed - set(entry)))
        raise StatementError(f"{where}: {wrong or 'missing: ' + lacking}")
    if not isinstance(entry["measures"], list):
        raise StatementError(f"{where}: `measures` must be a list")
    if entry.get("predicted", HOLDS) not in (HOLDS, FAILS):
        raise StatementError(f"{where}: `predicted` must be {HOLDS} or {FAILS}")
    if entry.get("role", READ) not in STATEMENT_ROLES:
        raise StatementError(f"{where}: `role` must be one of {', '.join(STATEMENT_ROLES)}")
    options = {name: entry[name] for name in (form, *OPTIONS.get(form, ())) if name in entry}
    return Statement(
        says=str(entry["says"]),
        source=str(entry["source"]),
        experiment=str(entry["experiment"]),
        measures=tuple(map(str, entry["measures"])),
        form=form,
        options=options,
        at=dict(entry.get("at", {})),
        predicted=entry.get("predicted", ""),
        role=entry.get("role", ""),
    )
