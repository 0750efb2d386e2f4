"""What a run gives back: figures with their intervals, verdicts, and all that is needed to repeat it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from petri.diagnostics import RunFailure
from petri.file_read import FileRead, furthest
from petri.measure import formula, reorder
from petri.measure.columns import PLACE_COLUMNS, TOTALS, TRANSITION_COLUMNS, grows
from petri.measure.estimate import Estimate, estimate, left_out
from petri.measure.formula import Verdict
from petri.measure.histogram import Histogram
from petri.measure.intervals import Interval
from petri.measure.observation import Floats, Observation, Snapshot, probe_figure
from petri.measure.occupancy import Occupancy
from petri.net import Counter, Expectation, Measure, Net, Order, Scalar, Term, Variable
from petri.run.plan import Plan
from petri.run.replications import Replication
from petri.structs import Frozen

if TYPE_CHECKING:
    import pandas


class PlaceFigures(Frozen):
    """One entry per place (M1). Times in the net's unit; nan where a figure does not apply."""

    names: tuple[str, ...]
    mean: Estimate  # tokens in time average
    maximum: Estimate  # over all replications
    occupied: Estimate  # share of time with at least one token
    arrivals: Estimate
    arrival_rate: Estimate
    sojourn: Estimate  # mean time that a token stays, by Little's law
    utilisation: Estimate  # 1 − mean / initial, of places that never hold more than at the start


class TransitionFigures(Frozen):
    """One entry per transition (M2)."""

    names: tuple[str, ...]
    firings: Estimate
    rate: Estimate  # firings per time unit
    in_progress: Estimate  # firings in progress in time average
    active: Estimate  # share of time with any in progress


class MeasureResult(Frozen):
    """A declared measure. `recorded` holds what its `record` asks for, by field."""

    measure: Measure
    interval: Interval
    recorded: Mapping[str, Interval]
    verdicts: tuple[tuple[Expectation, Verdict], ...]
    histogram: Histogram | None = None  # of all replications together
    distributions: Mapping[str, Floats] | None = None  # of an order probe, summed over replications
    series: Mapping[int, Floats] | None = None  # by replication: the measure in each window

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def value(self) -> float:
        return self.interval.mean


