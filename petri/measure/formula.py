"""Declared measures: the value of a formula in a window, and whether an expectation is met."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from petri.measure.intervals import Interval
from petri.measure.observation import Observation, probe_figure, quotient, series_figure
from petri.net import Expectation, Term
from petri.structs import Frozen

SLACK: Final = 1e-9  # relative: the effect of rounding on a figure that is exact in theory

PLACE_FIGURES: Final[dict[str, Callable[[Observation, int], float]]] = {
    "mean": lambda seen, place: quotient(seen.integral[place], seen.elapsed),
    "max": lambda seen, place: float(seen.maximum[place]),
    "occupied": lambda seen, place: quotient(seen.nonempty[place], seen.elapsed),
    "arrivals": lambda seen, place: float(seen.arrivals[place]),
    "sojourn": lambda seen, place: quotient(seen.integral[place], seen.arrivals[place]),
    "busy": lambda seen, place: 1.0 - quotient(quotient(seen.integral[place], seen.elapsed), seen.initial[place]),
}
"""M1; the mean sojourn follows from Little's law: the average divided by the rate of arrivals."""

TRANSITION_FIGURES: Final[dict[str, Callable[[Observation, int], float]]] = {
    "firings": lambda seen, transition: float(seen.firings[transition]),
    "in_progress": lambda seen, transition: quotient(seen.in_progress[transition], seen.elapsed),
    "active": lambda seen, transition: quotient(seen.active[transition], seen.elapsed),
}
"""M2."""

ARITHMETIC: Final[dict[str, Callable[..., float]]] = {
    "neg": lambda x: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": quotient,
    "min2": lambda x, y: math.nan if math.isnan(x + y) else min(x, y),
    "max2": lambda x, y: math.nan if math.isnan(x + y) else max(x, y),
}


def evaluate(term: Term, seen: Observation) -> float:
    """The value of a measure's formula. nan means "no data": a division by 0, the mean of nothing."""
    if term.op in ARITHMETIC:
        return ARITHMETIC[term.op](*(evaluate(argument, seen) for argument in term.args))
    if term.op == "elapsed":
        return seen.elapsed
    if isinstance(term.value, tuple):
        probe, field = term.value
        if term.op == "series":
            return series_figure(seen.series.get(probe, ()), field)
        return probe_figure(seen.probes[probe], field)
    if term.value is None:
        raise ValueError(f"`{term.op}` says of nothing")
    if term.op == "const":
        return float(term.value)
    index = int(term.value)
    if term.op == "counter":
        return float(seen.probes[index]["sum"])
    return (PLACE_FIGURES | TRANSITION_FIGURES)[term.op](seen, index)


class Verdict(Frozen):
    """Whether an expectation was met: `value` `comparison` `bound`, for "==" within ±`tolerance`.

    `certain`: every value of the confidence interval gives the same verdict; None without an interval.
    """

    passed: bool
    value: float
    comparison: str
    bound: float
    tolerance: float
    certain: bool | None


def judge(expectation: Expectation, value: float, interval: Interval | None = None) -> Verdict:
    """Compare a figure with its expectation.

    The estimate alone decides: a test must not pass because its run was short and its interval wide. The interval
    only shows how far to trust the verdict. A figure without data (nan) fails. "==" passes within the expectation's
    tolerance, or within rounding (1e-9 of the bound) if that is more.
    """
    tolerance = 0.0
    if expectation.comparison == "==":
        stated = expectation.within if expectation.absolute else expectation.within * abs(expectation.bound)
        tolerance = max(stated, SLACK * abs(expectation.bound))
    passed = _holds(expectation, value, tolerance)
    certain = None
    if interval is not None and not math.isnan(interval.half_width):
        ends = [_holds(expectation, end, tolerance) for end in (interval.low, interval.high)]
        certain = all(end == passed for end in ends) and not _straddles(expectation, interval, passed)
    return Verdict(passed, value, expectation.comparison, expectation.bound, tolerance, certain)


def _holds(expectation: Expectation, value: float, tolerance: float) -> bool:
    match expectation.comparison:
        case "<":
            return value < expectation.bound
        case "<=":
            return value <= expectation.bound
        case ">":
            return value > expectation.bound
        case ">=":
            return value >= expectation.bound
        case "==":
            return abs(value - expectation.bound) <= tolerance


def _straddles(expectation: Expectation, interval: Interval, passed: bool) -> bool:
    """Whether an interval whose ends fail contains an "==" bound."""
    return expectation.comparison == "==" and not passed and interval.low <= expectation.bound <= interval.high
