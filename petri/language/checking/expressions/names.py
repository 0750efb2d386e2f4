"""The names and the parts of an expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen


def nodes_in(e: object) -> Iterator[Any]:
    """Every node of the tree in an expression, or in several."""
    if isinstance(e, tuple):
        for part in e:
            yield from nodes_in(part)
    elif isinstance(e, Frozen) and not isinstance(e, Span):
        yield e
        for name in e.__struct_fields__:
            yield from nodes_in(getattr(e, name))


def mentions(e: object) -> Iterator[tuple[str, Span]]:
    """Every name that an expression mentions as a value, and where; a bare field of a record is one too.

    The names of functions and of arrays are none.
    """
    match e:
        case tree.Name():
            yield e.name, e.span
        case tree.Record():
            for name, value, span in e.fields:
                yield from ((name, span),) if value is None else mentions(value)
        case tree.Call(function=tree.Name()):
            yield from mentions(e.arguments)
        case tree.Index(base=tree.Name()):
            yield from mentions(e.index)
        case tuple():
            for part in e:
                yield from mentions(part)
        case Frozen() if not isinstance(e, Span):
            for name in e.__struct_fields__:
                yield from mentions(getattr(e, name))


def names_in(e: object) -> Iterator[str]:
    """The names that an expression mentions as values."""
    return (name for name, _ in mentions(e))
