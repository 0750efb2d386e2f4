"""The place that an arc, an argument or `tokens(…)` names."""

from __future__ import annotations

from petri.language.checking.expressions import Reader
from petri.language.meaning.scope import PlaceSymbol, kind_of
from petri.language.meaning.templates import PlaceUse
from petri.language.meaning.types import INT
from petri.language.syntax import tree


def place_use(reader: Reader, e: tree.Expr) -> PlaceUse | None:
    """The place, or the element of an array, that an expression names."""
    index = None
    inner = e
    if isinstance(inner, tree.Index):
        if inner.index is None:
            reader.problems.error("star-outside-measure", inner.span)
            return None
        index, inner = inner.index, inner.base
    if not isinstance(inner, tree.Name):
        identifier = "place-of-instance" if isinstance(inner, tree.Field) else "arc-not-place"
        array = inner.base if isinstance(inner, tree.Index) else None
        if isinstance(array, tree.Name) and reader.checker.excused(array.name):
            return None
        reader.problems.error(identifier, e.span, text=reader.problems.text(e.span))
        return None
    symbol = reader.scope.find(inner.name)
    if "." in inner.name and inner.name not in reader.scope.names and isinstance(symbol, PlaceSymbol):
        reader.problems.error("place-of-instance", e.span, text=reader.problems.text(e.span))
        return None
    if not isinstance(symbol, PlaceSymbol):
        _no_place(reader, inner, symbol)
        return None
    node = reader.read_scalar(index, INT) if index is not None else None
    if index is not None and (node is None or not symbol.array):
        if not symbol.array:
            reader.problems.error("index-on-place", e.span, name=symbol.name)
        return None
    return PlaceUse(symbol, node, e.span)


def _no_place(reader: Reader, e: tree.Name, symbol: object) -> None:
    if symbol is not None:
        reader.problems.error("not-a-place", e.span, name=e.name, kind=kind_of(symbol))  # type: ignore[arg-type]
        return
    if reader.checker.excused(e.name):
        return
    places = (name for name, found in reader.scope.names.items() if isinstance(found, PlaceSymbol))
    outside = reader.scope.outer is not None and isinstance(reader.scope.outer.names.get(e.name), PlaceSymbol)
    reader.problems.error(
        "unknown-place",
        e.span,
        name=e.name,
        suggestion=None if outside else reader.problems.meant(e.name, places),
        outside=e.name if outside else None,
    )
