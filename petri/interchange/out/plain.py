"""A flat net as other tools can say it: black tokens, numbers on arcs, exponential, constant and no times.

A place that always holds one token with one bounded int is a variable of some tools: `tokens` of it is then this value.
Tokens that all have the one value of their colour count as black ones.

What a net has beyond that raises LanguageError, with its line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal, NoReturn

from petri.diagnostics import Diagnostic, LanguageError
from petri.net import Clock, Expr, InputArc, Net, OutputArc, Place, Span, Transition, lasts
from petri.structs import replace

_AT_ONCE: Final = Expr("const", "real", value=0.0)


@dataclass(slots=True)
class PlainTransition:
    """Arcs are numbers by place. time: the mean of an exponential time or the constant one, in the net's unit.

    servers: None is as many as the tokens suffice for.
    """

    name: str
    of: Transition
    inputs: dict[int, int] = field(default_factory=dict)
    reads: dict[int, int] = field(default_factory=dict)
    inhibitors: dict[int, int] = field(default_factory=dict)
    outputs: dict[int, int] = field(default_factory=dict)
    sets: dict[int, Expr] = field(default_factory=dict)  # the new values of variables
    kind: Literal["immediate", "exponential", "constant"] = "immediate"
    time: Expr = field(default_factory=lambda: _AT_ONCE)
    servers: int | None = 1
    guard: Expr | None = None


@dataclass(slots=True)
class Plain:
    """format: the name of the format, for messages."""

    net: Net
    sources: Mapping[str, str]
    format: str
    times: bool = True
    variables: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # by their places: bounds, and first value
    transitions: list[PlainTransition] = field(default_factory=list)

    def refuse(self, what: str, span: Span | None) -> NoReturn:
        raise LanguageError([Diagnostic("export-construct", span, {"what": what, "format": self.format})], self.sources)


def plain(net: Net, sources: Mapping[str, str], format: str, *, times: bool = True, variables: bool = False) -> Plain:
    """Make a plain net. times: the format has them; else all are left out, and the writer says of which transitions.

    variables: the format has bounded variables.
    """
    made = Plain(with_ends(net) if times else net, sources, format, times)
    for number, place in enumerate(made.net.places):
        variable = _variable(place) if variables else None
        if variable is not None:
            made.variables[number] = variable
        elif any(slot.low is None or slot.low != slot.high for slot in place.colour.slots):
            made.refuse(f"the coloured tokens of `{place.name}`", place.span)
    made.transitions = [_transition(made, transition) for transition in made.net.transitions]
    return made


def _variable(place: Place) -> tuple[int, int, int] | None:
    """Return the bounds and the value of the one token of a place;

    None if it has another number of them, or other values.
    """
    (slot, *others), first = place.colour.slots or (None,), list(place.initial)
    if slot is None or others or slot.kind != "int" or slot.low is None or slot.high is None:
        return None
    if (
        place.discipline != "bag"
        or len(first) != 1
        or first[0][0] != 1
        or place.capacity is not None
        or place.stream is not None
    ):
        return None
    return int(slot.low), int(slot.high), int(first[0][1][0])


def with_ends(net: Net) -> Net:
    """Return the net with two transitions for one that holds its tokens for a constant or exponential time: it starts
    at once, a place has the firings in progress, and each ends after its time.
    """
    places, starts, ends = list(net.places), list[Transition](), list[Transition]()
    for transition in net.transitions:
        held = lasts(transition)
        if (
            not held
            or transition.draws
            or any(net.places[at].capacity for output in transition.outputs for at in output.places)
        ):
            starts.append(transition)
            continue
        name = f"{transition.name}_in_progress"
        starts.append(replace(transition, time=_AT_ONCE, outputs=(OutputArc((len(places),)),)))
        into = InputArc(len(places))
        clock = Clock(transition.time, servers=None)
        ends.append(Transition(f"{transition.name}_end", inputs=(into,), outputs=transition.outputs, clock=clock))
        places.append(Place(name))
    return replace(net, places=tuple(places), transitions=(*starts, *ends)) if ends else net


def changes(one: PlainTransition) -> dict[int, int]:
    """Return how many more tokens each place has after a firing, where it is not as many."""
    places = sorted({*one.inputs, *one.outputs})
    changed = {place: one.outputs.get(place, 0) - one.inputs.get(place, 0) for place in places}
    return {place: change for place, change in changed.items() if change}


def limit(made: Plain, one: PlainTransition) -> None:
    """Say the capacities of places by inhibitor arcs."""
    for place, change in changes(one).items():
        capacity = made.net.places[place].capacity
        if capacity is not None and change > 0:
            threshold = int(capacity) - change + 1
            if threshold < 1:
                made.refuse(
                    f"a transition that never fires, because of the capacity of `{made.net.places[place].name}`",
                    one.of.span,
                )
            one.inhibitors[place] = min(threshold, one.inhibitors.get(place, threshold))


def _transition(made: Plain, of: Transition) -> PlainTransition:
    sets, asked = dict[int, Expr](), list[Expr]()
    if made.variables:
        of, sets, asked = _with_variables(made, of)
    result = PlainTransition(of.name, of, guard=of.guard, sets=sets)
    for condition in asked:
        result.guard = condition if result.guard is None else Expr("and", "bool", (result.guard, condition))
    for arc in of.inputs:
        table = result.reads if arc.keep else result.inputs
        table[arc.place] = table.get(arc.place, 0) + _number(made, arc.count, arc.span)
    for inhibitor in of.inhibitors:
        least = _number(made, inhibitor.threshold, inhibitor.span)
        result.inhibitors[inhibitor.place] = min(least, result.inhibitors.get(inhibitor.place, least))
    if of.emptied:
        made.refuse("an arc that empties a place", of.span)
    for output in of.outputs:
        if output.condition is not None or len(output.places) != 1:
            made.refuse("an output that depends on the marking", output.span)
        if output.delay is not None:
            made.refuse("an output that arrives later than the others", output.span)
        place = output.places[0]
        result.outputs[place] = result.outputs.get(place, 0) + _number(made, output.count, output.span)
    _time(made, result, of)
    return result


def _with_variables(made: Plain, of: Transition) -> tuple[Transition, dict[int, Expr], list[Expr]]:
    """Return the transition without arcs of variables, the values that these give, and the conditions on them."""
    bound, asked, taken, sets = dict[int, int](), list[Expr](), set[int](), dict[int, Expr]()

    def read(expression: Expr) -> Expr:
        """Return the expression with variables of arcs as those of the format."""
        if expression.op == "var" and expression.value in bound:
            return Expr("tokens", "int", value=bound[int(expression.value)], span=expression.span)
        if expression.op == "tokens" and expression.value in made.variables:
            return Expr("const", "int", value=1, span=expression.span)
        return replace(expression, args=tuple(map(read, expression.args))) if expression.args else expression

    arcs = [arc for arc in of.inputs if arc.place in made.variables]
    for arc in arcs:
        if arc.pattern[0].bind is not None:
            bound[arc.pattern[0].bind] = arc.place
    for arc in arcs:
        if arc.place in taken or sum(arc.place == one.place for one in arcs) > 1:
            made.refuse(f"two arcs of `{made.net.places[arc.place].name}` at a transition", arc.span)
        taken |= set() if arc.keep else {arc.place}
        if (value := arc.pattern[0].equal) is not None:
            asked.append(Expr("eq", "bool", (Expr("tokens", "int", value=arc.place), read(value))))
    outputs = [one for one in of.outputs if made.variables.keys() & set(one.places)]
    for output in outputs:
        (place, *others) = output.places
        if others or place in sets or output.condition or output.count or output.delay:
            made.refuse("an output of a value that depends on the marking", output.span)
        sets[place] = read(output.values[0])
    if sets.keys() != taken or any(arc.place in made.variables for arc in of.inhibitors):
        made.refuse("a place of values that does not always hold one token", of.span)
    guard = read(of.guard) if of.guard is not None else None
    clock = replace(of.clock, time=read(of.clock.time)) if of.clock is not None else None
    inputs = tuple(arc for arc in of.inputs if arc.place not in made.variables)
    given = tuple(one for one in of.outputs if one not in outputs)
    return replace(of, inputs=inputs, outputs=given, guard=guard, clock=clock), sets, asked


def _time(made: Plain, result: PlainTransition, of: Transition) -> None:
    if of.draws:
        made.refuse("a random draw", of.span)
    if not made.times:
        _without_time(made, result, of)
        return
    if of.clock is None:
        if of.time.op != "const" or of.time.value:
            made.refuse("a time that holds its tokens (`takes`)", of.time.span or of.span)
        return
    clock = of.clock
    if clock.memory != "restart" or clock.speed is not None:
        made.refuse("a clock that is kept, or has a speed", of.span)
    result.servers = _servers(made, of, clock)
    time = clock.time
    mean = _mean(made.net, time)
    if mean is not None:
        result.kind, result.time = "exponential", mean
    elif time.op == "const":
        result.kind = "constant"
        result.time = _in_units(made.net, time)
    else:
        made.refuse("this time", time.span or of.span)


def _without_time(made: Plain, result: PlainTransition, of: Transition) -> None:
    """Keep an exponential time of mean 1, which formats without times are read with; any other is one to leave out."""
    clock = of.clock
    if clock is not None and (clock.memory, clock.speed) == ("restart", None):
        mean = _mean(made.net, clock.time)
        if mean is not None and mean.op == "const":
            result.kind, result.time, result.servers = "exponential", mean, _servers(made, of, clock)


def _servers(made: Plain, of: Transition, clock: Clock) -> int | None:
    """Return as many as the tokens suffice for where each token has its own clock, as an activation has (T1)."""
    return None if any(made.net.places[arc.place].colour.slots for arc in of.inputs) else clock.servers


def _mean(net: Net, time: Expr) -> Expr | None:
    """Return the mean of an exponential time, in the net's unit; None for another time."""
    if time.op == "exp":
        return _in_units(net, time.args[0])
    return time.args[0].args[0] if (time.op, time.args[0].op if time.args else "") == ("ticks", "exp") else None


