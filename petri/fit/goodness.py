"""How well a law fits: how often values that are drawn from it are further from their own best fit than these are."""

from __future__ import annotations

import math

import numpy as np

from petri.fit.laws import Law, Parameters
from petri.fit.likelihood import Sample, likeliest
from petri.measure.arrays import Floats

TIMES = 99
ENOUGH = 10  # worse fits, after which the probability is known well enough (Besag and Clifford, 1991)
MOST = 500  # values that are compared: with more, every law is refused for what does not matter

EDGE = np.geomspace(1e-6, 1e-3, 30)  # shares in a tail for which quantiles are computed


def probability(law: Law, sample: Sample, step: float, rng: np.random.Generator) -> float:
    """Return the probability of a fit as bad as this one if the law is right, by a parametric bootstrap.

    It is nan where it is not known which values would have been bounded: those have different bounds. step: values are
    rounded to its multiples; so are those that are drawn.
    """
    cuts = _cuts(sample)
    if cuts is None:
        return math.nan
    sample = _fewer(sample, rng)
    found = likeliest(law, sample) if _usable(law, sample) else ()
    if not found:
        return math.nan
    distance, further = _distance(law, sample, found), 0
    grid = np.concatenate((EDGE, np.linspace(EDGE[-1], 1 - EDGE[-1], 1_000)[1:-1], 1 - EDGE[::-1]))
    with np.errstate(all="ignore"):
        values = law.quantiles(grid, found)
    for number in range(1, TIMES + 1):
        drawn = np.interp(rng.random(len(sample)), grid, values)
        drawn = np.round(drawn) if law.discrete else drawn
        again = _bounded(_rounded(drawn, step, law), *cuts)
        if not _usable(law, again):
            further += 1
            continue
        fitted = likeliest(law, again, found)
        further += not fitted or _distance(law, again, fitted) >= distance
        if further >= ENOUGH:
            return further / number
    return (further + 1) / (TIMES + 1)


def _usable(law: Law, sample: Sample) -> bool:
    return len(sample.known) > 2 and bool(np.ptp(sample.known) > 0) and law.takes(sample.guess)


def _cuts(sample: Sample) -> tuple[float, float] | None:
    """Return the bounds below and above which no value is known, if they are the same for all."""
    below, above = set(sample.high[np.isfinite(sample.high)]), set(sample.low[np.isfinite(sample.low)])
    if len(below) > 1 or len(above) > 1:
        return None
    return min(below, default=-math.inf), min(above, default=math.inf)


def _bounded(x: Floats, below: float, above: float) -> Sample:
    low = np.concatenate((np.full(int((x <= below).sum()), -math.inf), np.full(int((x > above).sum()), above)))
    high = np.where(np.isfinite(low), math.inf, below)
    return Sample(x[(x > below) & (x <= above)], low, high)


def _fewer(sample: Sample, rng: np.random.Generator) -> Sample:
    """Return `MOST` of the values, at random."""
    if len(sample) <= MOST:
        return sample
    chosen = np.sort(rng.choice(len(sample), MOST, replace=False))
    known = chosen[chosen < len(sample.known)]
    bounded = chosen[chosen >= len(sample.known)] - len(sample.known)
    return Sample(sample.known[known], sample.low[bounded], sample.high[bounded])


def _rounded(x: Floats, step: float, law: Law) -> Floats:
    if not step or law.discrete:
        return x
    rounded = np.round(x / step) * step
    return np.where((rounded <= 0) & (x > 0), step / 2, rounded)


def _distance(law: Law, sample: Sample, parameters: Parameters) -> float:
    """Return the distance of Anderson and Darling, weighted by the shares of the sample so that none is infinite."""
    values, counts = np.unique(sample.known, return_counts=True)
    before = int(np.isneginf(sample.low).sum())
    shares = (before + np.cumsum(counts) - counts / 2) / len(sample)
    with np.errstate(all="ignore"):
        reached = law.reached(values, *parameters)
        if law.discrete:
            reached = 0.5 * (reached + law.reached(values - 1, *parameters))
    return float((counts * (reached - shares) ** 2 / (shares * (1 - shares))).sum())
