"""The result of a run: figures with their intervals, verdicts, and all data needed to repeat it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial

import numpy as np

from petri.analysis.cautions import cautions
from petri.analysis.constancy import constancy_of
from petri.analysis.heavy import heavy_tails_of
from petri.catalogue.operations import OPERATIONS
from petri.diagnostics import Diagnostic, RunFailure, unknown_name
from petri.display import ShownInNotebook
from petri.engine.errors import Fault, is_of_marking
from petri.file_read import FileRead, furthest
from petri.measure import formula, reorder
from petri.measure.arrays import Floats
from petri.measure.catalogue import PLACE_COLUMNS, FigureKind, transition_columns
from petri.measure.estimate import LEVEL, Estimate, estimate, estimate_quantile, extreme_of, left_out, mean_of
from petri.measure.figures import probe_term, recorded_fields
from petri.measure.formula import Judged, grows, statistic
from petri.measure.histogram import Histogram, quantile_share
from petri.measure.intervals import Interval, Statistic
from petri.measure.observation import Observation, Snapshot
from petri.measure.occupancy import Occupancy
from petri.measure.passage import OpenPassages
from petri.measure.pooling import interval_of
from petri.measure.sequential import widening
from petri.measure.trend import FEWEST_PAIRS, MOST_REPLICATIONS, ColdStart, Drift, cold_start, drifts
from petri.measure.unvaried import Ranges, with_ranges
from petri.measure.windows import Windows, across, left_out_together
from petri.net import Counter, Expectation, Expr, Measure, Net, Order, Passage, Scalar, Term, Variable
from petri.result.rare import Rare
from petri.result.remarks import remarks
from petri.run.ensemble import Ensemble
from petri.run.plan import Plan
from petri.run.replications import MOST_BATCHES, batches_kept
from petri.structs import Frozen, replace


class PlaceFigures(Frozen):
    """One entry per place (M1). Times in the net's unit; nan if a figure does not apply."""

    names: tuple[str, ...]
    mean: Estimate  # time average of tokens
    maximum: Estimate  # over all replications
    occupied: Estimate  # share of time with at least one token
    arrivals: Estimate
    arrival_rate: Estimate
    sojourn: Estimate  # mean time that a token stays, by Little's law
    utilisation: Estimate  # 1 − mean / initial, for places that never hold more than at the start


class TransitionFigures(Frozen):
    """One entry per transition (M2)."""

    names: tuple[str, ...]
    firings: Estimate
    rate: Estimate  # firings per time unit
    in_progress: Estimate  # time average of firings in progress, or of running clocks
    active: Estimate  # share of time with at least one in progress
    clocks_set: Estimate | None = None  # None in a net without clocks
    clocks_dropped: Estimate | None = None  # clocks whose binding was disabled before they had run down


class MeasureResult(ShownInNotebook, Frozen):
    """A declared measure. `recorded` has the figures of its `record`, by field."""

    measure: Measure
    interval: Interval
    recorded: Mapping[str, Interval]
    verdicts: tuple[Judged, ...]
    histogram: Histogram | None = None  # of all replications together
    distributions: Mapping[str, Floats] | None = None  # of an order probe, summed over replications
    series: Mapping[int, Floats] | None = None  # by replication: the measure in each window
    failure: str | None = None  # why the figure could not be computed; its values are then nan
    seconds: float | None = None  # the length of the net's time unit, None if time is a plain number
    time_unit: str = ""  # its name
    passages: OpenPassages | None = None  # of a measure of passages
    remarks: tuple[str, ...] = ()  # what makes the figure doubtful

    @property
    def name(self) -> str:
        """Return the name of the measure in the net."""
        return self.measure.name

    @property
    def value(self) -> float:
        """Return the mean over the replications."""
        return self.interval.mean

    @property
    def left_out(self) -> OpenPassages | None:
        """The passages that have not ended, if the mean of the others may be wrong for want of them."""
        if self.passages is None or self.histogram is None:
            return None
        mean = self.recorded.get("mean")
        if mean is None:
            mean = Interval(self.histogram.mean, math.nan, LEVEL, self.interval.n)
        return self.passages if self.passages.matters(mean) else None

    def __repr__(self) -> str:
        """`MeasureResult loss: 0.0123 ± 0.0004, n = 20`, in the net's units."""
        if self.failure is not None:
            return f"MeasureResult {self.name}: could not be computed: {self.failure}"
        shown = f"{self.interval.mean:.6g}"
        if not math.isnan(self.interval.half_width):
            shown += f" ± {self.interval.half_width:.2g}"
        kind = "" if self.interval.statistic == "mean" else f", the {self.interval.statistic}"
        fields = "".join(f", {name} {one.mean:.6g}" for name, one in list(self.recorded.items())[1:])
        return f"MeasureResult {self.name}: {shown}{kind}{fields}, n = {self.interval.n}"


