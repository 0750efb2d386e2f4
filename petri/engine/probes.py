"""Declared measures on the reference engine: an observer that feeds the net's probes (rules M4 and M6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from petri import net as flat
from petri.engine.expression import Context, evaluate
from petri.engine.observer import Observer
from petri.engine.statistics import Level
from petri.measure.histogram import Histogram
from petri.measure.passage import Passages
from petri.measure.reorder import Reordering
from petri.net import Event, Expr, Net, Scalar, Token
from petri.structs import replace

Key = tuple[int | str, ...]


class ProbeState:
    """Observes the events that it names; by itself none."""

    def started(self, transition: int, context: Context) -> None:
        """Note that a firing starts."""

    def arrived(self, place: int, context: Context) -> None:
        """Note that a token has been deposited; the variables are its slots."""

    def ended(self, transition: int) -> None:
        """Note that a firing has ended."""

    def over(self, context: Context) -> None:
        """Note that an instant is over; there are no variables."""

    def restart(self, now: float) -> None:
        """End the warm-up."""

    def snapshot(self, now: float) -> dict[str, Any]:
        """Return everything since, as `petri.measure.observation` describes it; times in ticks."""
        raise NotImplementedError


def key_of(expressions: Sequence[Expr], context: Context) -> Key:
    """Return the values, with integers and reals distinguished: 1 and 1.0 are different keys."""
    values = [evaluate(expression, context) for expression in expressions]
    return tuple(value.hex() if isinstance(value, float) else int(value) for value in values)


class CounterState(ProbeState):
    def __init__(self, probe: flat.Counter) -> None:
        self.probe = probe
        self.restart(0.0)

    def started(self, transition: int, context: Context) -> None:
        if transition == self.probe.transition:
            quantity = self.probe.quantity
            self.sum += 1.0 if quantity is None else float(evaluate(quantity, context))

    def restart(self, now: float) -> None:
        self.sum = 0.0

    def snapshot(self, now: float) -> dict[str, Any]:
        return {"sum": self.sum}


class SampleState(ProbeState):
    def __init__(self, probe: flat.Sample) -> None:
        self.samples = (probe, *probe.others)
        self.restart(0.0)

    def started(self, transition: int, context: Context) -> None:
        self.happened(lambda sample: sample.transition == transition, context)

    def arrived(self, place: int, context: Context) -> None:
        self.happened(lambda sample: sample.place == place, context)

    def happened(self, is_it: Callable[[flat.Sample], bool], context: Context) -> None:
        for sample in filter(is_it, self.samples):
            if sample.condition is None or evaluate(sample.condition, context):
                self.values.add(float(evaluate(sample.value, context)))

    def restart(self, now: float) -> None:
        self.values = Histogram()

    def snapshot(self, now: float) -> dict[str, Any]:
        return self.values.snapshot()


class PassageState(ProbeState):
    """An event that is both end and start ends one passage, then starts the next."""

    def __init__(self, probe: flat.Passage, tick: flat.Tick) -> None:
        self.starts = probe.start.every
        self.ends = probe.end.every
        self.passages = Passages(tick=tick)

    def started(self, transition: int, context: Context) -> None:
        self.happened(lambda event: event.transition == transition, context)

    def arrived(self, place: int, context: Context) -> None:
        self.happened(lambda event: event.place == place, context)

    def happened(self, is_it: Callable[[Event], bool], context: Context) -> None:
        for event in filter(is_it, self.ends):
            self.passages.end(key_of(event.key, context), context.now)
        for event in filter(is_it, self.starts):
            self.passages.start(key_of(event.key, context), context.now)

    def restart(self, now: float) -> None:
        self.passages.restart(now)

    def snapshot(self, now: float) -> dict[str, Any]:
        return self.passages.snapshot(now)


class OrderState(ProbeState):
    def __init__(self, probe: flat.Order) -> None:
        self.event: Event = probe.event
        self.kinds = [part.kind for part in probe.event.key]
        self.sequence = probe.sequence
        self.order = Reordering(
            modulo=probe.modulo,
            displacement_threshold=probe.displacement_threshold,
            buffer_threshold=probe.buffer_threshold,
        )

    def started(self, transition: int, context: Context) -> None:
        if transition == self.event.transition:
            self.arrive(context)

    def arrived(self, place: int, context: Context) -> None:
        if place == self.event.place:
            self.arrive(context)

    def arrive(self, context: Context) -> None:
        key = key_of(self.event.key, context)
        self.order.arrive(key, int(evaluate(self.sequence, context)), context.now)

    def restart(self, now: float) -> None:
        self.order.restart()

    def snapshot(self, now: float) -> dict[str, Any]:
        return self.order.snapshot()


class Whole:
    """The value of an expression as a whole number: of parts, where it is real."""

    def __init__(self, value: Expr) -> None:
        self.value = value
        self.parts = flat.CONTENT_PARTS if value.kind == "real" else 1.0

    def of(self, context: Context) -> int:
        value = evaluate(self.value, context)
        if isinstance(value, float):
            return round(min(max(value, -flat.MOST_CONTENT), flat.MOST_CONTENT) * self.parts)
        return int(value)


class ContentState(ProbeState):
    """The sum of a value over the tokens of a place, as a whole number."""

    def __init__(self, probe: flat.Content) -> None:
        self.place, self.value = probe.place, Whole(probe.value)
        self.level = Level()

    def begin(self, net: Net) -> None:
        """Begin with the initial tokens. Raises ModelError if one has no value."""
        initial = net.places[self.place].initial
        self.level = Level(sum(count * self.value.of(Context(token)) for count, token in initial))

    def arrived(self, place: int, context: Context) -> None:
        if place == self.place:
            self.level.change(self.level.value + self.value.of(context), int(context.now))

    def left(self, token: Token, now: float) -> None:
        self.level.change(self.level.value - self.value.of(Context(token)), int(now))

    def restart(self, now: float) -> None:
        self.level.restart(int(now))

    def snapshot(self, now: float) -> dict[str, Any]:
        integral, _ = self.level.at(int(now))
        parts = self.value.parts
        return {"integral": float(integral) / parts, "max": float(self.level.maximum) / parts}


class WatchedState(ProbeState):
    """A value of the marking, read at the end of each instant at which something happens (M6)."""

    def __init__(self, probe: flat.Watched) -> None:
        self.value, self.firings = Whole(probe.value), probe.firings
        self.running = [0] * len(probe.firings)
        self.now = self.integral = self.since = self.window = 0
        self.seen: list[int] = []  # the values since the window began
        self.first: int | None = None  # when the value was not 0 for the first time

    def started(self, transition: int, context: Context) -> None:
        self.run(transition, 1)

    def ended(self, transition: int) -> None:
        self.run(transition, -1)

    def run(self, transition: int, more: int) -> None:
        self.running = [n + more * (one == transition) for n, one in zip(self.running, self.firings, strict=True)]

    def over(self, context: Context) -> None:
        self.become(self.value.of(replace(context, variables=self.running)), int(context.now))

    def become(self, value: int, now: int) -> None:
        self.integral = self.integral_at(now)
        self.now, self.since = value, now
        self.seen = [min([value, *self.seen]), max([value, *self.seen])]
        if value and self.first is None:
            self.first = now

    def integral_at(self, now: int) -> int:
        return self.integral + self.now * (now - self.since)

    def restart(self, now: float) -> None:
        known, self.window = bool(self.seen), int(now)
        self.seen, self.first = [], None
        if known:
            self.become(self.now, int(now))
        self.integral = 0

    def snapshot(self, now: float) -> dict[str, Any]:
        parts = self.value.parts
        least, greatest = (value / parts for value in self.seen or (math.nan, math.nan))
        first = math.nan if self.first is None else float(self.first - self.window)
        return {"integral": float(self.integral_at(int(now))) / parts, "max": greatest, "min": least, "first": first}


def probe_of(probe: flat.Probe, tick: flat.Tick) -> ProbeState:
    match probe:
        case flat.Counter():
            return CounterState(probe)
        case flat.Sample():
            return SampleState(probe)
        case flat.Passage():
            return PassageState(probe, tick)
        case flat.Order():
            return OrderState(probe)
        case flat.Content():
            return ContentState(probe)
        case flat.Watched():
            return WatchedState(probe)


class Probes(Observer):
    """All probes of a net, in order. `tokens` returns the number of tokens in a place; the engine's owner sets it."""

    def __init__(self, net: Net) -> None:
        self.probes = [probe_of(probe, net.tick) for probe in net.probes]
        self.contents = [probe for probe in self.probes if isinstance(probe, ContentState)]
        self.net = net
        self.tokens: Callable[[int], int] = lambda place: 0

    def begin(self) -> None:
        """Begin the run. Raises ModelError if a measure has no value for an initial token."""
        for content in self.contents:
            content.begin(self.net)

    def changed(self, place: int, size: int, now: float) -> None:
        for content in self.contents:
            if content.place == place and size == 0:
                content.level.change(0, int(now))  # perhaps many tokens at once, by a reset

    def left(self, place: int, token: Token, now: float) -> None:
        for content in self.contents:
            if content.place == place:
                content.left(token, now)

    def started(self, transition: int, variables: Sequence[Scalar], now: float, end: float) -> None:
        context = Context(variables, self.tokens, now, end, None, self.net.tables)
        for probe in self.probes:
            probe.started(transition, context)

    def ended(self, transition: int, now: float) -> None:
        for probe in self.probes:
            probe.ended(transition)

    def arrived(self, place: int, token: Token, now: float) -> None:
        context = Context(token, self.tokens, now, now, None, self.net.tables)
        for probe in self.probes:
            probe.arrived(place, context)

    def over(self, now: float) -> None:
        context = Context((), self.tokens, now, now, None, self.net.tables)
        for probe in self.probes:
            probe.over(context)

    def restart(self, now: float) -> None:
        """End the warm-up: figures start again; the memory of the probes is kept."""
        for probe in self.probes:
            probe.restart(now)

    def snapshots(self, now: float) -> tuple[dict[str, Any], ...]:
        """Return one snapshot for each probe of the net."""
        return tuple(probe.snapshot(now) for probe in self.probes)
