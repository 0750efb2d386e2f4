"""Fits every distribution of the language to a column, ranks them, and chooses one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from petri.catalogue.operations import OPERATIONS
from petri.fit.column import Column
from petri.fit.goodness import probability
from petri.fit.independence import Dependence, Rates, changing_rates, dependence
from petri.fit.laws import Law, Parameters, laws, mixtures
from petri.fit.likelihood import Sample, likeliest
from petri.measure.arrays import Floats
from petri.traffic.problems import problem

FEWEST = 10
NEAR = 2.0  # two laws whose criteria differ by less are equally supported: the simpler one is chosen
FAR = 10.0  # beyond, a law has no support: whether it fits is not looked at
TESTED = 3  # laws at least whose fit is tested
BAD = 0.01  # a law fits if its values are as far from their own best fit with a greater probability
FEW_VALUES = 8
LARGEST = 1e100  # beyond, squares and products of values are no numbers
COARSE = 10.0  # standard deviations of whole numbers from which on continuous laws are compared with them


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A law with its likeliest parameters. zeros: the share of values that are 0, beside the law.

    criterion: that of Akaike. fits: the probability of a fit as bad if the law is right; nan where that was not tested.
    """

    law: Law
    parameters: Parameters
    criterion: float
    count: int
    zeros: float = 0.0
    fits: float = math.nan

    @property
    def is_mixture(self) -> bool:
        return self.law.name == "choice"

    def reached(self, x: Floats) -> Floats:
        """Return the distribution function."""
        with np.errstate(all="ignore"):
            return (x >= 0) * self.zeros + (1 - self.zeros) * self.law.reached(x, *self.parameters)

    def quantiles(self, shares: Floats) -> Floats:
        with np.errstate(all="ignore"):
            above = np.clip((shares - self.zeros) / (1 - self.zeros), 1e-12, 1 - 1e-12)
            found = self.law.quantiles(above, self.parameters)
        return np.where(shares <= self.zeros, 0.0, found)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What a column follows. fitted: laws by their criteria, the likeliest first. chosen: the simplest of those that
    are near it; None where none fits, and where there are few values: `values` then has these with their counts.
    """

    column: Column
    sample: Sample
    fitted: tuple[Fitted, ...]
    chosen: Fitted | None
    values: tuple[tuple[float, int], ...]
    dependence: Dependence | None
    rates: Rates | None


def fit(column: Column, seed: int = 1) -> Fit:
    """Return the laws that a column may follow. Raises LanguageError for fewer than ten values."""
    known = column.low == column.high
    if len(column.low) < FEWEST or known.sum() < FEWEST / 2:
        count, bounded = int(known.sum()), int((~known).sum())
        raise problem("fit-few", path=column.path, column=column.name, count=count, bounded=bounded or None)
    sizes = np.abs(np.concatenate((column.low[np.isfinite(column.low)], column.high[np.isfinite(column.high)])))
    greatest, least = float(sizes.max()), float(sizes[sizes > 0].min(initial=1.0))
    for size, kind in (
        (greatest, "large" if greatest > LARGEST else ""),
        (least, "small" if least < 1 / LARGEST else ""),
    ):
        if kind:
            raise problem("fit-extreme", column=column.name, value=f"{size:.3g}", kind=kind)
    sample = Sample(column.low[known], column.low[~known], column.high[~known])
    values, counts = np.unique(sample.known, return_counts=True)
    whole = bool(not column.unit and (values == np.round(values)).all() and np.abs(values).max() < 2**53)
    few = len(sample.low) == 0 and len(values) <= FEW_VALUES and len(sample) >= 5 * len(values)
    listed = tuple(zip(values.tolist(), counts.tolist(), strict=True)) if few else ()
    # Laws of reals have no values that come again and again.
    alone = len(values) == 1 or (few and not whole)
    found = [] if alone else _ranked(sample, whole, listed, np.random.default_rng(seed))
    instants = column.instants
    return Fit(
        column, sample, tuple(found), _choice(found), listed if alone or not _choice(found) else (),
        dependence(np.where(np.isfinite(column.low), column.low, column.high)),
        None if instants is None else changing_rates(instants, column.start),
    )  # fmt: skip


def _ranked(sample: Sample, whole: bool, listed: Sequence[tuple[float, int]], rng: np.random.Generator) -> list[Fitted]:
    """Return the laws by their criteria, mixtures among them where no law alone fits."""
    zeros, rest, extra = 0.0, sample, 0.0
    if not whole and sample.known.min() >= 0 and (count := int((sample.known == 0).sum())):
        if count <= _rounded_to_zero(sample.known):
            known = np.where(sample.known == 0, _step(sample.known) / 4, sample.known)
            return _ranked(replace(sample, known=known), whole, listed, rng)
        zeros, n = count / len(sample), len(sample)
        rest = replace(sample, known=sample.known[sample.known > 0])
        extra = 2 - 2 * (count * math.log(zeros) + (n - count) * math.log1p(-zeros))
        if len(rest.known) < FEWEST / 2:
            return []
    candidates = [law for law in laws() if _suits(law, rest, whole)]
    found = sorted(_each(candidates, rest, zeros, extra), key=lambda one: one.criterion)
    found = _tested(found, rest, rng)
    if not len(rest.low) and _choice(found) is None:
        two = [law for law in mixtures() if _suits(law, rest, whole)]
        found = sorted([*found, *_each(two, rest, zeros, extra)], key=lambda one: one.criterion)
        found = _tested(found, rest, rng)
    if listed and found:  # the values themselves, each with its share
        shares = np.array([count for _, count in listed]) / len(sample)
        own = 2 * (len(listed) - 1) - 2 * len(sample) * float((shares * np.log(shares)).sum())
        return [one for one in found if one.criterion <= own + NEAR]
    return found


def _rounded_to_zero(x: Floats) -> int:
    """Return how many zeros can be small values that were rounded: as many as there are of the next two steps."""
    step = _step(x)
    return int(((x > 0) & (x < 2.5 * step)).sum()) if step else 0


def _suits(law: Law, sample: Sample, whole: bool) -> bool:
    """Return whether a law may have these values: of whole numbers that are close together, only laws of ints."""
    x = sample.guess
    if law.of_range and (len(sample.low) or (whole and not law.discrete)):
        return False
    fine = not whole or float(x.std()) >= COARSE
    return law.takes(x) and (whole if law.discrete else fine)


def _each(candidates: Iterable[Law], sample: Sample, zeros: float, extra: float) -> Iterable[Fitted]:
    for law in candidates:
        with np.errstate(all="ignore"):
            found = likeliest(law, sample)
        if not found or not all(map(math.isfinite, found)) or not _allowed(law, found):
            continue
        likelihood = sample.log_likelihood(law, found)
        if math.isfinite(likelihood):
            count = law.count + bool(zeros)
            yield Fitted(law, found, 2 * law.count - 2 * likelihood + extra, count, zeros)


def _allowed(law: Law, found: Parameters) -> bool:
    """Return whether the language takes these parameters, and whether the law is not a limit of a simpler one."""
    if law.name == "choice":
        assert law.part is not None
        return all(_allowed(law.part, one) for one in law.mixed(*found)[1:])
    at_limit = {
        "erlang": found[0] == 1, "hyperexponential": found[-1] < 1.01, "pareto": found[0] < 1.01,
        "binomial": found[0] > 1e5,
    }  # fmt: skip
    return not at_limit.get(law.name) and OPERATIONS[law.name].holds(*found)


def _tested(found: list[Fitted], sample: Sample, rng: np.random.Generator) -> list[Fitted]:
    """Return the laws with the probabilities of their fits, for those that may be chosen."""
    least = found[0].criterion if found else 0.0

    def tested(place: int, one: Fitted) -> Fitted:
        if not math.isnan(one.fits) or (place >= TESTED and one.criterion > least + FAR):
            return one
        return replace(one, fits=probability(one.law, sample, _step(sample.known), rng))

    return [tested(place, one) for place, one in enumerate(found)]


def _step(x: Floats) -> float:
    """Return the power of ten of which all values are multiples, 0 where they have many digits."""
    fits = (p for p in range(3, -10, -1) if np.allclose(x, np.round(x, -p), rtol=0, atol=10.0 ** (p - 4)))
    power = next(fits, None)
    return 0.0 if power is None else 10.0**power


def _choice(found: Sequence[Fitted]) -> Fitted | None:
    """Return the simplest of the likeliest laws that fit.

    A truncated normal distribution must be better by more than others: both ends of its range are those of the values,
    of which the next file has others.
    """
    fitting = [one for one in found if not one.fits <= BAD and one.criterion <= found[0].criterion + FAR]
    if not fitting:
        return None
    first = min(fitting, key=lambda one: one.criterion)
    near = first.criterion + NEAR * (3 if first.law.name == "truncated_normal" else 1)
    return min((one for one in fitting if one.criterion <= near), key=lambda one: one.count - 0.5 * one.law.rounded)
