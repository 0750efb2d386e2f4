"""The tick of a net, and its flat net with every time as a whole number of ticks (rules S1 and S7).

Flattening leaves constants that have time in their dimension as they were written (`ExactTime`). When all of them are
known, the tick is chosen so that it divides each time that is not random, and they become numbers of ticks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from petri import net
from petri.language.meaning.nodes import ExactTime
from petri.language.problems import Problems
from petri.net import Expr, Net, Transition
from petri.structs import Struct, field, replace
from petri.ticks import HORIZON, Tick, time_power
from petri.tokens import compact

FINENESS = 2**20  # the tick is at most this part of the least time of the net, so that random times keep their shape
ROOM = 2**10  # a run may be this many times as long as the net's own `run` line before time ends
LEAST_ROOM = 4  # the same, where exact constants leave no more
FINEST = 2**24  # constants may make the tick this part of the least time; what would make it finer is rounded

T = TypeVar("T")
RANDOM = frozenset(("exp", "uniform", "erlang", "lognormal", "pareto", "choice", "table"))
_VALUED = frozenset(("choice",))  # draws whose values are constants, not parameters


class Times(Struct):
    """The constant times of a net, in its time unit: those that have to be exact, where they are, and all."""

    exact: dict[Fraction, Expr] = field(default_factory=dict)
    every: set[Fraction] = field(default_factory=set)

    def add(self, value: Fraction, where: Expr, random: bool) -> None:
        if value:
            self.every.add(abs(value))
            if not random:
                self.exact.setdefault(abs(value), where)


def clocked(flat: Net, chosen: Fraction | None, problems: Problems) -> Net:
    """The net in ticks. `chosen` is the tick that the net asks for, in its time unit.

    Warns of each constant time that is not a whole number of ticks.
    """
    times = _times(flat)
    tick = chosen or tick_of(times, flat.run_defaults)
    _warn_inexact(times, tick, flat.time_unit, problems)
    return _Clock(flat, tick).whole_net()


# ---------------------------------------------------------------- finding the tick


def tick_of(times: Times, run: net.RunDefaults) -> Fraction:
    """The greatest common divisor of the exact times, divided by a power of two as far as a run of the net allows."""
    if not times.every:
        return Fraction(1)
    least = min(times.every)
    length = Fraction(run.until) if run.until is not None and math.isfinite(run.until) else Fraction(0)
    common = _divisor(times.exact, max(least / FINEST, LEAST_ROOM * length / HORIZON)) or least
    tick = common
    while tick > least / FINENESS and tick / 2 * HORIZON >= ROOM * length:
        tick /= 2
    return tick


def _divisor(times: dict[Fraction, Expr], finest: Fraction) -> Fraction | None:
    """What divides the times, simple ones first; a time that would make it finer than `finest` is left out."""
    common: Fraction | None = None
    for time in sorted(times, key=lambda value: (value.denominator, value)):
        joined = time if common is None else greatest_common_divisor(common, time)
        if joined >= finest:
            common = joined
    return common


def greatest_common_divisor(a: Fraction, b: Fraction) -> Fraction:
    """The greatest fraction of which both are whole multiples."""
    above = math.gcd(a.numerator * b.denominator, b.numerator * a.denominator)
    return Fraction(above, a.denominator * b.denominator)


def _warn_inexact(times: Times, tick: Fraction, unit: str, problems: Problems) -> None:
    for time, where in times.exact.items():
        ticks = time / tick
        if ticks.denominator != 1:
            error = abs(ticks - _whole(ticks)) * tick
            values = {name: _shown(value, unit) for name, value in (("value", time), ("error", error), ("tick", tick))}
            problems.report("inexact-time", where.span, {**values, "unit": unit or None}, severity="warning")


def _shown(time: Fraction, unit: str) -> str:
    return f"{float(time):.6g} {unit}".strip()


def _times(flat: Net) -> Times:
    times = Times()
    seen: set[tuple[int, bool]] = set()
    for transition in flat.transitions:
        for expression, is_time in _expressions(transition):
            _collect(expression, times, seen, random=False, plain=is_time and flat.seconds is None)
    return times


def _collect(e: Expr, times: Times, seen: set[tuple[int, bool]], *, random: bool, plain: bool) -> None:
    """The constant times in an expression. In a net without a time unit (`plain`) any constant of a time is one.

    Bytes over a constant rate are whole multiples of the time of one byte, so this time is among them.
    """
    if not e.args:
        value = e.value
        if isinstance(value, ExactTime) and value.power == 1:
            times.add(value.exact, e, random)
        elif isinstance(value, ExactTime) and value.power == -1 and value.exact and not random:
            times.add(1 / value.exact, e, random)
        elif plain and e.op == "const" and e.kind == "real":
            times.add(Fraction(value or 0), e, random)
        return
    if (id(e), random) in seen:
        return
    seen.add((id(e), random))
    if e.op in _VALUED:
        values, others = e.args[::2], e.args[1::2]
    else:
        random = random or e.op in RANDOM
        values, others = e.args, ()
    for part in values:
        _collect(part, times, seen, random=random, plain=plain and part.kind == "real")
    for part in others:
        _collect(part, times, seen, random=True, plain=False)


def _expressions(t: Transition) -> Iterator[tuple[Expr, bool]]:
    """The expressions of a transition, and whether each is its firing time."""
    yield t.time, True
    yield from ((draw.expression, False) for draw in t.draws)
    if t.guard is not None:
        yield t.guard, False
    patterns = (*(arc.pattern for arc in t.inputs), *(arc.pattern for arc in t.inhibitors))
    for pattern in patterns:
        yield from ((match.equal, False) for match in pattern if match.equal is not None)
    for output in t.outputs:
        yield from ((value, False) for value in output.values)


# ---------------------------------------------------------------- into ticks


class _Clock:
    """Rewrites a net; what transitions share is rewritten once, and what does not change stays the same object."""

    def __init__(self, flat: Net, tick: Fraction) -> None:
        self.flat = flat
        self.tick = tick
        self.plain = flat.seconds is None
        self.known: dict[int, tuple[object, object]] = {}  # by id: what it was, which so stays alive, and what it is

    def whole_net(self) -> Net:
        tick = Tick(self.tick.numerator, self.tick.denominator)
        return replace(
            self.flat,
            places=tuple([self.place(place) for place in self.flat.places]),
            transitions=tuple([self.transition(transition) for transition in self.flat.transitions]),
            probes=tuple([self.struct(probe) for probe in self.flat.probes]),
            tick=tick,
        )

    def place(self, place: net.Place) -> net.Place:
        slots = place.colour.slots
        powers = [time_power(slot.dimension) for slot in slots]
        if self.plain or not any(powers):
            return place if place.key is None else replace(place, key=self.expression(place.key))
        initial = tuple([(n, tuple(map(self.stored, token, powers))) for n, token in place.initial])
        return replace(
            place,
            colour=self.colour(place.colour),
            key=None if place.key is None else self.expression(place.key),
            initial=compact(initial),
        )

    def colour(self, colour: net.Colour) -> net.Colour:
        """With the bounds of its slots in ticks."""
        return self.once(colour, lambda: replace(colour, slots=tuple([self.slot(slot) for slot in colour.slots])))

    def slot(self, slot: net.Slot) -> net.Slot:
        power = time_power(slot.dimension)
        low, high = (None if bound is None else self.stored(bound, power) for bound in (slot.low, slot.high))
        return replace(slot, low=low, high=high)

    def stored(self, value: net.Scalar, power: int) -> net.Scalar:
        """A number of the net's time unit as one of ticks."""
        if power == 0:
            return value
        exact = Fraction(value) / self.tick**power
        return float(_whole(exact)) if power == 1 else float(exact)

    def transition(self, t: Transition) -> Transition:
        """With its expressions in ticks, and its constant time a whole number of them."""
        changed: Transition = self.struct(t)
        time = self.firing_time(changed.time)
        return changed if time is changed.time else replace(changed, time=time)

    def firing_time(self, time: Expr) -> Expr:
        """A firing time in ticks, whole if it is constant. Where time has no unit, what is written is in time units."""
        per_unit = 1 / self.tick if self.plain else Fraction(1)
        if time.op != "const":
            return Expr("ticks", "real", (time,), float(per_unit), time.span) if self.plain else time
        if not time.value:
            return time
        return Expr("const", "real", (), float(_whole(Fraction(time.value) * per_unit)), time.span)

    def struct(self, value: Any) -> Any:
        """Arcs, patterns, draws, events: whatever holds expressions."""
        if isinstance(value, Expr):
            return self.expression(value)
        if isinstance(value, tuple):
            parts = [self.struct(part) for part in value]
            return value if all(map(_is, parts, value)) else tuple(parts)
        if isinstance(value, _HOLDERS):
            return self.once(value, lambda: self.fields(value))
        return value

    def fields(self, value: Any) -> Any:
        names = _HOLDING[type(value)]
        changes = {name: new for name in names if (new := self.struct(old := getattr(value, name))) is not old}
        return replace(value, **changes) if changes else value

    def expression(self, e: Expr) -> Expr:
        return self.once(e, lambda: self.rewritten(e))

    def rewritten(self, e: Expr) -> Expr:
        args = tuple([self.expression(arg) for arg in e.args])
        value = e.value
        if isinstance(value, ExactTime):
            value = float(value.exact / self.tick**value.power)
        if self.plain and e.op in ("now", "end"):
            return Expr("units", "real", (e,), float(1 / self.tick), e.span)
        if value is e.value and all(map(_is, args, e.args)):
            return e
        return Expr(e.op, e.kind, args, value, e.span)

    def once(self, value: T, make: Callable[[], T]) -> T:
        """What `make` gives for this very object, made when it is first asked for."""
        found = self.known.get(id(value))
        if found is None:
            found = self.known[id(value)] = (value, make())
        return found[1]  # type: ignore[return-value]


_HOLDING: dict[type, Sequence[str]] = {
    Transition: ("inputs", "inhibitors", "guard", "draws", "time", "outputs"),
    net.InputArc: ("pattern",),
    net.InhibitorArc: ("pattern",),
    net.OutputArc: ("values",),
    net.Match: ("equal",),
    net.Draw: ("expression",),
    net.Event: ("key",),
    net.Counter: ("quantity",),
    net.Sample: ("value",),
    net.Passage: ("start", "end"),
    net.Order: ("event", "sequence"),
}
_HOLDERS = tuple(_HOLDING)


def _is(one: object, other: object) -> bool:
    return one is other


def _whole(ticks: Fraction) -> int:
    """The nearest whole number, the even one of two; what is not zero does not become zero."""
    nearest = round(ticks)
    return nearest or (ticks > 0) - (ticks < 0)
