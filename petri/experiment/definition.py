"""What an experiment is: a net, the points at which to run it, and how long and how often."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from petri import structs
from petri.diagnostics import Diagnostic, LanguageError
from petri.engine.interface import Limits
from petri.engine.run import Plan
from petri.experiment.errors import ExperimentError, problem
from petri.experiment.figures import Figure, UnknownFigure, figures
from petri.experiment.sampling import Value, Values, exact
from petri.experiment.task import pack
from petri.experiment.warmup import derive
from petri.export import net_hash
from petri.language.meaning.units import NAMED, PLAIN, UNITS, Dimension, in_net_units
from petri.measure.sequential import FIRST_LOOK, Precision, Stopping
from petri.model import Model, load
from petri.net import Net
from petri.traffic.identity import sealed

if TYPE_CHECKING:
    from petri.experiment.summary import Outcome

MOST_POINTS: Final = 10_000
MOST_REPLICATIONS: Final = 1_000  # per point, when a precision is asked for and no other limit is given
COMMON, INDEPENDENT = "common", "independent"

Source = str | Path | Net | Model | Callable[..., Net | Model]
"""A net by its path or its name in the library, a net without parameters, or what makes one from parameters."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far from an expected value is near enough: a share of it, or (not `relative`) a distance."""

    bound: float
    relative: bool = True


@dataclass(frozen=True, slots=True)
class Expected:
    """A value that a measure should have at every point whose parameters include those of `point`.

    value: a number in the net's units, or text with a unit ("2.96 Gbps"). source: where it comes from.
    """

    measure: str
    value: float | str
    within: Tolerance = Tolerance(0.05)
    point: Values = field(default_factory=dict)
    source: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Expected:
        """What `to_dict` gave. Raises KeyError, TypeError where the data is something else."""
        return cls(
            data["measure"], data["value"], Tolerance(**data["within"]), dict(data["point"]), str(data["source"])
        )

    def applies(self, parameters: Values) -> bool:
        return all(name in parameters and parameters[name] == value for name, value in self.point.items())


@dataclass(frozen=True)
class Experiment:
    """Runs of a net over points of its parameters.

    net: its path, its name in the library, a `Net` or `Model`, or a function that makes one from keyword arguments.
    points: the parameters that change; `fixed` are the same at all points. replications: of each point; with a
    precision, those before the first look. precision: the half-width that every measure, or every measure named, must
    reach, to `max_replications` at the most. until, warmup: as of `Model.run`; warmup "auto" finds it with pilot runs.
    seed: of all points when streams are "common", so that differences between points are paired; "independent" gives
    each point its own. measures: the figures to keep (`petri.experiment.figures`), all declared ones when None.
    recordings, columns: files for the net's places with streams, as of `Model.with_streams`. tables: other files for
    the tables that the net draws from, as of `petri.load`.
    """

    net: Source
    points: Sequence[Values] = ({},)
    fixed: Values = field(default_factory=dict)
    replications: int | None = None
    precision: Precision | Mapping[str, Precision] | None = None
    max_replications: int = MOST_REPLICATIONS
    until: float | str | None = None
    warmup: float | str | None = None
    seed: int | None = None
    streams: str = COMMON
    measures: Sequence[str] | None = None
    expected: Sequence[Expected] = ()
    limits: Limits = Limits()
    recordings: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    description: str = ""

    @classmethod
    def load(cls, path: str | Path) -> Experiment:
        """From a YAML file. Raises LanguageError with everything that is wrong in it."""
        from petri.experiment.yaml_file import load_experiment

        return load_experiment(Path(path))

    def with_overrides(self, **overrides: Any) -> Experiment:
        """The experiment with other values for those fields that are not None."""
        return replace(self, **{name: value for name, value in overrides.items() if value is not None})

    def run(self, store: str | Path, **options: Any) -> Outcome:
        """Do what is missing in a store; see `petri.experiment.campaign.sweep` for the options."""
        from petri.experiment.campaign import sweep

        return sweep(self, store, **options)

    def prepare(self, engine: str = "auto") -> Prepared:
        """Flatten the net at every point. Raises ExperimentError or LanguageError where a point makes no sense."""
        return Preparation(self, engine).prepared()


@dataclass(frozen=True)
class Point:
    """One point, ready to run. `key` names it in a store; `plan.warmup` means nothing when `pilot` is True."""

    number: int
    parameters: Values
    net: Net = field(repr=False)
    packed: bytes = field(repr=False)
    net_hash: str
    plan: Plan
    pilot: bool
    names: tuple[str, ...]

    @property
    def key(self) -> str:
        return point_key(self.parameters)

    @property
    def label(self) -> str:
        """`threads=4 engines=2`; "the only point" without parameters."""
        return point_label(self.parameters)


@dataclass(frozen=True)
class Prepared:
    """An experiment with its points flattened. `identity` is what all rows of one store have in common."""

    experiment: Experiment
    points: tuple[Point, ...]
    base: Net
    stopping: Stopping
    identity: Mapping[str, Any]
    engine: str

    @property
    def figures(self) -> tuple[Figure, ...]:
        return figures(self.points[0].net, self.points[0].names)


def point_key(parameters: Values) -> str:
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def point_label(parameters: Values) -> str:
    return " ".join(f"{name}={shown(value)}" for name, value in parameters.items()) or "the only point"


