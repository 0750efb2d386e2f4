"""What of a net matters to where it goes: the rest of its tokens' values would only make states differ.

A slot of a colour, or a draw, matters if it decides what is enabled, when, with what chance, or what is given; if it
becomes a slot that matters; or if it may break a rule, such as the range of a slot. Tokens carry others for measures
alone, such as the instant at which a packet came. In the net that is explored, those have one value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from petri.exact.chain import Unsolvable
from petri.exact.failing import ALL, MayFail, Range, range_of
from petri.exact.timing import ENDLESS
from petri.net import (
    Clock,
    Content,
    Counter,
    Expr,
    InhibitorArc,
    InputArc,
    Net,
    OutputArc,
    Place,
    Probe,
    Sample,
    Scalar,
    SetArc,
    Slot,
    Transition,
    enabling_expressions,
    expressions,
    lasts,
    operations,
)
from petri.structs import Frozen, replace


class Relevant(Frozen):
    """The net that is explored, and the numbers of the probes whose values its firings and tokens still show.

    idle: the places whose tokens have values that do not matter, which are one value in this net.
    """

    net: Net
    probes: frozenset[int]
    idle: tuple[int, ...] = ()


class Needs:
    """The slots, by place, and the variables, by transition, that matter, and by whom time itself is asked for."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.slots: set[tuple[int, int]] = set()
        self.variables: set[tuple[int, int]] = set()
        self.problems: list[tuple[str, int]] = []  # the id of a message, and the transition
        self.timed: set[tuple[int, int]] = set()  # variables that only a firing time needs

    def copy(self) -> Needs:
        other = Needs(self.net)
        other.slots, other.variables = set(self.slots), set(self.variables)
        other.problems, other.timed = list(self.problems), self.timed
        return other

    def dynamics(self) -> None:
        """Add what decides where the net goes."""
        for index, place in enumerate(self.net.places):
            self.of_tokens(index, expressions(place))
            for slot in place.per:
                self.slot(index, slot)
        for index, transition in enumerate(self.net.transitions):
            arcs: list[InputArc | InhibitorArc] = [*transition.inputs, *transition.inhibitors]
            for arc in arcs:
                for slot, match in enumerate(arc.pattern):
                    if match.equal is not None:
                        self.slot(arc.place, slot)
            self.of_firings(index, enabling_expressions(transition, self.net.places))
            for taking in transition.sets:
                parts = [taking.most, taking.condition, *(total.value for total in taking.totals)]
                self.of_firings(index, parts)
                self.of_set(index, taking, parts)
            if transition.prefer is not None:
                self.of_firings(index, [transition.prefer.key, transition.prefer.then])
            if transition.clock is not None:
                self.of_firings(index, [transition.clock.time, transition.clock.speed], times=True)
            self.of_firings(index, [transition.time], times=True)
            for output in transition.outputs:
                self.of_firings(index, [output.condition, output.index, output.count])

    def breaking(self) -> None:
        """Add what may break a rule, so that the net stops."""
        found = True
        while found:
            size = len(self.slots), len(self.variables)
            for index, transition in enumerate(self.net.transitions):
                ranges = Ranges(self.net, transition)
                for draw in transition.draws:
                    if not ranges.holds(draw.expression):
                        self.variable(index, draw.variable)
                for arc in transition.outputs:
                    for slot, value in enumerate(arc.values):
                        of = [self.net.places[place].colour.slots[slot] for place in arc.places]
                        if not all(ranges.holds(value, one) for one in of):
                            for place in arc.places:
                                self.slot(place, slot)
            found = size != (len(self.slots), len(self.variables))

    def of_probe(self, probe: Probe) -> None:
        """Add what the values of a probe need."""
        if isinstance(probe, Counter):
            self.of_firings(probe.transition, [probe.quantity])
        elif isinstance(probe, Sample):
            for one in (probe, *probe.others):
                if one.transition is not None:
                    self.of_firings(one.transition, [one.value, one.condition])
        elif isinstance(probe, Content):
            self.of_tokens(probe.place, [probe.value])

    def of_tokens(self, place: int, expressions: Iterable[Expr | None]) -> None:
        for part in operations(expressions):
            if part.op == "var":
                self.slot(place, int(part.value or 0))

    def of_firings(self, transition: int, expressions: Iterable[Expr | None], times: bool = False) -> None:
        for part in operations(expressions):
            if part.op == "var":
                self.variable(transition, int(part.value or 0))
            elif part.op in ("now", "end"):
                self.problems.append(("exact-instant", transition))
            elif part.op in ENDLESS and not times:
                self.problems.append(("exact-continuous-draw", transition))

    def of_set(self, transition: int, taking: SetArc, expressions: Iterable[Expr | None]) -> None:
        """Add the slots of a set's tokens, which are variables behind those of the transition."""
        first = len(self.net.transitions[transition].variables)
        for part in operations(expressions):
            if part.op == "var" and int(part.value or 0) >= first:
                self.slot(taking.place, int(part.value or 0) - first)

    def variable(self, transition: int, variable: int) -> None:
        if (transition, variable) in self.variables:
            return
        self.variables.add((transition, variable))
        of = self.net.transitions[transition]
        for arc in of.inputs:
            for slot, match in enumerate(arc.pattern):
                if match.bind == variable:
                    self.slot(arc.place, slot)
        self.of_firings(transition, [draw.expression for draw in of.draws if draw.variable == variable])

    def slot(self, place: int, slot: int) -> None:
        if (place, slot) in self.slots:
            return
        self.slots.add((place, slot))
        for index, transition in enumerate(self.net.transitions):
            for arc in transition.outputs:
                if place in arc.places:
                    self.of_firings(index, [arc.values[slot]])
                    if arc.each is not None:
                        self.of_set(index, transition.sets[arc.each], [arc.values[slot]])


