"""Firing times as stages: exponential ones, one after the other or by chance, and constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from petri.catalogue.operations import OPERATIONS
from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.exact.chain import Stage, Unsolvable
from petri.exact.timing import ENDLESS, without_stages
from petri.net import Expr, Scalar, operations

Stages = tuple[Stage, ...]


def is_endless(expression: Expr) -> bool:
    return any(part.op in ENDLESS for part in operations([expression]))


def stages(expression: Expr, context: Context) -> Stages:
    """Return the stages of a time in ticks, one outcome of what it draws by chance; none of a time 0.

    A constant has not been rounded. Raises Unsolvable, with the operation as `draw`, for what has no stages.
    """
    if not is_endless(expression):
        return constant(float(evaluate(expression, context)))
    phases = PHASES.get(expression.op)
    if phases is not None:
        values = [evaluate(argument, context) for argument in expression.args]
        if not OPERATIONS[expression.op].holds(*values):
            names = (parameter.name for parameter in OPERATIONS[expression.op].parameters)
            shown = dict(zip(names, values, strict=True))
            raise ModelError("bad-parameter", expression.span, distribution=expression.op, **shown)
        return phases(context, *values)
    if expression.op == "if":
        return stages(expression.args[1 if evaluate(expression.args[0], context) else 2], context)
    if expression.op == "add":
        first, second = (stages(argument, context) for argument in expression.args)
        return first + second
    factor, scaled = factor_of(expression, context)
    if factor < 0.0:
        raise ModelError("negative-time", expression.span, duration=factor)
    parts = stages(scaled, context) if factor else ()
    return tuple(part._replace(ticks=part.ticks * factor, period=part.period * factor) for part in parts)


def factor_of(expression: Expr, context: Context) -> tuple[float, Expr]:
    """Return a time as a number times a random time."""
    operands = expression.args
    if expression.op == "ticks":
        return float(expression.value or 0.0), operands[0]
    if expression.op == "real":
        return 1.0, operands[0]
    if expression.op == "units":
        return 1.0 / float(expression.value or 1.0), operands[0]
    if expression.op == "mul":
        for one, other in (operands, operands[::-1]):
            if not is_endless(one):
                return float(evaluate(one, context)), other
    if expression.op == "div" and not is_endless(operands[1]):
        divisor = float(evaluate(operands[1], context))
        if divisor == 0.0:
            raise ModelError("division-by-zero", expression.span)
        return 1.0 / divisor, operands[0]
    raise Unsolvable("exact-time", draw=without_stages([expression]))


def constant(ticks: float) -> Stages:
    return (Stage("constant", ticks),) if ticks != 0.0 else ()


def exponential(mean: float, number: int = 1) -> Stages:
    """Return so many exponentials in a row, of this mean together."""
    return (Stage("exponential", mean / number),) * number if mean > 0.0 else ()


def _hyperexponential(context: Context, mean: Scalar, cv: Scalar) -> Stages:
    square = cv * cv
    rare = 1.0 / (square + 1.0) / (1.0 + math.sqrt((square - 1.0) / (square + 1.0)))
    assert context.stream is not None
    chance = rare if context.stream.chance(rare) else 1.0 - rare
    return exponential(0.5 * mean / chance)


def _gamma(context: Context, shape: Scalar, mean: Scalar) -> Stages:
    if shape != round(shape):
        raise Unsolvable("exact-time", draw="gamma")
    return exponential(mean, round(shape))


def _weibull(context: Context, shape: Scalar, scale: Scalar) -> Stages:
    if shape != 1.0:
        raise Unsolvable("exact-time", draw="weibull")
    return exponential(scale)


PHASES: Final[dict[str, Callable[..., Stages]]] = {
    "exp": lambda context, mean: exponential(mean),
    "erlang": lambda context, k, mean: exponential(mean, k),
    "hyperexponential": _hyperexponential,
    "gamma": _gamma,
    "weibull": _weibull,
    "geometric": lambda context, p: (Stage("geometric", 1.0, 1.0, p),) if p < 1.0 else constant(1.0),
}
