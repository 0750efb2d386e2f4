"""Declared measures: the value of a formula in a window, and whether an expectation is met."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from petri.measure import reorder
from petri.measure.arrays import Floats
from petri.measure.catalogue import TERMS
from petri.measure.intervals import Interval, Statistic
from petri.measure.observation import Observation, beyond_doubles, probe_figure, quotient, series_figure
from petri.measure.tally import Tally
from petri.measure.windows import Windows, probe_figures
from petri.net import Expectation, Net, Term
from petri.structs import Frozen

SLACK: Final = 1e-9  # relative: the effect of rounding on a figure that is exact in theory

ARITHMETIC: Final[dict[str, Callable[..., float]]] = {
    "neg": lambda x: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": quotient,
    "min2": lambda x, y: chosen(x, y, y < x),
    "max2": lambda x, y: chosen(x, y, y > x),
}


def chosen(x: Any, y: Any, second: Any) -> Any:
    """Return the first or, where `second` holds, the second of two numbers or columns; nan where one is."""
    if np.ndim(x) or np.ndim(y):
        return np.where(np.isnan(x + y), math.nan, np.where(second, y, x))
    return math.nan if math.isnan(x + y) else y if second else x


def evaluate(term: Term, seen: Observation) -> float:
    """Return the value of a measure's formula. nan means "no data": a division by 0, the mean of nothing."""
    if term.op in ARITHMETIC:
        return ARITHMETIC[term.op](*(evaluate(argument, seen) for argument in term.args))
    if term.op == "elapsed":
        return seen.elapsed
    if term.op == "chance":
        found = tally(term, seen)
        return math.nan if found is None else found.estimate
    if term.op == "quantile":
        return evaluate(term.args[0], seen)
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
        return seen.probes[index]["sum"] * 1.0  # type: ignore[no-any-return]
    return TERMS[term.op].of(seen, index)


def is_of_nodes(term: Term) -> bool:
    """Return whether a formula reads only figures of places and transitions: it has values `across` windows."""
    plain = term.op in ("neg", "add", "sub", "mul", "div", "elapsed", "const") or term.op in TERMS
    return plain and all(map(is_of_nodes, term.args))


@beyond_doubles
def evaluate_all(term: Term, windows: Observation) -> Floats:
    """Return the values of a formula of which `is_of_nodes` holds, in a column: one for each window of `across`."""
    found: Any = evaluate(term, windows)
    return _as_column(found, len(windows.elapsed))[:, None]  # type: ignore[arg-type]


def values(term: Term, windows: Windows) -> Floats:
    """Return the value of a formula in each window [n]: the bits that `evaluate` gives of one after the other."""
    return _as_column(_values(term, windows), len(windows))


@beyond_doubles
def _values(term: Term, windows: Windows) -> Any:
    if term.op in ARITHMETIC:
        return ARITHMETIC[term.op](*(_values(argument, windows) for argument in term.args))
    if term.op == "quantile":
        return _values(term.args[0], windows)
    if is_of_nodes(term) or term.op == "counter":
        return evaluate(term, windows.across)
    if isinstance(term.value, tuple) and term.op != "series":
        return probe_figures(windows, *term.value)
    return np.array([evaluate(term, window) for window in windows])


def _as_column(found: Any, count: int) -> Floats:
    return np.array(np.broadcast_to(found, count), dtype=np.float64)


def tally(term: Term, seen: Observation) -> Tally | None:
    """Return the trials of a formula that is a probability. None of any other, and where there were no trials."""
    number = term.value
    if term.op != "chance" or not isinstance(number, int) or number >= len(seen.chances):
        return None
    return seen.chances[number]


EXTREMES: Mapping[str, Statistic] = {
    "max": "greatest",
    "min": "least",
    **dict.fromkeys(reorder.MAXIMA, "greatest"),
}
"""The figures of probes that are extremes by themselves, and their statistic over replications."""


def statistic(term: Term) -> Statistic:
    """Return what the replications of a formula give together: of a maximum the greatest, of a quantile this, else the
    mean.

    A maximum times a positive constant, and the greatest of several maxima, are maxima too.
    """
    if term.op == "quantile" and isinstance(term.value, float):
        return f"p{100.0 * term.value:.10g}"
    if isinstance(term.value, tuple):
        return EXTREMES.get(term.value[1], "mean")
    if term.op == "max":
        return "greatest"
    found = {statistic(argument) for argument in term.args}
    if term.op in ("max2", "min2"):
        return found.pop() if found == {"greatest" if term.op == "max2" else "least"} else "mean"
    scale = [argument for argument in term.args if argument.op == "const" and isinstance(argument.value, int | float)]
    scaled = [argument for argument in term.args if argument.op != "const"]
    positive = len(scaled) == 1 and len(scale) == 1 and float(scale[0].value or 0.0) > 0.0  # type: ignore[arg-type]
    if positive and (term.op == "mul" or (term.op == "div" and term.args[0] is scaled[0])):
        return statistic(scaled[0])
    return "mean"


def grows(net: Net, term: Term) -> bool:
    """Return whether a formula is a count that grows with the length of the run, so that batches say nothing of it."""
    if term.op in ("firings", "arrivals", "counter", "max", "elapsed", "series", "chance", "quantile"):
        return True
    if term.op in ("sample", "passage", "order", "content", "watched"):
        assert isinstance(term.value, tuple)
        field = term.value[1]
        return (
            field in ("count", "sum", "integral", "min", "max", "first") or field in reorder.COUNTERS + reorder.MAXIMA
        )
    if term.op == "div":
        return grows(net, term.args[0]) and not grows(net, term.args[1])
    return any(grows(net, argument) for argument in term.args)


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


Judged = tuple[Expectation, Verdict]


def judge(expectation: Expectation, value: float, interval: Interval | None = None) -> Verdict:
    """Compare a figure with its expectation.

    The estimate alone decides: a test must not pass because its run was short and its interval wide. The interval
    only shows how far to trust the verdict. A figure without data (nan) fails. "==" passes within the expectation's
    tolerance, or within rounding (1e-9 of the bound) if that is more.
    """
    tolerance = tolerance_of(expectation)
    passed = _holds(expectation, value, tolerance)
    certain = None
    if interval is not None and not math.isnan(interval.half_width):
        ends = [_holds(expectation, end, tolerance) for end in (interval.low, interval.high)]
        certain = all(end == passed for end in ends) and not _straddles(expectation, interval, passed)
    return Verdict(passed, value, expectation.comparison, expectation.bound, tolerance, certain)


def tolerance_of(expectation: Expectation) -> float:
    """Return how far from its bound an expectation with "==" is met; 0 of any other."""
    if expectation.comparison != "==":
        return 0.0
    stated = expectation.within if expectation.absolute else expectation.within * abs(expectation.bound)
    return max(stated, SLACK * abs(expectation.bound))


def limits_of(expectations: Iterable[Expectation], chance: int) -> list[float]:
    """Return the values this probability is compared with: an expectation needs its side of each."""
    found = []
    for expectation in expectations:
        if expectation.formula.op == "chance" and expectation.formula.value == chance:
            tolerance = tolerance_of(expectation)
            found += (
                [expectation.bound - tolerance, expectation.bound + tolerance] if tolerance else [expectation.bound]
            )
    return found


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
    """Return whether an interval whose ends fail contains an "==" bound."""
    return expectation.comparison == "==" and not passed and interval.low <= expectation.bound <= interval.high
