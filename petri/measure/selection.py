"""The best of several points, with few replications of those that are clearly not: ranking and selection.

The procedure KN of Kim and Nelson (A Fully Sequential Procedure for Indifference-Zone Selection in Simulation, ACM
TOMACS 11, 2001). Every one of k points gets n replications, from which come the variances S² of the differences of each
pair. Then, at each look, after r replications, a point is dropped if the sum of its values is behind that of another by
more than W = max(0, δ/2 (h² S² / δ² - r)), with h² = (n - 1) ((2 (1 - confidence) / (k - 1))^(-2/(n - 1)) - 1). The
last one left is the best with a probability of at least the confidence, if no other is within δ of it; otherwise it is
one of these. That holds for normal values, also with common random numbers, which make S² small. Looks are those of
`petri.measure.sequential`; fewer looks drop fewer points wrongly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.observation import beyond_doubles
from petri.measure.sequential import FEWEST, looks
from petri.structs import Frozen, convert, to_builtins

CONFIDENCE: Final = 0.95
ENDS: Final = ("greatest", "least")  # which of the means is wanted


class Best(Frozen):
    """Which point is wanted: that with the greatest, or the least, mean of a figure.

    within: a difference that does not matter, in the figure's own unit, or (`relative`) as a share of the best mean
    after the first look. confidence: that the best is found.
    """

    figure: str
    greatest: bool = True
    within: float = 0.01
    relative: bool = True
    confidence: float = CONFIDENCE

    @property
    def text(self) -> str:
        return f"{'greatest' if self.greatest else 'least'} {self.figure}"


class Choice(Frozen):
    """Which point is wanted, after how many replications to look first, and after how many to give up."""

    best: Best
    first: int
    most: int

    def of(self, values: Sequence[Sequence[float]]) -> Selection:
        """See `select`."""
        return select(values, self.best, self.first, self.most)

    def to_dict(self) -> dict[str, Any]:
        return to_builtins(self)  # type: ignore[no-any-return]

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Choice:
        """Raise ValueError if the data is something else."""
        return convert(dict(data), Choice)


class Selection(Frozen):
    """How far it is. used: for each point, the replications that decide, or that it needs next.

    left: the points that may be the best, in order of their means so far, the best first. done: no more replications
    are needed. certain: as sure as was asked for; not if there were too few replications, or no values.
    """

    used: tuple[int, ...]
    left: tuple[int, ...]
    done: bool
    certain: bool


@beyond_doubles
def select(values: Sequence[Sequence[float]], best: Best, first: int, most: int) -> Selection:
    """Return what is decided by the values of each point, replication after replication. first, most: replications."""
    planned = list(looks(first, most, FEWEST))
    used = [planned[0]] * len(values)
    left = list(range(len(values)))
    if any(len(one) < planned[0] for one in values):
        return Selection(tuple(used), tuple(left), False, False)
    sign = 1.0 if best.greatest else -1.0
    start = sign * np.array([one[: planned[0]] for one in values], dtype=np.float64)
    left = [one for one in left if np.isfinite(start[one]).all()]
    indifferent = best.within * (abs(start[left].mean(axis=1).max()) if best.relative and left else 1.0)
    bounds = bounds_of(differences(start), planned[0], indifferent, best.confidence)
    for look in planned:
        for one in left:
            used[one] = look
        if any(len(values[one]) < look for one in left):
            return Selection(tuple(used), tuple(left), False, False)
        sums = sign * np.array([math.fsum(one[:look]) for one in values])
        left = sorted((one for one in left if np.isfinite(sums[one])), key=lambda one: (-sums[one], one))
        slack = np.maximum(bounds[np.ix_(left, left)] - 0.5 * indifferent * look, 0.0)
        behind = sums[left][None, :] - sums[left][:, None]
        kept = np.array((behind <= slack).all(axis=1))
        left = [one for one, stays in zip(left, kept, strict=True) if stays]
        alike = not slack[np.ix_(kept, kept)].any()  # those left are equal, to the last digit
        if len(left) <= 1 or alike:
            return Selection(tuple(used), tuple(left[:1]), True, bool(left))
    return Selection(tuple(used), tuple(left), True, False)


def differences(values: Floats) -> Floats:
    """Return the variances of the differences of each pair of points, from values by point and replication."""
    centred = values - values.mean(axis=1, keepdims=True)
    products = centred @ centred.T
    squares = np.diagonal(products)
    found: Floats = np.maximum(squares[:, None] + squares[None, :] - 2.0 * products, 0.0) / (values.shape[1] - 1)
    return found


def bounds_of(variances: Floats, first: int, indifferent: float, confidence: float) -> Floats:
    """Return the part of W without r, h² S² / 2δ, of each pair; infinite where δ is 0 and values differ."""
    points = len(variances)
    h2 = (first - 1) * ((2.0 * (1.0 - confidence) / max(points - 1, 1)) ** (-2.0 / (first - 1)) - 1.0)
    if indifferent == 0.0:
        return np.where(variances > 0.0, math.inf, 0.0)
    found: Floats = 0.5 * h2 * variances / indifferent
    return found
