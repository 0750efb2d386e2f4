"""Expressions of steps, with values put in for names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petri.language.checking.expressions.names import nodes_in
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen, as_dict, replace


def asks(e: object, function: str) -> bool:
    """Whether an expression calls a function such as `tokens(…)`."""
    calls = (part.function for part in nodes_in(e) if isinstance(part, tree.Call))
    return any(isinstance(called, tree.Name) and called.name == function for called in calls)


def put_in(e: Any, values: Mapping[str, tree.Expr]) -> Any:
    """The expression with values for some of its names."""
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
            function = e.function if isinstance(e.function, tree.Name) else put_in(e.function, values)
            return replace(e, function=function, arguments=tuple(put_in(part, values) for part in e.arguments))
        case tree.Index():
            base = e.base if isinstance(e.base, tree.Name) else put_in(e.base, values)
            return replace(e, base=base, index=put_in(e.index, values))
        case tuple():
            return tuple(put_in(part, values) for part in e)
        case Frozen() if not isinstance(e, Span):
            return replace(e, **{name: put_in(value, values) for name, value in as_dict(e).items()})
        case _:
            return e


def size(e: object) -> int:
    """How many names, numbers and operations an expression has."""
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
