"""The tick of a net, and its flat net with every time as a whole number of ticks (rules S1 and S7).

Flattening leaves constants that have time in their dimension as they were written (`ExactTime`). When all of them are
known, the tick is chosen so that it divides each time that is not random, and they become numbers of ticks.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from petri import net
from petri.catalogue.operations import OPERATIONS
from petri.diagnostics import Value
from petri.language.flattening.ripening import reads_now
from petri.language.meaning.nodes import ExactTime, power_of
from petri.language.meaning.traced import Traced, apply, known_as
from petri.language.problems import Problems
from petri.net import HOLDING, Expr, Net, Span, Transition, is_shared, times_of
from petri.structs import Struct, field, replace
from petri.ticks import HORIZON, InTicks, Tick, time_power
from petri.tokens import compact

PARTS_OF_A_MEAN = 2**20  # ticks at least in the mean of a random time, so that it keeps its shape
PARTS_OF_A_SHARED_MEAN = 2**26  # the same where bindings share a clock: many of them make its mean short
ENOUGH = 2**10  # the part of these that a long run leaves them
PARTS_OF_A_TIME = (
    2**10
)  # the same for others, which may be multiplied by anything; and for the instants that a run asks for
_RANDOM_PARTS = (PARTS_OF_A_MEAN, PARTS_OF_A_SHARED_MEAN)

ROOM = 2**10  # a run may be this many times as long as the net's own `run` line before time ends
LEAST_ROOM = 4  # the same, where exact constants or short random times leave no more
FINEST = 2**24  # constants may make the tick this part of the least time; what would make it finer is rounded
MOST_APPROXIMATED = 64  # clocks whose periods are rounded, each to its best approximation
LONGEST, SHORTEST = Fraction(2**900), Fraction(1, 2**900)  # the tick, in the net's time unit, stays between these
BEYOND = 2**1000  # ticks: beyond any horizon, and still a float
SIMPLE = 10**13  # a float stands for the fraction that it is nearest to, if numerator times denominator is below this

WHOLE = Fraction(1)

T = TypeVar("T")
# Those whose operands are times where the value is one; of a `choice`, each value is looked at by itself.
RANDOM = frozenset(
    name
    for name, one in OPERATIONS.items()
    if one.draws and one.kind == "real" and any(p.alike for p in one.parameters)
)


Entry = tuple[Fraction, Span | None, int, bool]
"""A constant time, as `Times.add` takes it."""
Timing = tuple[Fraction, tuple[net.InexactTime, ...]]


class Times(Struct):
    """The constant times of a net, in its time unit.

    exact: those that have to be whole numbers of ticks, and where they are. bounds: the tick is at most each of these.
    random: the same for the means of random times, where a long run leaves no more room.
    """

    exact: dict[Fraction, Span | None] = field(default_factory=dict)
    bounds: set[Fraction] = field(default_factory=set)
    random: set[Fraction] = field(default_factory=set)

    def add(self, value: Fraction, where: Span | None, parts: int = PARTS_OF_A_TIME, random: bool = False) -> None:
        if not value:
            return
        self.bounds.add(abs(value) / parts)
        if random:
            self.random.add(abs(value) * ENOUGH / parts)
        else:
            self.exact.setdefault(abs(value), where)


def clocked(flat: Net, chosen: Fraction | None, problems: Problems, like: Sequence[int]) -> Net:
    """Return the net in ticks. `chosen` is the tick that the net asks for, in its time unit.

    like: for each transition the number of the first that has the same expressions, which may be its own. Warns of each
    constant time that is not a whole number of ticks.
    """
    entries = _times(flat, like)
    others = [entry[1:] for entry in entries]

    def timing(chosen: Fraction | None, until: float | None, *values: Fraction) -> Timing:
        times = Times()
        for value, other in zip(values, others, strict=True):
            times.add(value, *other)
        tick = chosen or tick_of(times, until)
        return tick, _inexact(times, tick)

    found = apply(timing, chosen, flat.run_defaults.until, *[entry[0] for entry in entries])
    tick, inexact = apply(itemgetter(0), found), apply(itemgetter(1), found)
    if type(inexact) is not Traced:
        _warn(inexact, tick, flat.time_unit, chosen is not None, problems)
    return replace(_Clock(flat, tick).whole_net(like), inexact=inexact)


# ---------------------------------------------------------------- finding the tick


def tick_of(times: Times, until: float | None) -> Fraction:
    """Return what divides the exact times, divided by a power of two as far as a run of the net allows."""
    if not times.bounds:
        return Fraction(1)
    finest = min(times.bounds)
    length = Fraction(until) if until is not None and math.isfinite(until) else Fraction(0)
    least = min(times.exact, default=finest) / FINEST
    tick = _divisor(times.exact, max(least, LEAST_ROOM * length / HORIZON))
    tick = max(times.bounds) if tick is None else _refined(times.exact, tick, max(least, ROOM * length / HORIZON))
    for bound, room in ((finest, ROOM), (min(times.random, default=tick), LEAST_ROOM)):
        while tick > bound and tick / 2 * HORIZON >= room * length:
            tick /= 2
    return min(max(tick, SHORTEST), LONGEST)


def _divisor(times: Iterable[Fraction], finest: Fraction) -> Fraction | None:
    """Return what divides the times, simple ones first; a time that would make it finer than `finest` is left out."""
    common: Fraction | None = None
    for time in sorted(times, key=lambda value: (value.denominator, value)):
        joined = time if common is None else greatest_common_divisor(common, time)
        if joined >= finest:
            common = joined
    return common


def _refined(times: Iterable[Fraction], tick: Fraction, finest: Fraction) -> Fraction:
    """Return the part of a tick, no finer than `finest`, of which the times that it does not divide are nearly
    multiples.

    Times that are multiples of one another stay so: what divides them is what is made nearly a multiple. Its best
    approximation by a fraction has an error of about the square of what the nearest of so many equal parts would have.
    """
    left = list(times)
    for _ in range(MOST_APPROXIMATED):
        left = [time for time in left if (time / tick).denominator != 1]
        divisor, parts = _divisor(left, finest), int(tick / finest)
        if divisor is None or parts < 2:
            break
        tick /= (divisor / tick).limit_denominator(parts).denominator
        left = [time for time in left if (time / divisor).denominator != 1]
    return tick


def greatest_common_divisor(a: Fraction, b: Fraction) -> Fraction:
    """Return the greatest fraction of which both are whole multiples."""
    above = math.gcd(a.numerator * b.denominator, b.numerator * a.denominator)
    return Fraction(above, a.denominator * b.denominator)


def _inexact(times: Times, tick: Fraction) -> tuple[net.InexactTime, ...]:
    """Return the constant times that are not whole numbers of ticks."""
    found = []
    for time, where in times.exact.items():
        error = _whole(time / tick) * tick - time
        if where is not None and error:
            found.append(net.InexactTime(float(time), float(10**6 * error / time), where))
    return tuple(found)


def _warn(inexact: Iterable[net.InexactTime], tick: Fraction, unit: str, chosen: bool, problems: Problems) -> None:
    for one in inexact:
        named = (("value", one.time), ("error", abs(one.error)), ("tick", float(tick)))
        values: dict[str, Value] = {name: f"{length:.10g} {unit}".strip() for name, length in named}
        values |= {"unit": unit} if chosen else {"part": "2^-24", "room": LEAST_ROOM}
        problems.report("inexact-time", one.span, values | {"ppm": f"{one.ppm:+.3g}"}, severity="warning")


def _times(flat: Net, like: Sequence[int]) -> list[Entry]:
    times: list[Entry] = []
    plain = flat.seconds is None
    collector = _Collector(flat, times)
    transitions = [flat.transitions[number] for number in sorted(set(like))]
    reads = plain and any(
        reads_now(transition.guard) or any(map(_reads_values, times_of(transition))) for transition in transitions
    )
    for transition in transitions:
        lasts, *delays = times_of(transition)
        for expression in _held(transition):
            if expression is lasts and is_shared(transition):
                collector.collect(lasts.args[0], PARTS_OF_A_SHARED_MEAN, plain)
            else:
                is_time = expression is lasts or any(expression is delay for delay in delays)
                collector.collect(expression, PARTS_OF_A_TIME, plain and (reads or is_time))
    for place in flat.places:
        for number, slot in enumerate(place.colour.slots):
            if slot.dimension == "Time" or (reads and slot.kind == "real"):
                for value in {token[number] for _, token in place.initial}:
                    times.append((simplest(value), None if plain else place.span, PARTS_OF_A_TIME, False))
    return times + _recorded(flat)


def _reads_values(e: Expr) -> bool:
    """Return whether a time without a unit depends on a number that comes from elsewhere: a draw, or a token."""
    return e.kind == "real" and (e.op == "var" or any(map(_reads_values, e.args)))


def simplest(value: net.Scalar) -> Fraction:
    """Return the fraction that a number stands for: a third for the float that is nearest to it.

    It is a convergent of the float's continued fraction, as it is closer than 1 / (2 * denominator²) (Legendre).
    """
    exact = Fraction(value)
    rest, (above, above_before), (below, below_before) = abs(exact), (1, 0), (0, 1)
    while True:
        whole = rest.numerator // rest.denominator
        above, above_before = whole * above + above_before, above
        below, below_before = whole * below + below_before, below
        if above * below > SIMPLE or rest == whole:
            return exact
        if float(Fraction(above, below)) == abs(value):
            return Fraction(above if value > 0 else -above, below)
        rest = 1 / (rest - whole)


def _recorded(flat: Net) -> list[Entry]:
    """Return the times in files, and those at which tokens come into ports: multiples of a nanosecond, and of the
    net's unit.
    """
    recorded = [place for place in flat.places if place.stream is not None or place.port == "in"]
    timed = any(slot.dimension == "Time" for place in recorded for slot in place.colour.slots)
    comes = any(place.port for place in recorded)
    if flat.seconds is None:
        return [(WHOLE, None, 1, False)] if comes else []
    nanosecond = Fraction(1, 10**9) / Fraction(repr(flat.seconds))
    return [(one, None, 1, False) for one in (WHOLE, nanosecond)] if comes or timed else []


class _Collector:
    """Looks through expressions for constant times."""

    def __init__(self, flat: Net, times: list[Entry]) -> None:
        self.flat = flat
        self.times = times
        self.seen: set[tuple[int, int, bool, Hashable]] = set()

    def collect(self, e: Expr, parts: int, plain: bool, scale: Fraction = WHOLE) -> None:
        """`parts`: ticks that a constant must have at least; `plain`: any constant is a time, as time has no unit.

        scale: by which of its values, or less, the time is a multiple.
        """
        if not e.args:
            self.constant(e, parts, plain, scale)
            return
        key = (id(e), parts, plain, known_as(scale))
        if key in self.seen:
            return
        self.seen.add(key)
        if plain and e.op == "real" and not e.args[0].args:  # an int of a token, or their number
            self.constant(e.args[0], parts, plain, scale)
        inner = PARTS_OF_A_MEAN if e.op in RANDOM else parts
        for position, arg in enumerate(OPERATIONS["choice"].alike(e.args) if e.op == "choice" else e.args):
            self.collect(arg, inner, plain and arg.kind == "real", apply(operator.mul, scale, _factor(e, position)))

    def constant(self, e: Expr, parts: int, plain: bool, scale: Fraction) -> None:
        """Bytes over a constant rate are multiples of the time of one byte, and cycles of that of one cycle."""
        value, random = e.value, parts in _RANDOM_PARTS
        found: Iterable[Fraction] = ()
        if power := power_of(value):
            if power == 1:
                found = (apply(_exact, value),)
            elif power == -1 and (exact := apply(_exact, value)):
                found, parts = (apply(operator.truediv, 1, exact),), PARTS_OF_A_TIME
        elif plain and e.op == "const" and e.kind == "real":
            found = (apply(simplest, value or 0),)
        elif plain and e.op == "table" and e.kind == "real":
            found = map(simplest, set(self.flat.tables[int(value or 0)].values))
        elif plain and e.op in ("var", "tokens") and scale != WHOLE:
            found = (WHOLE,)
        for one in found:
            self.times.append((apply(operator.mul, one, scale), e.span, parts, random))


def _exact(time: ExactTime) -> Fraction:
    return time.exact


def _factor(e: Expr, position: int) -> Fraction:
    """Return the factor of an operand in a product with a small number, or a quotient by a great one; else 1."""
    if e.op not in ("mul", "div") or (e.op == "div" and position == 1):
        return WHOLE
    other = e.args[1 - position]
    if other.op != "const" or not other.value or power_of(other.value):
        return WHOLE
    return apply(_multiplied if e.op == "mul" else _divided, other.value)  # type: ignore[no-any-return]


def _multiplied(value: net.Scalar) -> Fraction:
    return min(abs(simplest(value)), WHOLE)


def _divided(value: net.Scalar) -> Fraction:
    return min(1 / abs(simplest(value)), WHOLE)


def _held(transition: Transition) -> Iterator[Expr]:
    """Yield the expressions in a transition, in order; not those that are only shown."""
    left: list[object] = [transition]
    while left:
        part = left.pop()
        if isinstance(part, Expr):
            yield part
        elif not isinstance(part, net.Let):
            inside = part if isinstance(part, tuple) else _parts(part)
            left += [one for one in reversed(inside) if one]


# ---------------------------------------------------------------- into ticks


Known = dict[int, tuple[object, object]]
"""By the identity of an object: the object itself, which so stays alive, and what became of it."""


class _Clock:
    """Rewrites a net; what transitions share is rewritten once, and what does not change stays the same object."""

    def __init__(self, flat: Net, tick: Fraction) -> None:
        self.flat = flat
        self.tick = tick
        self.plain = flat.seconds is None
        self.known: Known = {}
        self.expressions: dict[int, Expr] = {}  # what became of those of `flat`, which keeps them alive
        self.times: Known = {}  # firing times, which are rounded or converted on top

    def whole_net(self, like: Sequence[int]) -> Net:
        return replace(
            self.flat,
            places=tuple([self.place(place) for place in self.flat.places]),
            transitions=tuple(self.transitions(like)),
            probes=tuple([self.struct(probe) for probe in self.flat.probes]),
            chances=tuple([self.chance(chance) for chance in self.flat.chances]),
            tick=apply(_tick, self.tick),
        )

    def place(self, place: net.Place) -> net.Place:
        slots = place.colour.slots
        if not slots:  # and so no values
            return place
        powers = [time_power(slot.dimension) for slot in slots]
        if self.plain or not any(powers):
            if place.key is None and place.weight is None:
                return place
            return replace(place, **self.of_tokens(place))
        initial = tuple([(n, tuple(map(self.stored, token, powers))) for n, token in place.initial])
        return replace(
            place,
            colour=self.colour(place.colour),
            **self.of_tokens(place),
            capacity=None if place.capacity is None else self.stored(place.capacity, time_power(place.measured_in)),
            initial=compact(initial),
        )

    def of_tokens(self, place: net.Place) -> dict[str, Expr | None]:
        """Return what is evaluated of each token that arrives."""
        return {
            "key": self.optional(place.key), "then": self.optional(place.then), "weight": self.optional(place.weight)
        }  # fmt: skip

    def optional(self, e: Expr | None) -> Expr | None:
        return None if e is None else self.expression(e)

    def colour(self, colour: net.Colour) -> net.Colour:
        """Return the colour with the bounds of its slots in ticks."""
        return self.once(colour, lambda: replace(colour, slots=tuple([self.slot(slot) for slot in colour.slots])))

    def slot(self, slot: net.Slot) -> net.Slot:
        power = time_power(slot.dimension)
        low, high = (None if bound is None else self.stored(bound, power) for bound in (slot.low, slot.high))
        return replace(slot, low=low, high=high)

    def stored(self, value: net.Scalar, power: int) -> net.Scalar:
        """Return a number of the net's time unit as one of ticks."""
        if power == 0:
            return value
        return apply(_stored, value, power, self.tick)  # type: ignore[no-any-return]

    def transitions(self, like: Sequence[int]) -> list[Transition]:
        """Make what is new in the first of its like new in all of them, but arcs have places of their own."""
        found: list[Transition] = []
        news: dict[int, dict[str, Any] | None] = {}  # of the first ones; None where an arc is new
        for number, (transition, first) in enumerate(zip(self.flat.transitions, like, strict=True)):
            new = news.get(first)
            if new is None:
                found.append(self.transition(transition))
                news[number] = _new(transition, found[-1])
            else:
                found.append(replace(transition, **new) if new else transition)
        return found

    def transition(self, t: Transition) -> Transition:
        """Return the transition with its expressions in ticks, and its constant times whole numbers of them."""
        changed: Transition = self.struct(t)
        time = self.once(changed.time, lambda: self.firing_time(changed.time), self.times)
        clock = None if changed.clock is None else self.clock(changed.clock)
        outputs = _unless_same(changed.outputs, [self.output(arc) for arc in changed.outputs])
        same = time is changed.time and clock is changed.clock and outputs is changed.outputs
        return changed if same else replace(changed, time=time, clock=clock, outputs=outputs)

    def output(self, arc: net.OutputArc) -> net.OutputArc:
        """Return the arc with a constant delay a whole number of ticks."""
        written = arc.delay
        if written is None:
            return arc
        delay = self.once(written, lambda: self.firing_time(written), self.times)
        return arc if delay is written else replace(arc, delay=delay)

    def clock(self, clock: net.Clock) -> net.Clock:
        time = self.once(clock.time, lambda: self.clock_time(clock.time), self.times)
        return clock if time is clock.time else replace(clock, time=time)

    def chance(self, chance: net.Chance) -> net.Chance:
        """Return the question with its time limit a whole number of ticks."""
        changed: net.Chance = self.fields(chance)
        return changed if changed.within is None else replace(changed, within=self.firing_time(changed.within))

    def clock_time(self, time: Expr) -> Expr:
        """Convert it as a firing time; but an exponential time stays one, with its mean in ticks (C4)."""
        if not self.plain or time.op != "exp":
            return self.firing_time(time)
        mean = Expr("ticks", "real", time.args, apply(_per_unit, self.tick), time.args[0].span)
        return Expr("exp", "real", (mean,), None, time.span)

    def firing_time(self, time: Expr) -> Expr:
        """Return a firing time in ticks, whole if it is constant.

        Where time has no unit, what is written is in time units.
        """
        if time.op != "const":
            return Expr("ticks", "real", (time,), apply(_per_unit, self.tick), time.span) if self.plain else time
        if not time.value:
            return time
        value = apply(_whole_time, time.value, self.tick if self.plain else None)
        return Expr("const", "real", (), value, time.span)

    def struct(self, value: Any) -> Any:
        """Arcs, patterns, draws, events: whatever holds expressions."""
        if isinstance(value, Expr):
            return self.expression(value)
        if isinstance(value, tuple):
            return _unless_same(value, [self.struct(part) for part in value])
        if isinstance(value, net.Match):  # arcs of one declaration share it
            return self.once(value, lambda: self.fields(value))
        return self.fields(value)

    def fields(self, value: Any) -> Any:
        """Most fields hold nothing: they are passed over without a call for each, and all are read at once."""
        held = zip(HOLDING.get(type(value), ()), _parts(value), strict=True)
        changes = {name: new for name, old in held if old and (new := self.struct(old)) is not old}
        return replace(value, **changes) if changes else value

    def expression(self, e: Expr) -> Expr:
        if not e.args and not power_of(e.value) and e.op not in ("now", "end"):
            return e
        found = self.expressions.get(id(e))
        if found is None:
            found = self.expressions[id(e)] = self.rewritten(e)
        return found

    def rewritten(self, e: Expr) -> Expr:
        args = tuple([self.expression(arg) for arg in e.args])
        value = e.value
        if power_of(value):
            value = apply(_in_ticks, value, self.tick)
        if self.plain and e.op in ("now", "end"):
            return Expr("units", "real", (e,), apply(_per_unit, self.tick), e.span)
        if value is e.value and all(map(_is, args, e.args)):
            return e
        return Expr(e.op, e.kind, args, value, e.span)

    def once(self, value: T, make: Callable[[], T], known: Known | None = None) -> T:
        """Return what `make` gives for this very object, made when it is first asked for."""
        known = self.known if known is None else known
        found = known.get(id(value))
        if found is None:
            found = known[id(value)] = (value, make())
        return found[1]  # type: ignore[return-value]


