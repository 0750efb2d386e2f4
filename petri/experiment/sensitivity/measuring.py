"""The figures of a changed net: by replications with the same random numbers, or exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from petri.diagnostics import Diagnostic
from petri.experiment.design.names import known_figures
from petri.experiment.errors import ExperimentError, problem
from petri.experiment.procedure.points import Interrupted
from petri.measure.arrays import Floats
from petri.measure.figures import Figure, default_names, evaluate_columns
from petri.measure.intervals import Interval, student_interval
from petri.model import Model
from petri.net import Net
from petri.result import run_failure
from petri.run.plan import Plan
from petri.run.replications import replicate
from petri.run.stop import NO_LIMIT, TimeLimit
from petri.structs import replace

LEVEL: Final = 0.95
CERTAIN: Final = 1.0


@dataclass(frozen=True)
class Sampled:
    """A figure of each replication, or one exact number. error: what it may be off by besides its noise."""

    values: Floats
    error: float = 0.0

    def interval(self, level: float = LEVEL) -> Interval:
        if len(self.values) == 1:
            return Interval(float(self.values[0]), self.error, CERTAIN, 0)
        found = student_interval(self.values, level)
        return replace(found, half_width=found.half_width + self.error) if self.error else found


Measured = Mapping[str, Sampled]


def weighted(parts: Sequence[tuple[float, Sampled]]) -> Sampled:
    """Return a weighted sum of the same figure of several nets, replication by replication."""
    values = np.sum([weight * one.values for weight, one in parts], axis=0)
    return Sampled(values, sum(abs(weight) * one.error for weight, one in parts))


@dataclass(frozen=True)
class Runs:
    """Measures by replications, of which each has the same random numbers in all nets that keep their seed."""

    plan: Plan
    replications: int
    names: Sequence[str]
    threads: int | None = None
    limit: TimeLimit = NO_LIMIT

    def __call__(self, net: Net, seed: int | None = None) -> Measured:
        """Return the figures of the replications. seed: instead of that of the plan.

        Raises Interrupted; ExperimentError where a run stops with an error in the model.
        """
        plan = self.plan if seed is None else replace(self.plan, seed=seed)
        ran, interrupted = replicate(
            net, plan, range(self.replications), threads=self.threads, batches=0, limit=self.limit
        )
        if interrupted:
            raise Interrupted
        if ran.faults:
            raise ExperimentError(run_failure(net, ran.faults[0]).diagnostic)
        columns, _ = evaluate_columns(known_figures(net, self.names), ran.windows)
        return {name: Sampled(column) for name, column in columns.items()}


@dataclass(frozen=True)
class Solutions:
    """Measures by certified solutions, which have no noise."""

    names: Sequence[str]
    states: int | None = None

    def __call__(self, net: Net, seed: int | None = None) -> Measured:
        """Return the exact figures. Raises LanguageError where the net has no chain that can be solved."""
        known_figures(net, self.names)
        solution = Model(net).solve(states=self.states)
        found = {name: solution.exact(name) for name in self.names}
        return {name: Sampled(np.array([one.value]), one.error) for name, one in found.items()}


def kept_figures(model: Model, names: Sequence[str] | None, exact: bool, states: int | None) -> list[Figure]:
    """Return the figures that are followed: those named, or all declared ones that have a mean.

    Raises ExperimentError for a named one that has none; LanguageError where a net has no chain.
    """
    wanted = known_figures(model.net, default_names(model.net) if names is None else names)
    reasons = _unsolved(model, wanted, states) if exact else _unmeasured(wanted)
    kept = [one for one in wanted if one.name not in reasons]
    if reasons and (names is not None or not kept):
        raise ExperimentError(next(iter(reasons.values())))
    return kept


def _unmeasured(wanted: Sequence[Figure]) -> dict[str, Diagnostic]:
    """Return why figures have no difference of means."""
    extremes = [one for one in wanted if one.statistic != "mean"]
    return {extreme.name: problem("sensitivity-extreme", name=extreme.name).diagnostic for extreme in extremes}


def _unsolved(model: Model, wanted: Sequence[Figure], states: int | None) -> dict[str, Diagnostic]:
    solution = model.solve(states=states)
    found = {one.name: one for one in (*solution.measures, *solution.places, *solution.transitions)}
    reasons = {one.name: found[one.name].reason for one in wanted if one.name in found}
    reasons |= {one.name: Diagnostic("exact-unseen") for one in wanted if one.name not in found}
    return {
        name: problem("sensitivity-inexact", name=name, reason=why.message).diagnostic
        for name, why in reasons.items()
        if why is not None
    }
