"""A flat net as other tools can say it: black tokens, numbers on arcs, exponential, constant and no times.

What a net has beyond that raises LanguageError, with its line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from petri.diagnostics import Diagnostic, LanguageError
from petri.net import Expr, Net, Place, Span, Transition


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
    kind: Literal["immediate", "exponential", "constant"] = "immediate"
    time: Expr = field(default_factory=lambda: Expr("const", "real", value=0.0))
    servers: int | None = 1
    guard: Expr | None = None


@dataclass(slots=True)
class Plain:
    """format: the name of the format, for messages."""

    net: Net
    sources: Mapping[str, str]
    format: str
    transitions: list[PlainTransition] = field(default_factory=list)

    def refuse(self, what: str, span: Span | None) -> NoReturn:
        raise LanguageError([Diagnostic("export-construct", span, {"what": what, "format": self.format})], self.sources)


def plain(net: Net, sources: Mapping[str, str], format: str) -> Plain:
    made = Plain(net, sources, format)
    for place in net.places:
        _check_place(made, place)
    made.transitions = [_transition(made, transition) for transition in net.transitions]
    return made


def _check_place(made: Plain, place: Place) -> None:
    if place.colour.slots:
        made.refuse(f"the coloured tokens of `{place.name}`", place.span)


def _transition(made: Plain, of: Transition) -> PlainTransition:
    result = PlainTransition(of.name, of, guard=of.guard)
    for arc in of.inputs:
        table = result.reads if arc.keep else result.inputs
        table[arc.place] = table.get(arc.place, 0) + _number(made, arc.count, arc.span)
    for inhibitor in of.inhibitors:
        least = _number(made, inhibitor.threshold, inhibitor.span)
        result.inhibitors[inhibitor.place] = min(least, result.inhibitors.get(inhibitor.place, least))
    if of.resets:
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


def _time(made: Plain, result: PlainTransition, of: Transition) -> None:
    if of.draws:
        made.refuse("a random draw", of.span)
    if of.clock is None:
        if of.time.op != "const" or of.time.value:
            made.refuse("a time that holds its tokens (`takes`)", of.time.span or of.span)
        return
    clock = of.clock
    if clock.memory != "restart" or clock.speed is not None:
        made.refuse("a clock that is kept, or has a speed", of.span)
    result.servers = clock.servers
    time = clock.time
    if time.op == "exp" and time.args[0].op == "ticks":
        result.kind, result.time = "exponential", time.args[0].args[0]
    elif time.op == "const":
        result.kind = "constant"
        result.time = Expr("const", "real", value=float(time.value or 0) * float(made.net.tick.length))
    else:
        made.refuse("this time", time.span or of.span)


def _number(made: Plain, count: Expr | None, span: Span | None) -> int:
    if count is None:
        return 1
    if count.op != "const":
        made.refuse("an arc with a number that depends on the marking", span)
    return int(count.value or 0)


def rate_text(mean: float) -> str:
    """The rate of a mean: the short number whose mean it is, if there is one."""
    for digits in (6, 12, 15, 16, 17):
        text = f"{1 / mean:.{digits}g}"
        if 1 / float(text) == mean:
            return text
    return repr(1 / mean)
