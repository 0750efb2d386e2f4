"""The place that an arc, an argument or `tokens(…)` names."""

from __future__ import annotations

from petri.language.checking.expressions.reader import Reader
from petri.language.meaning.scope import PlaceSymbol, kind_of
from petri.language.meaning.templates import PlaceUse
from petri.language.syntax import tree
from petri.net import Span


def place_use(reader: Reader, e: tree.Expr) -> PlaceUse | None:
    """The place, or the part of an array of places, that an expression names: with fewer indices than it has, a row."""
    written: list[tree.Expr] = []
    inner = e
    while isinstance(inner, tree.Index):
        if inner.index is None:
            reader.problems.error("star-outside-measure", inner.span)
            return None
        written.insert(0, inner.index)
        inner = inner.base
    if not isinstance(inner, tree.Name):
        identifier = "place-of-instance" if isinstance(inner, tree.Field) else "arc-not-place"
        reader.problems.error(identifier, e.span, text=reader.problems.text(e.span))
        return None
    symbol = reader.scope.find(inner.name)
    if "." in inner.name and inner.name not in reader.scope.names and isinstance(symbol, PlaceSymbol):
        reader.problems.error("place-of-instance", e.span, text=reader.problems.text(e.span))
        return None
    if not isinstance(symbol, PlaceSymbol):
        _no_place(reader, inner, symbol)
        return None
    if len(written) > len(symbol.indices):
        if symbol.array:
            is_element(reader, PlaceUse(symbol, (), e.span), e.span)
        else:
            reader.problems.error("index-on-place", e.span, name=symbol.name)
        return None
    nodes = [reader.read_scalar(index, own.kind) for index, own in zip(written, symbol.indices, strict=False)]
    found = tuple([node for node in nodes if node is not None])
    return PlaceUse(symbol, found, e.span) if len(found) == len(nodes) else None


def is_element(reader: Reader, use: PlaceUse, span: Span) -> bool:
    """Whether one place is meant, and not several of an array; otherwise reports it."""
    if len(use.indices) == len(use.symbol.indices):
        return True
    letters = ", ".join("ijklmnop"[: len(use.symbol.indices)])
    reader.problems.error("array-without-index", span, name=use.symbol.name, form=f"{use.symbol.name}[{letters}]")
    return False


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
