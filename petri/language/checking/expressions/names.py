"""The names and fields in an expression."""

from __future__ import annotations

from collections.abc import Iterator

from petri.language.syntax import tree
from petri.structs import Frozen


def names_in(e: object) -> Iterator[str]:
    """Every name that an expression mentions as a value; a bare field of a record is one too."""
    match e:
        case tree.Name():
            yield e.name
        case tree.Field():
            yield from names_in(e.base)
        case tree.Index():
            yield from names_in(e.base if isinstance(e.base, tree.Index) else None)
            yield from names_in(e.index)
        case tree.Call():
            for argument in e.arguments:
                yield from names_in(argument)
        case tree.List():
            for item in e.items:
                yield from names_in(item)
        case tree.Record():
            for name, value, _ in e.fields:
                yield from names_in(value) if value is not None else (name,)
        case tree.With():
            yield from names_in(e.base)
            yield from names_in(e.changes)
        case tree.Unary():
            yield from names_in(e.operand)
        case tree.Binary():
            yield from names_in(e.left)
            yield from names_in(e.right)
        case tree.If():
            yield from names_in(e.condition)
            yield from names_in(e.then)
            yield from names_in(e.otherwise)
        case tree.Paren():
            yield from names_in(e.inner)
        case tree.Range():
            yield from names_in(e.low)
            yield from names_in(e.high)


def fields_in(e: object) -> Iterator[tree.Field]:
    """Every `a.b` in an expression."""
    if isinstance(e, tuple):
        for part in e:
            yield from fields_in(part)
    elif isinstance(e, Frozen):
        if isinstance(e, tree.Field):
            yield e
        for name in e.__struct_fields__:
            yield from fields_in(getattr(e, name))
