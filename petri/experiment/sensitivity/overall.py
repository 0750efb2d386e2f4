"""How much of a figure's variance each parameter causes over its range: the indices of Sobol, and Morris's effects.

Each point of the samples of SALib is run several times with random numbers of its own, so a figure y = m + e has a
noise e of mean 0, whose variance is estimated at each point. The indices are those of m: products of values with
independent noise have no bias, and from squares the variance of the noise is subtracted. The rows of the samples are
independent, apart from filling the space evenly, and the intervals are from resampling them (bootstrap).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np

from petri.experiment.design.definition import shown
from petri.experiment.design.grid import sampled_axis
from petri.experiment.design.names import unknown_parameter
from petri.experiment.design.sampling import Axis, Range
from petri.experiment.design.warmup import derive
from petri.experiment.errors import problem
from petri.experiment.procedure.points import Interrupted
from petri.experiment.sensitivity.factors import SHARE, neighbours, net_with
from petri.experiment.sensitivity.local import Watcher
from petri.experiment.sensitivity.measuring import Runs, Solutions
from petri.measure.arrays import Floats
from petri.measure.intervals import Interval, student_interval
from petri.model import Model
from petri.net import Parameter
from petri.result.export import interval_dict

SAMPLES: Final = 64  # rows of Sobol's sample, each of which is a point for each parameter and two more
PATHS: Final = 16  # of Morris
LEVELS: Final = 4
RESAMPLED: Final = 1_000
NORMAL: Final = 1.96  # standard deviations of the half of a 95 % interval
BELOW_ONE: Final = math.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Spread:
    """A range that a parameter has, as people write it, and its axis."""

    name: str
    text: str
    axis: Axis


@dataclass(frozen=True)
class Index:
    """The indices of one parameter. alone: of the variance, what it causes alone; total: with all interactions.

    effect: from one end of its range to the other, on average (Morris's μ). spread: of that effect over the other
    parameters (his σ), without noise.
    """

    name: str
    over: str
    alone: Interval
    total: Interval
    effect: Interval
    spread: float


@dataclass(frozen=True)
class Indices:
    """Those of one figure, the parameter with the greatest share first.

    mean, deviation: of the figure over the ranges, without noise. noise: the deviation of a point that is noise.
    """

    parameters: Sequence[Index]
    mean: float
    deviation: float
    noise: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types."""
        rows = [
            {name: interval_dict(one) if isinstance(one, Interval) else one for name, one in vars(index).items()}
            for index in self.parameters
        ]
        return {**vars(self), "parameters": rows}


def ranges(model: Model, over: Iterable[str] | Mapping[str, Any] | None) -> list[Spread]:
    """Return the ranges of parameters: those given, else 10 % to each side. Raises ExperimentError."""
    if model.origin is None:
        raise problem(
            "net-without-parameters", parameters=[parameter.name for parameter in model.net.parameters] or ["…"]
        )
    known = {parameter.name: parameter for parameter in model.net.parameters}
    wanted = dict.fromkeys(known if over is None else over)
    given = over if isinstance(over, Mapping) else {}
    found = []
    for name in wanted:
        if name not in known:
            raise unknown_parameter(name, known)
        if given.get(name) is not None:
            axis = sampled_axis(name, given[name])
            if known[name].kind == "real" and axis.between is not None:  # any number of it, also of 0..1
                axis = replace(axis, between=replace(axis.between, whole=False))
            found.append(Spread(name, str(given[name]), axis))
        elif (around := _around(known[name])) is not None:
            found.append(Spread(name, *around))
        elif over is not None:
            raise problem("sensitivity-unvaried", name=name)
    if not found:
        raise problem("sensitivity-no-ranges", net=model.net.name)
    return found


def _around(parameter: Parameter) -> tuple[str, Axis] | None:
    """Return a tenth to each side of a number, or all values of a bool or an enumeration."""
    now = parameter.value
    if isinstance(now, bool | str):
        values = [now, *neighbours(parameter)]
        return (", ".join(map(shown, values)), Axis(tuple(values))) if len(values) > 1 else None
    reach = SHARE * abs(now) if parameter.kind == "real" else max(round(SHARE * abs(now)), 1)
    low, high = max(now - reach, _or(parameter.low, -math.inf)), min(now + reach, _or(parameter.high, math.inf))
    if low >= high:
        return None
    between = Range(Fraction(low), Fraction(high), whole=parameter.kind == "int")
    return (f"{low}..{high}" if between.whole else f"±{SHARE:.0%}"), Axis(between=between)


def _or(end: float | None, other: float) -> float:
    return other if end is None else end


@dataclass
class Overall:
    """Runs the samples, and computes the indices of each figure."""

    measure: Runs | Solutions
    model: Model
    names: Sequence[str]
    axes: Sequence[Spread]
    samples: int
    seed: int
    indices: dict[str, Indices] = field(default_factory=dict)
    nets: int = 0

    def run(self, watch: Watcher | None = None) -> bool:
        """Return whether it was interrupted: then there are no indices. Raises as `measure` does."""
        sobol, morris = _samples(len(self.axes), self.samples, self.seed)
        rows = np.concatenate([sobol, morris])
        values: list[dict[str, tuple[float, float]]] = []
        try:
            for number, row in enumerate(rows):
                if watch is not None:
                    watch(number, len(rows), "points")
                values.append(self._at(number, row))
        except (Interrupted, KeyboardInterrupt):
            return True
        self.nets = len(rows)
        for name in self.names:
            y, noise = np.array([one[name] for one in values]).T
            whole = len(sobol)
            self.indices[name] = self._indices(y[:whole], noise[:whole], y[whole:], noise[whole:], morris)
        return False

    def _at(self, number: int, row: Floats) -> dict[str, tuple[float, float]]:
        """Return the mean of each figure at a point, and the variance of the mean that is noise."""
        point = {one.name: one.axis.at(min(float(u), BELOW_ONE)) for one, u in zip(self.axes, row, strict=True)}
        found = self.measure(net_with(self.model, point), derive(self.seed, "point", number))
        return {name: (float(np.mean(one.values)), _noise(one.values)) for name, one in found.items()}

    def _indices(self, y: Floats, noise: Floats, path: Floats, path_noise: Floats, morris: Floats) -> Indices:
        k = len(self.axes)
        rows, noises = y.reshape(-1, k + 2), noise.reshape(-1, k + 2)
        alone, total = _sobol(rows, noises)
        stream = np.random.default_rng(self.seed)
        picks = stream.integers(0, len(rows), (RESAMPLED, len(rows)))
        again = np.array([_sobol(rows[pick], noises[pick]) for pick in picks])
        errors = NORMAL * np.nanstd(again, axis=0)
        effects = _elementary(path, path_noise, morris, k)
        found = []
        for i, axis in enumerate(self.axes):
            effect, of_noise = effects[i]
            found.append(
                Index(
                    axis.name,
                    axis.text,
                    Interval(float(alone[i]), float(errors[0, i]), 0.95, len(rows)),
                    Interval(float(total[i]), float(errors[1, i]), 0.95, len(rows)),
                    student_interval(effect),
                    float(np.sqrt(max(np.var(effect, ddof=1) - of_noise.mean(), 0.0))),
                )
            )
        found.sort(key=lambda one: -one.total.mean)
        ends, of_ends = rows[:, [0, -1]], noises[:, [0, -1]]
        deviation = float(np.sqrt(max(_variance(ends, of_ends), 0.0)))
        return Indices(tuple(found), float(ends.mean()), deviation, float(np.sqrt(of_ends.mean())))


def _noise(values: Floats) -> float:
    """Return the variance of a mean of replications; 0 of an exact figure."""
    return float(np.var(values, ddof=1)) / len(values) if len(values) > 1 else 0.0


def _samples(count: int, samples: int, seed: int) -> tuple[Floats, Floats]:
    """Return the points of Sobol's and of Morris's sample, in shares of the ranges. Raises ExperimentError."""
    try:
        from SALib.sample import morris, sobol
    except ImportError as error:
        raise problem("sensitivity-needs-library", library=error.name or "SALib") from error
    about = {"num_vars": count, "names": [f"x{i}" for i in range(count)], "bounds": [[0.0, 1.0]] * count}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that are no powers of 2, which cost some evenness
        first = sobol.sample(about, samples, calc_second_order=False, scramble=True, seed=seed % 2**32)
        second = morris.sample(about, PATHS, num_levels=LEVELS, seed=seed % 2**32)
    return np.asarray(first), np.asarray(second)


def _variance(y: Floats, noise: Floats) -> float:
    return float(np.var(y, ddof=1) - noise.mean())


def _sobol(y: Floats, noise: Floats) -> Floats:
    """Return the shares of the variance, alone and in total [2, k], from rows of the points A, AB₁ … AB_k, B.

    By Saltelli et al. (Computer Physics Communications 181, 2010), with Jansen's for the total.
    """
    a, mixed, b = y[:, :1], y[:, 1:-1], y[:, -1:]
    variance = _variance(y[:, [0, -1]], noise[:, [0, -1]])
    if not variance > 0.0:
        return np.full((2, mixed.shape[1]), math.nan)
    alone = ((b - y[:, [0, -1]].mean()) * (mixed - a)).mean(axis=0)
    total = ((a - mixed) ** 2 - noise[:, :1] - noise[:, 1:-1]).mean(axis=0) / 2.0
    found: Floats = np.array([alone, total]) / variance
    return found


def _elementary(y: Floats, noise: Floats, points: Floats, count: int) -> list[tuple[Floats, Floats]]:
    """Return, of each parameter, how much a figure rises over its range on each path, and the variance of its noise."""
    steps = np.diff(points.reshape(-1, count + 1, count), axis=1)
    which = np.abs(steps).argmax(axis=2)
    size = np.take_along_axis(steps, which[:, :, None], axis=2)[:, :, 0]
    rise = np.diff(y.reshape(-1, count + 1), axis=1) / size
    noises = noise.reshape(-1, count + 1)
    of_noise = (noises[:, 1:] + noises[:, :-1]) / size**2
    return [(rise[which == i], of_noise[which == i]) for i in range(count)]
