"""Figures of the marking: what a reward of other tools adds up while conditions hold."""

from __future__ import annotations

from collections.abc import Sequence

from petri.interchange.reading.infix import Writer, bare, value_of
from petri.interchange.reading.tokens import Node

_TRUE = Node("name", text="true")
_TRUTH = ("==", "!=", "<", "<=", ">", ">=", "and", "or", "not")


def figure(items: Sequence[tuple[Node, Node]], writer: Writer) -> str:
    """Return the mean over time of the sum of the values whose conditions hold; each item is a condition and its value.

    Raises InfixError.
    """
    (condition, value), *others = items
    if not others and value_of(value, {}) == 1:
        return f"share({writer.text(condition)})"
    if not others and _is_true(condition) and value.op == "tokens":
        return f"mean({writer.text(value).removeprefix('tokens(').removesuffix(')')})"
    total = " + ".join(writer.operand(_of(*item), 5) for item in items)
    return f"mean({bare(total)})"


def figure_of_tokens(place: str, items: Sequence[tuple[Node, Node]], writer: Writer) -> str:
    """Return the same of values of a place's tokens, which the writer calls `value`. Raises InfixError."""
    total = " + ".join(writer.operand(_of(*item), 5) for item in items)
    return f"mean({place}, {bare(total)})"


def reward(formula: Node, writer: Writer) -> str:
    """Return the mean over time of a formula, in which `ifelse(condition, 1, 0)` is a share of time.

    Raises InfixError.
    """
    if formula.op in _TRUTH:
        return figure([(formula, Node("number", text="1"))], writer)
    if formula.op in ("call", "if") and formula.text in ("ifelse", "") and len(formula.parts) == 3:
        condition, then, otherwise = formula.parts
        if value_of(otherwise, {}) == 0:
            return figure([(condition, then)], writer)
        if value_of(then, {}) == 0 and value_of(otherwise, {}) == 1:
            return figure([(Node("not", (condition,)), otherwise)], writer)
    return figure([(_TRUE, formula)], writer)


def _is_true(condition: Node) -> bool:
    return condition.op == "name" and condition.text == "true"


def _of(condition: Node, value: Node) -> Node:
    return value if _is_true(condition) else Node("if", (condition, value, Node("number", text="0")))
