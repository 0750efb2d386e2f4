"""An experiment made ready to run: its net flattened at every point, with everything checked before anything runs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from petri import structs
from petri.catalogue.units import NAMED, PLAIN, UNITS, in_net_units
from petri.diagnostics import Diagnostic, LanguageError
from petri.experiment.design.definition import (
    EXPECTED,
    INDEPENDENT,
    PER_TRANSITION,
    STREAMS,
    Definition,
    Expected,
    point_key,
    point_label,
)
from petri.experiment.design.names import known_figures
from petri.experiment.design.sampling import MOST_POINTS, Values, exact
from petri.experiment.design.task import pack
from petri.experiment.design.warmup import derive
from petri.experiment.errors import problem
from petri.measure.figures import Figure, figures, statistics
from petri.measure.pooling import EXTREMES
from petri.measure.selection import Best, Choice
from petri.measure.sequential import FIRST_LOOK, Judgeable, Precision, Stopping, looks
from petri.model import Model, load
from petri.net import Net, split_unit
from petri.result.export import net_hash
from petri.run.plan import Plan
from petri.traffic.identity import sealed


@dataclass(frozen=True)
class Point:
    """One point, ready to run. `key` names it in a store; `plan.warmup` is meaningless if `pilot` is True."""

    number: int
    parameters: Values
    net: Net = field(repr=False)
    packed: bytes = field(repr=False)
    net_hash: str
    plan: Plan
    pilot: bool
    names: tuple[str, ...]
    judging: Mapping[str, Judgeable] = field(default_factory=dict)  # the precision that its expected values need

    @property
    def key(self) -> str:
        return point_key(self.parameters)

    @property
    def label(self) -> str:
        """`threads=4 engines=2`; "the only point" without parameters."""
        return point_label(self.parameters)


@dataclass(frozen=True)
class Prepared:
    """An experiment with its points flattened. `identity` is common to all rows of one store."""

    experiment: Definition
    points: tuple[Point, ...]
    base: Net
    stopping: Stopping
    identity: Mapping[str, Any]
    engine: str
    choice: Choice | None = None  # of the best point

    @property
    def figures(self) -> tuple[Figure, ...]:
        return figures(self.points[0].net, self.points[0].names)


def prepare(experiment: Definition, engine: str = "auto") -> Prepared:
    """Flatten the net at every point. Raises ExperimentError or LanguageError if a point is invalid."""
    return Preparation(experiment, engine).prepared()


class Preparation:
    """Prepares an experiment: everything is checked before anything runs."""

    def __init__(self, experiment: Definition, engine: str) -> None:
        self.experiment = experiment
        self.engine = engine
        if not experiment.points:
            raise problem("no-points")
        if len(experiment.points) > MOST_POINTS:
            raise problem("too-many-points", count=len(experiment.points), limit=MOST_POINTS)
        if experiment.streams not in STREAMS:
            raise ValueError(f'streams are one of {", ".join(STREAMS)}, not "{experiment.streams}"')

    def prepared(self) -> Prepared:
        experiment = self.experiment
        base = self.model({})
        names = self.names(base.net)
        points = tuple(self.point(number, values, names) for number, values in enumerate(experiment.points))
        plan, count = base.plan(
            until=experiment.until, warmup=0.0 if self.automatic else experiment.warmup, seed=experiment.seed
        )
        identity = {
            "net": base.net.name,
            "net_hash": net_hash(base.net),
            "fixed": dict(experiment.fixed),
            "until": written(plan.until),
            "warmup": "auto" if self.automatic else plan.warmup,
            "seed": plan.seed,
            "streams": experiment.streams,
            "measures": list(names),
            "limits": structs.as_dict(experiment.limits),
        }
        stopping = self.stopping(base.net, names, count)
        for expected in experiment.expected:
            expected_value(expected, base.net, names)
            if expected.predicted is not None:
                predicted_value(expected, expected.predicted, base.net)
        best = experiment.best
        choice = None if best is None else Choice(best, stopping.first, experiment.max_replications)
        return Prepared(experiment, points, base.net, stopping, identity, points[0].plan.engine, choice)

    @property
    def automatic(self) -> bool:
        return self.experiment.warmup == "auto"

    def model(self, values: Values) -> Model:
        """Return the net at a point, including the contents of the files of its streams."""
        model = self.flattened(values)
        if self.experiment.streams == PER_TRANSITION:
            model = model.with_own_streams()
        if self.experiment.recordings or self.experiment.columns:
            model = model.with_streams(self.experiment.recordings, self.experiment.columns)
        net = sealed(model.net)
        return model if net is model.net else structs.replace(model, net=net)

    def flattened(self, values: Values) -> Model:
        """Return the net at a point, from its text."""
        source, parameters = self.experiment.net, self.experiment.parameters(values)
        tables = self.experiment.tables
        if tables and not isinstance(source, str | Path):
            raise problem("net-without-tables", tables=list(tables))
        if isinstance(source, Net | Model):
            if parameters and isinstance(source, Model) and source.origin is not None:
                return source.origin.model(parameters)
            if parameters:
                raise problem("net-without-parameters", parameters=list(parameters))
            return source if isinstance(source, Model) else Model(source)
        if callable(source):
            made = source(**parameters)
            return made if isinstance(made, Model) else Model(made)
        return load(source, tables, **parameters)

    def point(self, number: int, values: Values, names: tuple[str, ...]) -> Point:
        try:
            model = self.model(values)
        except LanguageError as error:
            raise at_point(error, values) from error
        experiment = self.experiment
        plan, _ = model.plan(
            until=experiment.until,
            warmup=0.0 if self.automatic else experiment.warmup,
            seed=experiment.seed,
            engine=self.engine,
            limits=experiment.limits,
        )
        if experiment.streams == INDEPENDENT:
            plan = structs.replace(plan, seed=derive(plan.seed, point_key(values)))
        if self.automatic and not math.isfinite(plan.until):
            raise problem("warmup-without-end", net=model.net.name)
        known_figures(model.net, names)
        return Point(
            number,
            values,
            model.net,
            pack(model.net),
            net_hash(model.net),
            plan,
            self.automatic,
            names,
            self.judging(values, model.net),
        )

    def names(self, net: Net) -> tuple[str, ...]:
        return tuple(one.name for one in known_figures(net, self.experiment.measures))

    def judging(self, values: Values, net: Net) -> dict[str, Judgeable]:
        """Return the precision that the expected values of a point need; {} unless the experiment asks for it."""
        if self.experiment.precision != EXPECTED:
            return {}
        stated: dict[str, tuple[tuple[float, float], ...]] = {}
        for one in self.experiment.expected:
            if one.applies(values):
                value = expected_value(one, net, [one.measure])
                tolerance = one.within.bound * (abs(value) if one.within.relative else 1.0)
                stated[one.measure] = (*stated.get(one.measure, ()), (value, tolerance))
        return {name: Judgeable(pairs) for name, pairs in stated.items()}

    def stopping(self, net: Net, names: Sequence[str], default: int) -> Stopping:
        """Apply a precision by default to every measure that the net declares, but not to all figures it
        records.
        """
        experiment = self.experiment
        precision = experiment.precision
        if experiment.best is not None:
            self.require_best(experiment.best, names)
            first = next(looks(experiment.replications or FIRST_LOOK, experiment.max_replications))
            return Stopping(first, first, {})
        if precision is None:
            return Stopping(experiment.replications or default, experiment.replications or default, {})
        kinds = statistics(net, names)
        if isinstance(precision, str):
            return Stopping(experiment.replications or FIRST_LOOK, experiment.max_replications, {}, kinds)
        extremes = {name: kind for name, kind in kinds.items() if kind in EXTREMES}
        if isinstance(precision, Precision):
            declared = [measure.name for measure in net.measures if measure.name in names]
            means = [name for name in declared or names if name not in extremes]
            precision = dict.fromkeys(means, precision)
        for name in precision:
            if name not in names:
                raise problem("precision-of-unkept", name=name, kept=list(names))
            if name in extremes:
                raise problem("precision-of-extreme", name=name, extreme=extremes[name])
        return Stopping(experiment.replications or FIRST_LOOK, experiment.max_replications, dict(precision), kinds)

    def require_best(self, best: Best, names: Sequence[str]) -> None:
        if self.experiment.precision is not None:
            raise problem("best-and-precision")
        if best.figure not in names:
            raise problem("best-of-unkept", name=best.figure, kept=list(names))
        if not 0.0 < best.confidence < 1.0:
            raise problem("search-confidence", text=f"{best.confidence:.10g}")
        if not 0.0 <= best.within < math.inf:
            raise problem("within-form", text=f"{best.within:.10g}")
        if len(self.experiment.points) < 2:
            raise problem("best-of-one")


def at_point(error: LanguageError, values: Values) -> LanguageError:
    """Return the same errors, preceded by one that names the point."""
    if not values:
        return error
    where = Diagnostic("point-refused", values={"point": point_label(values)})
    return LanguageError([where, *error.diagnostics], error.sources)


def written(value: float) -> float | str:
    """Return a number for JSON, which has no infinity."""
    return float(value) if math.isfinite(value) else "dead"


_QUANTITY: Final = re.compile(r"\s*([+-]?(?:\d[\d_]*)?(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([A-Za-z]+|%)?\s*")


def expected_value(expected: Expected, net: Net, names: Sequence[str]) -> float:
    """Return the expected value, in the net's units.

    Raises ExperimentError if it has the wrong unit, or is not a value.
    """
    if expected.measure not in names:
        raise problem("expected-of-unkept", name=expected.measure, kept=list(names))
    dimension = next(figure.dimension for figure in figures(net, [expected.measure]))
    return in_units(expected.value, dimension, net, expected.measure)


def predicted_value(expected: Expected, predicted: float | str, net: Net) -> float:
    """Return the value that was predicted, in the net's units. Raises ExperimentError as `expected_value` does."""
    dimension = next(figure.dimension for figure in figures(net, [expected.measure]))
    return in_units(predicted, dimension, net, expected.measure)


