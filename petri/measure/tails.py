"""Whether the values of a sample are so unequal that their mean has no interval that could be trusted.

Hill's estimate of the tail index (A simple general approach to inference about the tail of a distribution, Annals of
Statistics 3, 1975) from the greatest 2 √n of n values is below 2 where the variance is infinite. It is below 2 in
samples of some distributions of finite variance as well, whose intervals hold. So there must also be one value that
makes a tenth of the sum of squares (Embrechts, Klüppelberg and Mikosch, Modelling Extremal Events, 1997, 6.2.6): that
share vanishes as n grows, unless the variance is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from petri.measure.histogram import Histogram, edge

FEWEST: Final = 100  # values
LARGEST_SHARE: Final = 0.1  # of one value in the sum of the squares of all deviations from the mean
FINITE: Final = 2.0  # the tail index from which on the variance is finite


def is_heavy(snapshot: Mapping[str, Any]) -> bool:
    """Say whether the tail of a sample is heavy, by the snapshot of its histogram."""
    sample = Histogram.of(snapshot)
    if sample.count < FEWEST or not math.isfinite(sample.second_moment):
        return False
    squares = sample.second_moment - sample.first_moment**2 / sample.count
    largest = max(abs(sample.maximum - sample.mean), abs(sample.minimum - sample.mean)) ** 2
    if not largest > LARGEST_SHARE * squares > 0.0:
        return False
    count = int(2.0 * math.sqrt(sample.count))
    return tail_index(sample, count) * (1.0 + 1.0 / math.sqrt(count)) < FINITE


def tail_index(sample: Histogram, count: int) -> float:
    """Hill's estimate from the `count` greatest values, less the least of all; infinite if they are equal."""
    least, logarithms, left = sample.minimum, 0.0, count
    for number, (here, excess) in sorted(sample.buckets.items(), reverse=True):
        value = edge(number) + excess / here
        if value <= least:
            return math.inf
        if here >= left:
            logarithms -= (count - left) * math.log(value - least)
            break
        logarithms += here * math.log(value - least)
        left -= here
    return (count - left) / logarithms if logarithms > 0.0 else math.inf
