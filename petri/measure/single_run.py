"""Confidence intervals from one run, by batch means that allow for correlation and for skewness.

The interval is that of N-Skart (Tafazzoli, Steiger and Wilson, "N-Skart: a nonsequential skewness- and
autoregression-adjusted batch-means procedure for simulation analysis", IEEE Transactions on Automatic Control 56,
2011, steps 6 and 7): Student's t with a skewness adjustment (Willink 2005), and a factor √((1 + φ) / (1 - φ)) for the
lag-one correlation φ of the batch means. Whether a run is long enough is decided by the lag-one correlation of ranks,
which is the von Neumann test of randomness in its rank version (Bartels 1982).

Two points differ from N-Skart, because the decision to show an interval must not bias the intervals shown: a run in
which long excursions are missing by chance has too low a mean, too low a variance, and too low a correlation. First, φ
is that of batches an eighth as long as those of the interval, which overstates it. Second, the interval is wider where
the run is only just long enough, since most runs of that length would have none. Both lose their effect as the run
grows.

A strictly periodic figure fails this decision: what one batch lacks of a period the next has too much, at intervals
that depend on how batches and periods meet. It is recognised by sums of deviations that stay bounded, where those of
random batches wander off, and its error is then that bound (`_cancelling`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.intervals import student_quantile
from petri.measure.observation import beyond_doubles
from petri.structs import Frozen

FEWEST: Final = 128
"""Batches that the decision needs."""

JOINED: Final = 8
"""Neighbouring batches that are joined into one for the interval."""

REFERENCE: Final = 160
"""The number of batches of a run that correlations are converted to."""

LARGEST_CORRELATION: Final = 0.45
"""The correlation of ranks of successive batches, of `REFERENCE` batches, above which there is no interval."""

WIDER_FROM: Final = 0.25
"""The correlation of ranks from which the interval is widened."""

WIDEST: Final = 3.0
"""The factor by which it is widened at `LARGEST_CORRELATION`; between the two correlations it grows in proportion."""

LARGEST_SKEWNESS: Final = 0.8
"""The skewness of the n joined batches, as a share of the greatest that n values can have, (n - 2) / √(n - 1).

One batch that is unlike the others gives 1, two of them 0.7, three 0.57: above, it hangs on a single event.
"""

LARGEST_ADJUSTMENT: Final = 0.35
"""The skewness that is adjusted for at most, as such a share: near 0.5 the cube root of G(t) runs away."""

NARROWEST_PATH: Final = 0.5
"""The range of the sums of the deviations of n batches, as a multiple of S √n, below which the batches cancel.

