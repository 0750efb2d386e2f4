"""The JSON of a result as types: what `export.result_dict` writes, read back; what is something else is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from petri.analysis.cautions import Caution
from petri.measure.arrays import Floats
from petri.measure.estimate import LEVEL
from petri.measure.formula import Judged, Verdict
from petri.measure.histogram import Histogram
from petri.measure.intervals import Doubt, Interval, Statistic
from petri.measure.passage import OpenPassages
from petri.measure.tally import Tally
from petri.measure.trend import ColdStart, Drift
from petri.net import Expectation, Measure, Net, Span
from petri.result.export import Manifest
from petri.result.figures import MeasureResult
from petri.result.tables import Row, row_members
from petri.run.plan import Ending
from petri.structs import Frozen, convert


class Ran(Frozen):
    """What JSON tells of a replication. measures: their values. trials: of those that are probabilities."""

    index: int
    ended: Ending
    time: float
    firings: int
    hash: int
    seconds: float
    measures: Mapping[str, float] = {}
    trials: Mapping[str, Tally] = {}
    warm: bool = True
    died: float = math.nan

    @property
    def complete(self) -> bool:
        return self.ended in ("until", "dead")


class Failure(Frozen):
    """The error that stopped the run, in words. transition: "" for an error in a recording."""

    message: str
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    span: Span | None = None
    transition: str = ""

    @property
    def in_model(self) -> bool:
        """Tell whether the failure is of the model, and not of a recording."""
        return bool(self.transition) or any(note.startswith("at time") for note in self.notes)

    @property
    def diagnostic(self) -> Failure:
        return self


class Remark(Frozen):
    severity: str
    message: str


class Recording(Frozen):
    """What JSON tells of a `FileRead`."""

    place: str
    file: str
    rows: int
    complete: bool
    remarks: tuple[Remark, ...]


class _Figure(Frozen):
    """What `export.interval_dict` writes; longer: None stands for inf."""

    value: float | None
    half_width: float | None
    n: int
    longer: float | None = math.nan
    statistic: Statistic = "mean"
    low: float | None = None
    high: float | None = None
    doubt: Doubt = ""

    @property
    def interval(self) -> Interval:
        longer = math.inf if self.longer is None else self.longer
        ends = None if self.low is None or self.high is None else (self.low, self.high)
        value, half_width = _real(self.value), _real(self.half_width)
        return Interval(value, half_width, LEVEL, self.n, longer, self.statistic, ends, self.doubt)


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


class _Passages(Frozen):
    open: int
    ended: int
    mean: float | None

    @property
    def open_passages(self) -> OpenPassages:
        return OpenPassages(self.open, self.ended, _real(self.mean))


class _Measure(_Figure, kw_only=True):
    name: str
    dimension: str
    record: Mapping[str, _Figure]
    expectations: tuple[dict[str, Any], ...]
    failure: str | None = None
    remarks: tuple[str, ...] = ()
    histogram: _Buckets | None = None
    distributions: Mapping[str, tuple[float, ...]] | None = None
    series: Mapping[str, tuple[float | None, ...]] | None = None
    passages: _Passages | None = None

    def of(self, measure: Measure) -> MeasureResult:
        return MeasureResult(
            measure,
            self.interval,
            {field: one.interval for field, one in self.record.items()},
            _judged(measure.expectations, self.expectations),
            None if self.histogram is None else self.histogram.histogram,
            None if self.distributions is None else {name: np.array(row) for name, row in self.distributions.items()},
            None if self.series is None else {int(one): _floats(values) for one, values in self.series.items()},
            self.failure,
            passages=None if self.passages is None else self.passages.open_passages,
            remarks=self.remarks,
        )


class StoredResult(Frozen):
    """What `export.result_dict` writes. "packed", arrays and places are read when they are asked for."""

    net: str
    manifest: Manifest
    replications: tuple[Ran, ...]
    partial: bool
    measures: tuple[_Measure, ...]
    expectations: tuple[dict[str, Any], ...]
    places: tuple[dict[str, Any], ...]
    transitions: tuple[dict[str, Any], ...]
    arrays: Mapping[str, tuple[dict[str, Any], ...]] = {}
    seconds: float | None = None
    time_unit: str = ""
    failure: Failure | None = None
    unsettled: tuple[Drift, ...] = ()
    cold_start: ColdStart | None = None
    cautions: tuple[Caution, ...] = ()
    recordings: tuple[Recording, ...] = ()
    packed: str = ""

    def measured(self, net: Net) -> list[MeasureResult]:
        return [one.of(measure) for one, measure in zip(self.measures, net.measures, strict=True)]

    def verdicts(self, net: Net) -> tuple[Judged, ...]:
        """Return the verdicts of expectations that do not belong to a measure."""
        return _judged(net.expectations, self.expectations)

    def rows(self, kind: str, fold: bool) -> list[Row]:
        """Return the rows of "places" or "transitions".

        With `fold`, an array is one row, unless JSON does not have it.
        """
        elements = self.places if kind == "places" else self.transitions
        names = [convert(element["name"], str) for element in elements]
        arrays = {one["name"]: one for one in self.arrays.get(kind, ())}
        made = []
        for name, members in row_members(names, fold).items():
            if len(members) > 1 and name in arrays:
                spread = convert(arrays[name]["spread"], dict[str, tuple[float, float]])
                made.append(Row(name, members, _figures(arrays[name]), spread))
            else:
                made += [Row(names[index], (index,), _figures(elements[index])) for index in members]
        return made


def read(data: Mapping[str, Any]) -> StoredResult:
    """Return the output of `Result.to_dict`. Raises KeyError, TypeError or ValueError if it is something else."""
    replications = [
        {**one, "hash": int(one["hash"], 16), "measures": _known(one.get("measures", {}))}
        for one in data["replications"]
    ]
    unsettled = [_known(convert(one, dict[str, Any])) for one in data.get("unsettled", ())]
    return convert({**data, "replications": replications, "unsettled": unsettled}, StoredResult)


def _judged(expectations: Iterable[Expectation], entries: Iterable[Mapping[str, Any]]) -> tuple[Judged, ...]:
    return tuple((one, _verdict(one, entry)) for one, entry in zip(expectations, entries, strict=True))


def _verdict(expectation: Expectation, entry: Mapping[str, Any]) -> Verdict:
    known = _known({name: entry[name] for name in ("value", "bound")})
    return convert({**entry, **known, "comparison": expectation.comparison}, Verdict)


def _known(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: math.nan if value is None else value for name, value in entry.items()}


def _real(value: float | None) -> float:
    return math.nan if value is None else value


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([_real(value) for value in values])


def _figures(entry: Mapping[str, Any]) -> dict[str, Interval]:
    return {name: convert(one, _Figure).interval for name, one in entry.items() if name not in ("name", "spread")}
