"""Whether the value of an expression may break a rule: then it is needed, even if nothing asks for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from petri.catalogue.operations import NOT_NEGATIVE, OPERATIONS
from petri.net import Expr, Scalar

Range = tuple[float, float]
ALL: Final[Range] = -math.inf, math.inf


class MayFail(Exception):
    """An operation has no value for some of its operands, as far as their ranges show."""


def range_of(e: Expr, variable: Callable[[int], Range]) -> Range:
    """Bounds of the values of an expression. variable: those of a variable. Raises MayFail."""
    if e.op == "const":
        return float(e.value or 0), float(e.value or 0)
    if e.op == "var":
        return variable(int(e.value or 0))
    parts = [range_of(part, variable) for part in e.args]
    if e.op in RANGES:
        return RANGES[e.op](*parts)
    if e.op in TESTED and not TESTED[e.op](*parts):
        raise MayFail
    if OPERATIONS[e.op].draws:
        constants: list[Scalar] = [part.value for part in e.args if part.op == "const" and part.value is not None]
        if len(constants) < len(e.args) or (constants and not OPERATIONS[e.op].holds(*constants)):
            raise MayFail
    if e.kind == "bool" or e.op == "bernoulli":
        return 0.0, 1.0
    return (0.0, math.inf) if OPERATIONS[e.op].values is NOT_NEGATIVE else ALL


def _union(*parts: Range) -> Range:
    return min(low for low, _ in parts), max(high for _, high in parts)


def _product(a: Range, b: Range) -> Range:
    ends = [x * y if x and y else 0.0 for x in a for y in b]
    return min(ends), max(ends)


def _absolute(a: Range) -> Range:
    return max(a[0], -a[1], 0.0), max(-a[0], a[1])


def _remainder(a: Range, b: Range) -> Range:
    if b[0] <= 0.0:
        raise MayFail
    return a if a[0] >= 0.0 and a[1] < b[0] else (0.0, b[1] - 1.0)


def _between(a: Range, b: Range) -> Range:
    if a[1] > b[0]:
        raise MayFail
    return a[0], b[1]


def _scaled(a: Range) -> Range:
    return (0.0 if a[0] >= 0.0 else -math.inf), (0.0 if a[1] <= 0.0 else math.inf)


def _within(a: Range, b: Range) -> Range:
    if a[0] < 0.0 or a[1] >= b[0]:
        raise MayFail
    return a


RANGES: Final[dict[str, Callable[..., Range]]] = {
    "neg": lambda a: (-a[1], -a[0]),
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _product,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "abs": _absolute,
    "mod": _remainder,
    "within": _within,
    "uniform_int": _between,
    "uniform": _between,
    "ticks": _scaled,
    "units": _scaled,
    "real": lambda a: a,
    "floor": lambda a: (_rounded(a[0], math.floor), _rounded(a[1], math.floor)),
    "ceil": lambda a: (_rounded(a[0], math.ceil), _rounded(a[1], math.ceil)),
    "round": lambda a: (_rounded(a[0], round), _rounded(a[1], round)),
    "tokens": lambda: (0.0, math.inf),
    "now": lambda: (0.0, math.inf),
    "end": lambda: (0.0, math.inf),
    "if": lambda _, then, otherwise: _union(then, otherwise),
    "choice": lambda *parts: _union(*parts[::2]),
    "lt": lambda a, b: _truth(a[1] < b[0], a[0] >= b[1]),
    "le": lambda a, b: _truth(a[1] <= b[0], a[0] > b[1]),
    "gt": lambda a, b: _truth(a[0] > b[1], a[1] <= b[0]),
    "ge": lambda a, b: _truth(a[0] >= b[1], a[1] < b[0]),
    "eq": lambda a, b: _truth(a[0] == a[1] == b[0] == b[1], a[1] < b[0] or b[1] < a[0]),
    "ne": lambda a, b: _truth(a[1] < b[0] or b[1] < a[0], a[0] == a[1] == b[0] == b[1]),
    "and": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "or": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "not": lambda a: (1.0 - a[1], 1.0 - a[0]),
}


def _truth(always: bool, never: bool) -> Range:
    return float(always), float(not never)


def _rounded(end: float, how: Callable[[float], int]) -> float:
    return float(how(end)) if math.isfinite(end) else end


TESTED: Final[dict[str, Callable[..., bool]]] = {
    "div": lambda a, b: b[0] > 0.0 or b[1] < 0.0,
    "idiv": lambda a, b: b[0] > 0.0 or b[1] < 0.0,
    "sqrt": lambda a: a[0] >= 0.0,
    "ln": lambda a: a[0] > 0.0,
    "pow": lambda a, b: a[0] > 0.0,
}
