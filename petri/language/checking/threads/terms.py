"""Expressions of steps, with values put in for names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petri.language.checking.expressions.names import names_in, nodes_in
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen, as_dict, replace


def asks(e: object, function: str) -> bool:
    """Return whether an expression calls a function such as `tokens(…)`."""
    calls = (part.function for part in nodes_in(e) if isinstance(part, tree.Call))
    return any(isinstance(called, tree.Name) and called.name == function for called in calls)


def put_in(e: Any, values: Mapping[str, tree.Expr]) -> Any:
    """Return the expression with values for some of its names."""
    if not values:
        return e
    match e:
        case tree.Name():
            return values.get(e.name, e)
        case tree.Record():
            fields = [
                (name, put_in(tree.Name(name, at) if value is None else value, values), at)
                for name, value, at in e.fields
            ]
            return replace(e, fields=tuple(fields))
        case tree.Call():
            return replace(e, function=_called(e.function, values), arguments=put_in(e.arguments, values))
        case tree.Each() | tree.ListFor():
            return _put_in_each(e, values)
        case tuple():
            return tuple(put_in(part, values) for part in e)
        case Frozen() if not isinstance(e, Span):
            return replace(e, **{name: put_in(value, values) for name, value in as_dict(e).items()})
        case _:
            return e


def _called(e: tree.Expr, values: Mapping[str, tree.Expr]) -> tree.Expr:
    """Return a function, or a place with values for names in its indices."""
    if isinstance(e, tree.Index):
        return replace(e, base=_called(e.base, values), index=put_in(e.index, values))
    return e if isinstance(e, tree.Name) else put_in(e, values)


def _put_in_each(e: tree.Each | tree.ListFor, values: Mapping[str, tree.Expr]) -> tree.Each | tree.ListFor:
    """Give the elements another name where a value that is put in has that name."""
    name = e.over.variable
    inner = {own: value for own, value in values.items() if own != name}
    if any(name in names_in(value) for value in inner.values()):
        name += "'"
        inner[e.over.variable] = tree.Name(name, e.over.span)
    over = replace(e.over, variable=name, source=put_in(e.over.source, values))
    return replace(e, over=over, value=put_in(e.value, inner))


def size(e: object) -> int:
    """Return how many names, numbers and operations an expression has."""
    return sum(1 for _ in nodes_in(e))


def both(first: tree.Expr | None, second: tree.Expr | None) -> tree.Expr | None:
    """`first and second`; None is true."""
    if first is None or second is None:
        return second if first is None else first
    return tree.Binary("and", closed(first), closed(second), second.span)


def negated(e: tree.Expr) -> tree.Expr:
    return tree.Unary("not", closed(e), e.span)


def closed(e: tree.Expr) -> tree.Expr:
    return tree.Paren(e, e.span) if isinstance(e, (tree.If, tree.Binary)) else e


def given_if(condition: tree.Expr | None, term: tree.Expr) -> tree.Expr:
    return term if condition is None else tree.If(condition, term, None, term.span)
