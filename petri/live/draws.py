"""Replications that draw parameters from ranges: how measures are distributed if these are not known exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

from petri.experiment.design.definition import shown as written
from petri.experiment.design.grid import sampled_axis
from petri.experiment.design.sampling import MOST_VALUES, Axis, parse_values
from petri.experiment.design.warmup import derive
from petri.experiment.errors import ExperimentError
from petri.live.answer import named_figures, per_replication
from petri.live.refine import Point
from petri.live.source import Source
from petri.measure.intervals import Interval, order_interval, student_interval
from petri.model import Model
from petri.report.html import tables
from petri.report.html.markup import Markup, breakable, plotted, tag
from petri.report.html.page import Figure, axis, figure
from petri.report.telling.quantities import Units, counted
from petri.result import Result, run_failure
from petri.run.plan import Plan
from petri.structs import replace as changed

MOST: Final = 1_000
FEWEST: Final = 2  # of a distribution
SHARES: Final = (("5 %", 0.05), ("median", 0.5), ("95 %", 0.95))
BINS: Final = 30
LISTED: Final = 100
BITS: Final = 53  # of a uniform number
OF_MEASURES: Final = (("measure", "name"), ("as set", "figure"), ("over the range", "figure"))


class Draws:
    """Draw i = 1, 2, … has one replication, with the seed of the run + i and values that follow from that seed alone.

    texts: a range or a list for each parameter that is drawn. settings: of the others. logarithmic: parameters with
    such sliders. problem: why there are no draws.
    """

    def __init__(
        self, settings: Mapping[str, str], texts: Mapping[str, str], plan: Plan, source: Source, model: Model,
        logarithmic: Sequence[str],
    ) -> None:  # fmt: skip
        self.problem, self._source, self.seed = "", source, plan.seed
        self.points: list[Point] = []
        self._rows: dict[int, list[float]] = {}  # the figures of draws that have run
        self._failures: dict[int, str] = {}
        kinds = {parameter.name: parameter.kind for parameter in model.net.parameters}
        try:
            axes = {name: _axis(name, text, kinds[name], name in logarithmic) for name, text in texts.items()}
        except ExperimentError as error:
            self.problem = error.diagnostic.message
            return
        self.names = list(axes)
        for number in range(1, MOST + 1) if axes else ():
            values = {name: written(one.at(_uniform(plan.seed, number, name))) for name, one in axes.items()}
            point = Point({**settings, **values})
            point.load = partial(self._load, point.settings, plan.seed + number)
            point.most = 1
            self.points.append(point)

    def told(self, measure: str, now: Point, result: Result) -> dict[str, Any]:
        """Return the distribution of each measure over the draws, beside its figure as set; a chart of one of them."""
        self._collect()
        if self.problem or not self.points:
            return {"note": self.problem or "Choose a parameter to draw.", "html": "", "figure": None}
        named = named_figures(result)
        count = next((index for index in range(MOST) if index not in self._rows), MOST)
        rows = [self._rows[index] for index in range(count) if self._rows[index]]
        failed = [self._failures[index] for index in range(count) if index in self._failures]
        note = f"{counted(count, 'draw')} of {MOST:,}."
        if failed:
            note += f" {counted(len(failed), 'draw')} could not run and are left out: {failed[0]}"
        if len(rows) < FEWEST:
            return {"note": note, "html": "", "figure": None}
        units, names = Units.of(result.net), list(named)
        chosen = names.index(measure) if measure in names else 0
        over = [row[chosen] for row in rows]
        alone = [row[chosen] for row in per_replication(now)]
        dimension = named[names[chosen]][1]
        deviations = [units.show(_deviation(each), dimension) for each in (over, alone)]
        note += f" The standard deviation of {names[chosen]} is {deviations[0]} over the range"
        note += f", and {deviations[1]} as set, which is chance alone." if len(alone) > 1 else "."
        listed = self._listed(names[chosen], chosen, units, dimension, count)
        return {
            "note": note,
            "html": _table(named, rows, units) + listed,
            "figure": _chart(over, alone, units, names[chosen], dimension),
            "command": self._source.command(self.points[count - 1].settings, 1, self.seed + count),
            "last": f"Draw {count} alone",
        }

    def _load(self, settings: Mapping[str, str], seed: int) -> tuple[Model, Plan]:
        model, plan = self._source.load(settings)
        return model, changed(plan, seed=seed)

    def _collect(self) -> None:
        """Keep the figures of draws that have run, and nothing else of them."""
        for index, point in enumerate(self.points):
            if index in self._rows or not (point.done or point.problem):
                continue
            failure = _failure(point)
            if failure:
                self._failures[index] = failure
            self._rows[index] = [] if failure else per_replication(point)[0]
            point.model, point.plan, point.values = None, None, []
            point.done.clear()

    def _listed(self, name: str, chosen: int, units: Units, dimension: str, count: int) -> Markup:
        """Return the draws with their seeds and values."""
        columns = [("draw", "name"), ("seed", "figure"), *((one, "figure") for one in self.names), (name, "figure")]
        rows = []
        for index in range(min(count, LISTED)):
            values = [self.points[index].settings[one] for one in self.names]
            found = self._rows[index]
            figure = units.show(found[chosen], dimension) if found else self._failures[index]
            rows.append((str(index + 1), str(self.seed + index + 1), *values, figure))
        made = tables.table(columns, rows, "The draws", more=count - LISTED)
        return tag("details", tag("summary", "The draws"), made, id="draws-listed")


def _axis(name: str, text: str, kind: str, logarithmic: bool) -> Axis:
    """Return what a parameter is drawn from: a list with commas, or a range; of a real, all numbers of it."""
    if "," in text:
        return Axis(tuple(parse_values(text)[:MOST_VALUES]))
    found = sampled_axis(name, text)
    assert found.between is not None
    between = found.between if kind == "int" else replace(found.between, whole=False)
    return replace(found, between=between, logarithmic=logarithmic and between.low > 0 and not between.whole)


def _uniform(seed: int, number: int, name: str) -> float:
    """Return a number from 0 to 1, without 1."""
    return (derive(seed, "draw", number, name) >> (63 - BITS)) / 2.0**BITS


def _failure(point: Point) -> str:
    """Return why a draw could not run, "" if it did."""
    if point.problem is not None:
        return point.problem.diagnostics[0].message
    faults = [fault for one in point.ran for fault in one.faults]
    return run_failure(point.model.net, faults[0]).diagnostic.message if faults and point.model is not None else ""


def _deviation(values: Sequence[float]) -> float:
    if len(values) < FEWEST or not all(map(math.isfinite, values)):
        return math.nan
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _quantile(values: Sequence[float], share: float) -> Interval:
    """Return a quantile, which says so where there are too few draws for its interval."""
    found = order_interval(values, share)
    return found if found.ends is not None or not math.isfinite(found.mean) else changed(found, longer=math.inf)


def _table(named: Mapping[str, tuple[Interval, str]], rows: Sequence[Sequence[float]], units: Units) -> Markup:
    """Return the figures as set, and those over the draws: their mean and quantiles, with intervals."""
    columns = [*OF_MEASURES, *((heading, "figure") for heading, _ in SHARES)]
    made = []
    for index, (name, (one, dimension)) in enumerate(named.items()):
        values = [row[index] for row in rows]
        mean = units.show_interval(student_interval(values), dimension) if one.statistic == "mean" else ""
        quantiles = [units.show_interval(_quantile(values, share), dimension) for _, share in SHARES]
        made.append((tag("code", breakable(name)), units.show_interval(one, dimension), mean, *quantiles))
    return tables.table(columns, made, "Measures over the range")


def _chart(over: Sequence[float], alone: Sequence[float], units: Units, name: str, dimension: str) -> Figure | None:
    """Return a histogram of the draws and one of the replications as set, with the quantiles of the draws."""
    finite = [value for value in over if math.isfinite(value)]
    both = [*finite, *(value for value in alone if math.isfinite(value))]
    if not finite or max(both) <= min(both):
        return None
    scale = units.scale(max(map(abs, both)), dimension)
    low, high = min(both) * scale.factor, max(both) * scale.factor
    count = min(max(math.ceil(math.sqrt(len(finite))), 5), BINS)
    edges = [low + (high - low) * index / count for index in range(count + 1)]
    middles = [(a + b) / 2 for a, b in pairwise(edges)]
    shares = [_shares(each, scale.factor, low, high, count) for each in (over, alone)]
    hover = f"%{{x:.4g}} {plotted(scale.unit)}: %{{y:.1%}}<extra></extra>"
    bars = {
        "type": "bar", "name": "over the range", "x": middles, "y": shares[0], "width": (high - low) / count,
        "marker": {"color": "@fill"}, "hovertemplate": hover,
    }  # fmt: skip
    steps = {
        "type": "scatter", "mode": "lines", "name": "as set", "x": [low, *middles, high], "hovertemplate": hover,
        "y": [shares[1][0], *shares[1], shares[1][-1]], "line": {"color": "@s1", "width": 2, "shape": "hvh"},
    }  # fmt: skip
    found = [(label, order_interval(over, share)) for label, share in SHARES]
    known = [(label, one) for label, one in found if math.isfinite(one.mean)]
    top = max(map(max, shares))
    marks = {
        "type": "scatter", "mode": "markers+text", "name": "quantiles, 95 %", "y": [1.12 * top] * len(known),
        "x": [one.mean * scale.factor for _, one in known], "text": [label for label, _ in known],
        "textposition": "top center", "hoverinfo": "x",
        "marker": {"color": ["@s0" if one.ends else "@sheet" for _, one in known], "size": 8,
                   "line": {"color": "@s0", "width": 2}},
        "error_x": {
            "type": "data", "symmetric": False, "color": "@s0", "thickness": 1.5, "width": 5, "visible": True,
            "array": [(one.high - one.mean) * scale.factor if one.ends else 0.0 for _, one in known],
            "arrayminus": [(one.mean - one.low) * scale.factor if one.ends else 0.0 for _, one in known],
        },
    }  # fmt: skip
    traces: list[dict[str, Any]] = [bars, *([steps] if len(alone) >= FEWEST else []), marks]
    up = axis("share", tickformat=".0%", range=[0, 1.3 * top])
    return figure(traces, axis(plotted(name), plotted(scale.unit)), up, legend=True, bargap=0)


def _shares(values: Sequence[float], factor: float, low: float, high: float, count: int) -> list[float]:
    """Return the share of the values in each of `count` equal parts from low to high."""
    found = [0.0] * count
    for value in values:
        if math.isfinite(value):
            at = int((value * factor - low) / (high - low) * count)
            found[min(max(at, 0), count - 1)] += 1.0 / len(values)
    return found
