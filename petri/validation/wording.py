"""What the terminal and the page say of a validation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import NOTHING
from petri.report.telling.unsettled import marked, movement, note
from petri.validation.account import Deviation, Tally, came_true, deviations, statement_tallies, tallies
from petri.validation.statements import short
from petri.validation.suite import FigureCheck, Validation

SHOWN_IN_SECONDS: Final = 90  # less than this is shown in seconds
SHOWN_IN_MINUTES: Final = 100


def basis(check: FigureCheck) -> str:
    """Return what the verdict on a figure is worth: its role, and what was predicted before; "" if it has neither."""
    said = [check.role] if check.role else []
    if check.checked.predicted is not None:
        said.append(f"predicted {check.units.show(check.checked.predicted, shown_dimension(check.dimension), 3)}")
    return ", ".join(said)


def ours(check: FigureCheck, dimension: str) -> str:
    """`46 ± 12 ms !`, where our figure has not settled."""
    text = check.units.show_with_error(check.ours.mean, check.ours.half_width, dimension)
    return marked(text, check.drift is not None)


def unsettled_figures(one: Validation) -> str:
    """Return what the marks of the figures mean; "" without any."""
    return note(
        f"{check.title}: {movement(check.point, check.drift, check.dimension, check.units)}"
        for check in one.figures
        if check.drift is not None
    )


def by_origin(figures: Sequence[FigureCheck]) -> Iterator[tuple[str, list[FigureCheck]]]:
    """Yield the figures in tables: those that the paper states, then the computed ones; each with its heading."""
    for heading, stated in (("paper", True), ("computed", False)):
        found = [figure for figure in figures if figure.of_the_paper == stated]
        if found:
            yield heading, found


def counted_figures(one: Validation) -> str:
    noisy = f", {one.noisy} too noisy to judge" if one.noisy else ""
    lines = [f"{one.found} of {len(one.figures)} figures within their tolerances{noisy}", *counts(tallies(one))]
    lines += map(deviation, deviations(one))
    predicted = came_true(one)
    if predicted.of:
        lines.append(
            f"{predicted.found} of {predicted.of} predictions of figures and statements not yet seen came true"
        )
    return "\n".join(lines)


def deviation(each: Deviation) -> str:
    where = f"{each.title}{each.words and f' {each.words}'}, {short(each.measure)}, {each.of} figures"
    return (
        f"{where}: root mean square of the differences {percent(each.rms)}, median {percent(each.median)}, "
        f"greatest {percent(each.greatest)}"
    )


def counted_statements(one: Validation) -> str:
    undecided = f", {one.undecided} undecided at this length" if one.undecided else ""
    return "\n".join(
        [f"{one.holding} of {len(one.statements)} statements hold{undecided}", *counts(statement_tallies(one))]
    )


def counts(kinds: Sequence[Tally]) -> list[str]:
    """Return a line, if there are several kinds."""
    return ["; ".join(f"{kind.kind}: {kind.found} of {kind.of}" for kind in kinds)] if len(kinds) > 1 else []


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
    """Return what follows a verdict that not the whole interval gives: ` (uncertain)`."""
    return " (uncertain)" if certain is False else ""