class RunFigures(Frozen, dict=True):
    """The figures of a run. Estimates use the replications that ended as planned, or, if none did, all there are."""

    net: Net
    plan: Plan
    replications: Ensemble
    interrupted: bool = False
    asked: int = 1  # replications requested
    sequential: bool = False  # whether the intervals decided how many there are

    @cached_property
    def counted(self) -> Ensemble:
        """The replications that the estimates use."""
        every = self.replications
        counts = every.complete & every.warm
        return every.take(counts) if counts.any() and not counts.all() else every

    @property
    def windows(self) -> Windows:
        """What they have seen."""
        return self.counted.windows

    @property
    def empty(self) -> bool:
        """Whether nothing has been measured: no replication has begun its measured time, or made a trial."""
        begun = self.windows.elapsed > 0.0
        begun[[row for row, more in self.windows.more.items() if "chances" in more]] = True
        return self.partial and not (self.counted.warm & begun).any()

    @property
    def partial(self) -> bool:
        """Whether any replication used stopped before its end."""
        return not self.counted.complete.all() or not self.counted

    @property
    def died(self) -> bool:
        """Whether a replication ended early because no transition could fire."""
        return bool(self.replications.is_ended("dead").any())

    @property
    def hash(self) -> int:
        """One hash for the trajectories of all replications."""
        combined = 0
        for of_one in self.replications.numbers["hash"].tolist():
            combined = (combined * 0x9E3779B97F4A7C15 + of_one) % 2**64
        return combined

    @cached_property
    def files(self) -> tuple[FileRead, ...]:
        """What was read of the files of the net's streams, of each by the replication that read most of it."""
        return furthest(one.files for _, one in sorted(self.replications.special.items()))

    @cached_property
    def failure(self) -> RunFailure | None:
        """The error of the model in the first replication that has one."""
        faults = self.replications.faults
        return run_failure(self.net, faults[0]) if faults else None

    @cached_property
    def drifts(self) -> tuple[Drift, ...]:
        """The places that still grow at the end of the run, and the measures that have not settled (trend.py).

        Nothing where a replication did not reach its time, or was to run until it dies.
        """
        if self.partial or self.died or math.isinf(self.plan.until):
            return ()
        return drifts(self.net, [replication.batches for replication in self.counted[:MOST_REPLICATIONS]])

    @cached_property
    def cold_start(self) -> ColdStart | None:
        """The line that is emptier when runs begin than later on, where the averages of runs without a warm-up show it.

        Nothing of a run that goes on from a saved state, or of a line that grows for as long as the run lasts.
        """
        plan, ran = self.plan, self.counted
        if self.partial or self.died or math.isinf(plan.until) or plan.warmup or plan.start or len(ran) < FEWEST_PAIRS:
            return None

        lines = [*constancy_of(self.net).open_lines]
        found = cold_start(self.net, lines, self.windows, [one.batches for one in ran]) if lines else None
        growing = {drift.name for drift in self.drifts if drift.steady}
        return None if found is not None and found.place in growing else found

    @cached_property
    def cautions(self) -> tuple[Diagnostic, ...]:
        """Add times that are rounded to ticks, and what in the net may mean something else."""
        return tuple(cautions(self.net, self.windows))

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """All expectations with their verdicts, those of measures first."""
        return (*(verdict for measured in self.measures for verdict in measured.verdicts), *self.verdicts)

    @property
    def passed(self) -> bool:
        """Whether every expectation holds."""
        return all(verdict.passed for _, verdict in self.judged) and not self.failed_measures

    @property
    def failed_measures(self) -> tuple[MeasureResult, ...]:
        """The measures that could not be computed."""
        return tuple(measured for measured in self.measures if measured.failure is not None)

    # ------------------------------------------------------------ figures

    @cached_property
    def without(self) -> list[Observation]:
        """The window of a single replication without each of its batches: what all its intervals rest on.

        Nothing where the net is too large for as many batches as an interval needs.
        """
        return left_out(self.windows[0], self.counted.batches) if self.batched else []

    @property
    def batched(self) -> bool:
        """Whether the batches of a single replication give intervals: not where the net died before its end."""
        if len(self.counted) != 1 or (self.died and math.isfinite(self.plan.until)):
            return False
        return batches_kept(self.net, 1) >= MOST_BATCHES and len(self.counted.batches) > 0

    def estimate(self, figure: Callable[[Observation], Floats], *, total: bool = False) -> Estimate:
        """Any figure of an observation, with its interval; `total` if it grows with the run."""
        return self._estimate(figure, _one_by_one(figure), total)

    def _estimate(self, figure: Callable[[Observation], Floats], of_all: OfAll, total: bool) -> Estimate:
        """of_all: the figure of all windows at once."""
        if len(self.counted) < 2:
            return estimate(figure, [self.counted[0].window], None if total else self.without)
        found = mean_of(of_all(self.windows))
        return replace(found, half_width=found.half_width * widening(found.n)) if self.sequential else found

    def extreme(self, figure: Callable[[Observation], Floats], statistic: Statistic = "greatest") -> Estimate:
        """Return the greatest or the least over the replications, which has no interval."""
        return extreme_of(_one_by_one(figure)(self.windows), statistic)

    @cached_property
    def places(self) -> PlaceFigures:
        return PlaceFigures(tuple(p.name for p in self.net.places), **self.columns(PLACE_COLUMNS))

    @cached_property
    def transitions(self) -> TransitionFigures:
        columns = self.columns(transition_columns(self.net))
        return TransitionFigures(tuple(t.name for t in self.net.transitions), **columns)

    @cached_property
    def together(self) -> Observation:
        """`without`, side by side."""
        return left_out_together(self.windows[0], self.counted.batches)

    @cached_property
    def across(self) -> Observation:
        """`without`, with an array for each place or transition."""
        return across(self.together)

    def columns(self, kinds: Mapping[str, FigureKind]) -> dict[str, Estimate]:
        """Return figures of every place or transition, by the names of their columns."""
        return {name: self.column(kind) for name, kind in kinds.items()}

    def column(self, kind: FigureKind) -> Estimate:
        """Return a figure of every place or transition."""
        if kind.total or kind.statistic != "mean" or not self.batched:
            found = self.value(kind) if kind.total else self.combined(kind.of_all, _of_kind(kind), kind.statistic)
        else:
            found = estimate(kind.of_all, [self.counted[0].window], kind.of_all(self.together))
        return self.with_unvaried(found, lambda rare, index: rare.of_kind(kind, index), heavy_nodes(self.net, kind))

    def with_unvaried(self, found: Estimate, of: Callable[[Rare, int], Ranges], heavy: Iterable[int] = ()) -> Estimate:
        """Return an estimate in which figures that did not vary have the intervals of what never happened.

        heavy: those whose variance is infinite.
        """
        if not (special := [*found.constant, *heavy]):
            return found
        every = {index: self._with_ranges(found.interval(index), partial(_of_one, of, index)) for index in special}
        return found.with_unvaried({index: one for index, one in every.items() if one.doubt})

    def _with_ranges(self, found: Interval, of: Callable[[Rare], Ranges]) -> Interval:
        """Return an interval with what is known of a figure that did not vary, has few events, or is heavy."""
        if found.statistic != "mean" or math.isnan(found.mean) or not (found.unknown or found.half_width >= 0.0):
            return found
        return with_ranges(found, of(self.rare))

    @cached_property
    def rare(self) -> Rare:
        """What figures might be that did not vary, in the replications that count."""
        return Rare(self.net, self.plan, self.counted)

    @cached_property
    def evaluated(self) -> dict[Term, Interval]:
        """The formulas that have been evaluated: an expectation has that of its measure."""
        return {}

    def value(self, kind: FigureKind) -> Estimate:
        """Do as `column`, without an interval from batches."""
        return self.combined(kind.of_all, _of_kind(kind), kind.statistic, total=True)

    def evaluate(self, term: Term) -> Interval:
        """Return a formula over what was observed."""
        found = self.evaluated.get(term)
        if found is None:
            found = self.evaluated[term] = self._evaluated(term)
        return found

    def _evaluated(self, term: Term) -> Interval:
        found = self._with_noise(term)
        return found if term.op == "chance" else self._with_ranges(found, lambda rare: rare.of_term(term))

    def _with_noise(self, term: Term) -> Interval:
        """Return a formula with the interval that its variation gives."""
        if term.op == "chance":
            found = [formula.tally(term, self.windows[row]) for row in sorted(self.windows.more)]
            return interval_of([tally for tally in found if tally is not None])
        if term.op == "quantile":
            return interval_of(self.values(term).tolist(), statistic(term))
        if term.op in ("sample", "passage") and isinstance(term.value, tuple) and len(self.counted) == 1:
            share = quantile_share(term.value[1])
            if share is not None:
                return estimate_quantile(term.value[0], share, self.counted[0].window, self.without).interval()
        total, kind = grows(self.net, term), statistic(term)

        def figure(seen: Observation) -> Floats:
            return np.array([formula.evaluate(term, seen)])

        if total or kind != "mean" or not self.batched or not formula.is_of_nodes(term):
            return self.combined(figure, lambda _: self.values(term)[:, None], kind, total=total).interval()
        values = formula.evaluate_all(term, self.across)
        return estimate(figure, [self.counted[0].window], values).interval()

    def values(self, term: Term) -> Floats:
        """Return a formula in each replication."""
        found = self.computed.get(term)
        if found is None:
            found = self.computed[term] = formula.values(term, self.windows)
        return found

    @cached_property
    def computed(self) -> dict[Term, Floats]:
        """The values of formulas."""
        return {}

    def combined(
        self, figure: Callable[[Observation], Floats], of_all: OfAll, kind: Statistic, *, total: bool = False
    ) -> Estimate:
        """Return a figure over the replications: their mean with its interval, or their extreme."""
        return self._estimate(figure, of_all, total) if kind == "mean" else extreme_of(of_all(self.windows), kind)

    def judge(self, expectations: Iterable[Expectation]) -> tuple[Judged, ...]:
        """Return each expectation with its verdict on this run."""
        judged = []
        for expectation in expectations:
            if self.empty:
                judged.append((expectation, formula.judge(expectation, math.nan)))
                continue
            try:
                interval = self.evaluate(expectation.formula)
            except Exception:  # what cannot be computed is not met
                interval = Interval(math.nan, math.nan, LEVEL, len(self.counted))
            judged.append((expectation, formula.judge(expectation, interval.mean, interval)))
        return tuple(judged)

    @cached_property
    def verdicts(self) -> tuple[Judged, ...]:
        """The verdicts of expectations that do not belong to a measure."""
        return self.judge(self.net.expectations)

    @cached_property
    def measures(self) -> tuple[MeasureResult, ...]:
        return tuple(self.measure_or_failure(index) for index in range(len(self.net.measures)))

    def measure_or_failure(self, index: int) -> MeasureResult:
        """Return a measure; one that cannot be computed says why, and the others are kept."""
        try:
            return self.measure_result(index)
        except Exception as error:
            measure = self.net.measures[index]
            nothing = Interval(math.nan, math.nan, LEVEL, len(self.counted))
            judged = tuple((expectation, formula.judge(expectation, math.nan)) for expectation in measure.expectations)
            why = f"{type(error).__name__}: {error}"
            return MeasureResult(
                measure, nothing, {}, judged, failure=why, seconds=self.net.seconds, time_unit=self.net.time_unit
            )

    def measure(self, name: str) -> MeasureResult:
        """Return a measure by its name. Raises UnknownName (a KeyError) with the nearest names."""
        for result in self.measures:
            if result.name == name:
                return result
        places, transitions = self.place_index, [transition.name for transition in self.net.transitions]
        known = [measure.name for measure in self.net.measures]
        raise unknown_name(name, "measure", known, {"place": places, "transition": transitions})

    def measure_result(self, index: int) -> MeasureResult:
        """Return all figures of a measure, by its number in the net."""
        measure = self.net.measures[index]
        recorded = {field: self.recorded(measure, field) for field in recorded_fields(measure)}
        ran = self.counted
        series = {
            ran[row].index: np.array(ran[row].series[index]) for row in ran.windows.more if index in ran[row].series
        }
        return MeasureResult(
            measure,
            self.evaluate(measure.formula),
            recorded,
            self.judge(measure.expectations),
            self.histogram(measure),
            self.distributions(measure),
            series or None,
            seconds=self.net.seconds,
            time_unit=self.net.time_unit,
            passages=self.passages(measure),
            remarks=remarks(self.net, measure, self.windows),
        )

    def passages(self, measure: Measure) -> OpenPassages | None:
        """Return the passages that had begun and not ended; None if the measure has none."""
        is_passage = measure.probe is not None and isinstance(self.net.probes[measure.probe], Passage)
        return OpenPassages.of(self.snapshots(measure)) if is_passage else None

    def recorded(self, measure: Measure, field: str) -> Interval:
        """Return a recorded field of a measure, such as `p99`, with its interval."""
        probe = measure.probe
        assert probe is not None
        return self.evaluate(probe_term(self.net, probe, field))

    def snapshots(self, measure: Measure) -> list[Snapshot]:
        """Return what the probe of a measure has seen in each replication."""
        return [] if measure.probe is None else self.windows.snapshots(measure.probe)

    def histogram(self, measure: Measure) -> Histogram | None:
        """Return the values of a measure from all replications; None if it has no values of events."""
        if measure.probe is None or isinstance(self.net.probes[measure.probe], Counter | Order):
            return None
        pooled = Histogram()
        for snapshot in self.snapshots(measure):
            pooled.merge(Histogram.of(snapshot))
        return pooled

    def distributions(self, measure: Measure) -> Mapping[str, Floats] | None:
        """Return the distributions of a measure of order, by their names; None for any other measure."""
        if measure.probe is None or not isinstance(self.net.probes[measure.probe], Order):
            return None
        snapshots = self.snapshots(measure)
        return {
            name: np.sum([np.asarray(s[name], dtype=np.float64) for s in snapshots], axis=0)
            for name in reorder.DISTRIBUTIONS
        }

    def occupancy(self, place: str) -> Occupancy | None:
        """Return how long a place held how many tokens, over all replications; None unless the run recorded it.

        Raises UnknownName (a KeyError) where there is no such place.
        """
        index = self.place_index.get(place) if isinstance(place, str) else None
        if index is None:
            measures = [measure.name for measure in self.net.measures]
            transitions = [transition.name for transition in self.net.transitions]
            raise unknown_name(place, "place", self.place_index, {"transition": transitions, "measure": measures})
        levels = self.counted.levels
        return None if levels is None else Occupancy(np.sum(levels[:, index], axis=0))

    @cached_property
    def place_index(self) -> dict[str, int]:
        return {place.name: index for index, place in enumerate(self.net.places)}


