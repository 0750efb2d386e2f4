"""The definition of an experiment: a net, the points at which to run it, and how long and how often."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from petri.engine.interface import Limits
from petri.experiment.design.arguments import check_cases, check_choice, check_design, check_precision
from petri.experiment.design.grid import grid_points, sample_points
from petri.experiment.design.options import check_kinds, option
from petri.experiment.design.sampling import Value, Values
from petri.experiment.errors import problem
from petri.measure.selection import Best
from petri.measure.sequential import Precision
from petri.model import Model
from petri.net import Net

MOST_REPLICATIONS: Final = 1_000  # per point, if a precision is set and no other limit is given
COMMON, INDEPENDENT, PER_TRANSITION = STREAMS = "common", "independent", "per-transition"
EXPECTED: Final = "expected"  # the precision that the expected values need to be judged
CASE: Final = "case"
"""The name of a point's case among its parameters."""
ROLES = ("fitted", "chosen", "input", "derived", "computed", "oracle", "trivial", "unpredictable")
FITTED, CHOSEN, INPUT, DERIVED, COMPUTED, ORACLE, TRIVIAL, UNPREDICTABLE = ROLES
"""The roles of expected values; see `Expected`."""
MARKED: Final = (INPUT, DERIVED, COMPUTED, ORACLE)  # by the author, before fitting sets are drawn
MARKED_SINCE: Final = (CHOSEN, UNPREDICTABLE)  # by the author, afterwards

Source = str | Path | Net | Model | Callable[..., Net | Model]
"""A net by its path or its name in the library, a net without parameters, or a function of the parameters."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance of an expected value: a share of it, or (not `relative`) a distance."""

    bound: float
    relative: bool = True


@dataclass(frozen=True, slots=True)
class Expected:
    """A value that a measure should have at every point whose parameters include those of `point`.

    value: a number in the net's units, or text with a unit ("2.96 Gbps"). source: where it comes from. role: "fitted"
    if the model was made to have it, "chosen" if it was in view when a structure was chosen, "input" if a parameter
    states it, "derived" if it follows from other stated numbers by arithmetic, "computed" if it does so and is not
    stated itself, "oracle" if an exact solution of the model gives it, "trivial" if an answer that needs no model is
    within the tolerance, "unpredictable" if it rests on single events of the measured run, otherwise "". predicted:
    what the model gave before the value was known, written as `value` is; None if it was known.
    """

    measure: str
    value: float | str
    within: Tolerance = Tolerance(0.05)
    point: Values = field(default_factory=dict)
    source: str = ""
    role: str = ""
    predicted: float | str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Expected:
        """Make an expectation from the output of `to_dict`. Raises KeyError, TypeError for other data."""
        return cls(
            data["measure"],
            data["value"],
            Tolerance(**data["within"]),
            dict(data["point"]),
            str(data["source"]),
            str(data.get("role", "")),  # stores of earlier versions have neither of the two
            data.get("predicted"),
        )

    def applies(self, parameters: Values) -> bool:
        return all(name in parameters and parameters[name] == value for name, value in self.point.items())


