"""Vectors, whose elements are parts of a record: an element by its index, and a vector with another element.

An index that is known only during the run chooses among the elements, so an engine never meets a vector.
"""

from __future__ import annotations

from petri.language.meaning.nodes import IN_RANGE, Node, constant, evaluate, operation
from petri.language.meaning.types import Scalar, Type, Vector
from petri.language.problems import CheckError
from petri.net import Span

Nodes = tuple[Node, ...]


def covers(length: int, index: Type) -> bool:
    """Return whether there is an element for each value of the type."""
    if not isinstance(index, Scalar):
        return False
    if index.kind == "enum":
        return len(index.labels) <= length
    ends = (index.low, index.high)
    if any(end is None or end.op != "const" for end in ends):
        return False
    low, high = (evaluate(end, ()) for end in ends if end is not None)
    return low >= 0 and high < length


def require_within(number: Node, length: int, span: Span) -> None:
    """Raise CheckError if the index is a constant of the net and outside."""
    if number.fixed and not number.flags and not 0 <= (index := int(evaluate(number, ()))) < length:
        raise CheckError("list-index", span, index=index, last=length - 1)


def chosen(nodes: Nodes, number: Node, index: Type, span: Span) -> Node:
    """Return the one that a number names, counted from 0. index: the type of the number."""
    require_within(number, len(nodes), span)
    if number.op == "const":
        return nodes[int(evaluate(number, ()))]
    inside = IN_RANGE if covers(len(nodes), index) else None
    return operation("item", nodes[0].kind, (number, *nodes), span, value=inside)


def element(kind: Vector, nodes: Nodes, number: Node, index: Type, span: Span) -> Nodes:
    """Return the values of an element of a vector."""
    columns = zip(*kind.elements(nodes), strict=True)
    return tuple([chosen(column, number, index, span) for column in columns])


def changed(kind: Vector, nodes: Nodes, number: Node, index: Type, value: Nodes, span: Span) -> Nodes:
    """Return the values of the vector with another element."""
    require_within(number, kind.length, span)
    if number.op != "const" and not covers(kind.length, index):
        number = operation("within", "int", (number, constant(kind.length, "int", span)), span)
    found: list[Node] = []
    for position, old in enumerate(kind.elements(nodes)):
        here = operation("eq", "bool", (number, constant(position, "int", span)), span)
        found += [operation("if", b.kind, (here, a, b), span) for a, b in zip(value, old, strict=True)]
    return tuple(found)