OfAll = Callable[[Windows], Floats]
"""A figure of each of many windows: [window, place or transition], or [window, 1]."""


def _of_kind(kind: FigureKind) -> OfAll:
    return lambda windows: kind.of_all(windows.together)


def _one_by_one(figure: Callable[[Observation], Floats]) -> OfAll:
    return lambda windows: np.array([figure(window) for window in windows], dtype=np.float64)


def heavy_nodes(net: Net, kind: FigureKind) -> Iterable[int]:
    """Return the places or transitions of which this figure has an infinite variance."""
    if kind.name not in ("mean", "sojourn", "in_progress"):
        return ()

    tails = heavy_tails_of(net)
    return tails.transitions if kind.name == "in_progress" else tails.places


def _of_one(of: Callable[[Rare, int], Ranges], index: int, rare: Rare) -> Ranges:
    return of(rare, index)


def run_failure(net: Net, fault: Fault) -> RunFailure:
    """Return an error as shown to users: names instead of indices, with units."""
    measured = is_of_marking(net, fault.span)
    transition = None if measured or fault.transition is None else net.transitions[fault.transition]
    named = {} if transition is None else {v.name: v for v in transition.variables}
    binding = tuple((name, shown(net, named[name], value)) for name, value in fault.binding.items())
    unit = f" {net.time_unit}" if net.time_unit else ""
    time = f"{fault.time:.10g}{unit}"
    given = {name: value for name, value in fault.values.items() if value is not None}
    values = {name: value if isinstance(value, list | int) else str(value) for name, value in given.items()}
    if fault.id == "bad-parameter":
        drawn = OPERATIONS[str(given["distribution"])]
        values |= {"distribution": drawn.word, "needs": drawn.needs()}
        values["parameters"] = [
            f"{name} = {value:.10g}" for name, value in fault.values.items() if name != "distribution"
        ]
    if measured:
        values["measured"] = time
    clock = None if transition is None else transition.clock
    if clock is not None and fault.id in ("negative-time", "bad-parameter") and is_divided(clock.time):
        values["divided"] = "speed"
    span = fault.span
    if fault.id == "instant-limit" and transition is not None:
        span = transition.span  # no expression fails there: the next firing of the loop is to blame
    return RunFailure(fault.id, "" if transition is None else transition.name, binding, time, span, values)


def is_divided(time: Expr) -> bool:
    """Return whether a clock is set to a time that has been divided by a part of its speed (C5)."""
    while time.op in ("exp", "ticks", "units"):
        time = time.args[0]
    return time.op == "div" and time.span is not None and time.span == time.args[0].span


def shown(net: Net, variable: Variable, value: Scalar) -> str:
    """Return a value as the language writes it."""
    if variable.labels and 0 <= value < len(variable.labels):
        return variable.labels[int(value)]
    unit = {"Time": net.time_unit, "Bytes": "B"}.get(variable.dimension, "")
    return f"{value:.10g} {unit}".rstrip() if isinstance(value, float) else str(value)
