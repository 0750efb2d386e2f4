"""Checked scalar expressions that still lack the values of module parameters and loop variables.

In a `Node`, names are resolved and types are known, so a module's body is checked once. Each instance only fills in its
*locals* (parameters, constants and loop variables, by number) and its places. Constants are exact: 64-bit integers, and
fractions that are rounded once, when they become part of the flat net.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

from petri import net, portable
from petri.catalogue.operations import OPERATIONS as CATALOGUE
from petri.language.meaning.traced import Traced, apply
from petri.language.problems import CheckError, Stopped
from petri.net import Expr, Kind, Span
from petri.structs import Struct

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
DEEPEST = 200
LARGEST = 20_000
MOST_READ = 5_000_000  # operands of all operations that are read for a net
EXACT_BITS = 2048  # a fraction with longer terms is rounded to a float

Constant = int | Fraction | bool
EULER = Fraction(math.e)

# What a node depends on. LOCAL: the instance. PLACES: the marking. VARIABLE: the binding. CHANCE: a random draw.
# TAKEN: what a set arc takes.
LOCAL, PLACES, VARIABLE, NOW, END, CHANCE, TAKEN = 1, 2, 4, 8, 16, 32, 64


class Node(Struct, gc=False):
    """Be an operation of `net.Expr`, or besides:

    op      value
    local   number of a local
    argument  in a function: number of a slot of its parameters
    tokens  the place, as a `PlaceUse` or anything that the environment resolves
    counted in a measure: the places or transitions, as the environment resolves them
    firing  in a measure: an expression of the transition, with the locals and places of its instance
    truth                                       an int 0 or 1 as a bool
    item                                        index, v0, v1, …: the value of that number

    `power` is the exponent of time in the value's dimension: 1 for a time, -1 for a rate or a frequency.
    """

    op: str
    kind: Kind
    args: tuple[Node, ...] = ()
    value: object = None
    span: Span | None = None
    flags: int = 0
    depth: int = 0
    size: int = 1
    power: int = 0
    built: Expr | None = None

    @property
    def fixed(self) -> bool:
        """Whether it is constant once the locals are known."""
        return not self.flags & ~LOCAL


class Environment(Protocol):
    """The values that an instance supplies to the expressions of its module."""

    locals: list[Constant]

    @property
    def firing(self) -> Environment | None:
        """In a measure: the instance of the transition that is measured."""

    def place(self, use: object) -> int:
        """Return the index of the place meant; raises CheckError."""

    @property
    def counted(self) -> Callable[[object], Sequence[Expr]]:
        """In a measure: the tokens of the places, or the firings of the transitions, that a path names."""


_budget: ContextVar[list[float]] = ContextVar("budget", default=[math.inf])  # noqa: B039 (which no one can change)


@contextmanager
def limited() -> Iterator[None]:
    """Within it, expressions of `MOST_READ` operands are read. A short text may stand for many."""
    token = _budget.set([MOST_READ])
    try:
        yield
    finally:
        _budget.reset(token)


def operation(
    op: str, kind: Kind, args: Sequence[Node], span: Span | None, flags: int = 0, value: object = None
) -> Node:
    """Return a node over others; raises CheckError when the expression has become too large."""
    depth, size = 0, 1
    budget = _budget.get()
    budget[0] -= len(args)
    if budget[0] < 0:
        raise Stopped("too-much-to-read", span, limit=MOST_READ)
    for arg in args:
        flags |= arg.flags
        size += arg.size
        if arg.depth >= depth:
            depth = arg.depth + 1
    if depth > DEEPEST or size > LARGEST:
        raise CheckError("expression-too-large", span)
    power = _time_power(op, args) if kind == "real" else 0
    return Node(op, kind, tuple(args), value, span, flags, depth, size, power)


def _time_power(op: str, args: Sequence[Node]) -> int:
    """Return the exponent of time in the value of a real operation. A literal 0 fits any dimension and shows none."""
    if op == "mul":
        return args[0].power + args[1].power
    if op == "div":
        return args[0].power - args[1].power
    if op == "sqrt":
        return args[0].power // 2
    values = CATALOGUE[op].alike(args) if op in CATALOGUE else args
    return next((value.power for value in values if value.power), 0)


def constant(value: Constant, kind: Kind, span: Span | None = None, power: int = 0) -> Node:
    return Node("const", kind, (), value, span, power=power)


def both(first: Node | None, second: Node, span: Span) -> Node:
    """Return whether two conditions hold, of which the first may be none."""
    return second if first is None else operation("and", "bool", (first, second), span)


def with_span(node: Node, span: Span) -> Node:
    """Return the same node, with the position of its use."""
    return Node(node.op, node.kind, node.args, node.value, span, node.flags, node.depth, node.size, node.power)


def to_real(node: Node) -> Node:
    if node.op == "const":
        assert isinstance(node.value, int)
        return constant(apply(Fraction, node.value), "real", node.span)
    return operation("real", "real", (node,), node.span)


def to_slot(node: Node) -> Node:
    """Convert it to what is stored in a token: a bool is an int 0 or 1."""
    if node.kind != "bool":
        return node
    if node.op == "truth":
        return node.args[0]
    one, zero = constant(1, "int", node.span), constant(0, "int", node.span)
    return operation("if", "int", (node, one, zero), node.span)


def of_firing(node: Node) -> Node:
    """Return an expression of a transition for the measures that use it, which do not stand in its module."""
    if not node.flags & (LOCAL | PLACES):
        return node
    return operation("firing", node.kind, (node,), node.span, VARIABLE)


def truth(node: Node) -> Node:
    """Return a stored bool as a bool."""
    return operation("truth", "bool", (node,), node.span)


# ---------------------------------------------------------------- constants


def evaluate(node: Node, values: Sequence[Constant]) -> Constant:
    """Return the value of a fixed node; raises CheckError (overflow, zero division, outside the domain)."""
    op = node.op
    if op == "const":
        return node.value  # type: ignore[return-value]
    if op == "local":
        return values[node.value]  # type: ignore[call-overload,no-any-return]
    if op == "if":
        return evaluate(node.args[1 if evaluate(node.args[0], values) else 2], values)
    if op in ("and", "or"):
        first = evaluate(node.args[0], values)
        return evaluate(node.args[1], values) if bool(first) == (op == "and") else first
    operands: list[object] = []
    for arg in node.args:  # leaves first: an array has one index expression for many elements
        if arg.op == "const":
            operands.append(arg.value)
        elif arg.op == "local":
            operands.append(values[arg.value])  # type: ignore[call-overload]
        else:
            operands.append(evaluate(arg, values))
    return computed(node, operands)


def computed(node: Node, operands: Sequence[Any]) -> Constant:
    """Return what the operation of a node gives for its operands; raises CheckError."""
    for operand in operands:
        if type(operand) is Traced:
            key = (node.op, node.kind)
            return operand.recording.derive(key, partial(_compute, node), operands)  # type: ignore[no-any-return]
    return _compute(node, *operands)


def _compute(node: Node, *operands: object) -> Constant:
    return checked(OPERATIONS[node.op](node, *operands), node)


def evaluate_each(node: Node, values: list[Constant], local: int, turns: Sequence[int]) -> Sequence[int]:
    """Return the values of a whole number while one local takes those of `turns`, which are at least one.

    Raises as `evaluate` does. Most indices of large arrays are sums and remainders, which are computed for all turns at
    once.
    """
    if node.op == "local" and node.value == local:
        return turns
    if not node.flags & LOCAL or node.op == "local":
        return [int(evaluate(node, values))] * len(turns)
    if node.kind == "int" and (compute := _OF_INTS.get(node.op)):
        with suppress(ZeroDivisionError):
            found = list(map(compute, *(evaluate_each(arg, values, local, turns) for arg in node.args)))
            if min(found) >= INT_MIN and max(found) <= INT_MAX:
                return found
    found = []
    for turn in turns:
        values[local] = turn
        found.append(int(evaluate(node, values)))
    return found


def checked(value: Constant, node: Node) -> Constant:
    if node.kind == "int":
        if not INT_MIN <= value <= INT_MAX:
            raise CheckError("constant-overflow", node.span, reason="integers have 64 bits")
    elif node.kind == "real":
        assert isinstance(value, Fraction)
        if value.denominator.bit_length() > EXACT_BITS or value.numerator.bit_length() > EXACT_BITS:
            return Fraction(as_float(value, node.span))
    return value


def as_float(value: Constant, span: Span | None) -> float:
    step: Any = value
    if type(step) is Traced:
        return step.recording.derive(float, float, (step,))  # type: ignore[no-any-return]
    try:
        return float(value)
    except OverflowError:
        raise CheckError("constant-overflow", span, reason="it is too large for a real number") from None


def _real(value: float, node: Node) -> Fraction:
    if not math.isfinite(value):
        raise CheckError("constant-overflow", node.span, reason="the result is not finite")
    return Fraction(value)


def _divisor(value: Constant, node: Node) -> Constant:
    if not value:
        raise CheckError("constant-zero-division", node.span)
    return value


def _root(node: Node, x: Constant) -> Constant:
    if x < 0:
        raise CheckError("constant-domain", node.span, function="sqrt", argument=float(x))
    return _real(math.sqrt(as_float(x, node.span)), node)


def _ln(node: Node, x: Constant) -> Constant:
    if x <= 0:
        raise CheckError("constant-domain", node.span, function="ln", argument=float(x))
    return _real(portable.ln(as_float(x, node.span)), node)


def _power(node: Node, x: Constant, y: Constant) -> Constant:
    if x < 0:
        raise CheckError("constant-domain", node.span, function="pow", argument=float(x))
    return _real(portable.power(as_float(x, node.span), as_float(y, node.span)), node)


def _item(node: Node, index: Constant, *values: Constant) -> Constant:
    return values[checked_item(node, index, len(values))]


def checked_item(node: Node, index: Constant, length: int) -> int:
    """Return the number of an element; raises CheckError if the list does not have it."""
    if not 0 <= index < length:
        raise CheckError("list-index", node.span, index=int(index), last=length - 1)
    return int(index)


_OF_INTS: Mapping[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "idiv": operator.floordiv, "mod": operator.mod
}  # fmt: skip
OPERATIONS: dict[str, Callable[..., Constant]] = {
    "neg": lambda node, x: -x,
    "add": lambda node, x, y: x + y,
    "sub": lambda node, x, y: x - y,
    "mul": lambda node, x, y: x * y,
    "min": lambda node, x, y: min(x, y),
    "max": lambda node, x, y: max(x, y),
    "abs": lambda node, x: abs(x),
    "div": lambda node, x, y: x / _divisor(y, node),
    "idiv": lambda node, x, y: x // _divisor(y, node),
    "mod": lambda node, x, y: x % _divisor(y, node),
    "real": lambda node, x: Fraction(x),
    "floor": lambda node, x: math.floor(x),
    "ceil": lambda node, x: math.ceil(x),
    "round": lambda node, x: round(x),
    "sqrt": _root,
    "ln": _ln,
    "pow": _power,
    "eq": lambda node, x, y: x == y,
    "ne": lambda node, x, y: x != y,
    "lt": lambda node, x, y: x < y,
    "le": lambda node, x, y: x <= y,
    "gt": lambda node, x, y: x > y,
    "ge": lambda node, x, y: x >= y,
    "not": lambda node, x: not x,
    "truth": lambda node, x: bool(x),
    "item": _item,
    "within": checked_item,
}

# ---------------------------------------------------------------- into the flat net


def build(node: Node, environment: Environment) -> Expr:
    """Return the flat expression; nodes that do not depend on the instance are built once and shared.

    Raises CheckError.
    """
    if node.built is not None:
        return node.built
    if node.fixed:
        result = const_expr(evaluate(node, environment.locals), node.kind, node.span, node.power)
    else:
        result = _build_running(node, environment)
    if not node.flags & (LOCAL | PLACES):
        node.built = result
    return result


class ExactTime(float):
    """A constant whose dimension has time in it, until the net's tick is known (`petri.language.flattening.clock`).

    As a number it is in the net's time unit; `exact` is the same without rounding, `power` the exponent of time.
    """

    __slots__ = ("exact", "power")
    exact: Fraction
    power: int

    @classmethod
    def of(cls, value: Constant, power: int, span: Span | None) -> ExactTime:
        step: Any = value
        if type(step) is Traced:
            make = partial(cls.of, power=power, span=span)
            return step.recording.derive((cls, power), make, (step,))  # type: ignore[no-any-return]
        self = cls(as_float(value, span))
        self.exact, self.power = Fraction(value), power
        return self


def const_expr(value: Constant, kind: Kind, span: Span | None, power: int = 0) -> Expr:
    if kind == "real":
        number = ExactTime.of(value, power, span) if power else as_float(value, span)
        return Expr("const", "real", (), number, span)
    return Expr("const", kind, (), bool(value) if kind == "bool" else apply(int, value), span)


def in_units(expression: Expr, power: int) -> Expr:
    """Return an expression in ticks, with time to a power in its dimension, as one in the net's time unit."""
    if power == 0:
        return expression
    return Expr("units", "real", (expression,), ExactTime.of(Fraction(1), power, None), expression.span)


