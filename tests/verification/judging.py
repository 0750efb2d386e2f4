"""Tests of a sample against theory; each gives the chance of a sample as unlike as this one, if the theory holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import scipy

from tests.verification.draws import Numbers
from tests.verification.theory import Theory

LEAST_EXPECTED = 20.0  # in each cell of a chi-square test
LAGS = (1, 2, 7)
FALSE_ALARMS = 0.01


def p_values(theory: Theory, sample: Numbers) -> Iterator[tuple[str, float]]:
    """Yield the name and the p-value of each test that the theory allows."""
    yield "shape", goodness_of_fit(theory, sample)
    if math.isfinite(theory.variance):
        yield "mean", of_mean(theory, sample)
    if math.isfinite(theory.kurtosis):
        yield "variance", of_variance(theory, sample)
    for lag in LAGS:
        yield f"lag {lag}", of_correlation(theory.cumulative(sample), lag)


def goodness_of_fit(theory: Theory, sample: Numbers) -> float:
    """Kolmogorov and Smirnov's test, or that of chi-square if the values are discrete."""
    if theory.values is None:
        return float(scipy.stats.kstest(sample, theory.cumulative).pvalue)
    upper = theory.cumulative(theory.values)
    shares = np.diff(upper, prepend=0.0)
    shares[-1] += 1.0 - upper[-1]
    counts = np.bincount(np.searchsorted(theory.values, sample).clip(0, len(shares) - 1), minlength=len(shares))
    return chi_square(counts, shares)


def chi_square(counts: Numbers, shares: Numbers) -> float:
    """Return whether counts agree with the shares of their cells; neighbours are joined until each expects enough."""
    total, cells, seen, expected = counts.sum(), [], 0.0, 0.0
    for count, share in zip(counts, shares, strict=True):
        seen, expected = seen + count, expected + share * total
        if expected >= LEAST_EXPECTED:
            cells.append((seen, expected))
            seen, expected = 0.0, 0.0
    observed, wanted = (np.array(column) for column in zip(*cells, strict=True))
    observed[-1] += seen
    wanted[-1] += expected
    statistic = ((observed - wanted) ** 2 / wanted).sum()
    return float(scipy.stats.chi2.sf(statistic, len(wanted) - 1))


def two_sided(z: float) -> float:
    return float(2.0 * scipy.stats.norm.sf(abs(z)))


def of_mean(theory: Theory, sample: Numbers) -> float:
    return two_sided((sample.mean() - theory.mean) / math.sqrt(theory.variance / len(sample)))


def of_variance(theory: Theory, sample: Numbers) -> float:
    """Test the variance by the squares of the distances to the known mean."""
    spread = theory.variance * math.sqrt((theory.kurtosis - 1.0) / len(sample))
    if not spread:  # two values that are equally likely: each is as far from the mean as the other
        return 1.0
    return two_sided((((sample - theory.mean) ** 2).mean() - theory.variance) / spread)


def of_correlation(ranks: Numbers, lag: int) -> float:
    """Test the correlation of values `lag` draws apart, by their ranks, which always have moments."""
    centred = ranks - ranks.mean()
    correlation = (centred[lag:] @ centred[:-lag]) / (centred @ centred)
    return two_sided(correlation * math.sqrt(len(ranks)))


def rejected(p_values: Sequence[float], rate: float = FALSE_ALARMS) -> list[bool]:
    """Return which of them Benjamini and Hochberg's procedure rejects.

    If all theories hold, it rejects any at all in a share `rate` of repetitions at most.
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    last = max((rank for rank, index in enumerate(order, 1) if p_values[index] <= rank * rate / len(order)), default=0)
    worst = set(order[:last])
    return [index in worst for index in range(len(p_values))]
