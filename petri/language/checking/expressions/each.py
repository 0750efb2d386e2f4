"""What is read once for each element of a vector or a list, or for each value of a range or a type.

`count(x in l.s: x == shared)`, `[2 * i for i in 0..3]`. Its parts become one expression, so an engine meets no loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from petri.catalogue.operations import OF_EACH
from petri.diagnostics import Label
from petri.language.checking.expressions.ranges import folded, read_index_range
from petri.language.checking.expressions.reader import Reader, known, numeric_kind, other_count
from petri.language.checking.state import Value
from petri.language.meaning.nodes import LARGEST, Node, constant, evaluate, operation
from petri.language.meaning.scope import ConstantSymbol, PlaceSymbol, TypeSymbol
from petri.language.meaning.types import (
    BOOL,
    INT,
    MOST_SLOTS,
    ListOf,
    Scalar,
    Type,
    Unknown,
    Vector,
    describe,
    layout,
    plainly,
)
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

MOST_ELEMENTS = 4096  # as the rows of a list from a file
MOST_REPEATED = 100_000  # of all expressions of a net; one in another is read for each pair of elements


def list_for(reader: Reader, e: tree.ListFor, expected: Type | None) -> Value:
    """Return a vector where one is expected, else a list."""
    if isinstance(expected, Vector):
        elements = _elements(reader, e.over)
        if len(elements) != expected.length:
            kind, given = describe(expected), len(elements)
            raise CheckError("vector-length", e.span, kind=kind, wanted=expected.length, given=given)
        parts = [reader.fit(value, expected.element) for value in _values(reader, e, elements, expected.element)]
        return Value(expected, tuple([node for part in parts for node in needed(part)]), e.span)
    values = _values(reader, e, _elements(reader, e.over))
    if not values:
        raise CheckError("empty-list", e.over.span)
    if not isinstance(values[0].type, Scalar):
        raise CheckError("list-of-scalars", e.value.span, kind=plainly(values[0].type))
    return Value(ListOf(values[0].type, len(values)), tuple([value.node for value in values]), e.span)


def of_each(e: tree.Call, name: str) -> bool:
    """Return whether a call is `count(x in v: …)` or the like, not a user's function of that name or a measure."""
    return name in OF_EACH and any(isinstance(argument, tree.Each) for argument in e.arguments)


def aggregate(name: str) -> Callable[[Reader, tree.Call], Value]:
    """Read `count(x in v: …)`, `sum(…)`, `any(…)` or `all(…)`."""

    def read(reader: Reader, e: tree.Call) -> Value:
        if len(e.arguments) != 1:
            raise other_count(e, 1, OF_EACH[name])
        each = e.arguments[0]
        if not isinstance(each, tree.Each):
            if _place(reader, each) is not None:
                text = f"{name}(x in {reader.problems.text(each.span)}: {'x' if name == 'sum' else 'true'})"
                raise CheckError("not-each", e.span, name=name, of_place=text)
            raise CheckError("not-each", e.span, name=name, usage=OF_EACH[name])
        if reader.sets is not None and (taken := reader.sets.of(each.over.source, reader)) is not None:
            _require_new(reader, each.over)
            return reader.sets.fold(reader, name, each, taken, e.span)
        if (place := _place(reader, each.over.source)) is not None:
            raise _not_counted(reader, name, each.over.source, place)
        elements = _elements(reader, each.over)
        if name == "sum":
            return _sum(reader, each, elements, e.span)
        conditions = [needed(reader.fit(value, BOOL))[0] for value in _values(reader, each, elements)]
        if name == "count":
            return Value(INT, (_count(conditions, e.span),), e.span)
        op, of_none = ("or", False) if name == "any" else ("and", True)
        node = _halved(op, "bool", conditions, e.span) if conditions else constant(of_none, "bool", e.span)
        return Value(BOOL, (node,), e.span)

    return read


def _place(reader: Reader, e: tree.Expr) -> PlaceSymbol | None:
    """Return the place that a name means, if it means one."""
    if not isinstance(e, tree.Name) or e.name in reader.elements or e.name in reader.variables:
        return None
    symbol = reader.scope.find(e.name)
    return symbol if isinstance(symbol, PlaceSymbol) else None


def _not_counted(reader: Reader, name: str, source: tree.Expr, place: PlaceSymbol) -> CheckError:
    """Return the error that tokens are counted which no arc takes: what is written for them depends on where it is."""
    place.mentioned = True
    text = reader.problems.text(source.span)
    if reader.sets is None:
        return CheckError("place-not-counted", source.span, place=text, name=name, there=text, named=name)
    return CheckError("place-not-counted", source.span, place=text, name=name, taken=text)


def _count(conditions: Sequence[Node], span: Span) -> Node:
    zero, one = constant(0, "int", span), constant(1, "int", span)
    terms = [operation("if", "int", (condition, one, zero), span) for condition in conditions]
    return _halved("add", "int", terms, span) if terms else zero


def _sum(reader: Reader, e: tree.Each, elements: Sequence[Value], span: Span) -> Value:
    values = _values(reader, e, elements)
    if not values:
        raise CheckError("empty-list", e.over.span)
    reader.require_number(values[0], "sum")
    kind = reader.bare(values[0].type)
    terms = [value.node for value in values]
    return Value(kind, (_halved("add", numeric_kind(kind), terms, span),), span, all(value.zero for value in values))


