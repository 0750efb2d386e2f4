"""A run as the page shows it: the contents of `Result.to_dict`, from a result or from its JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from petri.measure.intervals import Interval
from petri.measure.observation import Floats
from petri.net import Net
from petri.report.quantities import Units
from petri.report.tables import row_name
from petri.result import Result
from petri.result.export import unpack
from petri.result.history import History

if TYPE_CHECKING:
    from petri.analysis.dead import Lack
    from petri.report.lacks import Reason

_LEVEL: Final = 0.95


@dataclass(frozen=True)
class RunRecord:
    """`net` and `history` are None where a result does not tell them; `reasons` say why its net died.

    occupancy: for each place, the share of time with 0, 1, 2 … tokens; None if the run did not record it.
    gaps: the first values of some measures, in the order of their events.
    """

    data: Mapping[str, Any]
    units: Units
    net: Net | None = None
    history: History | None = None
    reasons: tuple[Reason, ...] = ()
    occupancy: tuple[tuple[float, ...], ...] | None = None
    gaps: Mapping[str, Floats] = field(default_factory=dict)

    def time(self, value: float | None) -> str:
        return self.units.show(value, "Time")

    @property
    def verdicts(self) -> list[Mapping[str, Any]]:
        """All expectations, those of measures first."""
        found = [one for measure in self.data["measures"] for one in measure["expectations"]]
        return [*found, *self.data["expectations"]]


@dataclass(frozen=True, slots=True)
class Group:
    """A row of places or transitions: one of them, or all elements of an array.

    figures: intervals by name; for an array, the average without an interval. spread: for an array, the least and the
    greatest element, by name. members: their indices in the net.
    """

    name: str
    members: tuple[int, ...]
    figures: Mapping[str, Interval]
    spread: Mapping[str, tuple[float, float]]

    @property
    def copies(self) -> int:
        return len(self.members)


def of_result(result: Result) -> RunRecord:
    from petri.result.export import result_dict

    return replace(of_dict(result_dict(result)), net=result.net)  # which knows where its texts are


def of_dict(data: Mapping[str, Any]) -> RunRecord:
    """The record of a result's JSON. Raises KeyError, TypeError or ValueError if it is something else."""
    more = unpack(data["packed"]) if "packed" in data else None
    seconds = data.get("seconds")
    return RunRecord(
        data,
        Units.named(None if seconds is None else float(seconds), str(data.get("time_unit", ""))),
        None if more is None else more.net,
        None if more is None else more.history,
        () if more is None or not more.lacks else tuple(_reasons(more.net, more.lacks)),
        None if more is None else more.occupancy,
    )


def _reasons(net: Net, lacks: Sequence[Lack]) -> list[Reason]:
    from petri.report.lacks import reasons

    try:
        return reasons(net, lacks)
    except (IndexError, AssertionError) as error:
        raise ValueError("the transitions and places of which it says what they lack") from error


def interval(entry: Mapping[str, Any] | None) -> Interval:
    """The interval that `export.interval_dict` wrote."""
    if entry is None:
        return Interval(math.nan, math.nan, _LEVEL, 1)
    longer = math.nan
    if "longer" in entry:
        longer = math.inf if entry["longer"] is None else float(entry["longer"])
    value, half_width, statistic = real(entry["value"]), real(entry["half_width"]), entry.get("statistic", "mean")
    return Interval(value, half_width, _LEVEL, int(entry["n"]), longer, statistic)


def real(value: float | None) -> float:
    """nan if there is none."""
    return math.nan if value is None else float(value)


def groups(rows: Iterable[Mapping[str, Any]], *, fold: bool = True) -> list[Group]:
    """The rows of a table of places or transitions; with `fold`, an array is one row."""
    listed = list(rows)
    found: dict[str, list[int]] = {}
    for index, row in enumerate(listed):
        found.setdefault(row_name(str(row["name"])) if fold else str(row["name"]), []).append(index)
    columns = [name for name in listed[0] if name != "name"] if listed else []
    return [_group(listed, name, members, columns) for name, members in found.items()]


def _group(rows: list[Mapping[str, Any]], name: str, members: list[int], columns: list[str]) -> Group:
    if len(members) == 1:
        row = rows[members[0]]
        return Group(str(row["name"]), (members[0],), {column: interval(row[column]) for column in columns}, {})
    figures, spread = {}, {}
    for column in columns:
        values = np.array([real(rows[index][column]["value"]) for index in members])
        average = float(values.max() if column == "maximum" else values.mean())
        figures[column] = Interval(average, math.nan, _LEVEL, int(rows[members[0]][column]["n"]))
        spread[column] = (float(values.min()), float(values.max()))
    return Group(name, tuple(members), figures, spread)
