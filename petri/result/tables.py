"""Figures of places and transitions as rows, optionally with one row for the elements of an array.

Terminal, page and notebook show these rows, and files have them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.catalogue import ALL, PLACE_COLUMNS, FigureKind, transition_columns
from petri.measure.estimate import Estimate
from petri.measure.intervals import Interval
from petri.measure.observation import Observation, quotients
from petri.measure.unvaried import Ranges
from petri.result.figures import PlaceFigures, RunFigures, TransitionFigures, heavy_nodes
from petri.result.rare import Rare
from petri.structs import Frozen, as_dict

ROUNDING = 1e-9  # relative: what rounding may do to figures that are equal
_INDEX = re.compile(r"\[-?\w+\]")


class Row(Frozen):
    """One place or transition, or the elements of an array; members: their indices in the net.

    figures: of an array, those of an average element, but the greatest maximum. spread: the least and the greatest
    element, of each figure in which the elements differ by more than their noise.
    """

    name: str
    members: tuple[int, ...]
    figures: Mapping[str, Interval]
    spread: Mapping[str, tuple[float, float]] = {}

    @property
    def copies(self) -> int:
        return len(self.members)


def table(result: RunFigures, kind: str, *, fold: bool = True, brief: bool = False) -> tuple[Row, ...]:
    """Return the figures of places (M1) or transitions (M2) of a result, by kind: "places" or "transitions".

    With `fold`, an array is one row. brief: where no row is an array, leave out intervals no terminal shows.
    """
    kinds = PLACE_COLUMNS if kind == "places" else transition_columns(result.net)
    names = [one.name for one in (result.net.places if kind == "places" else result.net.transitions)]
    groups = row_members(names, fold)
    arrays = {name: members for name, members in groups.items() if len(members) > 1}
    if brief and not arrays:
        each = {name: result.column(kind) if kind.interval else result.value(kind) for name, kind in kinds.items()}
    else:
        each = estimates(result.places if kind == "places" else result.transitions)
    whole = _of_arrays(result, list(arrays.values()), kinds) if arrays else {}
    order = {name: row for row, name in enumerate(arrays)}
    made = []
    for name, members in groups.items():
        if name in arrays:
            figures = {kind: estimate.interval(order[name]) for kind, estimate in whole.items()}
            made.append(Row(name, members, figures, _spread(each, members, kinds)))
        else:
            figures = {kind: estimate.interval(members[0]) for kind, estimate in each.items()}
            made.append(Row(names[members[0]], members, figures))
    return tuple(made)


def row_members(names: Iterable[str], fold: bool) -> dict[str, tuple[int, ...]]:
    """Return what stands in each row, by its name."""
    found: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        found.setdefault(row_name(name) if fold else name, []).append(index)
    return {name: tuple(members) for name, members in found.items()}


def row_name(name: str) -> str:
    """Return the name of the row that contains an element of an array: `engine[*].alu`."""
    return _INDEX.sub("[*]", name)


def estimates(figures: PlaceFigures | TransitionFigures) -> dict[str, Estimate]:
    """Return the columns of a table of figures, by name."""
    return {name: found for name, found in as_dict(figures).items() if name != "names" and found is not None}


def _of_arrays(
    result: RunFigures, arrays: Sequence[tuple[int, ...]], kinds: Mapping[str, FigureKind]
) -> dict[str, Estimate]:
    """Return the figures of arrays: the sum of what is above the line over the sum of what is below, or the extreme."""
    order = [member for members in arrays for member in members]
    starts = [0, *accumulate(map(len, arrays[:-1]))]

    def of(kind: FigureKind, seen: Observation) -> Floats:
        above = np.asarray(kind.above(seen, ALL), dtype=np.float64)
        if kind.statistic == "greatest":
            most: Floats = np.maximum.reduceat(above.take(order, axis=-1), starts, axis=-1)
            return most
        below = np.broadcast_to(np.asarray(kind.below(seen, ALL), dtype=np.float64), above.shape)
        sums = (np.add.reduceat(one.take(order, axis=-1), starts, axis=-1) for one in (above, below))
        return quotients(*sums)

    def ranged(kind: FigureKind, rare: Rare, array: int) -> Ranges:
        """Return the figures of an array as of its average element."""
        each = [rare.of_kind(kind, index) for index in arrays[array]]
        low, high = sum(one.low for one in each), sum(one.high for one in each)
        value, heavy = of(kind, rare.windows.together)[:, array], np.any([one.heavy for one in each], axis=0)
        low, high = low / len(each), high / len(each)
        return Ranges.on(len(value), value, low, high, each[0].looks, math.nan, False, heavy, math.inf)

    def heavy(kind: FigureKind) -> list[int]:
        nodes = frozenset(heavy_nodes(result.net, kind))
        return [number for number, members in enumerate(arrays) if nodes.intersection(members)]

    def combined(kind: FigureKind) -> Estimate:
        return result.combined(
            partial(of, kind), lambda windows: of(kind, windows.together), kind.statistic, total=kind.total
        )

    whole = {name: combined(kind) for name, kind in kinds.items()}
    return {
        name: result.with_unvaried(found, partial(ranged, kinds[name]), heavy(kinds[name]))
        for name, found in whole.items()
    }


def _spread(
    each: Mapping[str, Estimate], members: tuple[int, ...], kinds: Mapping[str, FigureKind]
) -> dict[str, tuple[float, float]]:
    """Return what is unlike among elements; a count has no noise of its own, so its rate decides."""
    found, own = {}, list(members)
    rate = next(name for name, kind in kinds.items() if kind.dimension == "events")
    for name, kind in kinds.items():
        values, judged = each[name].value[own], each[rate if kind.total else name]
        known = values[np.isfinite(values)]
        differ = kind.statistic == "mean" and not alike(judged.value[own], judged.half_width[own])
        if known.size and differ:
            found[name] = (float(known.min()), float(known.max()))
    return found


def alike(values: Floats, half_widths: Floats) -> bool:
    """Return whether the figures of several elements differ by no more than their noise.

    Each must be within twice its half-width of the average: of many elements that are alike, one in twenty is beyond
    one half-width by chance. One without an interval is taken to vary as much as the others do; where none has one, the
    figures must be equal.
    """
    if np.isnan(values).all():
        return True
    average = float(values.mean())
    widest = float(np.where(np.isfinite(half_widths), half_widths, 0.0).max())
    noise = 2.0 * np.where(np.isfinite(half_widths), half_widths, widest) + abs(average) * ROUNDING
    return bool((np.abs(values - average) <= noise).all())  # with one that has no data the average is nan: not alike