def shown(value: Value) -> str:
    """A parameter's value as the language writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


class Preparation:
    """Makes an experiment ready, with everything checked before anything runs."""

    def __init__(self, experiment: Experiment, engine: str) -> None:
        self.experiment = experiment
        self.engine = engine
        if not experiment.points:
            raise problem("no-points")
        if len(experiment.points) > MOST_POINTS:
            raise problem("too-many-points", count=len(experiment.points), limit=MOST_POINTS)
        if experiment.streams not in (COMMON, INDEPENDENT):
            raise ValueError(f'streams are "{COMMON}" or "{INDEPENDENT}", not "{experiment.streams}"')

    def prepared(self) -> Prepared:
        experiment = self.experiment
        base = self.model({})
        names = self.names(base.net)
        points = tuple(self.point(number, values, names) for number, values in enumerate(experiment.points))
        plan, count = base.plan(
            until=experiment.until, warmup=None if self.automatic else experiment.warmup, seed=experiment.seed
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
        return Prepared(experiment, points, base.net, stopping, identity, points[0].plan.engine)

    @property
    def automatic(self) -> bool:
        return self.experiment.warmup == "auto"

    def model(self, values: Values) -> Model:
        """The net at a point, with what is in the files of its streams."""
        model = self.flattened(values)
        if self.experiment.recordings or self.experiment.columns:
            model = model.with_streams(self.experiment.recordings, self.experiment.columns)
        net = sealed(model.net)
        return model if net is model.net else structs.replace(model, net=net)

    def flattened(self, values: Values) -> Model:
        """The net at a point, as its text says."""
        source, parameters = self.experiment.net, {**self.experiment.fixed, **values}
        tables = self.experiment.tables
        if tables and not isinstance(source, str | Path):
            raise problem("net-without-tables", tables=list(tables))
        if isinstance(source, Net | Model):
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
        self.check(model.net, names)
        return Point(number, values, model.net, pack(model.net), net_hash(model.net), plan, self.automatic, names)

    def names(self, net: Net) -> tuple[str, ...]:
        return tuple(one.name for one in self.check(net, self.experiment.measures))

    def check(self, net: Net, names: Sequence[str] | None) -> tuple[Figure, ...]:
        try:
            return figures(net, names)
        except UnknownFigure as error:
            raise ExperimentError(error.diagnostic) from error

    def stopping(self, net: Net, names: Sequence[str], default: int) -> Stopping:
        """By default a precision is asked of every measure that the net declares, but not of all that it records."""
        experiment = self.experiment
        precision = experiment.precision
        if precision is None:
            return Stopping(experiment.replications or default, experiment.replications or default, {})
        if isinstance(precision, Precision):
            declared = [measure.name for measure in net.measures if measure.name in names]
            precision = dict.fromkeys(declared or names, precision)
        for name in precision:
            if name not in names:
                raise problem("precision-of-unkept", name=name, kept=list(names))
        return Stopping(experiment.replications or FIRST_LOOK, experiment.max_replications, dict(precision))


def at_point(error: LanguageError, values: Values) -> LanguageError:
    """The same errors, after one that says at which point they are."""
    if not values:
        return error
    where = Diagnostic("point-refused", values={"point": point_label(values)})
    return LanguageError([where, *error.diagnostics], error.sources)


def written(value: float) -> float | str:
    """A number for JSON, which has no infinity."""
    return value if math.isfinite(value) else "dead"


_QUANTITY: Final = re.compile(r"\s*([+-]?(?:\d[\d_]*)?(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([A-Za-z]+|%)?\s*")


def expected_value(expected: Expected, net: Net, names: Sequence[str]) -> float:
    """The value expected, in the net's units. Raises ExperimentError where it has the wrong unit, or is none."""
    if expected.measure not in names:
        raise problem("expected-of-unkept", name=expected.measure, kept=list(names))
    dimension = next(one.dimension for one in figures(net, [expected.measure]))
    return in_units(expected.value, dimension, net, expected.measure)


def in_units(value: float | str, dimension: str, net: Net, measure: str) -> float:
    """A number, or text with a unit that fits a measure's dimension, in the net's units."""
    if not isinstance(value, str):
        return float(value)
    match = _QUANTITY.fullmatch(value)
    if match is None or not any(character.isdigit() for character in match[1]):
        raise problem("not-a-quantity", text=value, name=measure)
    try:
        number = exact(match[1])
    except ValueError:
        raise problem("not-a-quantity", text=value, name=measure) from None
    if match[2] is None:
        return float(number)
    if match[2] == "%":
        return float(number / 100)
    unit = UNITS.get(match[2])
    wanted = _dimension(dimension)
    if unit is None or unit.dimension != wanted or (net.seconds is None and unit.dimension.time):
        known = wanted != PLAIN and not (net.seconds is None and wanted.time)
        fitting = [name for name, one in UNITS.items() if one.dimension == wanted] if known else None
        raise problem("unit-of-measure", text=value, name=measure, fitting=fitting, plain=None if fitting else "plain")
    second = Fraction(1) if net.seconds is None else Fraction(str(net.seconds))
    return float(in_net_units(number * unit.scale, unit.dimension, second))


def _dimension(name: str) -> Dimension:
    return NAMED["Freq"] if name == "events" else NAMED.get(name, PLAIN)