class Ranges:
    """The values that variables of a transition can have."""

    def __init__(self, net: Net, transition: Transition) -> None:
        self.slots = {
            match.bind: net.places[arc.place].colour.slots[slot]
            for arc in transition.inputs
            for slot, match in enumerate(arc.pattern)
            if match.bind is not None
        }
        self.draws = {draw.variable: draw.expression for draw in transition.draws}

    def of(self, variable: int) -> Range:
        if variable in self.draws:
            return range_of(self.draws[variable], self.of)
        return _range(self.slots[variable]) if variable in self.slots else ALL

    def holds(self, expression: Expr, slot: Slot | None = None) -> bool:
        """Return whether it always has a value, and one that the slot can have."""
        try:
            low, high = range_of(expression, self.of)
        except MayFail:
            return False
        least, greatest = ALL if slot is None else _range(slot)
        return least <= low and high <= greatest


def _range(slot: Slot) -> Range:
    return (-math.inf if slot.low is None else slot.low, math.inf if slot.high is None else slot.high)


def relevant(net: Net) -> Relevant:
    """Return the net with what matters. Raises Unsolvable where the time itself, or a continuous draw, does."""
    net = replace(net, transitions=tuple(map(_with_its_times, net.transitions)))
    needs = Needs(net)
    needs.dynamics()
    needs.breaking()
    if needs.problems:
        raise Unsolvable(*needs.problems[0])
    shown = set()
    for number, probe in enumerate(net.probes):
        wider = needs.copy()
        wider.of_probe(probe)
        if not wider.problems:
            needs = wider
            shown.add(number)
    idle = tuple(
        index
        for index, place in enumerate(net.places)
        if any((index, slot) not in needs.slots for slot in range(len(place.colour.slots)))
    )
    places = tuple(_place(place, index, needs) for index, place in enumerate(net.places))
    transitions = tuple(_transition(one, index, needs) for index, one in enumerate(net.transitions))
    return Relevant(replace(net, places=places, transitions=transitions), frozenset(shown), idle)


def whole(net: Net) -> Relevant:
    """Return the net with all values, whether they matter or not."""
    return Relevant(replace(net, transitions=tuple(map(_with_its_times, net.transitions))), frozenset())


def untimed(net: Net) -> Net:
    """Return the net with times that may be anything: each that is not 0 is exponential, which can be short or long."""
    any_time = Expr("exp", "real", (Expr("const", "real", value=1.0),))
    transitions = []
    for transition in net.transitions:
        if transition.clock is not None:
            transitions.append(replace(transition, clock=Clock(any_time, servers=transition.clock.servers)))
        elif not lasts(transition):
            transitions.append(transition)
        else:
            transitions.append(replace(transition, time=any_time))
    return replace(net, transitions=tuple(transitions))


def _with_its_times(transition: Transition) -> Transition:
    """Draw a time that is drawn first, by name, in the time itself if nothing else needs it."""
    drawn = {draw.variable: draw for draw in transition.draws}
    random = [v for v, draw in drawn.items() if any(part.op in ENDLESS for part in operations([draw.expression]))]
    for variable in random:
        uses = list(_uses(transition, variable))
        if len(uses) == 1:
            time = _substituted(transition.time, variable, drawn[variable].expression)
            draws = tuple(draw for draw in transition.draws if draw.variable != variable)
            transition = replace(transition, time=time, draws=draws)
    return transition


def _uses(transition: Transition, variable: int) -> Iterator[int]:
    """Once for each time that the firing time, or what decides a firing, mentions the variable."""
    others = [part for arc in transition.outputs for part in (arc.condition, arc.index, arc.count)]
    expressions = [transition.time, *others, *(draw.expression for draw in transition.draws)]
    for part in operations([*expressions, *others]):  # what is not the time counts twice: then it stays
        if part.op == "var" and part.value == variable:
            yield 1


def _substituted(expression: Expr, variable: int, by: Expr) -> Expr:
    if expression.op == "var" and expression.value == variable:
        return by
    return replace(expression, args=tuple(_substituted(argument, variable, by) for argument in expression.args))


def _nothing(slot: Slot) -> Scalar:
    """Return the value of a slot that does not matter."""
    value: Scalar = 0.0 if slot.kind == "real" else 0
    if slot.low is not None and slot.low > value:
        return slot.low
    return slot.high if slot.high is not None and slot.high < value else value


def _place(place: Place, index: int, needs: Needs) -> Place:
    idle = {slot for slot in range(len(place.colour.slots)) if (index, slot) not in needs.slots}
    if not idle or not place.held:
        return place
    nothing = [_nothing(slot) for slot in place.colour.slots]
    initial = [
        (count, tuple(nothing[slot] if slot in idle else value for slot, value in enumerate(token)))
        for count, token in place.initial
    ]
    return replace(place, initial=tuple(initial))


def _transition(transition: Transition, index: int, needs: Needs) -> Transition:
    draws = tuple(draw for draw in transition.draws if (index, draw.variable) in needs.variables)
    return replace(transition, draws=draws, outputs=tuple(_output(arc, needs) for arc in transition.outputs))


def _output(arc: OutputArc, needs: Needs) -> OutputArc:
    values = list(arc.values)
    for slot in range(len(values)):
        if not any((place, slot) in needs.slots for place in arc.places):
            of = needs.net.places[arc.places[0]].colour.slots[slot]
            values[slot] = Expr("const", of.kind, value=_nothing(of))
    return replace(arc, values=tuple(values))
