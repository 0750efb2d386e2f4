"""Whether a figure still moves at the end of a run: the test of Mann and Kendall over parts of the run.

The window is cut into `PARTS` successive parts. Of the values in these parts, S counts the pairs that rise minus those
that fall; where nothing moves, S of independent parts has mean 0 and variance n(n − 1)(2n + 5)/18 (Kendall, Rank
Correlation Methods, 1975; Mann 1945). The S of independent replications add up, and so do their variances. So a
replication needs to keep four numbers of a figure: S, and the means of its thirds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from statistics import NormalDist
from typing import Final, Literal

import numpy as np

from petri.measure.arrays import Floats, Integers
from petri.measure.figures import Figure, evaluate_all, evaluate_columns, settling
from petri.measure.intervals import student_interval, student_quantile
from petri.measure.observation import Observation, beyond_doubles, quotients
from petri.measure.unvaried import memory
from petri.measure.windows import Windows
from petri.net import Net
from petri.structs import Frozen, replace

PARTS: Final = 12
MOST_REPLICATIONS: Final = 50  # that are looked at: more would see less than is worth a word
FALSE_ALARMS: Final = 0.01  # of a whole result in which nothing moves, its parts being independent
COURSE: Final = ("score", "early", "middle", "late")  # of a figure in a replication: S, and the means of the thirds
DEVIATION: Final = math.sqrt(PARTS * (PARTS - 1) * (2 * PARTS + 5) / 18)  # of S
LEAST_STEADY: Final = 0.5  # of the growth in the first half: with less in the second, the growth slows down
COLD_ALARMS: Final = 0.05  # of runs that begin in a typical state
LEAST_BIAS: Final = 0.25  # of an average, as a share of its half-width
LONG_MEMORY: Final = 0.15  # of a run, as a share of it
FEWEST_PAIRS: Final = 3  # replications in which starts and ends are compared
FEWEST_PIECES: Final = 3  # batches of each
LEAST_CHANGE: Final = 0.1  # of the larger of the means in the first and the last third: less is not worth a word


def parts(batches: Sequence[Observation]) -> list[Observation]:
    """Return the window of a replication in `PARTS` successive parts; nothing where it has too few batches.

    batches: cumulative snapshots, in order.
    """
    if len(batches) <= PARTS:
        return []
    ends = [batches[round(number * (len(batches) - 1) / PARTS)] for number in range(PARTS + 1)]
    return [later.minus(earlier) for earlier, later in pairwise(ends)]


def courses(values: Floats) -> Floats:
    """S and the means of the three thirds, by figure; nan where a figure has no data in some part.

    values: by part and figure.
    """
    later = [np.sign(values[early + 1 :] - values[early]).sum(axis=0) for early in range(PARTS - 1)]
    thirds = [values[first : first + PARTS // 3].mean(axis=0) for first in range(0, PARTS, PARTS // 3)]
    return np.column_stack([reduce(add, later), *thirds])


def standardised(scores: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the sum of the S of all replications in deviations, by figure, and the most that chance explains at this
    level.

    scores: by replication and figure. S deviates as in a run whose parts are independent; or, where the replications
    show that it deviates more, as the parts of a run resemble their neighbours, as Student's test has it.
    """
    n = len(scores)
    total = scores.sum(axis=0)
    deviation = np.full(total.shape, DEVIATION)
    most = np.full(total.shape, _normal_quantile(1.0 - level))
    if n > 1:
        seen = scores.std(axis=0, ddof=1)
        most = np.where(seen > DEVIATION, student_quantile(1.0 - level, n - 1), most)
        deviation = np.maximum(deviation, seen)
    return np.sign(total) * np.maximum(np.abs(total) - 1.0, 0.0) / (deviation * math.sqrt(n)), most


