"""Probabilities that were found by trials: their tallies, and the intervals of these (Q4)."""

from __future__ import annotations

import math
from typing import Final

from petri.measure.intervals import Interval, incomplete_beta, student_quantile, student_tail
from petri.measure.tally import Tally

_STEPS: Final = 200  # halvings: more than the digits of a double need on a logarithmic scale
_LEAST: Final = 1e-300


def chance_interval(tally: Tally, level: float) -> Interval:
    """Return the estimate with its interval: of Clopper and Pearson, or of trials that were split, Student's.

    A probability is from 0 to 1, and so are the ends. Where no trial that was split has hit, nothing is known: the
    estimate is nan, since how much a hit would have counted is not known either.
    """
    n, value = tally.trials, tally.estimate
    if _unknown(tally):
        return Interval(math.nan, math.nan, level, n)
    if tally.split:
        error = student_quantile(0.5 + 0.5 * level, n - 1) * _standard_error(tally)
        low, high = max(value - error, 0.0), min(value + error, 1.0)
    else:
        low, high = clopper_pearson(tally.hits, n, level)
    return Interval(value, max(value - low, high - value), level, n, ends=(low, high))


def chance_tail(tally: Tally, bound: float) -> float:
    """Return the probability of an estimate as far to this side of `bound`, if the probability were `bound`.

    The interval of `chance_interval` ends at the bounds for which it is half of what the level leaves.
    """
    n, value = tally.trials, tally.estimate
    if _unknown(tally) or value == bound:
        return 0.5
    if tally.split:
        error = _standard_error(tally)
        return student_tail(abs(value - bound) / error, n - 1) if error else 0.5
    if not 0.0 < bound < 1.0:
        return 0.0
    hits = tally.hits
    if value > bound:
        return incomplete_beta(hits, n - hits + 1, bound, 1.0 - bound)
    return incomplete_beta(n - hits, hits + 1, 1.0 - bound, bound)


def _unknown(tally: Tally) -> bool:
    return tally.trials == 0 or (tally.split and (tally.trials < 2 or not tally.hits))


def _standard_error(tally: Tally) -> float:
    """Return the standard error of the mean of the values of trials that were split."""
    variance = max(tally.squares - tally.sum * tally.estimate, 0.0) / (tally.trials - 1)
    return math.sqrt(variance / tally.trials)


def clopper_pearson(hits: int, trials: int, level: float) -> tuple[float, float]:
    """Return the interval of a probability for which this number of trials hits (Clopper and Pearson 1934).

    It covers at least as often as `level` says, for any probability and number of trials; of no hits, its end is about
    3.7 / trials at 95 %.
    """
    tail = 0.5 * (1.0 - level)
    low = 0.0 if hits == 0 else beta_quantile(hits, trials - hits + 1, tail)
    high = 1.0 if hits == trials else beta_quantile(hits + 1, trials - hits, 1.0 - tail)
    return low, high


def beta_quantile(a: float, b: float, probability: float) -> float:
    """Return where the beta distribution function has this value, by halving the logarithm."""
    low, high = math.log(_LEAST), 0.0
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        if incomplete_beta(a, b, math.exp(middle), -math.expm1(middle)) < probability:
            low = middle
        else:
            high = middle
        if high - low < 1e-15:
            break
    return math.exp(0.5 * (low + high))
