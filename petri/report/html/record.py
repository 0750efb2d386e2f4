"""A run as the page shows it: the contents of `Result.to_dict`, from a result or from its JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from petri.measure.intervals import Interval
from petri.measure.observation import Floats
from petri.net import Net
from petri.report.quantities import Units
from petri.result import Result
from petri.result.export import unpack
from petri.result.history import History
from petri.result.tables import Row, row_members

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


def rows_of(data: Mapping[str, Any], kind: str, *, fold: bool = True) -> list[Row]:
    """The rows of "places" or "transitions". With `fold`, an array is one row, unless the result does not have it."""
    elements = list(data[kind])
    names = [str(one["name"]) for one in elements]
    arrays = {str(one["name"]): one for one in data.get("arrays", {}).get(kind, ())}
    made = []
    for name, members in row_members(names, fold).items():
        if len(members) > 1 and name in arrays:
            spread = {figure: (float(low), float(high)) for figure, (low, high) in arrays[name]["spread"].items()}
            made.append(Row(name, members, _figures(arrays[name]), spread))
        else:
            made += [Row(names[index], (index,), _figures(elements[index])) for index in members]
    return made


def _figures(entry: Mapping[str, Any]) -> dict[str, Interval]:
    return {name: interval(one) for name, one in entry.items() if name not in ("name", "spread")}
