"""The values of a sample in logarithmic buckets: mean, spread, extremes and quantiles in bounded memory.

A bucket is the leading bits of an IEEE double: sign, exponent, and 7 bits of the significand. So a bucket is less than
0.8 % wide, its number is an integer without rounding, and bucket numbers ascend with the values. The Rust twin
(`petri/native/engine/src/observe/histogram.rs`) does the same operations in the same order: every result is equal bit
for bit.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from petri.measure.arrays import Floats

SIGNIFICAND_BITS: Final = 7
DROPPED_BITS: Final = 52 - SIGNIFICAND_BITS

FIELDS: Final[tuple[str, ...]] = ("count", "sum", "mean", "std", "min", "max")
"""The figures that a measure may name, in addition to quantiles such as `p50` and `p99.9`."""

SNAPSHOT: Final = ("count", "origin", "first_moment", "second_moment", "min", "max", "buckets", "counts", "excesses")

_QUANTILE: Final = re.compile(r"p([0-9]+(?:\.[0-9]+)?)")


def bucket(value: float) -> int:
    """Return the bucket of a finite value; bucket 0 holds zero and values closer to it than 2^-1029."""
    bits: int = struct.unpack("<Q", struct.pack("<d", abs(value)))[0]
    return bits >> DROPPED_BITS if value > 0 else -(bits >> DROPPED_BITS)


def edge(number: int) -> float:
    """Return the value in a bucket that is nearest to zero."""
    value: float = struct.unpack("<d", struct.pack("<Q", abs(number) << DROPPED_BITS))[0]
    return math.copysign(value, number) if number else 0.0


def bounds(number: int) -> tuple[float, float]:
    """Return the least and the greatest value in a bucket."""
    if number == 0:
        return -edge(1), edge(1)
    near, far = edge(number), edge(number + 1 if number > 0 else number - 1)
    return min(near, far), max(near, far)


def quantile_share(field: str) -> float | None:
    """0.99 for "p99", 0.999 for "p99.9"; None if the name is not a quantile."""
    match = _QUANTILE.fullmatch(field)
    return float(match[1]) / 100.0 if match and float(match[1]) <= 100.0 else None


class Histogram:
    """A sample. Sums are of differences from the first value (`origin`), to avoid cancellation in the variance.

    `buckets` maps the number of a bucket to its count and to the sum of its values' distances from its edge.
    """

    def __init__(self) -> None:
        self.count = 0
        self.origin = 0.0
        self.first_moment = 0.0  # sum of (value - origin)
        self.second_moment = 0.0  # sum of (value - origin)²
        self.minimum = math.inf
        self.maximum = -math.inf
        self.buckets: dict[int, tuple[int, float]] = {}

    def add(self, value: float) -> None:
        """Add one finite value."""
        if self.count == 0:
            self.origin = value
        self.count += 1
        difference = value - self.origin
        self.first_moment += difference
        self.second_moment += difference * difference
        self.minimum = min(self.minimum, value)
        self.maximum = max(self.maximum, value)
        number = bucket(value)
        count, excess = self.buckets.get(number, (0, 0.0))
        self.buckets[number] = (count + 1, excess + (value - edge(number)))

    def merge(self, other: Histogram) -> None:
        """Add another sample."""
        if other.count == 0:
            return
        if self.count == 0:
            self.origin = other.origin
        shift = other.origin - self.origin
        self.second_moment += other.second_moment + shift * (2.0 * other.first_moment + other.count * shift)
        self.first_moment += other.first_moment + other.count * shift
        self.count += other.count
        self.minimum = min(self.minimum, other.minimum)
        self.maximum = max(self.maximum, other.maximum)
        for number, (count, excess) in sorted(other.buckets.items()):
            mine = self.buckets.get(number, (0, 0.0))
            self.buckets[number] = (mine[0] + count, mine[1] + excess)

    # ------------------------------------------------------------ figures

    @property
    def sum(self) -> float:
        return self.origin * self.count + self.first_moment

    @property
    def mean(self) -> float:
        """The arithmetic mean; nan without values."""
        if not self.count:
            return math.nan
        mean = self.origin + self.first_moment / self.count
        return mean if math.isfinite(mean) else self._mean_of_buckets()

    @property
    def std(self) -> float:
        """The sample's standard deviation (divisor n - 1); nan for fewer than two values."""
        if self.count < 2:
            return math.nan
        if not math.isfinite(self.second_moment):
            return self._std_of_buckets()
        deviation = self.second_moment - self.first_moment * self.first_moment / self.count
        return math.sqrt(max(deviation, 0.0) / (self.count - 1))

    def _mean_of_buckets(self) -> float:
        """Return the mean within 0.8 %, where the sum of the differences is beyond all doubles: no partial sum is."""
        return math.fsum(count / self.count * middle for middle, count in self._middles())

    def _std_of_buckets(self) -> float:
        """Return the standard deviation where sums are beyond all doubles, of values at the middle of their buckets."""
        mean = self.mean
        scale = max(abs(self.minimum / 2 - mean / 2), abs(self.maximum / 2 - mean / 2))
        shares = [((middle / 2 - mean / 2) / scale, count / (self.count - 1)) for middle, count in self._middles()]
        return scale * (2.0 * math.sqrt(math.fsum(share * far * far for far, share in shares)))

    def _middles(self) -> list[tuple[float, int]]:
        """Return the middle of each bucket, as far as it has values, and its count."""
        found = []
        for number, (count, _) in sorted(self.buckets.items()):
            low, high = (min(max(end, self.minimum), self.maximum) for end in bounds(number))
            found.append((low / 2 + high / 2, count))
        return found

    def quantile(self, share: float, within: bool = False) -> float:
        """Return the value of rank ceil(share · count), at least 1, in ascending order; nan without values.

        What is returned is the mean of the bucket in which it lies, so it is exact where a bucket holds one value
        (whole numbers up to 255, constants) and within 0.8 % of the true one otherwise. With `within`, the values of a
        bucket are taken to be spread evenly over it, unless all are equal to its edge.
        """
        if self.count == 0:
            return math.nan
        wanted = max(share * self.count, 0.0) if within else max(1, math.ceil(share * self.count))
        before = 0
        for number, (count, excess) in sorted(self.buckets.items()):
            if before + count >= wanted:
                low, high = bounds(number)
                spread = within and excess != 0.0
                value = low + (high - low) * (wanted - before) / count if spread else edge(number) + excess / count
                return min(max(value, self.minimum), self.maximum)
            before += count
        return self.maximum

    def figure(self, field: str) -> float:
        """Return a figure by name: one of `FIELDS`, or a quantile. Without values `min` and `max` are nan too."""
        if (share := quantile_share(field)) is not None:
            return self.quantile(share)
        if field == "count":
            return float(self.count)
        if field == "sum":
            return self.sum
        if field in ("mean", "std"):
            return self.mean if field == "mean" else self.std
        if field in ("min", "max"):
            return (self.minimum if field == "min" else self.maximum) if self.count else math.nan
        raise KeyError(field)

    # ------------------------------------------------------------ snapshots

    def snapshot(self) -> dict[str, Any]:
        """Return the whole state as plain numbers and arrays; `buckets` lists those with values, ascending."""
        items = sorted(self.buckets.items())
        return {
            "count": self.count,
            "origin": self.origin,
            "first_moment": self.first_moment,
            "second_moment": self.second_moment,
            "min": self.minimum,
            "max": self.maximum,
            "buckets": np.array([number for number, _ in items], dtype=np.int64),
            "counts": np.array([count for _, (count, _) in items], dtype=np.int64),
            "excesses": np.array([excess for _, (_, excess) in items], dtype=np.float64),
        }

    @classmethod
    def of(cls, snapshot: Mapping[str, Any], buckets: bool = True) -> Histogram:
        """Return the histogram of which this is a snapshot; without `buckets` it has no quantiles.

        Buckets are always there where sums are beyond all doubles: mean and deviation follow from them then.
        """
        histogram = cls()
        histogram.count = int(snapshot["count"])
        histogram.origin = float(snapshot["origin"])
        histogram.first_moment = float(snapshot["first_moment"])
        histogram.second_moment = float(snapshot["second_moment"])
        histogram.minimum = float(snapshot["min"])
        histogram.maximum = float(snapshot["max"])
        if buckets or not math.isfinite(histogram.second_moment):
            columns: list[Sequence[Any]] = [
                np.asarray(snapshot[name]).tolist() for name in ("buckets", "counts", "excesses")
            ]
            numbers, counts, excesses = columns
            histogram.buckets = dict(zip(numbers, zip(counts, excesses, strict=True), strict=True))
        return histogram

    def minus(self, earlier: Histogram) -> Histogram:
        """Return the values that came after `earlier`, a snapshot of this same histogram; see `difference`."""
        return Histogram.of(difference(self.snapshot(), earlier.snapshot()))


