"""The names and the parts of an expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen


def nodes_in(e: object) -> Iterator[Any]:
    """Yield every node of the tree in an expression, or in several."""
    if isinstance(e, tuple):
        for part in e:
            yield from nodes_in(part)
    elif isinstance(e, Frozen) and not isinstance(e, Span):
        yield e
        for name in e.__struct_fields__:
            yield from nodes_in(getattr(e, name))


def mentions(e: object) -> Iterator[tuple[str, Span]]:
    """Yield every name that an expression mentions as a value, and where; a bare field of a record is one too.

    The names of functions and of arrays of places that get tokens are none, nor is `x` in `count(x in v: x > 0)`.
    """
    match e:
        case tree.Name():
            yield e.name, e.span
        case tree.Record():
            for name, value, span in e.fields:
                yield from ((name, span),) if value is None else mentions(value)
        case tree.Call(function=tree.Name()):
            yield from mentions(e.arguments)
        case tree.Call(function=tree.Index() as place):
            yield from mentions((indices_of(place), e.arguments))
        case tree.Each() | tree.ListFor():
            yield from mentions(e.over.source)
            yield from (mention for mention in mentions(e.value) if mention[0] != e.over.variable)
        case tuple():
            for part in e:
                yield from mentions(part)
        case Frozen() if not isinstance(e, Span):
            for name in e.__struct_fields__:
                yield from mentions(getattr(e, name))


def indices_of(e: tree.Expr) -> tuple[tree.Expr | None, ...]:
    """Return those of a place, from the last; what has no name is a part, too."""
    if isinstance(e, tree.Index):
        return (e.index, *indices_of(e.base))
    return () if isinstance(e, tree.Name) else (e,)


def names_in(e: object) -> Iterator[str]:
    """Yield the names that an expression mentions as values."""
    return (name for name, _ in mentions(e))
