"""Results as plain JSON types, and as tables for pandas."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import platform
import zlib
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from petri.analysis.dead import Lack
from petri.codec import Texts, net_text
from petri.measure.arrays import Floats
from petri.measure.catalogue import PLACE_COLUMNS, TRANSITION_COLUMNS
from petri.measure.figures import evaluate_all, measure_names, tallies
from petri.measure.figures import figures as figures_of
from petri.measure.formula import Verdict
from petri.measure.intervals import Interval
from petri.measure.tally import Tally
from petri.net import Expectation, Net, Scalar
from petri.result.figures import MeasureResult, PlaceFigures, RunFigures, TransitionFigures
from petri.result.history import History, history, lacks, occupancy_shares
from petri.result.tables import Row, estimates, table
from petri.result.units import unit_of, with_unit
from petri.run.plan import Plan
from petri.run.stored_net import read_net
from petri.structs import Frozen, as_dict, convert, fields, to_builtins
from petri.traffic import sealed
from petri.traffic.identity import anonymous
from petri.version import VERSION

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray

LARGEST_PACKED: Final = 1 << 28  # bytes of the packed part of a result; more is refused


def result_dict(result: RunFigures) -> dict[str, Any]:
    """Return everything about a result.

    Times are in the net's unit, `time_unit` [`seconds`]; a figure without data is None.

    "packed" is what a program needs and nobody reads: the flat net and the run's history, see `pack`.
    """
    failure, rounded = result.failure, result.net.inexact  # the constant times that are rounded to ticks
    said = [{"id": caution.id, "severity": caution.severity, "message": caution.message} for caution in result.cautions]
    kept = figures_of(result.net, [name for measure in result.net.measures for name in measure_names(measure)])
    return {
        "net": result.net.name,
        "doc": result.net.doc,
        "time_unit": result.net.time_unit,
        "seconds": result.net.seconds,
        "manifest": to_builtins(manifest(result)),
        "replications": [
            {
                "index": r.index,
                "ended": r.ended,
                "time": r.time,
                **({} if math.isnan(r.died) else {"died": r.died}),
                "firings": r.firings,
                "hash": f"{r.hash:016x}",
                "seconds": r.seconds,
                "measures": {name: number(value) for name, value in evaluate_all(kept, r.window).items()},
                **trials_dict(tallies(kept, r.window)),
            }
            for r in result.replications
        ],
        "interrupted": result.interrupted,
        "partial": result.partial,
        "passed": result.passed,
        "unsettled": [
            {name: number(value) if isinstance(value, float) else value for name, value in as_dict(drift).items()}
            for drift in result.drifts
        ],
        **({} if result.cold_start is None else {"cold_start": as_dict(result.cold_start)}),
        "failure": None if failure is None else failure.to_dict(),
        "measures": [measure_dict(m) for m in result.measures],
        "expectations": [verdict_dict(e, v) for e, v in result.verdicts],
        **({"recordings": [read.to_dict() for read in result.files]} if result.files else {}),
        **({"inexact": [{"time": one.time, "error": one.error, "ppm": one.ppm} for one in rounded]} if rounded else {}),
        **({"cautions": said} if said else {}),
        "arrays": {
            kind: [array_dict(row) for row in table(result, kind) if row.copies > 1] if result.counted else []
            for kind in ("places", "transitions")
        },
        "places": table_rows(result.places) if result.counted else [],
        "transitions": table_rows(result.transitions) if result.counted else [],
        "packed": pack(result),
    }


def trials_dict(found: Mapping[str, Tally]) -> dict[str, Any]:
    return {"trials": {name: as_dict(tally) for name, tally in found.items()}} if found else {}


class Packed(Frozen):
    """The contents of "packed" of a result. `lacks`: what each transition lacks, if the net died.

    occupancy: for each place, the share of time with 0, 1, 2 … tokens; None if the run did not record it.
    """

    net: Net
    history: History | None
    lacks: tuple[Lack, ...]
    occupancy: tuple[tuple[float, ...], ...] | None


def pack(result: RunFigures) -> str:
    """Return the flat net without its spans, the run's history, and why the net died: JSON, by zlib, in base64."""
    ran = history(result.counted)
    content = {
        "course": None if ran is None else {name: values.tolist() for name, values in as_dict(ran).items()},
        "occupancy": occupancy_shares(result),
        "lacks": [as_dict(lack) for lack in lacks(result)],
    }
    rest = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    compress = zlib.compressobj(9)
    pieces = chain(('{"net":',), net_text(result.net, spans=False), (f",{rest[1:]}",))
    packed = b"".join(compress.compress(piece.encode()) for piece in pieces) + compress.flush()
    return base64.b64encode(packed).decode()


