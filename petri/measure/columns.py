"""The standard figures of every place and transition (M1, M2), by name, for one window."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from petri.measure import reorder
from petri.measure.intervals import Statistic
from petri.measure.observation import Floats, Observation, beyond_doubles
from petri.net import Net, Term


@beyond_doubles
def quotients(above: Floats, below: Floats | float) -> Floats:
    """The quotient, element by element; nan where the divisor is 0, infinite where it is too large for a double."""
    divisor = np.broadcast_to(np.asarray(below, dtype=np.float64), np.shape(above))
    result = np.full(np.shape(above), math.nan)
    np.divide(above, divisor, out=result, where=divisor != 0)
    return result


def utilisations(seen: Observation) -> Floats:
    resource = (seen.initial > 0) & (seen.maximum <= seen.initial)
    used = 1.0 - quotients(quotients(seen.integral, seen.elapsed), seen.initial.astype(np.float64))
    return np.where(resource, used, math.nan)


PLACE_COLUMNS: Mapping[str, Callable[[Observation], Floats]] = {
    "mean": lambda seen: quotients(seen.integral, seen.elapsed),
    "maximum": lambda seen: seen.maximum.astype(np.float64),
    "occupied": lambda seen: quotients(seen.nonempty, seen.elapsed),
    "arrivals": lambda seen: seen.arrivals.astype(np.float64),
    "arrival_rate": lambda seen: quotients(seen.arrivals.astype(np.float64), seen.elapsed),
    "sojourn": lambda seen: quotients(seen.integral, seen.arrivals.astype(np.float64)),
    "utilisation": utilisations,
}

TRANSITION_COLUMNS: Mapping[str, Callable[[Observation], Floats]] = {
    "firings": lambda seen: seen.firings.astype(np.float64),
    "rate": lambda seen: quotients(seen.firings.astype(np.float64), seen.elapsed),
    "in_progress": lambda seen: quotients(seen.in_progress, seen.elapsed),
    "active": lambda seen: quotients(seen.active, seen.elapsed),
}

EXTREMES: Mapping[str, Statistic] = {
    "maximum": "greatest",
    "max": "greatest",
    "min": "least",
    **dict.fromkeys(reorder.MAXIMA, "greatest"),
}
"""The figures that are extremes by themselves, of places and of probes, and their statistic over replications."""


def statistic(term: Term) -> Statistic:
    """What the replications of a formula give together: of a maximum the greatest, of anything else the mean.

    A maximum times a positive constant, and the greatest of several maxima, are maxima too.
    """
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


# Figures that depend on the length of the run rather than on how the net behaves have no interval from batches.
TOTALS = ("maximum", "arrivals", "firings")


def grows(net: Net, term: Term) -> bool:
    """Whether a formula is a count that grows with the length of the run, so that batches say nothing of it."""
    if term.op in ("firings", "arrivals", "counter", "max", "elapsed", "series"):
        return True
    if term.op in ("sample", "passage", "order", "content"):
        assert isinstance(term.value, tuple)
        field = term.value[1]
        return field in ("count", "sum", "integral", "min", "max") or field in reorder.COUNTERS + reorder.MAXIMA
    if term.op == "div":
        return grows(net, term.args[0]) and not grows(net, term.args[1])
    return any(grows(net, argument) for argument in term.args)
