"""Settings of an experiment from their texts, which an option of the command line and a key of a file have alike."""

from __future__ import annotations

from collections.abc import Mapping

from petri import structs
from petri.experiment.design.preparation import quantity
from petri.experiment.design.sampling import parse_value
from petri.experiment.errors import problem
from petri.measure.selection import ENDS, Best


def parse_bound(text: str) -> tuple[float, bool] | None:
    """Return a share (`2%`) or a distance (`0.001`), above 0; None if the text is neither."""
    stripped = text.strip()
    relative = stripped.endswith("%")
    value = parse_value(stripped.removesuffix("%"))
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    return (value / 100.0, True) if relative else (float(value), False)


def parse_confidence(text: str) -> float:
    """`95%` or 0.95 as a share. Raises ExperimentError."""
    parts = quantity(text)
    share = None if parts is None or parts[1] not in (None, "%") else parts[0] / (100 if parts[1] else 1)
    if share is None or not 0 < share < 1:
        raise problem("search-confidence", text=text)
    return float(share)


def parse_tolerance(text: str) -> float:
    """`1%` or 0.01 as a share below 1. Raises ExperimentError."""
    bound = parse_bound(text)
    if bound is None or bound[0] >= 1.0:
        raise problem("within-form", text=text)
    return bound[0]


def parse_best(given: Mapping[str, str], before: Best | None = None) -> Best | None:
    """Return the best point that is wanted: `greatest` or `least` with a figure, `within`, `confidence`.

    What is not given is as in `before`. None if nothing is given at all. Raises ExperimentError.
    """
    ends = [end for end in ENDS if end in given]
    if len(ends) > 1:
        raise problem("best-twice")
    best = before
    if ends:
        best = structs.replace(before or Best(""), figure=given[ends[0]], greatest=ends[0] == "greatest")
    elif best is None and given:
        raise problem("best-without-figure", name=next(iter(given)))
    if best is None:
        return None
    if "within" in given:
        bound = parse_bound(given["within"])
        if bound is None:
            raise problem("within-form", text=given["within"])
        best = structs.replace(best, within=bound[0], relative=bound[1])
    if "confidence" in given:
        best = structs.replace(best, confidence=parse_confidence(given["confidence"]))
    return best
