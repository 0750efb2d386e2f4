"""Times that tools add to PNML: TINA's intervals, and the distributions of ProM and pm4py."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, sqrt
from typing import Final

from petri.interchange.reading.foreign import Foreign, Transition
from petri.interchange.reading.infix import as_real, mean_of_rate, number_text
from petri.interchange.reading.intervals import Intervals
from petri.interchange.reading.tokens import is_number
from petri.interchange.reading.xml_tree import Element

_STOCHASTIC: Final = ("StochasticPetriNet", "StochasticPetriNets")
_MEMORY: Final = {"": "", "race (enabling memory)": "", "race (age memory)": "resume"}
_DISREGARDED: Final = ("invisible", "trainingData")


class Times:
    """Reads the times of transitions. intervals: those of transitions that have an interval, or nothing."""

    def __init__(self, foreign: Foreign, net: Element, intervals: Intervals) -> None:
        self.foreign, self.intervals = foreign, intervals
        settings = _properties(net)
        self.is_of_prom = bool(settings)  # pm4py writes none
        self.policy = settings.get("executionPolicy", "")
        if unit := settings.get("timeUnit", ""):
            foreign.comments.append(f"times in {unit}")

    def give(self, made: Transition, element: Element) -> None:
        values, delay = _properties(element), element.first("delay")
        if values.get("distributionType", "UNDEFINED") != "UNDEFINED":
            self._stochastic(made, values, element)
        elif delay is not None:
            made.clauses |= self._interval(delay)
        else:
            made.clauses |= self.intervals.without(element.span(self.foreign.file))

    def _interval(self, delay: Element) -> dict[str, str]:
        """`<interval closure="closed-open"><cn>4</cn><ci>infty</ci></interval>`"""
        span, interval = delay.span(self.foreign.file), delay.first("interval")
        bounds = [one.text.strip() for one in interval.all("cn", "ci")] if interval is not None else []
        closed = interval is None or interval.get("closure", "closed") == "closed"
        low, high = bounds if len(bounds) == 2 else ("", "")
        high = "" if high in ("infty", "inf") else high or "none"
        if not is_number(low) or (high and not is_number(high)):
            self.foreign.refuse("foreign-line", span, text=" ".join(bounds)[:80] or "delay")
        return self.intervals.within(low, high, closed, span)

    def _stochastic(self, made: Transition, values: dict[str, str], element: Element) -> None:
        span, kind = element.span(self.foreign.file), values.pop("distributionType").upper()
        parameters = [one.strip() for one in values.pop("distributionParameters", "").split(";") if one.strip()]
        priority, weight = values.pop("priority", "0"), values.pop("weight", "1")
        if not all(map(is_number, (*parameters, priority, weight))):
            self.foreign.refuse("foreign-distribution", span, name=kind)
        for key in values.keys() - _DISREGARDED:
            self.foreign.warn("foreign-unread", span, what=f"the property `{key}`")
        if kind == "IMMEDIATE":
            made.clauses |= {"priority": number_text(priority)} if float(priority) else {}
            made.weigh(number_text(weight))
            return
        said = _written(kind, parameters)
        if kind == "EXPONENTIAL" and said and self.is_of_prom:
            self.foreign.warn("foreign-mean", span)
            said = f"exp({number_text(parameters[0])})"
        if not said:
            self.foreign.refuse("foreign-distribution", span, name=kind)
        if said == "0":
            return
        made.clauses["after"] = said
        memory = "" if said.startswith("exp(") else _MEMORY.get(self.policy.lower())
        if memory is None:
            self.foreign.refuse("foreign-construct", span, what=f"the execution policy `{self.policy}`")
        made.clauses |= {"memory": memory} if memory else {}


def _properties(element: Element) -> dict[str, str]:
    """Return what ProM and pm4py say of a net or a transition."""
    tools = (one for one in element.nested if one.tag == "toolspecific" and one.attributes.get("tool") in _STOCHASTIC)
    found: dict[str, str] = {}
    for tool in tools:
        tool.seen = True
        found |= {one.get("key"): one.text.strip() for one in tool.all("property")}
    return found


def _text(value: float) -> str:
    return number_text(f"{value:.12g}")


def _normal(mean: float, deviation: float) -> str:
    """Draw a negative time again; beyond 10 deviations there are no values."""
    return f"normal({_text(mean)}, {_text(deviation)}, 0.0..{as_real(_text(mean + 10 * deviation))})"


def _lognormal(mean: float, deviation: float) -> str:
    """mean, deviation: of the logarithm."""
    square = deviation * deviation
    return f"lognormal({_text(exp(mean + square / 2))}, {_text(sqrt(exp(square) - 1))})"


def _gamma(shape: float, scale: float) -> str:
    return f"gamma({_text(shape)}, {_text(shape * scale)})"


_KNOWN: Final[dict[tuple[str, int], Callable[..., str]]] = {
    ("EXPONENTIAL", 1): lambda rate: f"exp({mean_of_rate(_text(rate))})",
    ("DETERMINISTIC", 1): _text,
    ("UNIFORM", 2): lambda low, high: f"uniform({as_real(_text(low))}..{as_real(_text(high))})",
    ("NORMAL", 2): _normal,
    ("LOGNORMAL", 2): _lognormal,
    ("GAMMA", 2): _gamma,
    ("BETA", 2): lambda a, b: f"beta({_text(a)}, {_text(b)})",
    # As pm4py has them: with a shift between two parameters.
    ("LOGNORMAL", 3): lambda deviation, shift, scale: _shifted(shift, _lognormal(log(scale), deviation)),
    ("GAMMA", 3): lambda shape, shift, scale: _shifted(shift, _gamma(shape, scale)),
}


def _shifted(shift: float, said: str) -> str:
    return f"{_text(shift)} + {said}" if shift else said


def _written(kind: str, parameters: list[str]) -> str:
    """Return a time by its name in ProM and pm4py; empty if it is not known, or has other parameters."""
    write = _KNOWN.get((kind, len(parameters)))
    try:
        return write(*map(float, parameters)) if write is not None else ""
    except (ValueError, OverflowError, ZeroDivisionError):
        return ""
