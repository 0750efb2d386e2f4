"""Figures that did not vary in a run: what has never happened may happen, and how often at most.

The marking of a net is correlated in time. With s² for the variance of a time average, times the length of the run, and
v for the variance at one instant, s² / 2v is the time τ for which the marking remembers itself (Whitt, Planning
queueing simulations, Management Science 35, 1989). A run of length T sees T / τ independent *looks*. What happens in
none of n looks happens in at most 1 - 0.025^(1/n) of all, which for large n is 3.7 / n: the upper end of the interval
of Clopper and Pearson, as of trials without a hit. τ is that of the slowest place or transition, and is overestimated:
v is the least that numbers with this mean and this share of zeros can have, or the variance of batches if that is more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from petri.measure.arrays import Floats, Integers
from petri.measure.chance import beta_quantile
from petri.measure.intervals import CONSTANT, Interval, student_quantile
from petri.measure.observation import beyond_doubles
from petri.measure.windows import Windows
from petri.structs import Frozen, fields, replace

EVENTS: Final = -math.log(0.025)
"""The greatest mean number of events at which none is seen in 2.5 % of the runs."""

FEWEST_LOOKS: Final = 4.0  # with fewer, nothing that is worth a word can be said
FEW_EVENTS: Final = 20.0  # with more, the spread of batches or replications tells as much
FEWEST_BATCHES: Final = 12  # of a replication in which the memory of the marking is looked for
FEWEST_BEYOND: Final = (4.0, 10.0)
"""Values beyond a quantile, in one run and in each of several. With fewer, the greatest value of one run is often below
the quantile, and the mean of several is too near to the middle. More replications do not mend that, but narrow the
interval: each must have a quarter as many values there as there are replications."""

AT_ONCE: Final = 20_000  # batches that are looked at together
MEMORIES: Final = ("integral", "nonempty", "in_progress", "active")
GROUPS: Final = 16  # of neighbouring batches, at least, if there are so many
_ROUNDING: Final = 1e-24  # of a squared error, as a share of the squared mean
_TENTH: Final = -1.2816  # the standard normal deviate that is not exceeded with a probability of 10 %


class Ranged(Frozen):
    """A figure of a replication, with what it might be if it did not vary in it.

    low, high: if what never happened had happened `EVENTS` times in `looks` independent looks; infinite where nothing
    is known. Both are `value` where the figure is the same in every run.
    hits: of a figure that says how often something happens, in about how many of the looks it happened, or, if `rest`,
    did not; nan of any other. heavy: its variance is infinite, or seems to be. beyond: of a quantile, how many values
    are on its shorter side; infinite of any other.
    """

    value: float
    low: float
    high: float
    looks: float
    hits: float = math.nan
    rest: bool = False
    heavy: bool = False
    beyond: float = math.inf


class Ranges(Frozen, eq=False):
    """Keep the `Ranged` of n replications: each field is an array [n]."""

    value: Any
    low: Any
    high: Any
    looks: Any
    hits: Any
    rest: Any
    heavy: Any
    beyond: Any

    @classmethod
    def of(cls, samples: Sequence[Ranged]) -> Ranges:
        return cls(*(np.array([getattr(sample, name) for sample in samples]) for name in fields(Ranged)))

    @classmethod
    def on(cls, count: int, *given: Any) -> Ranges:
        """Make one of so many replications; what is not an array is the same in each."""
        return cls(*(one if np.ndim(one) else np.full(count, one) for one in given))

    def unless(self, condition: Any, other: Ranges) -> Ranges:
        """Return these, or the others where the condition holds."""
        pairs = ((getattr(other, name), getattr(self, name)) for name in fields(Ranged))
        return Ranges(*(np.where(condition, *pair) for pair in pairs))

    def known(self) -> dict[int, Ranged]:
        """Return those of which anything is known, by replication."""
        finite = [np.isfinite(column) for column in (self.low, self.high, self.hits, self.beyond)]
        rows = np.flatnonzero(reduce(np.logical_or, finite, self.heavy)).tolist()
        columns = [getattr(self, name)[rows].tolist() for name in fields(Ranged)]
        return {row: Ranged(*of) for row, *of in zip(rows, *columns, strict=True)}

    def __len__(self) -> int:
        return len(self.value)


def with_ranges(found: Interval, samples: Ranges) -> Interval:
    """Return the interval that replications, or batches, give, with what else is known of the figure."""
    if ((samples.low == samples.high) & (samples.high == samples.value)).all():
        return found
    if 2 * np.count_nonzero(samples.heavy) >= len(samples):
        return Interval(found.mean, math.nan, found.level, found.n, doubt="heavy")
    beyond, (of_one, of_several) = float(min(samples.beyond)), FEWEST_BEYOND
    needed = of_one if len(samples) == 1 else max(of_several, len(samples) / 4.0)
    if beyond < needed:
        return Interval(found.mean, math.nan, found.level, found.n, longer=1.5 * needed / max(beyond, 1.0))
    if math.isnan(found.half_width):
        return found
    if found.half_width > CONSTANT * abs(found.mean):
        return with_few_events(found, samples)
    return pooled(samples, found.level)


def with_few_events(found: Interval, samples: Ranges) -> Interval:
    """Return the interval of a figure that rests on few events, which is at least that of their number (Clopper and
    Pearson).

    Where few of them were seen by chance, their spread is too small as well. But it is not as small as that of many: if
    it is, there were more looks than the marking seems to remember.
    """
    hits, looks = sum(samples.hits.tolist()), sum(samples.looks.tolist())
    one_side = samples.rest.all() or not samples.rest.any()
    if not (0.0 < hits < FEW_EVENTS and one_side and found.half_width > 0.0 and looks > hits):
        return found
    base = 1.0 if samples.rest[0] else 0.0
    error = found.half_width / student_quantile(0.5 + 0.5 * found.level, found.n - 1)
    if (found.mean - base) ** 2 > FEW_EVENTS * error**2:
        return found
    tail = 0.5 * (1.0 - found.level)
    shares = (beta_quantile(hits, looks - hits + 1.0, tail), beta_quantile(hits + 1.0, looks - hits, 1.0 - tail))
    ends = [base + (found.mean - base) * share * looks / hits for share in shares]
    low, high = min(found.low, *ends), max(found.high, *ends)
    return replace(found, half_width=max(found.mean - low, high - found.mean), ends=(low, high))


def pooled(samples: Ranges, level: float) -> Interval:
    """Return what replications of one value say together: the looks of all of them add up."""
    value, looks = float(samples.value[0]), sum(samples.looks.tolist())
    below, above = (_together(np.abs(ends - value).tolist()) for ends in (samples.low, samples.high))
    low, high = value - below, value + above
    if low == high:
        return Interval(value, 0.0, level, len(samples))
    if looks < FEWEST_LOOKS or not math.isfinite(high - low):
        return Interval(value, math.nan, level, len(samples), doubt="unvaried")
    return Interval(value, max(value - low, high - value), level, len(samples), ends=(low, high), doubt="unvaried")


def _together(distances: Sequence[float]) -> float:
    """Return how far an end is from the value, if each replication alone would put it at these distances.

    One that shows that it is no other is enough.
    """
    if 0.0 in distances:
        return 0.0
    together = sum(1.0 / distance for distance in distances)
    return 1.0 / together if together else math.inf


@beyond_doubles
def independent_looks(windows: Windows, batches: Windows, ends: Integers, places: Iterable[int]) -> Floats:
    """Return how many independent looks each replication is worth, 1 at least.

    batches: cumulative snapshots of all replications, in order; ends: where those of each end. places: those that
    something takes tokens from; others only fill.
    """
    counts, looks = np.diff(ends, prepend=0), np.ones(len(windows))
    firings, chosen = np.maximum(windows.rows["firings"].sum(axis=1), 1.0), [*places]
    for count in sorted({one for one in counts.tolist() if one >= FEWEST_BATCHES}):
        every = np.flatnonzero(counts == count)
        for rows in np.array_split(every, 1 + every.size * count // AT_ONCE):
            at = (ends[rows] - count)[:, None] + np.arange(count)
            size = max(count // GROUPS, 4)
            starts = [*range(0, count - size + 1, size)]
            elapsed, *columns = (
                np.diff(column[at], axis=1, prepend=0.0)
                for column in (batches.elapsed[:, None], *(batches.rows[name] for name in MEMORIES))
            )
            of_places = _memories(elapsed, columns[0], columns[1], starts)[:, chosen]
            of_transitions = _memories(elapsed, columns[2], columns[3], starts)
            longest = np.maximum(of_places.max(axis=1, initial=0.0), of_transitions.max(axis=1, initial=0.0))
            longest *= _margin(len(starts) - 1)
            some = np.maximum(np.minimum(1.0 / np.where(longest, longest, 1.0), firings[rows]), 1.0)
            looks[rows] = np.where(longest, some, firings[rows])
    return looks


def _memories(elapsed: Floats, integral: Floats, above_zero: Floats, starts: Sequence[int]) -> Floats:
    """Return the τ of each of some numbers in each replication, as a share of the run.

    elapsed: by replication and batch, as columns. integral, above_zero: by replication, batch and number.
    """
    length = elapsed[:, :, 0].sum(axis=1)[:, None]
    known = np.where(length > 0.0, length, 1.0)
    mean, share = integral.sum(axis=1) / known, above_zero.sum(axis=1) / known
    deviations = integral - elapsed * mean[:, None]
    groups = np.add.reduceat(deviations, starts, axis=1)
    error = (groups**2).sum(axis=1) / known**2 * (len(starts) / (len(starts) - 1))
    squares = np.divide(deviations**2, elapsed, out=np.zeros_like(deviations), where=elapsed > 0.0)
    return np.where(length > 0.0, memory(mean, share, error, squares.sum(axis=1) / known), 0.0)


def memory(mean: Any, share: Any, error: Any, of_batches: Any) -> Any:
    """τ as a share of the run, of numbers or arrays. error: the squared standard error of the mean. of_batches: the
    variance of batches."""
    fraction = mean - np.floor(mean)
    of_zeros = np.where(share > 0.0, mean * mean * (1.0 / np.where(share > 0.0, share, 1.0) - 1.0), 0.0)
    variance = np.maximum(np.maximum(fraction * (1.0 - fraction), of_zeros), of_batches)
    known = (error > _ROUNDING * mean * mean) & (variance > 0.0)
    return np.where(known, 0.5 * error / np.where(known, variance, 1.0), 0.0)


def _margin(degrees: int) -> float:
    """Return how far a variance may be underestimated: one in ten is further (chi-square, Wilson and Hilferty)."""
    rough = 2.0 / (9.0 * degrees)
    return 1.0 / (1.0 - rough + _TENTH * math.sqrt(rough)) ** 3
