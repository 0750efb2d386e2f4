"""The observations of a run: sums and integrals since the start of the statistics.

Engines return cumulative snapshots; a window is the difference of the snapshots at its ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

import numpy as np

from petri.measure import histogram, reorder
from petri.measure.arrays import Floats, Integers
from petri.measure.bounded import Bounded
from petri.measure.histogram import Histogram, quantile_share
from petri.measure.tally import Tally
from petri.structs import Frozen, field, fields
from petri.ticks import Tick

Computes = TypeVar("Computes", bound=Callable[..., Any])


def beyond_doubles(function: Computes) -> Computes:
    """Let pass functions whose figures may overflow doubles: these are infinite, and figures computed from them are
    nan.

    Reports show both, so numpy's warnings are off.
    """

    @wraps(function)
    def quiet(*given: Any, **named: Any) -> Any:
        with np.errstate(over="ignore", invalid="ignore"):
            return function(*given, **named)

    return quiet  # type: ignore[return-value]


Snapshot = Mapping[str, Any]
"""A probe's state as plain numbers and arrays.

counter           {"sum"}
sample, passage   `Histogram.snapshot()`; a passage adds {"unmatched", "forgotten"}, and of the starts that wait
                  {"waiting", "open"}, how many and how long together, and of those at the start of the statistics
                  {"open_before"}
order             `Reordering.snapshot()`: `reorder.FIELDS` and `reorder.DISTRIBUTIONS`
content           {"integral"}, of the sum over time, and {"max"}, its greatest value, see `maximum` below
watched           the same of a value, and {"min", "first"}; "first" is nan where the value was never true
"""


class Observation(Frozen, eq=False):
    """Statistics of a window. Arrays have one entry for each place, or each transition, of the net.

    Time is in the net's unit. `maximum` is not a difference of snapshots: engines restart it from the marking when the
    statistics start (the end of the warm-up); `minus` keeps the later one, an upper bound.
    """

    elapsed: float
    integral: Floats  # tokens × time, per place
    nonempty: Floats  # time with at least one token
    maximum: Integers  # most tokens at any instant
    arrivals: Integers  # tokens deposited by firings
    initial: Integers  # tokens of the initial marking
    firings: Integers  # firings started, per transition
    in_progress: Floats  # firings in progress, or running clocks, × time
    active: Floats  # time with at least one firing in progress
    set: Integers  # clocks that were set, per transition (C2)
    dropped: Integers  # clocks whose binding was disabled before they had run down
    probes: tuple[Snapshot, ...] = ()
    series: Mapping[int, Sequence[float]] = field(default_factory=dict)  # by measure, of whole windows of a run only
    chances: tuple[Tally, ...] = ()  # of whole runs only: trials are runs of their own

    def minus(self, earlier: Observation) -> Observation:
        """Return the window after `earlier`, an earlier snapshot of the same run."""
        return Observation(
            elapsed=self.elapsed - earlier.elapsed,
            integral=self.integral - earlier.integral,
            nonempty=self.nonempty - earlier.nonempty,
            maximum=self.maximum,
            arrivals=self.arrivals - earlier.arrivals,
            initial=self.initial,
            firings=self.firings - earlier.firings,
            in_progress=self.in_progress - earlier.in_progress,
            active=self.active - earlier.active,
            set=self.set - earlier.set,
            dropped=self.dropped - earlier.dropped,
            probes=tuple(probe_minus(a, b) for a, b in zip(self.probes, earlier.probes, strict=True)),
        )


TIMES, COUNTS = (
    tuple(name for name in fields(Observation) if Observation.__annotations__[name] == kind)
    for kind in ("Floats", "Integers")
)
PER_NODE: Final = (*TIMES, *COUNTS)
OF_PLACES: Final = ("integral", "nonempty", "maximum", "arrivals", "initial")


def probe_minus(later: Snapshot, earlier: Snapshot) -> Snapshot:
    """Return the difference of two snapshots of one probe."""
    if "packets" in later:
        return _order_minus(later, earlier)
    if "integral" in later:
        return {**later, "integral": later["integral"] - earlier["integral"]}
    difference = {name: later[name] - earlier[name] for name in ("sum", "unmatched", "forgotten") if name in later}
    difference |= {name: later[name] for name in ("waiting", "open", "open_before") if name in later}
    if "origin" in later:
        difference |= histogram.difference(later, earlier)
    return difference


def _order_minus(later: Snapshot, earlier: Snapshot) -> Snapshot:
    """Counters and distributions are subtracted; ratios follow from them.

    The greatest extent and occupancy come from the distributions. The greatest late time, number of overtaking packets,
    and extent beyond the last entry are those since the start.
    """
    counters = {name: float(later[name]) - float(earlier[name]) for name in reorder.COUNTERS}
    arrays = {name: np.asarray(later[name]) - np.asarray(earlier[name]) for name in reorder.DISTRIBUTIONS}
    maxima = {name: float(later[name]) for name in reorder.MAXIMA}
    maxima["max_buffer"] = float(last_filled(arrays["buffer"]))
    if (extent := last_filled(arrays["extent"])) < arrays["extent"].size - 1:
        maxima["max_extent"] = float(extent)
    if not counters["reordered"]:
        maxima["max_late_time"] = maxima["max_overtaken"] = 0.0
    return {**counters, **maxima, **reorder.ratios(counters), **arrays}


TIMES_OF_PROBES: Final = (
    "total_late_time", "max_late_time", "mean_late_time", "integral", "first", "open", "open_before",
)  # fmt: skip


def probe_in_units(snapshot: Snapshot, tick: Tick) -> Snapshot:
    """Return a snapshot of an engine, where late times and integrals are in ticks, with them in the net's unit."""
    times = {name: tick.time(snapshot[name]) for name in TIMES_OF_PROBES if name in snapshot}
    return {**snapshot, **times} if times else snapshot