@dataclass(frozen=True)
class Definition:
    """Runs of a net over points of its parameters, as declared; `Experiment` is what can be run.

    net: its path, its name in the library, a `Net` or `Model`, or a function that makes one from keyword arguments.
    points: the parameters that change; `fixed` are the same at all points. Instead of points, `grid` gives values
    to combine ({"threads": [1, 2, 4], "engines": "1..8"}) or `sample` ranges to draw from, as in a file. cases:
    named sets of parameters; each point is run in each case, and has its name as `case`. parts: measures that add
    up to a whole, by its name, which reports draw as stacked bars. replications: per point; with a precision, the
    number before the first check. precision: the half-width that every measure, or every measure named, must reach,
    to `max_replications` at the most; "expected": at each point, a third of the tolerances of its expected values.
    best: instead of a precision, replicate until the best point is known.
    until, warmup: as of `Model.run`; warmup "auto" determines it from pilot
    runs. seed: of all points when streams are "common", so that differences between points are paired;
    "independent" gives each point its own, and "per-transition" is "common" with a stream for each transition (R5).
    measures: the figures to keep (`petri.measure.figures`), all declared ones when None. recordings, columns: files
    for the net's places with streams, as of `Model.with_streams`. tables: other files for the tables that the net
    draws from, as of `petri.load`.
    """

    net: Source
    points: Sequence[Values] = ({},)
    fixed: Values = field(default_factory=dict)
    replications: int | None = option(
        "count", "replications", "20", "N", "Per point; with --precision, the minimum.", default=None, short="-n"
    )
    precision: Precision | Mapping[str, Precision] | str | None = option(
        "precision", "precision", "2%", "SHARE", "Replicate until every interval is within ± SHARE (2%).", default=None
    )
    max_replications: int = option(
        "count", "max-replications", "500", "N", "Limit for --precision, and for the best point.",
        default=MOST_REPLICATIONS,
    )  # fmt: skip
    best: Best | None = option(
        "best", "best", "{greatest: goodput, within: 1%, confidence: 95%}", "NAME", "The best point.", default=None
    )
    until: float | str | None = option(
        "time", "until", "20 ms", "TIME", "End of each run, such as '20 ms'.", default=None, shared=True
    )
    warmup: float | str | None = option(
        "time", "warmup", "2 ms", "TIME", "Exclude the first TIME from the statistics; `auto` determines it.",
        default=None, shared=True,
    )  # fmt: skip
    seed: int | None = option("seed", "seed", "7", "N", "Seed of the random numbers.", default=None, shared=True)
    streams: str = option(
        "choice", "streams", COMMON, None,
        "`per-transition`: a random stream for each transition, which makes comparisons narrower.",
        default=COMMON, choices=STREAMS, shared=True,
    )  # fmt: skip
    measures: Sequence[str] | None = option(
        "names", "measures", "[goodput, delay.p99]", "NAME", "Keep only this measure. May be repeated.",
        flag="--measure", default=None,
    )  # fmt: skip
    expected: Sequence[Expected] = ()
    limits: Limits = Limits()
    recordings: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    description: str = ""
    cases: Mapping[str, Values] = field(default_factory=dict)
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    grid: InitVar[Mapping[str, Any] | None] = None
    sample: InitVar[Mapping[str, Any] | None] = None

    def __post_init__(self, grid: Mapping[str, Any] | None, sample: Mapping[str, Any] | None) -> None:
        """Raise ExperimentError if the grid or the sample is invalid, or if there are several designs.

        Raises TypeError, ValueError for arguments of a wrong kind.
        """
        check_design(self.points, grid, sample)
        check_kinds(
            Definition,
            {name: value for name, value in vars(self).items() if name != "replications" or value is not None},
        )
        check_precision(self.precision, EXPECTED)
        check_choice(self.best, self.measures)
        check_cases(self.cases)
        given = [] if list(self.points) == [{}] else ["points"]
        given += [name for name, one in (("grid", grid), ("sample", sample)) if one is not None]
        if len(given) > 1:
            raise problem("experiment-two-designs", first=given[0], second=given[1])
        if grid is not None:
            object.__setattr__(self, "points", grid_points(grid))
        elif sample is not None:
            object.__setattr__(self, "points", sample_points(sample))
        if self.cases:
            object.__setattr__(self, "points", in_cases(self.cases, self.points))

    def parameters(self, point: Values) -> dict[str, Value]:
        """Return what the net gets at a point: the parameters of its case instead of the case's name, and those
        fixed.
        """
        values = dict(point)
        case = values.pop(CASE, None) if self.cases else None
        return {**self.fixed, **({} if case is None else self.cases[str(case)]), **values}

    def with_overrides(self, **overrides: Any) -> Self:
        """Return the experiment with other values for those fields that are not None."""
        return replace(self, **{name: value for name, value in overrides.items() if value is not None})


def in_cases(cases: Mapping[str, Values], points: Sequence[Values]) -> list[Values]:
    """Return each point in each case; points that have a case already are left as they are."""
    if all(point.get(CASE) in cases for point in points):
        return list(points)
    if any(CASE in point for point in points):
        raise problem("case-and-point", name=CASE, case=next(iter(cases)))
    for name, values in cases.items():
        for point in points:
            twice = next((one for one in values if one in point), None)
            if twice is not None:
                raise problem("case-and-point", name=twice, case=name)
    return [{CASE: name, **point} for name in cases for point in points]


def point_key(parameters: Values) -> str:
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def point_label(parameters: Values) -> str:
    return " ".join(f"{name}={shown(value)}" for name, value in parameters.items()) or "the only point"


def shown(value: Value) -> str:
    """Return a parameter's value as the language writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