def _in_units(net: Net, ticks: Expr) -> Expr:
    """Return a number of ticks, in the net's unit: a time with a unit has become one where it is written."""
    match ticks.op, ticks.args:
        case "ticks", (time,):
            return time
        case "const", _:
            return replace(ticks, value=float(Fraction(ticks.value or 0) * Fraction(net.tick.length)))
        case "mul", (factor, Expr(op="const") as constant):
            return replace(ticks, args=(factor, _in_units(net, constant)))
        case (("mul" | "div"), (time, factor)):
            return replace(ticks, args=(_in_units(net, time), factor))
        case (("add" | "sub" | "min" | "max"), (left, right)):
            return replace(ticks, args=(_in_units(net, left), _in_units(net, right)))
        case "if", (condition, left, right):
            return replace(ticks, args=(condition, _in_units(net, left), _in_units(net, right)))
    length = Expr("const", "real", value=float(Fraction(net.tick.length)))
    return Expr("mul", "real", args=(ticks, length), span=ticks.span)


def _number(made: Plain, count: Expr | None, span: Span | None) -> int:
    if count is None:
        return 1
    if count.op != "const":
        made.refuse("an arc with a number that depends on the marking", span)
    return int(count.value or 0)


def rate_text(mean: float) -> str:
    """Return the rate of a mean: the short number whose mean it is, if there is one."""
    for digits in (6, 12, 15, 16, 17):
        text = f"{1 / mean:.{digits}g}"
        if float(1 / Fraction(text)) == mean:  # the language divides numbers exactly
            return text
    return repr(1 / mean)