def _halved(op: str, kind: str, terms: Sequence[Node], span: Span) -> Node:
    """Terms with an operation between them, as a balanced tree: a long chain would be too deep."""
    if len(terms) == 1:
        return terms[0]
    half = (len(terms) + 1) // 2
    sides = _halved(op, kind, terms[:half], span), _halved(op, kind, terms[half:], span)
    return operation(op, kind, sides, span)  # type: ignore[arg-type]


def _values(
    reader: Reader, e: tree.Each | tree.ListFor, elements: Sequence[Value], expected: Type | None = None
) -> list[Value]:
    """Return what is written, with each of the elements; all of one type.

    Raises Reported after the first with an error.

    What is written with `each` becomes one expression, so it ends when that is too large.
    """
    found: list[Value] = []
    size = 0
    for element in elements:
        reader.checker.repeated += 1
        if reader.checker.repeated > MOST_REPEATED:
            raise CheckError("too-much-repeated", e.span, limit=MOST_REPEATED)
        inner = replace(reader, elements={**reader.elements, e.over.variable: (element.type, element.nodes)})
        value = inner.read(e.value, expected)
        if isinstance(value.type, Unknown):
            raise Reported
        size += sum(node.size for node in value.nodes)
        if isinstance(e, tree.Each) and size > LARGEST:
            raise CheckError("expression-too-large", e.span)
        if found and expected is None:
            kind, _, _ = reader.unify(found[0], value, e.value.span)
            value = Value(kind, needed(reader.fit(value, kind)), value.span, value.zero)
        found.append(value)
    return found


def _elements(reader: Reader, e: tree.Over) -> list[Value]:
    """Return what the name stands for, one after the other. Raises CheckError."""
    span = _require_new(reader, e)
    found = _source(reader, e)
    if found:
        reader.checker.note(span, found[0].type)
    return found


def _source(reader: Reader, e: tree.Over) -> list[Value]:
    if _is_range(e.source, reader):
        return _indices(reader, e.source)
    (source,) = known(reader.read(e.source))
    if isinstance(source.type, Vector):
        element = source.type.element
        return [Value(element, nodes, source.span) for nodes in source.type.elements(source.nodes)]
    if isinstance(source.type, ListOf):
        return [Value(source.type.element, (node,), source.span) for node in source.nodes]
    text = reader.problems.text(e.source.span)
    raise CheckError("nothing-to-count", e.source.span, text=text, kind=plainly(source.type))


def _require_new(reader: Reader, e: tree.Over) -> Span:
    """Return where the name stands; raises CheckError if it has a meaning already."""
    name = e.variable
    span = replace(e.span, end_line=e.span.line, end_column=e.span.column + len(name))
    taken = reader.loops.get(name) or reader.scope.find(name)
    if isinstance(taken, ConstantSymbol):
        raise CheckError("name-shadows", span, Label(taken.span, "first-declared"), name=name)
    if any(name in names for names in (reader.variables, reader.elements, reader.lets or ())):
        raise CheckError("name-shadows", span, name=name)
    return span


def _is_range(e: tree.Expr, reader: Reader) -> TypeGuard[tree.Range | tree.Name]:
    """Return whether it is a range, or the name of a type."""
    if isinstance(e, tree.Range):
        return True
    if not isinstance(e, tree.Name) or e.name in reader.elements or e.name in reader.variables:
        return False
    return isinstance(reader.scope.find(e.name), TypeSymbol)


def _indices(reader: Reader, e: tree.Range | tree.Name) -> list[Value]:
    """Return the values of a range of constants, or of a type."""
    kind, low, high = _constant_range(reader, e)
    if high - low >= MOST_ELEMENTS:
        raise CheckError("too-many-elements", e.span, count=high - low + 1, limit=MOST_ELEMENTS)
    return [Value(kind, (constant(index, "int", e.span),), e.span) for index in range(low, high + 1)]


def _constant_range(reader: Reader, e: tree.Range | tree.Name) -> tuple[Scalar, int, int]:
    """Return the type of the values, and the ends. Raises CheckError."""
    found = read_index_range(reader, e)
    return found.kind, _constant(found.low, e.span), _constant(found.high, e.span)


def _constant(node: Node, span: Span) -> int:
    """Raise CheckError if it is no constant of the net."""
    node = folded(node)
    if node.op != "const":
        raise CheckError("length-not-constant", span)
    return int(evaluate(node, ()))


# ---------------------------------------------------------------- the type


def read_vector(reader: Reader, e: tree.VectorType, element: Type, name: str) -> Vector:
    """Return the type of a vector of these elements. Raises CheckError."""
    index, length = _length(reader, e.index)
    values = length * len(layout(element))
    if values > MOST_SLOTS:
        raise CheckError("vector-too-long", e.span, values=values, limit=MOST_SLOTS)
    return Vector.of(element, index, length, name, e.span)


def _length(reader: Reader, e: tree.Expr) -> tuple[Scalar, int]:
    """Return the type of the indices of a vector, and how many elements it has."""
    if _is_range(e, reader):
        kind, low, high = _constant_range(reader, e)
        if low != 0:
            raise CheckError("vector-from-zero", e.span, low=low)
        name = e.name if isinstance(e, tree.Name) else ""
        index, length = Scalar("int", name=name) if kind is INT else kind, high + 1
    else:
        node = reader.read_fixed(e, INT)
        if node is None:
            raise Reported
        index, length = INT, _constant(node, e.span)
    if length < 1:
        raise CheckError("vector-empty", e.span)
    return index, length
