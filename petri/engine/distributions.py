"""The distributions whose parameters are expressions (rule R3).

Their parameters and domains are in `petri/catalogue/operations.py`. The native engine has a twin of every function here
(`petri/native/engine/src/program/distribution.rs` and `variates.rs`), with the same operations in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from petri import portable
from petri.engine.random import RandomStream
from petri.net import Scalar

FEW = 16  # up to this number of trials, or below this mean number of events, each is drawn by itself


# ---------------------------------------------------------------- variates


def standard_gamma(stream: RandomStream, shape: float) -> float:
    """Shape 1 or more, scale 1 (Marsaglia and Tsang, 2000)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = stream.normal()
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        if portable.ln(1.0 - stream.uniform()) < 0.5 * x * x + d - d * v + d * portable.ln(v):
            return d * v


def ln_gamma(stream: RandomStream, shape: float) -> float:
    """Return the logarithm of a gamma variate of any shape: one below 1 is that of shape + 1 times u^(1/shape)."""
    if shape >= 1.0:
        return portable.ln(standard_gamma(stream, shape))
    above = portable.ln(standard_gamma(stream, shape + 1.0))
    return above + portable.ln(1.0 - stream.uniform()) / shape


def beta(stream: RandomStream, a: float, b: float) -> float:
    """x / (x + y) of two gamma variates; by their logarithms where they may be too small for a float."""
    if a >= 1.0 and b >= 1.0:
        x = standard_gamma(stream, a)
        return x / (x + standard_gamma(stream, b))
    x = ln_gamma(stream, a)
    return 1.0 / (1.0 + portable.exp(ln_gamma(stream, b) - x))


def binomial(stream: RandomStream, n: float, p: float) -> float:
    """Successes in n trials: of n uniforms, those below p (Relles, 1972).

    Of many, one in the middle is drawn, which is a beta variate; what is left are trials on one of its sides.
    """
    counted = 0.0
    while n > FEW:
        a = 1.0 + math.floor(0.5 * n)
        b = n + 1.0 - a
        x = beta(stream, a, b)
        if x >= p:
            n, p = a - 1.0, p / x
        else:
            counted += a
            n, p = b - 1.0, (p - x) / (1.0 - x)
    for _ in range(int(n)):
        if stream.uniform() < p:
            counted += 1.0
    return counted


def poisson(stream: RandomStream, mean: float) -> float:
    """Events of a Poisson process of rate 1 up to `mean` (Ahrens and Dieter, 1974).

    Where they are many, the time of one of the last is drawn, a gamma variate. If it is too late, those before it are
    spread evenly over that time.
    """
    counted = 0.0
    while mean >= FEW:
        n = float(math.floor(0.875 * mean))
        x = standard_gamma(stream, n)
        if x > mean:
            return counted + binomial(stream, n - 1.0, mean / x)
        counted += n
        mean -= x
    reached = stream.exponential()
    while reached <= mean:
        counted += 1.0
        reached += stream.exponential()
    return counted


def within(stream: RandomStream, low: float, high: float) -> float:
    """Return a standard normal between bounds, by rejection: in any case, one in five candidates at least is taken.

    Candidates are normal, evenly spread, or in a tail exponential (Robert, 1995).
    """
    if high < 0.0:
        return -within(stream, -high, -low)
    nearest = 0.0
    if low <= 0.0:
        if high - low >= 2.5:
            while True:
                x = stream.normal()
                if low <= x <= high:
                    return x
    else:
        nearest = low
        rate = 0.5 * (low + math.sqrt(low * low + 4.0))
        if (high - low) * rate >= 1.0:
            while True:
                x = low + stream.exponential() / rate
                if x <= high and stream.uniform() < portable.exp(-0.5 * (x - rate) * (x - rate)):
                    return x
    while True:
        x = low + (high - low) * stream.uniform()
        if stream.uniform() < portable.exp(0.5 * (nearest * nearest - x * x)):
            return x


# ---------------------------------------------------------------- distributions


