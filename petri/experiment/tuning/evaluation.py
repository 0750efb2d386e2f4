"""The figures of settings: exact where the net has a chain, else by replications that a store keeps.

Replication i has the same seed at every setting, and a stream for each transition, so that differences are paired. All
that is proposed follows from a seed and from figures, so what was killed goes on from its store, and comes to the same
end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from petri.diagnostics import LanguageError
from petri.exact.libraries import NeedsExtra
from petri.experiment.design.definition import COMMON, PER_TRANSITION, Definition, point_key
from petri.experiment.design.names import known_figures
from petri.experiment.design.preparation import Preparation
from petri.experiment.design.sampling import Values
from petri.experiment.procedure.campaign import sweep
from petri.experiment.procedure.points import Interrupted
from petri.experiment.procedure.workers import Workers
from petri.measure.arrays import Floats
from petri.model import Model
from petri.result.export import number
from petri.run.stop import TimeLimit

STATES = 20_000  # of a chain that is solved instead of run


@dataclass
class Setting:
    """Values of the parameters, with each figure by replication; exact figures are single values.

    failed: why it has no figures: the net is refused there, a run stopped with an error in the model, or a figure has
    no value. Else "".
    """

    values: Values
    exact: bool = False
    failed: str = ""
    figures: dict[str, Floats] = field(default_factory=dict)

    def mean(self, name: str) -> float:
        found = self.figures.get(name, np.empty(0))
        return float(found.mean()) if len(found) else math.nan

    def half_width(self, name: str) -> float:
        """Return twice the standard error of a mean."""
        found = self.figures[name]
        return (
            0.0 if self.exact else 2 * float(found.std(ddof=1)) / math.sqrt(len(found)) if len(found) > 1 else math.nan
        )

    @property
    def replications(self) -> int:
        return 0 if self.exact else max(map(len, self.figures.values()), default=0)

    def to_dict(self) -> dict[str, Any]:
        figures = {
            name: {"mean": number(self.mean(name)), "half_width": number(self.half_width(name))}
            for name in self.figures
        }
        return {
            "parameters": dict(self.values),
            "exact": self.exact,
            "replications": self.replications,
            "figures": figures,
        }


class Evaluation:
    """Gives settings their figures."""

    def __init__(
        self, runs: Definition, names: Sequence[str], store: Path, engine: str, workers: Workers | int | None,
        limit: TimeLimit, solve: bool,
    ) -> None:  # fmt: skip
        self.names, self.store, self.engine, self.workers, self.limit = tuple(names), store, engine, workers, limit
        streams = PER_TRANSITION if runs.streams == COMMON else runs.streams
        self.runs = replace(runs, measures=list(names), points=[{}], replications=2, streams=streams)
        self.preparation = Preparation(self.runs, engine)
        self.net = self.preparation.model({}).net
        known_figures(self.net, names)
        plan = self.preparation.point(0, {}, self.names).plan
        self.solves = solve and plan.warmup > 0 and math.isfinite(plan.until)
        self.known: dict[str, Setting] = {}

    def more(self, points: Sequence[Values], replications: int) -> list[Setting]:
        """Return these settings with at least so many replications. Raises Interrupted, LanguageError."""
        missing = [one for one in points if not self._enough(one, replications)]
        if self.solves:
            missing = [one for one in missing if not self._solved(one)]
        if missing:
            distinct = list({point_key(one): one for one in missing}.values())
            try:
                self._run(distinct, replications)
            except LanguageError:
                accepted = [one for one in distinct if self._model(one)]
                if len(accepted) == len(distinct):
                    raise
                if accepted:
                    self._run(accepted, replications)
        return [self.known[point_key(one)] for one in points]

    def _run(self, points: Sequence[Values], replications: int) -> None:
        runs = replace(self.runs, points=list(points), replications=replications)
        outcome = sweep(runs, self.store, engine=self.engine, workers=self.workers, time_limit=self.limit)
        if outcome.interrupted:
            raise Interrupted
        for point in outcome.points:
            figures = {name: np.array(list(point.values(name).values())) for name in self.names}
            without = [name for name, figure in figures.items() if not np.isfinite(figure).all()]
            failed = f"`{without[0]}` has no value" if without else ""
            if point.failures:
                failed = point.failures[0].why("a run did not end")
            self.known[point_key(point.parameters)] = Setting(point.parameters, False, failed, figures)

    def _model(self, values: Values) -> Model | None:
        """Return the net at a setting. Where it is refused, keep why."""
        try:
            return self.preparation.model(values)
        except LanguageError as error:
            self.known[point_key(values)] = Setting(values, failed=error.diagnostics[0].message)
            return None

    def _enough(self, values: Values, replications: int) -> bool:
        known = self.known.get(point_key(values))
        return known is not None and (known.exact or bool(known.failed) or known.replications >= replications)

    def _solved(self, values: Values) -> bool:
        """Solve a setting, unless the net is refused there. One that has no chain, or a figure that its chain does not
        give, ends all attempts.
        """
        model = self._model(values)
        if model is None:
            return True
        try:
            solution = model.solve(states=STATES)
            figures = {name: np.array([solution.exact(name).value]) for name in self.names}
        except (LanguageError, NeedsExtra, KeyError):
            self.solves = False
            return False
        if any(not np.isfinite(figure).all() for figure in figures.values()):
            self.solves = False
            return False
        self.known[point_key(values)] = Setting(values, True, figures=figures)
        return True

    @property
    def replications(self) -> int:
        return sum(one.replications for one in self.known.values())
