"""Maximum likelihood: the parameters under which the values are most probable, also where some are only bounded."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from petri.exact.libraries import library
from petri.fit.laws import Law, Parameters
from petri.measure.arrays import Floats

STEPS = 200  # of a mixture


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Values that are known, and those of which only bounds are: `low` < value <= `high`, one of both infinite."""

    known: Floats
    low: Floats
    high: Floats

    @staticmethod
    def of(values: Floats) -> Sample:
        return Sample(values, np.empty(0), np.empty(0))

    def __len__(self) -> int:
        return len(self.known) + len(self.low)

    @property
    def guess(self) -> Floats:
        """The values, with the bound in place of one that is not known."""
        return np.concatenate((self.known, np.where(np.isfinite(self.low), self.low, self.high)))

    def log_likelihood(self, law: Law, parameters: Parameters) -> float:
        with np.errstate(all="ignore"):
            total = float(law.log_density(self.known, *parameters).sum())
            if len(self.low):
                shares = law.reached(self.high, *parameters) - law.reached(self.low, *parameters)
                total += float(np.log(np.maximum(shares, 1e-300)).sum())
        return total if total < math.inf else -math.inf


def likeliest(law: Law, sample: Sample, near: Parameters | None = None) -> Parameters:
    """Return the parameters with the greatest likelihood, to six digits.

    near: those of a similar sample, from which mixtures go on; fewer digits do then.
    """
    if law.name == "choice":
        return _mixed(law, sample.known, near)
    x = sample.guess
    start = law.start(x)
    if law.closed and not len(sample.low):
        return law.whole(x, *start)
    close = 1e-3 if near else 1e-7
    free = _search(law, sample, x, start, close)
    if not law.rounded:
        return law.whole(x, *free)
    return max(_whole_first(law, sample, x, free, close), key=lambda found: sample.log_likelihood(law, found))


def _whole_first(law: Law, sample: Sample, x: Floats, free: Parameters, close: float) -> list[Parameters]:
    """Return the best parameters with the first rounded down, and rounded up."""
    found = []
    for first in sorted({max(math.floor(free[0]), 1), math.ceil(free[0])}):

        def whole(x: Floats, *rest: float, first: int = first) -> Parameters:
            return law.whole(x, float(first), *rest)

        rest = replace(law, links=law.links[1:], whole=whole)
        found.append(whole(x, *_search(rest, sample, x, free[1:], close)))
    return found


def _search(law: Law, sample: Sample, x: Floats, start: Parameters, close: float) -> Parameters:
    """Return the numbers of `law.links` with the greatest likelihood, by the method of Nelder and Mead."""
    if not law.links:
        return ()
    spread = float(x.std()) or 1.0

    def moved(theta: Floats) -> Parameters:
        by = {"+": lambda at, t: at * math.exp(t), "1": lambda at, t: 1 + (at - 1) * math.exp(t)}
        other = lambda at, t: at + t * spread  # noqa: E731
        steps = np.clip(theta, -50, 50).tolist()
        return tuple(by.get(link, other)(at, t) for link, at, t in zip(law.links, start, steps, strict=True))

    def loss(theta: Floats) -> float:
        try:
            return -sample.log_likelihood(law, law.whole(x, *moved(theta)))
        except (ValueError, OverflowError, ZeroDivisionError):  # far from any maximum
            return math.inf

    count = len(law.links)
    simplex = np.vstack((np.zeros(count), 0.2 * np.eye(count)))
    options = {"initial_simplex": simplex, "xatol": close, "fatol": close / 100, "maxiter": 500}
    with np.errstate(all="ignore"):
        found = library("scipy.optimize").minimize(loss, np.zeros(count), method="Nelder-Mead", options=options)
    return moved(found.x)


def _mixed(law: Law, x: Floats, near: Parameters | None) -> Parameters:
    """Return the parameters of a mixture of two, by expectation and maximisation from several starts."""
    part = law.part
    assert part is not None
    assert part.weighted is not None
    ordered = np.argsort(np.argsort(x, kind="stable")) / len(x)
    begins = (
        [np.where(ordered < cut, 0.9, 0.1) for cut in (0.15, 0.5, 0.85)] if near is None else [_owned(law, x, near)]
    )
    best: tuple[float, Parameters] = (-math.inf, ())
    for owned in begins:
        last = -math.inf
        for _ in range(STEPS):
            share = min(max(float(owned.mean()), 2 / len(x)), 1 - 2 / len(x))
            found = (share, *part.weighted(x, owned + 1e-12), *part.weighted(x, 1 - owned + 1e-12))
            if min(found[len(part.links)], found[-1]) < 1e-3 * abs(found[-1]):  # a peak at equal values
                break
            now = Sample.of(x).log_likelihood(law, found)
            if now > best[0]:
                best = now, found
            if now - last < 1e-6 * len(x):
                break
            last, owned = now, _owned(law, x, found)
    return best[1]


def _owned(law: Law, x: Floats, parameters: Parameters) -> Floats:
    """Return for each value the probability that it is from the first of two laws."""
    share, first, second = law.mixed(*parameters)
    assert law.part is not None
    with np.errstate(all="ignore"):
        ahead = law.part.log_density(x, *second) - law.part.log_density(x, *first)
        owned: Floats = 1 / (1 + np.exp(np.clip(ahead + math.log1p(-share) - math.log(share), -700, 700)))
    return np.nan_to_num(owned, nan=0.5)
