"""Calls within expressions: records, functions and distributions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OF_EACH, OPERATIONS, Parameter
from petri.catalogue.units import PLAIN
from petri.language.checking.expressions.each import aggregate, of_each
from petri.language.checking.expressions.places import as_loops, place_use, require_element
from petri.language.checking.expressions.reader import Reader, numeric_kind, other_count, other_fields
from petri.language.checking.expressions.remedies import of_rate
from petri.language.checking.expressions.user_functions import call_fn
from petri.language.checking.state import KnownTable, Value
from petri.language.meaning.nodes import CHANCE, PLACES, Node, constant, operation, to_real, to_slot, truth
from petri.language.meaning.scope import DistSymbol, FnSymbol, PlaceSymbol, TypeSymbol, kind_of
from petri.language.meaning.types import (
    INT,
    REAL,
    ListOf,
    Scalar,
    Type,
    Unknown,
    Vector,
    describe,
    has_fields,
    plainly,
    quantity,
)
from petri.language.problems import CheckError, Problems, Reported, needed
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

_ELSEWHERE = {
    **{f"{name}variate": form for name, form in DISTRIBUTIONS.items()},  # Python's
    "int": "floor(x), ceil(x) or round(x)",
    "real": "the int itself: it becomes a real where one is expected",
    "log": "ln(x)",
    "gauss": "normal(mean, sd)",
    "gaussian": "normal(mean, sd)",
    "truncnorm": "normal(mean, sd, low..high)",
    "truncated_normal": "normal(mean, sd, low..high)",
    "mixture": "choice(exp(a): p, exp(b): 1 - p)",
    "hyperexp": "hyperexponential(mean, cv)",
    **dict.fromkeys(("exponential", "expo", "negexp"), "exp(mean)"),
    **dict.fromkeys(("normalvariate", "rnorm"), "normal(mean, sd)"),
    "lognormvariate": "lognormal(mean, cv): mean and coefficient of variation of the value, not of its logarithm",
    "discrete": "uniform(a..b), of ints each of a, a + 1, …, b",
    "runif": "uniform(a..b)",
    "range": "a..b, such as 0..3 for range(4)",
    "log10": "ln(x) / ln(10)",
    "log2": "ln(x) / ln(2)",
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
    **dict.fromkeys(
        ("mean", "rate", "busy", "occupied", "active"),
        "figures in a `measure` alone; of a whole array write a[*] there, as in mean(queue[*])",
    ),
}


_BY_RATE = ("expovariate", "rexp")  # exponential distributions of other languages whose parameter is the rate
_LIBRARIES = ("random", "np", "numpy", "math", "rng", "scipy", "stats", "simpy")


def call(reader: Reader, e: tree.Call) -> Value:
    """Return the value of `f(…)`."""
    if isinstance(e.function, tree.Field) and _of_library(e.function.base):
        raise _unknown(reader, e, e.function.name)
    if not isinstance(e.function, tree.Name):
        text = reader.problems.text(e.function.span)
        factor = text if isinstance(e.function, tree.Number) else None
        raise CheckError("not-callable", e.span, text=text, factor=factor)
    name = e.function.name
    symbol = reader.scope.find(name)
    if of_each(e, name):
        return _CALLS[name](reader, e)
    if isinstance(symbol, TypeSymbol):
        return _construct(reader, e, symbol)
    if isinstance(symbol, FnSymbol):
        return call_fn(reader, e, symbol)
    if isinstance(symbol, DistSymbol):
        raise CheckError("dist-called", e.span, name=name)
    if name in _CALLS:
        return _CALLS[name](reader, e)
    if symbol is not None:
        if isinstance(symbol, PlaceSymbol):
            symbol.mentioned = True
            reader.problems.error("place-as-value", e.span, name=name, where=reader.where)
        else:
            reader.problems.error("not-a-function", e.function.span, name=name, kind=kind_of(symbol))
        raise Reported
    if reader.checker.excused(name):
        raise Reported
    reader.problems.fault(_unknown(reader, e, name))
    for argument in e.arguments:
        if not isinstance(argument, (tree.Range, tree.Weighted, tree.Each, tree.Text)):
            reader.read(argument)
    raise Reported


def _of_library(e: tree.Expr) -> bool:
    """Return whether it is the name of a module of Python: `np.random`."""
    return _of_library(e.base) if isinstance(e, tree.Field) else isinstance(e, tree.Name) and e.name in _LIBRARIES


def _unknown(reader: Reader, e: tree.Call, name: str) -> CheckError:
    """Return the error that there is no such function, with what was meant."""
    instead, text = _ELSEWHERE.get(name.lower()), reader.problems.text(e.function.span)
    if isinstance(e.function, tree.Field):
        instead = "pow(e, x)" if text == "math.exp" else (FUNCTIONS | DISTRIBUTIONS).get(name, instead)
    if name in _BY_RATE:
        return reader.checker.unknown("unknown-function", e.function.span, text, (), **of_rate(reader, e))
    if instead is not None:
        instead = instead.replace("` or `", " or ")
    known = () if instead else (*FUNCTIONS, *OF_EACH, *DISTRIBUTIONS, *reader.scope.named(TypeSymbol, FnSymbol))
    return reader.checker.unknown("unknown-function", e.function.span, text, known, instead=instead)


def _construct(reader: Reader, e: tree.Call, symbol: TypeSymbol) -> Value:
    kind = reader.checker.resolve_type(symbol)
    if isinstance(kind, Unknown):
        raise Reported
    if not has_fields(kind):
        raise CheckError("not-a-record-type", e.span, name=symbol.name, kind=describe(kind))
    if len(e.arguments) != len(kind.fields):
        raise other_fields(e, symbol, kind)
    parts = [reader.read_as(arg, field) for arg, field in zip(e.arguments, kind.fields.values(), strict=True)]
    return Value(kind, tuple([node for part in parts for node in needed(part)]), e.span)


def _arguments(reader: Reader, e: tree.Call, count: int, usage: str) -> list[Value]:
    """Return the values of exactly `count` arguments. Raises CheckError if the number differs or one is unknown."""
    if len(e.arguments) != count:
        raise other_count(e, count, usage)
    return reader.values(*e.arguments)


def _numbers(reader: Reader, e: tree.Call, count: int, usage: str) -> list[Value]:
    values = _arguments(reader, e, count, usage)
    name = e.function.name if isinstance(e.function, tree.Name) else ""
    for value in values:
        reader.require_number(value, name)
    return values


# ---------------------------------------------------------------- functions


def _least_or_greatest(op: str) -> Callable[[Reader, tree.Call], Value]:
    def read(reader: Reader, e: tree.Call) -> Value:
        if len(e.arguments) < 2:
            raise other_count(e, 2, FUNCTIONS[op])
        values = _numbers(reader, e, len(e.arguments), "")
        result = values[0]
        for value in values[1:]:
            kind, sides = reader.common(result, value, e.span)
            result = Value(kind, (operation(op, sides[0].kind, sides, e.span),), e.span)
        return result

    return read


def _absolute(reader: Reader, e: tree.Call) -> Value:
    (value,) = _numbers(reader, e, 1, FUNCTIONS["abs"])
    node = value.node
    return Value(reader.bare(value.type), (operation("abs", node.kind, (node,), e.span),), e.span)


def _rounding(op: str) -> Callable[[Reader, tree.Call], Value]:
    def read(reader: Reader, e: tree.Call) -> Value:
        (value,) = _numbers(reader, e, 1, FUNCTIONS[op])
        if isinstance(value.type, Scalar) and value.type.dimension != PLAIN:
            text = reader.problems.text(value.span)
            raise CheckError("rounding-dimension", value.span, text=text, kind=plainly(value.type), name=op)
        node = value.node
        if node.kind == "int":
            return Value(INT, (node,), e.span)
        return Value(INT, (operation(op, "int", (node,), e.span),), e.span)

    return read


def _square_root(reader: Reader, e: tree.Call) -> Value:
    (value,) = _numbers(reader, e, 1, FUNCTIONS["sqrt"])
    assert isinstance(value.type, Scalar)
    root = value.type.dimension.root()
    if root is None:
        text = reader.problems.text(value.span)
        raise CheckError("root-dimension", value.span, text=text, kind=plainly(value.type))
    node = value.node if value.node.kind == "real" else to_real(value.node)
    return Value(quantity(root), (operation("sqrt", "real", (node,), e.span),), e.span)


def _plain_function(op: str) -> Callable[[Reader, tree.Call], Value]:
    def read(reader: Reader, e: tree.Call) -> Value:
        values = _numbers(reader, e, len(OPERATIONS[op].parameters), FUNCTIONS[op])
        fitted = [reader.fit(value, REAL) for value in values]
        nodes = [node for one in fitted for node in needed(one)]
        return Value(REAL, (operation(op, "real", nodes, e.span),), e.span)

    return read


def _length(reader: Reader, e: tree.Call) -> Value:
    """`len(list)`: a constant."""
    argument = e.arguments[0] if len(e.arguments) == 1 else None
    if isinstance(argument, tree.Name) and isinstance(reader.scope.find(argument.name), PlaceSymbol):
        raise CheckError("length-of-place", e.span, name=argument.name)
    (value,) = _arguments(reader, e, 1, FUNCTIONS["len"])
    kind = value.type
    if not isinstance(kind, (ListOf, Vector)):
        raise CheckError("index-of-no-list", value.span, text=reader.problems.text(value.span), kind=plainly(kind))
    return Value(INT, (constant(kind.length, "int", e.span),), e.span)


def _list(reader: Reader, e: tree.Call) -> Value:
    """`list("costs.csv", "cycles")`: the numbers of a column."""
    texts = [argument for argument in e.arguments if isinstance(argument, tree.Text)]
    if len(texts) != len(e.arguments) or len(texts) not in (1, 2):
        raise CheckError("list-needs-file", e.span)
    found = needed(reader.checker.sources.column(texts[0], texts[1] if len(texts) > 1 else None))
    kind = INT if isinstance(found[0], int) else REAL
    nodes = [constant(x if isinstance(x, int) else Fraction(x), kind.slot_kind, e.span) for x in found]
    return Value(ListOf(kind, len(nodes)), tuple(nodes), e.span)


def _tokens(reader: Reader, e: tree.Call) -> Value:
    if reader.counted is not None:
        return reader.counted(e, "tokens")
    reader.permit("tokens", e.span)
    if len(e.arguments) != 1:
        raise other_count(e, 1, FUNCTIONS["tokens"])
    use = place_use(reader, e.arguments[0])
    use.symbol.mentioned = True
    require_element(use, e.arguments[0].span)
    if not use.fixed:
        loops = as_loops(reader, e.arguments[0], reader.variables)
        raise CheckError("index-not-constant", e.arguments[0].span, where="`tokens(…)`", loops=loops)
    if use.symbol.direction == "out" and use.symbol.outside and reader.counted is None:
        raise CheckError("port-direction", e.span, name=use.symbol.name, direction="out", action="counted in")
    return Value(INT, (Node("tokens", "int", (), use, e.span, PLACES),), e.span)


def _firings(reader: Reader, e: tree.Call) -> Value:
    if reader.counted is None:
        raise CheckError("firings-not-allowed", e.span, where=reader.where)
    return reader.counted(e, "firings")


# ---------------------------------------------------------------- distributions


def power_of_e(problems: Problems, e: tree.Call, where: str) -> str | None:
    """`-x` of `exp(-x)`, which elsewhere is a power of e; of any number where nothing is random."""
    if not isinstance(e.function, tree.Name) or e.function.name != "exp" or len(e.arguments) != 1:
        return None
    (power,) = e.arguments
    negative = isinstance(power, tree.Unary) and power.operator == "-"
    fixed = where in ("a measure", "a constant", "a parameter's value")
    plain = not isinstance(power, tree.Number) or power.unit is None
    return problems.text(power.span) if plain and (negative or fixed) else None


def _drawn(e: tree.Call, op: str, kind: Type, args: list[Node]) -> Value:
    node = operation(op, "int" if kind is INT else "real", args, e.span, CHANCE)
    return Value(kind, (node,), e.span)


def _parametric(op: str) -> Callable[[Reader, tree.Call], Value]:
    drawn = OPERATIONS[op]
    parameters = drawn.parameters

    def read(reader: Reader, e: tree.Call) -> Value:
        reader.permit("draw", e.span, power=power_of_e(reader.problems, e, reader.where))
        values = _numbers(reader, e, len(parameters), DISTRIBUTIONS[drawn.word])
        alike = drawn.alike(values)
        kind = _alike(reader, alike, e.span)

        def wanted(parameter: Parameter) -> Type:
            return kind if parameter.alike else INT if parameter.kind == "int" else REAL

        fitted = [reader.fit(value, wanted(one)) for value, one in zip(values, parameters, strict=True)]
        result = kind if alike else INT if drawn.kind == "int" else REAL
        return _drawn(e, op, result, [node for one in fitted for node in needed(one)])

    return read


def _alike(reader: Reader, values: list[Value], span: Span) -> Type:
    """Return the type of reals that numbers share; reports an error if their dimensions differ."""
    if not values:
        return REAL
    result = values[0]
    for value in values[1:]:
        kind, nodes = reader.common(result, value, span)
        result = Value(kind, (nodes[0],), result.span, result.zero and value.zero)
    assert isinstance(result.type, Scalar)
    return quantity(result.type.dimension)


def _normal(reader: Reader, e: tree.Call) -> Value:
    """`normal(mean, sd)`, and `normal(mean, sd, low..high)`, which is never outside the range."""
    if len(e.arguments) == 3 and isinstance(e.arguments[2], tree.Range):
        span = e.arguments[2]
        return _parametric("truncated_normal")(reader, replace(e, arguments=(*e.arguments[:2], span.low, span.high)))
    return _parametric("normal")(reader, e)


def _uniform(reader: Reader, e: tree.Call) -> Value:
    reader.permit("draw", e.span)
    if len(e.arguments) != 1 or not isinstance(e.arguments[0], tree.Range):
        ends = [reader.problems.text(argument.span) for argument in e.arguments]
        raise CheckError("uniform-needs-range", e.span, form=f"uniform({'..'.join(ends if len(ends) == 2 else 'ab')})")
    span = e.arguments[0]
    kind, nodes = reader.common_ends(span, "uniform")
    return _drawn(e, "uniform_int" if kind is INT else "uniform", kind, nodes)


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
    if wrong:
        raise Reported
    return _choice_of(reader, e, pairs)


def _choice_of(reader: Reader, e: tree.Call, pairs: list[tuple[Value, Node]]) -> Value:
    first = pairs[0][0]
    number = isinstance(first.type, Scalar) and first.type.kind in ("int", "real")
    kind: Type = reader.bare(first.type) if number else first.type
    for value, _ in pairs[1:]:
        kind, _, _ = reader.unify(Value(kind, first.nodes, first.span, first.zero, first.word), value, e.span)
    args: list[Node] = []
    for value, weight in pairs:
        (fitted,) = needed(reader.fit(value, kind))
        args += [to_slot(fitted), weight]
    node = operation("choice", "real" if args[0].kind == "real" else "int", args, e.span, CHANCE)
    return Value(kind, (truth(node) if numeric_kind(kind) == "bool" else node,), e.span)


def _table(reader: Reader, e: tree.Call) -> Value:
    reader.permit("draw", e.span)
    found = _named_table(reader, e, "table-needs-file")
    kind = INT if found.whole else REAL
    return Value(kind, (Node("table", kind.slot_kind, (), found.number, e.span, CHANCE),), e.span)


def _empirical(reader: Reader, e: tree.Call) -> Value:
    """`empirical("sizes.csv")`: between the values of a table, which ascend."""
    reader.permit("draw", e.span)
    found = _named_table(reader, e, "empirical-needs-file")
    if not found.ascends:
        argument = e.arguments[0]
        assert isinstance(argument, tree.Text)
        reader.problems.error("table-not-ascending", argument.span, path=argument.value)
    return Value(REAL, (Node("empirical", "real", (), found.number, e.span, CHANCE),), e.span)


def _average(reader: Reader, e: tree.Call) -> Value:
    """`average("sizes.csv")`: the mean of a table, a constant."""
    found = _named_table(reader, e, "average-needs-file")
    return Value(REAL, (constant(found.mean, "real", e.span),), e.span)


def _named_table(reader: Reader, e: tree.Call, error: str) -> KnownTable:
    """Return the table that the only argument names. Raises CheckError if there is none."""
    argument = e.arguments[0] if len(e.arguments) == 1 else None
    if not isinstance(argument, tree.Text):
        raise CheckError(error, e.span)
    return needed(reader.checker.sources.table(argument))


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
    "firings": _firings,
    "len": _length,
    "list": _list,
    **{name: aggregate(name) for name in OF_EACH},
    **{name: _parametric(name) for name in DISTRIBUTIONS},
    "uniform": _uniform,
    "normal": _normal,
    "choice": _choice,
    "table": _table,
    "empirical": _empirical,
    "average": _average,
}
