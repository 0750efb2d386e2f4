"""Figures of places and transitions as rows, optionally with one row for the elements of an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as with_fields
from typing import Any

import numpy as np

from petri.measure.columns import EXTREMES, PLACE_COLUMNS, TRANSITION_COLUMNS
from petri.measure.estimate import Estimate
from petri.measure.intervals import Interval
from petri.measure.observation import Floats, Observation
from petri.result import PlaceFigures, Result, TransitionFigures
from petri.structs import Frozen, replace

ROUNDING = 1e-9  # relative: what rounding may do to figures that are equal
_INDEX = re.compile(r"\[-?\w+\]")


class Row(Frozen):
    """One place or transition, or `copies` elements of an array.

    figures: of an array, those of an average element, but the greatest maximum. spread: the least and the greatest
    element, of each figure in which the elements differ by more than their noise.
    """

    name: str
    copies: int
    figures: Mapping[str, Interval]
    spread: Mapping[str, tuple[float, float]] = {}


class Tables(Frozen):
    places: tuple[Row, ...]
    transitions: tuple[Row, ...]


def tables(result: Result, *, fold: bool = True) -> Tables:
    """The figures M1 and M2 of a result. With `fold`, an array is one row."""
    place_groups = _Groups([place.name for place in result.net.places], fold)
    transition_groups = _Groups([transition.name for transition in result.net.transitions], fold)

    def figures(seen: Observation) -> Floats:
        folded = _folded(seen, place_groups, transition_groups)
        columns = [column(folded) for column in (*PLACE_COLUMNS.values(), *TRANSITION_COLUMNS.values())]
        return np.concatenate(columns) if columns else np.zeros(0)

    estimate, greatest = result.estimate(figures), result.extreme(figures)
    split = len(place_groups.names) * len(PLACE_COLUMNS)
    places = _rows(place_groups, PLACE_COLUMNS, estimate, greatest, 0)
    transitions = _rows(transition_groups, TRANSITION_COLUMNS, estimate, greatest, split)
    return Tables(
        _with_spread(places, place_groups, lambda: result.places, "arrivals", "arrival_rate"),
        _with_spread(transitions, transition_groups, lambda: result.transitions, "firings", "rate"),
    )


def _with_spread(
    rows: tuple[Row, ...],
    groups: _Groups,
    elements: Callable[[], PlaceFigures | TransitionFigures],
    count: str,
    rate: str,
) -> tuple[Row, ...]:
    """The rows with what is unlike among their elements; a `count` has no noise of its own, so its `rate` decides."""
    if all(row.copies == 1 for row in rows):
        return rows
    each = elements()
    estimates: dict[str, Estimate] = {name: getattr(each, name) for name in rows[0].figures if name != "maximum"}
    members = groups.members()
    made = []
    for number, row in enumerate(rows):
        spread = {}
        for name, estimate in estimates.items() if row.copies > 1 else ():
            values, judged = estimate.value[members[number]], estimates[rate if name == count else name]
            known = values[np.isfinite(values)]
            if known.size and not alike(judged.value[members[number]], judged.half_width[members[number]]):
                spread[name] = (float(known.min()), float(known.max()))
        made.append(replace(row, spread=spread))
    return tuple(made)


def alike(values: Floats, half_widths: Floats) -> bool:
    """Whether the figures of several elements differ by no more than their noise.

    Each must be within twice its half-width of the average: of many elements that are alike, one in twenty is beyond
    one half-width by chance. One without an interval is taken to vary as much as the others do; where none has one, the
    figures must be equal.
    """
    if np.isnan(values).all():
        return True
    average = float(values.mean())
    widest = float(np.max(half_widths, where=np.isfinite(half_widths), initial=0.0))
    noise = 2.0 * np.where(np.isfinite(half_widths), half_widths, widest) + abs(average) * ROUNDING
    return bool((np.abs(values - average) <= noise).all())  # with one that has no data the average is nan: not alike


def row_name(name: str) -> str:
    """The name of the row that contains an element of an array: `engine[*].alu`."""
    return _INDEX.sub("[*]", name)


class _Groups:
    """The grouping of names into rows; `of[i]` is the row of element i."""

    def __init__(self, names: Sequence[str], fold: bool) -> None:
        shown = [row_name(name) if fold else name for name in names]
        rows = {name: row for row, name in enumerate(dict.fromkeys(shown))}
        self.of = np.array([rows[name] for name in shown], dtype=np.int64)
        self.sizes = np.bincount(self.of, minlength=len(rows)).astype(np.float64)
        members = {row: name for name, row in zip(names, self.of.tolist(), strict=True)}
        self.names = [name if self.sizes[row] > 1 else members[row] for name, row in rows.items()]

    def members(self) -> list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
        """For each row, which elements it stands for."""
        order = np.argsort(self.of, kind="stable").astype(np.int64)
        return np.split(order, np.cumsum(self.sizes).astype(np.int64)[:-1])

    def average(self, values: np.ndarray[tuple[int, ...], np.dtype[np.float64 | np.int64]]) -> Floats:
        total = np.bincount(self.of, weights=values.astype(np.float64), minlength=len(self.names))
        averages: Floats = total / self.sizes
        return averages

    def greatest(self, values: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats:
        most = np.zeros(len(self.names))
        np.maximum.at(most, self.of, values)
        return most


def _folded(seen: Observation, places: _Groups, transitions: _Groups) -> Observation:
    """An observation of average elements, with averages instead of integers."""
    averages: dict[str, Any] = {
        "maximum": places.greatest(seen.maximum),
        "arrivals": places.average(seen.arrivals),
        "initial": places.average(seen.initial),
        "firings": transitions.average(seen.firings),
    }
    return with_fields(
        seen,
        **averages,
        integral=places.average(seen.integral),
        nonempty=places.average(seen.nonempty),
        in_progress=transitions.average(seen.in_progress),
        active=transitions.average(seen.active),
        probes=(),
    )


def _rows(
    groups: _Groups, columns: Mapping[str, object], estimate: Estimate, greatest: Estimate, start: int
) -> tuple[Row, ...]:
    """The estimates hold figures column after column, those of these columns from `start` on."""
    size = len(groups.names)
    return tuple(
        Row(
            name,
            int(groups.sizes[row]),
            {
                column: (greatest if column in EXTREMES else estimate).interval(start + number * size + row)
                for number, column in enumerate(columns)
            },
        )
        for row, name in enumerate(groups.names)
    )
