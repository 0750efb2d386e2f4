"""The parts of an arc's term, `n * place(pattern)`."""

from __future__ import annotations

from petri.catalogue.words import ARC_WORDS
from petri.language.checking.expressions.reader import Reader
from petri.language.problems import CheckError
from petri.language.syntax import tree


def is_place_term(e: tree.Expr) -> bool:
    """Whether an expression can be `place`, `place(pattern)`, `array[i]` or `array[i](pattern)`."""
    if isinstance(e, tree.Call):
        return isinstance(e.function, (tree.Name, tree.Index, tree.Field))
    return isinstance(e, (tree.Name, tree.Index, tree.Field))


def array_of(e: tree.Expr) -> tree.Expr:
    """What `voq[i][j]` is an element of: `voq`."""
    while isinstance(e, tree.Index):
        e = e.base
    return e


def split_term(e: tree.Expr) -> tuple[tree.Expr | None, tree.Expr, tuple[tree.Expr, ...]]:
    """`n * place(a)` as (n, place, (a,)); any other expression is returned as the place."""
    count = None
    if isinstance(e, tree.Binary) and e.operator == "*":
        count, e = e.left, e.right
    while isinstance(e, tree.Paren):
        e = e.inner
    if isinstance(e, tree.Call):
        return count, e.function, e.arguments
    return count, e, ()


def require_no_call(reader: Reader, place: tree.Expr, arguments: tuple[tree.Expr, ...], e: tree.Expr) -> None:
    """Raises CheckError for `read(table(x))`, the form that arcs have in programs; a place may be called `read`."""
    if not isinstance(place, tree.Name) or place.name not in ARC_WORDS or len(arguments) != 1:
        return
    if reader.scope.find(place.name) is None:
        form = f"{place.name} {reader.problems.text(arguments[0].span)}"
        raise CheckError("arc-in-parentheses", e.span, word=place.name, form=form)
