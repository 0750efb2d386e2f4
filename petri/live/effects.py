"""How much a measure changes with each parameter, beside its slider, from replications of the settings next to one.

They have a stream for each transition and the same seeds, so that they are compared in pairs, as by
`pnsim sensitivity`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from petri.experiment.design.names import known_figures
from petri.experiment.errors import ExperimentError, problem
from petri.experiment.sensitivity.factors import SHARE, Factor, factors
from petri.experiment.sensitivity.local import Effect, effect
from petri.experiment.sensitivity.measuring import Sampled, weighted
from petri.live.refine import MOST_OF_OTHERS, Point
from petri.measure.figures import evaluate_columns
from petri.measure.intervals import Interval
from petri.model import Model
from petri.net import Net
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units, counted
from petri.report.telling.sensitivity import change_text, signed
from petri.result import run_failure
from petri.run.ensemble import Ensemble
from petri.run.plan import Plan

FEWEST: Final = 2  # replications of an interval


class Effects:
    """The settings next to that of a point, one change of a parameter in each. of: the point."""

    def __init__(self, of: Point) -> None:
        assert of.model is not None
        assert of.plan is not None
        self.of, plan = of, of.plan
        self._model = of.model.with_own_streams()
        self._base = self._point(lambda: self._model.net, plan)
        changes = [_upwards(one) for one in factors(self._model) if one.kind == "parameter"]
        self._changes = [(factor, self._point(partial(factor.at, share), plan)) for factor, share in changes]
        self._known: dict[tuple[int, str], Sampled] = {}  # by the point and the measure

    @property
    def points(self) -> list[Point]:
        """What is to run: the setting itself first."""
        return [self._base, *(point for _, point in self._changes)]

    def told(self, measure: str) -> dict[str, Any]:
        """Return for each parameter what its changes do to a measure, and a note on all of them."""
        try:
            (wanted,) = known_figures(self._model.net, [measure])
            if wanted.statistic != "mean":
                raise problem("sensitivity-extreme", name=measure)
        except ExperimentError as error:
            return {"measure": measure, "rows": {}, "note": error.diagnostic.message}
        found = [self._effect(factor, point, measure) for factor, point in self._changes]
        longest = _longest([one for one in found if isinstance(one, Effect)])
        rows: dict[str, list[dict[str, Any]]] = {}
        for (factor, _), one in zip(self._changes, found, strict=True):
            row = self._row(one, longest, shown_dimension(wanted.dimension)) if isinstance(one, Effect) else {"by": one}
            text = change_text(factor, Units.of(self._model.net), self._model.net)
            rows.setdefault(factor.name, []).append({"change": text, **row})
        fewest = min((len(point.ran) for point in self.points if point.wanted), default=MOST_OF_OTHERS)
        so_far = " so far" if fewest < MOST_OF_OTHERS else ""
        note = f"{counted(fewest, 'replication')} of each{so_far}, compared in pairs. Pale: noise."
        return {"measure": measure, "rows": rows, "note": note}

    def _point(self, net: Callable[[], Net], plan: Plan) -> Point:
        point = Point({}, load=lambda: (Model(net(), self._model.sources), plan))
        point.most = MOST_OF_OTHERS
        return point

    def _effect(self, factor: Factor, point: Point, measure: str) -> Effect | str:
        """Return what is known of a change; or why nothing is."""
        for one in (point, self._base):
            if one.problem is not None:
                return one.problem.diagnostics[0].message
            for ran in one.ran:
                if ran.faults and one.model is not None:
                    return run_failure(one.model.net, ran.faults[0]).diagnostic.message
        base, there = self._values(self._base, measure), self._values(point, measure)
        count = min(len(base.values), len(there.values))
        if count < FEWEST:
            return "…"
        base, there = (Sampled(one.values[:count]) for one in (base, there))
        return effect(factor, base, weighted([(1.0, there), (-1.0, base)]), 1.0, len(self._changes))

    def _values(self, point: Point, measure: str) -> Sampled:
        """Return a measure of each replication, evaluated again when more have run."""
        ran, key = point.ran, (id(point), measure)
        known = self._known.get(key)
        if known is None or len(known.values) != len(ran):
            net = None if point.model is None else point.model.net
            known = _evaluated(net, ran, measure) if net is not None and ran else Sampled(np.empty(0))
            self._known[key] = known
        return known

    def _row(self, one: Effect, longest: float, dimension: str) -> dict[str, Any]:
        """Return texts of the change, and where its bar and its interval end, as shares of the longest."""
        units, size = Units.of(self._model.net), _size(one)
        that = signed(one.change, dimension, units)
        row: dict[str, Any] = {
            "by": signed(one.relative, "share", Units()) if size is one.relative else that,
            "that": that,
        }
        if not size.half_width and not size.mean:
            return row | {"by": "no change"}
        ends = (size.mean, size.mean - size.half_width, size.mean + size.half_width)
        if longest > 0.0 and all(map(math.isfinite, ends)):
            row["bar"] = [round(min(max(end / longest, -1.0), 1.0), 4) for end in ends]
        return row | {"certain": one.certain}


def _evaluated(net: Net, ran: Sequence[Ensemble], measure: str) -> Sampled:
    columns, _ = evaluate_columns(known_figures(net, [measure]), Ensemble.joined(ran).windows)
    return Sampled(columns[measure])


def _upwards(factor: Factor) -> tuple[Factor, float]:
    """Return a change as a difference, and its share: 10 % more of a real, or 10 % less at the end of its range."""
    if not factor.smooth:
        return factor, 1.0
    nearest = factor.high if factor.high > -factor.low else factor.low
    share = next((one for one in (SHARE, -SHARE) if factor.low <= one <= factor.high), nearest)
    return replace(factor, text=f"{share:+.0%}", change=1.0, value=math.nan), share


def _size(one: Effect) -> Interval:
    """Return what bars show: a change as a share of the measure, or itself where that is 0."""
    return one.relative if math.isfinite(one.relative.mean) else one.change


def _longest(known: Sequence[Effect]) -> float:
    """Return the end of the longest bar that is an effect, with its interval; of all where none is."""
    ends = [(one.certain, abs(_size(one).mean) + _size(one).half_width) for one in known]
    finite = [(certain, end) for certain, end in ends if math.isfinite(end)]
    return max([end for certain, end in finite if certain] or [end for _, end in finite], default=0.0)
