"""The parts of an arc's term, `n * place(pattern)`."""

from __future__ import annotations

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
