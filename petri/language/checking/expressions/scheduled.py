"""The value of a schedule as an expression of the language."""

from __future__ import annotations

from fractions import Fraction

from petri.language.syntax import tree
from petri.net import Span


def stage_name(schedule: str, position: int) -> str:
    """Return the constant that is the value of a stage."""
    return f"{schedule}.{position}"


def number(value: int, span: Span) -> tree.Number:
    return tree.Number(Fraction(value), str(value), None, span)


def value_of(name: tree.Name, stages: int, first: int = 0) -> tree.Expr:
    """Return the value of a schedule, by bisection: there have been `first` to `first + stages - 1` changes."""
    span = name.span
    if stages == 1:
        return tree.Name(stage_name(name.name, first), span)
    early = stages // 2
    changes = tree.Call(tree.Name("tokens", span), (tree.Name(f"{name.name}.phase", span),), span)
    asked = tree.Binary("<", changes, number(first + early, span), span)
    later = value_of(name, stages - early, first + early)
    return tree.If(asked, value_of(name, early, first), later, span)
