"""What is said of a net beside its figures: times that are rounded to ticks, and what may mean something else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from petri.catalogue.operations import OPERATIONS
from petri.diagnostics import Diagnostic, Severity, Value
from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate, ticks_of
from petri.engine.random import RandomStream
from petri.language.checking.doubts import doubts
from petri.measure.windows import Windows
from petri.net import Expr, Net, Scalar, Transition, is_draw, is_shared, operations, time_of, times_of
from petri.structs import Frozen
from petri.ticks import HORIZON

NEGLIGIBLE: Final = 1.0
"""Below this error [ppm], which few clocks keep themselves, it is a note and no warning."""
FINE: Final = 2**10
"""A random time whose mean has so many ticks keeps it: that of an exponential one is off by less than 1 ppm."""
UNNOTICED: Final = 1e-4
NOTICED: Final = 1e-2
"""Below these relative errors of a mean nothing is said, or a note instead of a warning."""
SHORT: Final = 64  # ticks: the mean of an exponential time is off by 0.01 %
SEVERAL: Final = 100  # firings, of whose times the mean is taken
MOST_TRANSITIONS: Final = 20_000  # of a net whose times are looked at after a run
_FEW: Final = 32  # times that are drawn to see whether their mean is short
_MANY: Final = 10_000  # the same, to see by how much it is off


class Caution(Frozen):
    """A note or a warning, as it is stored."""

    id: str
    severity: Severity
    message: str


def cautions(net: Net, windows: Windows | None = None) -> list[Diagnostic]:
    """Yield notes and warnings. windows: of the replications of a run."""
    told, random = rounding(net), coarse(net)
    known = {one.values["name"] for one in random}
    short = [time for time in short_times(net, windows) if time.values["name"] not in known]
    return [*([told] if told is not None else []), *random, *short, *doubts(net)]


def rounding(net: Net) -> Diagnostic | None:
    """Return which constant times are rounded, and by how much: None if the tick divides all of them."""
    if not net.inexact:
        return None
    worst_first = sorted(net.inexact, key=lambda one: -abs(one.ppm))
    times = [f"{_length(one.time, net)} ({one.ppm:+.3g} ppm)" for one in worst_first]
    severity: Severity = "warning" if abs(worst_first[0].ppm) >= NEGLIGIBLE else "note"
    values: dict[str, Value] = {"tick": _length(net.tick.time(1.0), net), "times": tuple(times)}
    return Diagnostic("rounded-times", values=values, severity=severity)


def _length(time: float, net: Net) -> str:
    return f"{time:.10g} {net.time_unit}".strip()


# ---------------------------------------------------------------- random times of few ticks


class Coarse(Frozen):
    """A random time in ticks: its mean, and by which part of it that of whole ticks is off."""

    mean: float
    error: float


def coarse(net: Net) -> list[Diagnostic]:
    """Random times of so few ticks that their mean is off; one for all elements of an array."""
    found: dict[int, Diagnostic | None] = {}
    for transition in net.transitions:
        for time in _random_times(transition):
            if id(time) not in found:
                found[id(time)] = _told(net, transition, time)
    return [told for told in found.values() if told is not None]


def _random_times(transition: Transition) -> Iterator[Expr]:
    """Yield the times of a transition that may have few ticks."""
    for time in times_of(transition):
        if time.op != "const" and _has_few_ticks(time, transition):
            yield time


def _has_few_ticks(time: Expr, transition: Transition) -> bool:
    """Return whether a constant that a draw is about is one."""
    scale = float(time.value or 1.0) if time.op == "ticks" else 1.0
    drawn = {draw.variable: draw.expression for draw in transition.draws}
    parts = list(operations([time]))
    parts += [
        operation for part in parts if part.op == "var" for operation in operations([drawn.get(int(part.value or 0))])
    ]
    draws = [part for part in parts if is_draw(part) and part.kind == "real"]
    inside = operations([one for part in draws for one in OPERATIONS[part.op].alike(part.args)])
    return any(0.0 < abs(float(one.value or 0)) * scale < FINE for one in inside if one.op == "const")


def _told(net: Net, transition: Transition, time: Expr) -> Diagnostic | None:
    found = _coarse(net, transition, time)
    if found is None or found.mean >= FINE or abs(found.error) < UNNOTICED:
        return None
    values: dict[str, Value] = {
        "mean": _length(float(f"{net.tick.time(found.mean):.2g}"), net),
        "rounded": _length(float(f"{net.tick.time(found.mean * (1.0 + found.error)):.2g}"), net),
        "tick": _length(net.tick.time(1.0), net),
        "name": transition.name,
    }
    severity: Severity = "warning" if abs(found.error) >= NOTICED else "note"
    return Diagnostic("coarse-time", time.span, values=values, severity=severity)


def _coarse(net: Net, transition: Transition, time: Expr) -> Coarse | None:
    """Draw the time again and again; None if it depends on more than chance."""
    try:
        few = _drawn(net, transition, time, _FEW)
        if sum(few) / len(few) >= 2 * FINE:
            return None
        exact = _drawn(net, transition, time, _MANY)
    except (ModelError, _Unknown):
        return None
    mean = _known_mean(time, transition) or sum(exact) / len(exact)
    rounded = round if is_shared(transition) else lambda one: ticks_of(one, 0.0)
    differences = [rounded(one) - one for one in exact if one < HORIZON]
    off = sum(differences) / len(exact)
    spread = math.sqrt(sum(difference * difference for difference in differences)) / len(exact)
    certain = math.copysign(max(abs(off) - 3.0 * spread, 0.0), off)
    return Coarse(mean, off / mean) if mean > 0.0 and certain else None


def _known_mean(time: Expr, transition: Transition) -> float | None:
    """Return the mean in ticks of a distribution that is given by its mean."""
    scale, drawn = (float(time.value or 1.0), time.args[0]) if time.op == "ticks" else (1.0, time)
    if drawn.op == "var":
        drawn = next(draw.expression for draw in transition.draws if draw.variable == drawn.value)
    names = [parameter.name for parameter in OPERATIONS[drawn.op].parameters] if drawn.op in OPERATIONS else []
    mean = drawn.args[names.index("mean")] if "mean" in names and OPERATIONS[drawn.op].draws else None
    return float(mean.value or 0) * scale if mean is not None and mean.op == "const" else None


def short_times(net: Net, windows: Windows | None) -> Iterator[Diagnostic]:
    """Random times that have had few ticks in a run, where what they depend on is known only then."""
    if windows is None or len(net.transitions) > MOST_TRANSITIONS:
        return
    tick = net.tick.time(1.0)
    for index, transition in enumerate(net.transitions):
        time = time_of(transition)
        if not _is_continuous(time) or (firings := windows.sums("firings", index)) < SEVERAL:
            continue
        if transition.clock is not None and not is_shared(transition) and windows.sums("dropped", index):
            continue  # how long its clocks would have run is not known
        mean = windows.sums("in_progress", index) / firings / tick
        if mean < SHORT:
            values: dict[str, Value] = {"name": transition.name, "ticks": f"{mean:.2g}", "tick": _length(tick, net)}
            yield Diagnostic("short-times", time.span, values=values, severity="warning" if mean < 1.0 else "note")


def _is_continuous(time: Expr) -> bool:
    """Return whether it is drawn, and not from certain values."""
    drawn = filter(is_draw, operations([time]))
    return any(part.kind == "real" and part.op not in ("choice", "table") for part in drawn)


class _Unknown(Exception):
    """What is asked for is known only in a run."""


def _drawn(net: Net, transition: Transition, time: Expr, number: int) -> list[float]:
    """Return times in ticks, with fractions.

    Raises ModelError, and _Unknown if they depend on tokens or on the instant.
    """
    stream, drawn = RandomStream(1, 0), {draw.variable for draw in transition.draws}
    wanted = [draw.expression for draw in transition.draws] + [time]
    for part in operations(wanted):
        if part.op in ("tokens", "now", "end") or (part.op == "var" and part.value not in drawn):
            raise _Unknown
    times = []
    for _ in range(number):
        variables: list[Scalar] = [0] * len(transition.variables)
        context = Context(variables, stream=stream, tables=net.tables)
        for draw in transition.draws:
            variables[draw.variable] = evaluate(draw.expression, context)
        times.append(max(float(evaluate(time, context)), 0.0))
    return times