def _erlang(stream: RandomStream, k: int, mean: float) -> float:
    total = 0.0
    for _ in range(k):
        total += stream.exponential()
    return mean / k * total


def _lognormal(stream: RandomStream, mean: float, cv: float) -> float:
    variance = portable.ln(1.0 + cv * cv)
    return portable.exp(portable.ln(mean) - 0.5 * variance + math.sqrt(variance) * stream.normal())


def _pareto(stream: RandomStream, shape: float, mean: float) -> float:
    least = mean * (shape - 1.0) / shape
    return least * portable.power(1.0 - stream.uniform(), -1.0 / shape)


def _gamma(stream: RandomStream, shape: float, mean: float) -> float:
    scale = mean / shape
    if shape >= 1.0:
        return scale * standard_gamma(stream, shape)
    return scale * portable.exp(ln_gamma(stream, shape))


def _weibull(stream: RandomStream, shape: float, scale: float) -> float:
    return scale * portable.power(stream.exponential(), 1.0 / shape)


def _loglogistic(stream: RandomStream, shape: float, scale: float) -> float:
    """Return the odds of a uniform number, to the power of 1/shape."""
    u = stream.uniform()
    return scale * portable.power(u / (1.0 - u), 1.0 / shape)


def _truncated_normal(stream: RandomStream, mean: float, sd: float, low: float, high: float) -> float:
    x = mean + sd * within(stream, (low - mean) / sd, (high - mean) / sd)
    return low if x < low else high if x > high else x


def _triangular(stream: RandomStream, low: float, mode: float, high: float) -> float:
    width, left = high - low, mode - low
    u = stream.uniform()
    if u * width < left:
        return low + math.sqrt(u * width * left)
    return high - math.sqrt((1.0 - u) * width * (high - mode))


def _hyperexponential(stream: RandomStream, mean: float, cv: float) -> float:
    """Return two exponentials with balanced means: both contribute half of the mean. The rare one is the longer."""
    square = cv * cv
    rare = 1.0 / (square + 1.0) / (1.0 + math.sqrt((square - 1.0) / (square + 1.0)))
    chance = rare if stream.uniform() < rare else 1.0 - rare
    return 0.5 * mean / chance * stream.exponential()


def _geometric(stream: RandomStream, p: float) -> float:
    """Trials up to the first success: an exponential of rate -ln(1 - p), rounded up."""
    if p == 1.0:
        return 1.0
    failure = 1.0 - p
    rate = p if failure == 1.0 else -portable.ln(failure) * p / (1.0 - failure)
    return math.floor(trials) + 1.0 if (trials := stream.exponential() / rate) < 2.0**63 else trials


DRAWS: dict[str, Callable[..., float]] = {
    "exp": lambda stream, mean: mean * stream.exponential(),
    "uniform": lambda stream, low, high: low + (high - low) * stream.uniform(),
    "uniform_int": lambda stream, low, high: low + stream.equal_choice(high - low + 1),
    "erlang": _erlang,
    "lognormal": _lognormal,
    "pareto": _pareto,
    "gamma": _gamma,
    "weibull": _weibull,
    "loglogistic": _loglogistic,
    "normal": lambda stream, mean, sd: mean + sd * stream.normal(),
    "truncated_normal": _truncated_normal,
    "triangular": _triangular,
    "hyperexponential": _hyperexponential,
    "beta": beta,
    "bernoulli": lambda stream, p: 1.0 if stream.chance(p) else 0.0,
    "geometric": _geometric,
    "binomial": lambda stream, n, p: binomial(stream, float(n), p),
    "poisson": poisson,
}
"""A value of each, whose parameters are in the domain of the catalogue; one of ints may be a whole float."""


def interpolated(stream: RandomStream, values: Sequence[Scalar], weights: Sequence[float]) -> float:
    """Anywhere between a value and the one before it, evenly, with the weight of the value; or the first one."""
    position = stream.weighted_choice(weights)
    high = float(values[position])
    if position == 0:
        return high
    low = float(values[position - 1])
    return low + (high - low) * stream.uniform()