def last_filled(counts: Integers) -> int:
    """Return the last index with a nonzero entry; 0 if there is none."""
    filled = np.flatnonzero(counts)
    return int(filled[-1]) if filled.size else 0


def probe_figure(snapshot: Snapshot, field: str) -> float:
    """Return a figure of a sample, passage or order probe, by name. Raises KeyError for an unknown name."""
    if "origin" in snapshot:
        return Histogram.of(snapshot, buckets=histogram.quantile_share(field) is not None).figure(field)
    if field in reorder.FIELDS or "integral" in snapshot:
        return float(snapshot[field])
    raise KeyError(field)


def probe_quantile(snapshot: Snapshot, share: float, within: bool = False) -> float:
    """Return the quantile of a sample; see `Histogram.quantile`."""
    return Histogram.of(snapshot).quantile(share, within)


def share_below(snapshot: Snapshot, value: float) -> float:
    """Return the share of a sample's values that are at most `value`; nan without values."""
    share: float = quotient(histogram.count_below(snapshot, value), float(snapshot["count"]))
    return share


def series_figure(values: Sequence[float], field: str) -> float:
    """Return the mean, least or greatest value, or pQ (the ⌈Q·n/100⌉-th), of the windows with data; nan without any."""
    known = sorted(value for value in values if not math.isnan(value))
    if not known:
        return math.nan
    if field == "mean":
        return math.fsum(known) / len(known)
    share = {"min": 0.0, "max": 1.0}.get(field)
    share = quantile_share(field) if share is None else share
    if share is None:
        raise KeyError(field)
    return known[max(math.ceil(share * len(known) - 1e-9), 1) - 1]


def quotient(above: Any, below: Any) -> Any:
    """Return the quotient, of arrays element by element; nan ("no data") if the divisor is 0."""
    if isinstance(above, Bounded) or isinstance(below, Bounded):
        return above / below
    if getattr(above, "shape", ()) or getattr(below, "shape", ()):
        return quotients(above, below)
    return float(above) / float(below) if below else math.nan


@beyond_doubles
def quotients(above: Floats | Integers | float, below: Floats | Integers | float) -> Floats:
    """Return the quotient by element; nan where the divisor is 0, infinite where it is too large for a double."""
    shape = np.shape(above) or np.shape(below)
    divisor = np.asarray(below, dtype=np.float64)
    result: Floats = np.divide(above, divisor, out=np.full(shape, math.nan), where=divisor != 0)
    return result
