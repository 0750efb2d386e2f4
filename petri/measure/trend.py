"""Whether a figure still moves at the end of a run: the test of Mann and Kendall over parts of the run.

The window is cut into `PARTS` successive parts. Of the values in these parts, S counts the pairs that rise minus those
that fall; where nothing moves, S of independent parts has mean 0 and variance n(n − 1)(2n + 5)/18 (Kendall, Rank
Correlation Methods, 1975; Mann 1945). The S of independent replications add up, and so do their variances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Final, Literal

import numpy as np

from petri.measure.formula import evaluate, grows
from petri.measure.observation import Floats, Observation, beyond_doubles, quotients
from petri.net import Measure, Net
from petri.structs import Frozen

PARTS: Final = 12
MOST_REPLICATIONS: Final = 50  # that are looked at: more would see less than is worth a word
FALSE_ALARMS: Final = 0.01  # of a whole result in which nothing moves, its parts being independent
LEAST_CHANGE: Final = 0.1  # of the larger of the means in the first and the last third: less is not worth a word


def parts(batches: Sequence[Observation]) -> list[Observation]:
    """The window of a replication in `PARTS` successive parts; nothing where it has too few batches.

    batches: cumulative snapshots, in order.
    """
    if len(batches) <= PARTS:
        return []
    ends = [batches[round(number * (len(batches) - 1) / PARTS)] for number in range(PARTS + 1)]
    return [later.minus(earlier) for earlier, later in pairwise(ends)]


def trends(values: Floats) -> Floats:
    """The standardised S of each figure, over all replications; 0 where a figure has no data in some part.

    values: by replication, part and figure.
    """
    n = values.shape[1]
    score = np.zeros(values.shape[2])
    for early in range(n):
        score += np.sign(values[:, early + 1 :, :] - values[:, early : early + 1, :]).sum(axis=(0, 1))
    deviation = math.sqrt(values.shape[0] * n * (n - 1) * (2 * n + 5) / 18)
    shown: Floats = np.sign(score) * np.maximum(np.abs(score) - 1.0, 0.0) / deviation
    return np.nan_to_num(shown)


def thirds(values: Floats) -> tuple[Floats, Floats]:
    """The means in the first and in the last third, of all replications; by figure."""
    third = values.shape[1] // 3
    return values[:, :third].mean(axis=(0, 1)), values[:, -third:].mean(axis=(0, 1))


def moving(values: Floats, figures: int, *, rising: bool, false_alarms: float = FALSE_ALARMS) -> list[int]:
    """The figures that move, by index; of `figures` tested in the whole result. `rising`: only those that grow."""
    level = false_alarms / max(figures, 1)
    least = NormalDist().inv_cdf(1.0 - (level if rising else level / 2.0))
    score = trends(values)
    early, late = thirds(values)
    change = (late - early) if rising else np.abs(late - early)
    large = change > LEAST_CHANGE * np.maximum(np.abs(early), np.abs(late))
    return [int(index) for index in np.flatnonzero(((score if rising else np.abs(score)) > least) & large)]


class Drift(Frozen):
    """A place whose tokens still grow, or a measure that still moves. The means of the first and of the last third."""

    kind: Literal["place", "measure"]
    name: str
    early: float
    late: float
    dimension: str = ""  # of a measure


@beyond_doubles
def drifts(net: Net, batches: Sequence[Sequence[Observation]]) -> tuple[Drift, ...]:
    """What has not settled by the end of the run; of each replication its cumulative snapshots.

    Places that nothing takes tokens from only ever fill, and are left out; so are measures that count or are extremes.
    """
    cut = _cut(batches)
    if not cut:
        return ()
    places = _emptied(net)
    measures = [one for one in net.measures if not grows(net, one.formula)]
    tokens = _tokens(cut, places)
    figures = np.array([[[_value(m, part) for m in measures] for part in one] for one in cut], dtype=np.float64)
    tested = len(places) + len(measures)
    moved: list[Drift] = []
    kinds: tuple[tuple[Literal["place", "measure"], Floats, list[tuple[str, str]], bool], ...] = (
        ("place", tokens, [(net.places[place].name, "") for place in places], True),
        ("measure", figures.reshape(len(cut), PARTS, len(measures)), [(m.name, m.dimension) for m in measures], False),
    )
    for kind, values, named, rising in kinds:
        early, late = thirds(values)
        for index in moving(values, tested, rising=rising):
            name, dimension = named[index]
            moved.append(Drift(kind, name, float(early[index]), float(late[index]), dimension))
    return tuple(moved)


@beyond_doubles
def growing(net: Net, batches: Sequence[Sequence[Observation]], false_alarms: float) -> tuple[Drift, ...]:
    """The places alone, as of `drifts`; if none grows, any is named with a probability of at most `false_alarms`."""
    cut, places = _cut(batches), _emptied(net)
    if not cut or not places:
        return ()
    tokens = _tokens(cut, places)
    early, late = thirds(tokens)
    return tuple(
        Drift("place", net.places[places[index]].name, float(early[index]), float(late[index]))
        for index in moving(tokens, len(places), rising=True, false_alarms=false_alarms)
    )


def _cut(batches: Sequence[Sequence[Observation]]) -> list[list[Observation]]:
    """The parts of each replication that has any."""
    return [found for one in batches[:MOST_REPLICATIONS] if (found := parts(one))]


def _emptied(net: Net) -> list[int]:
    """The places that something takes tokens from."""
    taken = {arc.place for t in net.transitions for arc in t.inputs if not arc.keep}
    return sorted(taken | {place for t in net.transitions for place in t.resets})


def _tokens(cut: Sequence[Sequence[Observation]], places: Sequence[int]) -> Floats:
    """The mean tokens by replication, part and place."""
    return np.array([[quotients(part.integral, part.elapsed)[list(places)] for part in one] for one in cut])


def _value(measure: Measure, part: Observation) -> float:
    try:
        return evaluate(measure.formula, part)
    except Exception:  # the measure itself says that it cannot be computed
        return math.nan
