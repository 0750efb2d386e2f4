"""Expressions of steps: the names in them, and values put in for names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen, as_dict, replace


def names(e: object) -> Iterator[str]:
    """The names that an expression mentions as values; not those of functions and arrays."""
    match e:
        case tree.Name():
            yield e.name
        case tree.Record():
            for name, value, _ in e.fields:
                yield from (name,) if value is None else names(value)
        case tree.Call() | tree.Index():
            base = e.function if isinstance(e, tree.Call) else e.base
            if not isinstance(base, tree.Name):
                yield from names(base)
            for part in e.arguments if isinstance(e, tree.Call) else (e.index,):
                yield from names(part)
        case tuple():
            for part in e:
                yield from names(part)
        case Frozen() if not isinstance(e, Span):
            for value in as_dict(e).values():
                yield from names(value)


def asks(e: object, function: str) -> bool:
    """Whether an expression calls a function such as `tokens(…)`."""
    match e:
        case tree.Call(function=tree.Name(name=name)) if name == function:
            return True
        case tuple():
            return any(asks(part, function) for part in e)
        case Frozen() if not isinstance(e, Span):
            return any(asks(value, function) for value in as_dict(e).values())
        case _:
            return False


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
    if isinstance(e, tuple):
        return sum(map(size, e))
    if not isinstance(e, Frozen) or isinstance(e, Span):
        return 0
    return 1 + sum(map(size, as_dict(e).values()))


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
