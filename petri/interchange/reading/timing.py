"""Times of transitions: rates as means, and rates that depend on the marking."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Final

from petri.interchange.reading.foreign import Transition
from petri.interchange.reading.infix import ATOM, Writer, as_real, bare, decimal_of, mean_of_rate, value_of
from petri.interchange.reading.tokens import Node


def exponential(
    transition: Transition, rate: Node, writer: Writer, sure: Callable[[str], bool], signed: Collection[str] = ()
) -> None:
    """Set an exponential time with this rate. Where the marking can make it 0, the transition is not enabled then.

    sure: whether a place of the file holds a token whenever the transition is enabled. signed: what may be negative.
    """
    text = writer.text(rate)
    is_signed = any(part.op == "tokens" and part.text in signed for part in rate.everywhere())
    if not is_signed and _positive(rate, sure):
        transition.clauses["after"] = f"exp({mean_text(rate, writer)})"
        return
    transition.clauses["let"] = f"rate = {bare(text)}"
    transition.clauses["after"] = "exp(1 / rate)"
    guard(transition, "rate > 0")


def mean_text(rate: Node, writer: Writer) -> str:
    """1 / rate: a number where it is a short one, and a quotient is turned over."""
    value = value_of(rate, {})
    short = (decimal_of(1 / value) or _rounded(value)) if value else None
    if short is not None:
        return short
    fixed = [part for part in _product(rate) if not _varies(part)]
    varying = [part for part in _product(rate) if _varies(part)]
    if fixed and varying:  # a mean of its own, from which the tick of the net follows, divided by what varies
        return f"{_quotient(mean_text(_times(fixed), writer))} / {writer.operand(_times(varying), ATOM)}"
    if rate.op == "/":
        numerator, denominator = rate.parts
        one = value_of(numerator, {}) == 1
        return writer.text(denominator if one else Node("/", (denominator, numerator)))
    return mean_of_rate(writer.text(rate))


def _product(node: Node) -> list[Node]:
    return [factor for part in node.parts for factor in _product(part)] if node.op == "*" else [node]


def _times(factors: Sequence[Node]) -> Node:
    first, *rest = factors
    return Node("*", (_times(factors[:-1]), rest[-1])) if rest else first


def _varies(node: Node) -> bool:
    return any(part.op == "tokens" for part in node.everywhere())


def _quotient(text: str) -> str:
    """Return a text to be divided."""
    return text if re.fullmatch(r"[\w. /*]+", text) else f"({text})"


def _rounded(rate: Fraction) -> str | None:
    """Return a short mean whose reciprocal, rounded to a double, is the rate: 3 for 0.3333333333333333."""
    mean = decimal_of(Fraction(repr(1 / float(rate))))
    return mean if mean is not None and 1 / float(mean) == float(rate) else None


def guard(transition: Transition, condition: str) -> None:
    """Add a condition; it is a comparison, or in parentheses."""
    before = transition.clauses.get("when")
    transition.clauses["when"] = f"{before} and {condition}" if before else condition


def _positive(node: Node, sure: Callable[[str], bool]) -> bool:
    """Return whether a rate is above 0: constants are, and numbers of tokens where a place surely holds some."""
    if node.op == "tokens":
        return sure(node.text)
    if not _varies(node):
        return value_of(node, {}) != 0
    if node.op in ("*", "/") or node.text == "min":
        return all(_positive(part, sure) for part in node.parts)
    if node.op == "if":
        return all(_positive(part, sure) for part in node.parts[1:])
    if node.op == "+" or node.text == "max":
        return any(_positive(part, sure) for part in node.parts) and all(map(_not_negative, node.parts))
    return False


def _not_negative(node: Node) -> bool:
    if not _varies(node) or node.op == "tokens":
        return True
    parts = node.parts[1:] if node.op == "if" else node.parts
    return (node.op in ("+", "*", "/", "if") or node.text in ("min", "max")) and all(map(_not_negative, parts))


def _uniform(low: str, high: str) -> str:
    return f"uniform({as_real(low)}..{as_real(high)})"


def _erlang(rate: str, stages: str) -> str:
    return f"erlang({stages}, {stages} / {rate})"


def _pareto(scale: str, shape: str) -> str:
    return f"pareto({shape}, {scale} * {shape} / ({shape} - 1))"


# Distributions by the names that other tools give them, in lower case: how many parameters, and what is written.
DISTRIBUTIONS: Final[dict[str, tuple[int, Callable[..., str]]]] = {
    "i": (1, lambda value: value),
    "det": (1, lambda value: value),
    "deterministic": (1, lambda value: value),
    "const": (1, lambda value: value),
    "uniform": (2, _uniform),
    "unif": (2, _uniform),
    "erlang": (2, _erlang),
    "pareto": (2, _pareto),
    "exp": (1, lambda rate: f"exp({mean_of_rate(rate)})"),
    "exponential": (1, lambda rate: f"exp({mean_of_rate(rate)})"),
}


def distribution(name: str, parameters: Sequence[str]) -> str | None:
    """Return a time of another tool; None if it is not known."""
    count, write = DISTRIBUTIONS.get(name.lower(), (-1, str))
    return write(*parameters) if count == len(parameters) else None