def _tick(length: Fraction) -> Tick:
    return Tick(length.numerator, length.denominator)


def _per_unit(tick: Fraction) -> float:
    return float(1 / tick)


def _in_ticks(time: ExactTime, tick: Fraction) -> InTicks:
    return InTicks.of(time.exact / tick**time.power, time)


def _stored(value: net.Scalar, power: int, tick: Fraction) -> float:
    exact = (simplest(value) if power == 1 else Fraction(value)) / tick**power
    return float(_whole(exact)) if power == 1 else float(exact)


def _whole_time(value: net.Scalar, tick: Fraction | None) -> InTicks:
    """Return a constant time in whole ticks. tick: of a net without a unit of time; other times are in ticks."""
    exact = Fraction(value) if tick is None else simplest(value) / tick
    written = value.written if isinstance(value, InTicks) else value
    return InTicks.of(min(_whole(exact), BEYOND), written)


_ARCS = frozenset(("inputs", "inhibitors", "sets", "outputs"))


def _getter(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda value: (get(value),)


_GETTERS = {kind: _getter(names) for kind, names in HOLDING.items()}


def _parts(value: object) -> tuple[Any, ...]:
    """Return the fields of `HOLDING`; none of what holds no expressions."""
    getter = _GETTERS.get(type(value))
    return () if getter is None else getter(value)


def _new(before: Transition, after: Transition) -> dict[str, Any] | None:
    """Return the fields that are other objects than before; None if one of them has arcs."""
    names = [name for name in HOLDING[Transition] if getattr(before, name) is not getattr(after, name)]
    return None if _ARCS.intersection(names) else {name: getattr(after, name) for name in names}


def _unless_same(before: tuple[T, ...], after: Sequence[T]) -> tuple[T, ...]:
    """Return what was there before, where nothing in it is another object."""
    return before if all(map(_is, before, after)) else tuple(after)


def _is(one: object, other: object) -> bool:
    return one is other


def _whole(ticks: Fraction) -> int:
    """Return the nearest whole number, the even one of two; what is not zero does not become zero."""
    nearest = round(ticks)
    return nearest or (ticks > 0) - (ticks < 0)
