"""Clocks whose speed reads their tokens (C5): a binding whose clock would stand still has none."""

from __future__ import annotations

from collections.abc import Mapping

from petri.net import Expr, Scalar

Least = Mapping[int, Scalar | None]
"""The least value that a variable can have, by its number; None if it has no bound."""


def with_moving_clocks(guard: Expr | None, moving: Expr, least: Least) -> Expr | None:
    """Return the guard, and that the speed is not 0 whatever the marking.

    Tokens do not change while they are there: such a clock would never run down.
    """
    if _is_positive(moving, least):
        return guard
    moves = Expr("ne", "bool", (moving, Expr("const", "real", (), 0.0)))
    return moves if guard is None else Expr("and", "bool", (guard, moves))


def _is_positive(e: Expr, least: Least) -> bool:
    if e.op == "const":
        return e.value is not None and e.value > 0
    if e.op == "var" and isinstance(e.value, int):
        bound = least.get(e.value)
        return bound is not None and bound > 0
    parts = e.args[1:] if e.op == "if" else e.args
    known = ("real", "add", "mul", "div", "min", "max", "if", "ticks", "units")
    return e.op in known and all(_is_positive(part, least) for part in parts)
