"""The figures of places and transitions (M1, M2): all that formulas, results and reports know of each, in one entry.

The checker of the language reads it too, without numpy, which takes longer to load than a net.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.intervals import Statistic
from petri.measure.observation import Observation, quotient, quotients
from petri.net import Net
from petri.structs import Frozen

ALL: Final = slice(None)
Part = Callable[["Observation", Any], Any]
"""The entry of an observation for one place or transition (an index), or the entries of all (`ALL`).

The observation may be several windows, `Windows.together`: `ALL` then gives a row for each.
"""


class FigureKind(Frozen):
    """A figure is `above` / `below`; that of an array is the sum of the ones over the sum of the others.

    name: its column in results, tables and files; "" if only formulas have it. word: its function in formulas; "" if
    none. dimension: as of a measure, or "events" for events per time. total: it depends on the length of the run rather
    than on how the net behaves, so that batches give no interval. statistic: over replications, and over an array.

    heading, rank, implied: see `petri.report.telling.columns`. interval: shown with its interval.
    only: what else has no cell, and for "clocks" which nets have the column.
    """

    name: str
    word: str
    above: Part
    below: Part = lambda seen, at: 1.0
    dimension: str = ""
    total: bool = False
    statistic: Statistic = "mean"
    heading: str = ""
    rank: int = 0
    implied: bool = False
    interval: bool = False
    only: Literal["", "resources", "timed", "clocks"] = ""

    def of(self, seen: Observation, index: int) -> float:
        figure: float = quotient(self.above(seen, index), self.below(seen, index))
        return figure

    def of_all(self, seen: Observation) -> Floats:
        return quotients(self.above(seen, ALL), self.below(seen, ALL))


def _elapsed(seen: Observation, at: Any) -> float:
    return seen.elapsed


def _arrivals(seen: Observation, at: Any) -> Any:
    return seen.arrivals[at]


def _busy(seen: Observation, at: Any) -> Any:
    ratio: Any = quotients if at is ALL else quotient
    return 1.0 - ratio(ratio(seen.integral[at], seen.elapsed), seen.initial[at])


def _utilisation(seen: Observation, at: Any) -> Any:
    """`busy` of a resource, a place that never holds more than at the start; nan of any other."""
    resource = (seen.initial[at] > 0) & (seen.maximum[at] <= seen.initial[at])
    return np.where(resource, _busy(seen, at), np.nan)


PLACES: Final = (
    FigureKind("mean", "mean", lambda seen, at: seen.integral[at], _elapsed, heading="tokens", interval=True),
    FigureKind(
        "maximum", "max", lambda seen, at: seen.maximum[at],
        total=True, statistic="greatest", heading="max", rank=2,
    ),
    FigureKind("", "busy", _busy, dimension="share"),
    FigureKind(
        "occupied", "occupied", lambda seen, at: seen.nonempty[at], _elapsed, "share",
        heading="non-empty", rank=4,
    ),
    FigureKind("arrivals", "arrivals", _arrivals, total=True, heading="arrivals", rank=5, implied=True),
    FigureKind("arrival_rate", "", _arrivals, _elapsed, "events", heading="rate", rank=6, implied=True),
    FigureKind(
        "sojourn", "sojourn", lambda seen, at: seen.integral[at], _arrivals, "Time",  # Little's law
        heading="sojourn", rank=1,
    ),
    FigureKind("utilisation", "", _utilisation, dimension="share", heading="used", rank=3, only="resources"),
)  # fmt: skip

TRANSITIONS: Final = (
    FigureKind("firings", "count", lambda seen, at: seen.firings[at], total=True, heading="firings"),
    FigureKind(
        "rate", "rate", lambda seen, at: seen.firings[at], _elapsed, "events",
        heading="rate", rank=1, interval=True,
    ),
    FigureKind(
        "in_progress", "mean", lambda seen, at: seen.in_progress[at], _elapsed,
        heading="in progress", rank=3, interval=True, only="timed",
    ),
    FigureKind(
        "active", "active", lambda seen, at: seen.active[at], _elapsed, "share",
        heading="active", rank=2, only="timed",
    ),
    FigureKind(
        "clocks_set", "clocks_set", lambda seen, at: seen.set[at],
        total=True, heading="set", rank=4, only="clocks",
    ),
    FigureKind(
        "clocks_dropped", "clocks_dropped", lambda seen, at: seen.dropped[at],
        total=True, heading="dropped", rank=4, only="clocks",
    ),
)  # fmt: skip

PLACE_COLUMNS: Final = {kind.name: kind for kind in PLACES if kind.name}
TRANSITION_COLUMNS: Final = {kind.name: kind for kind in TRANSITIONS}
PLACE_WORDS: Final = {kind.word: kind for kind in PLACES if kind.word}
TRANSITION_WORDS: Final = {kind.word: kind for kind in TRANSITIONS}
TERMS: Final = PLACE_WORDS | TRANSITION_COLUMNS
"""By the operation of a term: the word of a figure of places, the name of one of transitions."""


def transition_columns(net: Net) -> Mapping[str, FigureKind]:
    """Return the columns of the transitions of a net: a net without clocks has no figures of them."""
    clocked = any(transition.clock is not None for transition in net.transitions)
    return {name: kind for name, kind in TRANSITION_COLUMNS.items() if clocked or kind.only != "clocks"}
