"""Figures of places and transitions as rows, optionally with one row for the elements of an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from petri.measure.columns import PLACE_COLUMNS, TRANSITION_COLUMNS
from petri.measure.intervals import Interval
from petri.measure.observation import Floats, Observation
from petri.result import Result
from petri.structs import Frozen

_INDEX = re.compile(r"\[\d+\]")


class Row(Frozen):
    """One place or transition, or the average of `copies` elements of an array."""

    name: str
    copies: int
    figures: Mapping[str, Interval]


class Tables(Frozen):
    places: tuple[Row, ...]
    transitions: tuple[Row, ...]


def tables(result: Result, *, fold: bool = True) -> Tables:
    """The figures M1 and M2 of a result. With `fold`, an array is one row: an average element, the greatest maximum."""
    place_groups = _Groups([place.name for place in result.net.places], fold)
    transition_groups = _Groups([transition.name for transition in result.net.transitions], fold)

    def figures(seen: Observation) -> Floats:
        folded = _folded(seen, place_groups, transition_groups)
        columns = [column(folded) for column in (*PLACE_COLUMNS.values(), *TRANSITION_COLUMNS.values())]
        return np.concatenate(columns) if columns else np.zeros(0)

    estimate = result.estimate(figures)
    split = len(place_groups.names) * len(PLACE_COLUMNS)
    return Tables(
        _rows(place_groups, PLACE_COLUMNS, estimate.interval, 0),
        _rows(transition_groups, TRANSITION_COLUMNS, estimate.interval, split),
    )


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
    return replace(
        seen,
        **averages,
        integral=places.average(seen.integral),
        nonempty=places.average(seen.nonempty),
        in_progress=transitions.average(seen.in_progress),
        active=transitions.average(seen.active),
        probes=(),
    )


def _rows(
    groups: _Groups, columns: Mapping[str, object], interval: Callable[[int], Interval], start: int
) -> tuple[Row, ...]:
    """`interval` looks up figures stored column after column, from `start` on."""
    size = len(groups.names)
    return tuple(
        Row(
            name,
            int(groups.sizes[row]),
            {column: interval(start + number * size + row) for number, column in enumerate(columns)},
        )
        for row, name in enumerate(groups.names)
    )