def _normal_quantile(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def moving(
    found: Sequence[Floats] | Floats, figures: int, *, rising: bool, false_alarms: float = FALSE_ALARMS
) -> list[int]:
    """Return the figures that move, by index; of `figures` tested in the whole result. `rising`: only those that grow.

    found: the `courses` of each replication.
    """
    level = false_alarms / max(figures, 1)
    early, _, late = (reduce(add, (one[:, third] for one in found)) / len(found) for third in (1, 2, 3))
    change = (late - early) if rising else np.abs(late - early)
    large = change > LEAST_CHANGE * np.maximum(np.abs(early), np.abs(late))
    if not large.any():
        return []
    score, most = standardised(np.array([one[:, 0] for one in found]), level if rising else level / 2.0)
    moves = ((score if rising else np.abs(score)) > most) & large
    return [index for index, one in enumerate(moves.tolist()) if one]


class Drift(Frozen):
    """A place whose tokens still grow, or a measure that still moves. The means of the first and of the last third.

    growth: of a place, tokens per time unit. steady: it grows as fast towards the end as before.
    """

    kind: Literal["place", "measure"]
    name: str
    dimension: str  # of a measure
    early: float
    late: float
    growth: float = math.nan
    steady: bool = False


def drift(kind: Literal["place", "measure"], name: str, found: Sequence[Floats] | Floats, dimension: str = "") -> Drift:
    """found: the `courses` of one figure in each replication."""
    early, middle, late = (float(reduce(add, (one[third] for one in found)) / len(found)) for third in (1, 2, 3))
    steady = early < middle and late - middle >= LEAST_STEADY * (middle - early)
    return Drift(kind, name, dimension, early, late, steady=steady)


@beyond_doubles
def drifts(net: Net, batches: Sequence[Sequence[Observation]]) -> tuple[Drift, ...]:
    """Return what has not settled by the end of the run; of each replication its cumulative snapshots.

    Places that nothing takes tokens from only ever fill, and are left out; so are measures that count or are extremes.
    """
    cut = _cut(batches)
    if not cut:
        return ()
    measures = settling(net, [measure.name for measure in net.measures])
    tested = len(_emptied(net)) + len(measures)
    found = [_of_figures(measures, one) for one in cut] if measures else []
    moved = moving(found, tested, rising=False) if measures else []
    measured = [drift("measure", measures[i].name, [one[i] for one in found], measures[i].dimension) for i in moved]
    return (*_growing(net, cut, tested, FALSE_ALARMS), *measured)


class ColdStart(Frozen):
    """A line that is emptier when runs begin than later on, so that averages are too low: its tokens at the start, and
    their mean in the last third."""

    place: str
    initial: int
    late: float


@beyond_doubles
def cold_start(
    net: Net, lines: Sequence[int], windows: Sequence[Observation], batches: Sequence[Sequence[Observation]]
) -> ColdStart | None:
    """Return the line that is farthest from its start, of runs without a warm-up; of each its window and cumulative
    snapshots.

    In pairs over the replications, Student's test compares the first part of a run with the last third; where they are
    alike, any line is named with a probability of at most `COLD_ALARMS`. It must also matter. With τ for the time for
    which the marking remembers itself (`petri.measure.unvaried`), as a share of the run, the average is too low by
    about τ times the difference: that is to be a quarter of the half-width, or the run so short that this is not known.
    """
    if len(batches) < FEWEST_PAIRS or min(map(len, batches)) < FEWEST_PIECES:
        return None
    cut = [_pieces(batch) for batch in batches]
    each = (_colder(net, place, windows, cut, len(lines)) for place in lines)
    return max((one for one in each if one is not None), key=lambda one: one.late - one.initial, default=None)


def _pieces(batches: Sequence[Observation]) -> list[Observation]:
    """Return a replication in up to `PARTS` successive parts, from its very beginning."""
    count = min(PARTS, len(batches))
    ends = [batches[round(number * len(batches) / count) - 1] for number in range(1, count + 1)]
    return [ends[0], *(later.minus(earlier) for earlier, later in pairwise(ends))]


def _colder(
    net: Net, place: int, windows: Sequence[Observation], cut: Sequence[Sequence[Observation]], tested: int
) -> ColdStart | None:
    def mean(pieces: Sequence[Observation]) -> float:
        return float(sum(piece.integral[place] for piece in pieces)) / sum(piece.elapsed for piece in pieces)

    n = len(cut)
    lasts = [mean(one[-(len(one) // 3) :]) for one in cut]
    rises = [late - mean(one[:1]) for late, one in zip(lasts, cut, strict=True)]
    rise = student_interval(rises, 1.0 - 2.0 * COLD_ALARMS / tested)
    if not rise.low > 0.0:
        return None
    whole = student_interval([mean([window]) for window in windows])
    error = (whole.half_width / student_quantile(0.5 + 0.5 * whole.level, n - 1)) ** 2 * n
    share = float(sum(window.nonempty[place] for window in windows)) / sum(window.elapsed for window in windows)
    squares = [(mean([piece]) - whole.mean) ** 2 for pieces in cut for piece in pieces]
    remembered = memory(whole.mean, share, error, sum(squares) / len(squares))
    if remembered * rise.mean <= LEAST_BIAS * whole.half_width and remembered <= LONG_MEMORY:
        return None
    return ColdStart(net.places[place].name, net.places[place].held, sum(lasts) / n)


def figure_courses(wanted: Sequence[Figure], batches: Windows, ends: Integers) -> list[Mapping[str, Sequence[float]]]:
    """Return the `courses` of these figures, by name, in each replication: what `unsettled` needs. Empty without parts.

    batches: cumulative snapshots of all replications, in order; ends: where those of each end.
    """
    counts = np.diff(ends, prepend=0)
    rows = np.flatnonzero(counts > PARTS) if wanted else np.zeros(0, np.int64)
    found: list[Mapping[str, Sequence[float]]] = [{}] * len(ends)
    if not rows.size:
        return found
    steps = np.round(np.arange(PARTS + 1) * (counts[rows, None] - 1) / PARTS).astype(np.int64)
    at = (ends - counts)[rows, None] + steps
    windows = batches.between(at[:, :-1].ravel(), at[:, 1:].ravel(), not all(one.is_of_nodes for one in wanted))
    values, _ = evaluate_columns(wanted, windows)
    each = np.array([values[one.name].reshape(-1, PARTS) for one in wanted])  # by figure, replication and part
    moved = beyond_doubles(courses)(each.reshape(-1, PARTS).T).reshape(len(wanted), len(rows), len(COURSE))
    for number, row in enumerate(rows.tolist()):
        found[row] = {one.name: tuple(of) for one, of in zip(wanted, moved[:, number].tolist(), strict=True)}
    return found


def unsettled(replications: Sequence[Mapping[str, Sequence[float]]]) -> list[Drift]:
    """Return the figures that have not settled, without dimensions. replications: of each its `figure_courses`."""
    names = list(replications[0]) if replications else []
    kept = [
        [replication[name] for name in names]
        for replication in replications[:MOST_REPLICATIONS]
        if replication.keys() >= set(names)
    ]
    if not names:
        return []
    found = [np.array(one) for one in kept]
    moved = moving(found, len(names), rising=False)
    return [drift("measure", names[index], [one[index] for one in found]) for index in moved]


def _of_figures(wanted: Sequence[Figure], cut: Sequence[Observation]) -> Floats:
    values = [list(evaluate_all(wanted, part).values()) for part in cut]
    return courses(np.array(values))


@beyond_doubles
def growing(net: Net, batches: Sequence[Sequence[Observation]], false_alarms: float) -> tuple[Drift, ...]:
    """Return the places alone, as `drifts`; if none grows, the chance to name one is at most `false_alarms`."""
    return _growing(net, _cut(batches), len(_emptied(net)), false_alarms)


def _growing(net: Net, cut: Sequence[Sequence[Observation]], tested: int, false_alarms: float) -> tuple[Drift, ...]:
    places = _emptied(net)
    if not cut or not places:
        return ()
    tokens = [[quotients(part.integral, part.elapsed)[places] for part in one] for one in cut]
    found = [courses(np.array(token)) for token in tokens]
    # The middles of the first and of the last third are two thirds of the window apart.
    apart = 2.0 / 3.0 * sum(part.elapsed for one in cut for part in one) / len(cut)
    grown = [drift("place", net.places[places[i]].name, [one[i] for one in found])
             for i in moving(found, tested, rising=True, false_alarms=false_alarms)]  # fmt: skip
    return tuple(replace(one, growth=(one.late - one.early) / apart) for one in grown)


def _cut(batches: Sequence[Sequence[Observation]]) -> list[list[Observation]]:
    """Return the parts of each replication that has any."""
    return [found for batch in batches[:MOST_REPLICATIONS] if (found := parts(batch))]


def _emptied(net: Net) -> list[int]:
    """Return the places that something takes tokens from."""
    taken = {place for t in net.transitions for arc in t.inputs for place in arc.takes_from}
    return sorted(taken | {place for t in net.transitions for place in t.emptied})
