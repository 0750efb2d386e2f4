"""What rows of places and transitions show: the same on a terminal, on a page and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from petri.measure.catalogue import FigureKind
from petri.net import Net, Transition, lasts
from petri.report.telling.quantities import NOTHING, Units, number
from petri.result.tables import Row, row_name

ARRAYS: Final = (
    "×n: n elements of an array; their average where they agree within noise, else least..greatest; max is the greatest"
)


class Cells:
    """The texts of figures in the units of a net."""

    def __init__(self, net: Net) -> None:
        self.units = Units.of(net)
        unclocked = [transition for transition in net.transitions if transition.clock is None]
        self.unclocked = _rows(unclocked)
        self.immediate = _rows(one for one in unclocked if not lasts(one))

    def text(self, row: Row, kind: FigureKind, *, brief: bool = False) -> str:
        """Return the figure of a row, `brief` without its interval; "" where the row cannot have it."""
        figure, ends = row.figures[kind.name], row.spread.get(kind.name)
        if kind.only == "timed" and row.name in self.immediate:
            return ""
        if kind.only == "clocks" and row.name in self.unclocked:
            return ""
        if kind.only == "resources" and math.isnan(figure.mean) and ends is None:
            return ""
        if kind.dimension == "share":
            return share(*(ends or (figure.mean, figure.mean)))
        if ends is not None:
            return self.units.show_range(*ends, "count" if kind.total else kind.dimension)
        if kind.total and kind.statistic == "mean":
            return number(round(figure.mean, 1))
        if not kind.interval:
            return self.units.show(figure.mean, kind.dimension)
        if brief and not figure.unknown and not figure.doubt:
            return self.units.show_without_error(figure.mean, figure.half_width, kind.dimension)
        return self.units.show_interval(figure, kind.dimension)


def _rows(transitions: Iterable[Transition]) -> set[str]:
    """Return the names of transitions, and of the rows in which they stand."""
    return {name for transition in transitions for name in (transition.name, row_name(transition.name))}


def share(low: float, high: float) -> str:
    if math.isnan(low):
        return NOTHING
    return f"{'..'.join(dict.fromkeys([f'{100 * low:.1f}', f'{100 * high:.1f}']))}%"
