"""Several copies of a net side by side: transitions that differ only in the places they name, and share their code."""

from __future__ import annotations

from dataclasses import dataclass

from petri.net import Draw, Expr, InhibitorArc, InputArc, Match, Net, OutputArc, Place, Transition
from petri.structs import replace


def several(net: Net, copies: int) -> Net:
    """So many copies, without measures and probes."""
    moved = [Copy(number, number * len(net.places)) for number in range(copies)]
    return replace(
        net,
        places=tuple(copy.place(place) for copy in moved for place in net.places),
        transitions=tuple(copy.transition(transition) for copy in moved for transition in net.transitions),
        measures=(),
        expectations=(),
        probes=(),
    )


@dataclass(frozen=True)
class Copy:
    """One of the copies; the numbers of its places begin at `first`."""

    number: int
    first: int

    def place(self, place: Place) -> Place:
        return replace(place, name=f"{place.name}[{self.number}]")

    def transition(self, transition: Transition) -> Transition:
        return replace(
            transition,
            name=f"{transition.name}[{self.number}]",
            inputs=tuple(self.input(arc) for arc in transition.inputs),
            inhibitors=tuple(self.inhibitor(arc) for arc in transition.inhibitors),
            resets=tuple(self.first + place for place in transition.resets),
            guard=self.expression(transition.guard),
            draws=tuple(Draw(draw.variable, self.moved(draw.expression)) for draw in transition.draws),
            time=self.moved(transition.time),
            outputs=tuple(self.output(arc) for arc in transition.outputs),
        )

    def input(self, arc: InputArc) -> InputArc:
        return replace(
            arc, place=self.first + arc.place, pattern=self.pattern(arc.pattern), count=self.expression(arc.count)
        )

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
        )

    def pattern(self, pattern: tuple[Match, ...]) -> tuple[Match, ...]:
        return tuple(replace(match, equal=self.expression(match.equal)) for match in pattern)

    def expression(self, e: Expr | None) -> Expr | None:
        return None if e is None else self.moved(e)

    def moved(self, e: Expr) -> Expr:
        value = e.value + self.first if e.op == "tokens" and e.value is not None else e.value
        return replace(e, args=tuple(self.moved(arg) for arg in e.args), value=value)
