"""The `run` line: the default length of a run and the number of replications."""

from __future__ import annotations

import math

from petri.language.checking.expressions.reader import Reader
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import as_float, evaluate
from petri.language.meaning.types import INT, REAL, Scalar
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import MOST_REPLICATIONS, RunDefaults


def run_defaults(checker: CheckState, d: tree.Run | None) -> RunDefaults:
    """The defaults as written, or those of a net without a `run` line."""
    if d is None:
        return RunDefaults()
    until: float | None = None
    if d.dead or is_condition(d.until):
        until = math.inf
    elif d.until is not None:
        until = _instant(checker, d.until, least=None)
    warmup = _instant(checker, d.warmup, least=0.0) if d.warmup is not None else None
    if until is not None and warmup is not None and d.warmup is not None and warmup >= until:
        checker.problems.error("warmup-too-long", d.warmup.span)
    replications = _whole(checker, d.replications, 1, MOST_REPLICATIONS) if d.replications is not None else None
    seed = _whole(checker, d.seed, 0) if d.seed is not None else None
    return RunDefaults(
        until,
        warmup or 0.0,
        1 if replications is None else replications,
        1 if seed is None else seed,
        precision=_share(checker, d.precision),
    )


def is_condition(e: tree.Expr | None) -> bool:
    """Whether a run is to end at a condition, `until count(send) >= 100`, and not at a time."""
    if isinstance(e, tree.Paren):
        return is_condition(e.inner)
    return (isinstance(e, tree.Unary) and e.operator == "not") or (
        isinstance(e, tree.Binary) and e.operator not in ("+", "-", "*", "/", "div", "mod")
    )


def _share(checker: CheckState, e: tree.Expr | None) -> float:
    """A precision, from 0 to 1; 0 if there is none."""
    value = None if e is None else _constant(checker, e, REAL)
    if e is None or value is None or 0 < value < 1:
        return float(value or 0.0)
    checker.problems.error("run-precision", e.span, text=checker.problems.text(e.span))
    return 0.0


def _constant(checker: CheckState, e: tree.Expr, kind: Scalar) -> float | int | None:
    node = Reader(checker, checker.scope, "the `run` line").read_fixed(e, kind)
    if node is None:
        return None
    try:
        value = evaluate(node, ())
        return int(value) if kind is INT else as_float(value, node.span)
    except CheckError as fault:
        checker.problems.fault(fault)
        return None


def _instant(checker: CheckState, e: tree.Expr, least: float | None) -> float | None:
    value = _constant(checker, e, checker.units.time_type)
    if value is not None and (value < 0 or (least is None and value == 0)):
        text = "greater than 0" if least is None else "at least 0"
        checker.problems.error("run-value", e.span, text=checker.problems.text(e.span), wanted=text)
        return None
    return value


def _whole(checker: CheckState, e: tree.Expr, least: int, most: float = math.inf) -> int | None:
    value = _constant(checker, e, INT)
    if value is not None and not least <= value <= most:
        text = f"at least {least}" if value < least else f"at most {most}"
        checker.problems.error("run-value", e.span, text=checker.problems.text(e.span), wanted=text)
        return None
    return None if value is None else int(value)
