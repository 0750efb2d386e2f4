"""Reads the JSON of a result into types, and refuses what is something else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from petri.measure.estimate import LEVEL
from petri.measure.formula import Judged, Verdict
from petri.measure.histogram import Histogram
from petri.measure.intervals import Interval, Statistic
from petri.measure.observation import Floats
from petri.measure.trend import Drift
from petri.net import Comparison, Expectation, Measure, Term
from petri.report.expected import comparison_of
from petri.report.quantities import Units
from petri.report.record import Failure, Manifest, Ran, Recording, RunRecord
from petri.result import MeasureResult
from petri.result.export import Packed, unpack
from petri.result.tables import Row, row_members
from petri.structs import Frozen, convert, replace

_NOT_STORED = Term("const")  # JSON has no formulas


class _Figure(Frozen):
    """What `export.interval_dict` writes; longer: None stands for inf."""

    value: float | None
    half_width: float | None
    n: int
    longer: float | None = math.nan
    statistic: Statistic = "mean"

    @property
    def interval(self) -> Interval:
        longer = math.inf if self.longer is None else self.longer
        return Interval(_real(self.value), _real(self.half_width), LEVEL, self.n, longer, self.statistic)


class _Verdict(Frozen):
    """Earlier versions did not say whether the tolerance was a share of the bound: they have no `within`."""

    text: str
    passed: bool
    value: float | None
    bound: float | None
    tolerance: float
    certain: bool | None
    within: float | None = None
    absolute: bool = True
    dimension: str = ""

    @property
    def judged(self) -> Judged:
        comparison, bound = convert(comparison_of(self.text), Comparison), _real(self.bound)
        within = self.tolerance if self.within is None else self.within
        return (
            Expectation(self.text, _NOT_STORED, comparison, bound, within, self.absolute, dimension=self.dimension),
            Verdict(self.passed, _real(self.value), comparison, bound, self.tolerance, self.certain),
        )


class _Buckets(Frozen):
    buckets: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def histogram(self) -> Histogram:
        """The histogram as far as a picture needs it."""
        found = Histogram()
        found.count = sum(self.counts)
        found.buckets = {number: (count, 0.0) for number, count in zip(self.buckets, self.counts, strict=True)}
        return found


class _Measure(_Figure, kw_only=True):
    name: str
    doc: str
    dimension: str
    record: Mapping[str, _Figure]
    expectations: tuple[_Verdict, ...]
    failure: str | None = None
    histogram: _Buckets | None = None
    distributions: Mapping[str, tuple[float, ...]] | None = None
    series: Mapping[str, tuple[float | None, ...]] | None = None

    def result(self, window: float | None) -> MeasureResult:
        """window: the length of those of its series, which the net knows."""
        return MeasureResult(
            Measure(self.name, _NOT_STORED, self.dimension, window=window, doc=self.doc),
            self.interval,
            {field: one.interval for field, one in self.record.items()},
            tuple(one.judged for one in self.expectations),
            None if self.histogram is None else self.histogram.histogram,
            None if self.distributions is None else {name: np.array(row) for name, row in self.distributions.items()},
            None if self.series is None else {int(one): _floats(values) for one, values in self.series.items()},
            self.failure,
        )


class _Result(Frozen):
    """What `export.result_dict` writes."""

    net: str
    doc: str
    manifest: Manifest
    replications: tuple[dict[str, Any], ...]
    partial: bool
    measures: tuple[_Measure, ...]
    expectations: tuple[_Verdict, ...]
    places: tuple[dict[str, Any], ...]
    transitions: tuple[dict[str, Any], ...]
    arrays: Mapping[str, tuple[dict[str, Any], ...]] = {}
    seconds: float | None = None
    time_unit: str = ""
    failure: Failure | None = None
    unsettled: tuple[dict[str, Any], ...] = ()
    recordings: tuple[Recording, ...] = ()
    packed: str | None = None

    def rows(self, kind: str, fold: bool) -> list[Row]:
        """With `fold`, an array is one row, unless JSON does not have it."""
        elements = self.places if kind == "places" else self.transitions
        names = [convert(one["name"], str) for one in elements]
        arrays = {one["name"]: one for one in self.arrays.get(kind, ())}
        made = []
        for name, members in row_members(names, fold).items():
            if len(members) > 1 and name in arrays:
                spread = convert(arrays[name]["spread"], dict[str, tuple[float, float]])
                made.append(Row(name, members, _figures(arrays[name]), spread))
            else:
                made += [Row(names[index], (index,), _figures(elements[index])) for index in members]
        return made


def read(data: Mapping[str, Any]) -> RunRecord:
    """The output of `Result.to_dict`. Raises KeyError, TypeError or ValueError if it is something else."""
    stored = convert(data, _Result)
    plan = stored.manifest
    more = Packed(None, None, (), None) if stored.packed is None else unpack(stored.packed)
    windows = [None for _ in stored.measures] if more.net is None else [one.window for one in more.net.measures]
    return RunRecord(
        name=stored.net,
        doc=stored.doc,
        units=Units.named(stored.seconds, stored.time_unit),
        time_unit=stored.time_unit,
        net=more.net,
        asked=plan.replications,
        until=math.inf if plan.until is None else plan.until,
        warmup=plan.warmup,
        replications=[_replication(one, plan.warmup) for one in stored.replications],
        partial=stored.partial,
        failure=stored.failure,
        measures=[one.result(window) for one, window in zip(stored.measures, windows, strict=True)],
        verdicts=[one.judged for one in stored.expectations],
        drifts=[_drift(one) for one in stored.unsettled],
        recordings=stored.recordings,
        rows=stored.rows,
        manifest=lambda: plan,
        history=lambda: more.history,
        occupancy=lambda: more.occupancy,
        lacks=lambda: more.lacks,
    )


def _real(value: float | None) -> float:
    return math.nan if value is None else value


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([_real(value) for value in values])


def _figures(entry: Mapping[str, Any]) -> dict[str, Interval]:
    return {name: convert(one, _Figure).interval for name, one in entry.items() if name not in ("name", "spread")}


def _replication(entry: Mapping[str, Any], warmup: float) -> Ran:
    ran = convert({**entry, "hash": int(convert(entry["hash"], str), 16)}, Ran)
    return replace(ran, warm=ran.time >= warmup)


def _drift(entry: Mapping[str, Any]) -> Drift:
    return convert({name: math.nan if value is None else value for name, value in entry.items()}, Drift)