That of independent batches is at least that narrow with a probability of 5e-7 (Kuiper's distribution), and 5e-5 where
the figure is a count of rare events; that of correlated ones is wider.
"""

_LARGEST_PHI: Final = 0.85  # which keeps the factor below 13
_MARGIN: Final = 1.5  # on the length of a run: the correlation of a short one tends to be too small
_ROUNDING: Final = 1e-13


class BatchInterval(Frozen):
    """One entry per figure. The true value lies between value - `below` and value + `above`; both are >= 0.

    Where both are nan no interval can be trusted; `longer` tells how many times as long the run should be (inf where
    that cannot be told), and is nan where there is an interval, or no data. n: batches that the interval rests on.
    """

    below: Floats
    above: Floats
    longer: Floats
    n: int


@beyond_doubles
def batch_interval(values: Floats, level: float) -> BatchInterval:
    """values: by batch, in the order of time, and figure. Batches should be about equally long."""
    count, figures = values.shape
    nothing = np.full(figures, math.nan)
    if count < 2:
        return BatchInterval(nothing, nothing, np.full(figures, math.inf), count)
    joined = join(values, JOINED) if count >= 2 * JOINED else values
    known = np.isfinite(values).all(axis=0)
    spread = values.std(axis=0)
    constant = known & (spread <= _ROUNDING * count * np.abs(values).max(axis=0))
    correlation = np.where(known & ~constant, at_reference(lag_correlation(ranks(values)), count), 0.0)
    rarity = np.where(known & ~constant & (count >= FEWEST), _rarity(joined), 0.0)
    short = (correlation > LARGEST_CORRELATION) | (rarity > LARGEST_SKEWNESS)
    short = known & ~constant & (short | (count < FEWEST))
    below, above = _sides(joined, level)
    phi = np.where(constant, 0.0, np.minimum(at_reference(lag_correlation(values), count), _LARGEST_PHI))
    factor = np.sqrt((1.0 + phi) / (1.0 - phi))
    factor = factor * np.interp(correlation, (WIDER_FROM, LARGEST_CORRELATION), (1.0, WIDEST))
    below, above = below * factor, above * factor
    if short.any() and count >= FEWEST:
        ends = np.where(short, _cancelling(values), math.nan)
        short = short & np.isnan(ends)
        below, above = (np.where(np.isnan(ends), side, ends) for side in (below, above))
    shown = known & ~short
    longer = np.where(short, _extension(count, correlation, rarity), math.nan) if short.any() else nothing
    return BatchInterval(
        np.where(shown, below, math.nan),
        np.where(shown, above, math.nan),
        longer,
        len(joined),
    )


def join(values: Floats, size: int) -> Floats:
    """Return the means of neighbouring batches, `size` or a few more to each, none left over."""
    count = len(values)
    starts = [number * count // (count // size) for number in range(count // size)]
    sizes = np.array([[end - start] for start, end in pairwise([*starts, count])])
    means: Floats = np.add.reduceat(values, starts, axis=0) / sizes
    return means


def _cancelling(values: Floats) -> Floats:
    """Return the error of the mean of batches whose deviations cancel, as in a periodic run; nan where they do not.

    What a batch lacks, later ones make up for: the sums of deviations stay within a range, and the mean of n batches
    is wrong by at most that range / n, which the two ends of the run cut off.
    """
    n = len(values)
    path = (values - values.mean(axis=0)).cumsum(axis=0)  # ends at 0, where it starts
    width: Floats = path.max(axis=0) - path.min(axis=0)
    return np.where(width < NARROWEST_PATH * math.sqrt(n) * values.std(axis=0), width / n, math.nan)


def _sides(batches: Floats, level: float) -> tuple[Floats, Floats]:
    """Return how far the interval of the mean reaches below and above it.

    With k batch means of skewness B, β = B / (6 √k) and G(t) = (∛(1 + 6β (t - β)) - 1) / (2β), the interval is
    mean - G(t) S/√k … mean - G(-t) S/√k, t being Student's quantile with k - 1 degrees of freedom.
    """
    k = len(batches)
    error = batches.std(axis=0, ddof=1) / math.sqrt(k)
    t = student_quantile(0.5 + 0.5 * level, k - 1)
    largest = LARGEST_ADJUSTMENT * _greatest_skewness(k)
    beta = np.clip(skewness(batches), -largest, largest) / (6.0 * math.sqrt(k))
    return _adjusted(t, beta) * error, -_adjusted(-t, beta) * error


def _adjusted(t: float, beta: Floats) -> Floats:
    """G(t) above; t itself where there is no skewness."""
    small = np.abs(beta) < 1e-9
    safe = np.where(small, 1.0, beta)
    roots = np.array(list(map(math.cbrt, (1.0 + 6.0 * safe * (t - safe)).tolist())))
    adjusted: Floats = np.where(small, t, (roots - 1.0) / (2.0 * safe))
    return adjusted


def skewness(values: Floats) -> Floats:
    """Return the sample skewness of each column, n / ((n - 1)(n - 2)) Σ((x - mean) / S)³; 0 where nothing varies."""
    n = len(values)
    if n < 3:
        return np.zeros(values.shape[1])
    deviations = values - values.mean(axis=0)
    spread = values.std(axis=0, ddof=1)
    scaled = np.divide(deviations, spread, out=np.zeros_like(deviations), where=spread > 0.0)
    found: Floats = n / ((n - 1) * (n - 2)) * (scaled * scaled * scaled).sum(axis=0)
    return found


def lag_correlation(values: Floats) -> Floats:
    """Return the correlation of each column with itself one row later; 0 where nothing varies.

    With it goes the ratio of von Neumann, Σ(xᵢ₊₁ - xᵢ)² / Σ(xᵢ - mean)² ≈ 2 (1 - φ).
    """
    deviations = values - values.mean(axis=0)
    squares = (deviations**2).sum(axis=0)
    products = (deviations[1:] * deviations[:-1]).sum(axis=0)
    found: Floats = np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0.0)
    return found


def ranks(values: Floats) -> Floats:
    """Return the rank of each entry in its column; equal entries share the mean of their ranks."""
    return np.column_stack([np.array(_ranks(entries.tolist())) for entries in _columns(values)])


def _columns(values: Floats) -> list[Floats]:
    return [values[:, column] for column in range(values.shape[1])]


def _ranks(values: list[float]) -> list[float]:
    found = [0.0] * len(values)
    order = sorted(range(len(values)), key=values.__getitem__)
    if len(set(values)) == len(values):
        for rank, place in enumerate(order, 1):
            found[place] = float(rank)
        return found
    at = 0
    while at < len(order):
        end = at + 1
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for place in order[at:end]:
            found[place] = 0.5 * (at + 1 + end)
        at = end
    return found


def at_reference(correlation: Floats, count: int) -> Floats:
    """Return what lag-one correlations of `count` batches would be, were the run cut into `REFERENCE`; 0 where
    negative.

    A process with correlation exp(-t/τ) is assumed. Its batch means, of batches x τ long, have the lag-one correlation
    (1 - exp(-x))² / (2 (x - 1 + exp(-x))), which falls from 1 to 0.
    """
    converted: Floats = np.interp(_batch_length(correlation) * count / REFERENCE, *_curve(np.array)[:2])
    known: Floats = np.where(correlation > 0.0, converted, 0.0)
    return known


def _rarity(batches: Floats) -> Floats:
    """Return the absolute skewness of each column as a share of the greatest possible."""
    found: Floats = np.abs(skewness(batches)) / _greatest_skewness(len(batches))
    return found


def _greatest_skewness(n: int) -> float:
    """Return the skewness of n values of which all but one are equal."""
    return max(n - 2, 1) / math.sqrt(max(n - 1, 1))


def _extension(count: int, correlation: Floats, rarity: Floats) -> Floats:
    """Return how many times as long a run of `count` batches with these rank correlations (at reference) should be.

    The skewness of batch means falls as one over the square root of their length.
    """
    long_enough = _batch_length(np.array([LARGEST_CORRELATION]))[0]
    factors: Floats = np.maximum(long_enough / _batch_length(correlation), FEWEST / count)
    longer: Floats = np.maximum(factors, np.maximum(rarity / LARGEST_SKEWNESS, 1.0) ** 2) * _MARGIN
    return longer


def _batch_length(correlation: Floats) -> Floats:
    """Return the length x of batches, in units of τ, whose means have this lag-one correlation."""
    x, _, falling = _curve(np.array)
    found: Floats = np.interp(-correlation, falling, x)
    return found


@lru_cache(2)
def _curve(array: Callable[[list[float]], Floats]) -> tuple[Floats, Floats, Floats]:
    """Lengths of batches in units of τ, ascending, the lag-one correlations of their means, and these below 0.

    array: `np.array`, of numpy or for lists.
    """
    first, last, count = -3.0, 3.0, 4000
    step = (last - first) / (count - 1)
    lengths = [10.0**first, *(10.0 ** (number * step + first) for number in range(1, count - 1)), 10.0**last]
    curve = [less * less / (2.0 * (x + less)) for x in lengths for less in (math.expm1(-x),)]
    return array(lengths), array(curve), array([-one for one in curve])
