"""Several copies of a net side by side: transitions that differ only in the places they name, and share their code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri.net import (
    Clock,
    Content,
    Draw,
    Event,
    Expr,
    InhibitorArc,
    InputArc,
    Match,
    Net,
    Order,
    OutputArc,
    Passage,
    Place,
    Preference,
    Probe,
    Sample,
    SetArc,
    Transition,
    Watched,
)
from petri.structs import replace


def several(net: Net, copies: int) -> Net:
    """So many copies, without measures."""
    return beside([net] * copies)


def beside(nets: Sequence[Net]) -> Net:
    """Nets of as many places and transitions side by side, without measures. The rest is the first one's."""
    places, transitions = len(nets[0].places), len(nets[0].transitions)
    copies = [Copy(number, number * places, number * transitions) for number in range(len(nets))]
    return replace(
        nets[0],
        places=tuple(copy.place(place) for copy, net in zip(copies, nets, strict=True) for place in net.places),
        transitions=tuple(
            copy.transition(transition)
            for copy, net in zip(copies, nets, strict=True)
            for transition in net.transitions
        ),
        measures=(),
        expectations=(),
        probes=tuple(copy.probe(probe) for copy, net in zip(copies, nets, strict=True) for probe in net.probes),
    )


@dataclass(frozen=True)
class Copy:
    """One of the copies; the numbers of its places begin at `first`, those of its transitions at `first_transition`."""

    number: int
    first: int
    first_transition: int

    def place(self, place: Place) -> Place:
        return replace(place, name=f"{place.name}[{self.number}]")

    def transition(self, transition: Transition) -> Transition:
        return replace(
            transition,
            name=f"{transition.name}[{self.number}]",
            inputs=tuple(self.input(arc) for arc in transition.inputs),
            inhibitors=tuple(self.inhibitor(arc) for arc in transition.inhibitors),
            sets=tuple(self.set(arc) for arc in transition.sets),
            resets=tuple(self.first + place for place in transition.resets),
            guard=self.expression(transition.guard),
            prefer=self.preference(transition.prefer),
            draws=tuple(Draw(draw.variable, self.moved(draw.expression)) for draw in transition.draws),
            time=self.moved(transition.time),
            weight=self.moved(transition.weight),
            outputs=tuple(self.output(arc) for arc in transition.outputs),
            clock=self.clock(transition.clock),
        )

    def clock(self, clock: Clock | None) -> Clock | None:
        return clock and replace(clock, time=self.moved(clock.time), speed=self.expression(clock.speed))

    def preference(self, prefer: Preference | None) -> Preference | None:
        if prefer is None:
            return None
        return replace(prefer, key=self.moved(prefer.key), then=self.expression(prefer.then))

    def input(self, arc: InputArc) -> InputArc:
        return replace(
            arc,
            place=self.first + arc.place,
            pattern=self.pattern(arc.pattern),
            count=self.expression(arc.count),
        )

    def set(self, arc: SetArc) -> SetArc:
        totals = tuple(replace(total, value=self.moved(total.value)) for total in arc.totals)
        return replace(arc, place=self.first + arc.place, condition=self.expression(arc.condition), totals=totals)

    def inhibitor(self, arc: InhibitorArc) -> InhibitorArc:
        return replace(
            arc,
            place=self.first + arc.place,
            pattern=self.pattern(arc.pattern),
            threshold=self.expression(arc.threshold),
        )

    def output(self, arc: OutputArc) -> OutputArc:
        return replace(
            arc,
            places=tuple(self.first + place for place in arc.places),
            values=tuple(self.moved(value) for value in arc.values),
            index=self.expression(arc.index),
            count=self.expression(arc.count),
            condition=self.expression(arc.condition),
            delay=self.expression(arc.delay),
        )

    def pattern(self, pattern: tuple[Match, ...]) -> tuple[Match, ...]:
        return tuple(replace(match, equal=self.expression(match.equal)) for match in pattern)

    def expression(self, e: Expr | None) -> Expr | None:
        return None if e is None else self.moved(e)

    def moved(self, e: Expr) -> Expr:
        value = e.value + self.first if e.op == "tokens" and e.value is not None else e.value
        return replace(e, args=tuple(self.moved(arg) for arg in e.args), value=value)

    def probe(self, probe: Probe) -> Probe:
        if isinstance(probe, Passage):
            return replace(probe, start=self.event(probe.start), end=self.event(probe.end))
        if isinstance(probe, Order):
            return replace(probe, event=self.event(probe.event), sequence=self.moved(probe.sequence))
        if isinstance(probe, Sample):
            return self.sample(probe)
        if isinstance(probe, Content):
            return replace(probe, place=self.first + probe.place, value=self.moved(probe.value))
        if isinstance(probe, Watched):
            return Watched(self.moved(probe.value), tuple(self.first_transition + one for one in probe.firings))
        moved = replace(probe, transition=self.first_transition + probe.transition)
        return replace(moved, quantity=self.expression(moved.quantity))

    def sample(self, sample: Sample) -> Sample:
        return replace(
            sample,
            transition=None if sample.transition is None else self.first_transition + sample.transition,
            place=None if sample.place is None else self.first + sample.place,
            value=self.moved(sample.value),
            condition=self.expression(sample.condition),
            others=tuple(map(self.sample, sample.others)),
        )

    def event(self, event: Event) -> Event:
        others = tuple(map(self.event, event.others))
        event = replace(event, key=tuple(self.moved(key) for key in event.key), others=others)
        if event.transition is not None:
            return replace(event, transition=self.first_transition + event.transition)
        return event if event.place is None else replace(event, place=self.first + event.place)