def unpack(text: str) -> Packed:
    """Unpack the output of `pack`. Raises ValueError, KeyError or TypeError if it is something else."""
    try:
        plain = zlib.decompressobj().decompress(base64.b64decode(text), LARGEST_PACKED)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    content = json.loads(plain)
    ran = content["course"]
    return Packed(
        read_net(content["net"]),
        None if ran is None else History(*(np.array(ran[name], dtype=np.float64) for name in fields(History))),
        stored_lacks(content["lacks"]),
        None if (shares := content["occupancy"]) is None else tuple(tuple(map(float, row)) for row in shares),
    )


def stored_lacks(entries: list[Any]) -> tuple[Lack, ...]:
    """Return what `pack` wrote of a net that died. Earlier versions wrote sentences, as lists: they are left out."""
    if not entries or isinstance(entries[0], list):
        return ()
    return convert(entries, tuple[Lack, ...])


class StreamFile(Frozen):
    """The file of a place with a stream. columns: those that were named."""

    file: str
    path: str
    columns: Mapping[str, str]
    sha256: str


class Manifest(Frozen, omit_defaults=True):
    """The data needed to repeat the run. until: None if it runs until no transition can fire. source: of the net."""

    version: str
    net_hash: str
    parameters: Mapping[str, Scalar | bool | str]
    seed: int
    replications: int
    until: float | None
    warmup: float
    engine: str
    hash: str
    machine: str
    python: str
    streams: Mapping[str, StreamFile] = {}  # by place
    source: str | None = None
    start: float = 0.0  # when the saved run stood from which this one went on
    own_streams: bool = False  # whether each transition has a random stream (R5)

    @property
    def plan(self) -> Plan:
        return Plan(math.inf if self.until is None else self.until, self.warmup, self.seed, self.engine)


def manifest(result: RunFigures) -> Manifest:
    plan = result.plan
    return Manifest(
        VERSION,
        net_hash(result.net),
        {p.name: p.value for p in result.net.parameters},
        plan.seed,
        result.asked,
        number(plan.until),
        float(plan.warmup),
        plan.engine,
        f"{result.hash:016x}",
        platform.machine(),
        platform.python_version(),
        recordings(result.net),
        start=plan.start,
        own_streams=result.net.own_streams,
    )


def recordings(net: Net) -> dict[str, StreamFile]:
    """Return the file of each place with a stream."""
    return {
        place.name: StreamFile(place.stream.name, place.stream.path, dict(place.stream.columns), place.stream.digest)
        for place in sealed(net).places
        if place.stream is not None
    }


def net_hash(net: Net) -> str:
    """SHA-256 of the flat net as JSON: equal for nets with the same meaning and display, wherever their files are.

    It includes the contents of the files of streams. Raises LanguageError if one cannot be read.
    """
    global _texts
    digest = hashlib.sha256()
    known = None if len(net.places) + len(net.transitions) > MOST_TEXTS else _texts if len(_texts) <= MOST_TEXTS else {}
    for piece in net_text(anonymous(net), spans=False, sort_keys=True, known=known):
        digest.update(piece.encode())
    _texts = known or {}
    return digest.hexdigest()


MOST_TEXTS: Final = 10_000
_texts: Texts = {}  # of elements that settings of one net have in common


def number(value: float) -> float | None:
    """JSON has neither nan nor inf."""
    return float(value) if math.isfinite(value) else None


def interval_dict(interval: Interval) -> dict[str, Any]:
    """Return a figure.

    "longer": where one run was too short for an interval, how many times as long it should be. "doubt": why there is no
    half-width, or only a bound: "unvaried" where the figure was the same throughout, but may be another. "statistic":
    told where the value is not a mean over the replications but their extreme.
    """
    found = {"value": number(interval.mean), "half_width": number(interval.half_width), "n": interval.n}
    longer = {"longer": number(interval.longer)} if interval.too_short else {}
    if interval.ends is not None:
        found |= {"low": number(interval.low), "high": number(interval.high)}
    doubt = {"doubt": interval.doubt} if interval.doubt else {}
    return found | longer | doubt | ({} if interval.statistic == "mean" else {"statistic": interval.statistic})


def verdict_dict(expectation: Expectation, verdict: Verdict) -> dict[str, Any]:
    return {
        "text": expectation.text,
        "passed": verdict.passed,
        "value": number(verdict.value),
        "bound": number(verdict.bound),
        "within": expectation.within,
        "absolute": expectation.absolute,
        "dimension": expectation.dimension,
        "tolerance": verdict.tolerance,
        "certain": verdict.certain,
    }


