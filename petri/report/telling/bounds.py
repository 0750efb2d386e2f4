"""Bounds of figures as tables: how large or small each can be, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from petri.bounds import Bound, Bounds, Limit
from petri.measure.intervals import Interval
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import NOTHING, Units, counted
from petri.result import Result
from petri.structs import replace
from petri.wording.entry import listed

HOLD = "These hold in the long run, whatever the distributions with these means; guards and orders may allow less."


def bound_tables(bounds: Bounds, units: Units, everything: bool) -> Iterator[list[Column]]:
    """Yield a table of measures, and with `everything` those of transitions and places, titled by a heading."""
    for title, rows, sides in (
        ("Measures", bounds.measures, ("at least", "at most")),
        ("Transitions", bounds.transitions if everything else (), ("at most",)),
        ("Places", bounds.places if everything else (), ("at least",)),
    ):
        if rows:
            yield _table(title, rows, sides, units)


def _table(title: str, rows: Sequence[Bound], sides: Sequence[str], units: Units) -> list[Column]:
    figures = {
        "at least": [bound_text(row.low, row.dimension, units) for row in rows],
        "at most": [bound_text(row.high, row.dimension, units) for row in rows],
    }
    reasons = [why(row, sides) for row in rows]
    columns = [Column(title, [row.name for row in rows], "name")]
    columns += [Column(side, figures[side]) for side in sides]
    return [*columns, Column("because", reasons, "prose")] if any(reasons) else columns


def shares(bounds: Sequence[Bound], result: Result) -> list[tuple[Bound, Interval]]:
    """Return how much of its upper bound each measure of a run has reached, where it has one above 0."""
    found = [(bound, result.measure(bound.name).interval) for bound in bounds if 1e-9 < bound.high < math.inf]
    return [
        (bound, replace(one, mean=one.mean / bound.high, half_width=one.half_width / bound.high, ends=None))
        for bound, one in found
    ]


def share_columns(bounds: Sequence[Bound], result: Result) -> list[Column]:
    """Return the table of `shares`; without rows where nothing has a bound."""
    rows, units = shares(bounds, result), Units.of(result.net)
    return [
        Column("Of its bound", [bound.name for bound, _ in rows], "name"),
        Column("", [Units().show_interval(share, "share") for _, share in rows]),
        Column("at most", [bound_text(bound.high, bound.dimension, units) for bound, _ in rows]),
        Column("because", [why(bound, ("at most",)) for bound, _ in rows], "prose"),
    ]


def bound_text(value: float, dimension: str, units: Units) -> str:
    """Return a bound; a dash where nothing is known."""
    if not math.isfinite(value):
        return NOTHING
    return units.show(0.0 if abs(value) < 1e-9 else value, shown_dimension(dimension), 4)


def why(bound: Bound, sides: Sequence[str]) -> str:
    """Return what a figure cannot exceed for; of a lower bound above 0, what it cannot fall below for."""
    if "at most" in sides and bound.above and math.isfinite(bound.high):
        return _reason(bound.above)
    return _reason(bound.below) if bound.below and bound.low > 1e-9 else ""


def _reason(limits: Sequence[Limit]) -> str:
    """Return what limits a figure; limits of one kind in one sentence."""
    kinds = dict.fromkeys(limit.kind for limit in limits)
    return "; ".join(_sentence([limit for limit in limits if limit.kind == kind]) for kind in kinds)


def _sentence(limits: Sequence[Limit]) -> str:
    """Return what several limits of one kind say; of a single one also how much it has."""
    names = listed([f"`{limit.name}`" for limit in limits])
    kind, count = limits[0].kind, int(limits[0].count)
    if len(limits) > 1:
        return (
            names
            + {
                "arrivals": " bring no more",
                "busy": " would be busy all the time",
                "capacity": " can hold no more",
                "servers": " have no more servers",
            }[kind]
        )
    if kind == "busy" and count != 1:
        return f"all {count:,} tokens of {names} would be in use all the time"
    return (
        names
        + {
            "arrivals": " brings no more",
            "busy": " would be busy all the time",
            "capacity": f" can hold {counted(count, 'token')}",
            "servers": f" has {counted(count, 'server')}",
        }[kind]
    )
