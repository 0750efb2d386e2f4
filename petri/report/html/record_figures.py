"""The figures that can be drawn of one measure or one place of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.occupancy import LEVELS
from petri.report.html import figures
from petri.report.html.page import Figure
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.record import RunRecord
from petri.result import MeasureResult
from petri.result.history import History
from petri.result.tables import Row

# For an order probe: name, heading, explanation, axis, whether 0 is left out and whether the last entry is open.
ORDERS: Final = (
    ("extent", "Reordering extent",
     "How far a reordered packet arrives behind the first packet that overtook it (RFC 4737, 4.2).",
     "extent [packets]", True, True),
    ("degree", "Degree of n-reordering",
     "The number of packets directly before it that all have greater numbers (RFC 4737, 5).", "n", True, True),
    ("displacement", "Reorder density",
     "The distance of packets from their position in order; packets in place are left out (RFC 5236, 4).",
     "displacement [packets]; negative is early", True, False),
    ("buffer", "Reorder buffer density",
     "Packets held by a receiver after each arrival because an earlier one is missing (RFC 5236, 5).",
     "packets held", False, False),
)  # fmt: skip


def of_measure(record: RunRecord, measured: MeasureResult) -> dict[str, Figure]:
    """Return the figures of a measure by their kinds: density, tail, series, and those of ORDERS."""
    found: dict[str, Figure] = {}
    sample = None if measured.histogram is None else figures.Distribution.of(measured.histogram)
    if sample is not None:
        dimension = shown_dimension(measured.measure.dimension)
        found["density"] = figures.density(sample, record.units, dimension)
        if not sample.is_discrete:
            found["tail"] = figures.tail(sample, record.units, dimension)
    if (series := series_of(record, measured)) is not None:
        found["series"] = series
    return found | {kind: figure for kind, _, _, figure in orders_of(measured)}


def of_place(record: RunRecord, row: Row) -> dict[str, Figure]:
    """Return the figures of a place, or of an array of places, by their kinds: tokens, history."""
    found: dict[str, Figure] = {}
    shares = shares_of(record, row)
    if shares is not None and (figure := tokens(shares)) is not None:
        found["tokens"] = figure
    if (history := record.history()) is not None:
        line = (line_name(row), tokens_over_time(history, row), True)
        found["history"] = figures.steps(history.edges, [line], record.units, "tokens")
    return found


def series_of(record: RunRecord, measured: MeasureResult) -> Figure | None:
    """Draw a measure over time; None if it has no values in windows."""
    if not measured.series:
        return None
    measure, values = measured.measure, list(measured.series.values())
    dimension, window = shown_dimension(measure.dimension), measure.window or 1.0
    return figures.series(record.plan.warmup, window, values, record.units, dimension, measure.name)


def orders_of(measured: MeasureResult) -> Iterator[tuple[str, str, str, Figure]]:
    """Draw the distributions of an order probe: the kind of each, its heading and its explanation."""
    for kind, heading, what, axis, skip_zero, is_open in ORDERS if measured.distributions else ():
        values = (measured.distributions or {})[kind].tolist()
        first = -(len(values) // 2) if kind == "displacement" else 0
        figure = figures.counts(values, first, axis, skip_zero=skip_zero, open_ended=is_open)
        if figure is not None:
            yield kind, heading, what, figure


def shares_of(record: RunRecord, row: Row) -> Floats | None:
    """Return the share of time with 0, 1, 2 … tokens in a place, or in the average element of an array."""
    if (occupancy := record.occupancy()) is None:
        return None
    elements = [occupancy[member] for member in row.members]
    shares = np.zeros(max(map(len, elements)))
    for element in elements:
        shares[: len(element)] += np.array(element) / len(elements)
    return shares


def tokens(shares: Floats) -> Figure | None:
    """Draw the shares of time by the number of tokens."""
    open_ended = len(shares) == LEVELS
    return figures.counts(list(shares), 0, "tokens", skip_zero=False, open_ended=open_ended, of="time")


def tokens_over_time(history: History, row: Row) -> Any:
    """Return the tokens of a place in each window, or those of the average element of an array."""
    return history.tokens[list(row.members)].mean(axis=0)


def line_name(row: Row) -> str:
    return f"{row.name} (average of {row.copies})" if row.copies > 1 else row.name