def measure_dict(measured: MeasureResult) -> dict[str, Any]:
    record: dict[str, Any] = {
        "name": measured.name,
        "doc": measured.measure.doc,
        "dimension": measured.measure.dimension,
        **interval_dict(measured.interval),
        "record": {name: interval_dict(interval) for name, interval in measured.recorded.items()},
        "expectations": [verdict_dict(e, v) for e, v in measured.verdicts],
    }
    if measured.failure is not None:
        record["failure"] = measured.failure
    if measured.passages is not None:
        record["passages"] = as_dict(measured.passages) | {"mean": number(measured.passages.mean)}
    if measured.remarks:
        record["remarks"] = list(measured.remarks)
    if measured.histogram is not None:
        snapshot = measured.histogram.snapshot()
        record["histogram"] = {name: snapshot[name].tolist() for name in ("buckets", "counts")}
    if measured.distributions is not None:
        record["distributions"] = {name: array.tolist() for name, array in measured.distributions.items()}
    if measured.series is not None:
        record["series"] = {str(index): [number(float(v)) for v in values] for index, values in measured.series.items()}
    return record


def table_rows(figures: PlaceFigures | TransitionFigures) -> list[dict[str, Any]]:
    columns = estimates(figures)
    return [
        {"name": name, **{column: interval_dict(e.interval(index)) for column, e in columns.items()}}
        for index, name in enumerate(figures.names)
    ]


def array_dict(row: Row) -> dict[str, Any]:
    """Return the figures of an array as one row, and their least and greatest element where they are not alike."""
    figures = {name: interval_dict(interval) for name, interval in row.figures.items()}
    return {"name": row.name, **figures, "spread": {name: list(ends) for name, ends in row.spread.items()}}


def figure_units(net: Net, columns: Iterable[str]) -> dict[str, str]:
    """Return the units of the columns of places and transitions, half-widths included, that have one."""
    kinds = {**PLACE_COLUMNS, **TRANSITION_COLUMNS}
    found = {name: kinds.get(name.removesuffix("_half_width")) for name in columns}
    units = {name: unit_of(net, kind.dimension) for name, kind in found.items() if kind is not None}
    return {name: unit for name, unit in units.items() if unit}


def figure_columns(figures: PlaceFigures | TransitionFigures) -> dict[str, Floats]:
    """Return each figure, followed by its half-widths."""
    found = {}
    for name, e in estimates(figures).items():
        found[name], found[f"{name}_half_width"] = e.value, e.half_width
    return found


def measure_columns(result: RunFigures) -> dict[str, list[Any]]:
    return {
        "name": [m.name for m in result.measures],
        "value": [m.interval.mean for m in result.measures],
        "half_width": [m.interval.half_width for m in result.measures],
        "unit": [unit_of(result.net, m.measure.dimension) for m in result.measures],
    }


def result_polars(result: RunFigures) -> dict[str, polars.DataFrame]:
    """Return the tables of `result_frames`, with units in the names of columns."""
    import polars

    def frame(figures: PlaceFigures | TransitionFigures) -> polars.DataFrame:
        columns = figure_columns(figures)
        units = figure_units(result.net, columns)
        named = {with_unit(name, units.get(name, "")): cells for name, cells in columns.items()}
        return polars.DataFrame({"name": list(figures.names), **named})

    return {
        "places": frame(result.places),
        "transitions": frame(result.transitions),
        "measures": polars.DataFrame(measure_columns(result)),
    }


def result_frames(result: RunFigures) -> dict[str, pandas.DataFrame]:
    """Tables with a column, and a column of half-widths, for each figure.

    `attrs["units"]` of a table has the units of its columns; the measures have theirs in the column "unit".
    """
    import pandas

    def frame(figures: PlaceFigures | TransitionFigures) -> pandas.DataFrame:
        columns = figure_columns(figures)
        made = pandas.DataFrame(columns, index=pandas.Index(figures.names, name="name"))
        made.attrs["units"] = figure_units(result.net, columns)
        return made

    return {
        "places": frame(result.places),
        "transitions": frame(result.transitions),
        "measures": pandas.DataFrame(measure_columns(result)).set_index("name"),
    }


def result_dataset(result: RunFigures) -> xarray.Dataset:
    """Figures over `place` and `transition`, and each measure as a number, with half-widths and the attribute `units`.

    The names of figures start with those of their dimension: `place.mean`, `transition.rate`, `measure.loss`.
    """
    import xarray

    variables: dict[str, Any] = {}
    for kind, figures in (("place", result.places), ("transition", result.transitions)):
        columns = figure_columns(figures)
        units = figure_units(result.net, columns)
        for name, cells in columns.items():
            variables[f"{kind}.{name}"] = ((kind,), cells, {"units": units[name]} if name in units else {})
    for m in result.measures:
        unit = unit_of(result.net, m.measure.dimension)
        attributes = {"units": unit} if unit else {}
        variables[f"measure.{m.name}"] = ((), m.interval.mean, attributes)
        variables[f"measure.{m.name}_half_width"] = ((), m.interval.half_width, attributes)
    coordinates = {"place": list(result.places.names), "transition": list(result.transitions.names)}
    return xarray.Dataset(variables, coordinates, {"net": result.net.name, "time_unit": result.net.time_unit})
