"""What independent replications give together: the one place that says how their values make an interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from petri.measure.chance import chance_interval
from petri.measure.histogram import quantile_share
from petri.measure.intervals import Interval, Statistic, extreme, order_interval, student_interval
from petri.measure.tally import Tally, total
from petri.measure.unvaried import Ranged, Ranges, pooled, with_ranges

EXTREMES: Final = ("greatest", "least")

Sample = float | Ranged | Tally
"""What one replication has of a figure: its value, also with what it might be if it does not vary; or, of a
probability, what its trials have found."""


def value_of(sample: Sample) -> float:
    """Return the value of a replication by itself; nan without data."""
    if isinstance(sample, Ranged):
        return sample.value
    return sample.estimate if isinstance(sample, Tally) else sample


def values_of(samples: Iterable[Sample]) -> list[float]:
    return [value_of(sample) for sample in samples]


def tallies_of(samples: Iterable[Sample]) -> list[Tally] | None:
    """Return the tallies of a probability; None of any other figure, and without samples.

    Also None where some have values alone, as in stores of earlier versions; but a replication may have made no trials.
    """
    listed = list(samples)
    found = [sample for sample in listed if isinstance(sample, Tally)]
    others = [value_of(sample) for sample in listed if not isinstance(sample, Tally)]
    return found if found and all(map(math.isnan, others)) else None


def interval_of(samples: Iterable[Sample], statistic: Statistic = "mean", level: float = 0.95) -> Interval:
    """Return the mean with Student's interval; of a probability the share over all trials of all replications (Q4); a
    quantile with the interval of `order_interval`; or the extreme, which has no interval.
    """
    listed = list(samples)
    tallies = tallies_of(listed)
    if tallies is not None:
        return chance_interval(total(tallies), level)
    values = np.array(values_of(listed), dtype=np.float64)
    share = quantile_share(statistic)
    if share is not None:
        return order_interval(values, share, level)
    if statistic == "mean":
        return _of_means(student_interval(values, level), [one for one in listed if isinstance(one, Ranged)])
    value = float(extreme(values, statistic)) if values.size else math.nan
    return Interval(value, math.nan, level, values.size, statistic=statistic)


def _of_means(found: Interval, ranged: Sequence[Ranged]) -> Interval:
    """Return the interval of means, also of few events; of those that are all alike, how far they may be from there."""
    if len(ranged) < found.n or not ranged or math.isnan(found.mean):
        return found
    if found.n > 1:
        return with_ranges(found, Ranges.of(ranged))
    unvaried = pooled(Ranges.of(ranged), found.level)
    return found if unvaried.unknown else unvaried


def precision_interval(samples: Iterable[Sample], statistic: Statistic = "mean", level: float = 0.95) -> Interval:
    """Return what a precision is asked of: the interval, and for an extreme, which has none, that of its mean."""
    return interval_of(samples, "mean" if statistic in EXTREMES else statistic, level)
