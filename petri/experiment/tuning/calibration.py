"""Calibration: the parameters at which the net's figures are nearest to measured ones, and how certain they are."""

from __future__ import annotations

import csv
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from petri.exact.libraries import library
from petri.experiment.design.preparation import in_units
from petri.experiment.design.sampling import Axis as SampledAxis
from petri.experiment.design.sampling import Values, latin_hypercube
from petri.experiment.errors import problem
from petri.experiment.procedure.workers import Workers
from petri.experiment.tuning.definition import Tuning
from petri.experiment.tuning.evaluation import Evaluation, Setting
from petri.experiment.tuning.space import Axis, axes
from petri.measure.arrays import Floats
from petri.measure.figures import figures
from petri.net import Net
from petri.result.export import number
from petri.run.stop import TimeLimit

LARGEST = 1 << 20  # bytes of a file of figures
ROUNDS = (16, 64)  # replications of each setting, first and where the first round has ended
BEGINS = 12  # settings for each parameter, of which the nearest is where the search begins
STEP = 0.02  # of a range, for differences
LOOSE = 0.25  # standard error as a share of the range, from which on the data do not determine a direction
SHARED = 0.2  # how much of such a direction a parameter has

Measured = Mapping[str, tuple[float | str, float | str]]
"""A value and its standard error by figure, in the net's units or with a unit."""


@dataclass(frozen=True)
class Calibration:
    """The likeliest values, with 95 % half-widths in the same unit; infinite where the data do not say.

    alike: parameters that the data cannot tell apart. figures: measured, its error, and that of the net, by name.
    probability: of figures as far off by chance if the net is right; nan where there are as many parameters as figures.
    """

    net: Net
    axes: tuple[Axis, ...]
    values: Values
    half_widths: Mapping[str, float]
    alike: tuple[tuple[str, ...], ...]
    figures: Mapping[str, tuple[float, float, float]]
    probability: float
    exact: bool
    replications: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types; what is not determined is None."""
        return {
            "parameters": dict(self.values),
            "half_widths": {name: number(one) for name, one in self.half_widths.items()},
            "alike": [list(names) for names in self.alike],
            "figures": {
                name: dict(zip(("measured", "error", "net"), of, strict=True)) for name, of in self.figures.items()
            },
            "probability": number(self.probability),
            "exact": self.exact,
            "replications": self.replications,
        }


def read_measured(path: str) -> dict[str, tuple[str, str]]:
    """Return a file of figures: `measure,value,error` in each row. Raises ExperimentError."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            text = file.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise problem("tune-measured-unreadable", path=path, reason=reason or str(error)) from error
    if len(text) > LARGEST:
        raise problem("tune-measured-unreadable", path=path, reason="it is longer than 1 MB")
    rows = [row for row in csv.reader(text.splitlines()) if row and not row[0].startswith("#")]
    if not rows or [cell.strip() for cell in rows[0]] != ["measure", "value", "error"]:
        raise problem("tune-measured-form", path=path)
    if wrong := next((number for number, row in enumerate(rows, 1) if len(row) != 3), None):
        raise problem("tune-measured-form", path=path, row=wrong)
    return {name.strip(): (value.strip(), error.strip()) for name, value, error in rows[1:]}


def run_calibration(
    tuning: Tuning,
    measured: Measured | None = None,
    store: str | Path | None = None,
    *,
    engine: str = "auto",
    workers: Workers | int | None = None,
    time_limit: float | TimeLimit | None = None,
) -> Calibration:
    """Return the parameters in `tuning.over`, which are reals, at which the figures are nearest to the measured ones.

    measured: instead of those of the file `tuning.match`. Raises ExperimentError, LanguageError; Interrupted where the
    time limit or Ctrl-C came.
    """
    if tuning.aims or tuning.where:
        raise problem("tune-match-and-aim")
    if not tuning.over:
        raise problem("tune-over-nothing")
    measured = read_measured(tuning.match or "") if measured is None else measured
    with tempfile.TemporaryDirectory(prefix="pnsim-") as folder:
        path = Path(folder) / "tune.db" if store is None else Path(store)
        limit = TimeLimit.of(time_limit)
        evaluation = Evaluation(tuning.runs, list(measured), path, engine, workers, limit, tuning.solve)
        return _Calibrating(tuning, measured, evaluation).run()


