"""What the terminal and the page say of a validation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from petri.report.quantities import NOTHING, Units
from petri.validation.names import short
from petri.validation.suite import FigureCheck, Validation

__all__ = ["basis", "by_origin", "counted_figures", "counted_statements", "doubt", "percent", "processor_time", "short"]

SHOWN_IN_SECONDS: Final = 90  # less than this is shown in seconds
SHOWN_IN_MINUTES: Final = 100


def basis(check: FigureCheck, units: Units) -> str:
    """What the verdict on a figure is worth: its role, and what was predicted before; "" if it has neither."""
    said = [check.role] if check.role else []
    if check.checked.predicted is not None:
        said.append(f"predicted {units.show(check.checked.predicted, check.dimension, 3)}")
    return ", ".join(said)


def by_origin(figures: Sequence[FigureCheck]) -> Iterator[tuple[str, list[FigureCheck]]]:
    """The figures in tables: what the paper states, then what is computed; each with the heading of its values."""
    for heading, stated in (("paper", True), ("computed", False)):
        found = [one for one in figures if one.of_the_paper == stated]
        if found:
            yield heading, found


def counted_figures(one: Validation) -> str:
    noisy = f", {one.noisy} too noisy to judge" if one.noisy else ""
    lines = [f"{one.found} of {len(one.figures)} stated figures within their tolerances{noisy}"]
    if len(one.tallies) > 1:
        lines.append("; ".join(f"{tally.kind}: {tally.found} of {tally.of}" for tally in one.tallies))
    lines += [
        f"{each.title}, {short(each.measure)}, {each.of} figures: root mean square of the differences "
        f"{percent(each.rms)}, median {percent(each.median)}"
        for each in one.deviations
    ]
    predicted = one.predictions
    if predicted.of:
        lines.append(
            f"{predicted.found} of {predicted.of} predictions of figures and statements not yet seen came true"
        )
    return "\n".join(lines)


def counted_statements(one: Validation) -> str:
    undecided = f", {one.undecided} undecided at this length" if one.undecided else ""
    return f"{one.holding} of {len(one.statements)} statements hold{undecided}"


def percent(share: float, sign: str = "") -> str:
    return NOTHING if math.isnan(share) else format(share, f"{sign}.1%")


def processor_time(seconds: float | None) -> str:
    """`14 min`; `–` if the time is unknown."""
    if seconds is None:
        return NOTHING
    if seconds < SHOWN_IN_SECONDS:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < SHOWN_IN_MINUTES else f"{minutes // 60} h {minutes % 60} min"


def doubt(certain: bool | None) -> str:
    """What follows a verdict that not the whole interval gives: ` (uncertain)`."""
    return " (uncertain)" if certain is False else ""
