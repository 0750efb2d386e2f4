"""Measures as quotients of averages over time, which a linear programme can bound."""

from __future__ import annotations

import math

from petri.bounds.programme import ONE, Linear, plus, total
from petri.bounds.system import System
from petri.net import Counter, Sample, Term
from petri.structs import Frozen


class Quotient(Frozen):
    """above / below. totals: how often the length of the run is a factor of it; a figure of the long run has 0."""

    above: Linear
    below: Linear
    totals: int = 0

    @property
    def number(self) -> float | None:
        """The value, if it is a constant."""
        if self.totals or {*self.above, *self.below} - {ONE}:
            return None
        return self.above.get(ONE, 0.0) / self.below[ONE] if self.below.get(ONE) else None


UNIT: Linear = {ONE: 1.0}


def quotient(term: Term, system: System) -> Quotient | None:
    """Return a formula as a quotient; None where it is something else, such as a quantile or a product."""
    value = int(term.value) if isinstance(term.value, int) else -1
    match term.op:
        case "const":
            return Quotient({ONE: float(term.value)} if term.value else {}, UNIT)  # type: ignore[arg-type]
        case "elapsed":
            return Quotient(UNIT, UNIT, 1)
        case "counter":
            return _counted(system, value)
        case "firings":
            return Quotient(system.a_time_unit({system.rates[value]: 1.0}), UNIT, 1)
        case "rate":
            return Quotient(system.a_time_unit({system.rates[value]: 1.0}), UNIT)
        case "in_progress":
            return Quotient(system.progress[value], UNIT)
        case "mean":
            return Quotient({system.tokens[value]: 1.0}, UNIT)
        case "busy" if held := system.net.places[value].held:
            return Quotient(plus((1.0, UNIT), (-1.0 / held, {system.tokens[value]: 1.0})), UNIT)
        case "arrivals":
            return Quotient(_arriving(system, value), UNIT, 1)
        case "sojourn":
            return Quotient({system.tokens[value]: 1.0}, _arriving(system, value)) if system.into[value] else None
        case "sample":
            return _sampled(system, term)
        case "neg" | "add" | "sub" | "mul" | "div":
            parts = [quotient(part, system) for part in term.args]
            return None if None in parts else _combined(term.op, *parts)  # type: ignore[arg-type]
    return None


def _arriving(system: System, place: int) -> Linear:
    """Return how many tokens come to a place in a time unit."""
    return system.a_time_unit(total(system.into[place]))


def _counted(system: System, number: int) -> Quotient | None:
    probe = system.net.probes[number]
    if not isinstance(probe, Counter):
        return None
    flows = system.flows[probe.transition]
    flow = flows.rate if probe.quantity is None else flows.of(probe.quantity).linear
    return Quotient(system.a_time_unit(flow), UNIT, 1)


def _sampled(system: System, term: Term) -> Quotient | None:
    """Return the mean of the values at firings, if all of them count."""
    assert isinstance(term.value, tuple)
    number, field = term.value
    probe = system.net.probes[number]
    if not isinstance(probe, Sample) or field not in ("mean", "sum", "count"):
        return None
    every = (probe, *probe.others)
    if any(one.condition is not None or one.transition is None for one in every):
        return None
    of = [(system.flows[one.transition], one.value) for one in every if one.transition is not None]
    values = [flows.of(value).domain for flows, value in of]
    if any(math.isinf(one.low) and math.isinf(one.high) for one in values):
        return None
    counts, sums = total(flows.rate for flows, _ in of), total(flows.of(value).linear for flows, value in of)
    if field == "mean":
        return Quotient(sums, counts)
    return Quotient(system.a_time_unit(sums if field == "sum" else counts), UNIT, 1)


def _combined(op: str, a: Quotient, b: Quotient | None = None) -> Quotient | None:
    if b is None:
        return Quotient(plus((-1.0, a.above)), a.below, a.totals)
    if op in ("add", "sub"):
        sign = 1.0 if op == "add" else -1.0
        if a.totals != b.totals or a.below != b.below:
            return _shifted(a, b, sign)
        return Quotient(plus((1.0, a.above), (sign, b.above)), a.below, a.totals)
    if op == "div":
        if not b.above:
            return None
        b = Quotient(b.below, b.above, -b.totals)
    totals = a.totals + b.totals
    for one, other in ((a, b), (b, a)):
        if {*one.above, *one.below} <= {ONE}:
            factor = one.above.get(ONE, 0.0) / one.below[ONE]
            return Quotient(plus((factor, other.above)), other.below, totals)
    if a.below == UNIT and b.above == UNIT:
        return Quotient(a.above, b.below, totals)
    if b.below == UNIT and a.above == UNIT:
        return Quotient(b.above, a.below, totals)
    return None


def _shifted(a: Quotient, b: Quotient, sign: float) -> Quotient | None:
    """Return the sum of a quotient and a number."""
    if a.totals or b.totals:
        return None
    if (number := b.number) is not None:
        return Quotient(plus((1.0, a.above), (sign * number, a.below)), a.below)
    if (number := a.number) is not None:
        return Quotient(plus((sign, b.above), (number, b.below)), b.below)
    return None
