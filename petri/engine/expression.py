"""The value of a flat net's expressions, computed by walking them (rules E8, R3, X1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from petri import portable
from petri.catalogue.operations import OPERATIONS as CATALOGUE
from petri.engine.distributions import DRAWS, interpolated
from petri.engine.errors import ModelError
from petri.engine.random import RandomStream
from petri.net import Expr, OutputArc, Scalar, Table
from petri.structs import Struct
from petri.ticks import HORIZON, NEVER

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


class Context(Struct):
    """What an expression may refer to. `stream` is None where random draws are not allowed."""

    variables: Sequence[Scalar]
    tokens: Callable[[int], int] = lambda place: 0
    now: float = 0.0
    end: float = 0.0
    stream: RandomStream | None = None
    tables: Sequence[Table] = ()


def evaluate(e: Expr, context: Context) -> Scalar:
    """Return the value of `e`: int, float, or bool. Raises ModelError (X1)."""
    special = SPECIAL.get(e.op)
    if special is not None:
        return special(e, context)
    operands = [evaluate(a, context) for a in e.args]
    if e.op in DRAWS:
        assert context.stream is not None
        return checked(e, _drawn(e, context.stream, operands))
    return checked(e, OPERATIONS[e.op](e, *operands))


def checked(e: Expr, value: Scalar) -> Scalar:
    """`value` if it is a 64-bit integer or finite, with −0.0 as 0.0."""
    if e.kind == "int":
        if not INT_MIN <= value <= INT_MAX:
            raise ModelError("int-overflow", e.span)
    elif e.kind == "real":
        if not math.isfinite(value):
            raise ModelError("not-finite", e.span)
        return value + 0.0
    return value


def key_of(key: Expr, then: Expr | None, context: Context) -> tuple[Scalar, ...]:
    """Return the value of a key; of two, the second decides among equal values of the first."""
    return tuple(evaluate(one, context) for one in (key, then) if one is not None)


def number_of(count: Expr | None, context: Context) -> int:
    """Return a number of tokens: 1 by default."""
    return 1 if count is None else int(evaluate(count, context))


def ticks_of(exact: float, now: float) -> float:
    """Return a firing time that begins at `now`, or a delay, as a whole number of ticks (S1).

    The nearest, the even one of two, and at least one where the time is positive. What would be over beyond the horizon
    never is.
    """
    whole = float(max(round(exact), 1 if exact > 0.0 else 0))
    return whole if whole <= HORIZON - now else NEVER - now  # a sum beyond the horizon is rounded


def arrival(delay: Expr, context: Context) -> float:
    """Return when the tokens of an output with this delay arrive (I11)."""
    return context.now + ticks_of(float(evaluate(delay, context)), context.now)


def destination(arc: OutputArc, context: Context) -> tuple[int, int]:
    """Return where an arc whose condition holds puts tokens, and how many.

    Nothing is checked: the engine has done that.
    """
    place = arc.places[0 if arc.index is None else int(evaluate(arc.index, context))]
    return place, number_of(arc.count, context)


def _and(e: Expr, context: Context) -> bool:
    return bool(evaluate(e.args[0], context)) and bool(evaluate(e.args[1], context))


def _or(e: Expr, context: Context) -> bool:
    return bool(evaluate(e.args[0], context)) or bool(evaluate(e.args[1], context))


def _if(e: Expr, context: Context) -> Scalar:
    return evaluate(e.args[1 if evaluate(e.args[0], context) else 2], context)


def _choice(e: Expr, context: Context) -> Scalar:
    operands = [evaluate(a, context) for a in e.args]
    values, weights = operands[::2], [float(w) for w in operands[1::2]]
    if any(w < 0.0 for w in weights) or sum(weights) <= 0.0:
        raise ModelError("bad-parameter", e.span, distribution="choice")
    assert context.stream is not None
    return values[context.stream.weighted_choice(weights)]


def _table(e: Expr, context: Context) -> Scalar:
    assert context.stream is not None
    assert isinstance(e.value, int)
    table = context.tables[e.value]
    return table.values[context.stream.weighted_choice(table.weights)]


def _empirical(e: Expr, context: Context) -> Scalar:
    assert context.stream is not None
    assert isinstance(e.value, int)
    table = context.tables[e.value]
    return checked(e, interpolated(context.stream, table.values, table.weights))


SPECIAL: dict[str, Callable[[Expr, Context], Scalar]] = {
    "const": lambda e, c: e.value if e.value is not None else 0,
    "var": lambda e, c: c.variables[int(e.value or 0)],
    "tokens": lambda e, c: c.tokens(int(e.value or 0)),
    "now": lambda e, c: c.now,
    "end": lambda e, c: c.end,
    "and": _and,
    "or": _or,
    "if": _if,
    "choice": _choice,
    "table": _table,
    "empirical": _empirical,
}


def _divide(e: Expr, a: float, b: float) -> float:
    if b == 0.0:
        raise ModelError("division-by-zero", e.span)
    return a / b


def _floor_divide(e: Expr, a: int, b: int) -> int:
    if b == 0:
        raise ModelError("division-by-zero", e.span)
    return a // b


def _modulo(e: Expr, a: int, b: int) -> int:
    if b == 0:
        raise ModelError("division-by-zero", e.span)
    return a % b


def _within(e: Expr, index: int, size: int) -> int:
    if not 0 <= index < size:
        raise ModelError("list-range", e.span, index=index, size=size)
    return index


def _to_int(e: Expr, rounding: Callable[[float], int], a: float) -> int:
    return int(checked(e, rounding(a)))


def _sqrt(e: Expr, a: float) -> float:
    if a < 0.0:
        raise ModelError("domain", e.span, function="sqrt", argument=a)
    return math.sqrt(a)


def _ln(e: Expr, a: float) -> float:
    if a <= 0.0:
        raise ModelError("domain", e.span, function="ln", argument=a)
    return portable.ln(a)


def _pow(e: Expr, a: float, b: float) -> float:
    if a < 0.0 or (a == 0.0 and b < 0.0):
        raise ModelError("domain", e.span, function="pow", argument=a)
    return portable.power(a, b)


OPERATIONS: dict[str, Callable[..., Scalar]] = {
    "neg": lambda e, a: -a,
    "add": lambda e, a, b: a + b,
    "sub": lambda e, a, b: a - b,
    "mul": lambda e, a, b: a * b,
    "div": _divide,
    "idiv": _floor_divide,
    "mod": _modulo,
    "within": _within,
    "min": lambda e, a, b: b if b < a else a,
    "max": lambda e, a, b: b if b > a else a,
    "abs": lambda e, a: abs(a),
    "real": lambda e, a: float(a),
    "ticks": lambda e, a: a * e.value,
    "units": lambda e, a: a / e.value,
    "floor": lambda e, a: _to_int(e, math.floor, a),
    "ceil": lambda e, a: _to_int(e, math.ceil, a),
    "round": lambda e, a: _to_int(e, round, a),
    "sqrt": _sqrt,
    "ln": _ln,
    "pow": _pow,
    "eq": lambda e, a, b: a == b,
    "ne": lambda e, a, b: a != b,
    "lt": lambda e, a, b: a < b,
    "le": lambda e, a, b: a <= b,
    "gt": lambda e, a, b: a > b,
    "ge": lambda e, a, b: a >= b,
    "not": lambda e, a: not a,
}


def _drawn(e: Expr, stream: RandomStream, parameters: Sequence[Scalar]) -> Scalar:
    """Return a draw from a distribution whose parameters must be in its domain (X1)."""
    drawn = CATALOGUE[e.op]
    if not drawn.holds(*parameters):
        values = {parameter.name: value for parameter, value in zip(drawn.parameters, parameters, strict=True)}
        raise ModelError("bad-parameter", e.span, distribution=e.op, **values)
    value: Scalar = DRAWS[e.op](stream, *parameters)
    return int(value) if e.kind == "int" and value < 2**63 else value
