"""The place that an arc, an argument or `tokens(…)` names."""

from __future__ import annotations

from petri.language.checking.expressions.reader import Reader
from petri.language.meaning.scope import PlaceSymbol, kind_of
from petri.language.meaning.templates import PlaceUse
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import Span


def place_use(reader: Reader, e: tree.Expr) -> PlaceUse:
    """The place, or the part of an array of places, that an expression names: with fewer indices than it has, a row.

    Raises CheckError.
    """
    written: list[tree.Expr] = []
    inner = e
    while isinstance(inner, tree.Index):
        if inner.index is None:
            raise CheckError("star-outside-measure", inner.span)
        written.insert(0, inner.index)
        inner = inner.base
    if not isinstance(inner, tree.Name):
        identifier = "place-of-instance" if isinstance(inner, tree.Field) else "arc-not-place"
        values = {}
        if isinstance(inner, tree.Number) and isinstance(reader.scope.find(inner.unit or ""), PlaceSymbol):
            values["count"] = f"{inner.text} * {inner.unit}"
        raise CheckError(identifier, e.span, text=reader.problems.text(e.span), **values)
    symbol = reader.scope.find(inner.name)
    if "." in inner.name and inner.name not in reader.scope.names and isinstance(symbol, PlaceSymbol):
        raise CheckError("place-of-instance", e.span, text=reader.problems.text(e.span))
    if not isinstance(symbol, PlaceSymbol):
        raise _no_place(reader, inner, symbol)
    if len(written) > len(symbol.indices):
        if symbol.array:
            require_element(PlaceUse(symbol, (), e.span), e.span)
        raise CheckError("index-on-place", e.span, name=symbol.name)
    nodes = [reader.read_scalar(index, own.kind) for index, own in zip(written, symbol.indices, strict=False)]
    return PlaceUse(symbol, tuple(map(needed, nodes)), e.span)


def require_element(use: PlaceUse, span: Span) -> None:
    """Raises CheckError if not one place is meant, but several of an array."""
    if len(use.indices) != len(use.symbol.indices):
        letters = ", ".join("ijklmnop"[: len(use.symbol.indices)])
        raise CheckError("array-without-index", span, name=use.symbol.name, form=f"{use.symbol.name}[{letters}]")


def _no_place(reader: Reader, e: tree.Name, symbol: object) -> CheckError:
    if symbol is not None:
        return CheckError("not-a-place", e.span, name=e.name, kind=kind_of(symbol))  # type: ignore[arg-type]
    places = (name for name, found in reader.scope.names.items() if isinstance(found, PlaceSymbol))
    outside = reader.scope.outer is not None and isinstance(reader.scope.outer.names.get(e.name), PlaceSymbol)
    known, instead = ((), e.name) if outside else (places, None)
    arrow = "->" if e.name == "nothing" else None
    return reader.checker.unknown("unknown-place", e.span, e.name, known, outside=instead, arrow=arrow)