def difference(later: Mapping[str, Any], earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Return the snapshot of the values that came after `earlier`, of two snapshots of one histogram.

    Least and greatest value are exact when they lie in a bucket that an extreme of the whole lies in, and otherwise the
    mean of the outermost bucket.
    """
    if not earlier["count"]:
        return {name: later[name] for name in SNAPSHOT}
    counts, excesses = np.array(later["counts"]), np.array(later["excesses"])
    common = np.searchsorted(later["buckets"], earlier["buckets"])
    counts[common] -= earlier["counts"]
    excesses[common] -= earlier["excesses"]
    filled = counts > 0
    window: dict[str, Any] = {
        "count": later["count"] - earlier["count"],
        "origin": later["origin"],
        "first_moment": later["first_moment"] - earlier["first_moment"],
        "second_moment": later["second_moment"] - earlier["second_moment"],
        "min": math.inf,
        "max": -math.inf,
        "buckets": np.asarray(later["buckets"])[filled],
        "counts": counts[filled],
        "excesses": excesses[filled],
    }
    if filled.any():
        window["min"] = _extreme(window, 0, float(later["min"]))
        window["max"] = _extreme(window, -1, float(later["max"]))
    return window


def figures(columns: Mapping[str, Any], field: str) -> Floats | None:
    """`Histogram.figure` of each of many snapshots, of which there is a column for each name.

    None where it is made of the buckets: a quantile, or if a sum is beyond all doubles.
    """
    count, first, second = (
        np.asarray(columns[name], dtype=np.float64) for name in ("count", "first_moment", "second_moment")
    )
    if field == "count":
        return count
    if field not in FIELDS or not np.isfinite(second).all():
        return None
    with np.errstate(all="ignore"):
        match field:
            case "sum":
                found = columns["origin"] * count + first
            case "mean":
                found = np.where(count > 0.0, columns["origin"] + first / count, math.nan)
            case "std":
                squares = second - first * first / count
                found = np.sqrt(np.where(squares < 0.0, 0.0, squares) / (count - 1.0))
                found = np.where(count < 2.0, math.nan, found)
            case _:
                found = np.where(count > 0.0, columns[field], math.nan)
    return np.asarray(found, dtype=np.float64)


def count_below(snapshot: Mapping[str, Any], value: float) -> float:
    """Return how many values are at most `value`; its own bucket counts in part, as in `Histogram.quantile`."""
    numbers, counts = np.asarray(snapshot["buckets"]), np.asarray(snapshot["counts"])
    its = bucket(value)
    position = int(np.searchsorted(numbers, its))
    below = float(counts[:position].sum())
    if position == len(numbers) or numbers[position] != its:
        return below
    low, high = bounds(its)
    even = snapshot["excesses"][position] != 0.0 and value < snapshot["max"]
    part = (value - low) / (high - low) if even else float(value >= edge(its))
    return below + part * float(counts[position])


def _extreme(window: Mapping[str, Any], outermost: int, of_all: float) -> float:
    """Return the extreme of a window, whose outermost bucket stands first or last."""
    number, count, excess = (window[name][outermost] for name in ("buckets", "counts", "excesses"))
    return of_all if bucket(of_all) == number else float(edge(int(number)) + excess / count)
