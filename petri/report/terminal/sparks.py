"""A distribution or a series as one line of bars: ▁▂▄█▅▂."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.histogram import Histogram, edge

BARS = "▁▂▃▄▅▆▇█"
COLUMNS = 24


def of_histogram(histogram: Histogram) -> tuple[str, float, float]:
    """Bars of equal width from the least value to the 99 % quantile (greater values in the last bar), and both ends."""
    low, high = histogram.minimum, max(histogram.quantile(0.99), histogram.minimum)
    width = (high - low) / COLUMNS
    heights = [0.0] * COLUMNS
    for number, (count, excess) in histogram.buckets.items():
        value = edge(number) + excess / count
        column = int((value - low) / width) if width else 0
        heights[min(max(column, 0), COLUMNS - 1)] += count
    return _bars(heights, 0.0, max(heights)), low, high


def of_counts(counts: Floats, name: str) -> tuple[str, float, float]:
    """Bars of a distribution of packet order, from its least to its greatest value, and these two."""
    first = -(counts.size // 2) if name == "displacement" else 0
    found = np.flatnonzero(counts)
    if not found.size:
        return "", math.nan, math.nan
    low, high = int(found[0]), int(found[-1])
    heights = [float(piece.sum()) for piece in np.array_split(counts[low : high + 1], min(high - low + 1, COLUMNS))]
    return _bars(heights, 0.0, max(heights)), float(first + low), float(first + high)


def of_series(series: Sequence[Floats]) -> tuple[str, float, float]:
    """Return the average over replications, windows joined where there are many, and the extremes of all windows."""
    length = min(len(values) for values in series)
    if not length:
        return "", math.nan, math.nan
    average = np.mean([values[:length] for values in series], axis=0)
    pieces = [float(np.mean(piece)) for piece in np.array_split(average, min(length, COLUMNS))]
    known = [value for value in pieces if math.isfinite(value)]
    bars = _bars(pieces, min([0.0, *known]), max(known, default=0.0))
    windows = [float(value) for values in series for value in values if math.isfinite(value)]
    return bars, min(windows, default=math.nan), max(windows, default=math.nan)


def _bars(heights: Sequence[float], low: float, high: float) -> str:
    def bar(height: float) -> str:
        if not math.isfinite(height):
            return " "
        share = (height - low) / (high - low) if high > low else 0.0
        return BARS[min(math.ceil(share * (len(BARS) - 1)), len(BARS) - 1)]

    return "".join(map(bar, heights))
