"""Whether the values of a column are independent of one another, and whether the rate of its arrivals changes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from petri.exact.libraries import library
from petri.measure.arrays import Floats, Integers

ALARM = 1e-3  # how often values that are independent are said not to be
LAGS = 10
SHORTEST = 50  # values, below which nothing is said
DAY = 86_400.0
PARTS, FINE = 24, 8  # of a day, or of less: parts that are compared, and what each is divided into
FEWEST = 240  # arrivals, below which rates are not compared


@dataclass(frozen=True, slots=True)
class Dependence:
    """lag_one: correlation of a value with the next. dispersion: the variance of sums of `block` values, as a multiple
    of what it would be if they were independent. probability: of as much dependence by chance.
    """

    lag_one: float
    dispersion: float
    block: int
    probability: float

    @property
    def found(self) -> bool:
        return self.probability < ALARM


def dependence(x: Floats) -> Dependence | None:
    """Return how far values depend on those before them; None for few values.

    The tests (Ljung and Box, and the variance of blocks) are of normal scores, so no single value decides.
    """
    if len(x) < SHORTEST or not np.ptp(x) > 0:
        return None
    special, stats, n = library("scipy.special"), library("scipy.stats"), len(x)
    scores = special.ndtri((stats.rankdata(x) - 0.5) / n)
    scores -= scores.mean()
    square = float(scores @ scores)
    correlations = np.array([float(scores[:-lag] @ scores[lag:]) / square for lag in range(1, LAGS + 1)])
    box = n * (n + 2) * float((correlations**2 / (n - np.arange(1, LAGS + 1))).sum())
    block = math.isqrt(n)
    sums = scores[: n // block * block].reshape(-1, block).sum(axis=1)
    ratio = float(sums @ sums) / (square / n * block)
    chances = special.chdtrc(LAGS, box), special.chdtrc(len(sums), ratio)
    of_values = x[: n // block * block].reshape(-1, block).sum(axis=1).var(ddof=1) / (block * x.var())
    centred = x - x.mean()
    lag_one = float(centred[:-1] @ centred[1:]) / float(centred @ centred)
    return Dependence(lag_one, float(of_values), block, min(2 * min(map(float, chances)), 1.0))


@dataclass(frozen=True, slots=True)
class Rates:
    """The rate of arrivals in steps, per second: (from, rate), the times in seconds. every: 0 if it does not repeat."""

    steps: tuple[tuple[float, float], ...]
    every: float


def changing_rates(instants: Floats, start: float | None) -> Rates | None:
    """Return the steps of the rate of arrivals, if it changes by more than chance has it.

    instants: seconds from the first one. start: the time of day of the first, if it is known. Whole days are compared
    by the hour of the day, and less than a day by 24 parts of it.
    """
    days = math.floor(float(instants[-1]) / DAY)
    if days:
        instants = instants[instants < days * DAY]
    span = days * DAY or float(instants[-1])
    if len(instants) < FEWEST or not span > 0:
        return None
    width = (DAY if days else span) / PARTS
    times = (instants + (start or 0.0)) % DAY if days else instants
    cells = np.minimum((times / width * FINE).astype(int), PARTS * FINE - 1)
    roots = np.sqrt(np.bincount(cells, minlength=PARTS * FINE).reshape(PARTS, FINE) + 0.375)
    between = FINE * float(roots.mean(axis=1).var(ddof=1))
    within = max(float(roots.var(axis=1, ddof=1).mean()), 0.25)  # that of Poisson arrivals at least
    if library("scipy.special").fdtrc(PARTS - 1, PARTS * (FINE - 1), between / within) >= ALARM:
        return None
    counts = np.bincount(cells // FINE, minlength=PARTS)
    return Rates(_steps(counts, 4 * within, width, max(days, 1)), DAY if days else 0.0)


def _steps(counts: Integers, dispersion: float, width: float, times: int) -> tuple[tuple[float, float], ...]:
    """Return the rates of runs of hours, in which no hour differs from those before it by three standard errors."""
    steps: list[list[float]] = []  # from, arrivals, hours
    for hour, count in enumerate(counts.tolist()):
        if steps:
            _, before, hours = steps[-1]
            pooled = max((before + count) / (hours + 1), 1.0)
            if abs(count - before / hours) <= 3 * math.sqrt(dispersion * pooled * (1 + 1 / hours)):
                steps[-1][1:] = [before + count, hours + 1]
                continue
        steps.append([hour * width, count, 1])
    return tuple((at, before / (hours * width * times)) for at, before, hours in steps)
