"""Calls within expressions: records, functions and distributions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import chain

from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OPERATIONS, Parameter
from petri.language.checking.expressions.places import is_element, place_use
from petri.language.checking.expressions.reader import Reader, numeric_kind
from petri.language.checking.expressions.user_functions import call_fn
from petri.language.checking.state import KnownTable, Value
from petri.language.meaning.nodes import CHANCE, PLACES, Node, constant, operation, to_real, to_slot, truth
from petri.language.meaning.scope import DistSymbol, FnSymbol, PlaceSymbol, TypeSymbol, kind_of
from petri.language.meaning.types import (
    INT,
    REAL,
    UNKNOWN,
    ListOf,
    Record,
    Scalar,
    Type,
    Unknown,
    describe,
    plainly,
    quantity,
)
from petri.language.meaning.units import PLAIN, Dimension
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

_ELSEWHERE = {
    "int": "floor(x), ceil(x) or round(x)",
    "real": "the int itself: it becomes a real where one is expected",
    "log": "ln(x)",
    "gauss": "normal(mean, sd)",
    "gaussian": "normal(mean, sd)",
    "truncnorm": "normal(mean, sd, low..high)",
    "truncated_normal": "normal(mean, sd, low..high)",
    "mixture": "choice(exp(a): p, exp(b): 1 - p)",
    "hyperexp": "hyperexponential(mean, cv)",
    "exponential": "exp(mean)",
    "expo": "exp(mean)",
    "coin": "choice(true: p, false: 1 - p), in a `draw`",
    "triangle": "triangular(low, mode, high)",
    "histogram": 'empirical("file.csv")',
    "random": "uniform(a..b)",
    "rand": "uniform(a..b)",
    "randint": "uniform(a..b), of ints each of a, a + 1, …, b",
    "power": "pow(x, y)",
    "float": "the int itself: it becomes a real where one is expected",
    "const": "a plain value, which is a constant time",
    "deterministic": "a plain value, which is a constant time",
}


def call(reader: Reader, e: tree.Call) -> Value:
    """The value of `f(…)`."""
    if not isinstance(e.function, tree.Name):
        text = reader.problems.text(e.function.span)
        factor = text if isinstance(e.function, tree.Number) else None
        reader.problems.error("not-callable", e.span, text=text, factor=factor)
        return reader.unknown(e.span)
    name = e.function.name
    symbol = reader.scope.find(name)
    if isinstance(symbol, TypeSymbol):
        return _construct(reader, e, symbol)
    if isinstance(symbol, FnSymbol):
        return call_fn(reader, e, symbol)
    if isinstance(symbol, DistSymbol):
        reader.problems.error("dist-called", e.span, name=name)
        return reader.unknown(e.span)
    if name in _CALLS:
        return _CALLS[name](reader, e)
    if symbol is not None:
        if isinstance(symbol, PlaceSymbol):
            symbol.mentioned = True
            reader.problems.error("place-as-value", e.span, name=name, where=reader.where)
        else:
            reader.problems.error("not-a-function", e.function.span, name=name, kind=kind_of(symbol))
        return reader.unknown(e.span)
    if reader.checker.excused(name):
        return reader.unknown(e.span)
    types = (known for known, found in reader.scope.visible() if isinstance(found, (TypeSymbol, FnSymbol)))
    instead = _ELSEWHERE.get(name)
    suggestion = None if instead else reader.problems.meant(name, chain(FUNCTIONS, DISTRIBUTIONS, types))
    reader.problems.error("unknown-function", e.function.span, name=name, suggestion=suggestion, instead=instead)
    for argument in e.arguments:
        if not isinstance(argument, (tree.Range, tree.Weighted, tree.Text)):
            reader.read(argument)
    return reader.unknown(e.span)


def _construct(reader: Reader, e: tree.Call, symbol: TypeSymbol) -> Value:
    kind = reader.checker.resolve_type(symbol)
    if isinstance(kind, Unknown):
        return reader.unknown(e.span)
    if not isinstance(kind, Record):
        reader.problems.error("not-a-record-type", e.span, name=symbol.name, kind=describe(kind))
        return reader.unknown(e.span)
    if len(e.arguments) != len(kind.fields):
        reader.problems.error(
            "field-count",
            e.span,
            kind=symbol.name,
            wanted=len(kind.fields),
            given=len(e.arguments),
            fields=list(kind.fields),
        )
        return reader.unknown(e.span)
    parts = [reader.read_as(arg, field) for arg, field in zip(e.arguments, kind.fields.values(), strict=True)]
    nodes = [node for part in parts if part is not None for node in part]
    return Value(kind, tuple(nodes), e.span) if len(nodes) == len(kind.slots) else reader.unknown(e.span)


def _arguments(reader: Reader, e: tree.Call, count: int, usage: str) -> list[Value] | None:
    """The values of exactly `count` arguments; None if the number differs (reported) or one is unknown."""
    assert isinstance(e.function, tree.Name)
    if len(e.arguments) != count:
        reader.problems.error(
            "argument-count", e.span, name=e.function.name, wanted=count, given=len(e.arguments), usage=usage
        )
        return None
    values = [reader.read(argument) for argument in e.arguments]
    return None if any(isinstance(value.type, Unknown) for value in values) else values


def _numbers(reader: Reader, e: tree.Call, count: int, usage: str) -> list[Value] | None:
    values = _arguments(reader, e, count, usage)
    if values is None:
        return None
    name = e.function.name if isinstance(e.function, tree.Name) else ""
    return values if all([reader.is_number(value, name) for value in values]) else None  # noqa: C419


def _plain(reader: Reader, value: Value) -> Node | None:
    """A number without a dimension, as a real."""
    nodes = reader.fit(value, REAL)
    return nodes[0] if nodes else None


# ---------------------------------------------------------------- functions


def _least_or_greatest(op: str) -> Callable[[Reader, tree.Call], Value]:
    def read(reader: Reader, e: tree.Call) -> Value:
        if len(e.arguments) < 2:
            given = len(e.arguments)
            reader.problems.error("argument-count", e.span, name=op, wanted=2, given=given, usage=FUNCTIONS[op])
            return reader.unknown(e.span)
        values = _numbers(reader, e, len(e.arguments), "")
        if values is None:
            return reader.unknown(e.span)
        result = values[0]
        for value in values[1:]:
            common = reader.common(result, value, e.span)
            if common is None:
                return reader.unknown(e.span)
            kind, sides = common
            result = Value(kind, (operation(op, sides[0].kind, sides, e.span),), e.span)
        return result

    return read


def _absolute(reader: Reader, e: tree.Call) -> Value:
    values = _numbers(reader, e, 1, FUNCTIONS["abs"])
    if values is None:
        return reader.unknown(e.span)
    node = values[0].node
    return Value(reader.bare(values[0].type), (operation("abs", node.kind, (node,), e.span),), e.span)


def _rounding(op: str) -> Callable[[Reader, tree.Call], Value]:
    def read(reader: Reader, e: tree.Call) -> Value:
        values = _numbers(reader, e, 1, FUNCTIONS[op])
        if values is None:
            return reader.unknown(e.span)
        if isinstance(values[0].type, Scalar) and values[0].type.dimension != PLAIN:
            text = reader.problems.text(values[0].span)
            reader.problems.error(
                "rounding-dimension", values[0].span, text=text, kind=plainly(values[0].type), name=op
            )
            return reader.unknown(e.span)
        node = values[0].node
        if node.kind == "int":
            return Value(INT, (node,), e.span)
        return Value(INT, (operation(op, "int", (node,), e.span),), e.span)

    return read


def _square_root(reader: Reader, e: tree.Call) -> Value:
    values = _numbers(reader, e, 1, FUNCTIONS["sqrt"])
    if values is None:
        return reader.unknown(e.span)
    assert isinstance(values[0].type, Scalar)
    root = values[0].type.dimension.root()
    if root is None:
        text = reader.problems.text(values[0].span)
        reader.problems.error("root-dimension", values[0].span, text=text, kind=plainly(values[0].type))
        return reader.unknown(e.span)
    node = values[0].node if values[0].node.kind == "real" else to_real(values[0].node)
    return Value(quantity(root), (operation("sqrt", "real", (node,), e.span),), e.span)


def _plain_function(op: str) -> Callable[[Reader, tree.Call], Value]:
    def read(reader: Reader, e: tree.Call) -> Value:
        values = _numbers(reader, e, len(OPERATIONS[op].parameters), FUNCTIONS[op])
        if values is None:
            return reader.unknown(e.span)
        nodes = [_plain(reader, value) for value in values]
        present = [node for node in nodes if node is not None]
        if len(present) < len(nodes):
            return reader.unknown(e.span)
        return Value(REAL, (operation(op, "real", present, e.span),), e.span)

    return read


def _length(reader: Reader, e: tree.Call) -> Value:
    """`len(list)`: a constant."""
    argument = e.arguments[0] if len(e.arguments) == 1 else None
    if isinstance(argument, tree.Name) and isinstance(reader.scope.find(argument.name), PlaceSymbol):
        reader.problems.error("length-of-place", e.span, name=argument.name)
        return reader.unknown(e.span)
    values = _arguments(reader, e, 1, FUNCTIONS["len"])
    if values is None:
        return reader.unknown(e.span)
    kind = values[0].type
    if not isinstance(kind, ListOf):
        text = reader.problems.text(values[0].span)
        reader.problems.error("index-of-no-list", values[0].span, text=text, kind=plainly(kind))
        return reader.unknown(e.span)
    return Value(INT, (constant(kind.length, "int", e.span),), e.span)


def _list(reader: Reader, e: tree.Call) -> Value:
    """`list("costs.csv", "cycles")`: the numbers of a column."""
    texts = [argument for argument in e.arguments if isinstance(argument, tree.Text)]
    if len(texts) != len(e.arguments) or len(texts) not in (1, 2):
        reader.problems.error("list-needs-file", e.span)
        return reader.unknown(e.span)
    found = reader.checker.column(texts[0], texts[1] if len(texts) > 1 else None)
    if found is None:
        return reader.unknown(e.span)
    kind = INT if isinstance(found[0], int) else REAL
    nodes = [constant(x if isinstance(x, int) else Fraction(x), kind.slot_kind, e.span) for x in found]
    return Value(ListOf(kind, len(nodes)), tuple(nodes), e.span)


def _tokens(reader: Reader, e: tree.Call) -> Value:
    reader.permit("tokens", e.span)
    if len(e.arguments) != 1:
        usage = FUNCTIONS["tokens"]
        reader.problems.error("argument-count", e.span, name="tokens", wanted=1, given=len(e.arguments), usage=usage)
        return reader.unknown(e.span)
    use = place_use(reader, e.arguments[0])
    if use is None:
        return reader.unknown(e.span)
    use.symbol.mentioned = True
    if not is_element(reader, use, e.arguments[0].span):
        return reader.unknown(e.span)
    if not use.fixed:
        reader.problems.error("index-not-constant", e.arguments[0].span, where="`tokens(…)`")
        return reader.unknown(e.span)
    return Value(INT, (Node("tokens", "int", (), use, e.span, PLACES),), e.span)


# ---------------------------------------------------------------- distributions


def _drawn(reader: Reader, e: tree.Call, op: str, kind: Type, args: list[Node]) -> Value:
    node = operation(op, "int" if kind is INT else "real", args, e.span, CHANCE)
    return Value(kind, (node,), e.span)


def _dimension(value: Value) -> Dimension:
    assert isinstance(value.type, Scalar)
    return value.type.dimension


def _parametric(op: str) -> Callable[[Reader, tree.Call], Value]:
    drawn = OPERATIONS[op]
    parameters = drawn.parameters

    def read(reader: Reader, e: tree.Call) -> Value:
        reader.permit("draw", e.span)
        values = _numbers(reader, e, len(parameters), DISTRIBUTIONS[drawn.word])
        if values is None:
            return reader.unknown(e.span)
        alike = drawn.alike(values)
        kind = _alike(reader, alike, e.span)

        def wanted(parameter: Parameter) -> Type:
            return kind if parameter.alike else INT if parameter.kind == "int" else REAL

        args: list[Node] = []
        for value, parameter in zip(values, parameters, strict=True):
            args += reader.fit(value, wanted(parameter)) or ()
        result = kind if alike else INT if drawn.kind == "int" else REAL
        return _drawn(reader, e, op, result, args) if len(args) == len(values) else reader.unknown(e.span)

    return read


def _alike(reader: Reader, values: list[Value], span: Span) -> Type:
    """The type of reals that numbers share; reports an error if their dimensions differ."""
    if not values:
        return REAL
    result = values[0]
    for value in values[1:]:
        common = reader.common(result, value, span)
        if common is None:
            return UNKNOWN
        result = Value(common[0], (common[1][0],), result.span, result.zero and value.zero)
    return quantity(_dimension(result))


def _normal(reader: Reader, e: tree.Call) -> Value:
    """`normal(mean, sd)`, and `normal(mean, sd, low..high)`, which is never outside the range."""
    if len(e.arguments) == 3 and isinstance(e.arguments[2], tree.Range):
        span = e.arguments[2]
        return _parametric("truncated_normal")(reader, replace(e, arguments=(*e.arguments[:2], span.low, span.high)))
    return _parametric("normal")(reader, e)


def _uniform(reader: Reader, e: tree.Call) -> Value:
    reader.permit("draw", e.span)
    if len(e.arguments) != 1 or not isinstance(e.arguments[0], tree.Range):
        reader.problems.error("uniform-needs-range", e.span)
        return reader.unknown(e.span)
    span = e.arguments[0]
    low, high = reader.read(span.low), reader.read(span.high)
    if isinstance(low.type, Unknown) or isinstance(high.type, Unknown):
        return reader.unknown(e.span)
    if not reader.is_number(low, "uniform") or not reader.is_number(high, "uniform"):
        return reader.unknown(e.span)
    common = reader.common(low, high, span.span)
    if common is None:
        return reader.unknown(e.span)
    kind, nodes = common
    return _drawn(reader, e, "uniform_int" if kind is INT else "uniform", kind, nodes)


def _choice(reader: Reader, e: tree.Call) -> Value:
    reader.permit("draw", e.span)
    pairs: list[tuple[Value, Node]] = []
    wrong = not e.arguments
    for argument in e.arguments:
        if not isinstance(argument, tree.Weighted):
            reader.problems.error("choice-needs-weights", argument.span, text=reader.problems.text(argument.span))
            wrong = True
            continue
        value, weight = reader.read(argument.value), reader.read_as(argument.weight, REAL)
        if weight is None or isinstance(value.type, Unknown):
            wrong = True
        elif not isinstance(value.type, Scalar):
            reader.problems.error("choice-of-records", argument.value.span)
            wrong = True
        else:
            pairs.append((value, weight[0]))
    if not e.arguments:
        reader.problems.error("choice-needs-weights", e.span, text="choice()")
    return reader.unknown(e.span) if wrong else _choice_of(reader, e, pairs)


def _choice_of(reader: Reader, e: tree.Call, pairs: list[tuple[Value, Node]]) -> Value:
    first = pairs[0][0]
    number = isinstance(first.type, Scalar) and first.type.kind in ("int", "real")
    kind: Type = reader.bare(first.type) if number else first.type
    for value, _ in pairs[1:]:
        unified = reader.unify(Value(kind, first.nodes, first.span, first.zero), value, e.span)
        if unified is None:
            return reader.unknown(e.span)
        kind = unified[0]
    args: list[Node] = []
    for value, weight in pairs:
        fitted = reader.fit(value, kind)
        if fitted is None:
            return reader.unknown(e.span)
        args += [to_slot(fitted[0]), weight]
    node = operation("choice", "real" if args[0].kind == "real" else "int", args, e.span, CHANCE)
    return Value(kind, (truth(node) if numeric_kind(kind) == "bool" else node,), e.span)


def _table(reader: Reader, e: tree.Call) -> Value:
    reader.permit("draw", e.span)
    found = _named_table(reader, e, "table-needs-file")
    if found is None:
        return reader.unknown(e.span)
    kind = INT if found.whole else REAL
    return Value(kind, (Node("table", kind.slot_kind, (), found.number, e.span, CHANCE),), e.span)


def _empirical(reader: Reader, e: tree.Call) -> Value:
    """`empirical("sizes.csv")`: between the values of a table, which ascend."""
    reader.permit("draw", e.span)
    found = _named_table(reader, e, "empirical-needs-file")
    if found is None:
        return reader.unknown(e.span)
    if not found.ascends:
        argument = e.arguments[0]
        assert isinstance(argument, tree.Text)
        reader.problems.error("table-not-ascending", argument.span, path=argument.value)
    return Value(REAL, (Node("empirical", "real", (), found.number, e.span, CHANCE),), e.span)


def _average(reader: Reader, e: tree.Call) -> Value:
    """`average("sizes.csv")`: the mean of a table, a constant."""
    found = _named_table(reader, e, "average-needs-file")
    if found is None:
        return reader.unknown(e.span)
    return Value(REAL, (constant(found.mean, "real", e.span),), e.span)


def _named_table(reader: Reader, e: tree.Call, error: str) -> KnownTable | None:
    """The table that the only argument names; None, and an error, if there is none."""
    argument = e.arguments[0] if len(e.arguments) == 1 else None
    if not isinstance(argument, tree.Text):
        reader.problems.error(error, e.span)
        return None
    return reader.checker.table(argument)


_CALLS: dict[str, Callable[[Reader, tree.Call], Value]] = {
    "min": _least_or_greatest("min"),
    "max": _least_or_greatest("max"),
    "abs": _absolute,
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "round": _rounding("round"),
    "sqrt": _square_root,
    "ln": _plain_function("ln"),
    "pow": _plain_function("pow"),
    "tokens": _tokens,
    "len": _length,
    "list": _list,
    **{name: _parametric(name) for name in DISTRIBUTIONS},
    "uniform": _uniform,
    "normal": _normal,
    "choice": _choice,
    "table": _table,
    "empirical": _empirical,
    "average": _average,
}
