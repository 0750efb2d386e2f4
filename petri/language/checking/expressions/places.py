"""The place that an arc, an argument or `tokens(…)` names."""

from __future__ import annotations

from collections.abc import Container

from petri.language.checking.expressions.names import names_in
from petri.language.checking.expressions.reader import Reader
from petri.language.meaning.scope import PlaceSymbol, kind_of
from petri.language.meaning.templates import PlaceUse
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import Span


def place_use(reader: Reader, e: tree.Expr) -> PlaceUse:
    """Return the place, or the part of an array of places, that an expression names: with fewer indices than it has, a
    row.

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
        values = _meant_by_arc(reader, e)
        raise CheckError(identifier, e.span, text=reader.problems.text(e.span), **values)
    symbol = reader.scope.find(inner.name)
    if "." in inner.name and inner.name not in reader.scope.names and isinstance(symbol, PlaceSymbol):
        raise CheckError("place-of-instance", e.span, text=reader.problems.text(e.span))
    if not isinstance(symbol, PlaceSymbol):
        raise _no_place(reader, inner, symbol)
    if len(written) > len(symbol.indices):
        if symbol.array:
            require_element(PlaceUse(symbol, (), e.span), e.span)
        last = written[-1]
        share = isinstance(last, tree.Number) and 0 < last.value < 1
        weight = reader.problems.text(last.span) if share else None
        raise CheckError("index-on-place", e.span, name=symbol.name, weight=weight)
    nodes = [reader.read_scalar(index, own.kind) for index, own in zip(written, symbol.indices, strict=False)]
    return PlaceUse(symbol, tuple(map(needed, nodes)), e.span)


def as_loops(reader: Reader, e: tree.Expr, names: Container[str]) -> str | None:
    """`d in 0..3`, which makes the names among the indices constants, if each index is a name or a constant."""
    written: list[tree.Expr] = []
    inner = e
    while isinstance(inner, tree.Index) and inner.index is not None:
        written.insert(0, inner.index)
        inner = inner.base
    symbol = reader.scope.find(inner.name) if isinstance(inner, tree.Name) else None
    size = (
        symbol.declaration.size
        if isinstance(symbol, PlaceSymbol) and isinstance(symbol.declaration, tree.Place)
        else ()
    )
    found: dict[str, str] = {}
    for index, values in zip(written, size, strict=False):
        if isinstance(index, tree.Name) and index.name in names:
            values = values.range if isinstance(values, tree.Loop) else values
            found[index.name] = f"{index.name} in {reader.problems.text(values.span)}"
        elif any(name in names for name in names_in(index)):
            return None
    return ", ".join(found.values()) or None


def require_element(use: PlaceUse, span: Span) -> None:
    """Raise CheckError if not one place is meant, but several of an array."""
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


def _meant_by_arc(reader: Reader, e: tree.Expr) -> dict[str, str]:
    """Return values for the hints on an arc that names no place."""
    text = reader.problems.text(e.span)
    if isinstance(e, tree.Number) and isinstance(reader.scope.find(e.unit or ""), PlaceSymbol):
        return {"count": f"{e.text} * {e.unit}"}
    if isinstance(e, tree.List):
        return {"arcs": text[1:-1]}
    if isinstance(e, tree.Binary) and e.operator == "+":
        return {"arcs": ", ".join(reader.problems.text(part.span) for part in _summands(e))}
    if isinstance(e, tree.Index) and isinstance(e.base, tree.Call) and isinstance(e.index, (tree.Binary, tree.Unary)):
        return {"guard": reader.problems.text(e.index.span)}
    return {}


def _summands(e: tree.Expr) -> list[tree.Expr]:
    if isinstance(e, tree.Binary) and e.operator == "+":
        return [*_summands(e.left), *_summands(e.right)]
    return [e]
