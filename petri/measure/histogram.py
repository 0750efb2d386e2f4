"""The values of a sample in logarithmic buckets: mean, spread, extremes and quantiles in bounded memory.

A bucket is the leading bits of an IEEE double: sign, exponent, and 7 bits of the significand. So a bucket is less than
0.8 % wide, its number is an integer that no rounding touches, and bucket numbers ascend with the values. The Rust twin
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

SIGNIFICAND_BITS: Final = 7
DROPPED_BITS: Final = 52 - SIGNIFICAND_BITS

FIELDS: Final[tuple[str, ...]] = ("count", "sum", "mean", "std", "min", "max")
"""The figures that a measure may name, besides quantiles such as `p50` and `p99.9`."""

_QUANTILE: Final = re.compile(r"p([0-9]+(?:\.[0-9]+)?)")


def bucket(value: float) -> int:
    """The bucket of a finite value; 0 holds zero and what is closer to it than 2^-1029."""
    bits: int = struct.unpack("<Q", struct.pack("<d", abs(value)))[0]
    return bits >> DROPPED_BITS if value > 0 else -(bits >> DROPPED_BITS)


def edge(number: int) -> float:
    """The value in a bucket that is nearest to zero."""
    value: float = struct.unpack("<d", struct.pack("<Q", abs(number) << DROPPED_BITS))[0]
    return math.copysign(value, number) if number else 0.0


def quantile_share(field: str) -> float | None:
    """0.99 for "p99", 0.999 for "p99.9"; None for anything that names no quantile."""
    match = _QUANTILE.fullmatch(field)
    return float(match[1]) / 100.0 if match and float(match[1]) <= 100.0 else None


class Histogram:
    """A sample. Sums are of differences from the first value (`origin`), so that no digits cancel in the variance.

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
        """Take in one finite value."""
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
        """Take in another sample."""
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
        return self.origin + self.first_moment / self.count if self.count else math.nan

    @property
    def std(self) -> float:
        """The sample's standard deviation (divisor n - 1); nan for fewer than two values."""
        if self.count < 2:
            return math.nan
        deviation = self.second_moment - self.first_moment * self.first_moment / self.count
        return math.sqrt(max(deviation, 0.0) / (self.count - 1))

    def quantile(self, share: float) -> float:
        """The value of rank ceil(share · count), at least 1, in ascending order; nan without values.

        What is returned is the mean of the bucket in which it lies, so it is exact where a bucket holds one value
        (whole numbers up to 255, constants) and within 0.8 % of the true one otherwise.
        """
        if self.count == 0:
            return math.nan
        rank = max(1, math.ceil(share * self.count))
        for number, (count, excess) in sorted(self.buckets.items()):
            rank -= count
            if rank <= 0:
                return min(max(edge(number) + excess / count, self.minimum), self.maximum)
        return self.maximum

    def figure(self, field: str) -> float:
        """A figure by name: one of `FIELDS`, or a quantile. Without values `min` and `max` are nan too."""
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
        """The whole state as plain numbers and arrays; of `buckets`, those with values, ascending."""
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
    def of(cls, snapshot: Mapping[str, Any]) -> Histogram:
        """The histogram of which this is a snapshot."""
        histogram = cls()
        histogram.count = int(snapshot["count"])
        histogram.origin = float(snapshot["origin"])
        histogram.first_moment = float(snapshot["first_moment"])
        histogram.second_moment = float(snapshot["second_moment"])
        histogram.minimum = float(snapshot["min"])
        histogram.maximum = float(snapshot["max"])
        columns: list[Sequence[Any]] = [
            np.asarray(snapshot[name]).tolist() for name in ("buckets", "counts", "excesses")
        ]
        histogram.buckets = {int(b): (int(c), float(e)) for b, c, e in zip(*columns, strict=True)}
        return histogram

    def minus(self, earlier: Histogram) -> Histogram:
        """The values that came after `earlier`, a snapshot of this same histogram.

        Least and greatest value are exact when they lie in a bucket that an extreme of the whole lies in, and
        otherwise the mean of the outermost bucket.
        """
        if earlier.count == 0:
            return Histogram.of(self.snapshot())
        window = Histogram()
        window.origin = self.origin
        window.count = self.count - earlier.count
        window.first_moment = self.first_moment - earlier.first_moment
        window.second_moment = self.second_moment - earlier.second_moment
        for number, (count, excess) in self.buckets.items():
            before = earlier.buckets.get(number, (0, 0.0))
            if count > before[0]:
                window.buckets[number] = (count - before[0], excess - before[1])
        if window.buckets:
            window.minimum = self.extreme(window, min(window.buckets), self.minimum)
            window.maximum = self.extreme(window, max(window.buckets), self.maximum)
        return window

    @staticmethod
    def extreme(window: Histogram, number: int, of_all: float) -> float:
        """The extreme of a window's outermost bucket."""
        count, excess = window.buckets[number]
        return of_all if bucket(of_all) == number else edge(number) + excess / count
