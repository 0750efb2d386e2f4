"""What each distribution of the language is in theory, with usual parameters, extreme ones, and those at a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy

from petri.structs import Frozen
from tests.verification.draws import Numbers

SIZES = ((64.0, 7.0), (594.0, 4.0), (1518.0, 1.0))
STEPS = ((0.0, 0.0), (1.0, 1.0), (2.0, 3.0), (10.0, 2.0))  # of an empirical distribution: value, weight


class Theory(Frozen):
    """A distribution as the net writes it, and in theory.

    cumulative: the share up to and including each value. values: all values that have a chance, of a discrete one.
    kurtosis: the fourth central moment over variance². Moments that do not exist are infinite or nan.
    """

    text: str
    cumulative: Callable[[Numbers], Numbers]
    mean: float
    variance: float
    kurtosis: float
    values: Numbers | None = None


def continuous(text: str, law: Any) -> Theory:
    mean, variance, excess = (float(moment) for moment in law.stats("mvk"))
    return Theory(text, law.cdf, mean, variance, excess + 3.0)


def discrete(text: str, law: Any) -> Theory:
    mean, variance, excess = (float(moment) for moment in law.stats("mvk"))
    low, high = (int(bound) for bound in law.ppf([1e-12, 1.0 - 1e-12]))
    return Theory(text, law.cdf, mean, variance, excess + 3.0, np.arange(low, high + 1))


def of_weights(text: str, pairs: Sequence[tuple[float, float]]) -> Theory:
    """Values with weights."""
    values, weights = (np.array(column) for column in zip(*pairs, strict=True))
    shares = weights / weights.sum()
    mean = float(shares @ values)
    variance = float(shares @ (values - mean) ** 2)
    kurtosis = float(shares @ (values - mean) ** 4) / variance**2
    sums = np.concatenate([[0.0], np.cumsum(shares)])
    return Theory(text, lambda x: sums[np.searchsorted(values, x, side="right")], mean, variance, kurtosis, values)


def of_pieces(text: str, pairs: Sequence[tuple[float, float]]) -> Theory:
    """Pieces of constant density, each up to its value."""
    values, weights = (np.array(column) for column in zip(*pairs, strict=True))
    shares, low, high = weights[1:] / weights.sum(), values[:-1], values[1:]

    def moment(order: int, about: float) -> float:
        ends = (high - about) ** (order + 1) - (low - about) ** (order + 1)
        return float(shares @ (ends / (order + 1) / (high - low)))

    mean = moment(1, 0.0)
    variance = moment(2, mean)
    sums = np.concatenate([[0.0], np.cumsum(shares)])
    return Theory(text, lambda x: np.interp(x, values, sums), mean, variance, moment(4, mean) / variance**2)


def hyperexponential(mean: float, cv: float) -> Theory:
    """Return a mixture of two exponentials, each with half of the mean."""
    share = 0.5 * (1.0 + math.sqrt((cv**2 - 1.0) / (cv**2 + 1.0)))
    parts = [(chance, mean / (2.0 * chance)) for chance in (share, 1.0 - share)]

    def moment(order: int) -> float:
        return sum(chance * math.factorial(order) * part**order for chance, part in parts)

    variance = moment(2) - mean**2
    fourth = moment(4) - 4 * mean * moment(3) + 6 * mean**2 * moment(2) - 3 * mean**4

    def cumulative(x: Numbers) -> Numbers:
        shares: Numbers = np.sum([-chance * np.expm1(-x / part) for chance, part in parts], axis=0)
        return shares

    return Theory(f"hyperexponential({mean}, {cv})", cumulative, mean, variance, fourth / variance**2)


def theories() -> Iterator[Theory]:
    yield from of_waiting()
    yield from of_measuring()
    yield from of_counting()
    yield of_weights("choice(64: 7, 594: 4, 1518: 1)", SIZES)
    yield of_weights('table("sizes.csv")', SIZES)
    yield of_pieces('empirical("steps.csv")', STEPS)


def of_waiting() -> Iterator[Theory]:
    """Positive values, most of them small."""
    for mean in (1.0, 1e-6, 3e5):
        yield continuous(f"exp({mean})", scipy.stats.expon(scale=mean))
    for k, mean in ((2, 1.0), (5, 2.0), (100, 3.0)):
        yield continuous(f"erlang({k}, {mean})", scipy.stats.gamma(k, scale=mean / k))
    for mean, cv in ((1.0, 0.1), (2.0, 1.0), (5.0, 3.0)):
        sd = math.sqrt(math.log(1.0 + cv * cv))
        yield continuous(f"lognormal({mean}, {cv})", scipy.stats.lognorm(sd, scale=mean * math.exp(-sd * sd / 2)))
    for shape, mean in ((1.2, 1.0), (2.5, 3.0), (6.0, 1.0)):
        yield continuous(f"pareto({shape}, {mean})", scipy.stats.pareto(shape, scale=mean * (shape - 1) / shape))
    for shape, mean in ((0.1, 1.0), (0.9, 1.0), (1.0, 2.0), (3.7, 1.0), (250.0, 4.0)):
        yield continuous(f"gamma({shape}, {mean})", scipy.stats.gamma(shape, scale=mean / shape))
    for shape, scale in ((0.5, 1.0), (1.0, 2.0), (3.4, 5.0)):
        yield continuous(f"weibull({shape}, {scale})", scipy.stats.weibull_min(shape, scale=scale))
    for shape, scale in ((0.8, 1.0), (1.0, 2.0), (3.0, 1.0), (9.0, 5.0)):
        yield continuous(f"loglogistic({shape}, {scale})", scipy.stats.fisk(shape, scale=scale))
    for mean, cv in ((1.0, 1.01), (2.0, 2.0), (1.0, 5.0)):
        yield hyperexponential(mean, cv)


def of_measuring() -> Iterator[Theory]:
    """Values on a line, or between bounds."""
    for low, high in ((0.0, 1.0), (-3.0, 4.5), (1e6, 1e6 + 1)):
        yield continuous(f"uniform({low}..{high})", scipy.stats.uniform(low, high - low))
    for mean, sd in ((0.0, 1.0), (-40.0, 0.001), (1e6, 1e3)):
        yield continuous(f"normal({mean}, {sd})", scipy.stats.norm(mean, sd))
    for mean, low, high in ((1.0, 0.0, 3.0), (0.0, 4.0, 5.0), (0.0, -0.1, 0.1), (0.0, -6.0, 9.0)):
        yield continuous(f"normal({mean}, 1.0, {low}..{high})", scipy.stats.truncnorm(low - mean, high - mean, mean))
    for low, mode, high in ((0.0, 1.0, 4.0), (0.0, 0.0, 1.0), (-2.0, 3.0, 3.0)):
        law = scipy.stats.triang((mode - low) / (high - low), low, high - low)
        yield continuous(f"triangular({low}, {mode}, {high})", law)
    for a, b in ((0.3, 0.4), (1.0, 1.0), (2.0, 5.0), (80.0, 30.0)):
        yield continuous(f"beta({a}, {b})", scipy.stats.beta(a, b))


def of_counting() -> Iterator[Theory]:
    """Whole numbers."""
    for first, last in ((0, 1), (1, 6), (-500, 500), (0, 999_999)):
        yield discrete(f"uniform({first}..{last})", scipy.stats.randint(first, last + 1))
    for chance in (0.003, 0.5):
        yield discrete(f"bernoulli({chance})", scipy.stats.bernoulli(chance))
    for n, chance in ((7, 0.3), (1_000, 0.002), (100_000, 0.4)):
        yield discrete(f"binomial({n}, {chance})", scipy.stats.binom(n, chance))
    for chance in (0.9, 0.25, 0.001):
        yield discrete(f"geometric({chance})", scipy.stats.geom(chance))
    for mean in (0.1, 4.0, 30.0, 5_000.0):
        yield discrete(f"poisson({mean})", scipy.stats.poisson(mean))
