"""What is said of figures that still move at the end of the runs, and so depend on their length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from petri.diagnostics import Value
from petri.experiment.results.summary import PointOutcome
from petri.measure.figures import Figure
from petri.measure.trend import ColdStart, Drift
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units, counted, number

MARK: Final = " !"
MOVES: Final = "!: still moves at the end of the runs, and depends on their length"
MOST: Final = 3  # figures that a note names


def marked(text: str, moves: bool) -> str:
    """`46 ms !`, where the figure has not settled."""
    return text + MARK if moves else text


def estimate(point: PointOutcome, name: str, dimension: str, units: Units) -> str:
    """Return a figure of a point in a table: `46 ± 12 ms !`."""
    return marked(units.show_interval(point.intervals[name], dimension), name in point.unsettled)


def going(steady: bool) -> str:
    """Return how a figure moves."""
    return "grows steadily" if steady else "goes"


def cold_start_values(found: ColdStart) -> dict[str, Value]:
    """Return the values for the message `begins-cold`."""
    return {"place": found.place, "initial": counted(found.initial, "token"), "late": number(found.late, 2)}


def growth_text(growth: float, units: Units) -> str:
    """Return tokens per time: `200 k/s`, `0.2 per time unit`."""
    text = units.show(growth, "events")
    return f"{text} per time unit" if units.seconds is None else text


def unsettled_note(points: Iterable[PointOutcome], figures: Sequence[Figure], units: Units) -> str:
    """Return what the marks mean, with the first of these figures; "" without any."""
    kinds = {figure.name: figure.dimension for figure in figures}
    return note(
        movement(point, one, kinds.get(one.name, ""), units) for point in points for one in point.unsettled.values()
    )


def movement(point: PointOutcome, one: Drift, dimension: str, units: Units) -> str:
    """`wait at load=1.3 grows steadily from 9 us in the first third to 46 us in the last`."""
    early, late = (units.show(value, shown_dimension(dimension)) for value in (one.early, one.late))
    at = f" at {point.label}" if point.parameters else ""
    return f"{one.name}{at} {going(one.steady)} from {early} in the first third to {late} in the last"


def note(movements: Iterable[str]) -> str:
    """Return what the marks mean, with the first of these movements, each once; "" without any."""
    found = list(dict.fromkeys(movements))
    more = f"; {len(found) - MOST} more" if len(found) > MOST else ""
    return f"{MOVES}: {'; '.join(found[:MOST])}{more}" if found else ""
