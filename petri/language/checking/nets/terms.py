"""The parts of an arc's term, `n * place(pattern)`."""

from __future__ import annotations

from collections.abc import Sequence

from petri.catalogue.operations import DISTRIBUTIONS
from petri.catalogue.units import TIME, TIMES
from petri.catalogue.words import ARC_WORDS
from petri.language.checking.expressions.reader import Reader
from petri.language.meaning.scope import ConstantSymbol
from petri.language.meaning.types import Scalar
from petri.language.problems import CheckError
from petri.language.syntax import tree


def is_place_term(e: tree.Expr) -> bool:
    """Return whether an expression can be `place`, `place(pattern)`, `array[i]` or `array[i](pattern)`."""
    if isinstance(e, tree.Call):
        return isinstance(e.function, (tree.Name, tree.Index, tree.Field))
    return isinstance(e, (tree.Name, tree.Index, tree.Field))


def array_of(e: tree.Expr) -> tree.Expr:
    """Return what `voq[i][j]` is an element of: `voq`."""
    while isinstance(e, tree.Index):
        e = e.base
    return e


def split_term(e: tree.Expr) -> tuple[tree.Expr | None, tree.Expr, tuple[tree.Expr, ...]]:
    """`n * place(a)`, also behind `m..`, as (n, place, (a,)); any other expression is returned as the place."""
    count = None
    if isinstance(e, tree.Range):
        e = e.high
    if isinstance(e, tree.Binary) and e.operator == "*":
        count, e = e.left, e.right
    while isinstance(e, tree.Paren):
        e = e.inner
    if isinstance(e, tree.Call):
        return count, e.function, e.arguments
    return count, e, ()


def require_no_call(reader: Reader, place: tree.Expr, arguments: tuple[tree.Expr, ...], e: tree.Expr) -> None:
    """Raise CheckError for `read(table(x))`, the form that arcs have in programs; a place may be called `read`."""
    if not isinstance(place, tree.Name) or place.name not in ARC_WORDS or len(arguments) != 1:
        return
    if reader.scope.find(place.name) is None:
        form = f"{place.name} {reader.problems.text(arguments[0].span)}"
        raise CheckError("arc-in-parentheses", e.span, word=place.name, form=form)


def refuse_other_terms(reader: Reader, e: tree.Expr) -> None:
    """Raise CheckError for what programs of other kinds have among their arcs: a time, or a choice."""
    text = reader.problems.text(e.span)
    if isinstance(e, tree.Call) and isinstance(e.function, tree.Name) and e.function.name in DISTRIBUTIONS:
        if reader.scope.find(e.function.name) is not None:
            return
        weights = [
            reader.problems.text(argument.weight.span)
            for argument in e.arguments
            if isinstance(argument, tree.Weighted)
        ]
        if weights:
            raise CheckError("output-chosen", e.span, sign="choice", first=weights[0], second=(*weights, "1")[1])
        raise CheckError("time-as-arc", e.span, text=text)
    symbol = reader.scope.find(e.name) if isinstance(e, tree.Name) else None
    if isinstance(symbol, ConstantSymbol):
        reader.checker.resolve(symbol)
    kind = symbol.type if isinstance(symbol, ConstantSymbol) else None
    unit = e.unit if isinstance(e, tree.Number) else None
    if unit in TIMES or (isinstance(kind, Scalar) and kind.dimension == TIME):
        raise CheckError("time-as-arc", e.span, text=text)


def refuse_shares(reader: Reader, outputs: Sequence[tree.Expr]) -> None:
    """Raise CheckError for `0.3 * a, 0.7 * b`: a number of tokens is whole."""
    numbers = [e.left for e in outputs if isinstance(e, tree.Binary) and e.operator == "*"]
    shares = [e for e in numbers if isinstance(e, tree.Number) and e.unit is None and 0 < e.value < 1]
    if shares:
        first, second = ([reader.problems.text(e.span) for e in shares] + ["1"])[:2]
        raise CheckError("output-chosen", shares[0].span, sign="*", first=first, second=second)