def _sum(terms: Sequence[Expr], span: Span | None) -> Expr:
    """Return the sum of ints, as a balanced tree."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return Expr("add", "int", (_sum(terms[:half], span), _sum(terms[half:], span)), None, span)


def _build_running(node: Node, environment: Environment) -> Expr:
    op = node.op
    if op == "firing":
        assert environment.firing is not None
        return build(node.args[0], environment.firing)
    if op == "counted":
        return _sum(environment.counted(node.value), node.span)
    if op == "tokens":
        return Expr("tokens", "int", (), environment.place(node.value), node.span)
    if op in ("if", "and", "or"):
        return _build_choice(node, environment)
    if op == "item" and node.args[0].fixed:
        number = checked_item(node, evaluate(node.args[0], environment.locals), len(node.args) - 1)
        return build(node.args[1 + number], environment)
    args = tuple(build(arg, environment) for arg in node.args)
    if op == "item":
        return _build_item(node, args[0], args[1:])
    if op == "truth":
        return Expr("ne", "bool", (*args, Expr("const", "int", (), 0, node.span)), None, node.span)
    if op in ("div", "idiv", "mod") and args[1].op == "const" and args[1].value == 0:
        raise CheckError("constant-zero-division", node.span)
    if op in OPERATIONS and all(arg.op == "const" for arg in args):  # an alternative turned out to be constant
        values = [apply(_exactly, arg.value) if arg.kind == "real" else arg.value for arg in args]
        return const_expr(computed(node, values), node.kind, node.span, node.power)
    if op == "choice":
        _check_choice(node, args)
    elif op in CATALOGUE and CATALOGUE[op].draws:
        _check_draw(node, args)
    return Expr(op, node.kind, args, node.value, node.span)  # type: ignore[arg-type]


def _build_choice(node: Node, environment: Environment) -> Expr:
    """`if`, `and` and `or`, without what a constant condition leaves out."""
    first, op = build(node.args[0], environment), node.op
    if first.op == "const":
        if op == "if":
            return build(node.args[1 if first.value else 2], environment)
        return build(node.args[1], environment) if bool(first.value) == (op == "and") else first
    others = tuple(build(arg, environment) for arg in node.args[1:])
    if op != "if" and others[0].op == "const" and bool(others[0].value) == (op == "and"):
        return first
    return Expr(op, node.kind, (first, *others), node.value, node.span)  # type: ignore[arg-type]


IN_RANGE = "in range"  # the value of an `item` whose index is known to be one of the list's


def _build_item(node: Node, index: Expr, values: tuple[Expr, ...]) -> Expr:
    """Return an element of a list by a number that the run computes: halves of the list, down to single ones."""

    def number(value: int) -> Expr:
        return Expr("const", "int", (), value)  # stands nowhere in the text

    def among(low: int, high: int, index: Expr) -> Expr:
        middle = (low + high + 1) // 2
        first = Expr("lt", "bool", (index, number(middle)), None, node.span)
        halves = part(low, middle), part(middle, high) if middle < high else values[low]
        return Expr("if", node.kind, (first, *halves), None, node.span)

    def part(low: int, high: int) -> Expr:
        return values[low] if high - low == 1 else among(low, high, index)

    if node.value == IN_RANGE:
        return part(0, len(values))
    checked = Expr("within", "int", (index, number(len(values))), None, node.span)  # by the first comparison
    return among(0, len(values), checked)


def _exactly(value: net.Scalar | None) -> Fraction:
    return value.exact if isinstance(value, ExactTime) else Fraction(value or 0)


def power_of(value: object) -> int:
    """Return the exponent of time in a constant; 0 if it has none."""
    number = value.now if type(value) is Traced else value
    return number.power if type(number) is ExactTime else 0


def _check_draw(node: Node, args: tuple[Expr, ...]) -> None:
    """Check that a distribution's constant parameters are in its domain (R3); raises CheckError."""
    drawn = CATALOGUE[node.op]
    for parameter, arg in zip(drawn.parameters, args, strict=True):
        if arg.op == "const" and arg.value is not None and not parameter.domain.holds(arg.value):
            values = {"distribution": drawn.word, "parameter": parameter.name, "wanted": parameter.domain.text}
            raise CheckError("distribution-parameter", arg.span or node.span, value=arg.value, **values)
    for low, high in pairwise(args[drawn.ascending :] if drawn.ascending is not None else ()):
        if low.op == high.op == "const" and low.value is not None and high.value is not None and low.value > high.value:
            raise CheckError("empty-range", node.span, low=low.value, high=high.value)


def _check_choice(node: Node, args: tuple[Expr, ...]) -> None:
    weights = [arg.value for arg in args[1::2] if arg.op == "const" and arg.value is not None]
    if any(weight < 0 for weight in weights) or (len(weights) * 2 == len(args) and not any(weights)):
        raise CheckError("choice-weights", node.span)


def number(node: Node, environment: Environment) -> net.Scalar:
    """Return a fixed node as a scalar of the flat net; a bool as 0 or 1."""
    value = evaluate(node, environment.locals)
    return as_float(value, node.span) if node.kind == "real" else apply(int, value)