@dataclass(frozen=True)
class Result:
    """A run. Estimates rest on the replications that ended as planned, or, where none did, on what there is."""

    net: Net
    plan: Plan
    replications: tuple[Replication, ...]
    interrupted: bool = False
    asked: int = 1  # replications asked for

    @cached_property
    def counted(self) -> tuple[Replication, ...]:
        """The replications that the estimates rest on."""
        complete = tuple(r for r in self.replications if r.complete and r.warm)
        return complete or self.replications

    @property
    def partial(self) -> bool:
        """Whether any replication that counts stopped before its end."""
        return not all(r.complete for r in self.counted) or not self.counted

    @property
    def died(self) -> bool:
        """Whether a replication ended because nothing could happen any more, before the time it was given."""
        return any(r.ended == "dead" for r in self.replications)

    @property
    def hash(self) -> int:
        """One number for the trajectories of all replications."""
        combined = 0
        for replication in self.replications:
            combined = (combined * 0x9E3779B97F4A7C15 + replication.hash) % 2**64
        return combined

    @cached_property
    def files(self) -> tuple[FileRead, ...]:
        """What was read of the files of the net's streams, of each by the replication that read most of it."""
        return furthest(replication.files for replication in self.replications)

    @cached_property
    def failure(self) -> RunFailure | None:
        """What went wrong inside the model, in the first replication where something did."""
        for replication in self.replications:
            if replication.fault is not None:
                return run_failure(self.net, replication)
        return None

    @property
    def passed(self) -> bool:
        """Whether every expectation holds."""
        measured = (verdict.passed for result in self.measures for _, verdict in result.verdicts)
        return all(measured) and all(verdict.passed for _, verdict in self.verdicts)

    # ------------------------------------------------------------ figures

    @cached_property
    def without(self) -> list[Observation]:
        """The window of a single replication without each of its batches: what all its intervals rest on."""
        return left_out(self.counted[0].window, self.counted[0].batches) if len(self.counted) == 1 else []

    def estimate(self, figure: Callable[[Observation], Floats], *, total: bool = False) -> Estimate:
        """Any figure of an observation, with its interval; `total` if it grows with the run."""
        return estimate(figure, [r.window for r in self.counted], () if total else self.without)

    def greatest(self, figure: Callable[[Observation], Floats]) -> Estimate:
        """The greatest over the replications, which has no interval."""
        value = np.max([figure(r.window) for r in self.counted], axis=0)
        return Estimate(value, np.full(value.shape, math.nan), n=len(self.counted))

    @cached_property
    def places(self) -> PlaceFigures:
        columns = {name: self.estimate(f, total=name in TOTALS) for name, f in PLACE_COLUMNS.items()}
        columns["maximum"] = self.greatest(PLACE_COLUMNS["maximum"])
        return PlaceFigures(tuple(p.name for p in self.net.places), **columns)

    @cached_property
    def transitions(self) -> TransitionFigures:
        columns = {name: self.estimate(f, total=name in TOTALS) for name, f in TRANSITION_COLUMNS.items()}
        return TransitionFigures(tuple(t.name for t in self.net.transitions), **columns)

    def evaluate(self, term: Term) -> Interval:
        """A formula over what was observed."""
        return self.estimate(
            lambda seen: np.array([formula.evaluate(term, seen)]), total=grows(self.net, term)
        ).interval()

    def judge(self, expectations: Iterable[Expectation]) -> tuple[tuple[Expectation, Verdict], ...]:
        judged = []
        for expectation in expectations:
            interval = self.evaluate(expectation.formula)
            judged.append((expectation, formula.judge(expectation, interval.mean, interval)))
        return tuple(judged)

    @cached_property
    def verdicts(self) -> tuple[tuple[Expectation, Verdict], ...]:
        """Of the expectations that stand by themselves."""
        return self.judge(self.net.expectations)

    @cached_property
    def measures(self) -> tuple[MeasureResult, ...]:
        return tuple(self.measure_result(index) for index in range(len(self.net.measures)))

    def measure(self, name: str) -> MeasureResult:
        """A measure by its name. Raises KeyError."""
        for result in self.measures:
            if result.name == name:
                return result
        raise KeyError(name)

    def measure_result(self, index: int) -> MeasureResult:
        measure = self.net.measures[index]
        figures = [field for field in measure.record if field not in ("histogram", "series")]
        recorded = {field: self.recorded(measure, field) for field in figures}
        series = {r.index: np.array(r.series[index]) for r in self.counted if index in r.series}
        return MeasureResult(
            measure,
            self.evaluate(measure.formula),
            recorded,
            self.judge(measure.expectations),
            self.histogram(measure),
            self.distributions(measure),
            series or None,
        )

    def recorded(self, measure: Measure, field: str) -> Interval:
        probe = measure.probe
        assert probe is not None
        total = field in ("count", "sum", "min", "max") or field in reorder.COUNTERS + reorder.MAXIMA
        return self.estimate(lambda seen: np.array([probe_figure(seen.probes[probe], field)]), total=total).interval()

    def snapshots(self, measure: Measure) -> list[Snapshot]:
        return [] if measure.probe is None else [r.window.probes[measure.probe] for r in self.counted]

    def histogram(self, measure: Measure) -> Histogram | None:
        if measure.probe is None or isinstance(self.net.probes[measure.probe], Counter | Order):
            return None
        pooled = Histogram()
        for snapshot in self.snapshots(measure):
            pooled.merge(Histogram.of(snapshot))
        return pooled

    def distributions(self, measure: Measure) -> Mapping[str, Floats] | None:
        if measure.probe is None or not isinstance(self.net.probes[measure.probe], Order):
            return None
        snapshots = self.snapshots(measure)
        return {
            name: np.sum([np.asarray(s[name], dtype=np.float64) for s in snapshots], axis=0)
            for name in reorder.DISTRIBUTIONS
        }

    def occupancy(self, place: str) -> Occupancy | None:
        """How long a place held how many tokens, all replications together; None unless the run was to keep it.

        Raises KeyError where there is no such place.
        """
        index = self.place_index.get(place)
        if index is None:
            raise KeyError(place)
        times = [replication.levels[index] for replication in self.counted if replication.levels is not None]
        return Occupancy(np.sum(times, axis=0)) if times else None

    @cached_property
    def place_index(self) -> dict[str, int]:
        return {place.name: index for index, place in enumerate(self.net.places)}

    # ------------------------------------------------------------ for others

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types; nan becomes None."""
        from petri.result.export import result_dict

        return result_dict(self)

    def to_pandas(self) -> dict[str, pandas.DataFrame]:
        """Tables "places", "transitions" and "measures". Raises ImportError where pandas is not installed."""
        from petri.result.export import result_frames

        return result_frames(self)


def run_failure(net: Net, replication: Replication) -> RunFailure:
    """A fault as it is told to people: names instead of numbers, with units."""
    fault = replication.fault
    assert fault is not None
    transition = None if fault.transition is None else net.transitions[fault.transition]
    named = {} if transition is None else {v.name: v for v in transition.variables}
    binding = tuple((name, shown(net, named[name], value)) for name, value in fault.binding.items())
    unit = f" {net.time_unit}" if net.time_unit else ""
    time = f"{fault.time:.10g}{unit}"
    given = {name: value for name, value in fault.values.items() if value is not None}
    if given.get("distribution") == "uniform_int":
        given["distribution"] = "uniform"  # the language has one word for both
    values = {name: value if isinstance(value, list) else str(value) for name, value in given.items()}
    return RunFailure(fault.id, "" if transition is None else transition.name, binding, time, fault.span, values)


def shown(net: Net, variable: Variable, value: Scalar) -> str:
    """A value as the language writes it."""
    if variable.labels and 0 <= value < len(variable.labels):
        return variable.labels[int(value)]
    unit = {"Time": net.time_unit, "Bytes": "B"}.get(variable.dimension, "")
    return f"{value:.10g} {unit}".rstrip() if isinstance(value, float) else str(value)
