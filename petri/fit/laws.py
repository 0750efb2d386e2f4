"""The distributions of the language as scipy has them, and where a search for their parameters begins.

Parameters are those of the language, in its order (`petri/catalogue/operations.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from petri.exact.libraries import library
from petri.measure.arrays import Floats

Parameters = tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """One distribution. `known` is that of scipy, and `arguments` makes its arguments of the parameters.

    start: a guess from the values, or with `closed` the maximum of their likelihood. links: how each number that is
    searched for varies, "+" above 0, "1" above 1, "=" any. whole: the parameters that these numbers are, given the
    values. count: how many parameters are estimated. takes: whether values can come from it. rounded: the first
    parameter is an int. of_range: the least or the greatest value is a parameter. weighted: parameters that maximise
    the likelihood of values with weights, for mixtures. part: the law of which it mixes two, and `mixed` the share of
    the first, its parameters, and those of the second.
    """

    name: str
    known: Any = None
    arguments: Callable[..., Parameters] = lambda *parameters: parameters
    links: str = ""
    count: int = 2
    start: Callable[[Floats], Parameters] = lambda x: ()
    whole: Callable[..., Parameters] = lambda x, *free: free
    takes: Callable[[Floats], bool] = lambda x: bool(x.min() > 0)
    closed: bool = False
    rounded: bool = False
    discrete: bool = False
    of_range: bool = False
    weighted: Callable[[Floats, Floats], Parameters] | None = None
    part: Law | None = None
    mixed: Callable[..., tuple[float, Parameters, Parameters]] = lambda *parameters: (0.0, (), ())

    def log_density(self, x: Floats, *parameters: float) -> Floats:
        """Return the logarithm of the density, or of the probability of ints."""
        if self.part is not None:
            share, first, second = self.mixed(*parameters)
            both = self.part.log_density(x, *first), self.part.log_density(x, *second)
            mixed: Floats = np.logaddexp(math.log(share) + both[0], math.log1p(-share) + both[1])
            return mixed
        arguments = self.arguments(*parameters)
        density: Floats = (
            self.known.logpmf(np.floor(x), *arguments) if self.discrete else self.known.logpdf(x, *arguments)
        )
        return density

    def reached(self, x: Floats, *parameters: float) -> Floats:
        """Return the share of values up to each x."""
        if self.part is not None:
            share, first, second = self.mixed(*parameters)
            return share * self.part.reached(x, *first) + (1 - share) * self.part.reached(x, *second)
        found: Floats = self.known.cdf(np.floor(x) if self.discrete else x, *self.arguments(*parameters))
        return found

    def quantiles(self, shares: Floats, parameters: Parameters) -> Floats:
        """Return the values at which these shares are reached."""
        if self.part is None:
            found: Floats = self.known.ppf(shares, *self.arguments(*parameters))
            return found
        _, *both = self.mixed(*parameters)
        ends = [self.part.quantiles(shares, one) for one in both]
        below, above = np.minimum(*ends) - self.discrete, np.maximum(*ends)
        for _ in range(52):
            middle = 0.5 * (below + above)
            less = self.reached(middle, *parameters) < shares
            below, above = np.where(less, middle, below), np.where(less, above, middle)
        return np.floor(above + 1e-9) if self.discrete else above


def moments(x: Floats, weights: Floats) -> Parameters:
    """Return the mean and the standard deviation of values with weights."""
    mean = float(np.average(x, weights=weights))
    return mean, max(math.sqrt(float(np.average((x - mean) ** 2, weights=weights))), 1e-12 * abs(mean), 1e-300)


def _range(x: Floats) -> Parameters:
    return float(x.min()), float(x.max())


def _ends(x: Floats) -> Parameters:
    """Return a range that is wider than the values by a gap on each side, as the range that they are from is.

    Where it begins at the least value itself, any law gains by being cut there.
    """
    y = np.sort(x)
    near = min(5, len(y) - 1)
    low, high = float(y[0] - (y[near] - y[0]) / near), float(y[-1] + (y[-1] - y[-1 - near]) / near)
    return max(low, 0.0) if y[0] >= 0 else low, high


def _start_gamma(x: Floats) -> Parameters:
    s = max(math.log(x.mean()) - float(np.log(x).mean()), 1e-9)
    return min((3 - s + math.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s), 1e9), float(x.mean())


def _start_weibull(x: Floats) -> Parameters:
    shape = 1.2825 / max(float(np.log(x).std()), 1e-6)
    return shape, math.exp(float(np.log(x).mean()) + 0.5772 / shape)


def _lognormal(mean: float, cv: float) -> Parameters:
    variance = math.log1p(cv * cv)
    return math.sqrt(variance), 0.0, mean * math.exp(-variance / 2)


def _weighted_lognormal(x: Floats, weights: Floats) -> Parameters:
    mu, sigma = moments(np.log(x), weights)
    variance = min(sigma**2, 100.0)
    return math.exp(mu + variance / 2), math.sqrt(math.expm1(variance))


def _two_exponentials(mean: float, cv: float) -> tuple[float, Parameters, Parameters]:
    """Return those of a hyperexponential distribution, which contribute half of the mean each."""
    rare = 1 / (cv * cv + 1) / (1 + math.sqrt((cv * cv - 1) / (cv * cv + 1)))
    return rare, (mean / (2 * rare),), (mean / (2 * (1 - rare)),)


def _truncated(mean: float, sd: float, low: float, high: float) -> Parameters:
    """Return nan where it is all but an exponential or a uniform distribution, whose likelihood has no maximum."""
    width = high - low
    usual = low - width <= mean <= high + width and width / 20 <= sd <= width
    return ((low - mean) / sd, (high - mean) / sd, mean, sd) if usual else (math.nan,) * 4


def _triangular(x: Floats, before: float, after: float) -> Parameters:
    """Return the likeliest mode between two ends, which is one of the values."""
    y, last = np.sort(x), len(x) - 1
    low, high, n = float(y[0]) - before, float(y[-1]) + after, np.arange(len(y))
    left, right = np.log(np.maximum(y - low, 1e-300)), np.log(np.maximum(high - y, 1e-300))
    below, from_here = np.cumsum(left) - left, np.cumsum(right[::-1])[::-1] - right
    return low, float(y[int(np.argmax(below - n * left + from_here - (last - n) * right))]), high


def _start_beta(x: Floats) -> Parameters:
    mean, variance = float(x.mean()), max(float(x.var()), 1e-12)
    both = max(mean * (1 - mean) / variance - 1, 1e-3)
    return mean * both, (1 - mean) * both


def _mean(x: Floats, weights: Floats | None = None) -> Parameters:
    return (float(np.average(x, weights=weights)),)


@cache
def laws() -> tuple[Law, ...]:
    """Return every distribution, simpler ones before those that contain them. Raises NeedsExtra without scipy."""
    s = library("scipy.stats")
    exp = Law("exp", s.expon, lambda mean: (0.0, mean), "+", 1, _mean, closed=True, weighted=_mean)

    def any_value(x: Floats) -> bool:
        return True

    def normal(x: Floats) -> Parameters:
        return moments(x, np.ones(len(x)))

    def gamma(shape: float, mean: float) -> Parameters:
        return shape, 0.0, mean / shape

    def scaled(shape: float, scale: float) -> Parameters:
        return shape, 0.0, scale

    return (
        exp,
        Law("erlang", s.gamma, gamma, "++", 2, _start_gamma, rounded=True),
        Law("lognormal", s.lognorm, _lognormal, "++", 2, lambda x: _weighted_lognormal(x, np.ones(len(x))),
            closed=True, weighted=_weighted_lognormal),
        Law("gamma", s.gamma, gamma, "++", 2, _start_gamma),
        Law("weibull", s.weibull_min, scaled, "++", 2, _start_weibull),
        Law("loglogistic", s.fisk, scaled, "++", 2,
            lambda x: (math.pi / math.sqrt(3) / max(float(np.log(x).std()), 1e-6), float(np.median(x)))),
        Law("hyperexponential", links="+1",
            start=lambda x: (float(x.mean()), min(max(float(x.std() / x.mean()), 1.001), 1e3)),
            takes=lambda x: bool(x.min() > 0 and x.std() > x.mean()), part=exp, mixed=_two_exponentials),
        Law("pareto", s.pareto, lambda shape, mean: scaled(shape, mean * (shape - 1) / shape * (1 - 1e-12)), "1", 2,
            lambda x: (max(1 / max(float(np.log(x / x.min()).mean()), 1e-9), 1.0001),),
            lambda x, shape: (shape, float(x.min()) * shape / (shape - 1)), closed=True, of_range=True),
        Law("uniform", s.uniform, lambda low, high: (low, high - low), whole=_range, takes=any_value, closed=True,
            of_range=True),
        Law("normal", s.norm, links="=+", start=normal, takes=any_value, closed=True, weighted=moments),
        Law("triangular", s.triang, lambda low, mode, high: ((mode - low) / (high - low), low, high - low), "++", 3,
            lambda x: (float(np.ptp(x)) / len(x),) * 2, _triangular, any_value, of_range=True),
        Law("truncated_normal", s.truncnorm, _truncated, "=+", 4, normal, lambda x, mean, sd: (mean, sd, *_ends(x)),
            any_value, of_range=True),
        Law("beta", s.beta, links="++", start=_start_beta, takes=lambda x: bool(x.min() > 0 and x.max() < 1)),
        Law("uniform_int", s.randint, lambda low, high: (low, high + 1), whole=_range, takes=any_value, closed=True,
            discrete=True, of_range=True),
        Law("bernoulli", s.bernoulli, links="+", count=1, start=_mean, closed=True, discrete=True,
            takes=lambda x: bool(x.min() >= 0 and x.max() <= 1)),
        Law("geometric", s.geom, links="+", count=1, start=lambda x: (1 / float(x.mean()),), closed=True,
            discrete=True),
        Law("poisson", s.poisson, links="+", count=1, start=_mean, takes=lambda x: bool(x.min() >= 0), closed=True,
            discrete=True, weighted=_mean),
        Law("binomial", s.binom, lambda n, p: (math.floor(n), p), "+", 2,
            lambda x: (max(float(x.mean()) ** 2 / float(x.mean() - x.var()), float(x.max()) + 0.5),),
            lambda x, n: (n, float(x.mean()) / n), rounded=True, discrete=True,
            takes=lambda x: bool(x.min() >= 0 and x.var() < 0.98 * x.mean())),
    )  # fmt: skip


@cache
def mixtures() -> tuple[Law, ...]:
    """Return mixtures of two distributions of one kind: a share, and the parameters of both."""
    return tuple(
        Law("choice", count=2 * n + 1, takes=law.takes, discrete=law.discrete, part=law,
            mixed=lambda share, *both, n=n: (share, both[:n], both[n:]))
        for law in laws() if law.weighted is not None for n in (len(law.links),)
    )  # fmt: skip
