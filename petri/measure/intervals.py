"""Confidence intervals of simulation output, and the end of its warm-up.

Replications are independent: `student_interval`. One run gives the jackknife's `pseudo_values`, which are correlated;
`petri.measure.single_run` makes intervals of them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from petri.display import report
from petri.measure.arrays import Floats
from petri.measure.observation import beyond_doubles
from petri.structs import Frozen

_TINY: Final = 1e-300
_PRECISION: Final = 1e-16
_ROUNDING: Final = 1e-12
CONSTANT: Final = 1e-9  # a half-width of at most this share of the value is one of rounding


Statistic = str
"""What replications give together: the "mean", the "greatest" or the "least" of their values, or a quantile, "p95"."""


Doubt = Literal["", "unvaried", "heavy"]
"""Why a figure has no interval, besides a run that is too short for one.

"heavy": its variance is infinite, or seems to be.
"unvaried": it was the same throughout, in a net in which it may be another (`petri.measure.unvaried`). If there is an
interval, it says how far the figure may be from that.
"""


class Interval(Frozen):
    """`mean` ± `half_width` at confidence `level`, from `n` replications or batches. nan where nothing is known.

    longer: where one run was too short for a half-width, how many times as long it should be (an estimate; inf where
    there is none). nan otherwise.
    Where `statistic` is not "mean", `mean` is the quantile over the replications, or their extreme, which has no
    interval.
    ends: where the interval is not symmetric, and `half_width` is the longer side of it.
    doubt: why there is no half-width, or only such `ends`.
    """

    mean: float
    half_width: float
    level: float
    n: int
    longer: float = math.nan
    statistic: Statistic = "mean"
    ends: tuple[float, float] | None = None
    doubt: Doubt = ""

    def __str__(self) -> str:
        """`0.210 ± 0.013`, in the net's own units."""
        return report().text(self)

    @property
    def too_short(self) -> bool:
        """Whether only the length of the run is missing for a half-width."""
        return not math.isnan(self.longer)

    @property
    def unknown(self) -> bool:
        """Whether it has an error of which nothing is known."""
        return math.isnan(self.half_width) and (self.too_short or self.doubt != "")

    @property
    def low(self) -> float:
        return self.mean - self.half_width if self.ends is None else self.ends[0]

    @property
    def high(self) -> float:
        return self.mean + self.half_width if self.ends is None else self.ends[1]

    @property
    def relative(self) -> float:
        """The half-width as a share of the mean; nan if the mean is 0."""
        return self.half_width / abs(self.mean) if self.mean else math.nan


# ---------------------------------------------------------------- Student's t


def incomplete_beta(a: float, b: float, x: float, complement: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for a, b > 0 and `complement` = 1 - x (given, not
    computed).

    Continued fraction 26.5.8 of Abramowitz and Stegun, evaluated by the method of Lentz, on the side of the mean
    where it converges fast.
    """
    if x <= 0.0 or complement <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - incomplete_beta(b, a, complement, x)
    log_factor = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(complement)
    return math.exp(log_factor) * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction 1 / (1 + d1 / (1 + d2 / …))."""
    numerator = 1.0
    denominator = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = denominator
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            denominator = 1.0 / _away_from_zero(1.0 + term * denominator)
            numerator = _away_from_zero(1.0 + term / numerator)
            change = denominator * numerator
            value *= change
        if abs(change - 1.0) < _PRECISION:
            break
    return value


def _away_from_zero(x: float) -> float:
    return x if abs(x) > _TINY else _TINY


def student_tail(t: float, degrees: float) -> float:
    """Return the probability that Student's t with `degrees` degrees of freedom exceeds `t`."""
    square = t * t
    tail = 0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + square), square / (degrees + square))
    return tail if t >= 0 else 1.0 - tail


@lru_cache(1024)  # all intervals of a result need the same one
def student_quantile(probability: float, degrees: float) -> float:
    """Return the quantile of Student's t for this probability.

    The relative error is below 1e-9 for up to 100,000 degrees of freedom. The tail probability is inverted by
    Newton's method, kept within a bracket that bisection narrows.
    Raises ValueError outside 0 < probability < 1 or for degrees <= 0.
    """
    if not 0.0 < probability < 1.0 or not degrees > 0.0:
        raise ValueError(f"no t quantile for probability {probability}, {degrees} degrees of freedom")
    if probability == 0.5:
        return 0.0
    if probability < 0.5:
        return -_upper_quantile(probability, degrees)
    return _upper_quantile(1.0 - probability, degrees)


def _upper_quantile(tail: float, degrees: float) -> float:
    """Return the positive t that is exceeded with probability `tail` < 1/2."""
    low, high = 0.0, 1.0
    while student_tail(high, degrees) > tail:
        low, high = high, high * 2.0
    log_scale = math.lgamma(0.5 * (degrees + 1.0)) - math.lgamma(0.5 * degrees) - 0.5 * math.log(degrees * math.pi)
    t = 0.5 * (low + high)
    for _ in range(200):
        error = student_tail(t, degrees) - tail
        if error > 0.0:
            low = t
        else:
            high = t
        density = math.exp(log_scale - 0.5 * (degrees + 1.0) * math.log1p(t * t / degrees))
        following = t + error / density if density > 0.0 else math.inf
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - t) <= 1e-15 * following:
            return following
        t = following
    return t