def quantity(text: str) -> tuple[Fraction, str | None] | None:
    """Return the number and the unit of `2.96 Gbps`, `5%` or `7`; None if the text is something else."""
    match = _QUANTITY.fullmatch(text)
    if match is None or not any(character.isdigit() for character in match[1]):
        return None
    try:
        return exact(match[1]), match[2]
    except ValueError:
        return None


def in_one_unit(values: Sequence[object]) -> tuple[tuple[float, ...], str] | None:
    """Return the numbers of `600 kbps` and `1 Mbps`, and the unit of the first;

    None if they are not all of one kind.
    """
    parts = [quantity(value) if isinstance(value, str) else None for value in values]
    known = [(part[0], UNITS[part[1]]) for part in parts if part is not None and part[1] in UNITS]
    if not known or len(known) < len(values) or len({unit.dimension for _, unit in known}) > 1:
        return None
    first = known[0][1]
    texts = [part[1] for part in parts if part is not None]
    return tuple(float(number * unit.scale / first.scale) for number, unit in known), str(texts[0])


def in_units(value: float | str, dimension: str, net: Net, measure: str) -> float:
    """Return a number, or text with a unit that fits a measure's dimension, in the net's units."""
    if not isinstance(value, str):
        return float(value)
    parts = quantity(value)
    if parts is None:
        raise problem("not-a-quantity", text=value, name=measure)
    number, written_unit = parts
    if written_unit is None:
        return float(number)
    if written_unit == "%":
        return float(number / 100)
    unit = UNITS.get(written_unit)
    name = split_unit(dimension)[0]
    wanted = NAMED["Freq"] if name == "events" else NAMED.get(name, PLAIN)
    if unit is None or unit.dimension != wanted or (net.seconds is None and unit.dimension.time):
        known = wanted != PLAIN and not (net.seconds is None and wanted.time)
        fitting = [name for name, one in UNITS.items() if one.dimension == wanted] if known else None
        raise problem("unit-of-measure", text=value, name=measure, fitting=fitting, plain=None if fitting else "plain")
    second = Fraction(1) if net.seconds is None else Fraction(str(net.seconds))
    return float(in_net_units(number * unit.scale, unit.dimension, second))