class _Calibrating:
    def __init__(self, tuning: Tuning, measured: Measured, evaluation: Evaluation) -> None:
        self.evaluation, net = evaluation, evaluation.net
        self.axes = axes(tuning.over or {}, net)
        if other := next((axis.name for axis in self.axes if axis.between is None), None):
            raise problem("tune-match-reals", name=other)
        if len(measured) < len(self.axes):
            raise problem("tune-match-few", parameters=len(self.axes), figures=len(measured))
        dimensions = {figure.name: figure.dimension for figure in figures(net, list(measured))}
        pairs = [[in_units(of, dimensions[name], net, name) for of in both] for name, both in measured.items()]
        self.wanted, self.errors = np.array(pairs).T
        if not (self.errors > 0).all():
            raise problem("tune-match-error", name=list(measured)[int(np.argmin(self.errors))])
        self.names = list(measured)
        self.own = np.zeros(len(self.names))  # errors of the net's figures
        self.replications = ROUNDS[0]

    def values(self, shares: Floats) -> Values:
        return {axis.name: axis.at(float(share)) for axis, share in zip(self.axes, shares, strict=True)}

    def residuals(self, shares: Floats) -> Floats:
        """Return how far each figure is from the measured one, in errors of both."""
        setting = self.setting(shares)
        if setting.failed:
            return np.full(len(self.names), 1e6)
        means = np.array([setting.mean(name) for name in self.names])
        found: Floats = (means - self.wanted) / np.hypot(self.errors, self.own)
        return found

    def setting(self, shares: Floats) -> Setting:
        (setting,) = self.evaluation.more([self.values(shares)], self.replications)
        return setting

    def run(self) -> Calibration:
        count = len(self.axes)
        sampled = latin_hypercube({str(at): _UNIT for at in range(count)}, BEGINS * count, 1)
        begins = [np.array([float(one[str(at)]) for at in range(count)]) for one in sampled]
        self.evaluation.more([self.values(begin) for begin in begins], self.replications)
        best = min(begins, key=lambda one: float((self.residuals(one) ** 2).sum()))
        optimise = library("scipy.optimize")
        for self.replications in ROUNDS:
            setting = self.setting(best)
            if not setting.failed:  # errors that are larger elsewhere, as of a queue without an end, would lead there
                self.own = np.array([setting.half_width(name) / 2 for name in self.names])
            found = optimise.least_squares(
                self.residuals, best, jac=self.slopes, bounds=(0.0, 1.0), xtol=1e-4, ftol=1e-6, max_nfev=60
            )
            best = found.x
            if setting.exact:
                break
        return self.judged(best, self.slopes(best), float((found.fun**2).sum()))

    def slopes(self, shares: Floats) -> Floats:
        """Return how each residual changes with each share, by central differences."""
        steps = STEP * np.eye(len(shares))
        lows, highs = np.maximum(shares - steps, 0.0), np.minimum(shares + steps, 1.0)
        self.evaluation.more([self.values(one) for one in (*lows, *highs)], self.replications)  # all at once
        rows = [
            (self.residuals(high) - self.residuals(low)) / (high - low).sum()
            for low, high in zip(lows, highs, strict=True)
        ]
        return np.array(rows).T

    def judged(self, shares: Floats, slopes: Floats, square: float) -> Calibration:
        """Return the uncertainty that follows from the slopes, and the directions of which the data say nothing."""
        _, sizes, directions = np.linalg.svd(slopes, full_matrices=False)
        loose = sizes < 1 / LOOSE
        alike = []
        for direction in directions[loose]:
            alike.append(
                tuple(axis.name for axis, part in zip(self.axes, direction, strict=True) if abs(part) > SHARED)
            )
        unknown = {name for names in alike for name in names}
        variances = (directions[~loose] ** 2 / sizes[~loose, None] ** 2).sum(axis=0)
        half_widths = {
            axis.name: math.inf if axis.name in unknown else 1.96 * math.sqrt(variance) * _width(axis)
            for axis, variance in zip(self.axes, variances.tolist(), strict=True)
        }
        values, setting = self.values(shares), self.setting(shares)
        freedom = len(self.names) - len(self.axes)
        chance = float(library("scipy.special").chdtrc(freedom, square)) if freedom else math.nan
        shown = {
            name: (float(wanted), float(error), setting.mean(name))
            for name, wanted, error in zip(self.names, self.wanted, self.errors, strict=True)
        }
        return Calibration(
            self.evaluation.net, tuple(self.axes), values, half_widths, tuple(dict.fromkeys(alike)), shown, chance,
            setting.exact, self.evaluation.replications,
        )  # fmt: skip


_UNIT = SampledAxis(choices=tuple(at / 1000 for at in range(1001)))


def _width(axis: Axis) -> float:
    assert axis.between is not None
    return float(axis.between.high - axis.between.low)