# ---------------------------------------------------------------- intervals


def _sum(values: Floats) -> float:
    """Return the exact sum, rounded once.

    Infinite or nan if that is the result of adding, where `fsum` raises errors.
    """
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return float(values.sum())


def order_interval(values: ArrayLike, share: float, level: float = 0.95) -> Interval:
    """Return the quantile of independent replications, the ⌈share · n⌉-th of n, between two others of their values.

    With X the number of values up to the true quantile, which is binomial, the ends are the values number l and u, with
    the greatest l and the least u for which P(X < l) and P(X >= u) are at most half of 1 - level. So the interval
    covers at least as often as it says, whatever the distribution (Conover, Practical Nonparametric Statistics, 3.2).
    There is none where n is too small for that. A value that is nan counts as greater than any: a time that was not
    over when its run ended.
    """
    x = np.asarray(values, dtype=np.float64)
    x = np.sort(np.where(np.isnan(x), math.inf, x))
    n, name = x.size, f"p{100.0 * share:.10g}"
    if n == 0:
        return Interval(math.nan, math.nan, level, n, statistic=name)
    tail = 0.5 * (1.0 - level)

    def at_least(count: int) -> float:
        return incomplete_beta(count, n - count + 1, share, 1.0 - share)

    low = sum(1.0 - at_least(count) <= tail for count in range(1, n + 1))
    high = next((count for count in range(low + 1, n + 1) if at_least(count) <= tail), None)
    value = float(x[max(math.ceil(share * n - 1e-9), 1) - 1])
    if low == 0 or high is None or not math.isfinite(x[high - 1]):
        return Interval(value, math.nan, level, n, statistic=name)
    ends = float(x[low - 1]), float(x[high - 1])
    return Interval(value, max(value - ends[0], ends[1] - value), level, n, statistic=name, ends=ends)


def extreme(values: Floats, statistic: Statistic) -> Floats:
    """Return the greatest or the least along the first axis; replications without data (nan) do not count."""
    result: Floats = (np.fmax if statistic == "greatest" else np.fmin).reduce(values, axis=0)
    return result


@beyond_doubles
def student_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Return the interval of the mean of independent replications.

    A replication without data (nan) makes the mean nan: leaving it out would bias the others. With one value, or one
    that is infinite, the half-width is nan.
    """
    x = np.asarray(values, dtype=np.float64)
    n = x.size
    if n < 2:
        return Interval(float(x[0]) if n else math.nan, math.nan, level, n)
    mean = _sum(x) / n
    if not math.isfinite(mean):
        return Interval(mean, math.nan, level, n)
    deviation = math.sqrt(_sum((x - mean) ** 2) / (n - 1))
    return Interval(mean, student_quantile(0.5 + 0.5 * level, n - 1) * deviation / math.sqrt(n), level, n)


@beyond_doubles
def paired_interval(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Interval:
    """Return the interval of the mean of `first` - `second`, pair by pair (common random numbers)."""
    return student_interval(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), level)


@beyond_doubles
def pseudo_values(whole: ArrayLike, without: ArrayLike) -> Floats:
    """Pseudo-values of figures of the whole run, from the same figures with each batch left out in turn (the first
    axis).

    The jackknife treats n·whole - (n - 1)·without as replications (Tukey).
    """
    left_out = np.asarray(without, dtype=np.float64)
    n = len(left_out)
    return np.asarray(whole, dtype=np.float64) * n - left_out * (n - 1)


# ---------------------------------------------------------------- warm-up


class Truncation(Frozen):
    """Leave out the first `count` observations. Not `settled`: the series is too short to tell (see `mser`)."""

    count: int
    statistic: float
    settled: bool


def mser(values: ArrayLike, batch: int = 5) -> Truncation:
    """Return the truncation that minimises the standard error of the rest (MSER-5; with `batch` 1, MSER).

    The means of successive batches are cut before the d-th, d <= n/2, that makes Σ(x - mean)² / (n - d)² least
    (White 1997; White, Cobb and Spratt 2000). If that is the last d allowed, the series is not settled. A remainder
    shorter than a batch is ignored.
    """
    x = np.asarray(values, dtype=np.float64)
    n = x.size // batch
    if n == 0:
        return Truncation(0, math.nan, False)
    means = x[: n * batch].reshape(n, batch).mean(axis=1)
    centred = (means - means.mean())[::-1]
    left = np.arange(1, n + 1)
    deviations = np.cumsum(centred**2) - np.cumsum(centred) ** 2 / left
    # The rounding error of a constant rest counts as 0; otherwise it would choose among the truncations at random.
    deviations[deviations < _ROUNDING * deviations[-1]] = 0.0
    statistics = (deviations / left**2)[::-1][: n // 2 + 1]
    best = int(np.argmin(statistics))
    return Truncation(best * batch, float(statistics[best]), best < n // 2 or n < 2)
