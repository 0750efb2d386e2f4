"""Random nets that have a chain: the random nets of the engines' tests, with other times and draws."""

from __future__ import annotations

from typing import Literal

from petri.catalogue.operations import OPERATIONS
from petri.exact.timing import ENDLESS
from petri.net import Clock, Expr, Match, Net, OutputArc, Transition
from petri.structs import replace
from tests.engine.joins import joining_net
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net

ZERO = Expr("const", "real", value=0.0)


def real(value: float) -> Expr:
    return Expr("const", "real", value=value)


def drawing(op: str, *values: float) -> Expr:
    kinds = [parameter.kind or "real" for parameter in OPERATIONS[op].parameters]
    args = [Expr("const", kind, value=value) for kind, value in zip(kinds, values, strict=True)]
    return Expr(op, "real", tuple(args))


def initial_outputs(net: Net) -> tuple[OutputArc, ...]:
    """Return arcs that give each place its initial tokens."""
    return tuple(
        OutputArc(
            (number,),
            tuple(Expr("const", slot.kind, value=value) for slot, value in zip(place.colour.slots, token, strict=True)),
            count=Expr("const", "int", value=held),
        )
        for number, place in enumerate(net.places)
        for held, token in place.initial
    )


Times = Literal["exponential", "ticks", "turns"]


def solvable_net(seed: int, times: Times = "exponential") -> Net:
    """Draw a net. times: exponential stages and some clocks; constants and geometric times; or any of these."""
    choose = Random(seed)
    net = joining_net(choose) if seed % 3 == 0 else chosen_net(choose)
    return replace(
        net,
        transitions=tuple(_transition(choose, net, t, times) for t in net.transitions),
        places=tuple(replace(place, stream=None) for place in net.places),
        probes=(),
        measures=(),
    )


def _transition(choose: Random, net: Net, t: Transition, times: Times) -> Transition:
    draws = tuple(
        replace(draw, expression=plain(choose, draw.expression, t.variables[draw.variable].kind)) for draw in t.draws
    )
    t = replace(
        t,
        draws=draws,
        guard=t.guard and plain(choose, t.guard),
        time=ZERO if any(arc.each is not None for arc in t.outputs) else time(choose, times),
        clock=None,
        inputs=tuple(
            replace(arc, count=arc.count and plain(choose, arc.count), pattern=pattern(choose, arc.pattern))
            for arc in t.inputs
        ),
        inhibitors=tuple(replace(arc, pattern=pattern(choose, arc.pattern)) for arc in t.inhibitors),
        outputs=tuple(
            replace(
                arc,
                delay=None,
                values=tuple(plain(choose, value) for value in arc.values),
                count=arc.count and plain(choose, arc.count),
                index=arc.index and plain(choose, arc.index),
                condition=arc.condition and plain(choose, arc.condition),
            )
            for arc in t.outputs
        ),
        prefer=t.prefer
        and replace(t.prefer, key=plain(choose, t.prefer.key), then=t.prefer.then and plain(choose, t.prefer.then)),
    )
    has_lines = any(net.places[arc.place].per for arc in t.inputs)  # clocks do not take from these
    if times == "ticks" or not choose.chance(4) or has_lines:
        return t
    tokens = Expr("real", "real", (Expr("tokens", "int", value=0),))
    means = (real(choose.number(1, 9) / 4.0), Expr("add", "real", (real(0.5), tokens)))
    coloured = any(arc.pattern for arc in t.inputs)
    servers = 1 if coloured else choose.one((1, 2, None))
    speed = choose.one((None, None, tokens, real(0.0), real(2.0)))
    clock = Clock(Expr("exp", "real", (choose.one(means),)), servers=servers, speed=speed)
    return replace(t, time=ZERO, clock=clock)


def pattern(choose: Random, old: tuple[Match, ...]) -> tuple[Match, ...]:
    return tuple(replace(one, equal=one.equal and plain(choose, one.equal)) for one in old)


def time(choose: Random, times: Times) -> Expr:
    if choose.chance(3):
        return ZERO
    if times == "ticks" or (times == "turns" and choose.chance(2)):
        if choose.chance(4):
            return Expr("mul", "real", (real(float(choose.number(1, 3))), drawing("geometric", choose.one((0.5, 1.0)))))
        return real(float(choose.number(1, 3)))
    mean = choose.number(1, 9) / 4.0
    if times == "turns" and choose.chance(3):
        return Expr("add", "real", (real(float(choose.number(1, 3))), drawing("exp", mean)))
    tokens = Expr("add", "real", (real(0.5), Expr("real", "real", (Expr("tokens", "int", value=0),))))
    return choose.one(
        (
            drawing("exp", mean),
            drawing("exp", mean),
            drawing("erlang", 2, mean),
            drawing("hyperexponential", mean, 1.5),
            Expr("exp", "real", (tokens,)),
            Expr("add", "real", (drawing("exp", mean), drawing("exp", 2.0))),
            Expr("mul", "real", (real(0.5), drawing("exp", mean))),
        )
    )


def plain(choose: Random, e: Expr, kind: str = "") -> Expr:
    """Return the expression without the time, and with draws that have few outcomes."""
    if e.op in ENDLESS:
        chance = Expr("bernoulli", "int", (real(choose.number(0, 4) / 4.0),))
        if choose.chance(2):  # it draws in some states alone
            is_crowded = Expr("gt", "bool", (Expr("tokens", "int", value=0), Expr("const", "int", value=1)))
            chance = Expr("if", "int", (is_crowded, chance, Expr("const", "int", value=1)))
        return chance if e.kind == "int" else Expr("real", "real", (chance,))
    if e.op in ("now", "end"):
        return real(1.5)
    return replace(e, args=tuple(plain(choose, arg) for arg in e.args))
