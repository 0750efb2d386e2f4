"""Statements of a paper in words, as checks on the figures of an experiment.

A statement names an experiment, its measures, and one form: `increasing`, `decreasing`, `bent`, `higher` (with
`lower`), `near`, `apart`, `below`, or `zero`. It is evaluated on the estimates (means over the replications).
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

from petri.experiment.definition import shown
from petri.experiment.preparation import quantity
from petri.experiment.summary import Outcome, PointOutcome
from petri.language.meaning.units import UNITS
from petri.report.quantities import NOTHING, Units

STRAIGHT: Final = 0.1  # slopes that differ by less than this share of the greater belong to one line
APART: Final = 0.05
STATISTIC: Final = re.compile(r"mean|std|min|max|sum|count|p\d+")
FORMS: Final = ("increasing", "decreasing", "bent", "higher", "near", "apart", "below", "zero")
COMMON: Final = ("says", "source", "experiment", "measures", "at")
OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {"higher": ("lower", "factor"), "near": ("within",), "apart": ("by",)}

Where = Mapping[str, Any]
"""Parameters of a point, or some of them."""


class StatementError(ValueError):
    """A file of statements cannot be read, or a statement names points or measures that its experiment lacks."""


@dataclass(frozen=True)
class Statement:
    """`options` has the entry of the form, and its further entries."""

    says: str
    source: str
    experiment: str
    measures: tuple[str, ...]
    form: str
    options: Mapping[str, Any]
    at: Where = field(default_factory=dict)

    def judge(self, outcome: Outcome) -> Judged:
        """Raises StatementError if the experiment has no such point or measure."""
        answers = [self.judge_measure(outcome, measure) for measure in self.measures]
        names = [f"{short(measure)}: " if len(self.measures) > 1 else "" for measure in self.measures]
        said = [name + values for name, (_, values) in zip(names, answers, strict=True)]
        return Judged(self, all(holds for holds, _ in answers), "; ".join(said))

    def judge_measure(self, outcome: Outcome, measure: str) -> tuple[bool, str]:
        """Whether it holds, and the deciding values."""
        option, show = self.options[self.form], shower(outcome, measure)
        if self.form in CURVES:
            curves = {name: list(curve) for name, curve in self.curves(outcome, measure, str(option))}
            said = [name + " → ".join(show(y) for _, y in curve) for name, curve in curves.items()]
            return all(map(CURVES[self.form], curves.values())), ", ".join(said)
        if self.form in ("zero", "below"):
            values = [self.value(point, measure) for point in outcome.points if matches(point, self.at)]
            good = [value == 0 if self.form == "zero" else value < share(option) for value in values]
            return all(good), ", ".join(map(show, values))
        places = (option, self.options["lower"]) if self.form == "higher" else option
        first, second = (self.value(self.point(outcome, place), measure) for place in places)
        holds = self.compare(first, second)
        if self.form == "higher":
            sign = ">" if first > second else "≤"
            if first > second and not holds:
                return False, f"{show(first)} {sign} {show(second)}, not by the factor {self.options['factor']}"
        else:
            sign = "≈" if holds == (self.form == "near") else "≠"
        return holds, f"{show(first)} {sign} {show(second)}"

    def compare(self, first: float, second: float) -> bool:
        difference = abs(first - second) / max(abs(first), abs(second), math.ulp(0))
        if self.form == "higher":
            return first > second and first >= second * share(self.options.get("factor", 1))
        if self.form == "near":
            return difference <= share(self.options["within"])
        return difference >= share(self.options.get("by", APART))

    def curves(self, outcome: Outcome, measure: str, axis: str) -> Iterator[tuple[str, Iterator[tuple[float, float]]]]:
        """For each combination of the other parameters, its name (of several), and the values along the axis."""
        points = [point for point in outcome.points if matches(point, self.at) and axis in point.parameters]
        if not points:
            raise StatementError(f"`{self.says}`: {self.experiment} has no points along {axis}")
        rest = [tuple((name, shown(v)) for name, v in p.parameters.items() if name != axis) for p in points]
        kinds = dict.fromkeys(rest)
        for others in kinds:
            own = [point for point, names in zip(points, rest, strict=True) if names == others]
            own.sort(key=lambda point: self.position(point, axis))
            name = " ".join(value for _, value in others) + ": " if len(kinds) > 1 else ""
            yield name, ((self.position(point, axis), self.value(point, measure)) for point in own)

    def position(self, point: PointOutcome, axis: str) -> float:
        """The place of a point along the axis: a number, or a quantity in the unit of its dimension."""
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
        return point.intervals[measure].mean


@dataclass(frozen=True)
class Judged:
    """A statement, whether it holds, and the deciding values."""

    statement: Statement
    holds: bool
    values: str


def ascending(curve: Sequence[tuple[float, float]]) -> bool:
    return all(before[1] < after[1] for before, after in itertools.pairwise(curve))


def descending(curve: Sequence[tuple[float, float]]) -> bool:
    return all(before[1] > after[1] for before, after in itertools.pairwise(curve))


def bent(curve: Sequence[tuple[float, float]]) -> bool:
    """Whether the slope changes by more than a tenth somewhere."""
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(curve)]
    return any(abs(a - b) > STRAIGHT * max(abs(a), abs(b)) for a, b in itertools.pairwise(slopes))


CURVES: Final = {"increasing": ascending, "decreasing": descending, "bent": bent}


def matches(point: PointOutcome, where: Where) -> bool:
    return all(
        name in point.parameters and shown(point.parameters[name]) == written(value) for name, value in where.items()
    )


def written(value: Any) -> str:
    return shown(value) if isinstance(value, bool | int | float | str) else str(value)


def shower(outcome: Outcome, measure: str) -> Callable[[float], str]:
    """Writes values of the measure in their unit."""
    dimensions = {one.name: one.dimension for one in outcome.figures}
    units, dimension = Units(outcome.net.seconds), dimensions.get(measure, "")
    return lambda value: units.show(value, dimension, 3)


def short(measure: str) -> str:
    """`sequence.duplicate_ack_share` for a table: the unit shows that it is a share, so `_share` is dropped.

    A statistic keeps the name before it: `router.wait.max` becomes `wait.max`.
    """
    parts = measure.split(".")
    last = 2 if STATISTIC.fullmatch(parts[-1]) else 1
    return ".".join(parts[-last:]).removesuffix("_share")


def percent(share: float, sign: str = "") -> str:
    return NOTHING if math.isnan(share) else format(share, f"{sign}.1%")


def share(value: Any) -> float:
    """0.1, 1.2 or the text 10%. Raises StatementError."""
    text = str(value)
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise StatementError(f"`{text}` is neither a number nor a percentage") from None


def read_statements(path: Path) -> list[Statement]:
    """The statements of a file. Raises StatementError, with the number of the statement that is wrong."""
    try:
        entries = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise StatementError(f"{path}: {error}") from error
    if not isinstance(entries, list):
        raise StatementError(f"{path}: expected a list of statements")
    return [statement(entry, f"{path}, statement {number_}") for number_, entry in enumerate(entries, 1)]


def statement(entry: Any, where: str) -> Statement:
    """One entry of the list."""
    if not isinstance(entry, dict):
        raise StatementError(f"{where}: expected lines of the form name: value")
    forms = [form for form in FORMS if form in entry]
    if len(forms) != 1:
        raise StatementError(f"{where}: expected exactly one of {', '.join(FORMS)}")
    form = forms[0]
    unknown = set(entry) - {*COMMON, form, *OPTIONS.get(form, ())}
    needed = {"says", "source", "experiment", "measures", *({"lower"} if form == "higher" else ())}
    needed |= {"within"} if form == "near" else set()
    if unknown or not needed <= set(entry):
        wrong = f"unknown: {', '.join(sorted(map(str, unknown)))}" if unknown else ""
        lacking = ", ".join(sorted(needed - set(entry)))
        raise StatementError(f"{where}: {wrong or 'missing: ' + lacking}")
    if not isinstance(entry["measures"], list):
        raise StatementError(f"{where}: `measures` must be a list")
    options = {name: entry[name] for name in (form, *OPTIONS.get(form, ())) if name in entry}
    return Statement(
        says=str(entry["says"]),
        source=str(entry["source"]),
        experiment=str(entry["experiment"]),
        measures=tuple(map(str, entry["measures"])),
        form=form,
        options=options,
        at=dict(entry.get("at", {})),
    )
