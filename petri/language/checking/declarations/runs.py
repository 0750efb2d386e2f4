"""The `run` line: the default length of a run and the number of replications."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from petri.language.checking.expressions.quantities import as_given
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import as_float, evaluate
from petri.language.meaning.types import INT, REAL, Scalar
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import MOST_REPLICATIONS, RunDefaults

T = TypeVar("T")


def run_defaults(checker: CheckState, d: tree.Run | None) -> RunDefaults:
    """Return the defaults as written, or those of a net without a `run` line."""
    if d is None:
        return RunDefaults()

    def read(work: Callable[..., T], e: tree.Expr | None, *limits: float) -> T | None:
        return None if e is None else checker.problems.attempt(work, checker, e, *limits)

    until = math.inf if d.dead or is_condition(d.until) else read(_instant, d.until)
    warmup = read(_instant, d.warmup, 0.0)
    if until is not None and warmup is not None and d.warmup is not None and warmup >= until:
        checker.problems.error("warmup-too-long", d.warmup.span)
    replications = read(_whole, d.replications, 1, MOST_REPLICATIONS)
    seed = read(_whole, d.seed, 0)
    return RunDefaults(
        until,
        warmup or 0.0,
        1 if replications is None else replications,
        1 if seed is None else seed,
        precision=read(_share, d.precision) or 0.0,
    )


def is_condition(e: tree.Expr | None) -> bool:
    """Return whether a run is to end at a condition, `until count(send) >= 100`, and not at a time."""
    if isinstance(e, tree.Paren):
        return is_condition(e.inner)
    return (isinstance(e, tree.Unary) and e.operator == "not") or (
        isinstance(e, tree.Binary) and e.operator not in ("+", "-", "*", "/", "div", "mod")
    )


def _share(checker: CheckState, e: tree.Expr) -> float:
    """Return a precision, from 0 to 1."""
    value = _constant(checker, e, REAL)
    if not 0 < value < 1:
        raise CheckError("run-precision", e.span, text=checker.problems.text(e.span))
    return value


def _constant(checker: CheckState, e: tree.Expr, kind: Scalar) -> float | int:
    node = needed(Reader(checker, checker.scope, "the `run` line").read_fixed(e, kind))
    value = evaluate(node, ())
    return int(value) if kind is INT else as_float(value, node.span)


def _instant(checker: CheckState, e: tree.Expr, least: float | None = None) -> float:
    value = _constant(checker, e, checker.units.time_type)
    if value < 0 or (least is None and value == 0):
        text = "greater than 0" if least is None else "at least 0"
        raise CheckError("run-value", e.span, text=checker.problems.text(e.span), wanted=text)
    return as_given(value, e)


def _whole(checker: CheckState, e: tree.Expr, least: int, most: float = math.inf) -> int:
    value = _constant(checker, e, INT)
    if not least <= value <= most:
        text = f"at least {least}" if value < least else f"at most {most}"
        raise CheckError("run-value", e.span, text=checker.problems.text(e.span), wanted=text)
    return int(value)
