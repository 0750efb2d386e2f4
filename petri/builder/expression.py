"""Expressions of the language, written with Python's operators.

An expression is its text and how tightly its outermost operator binds. A `str` given by the user is text of the
language; numbers and truth values are written as the language writes them.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

OR, AND, NOT, COMPARED, SUM, PRODUCT, MINUS, ATOM = range(1, 9)  # from loosest to tightest
_SIMPLE: Final = re.compile(r"\s*(?:[A-Za-z_][\w.]*|[\d.]+(?:[eE][+-]?\d+)?\s*(?:[A-Za-z]+|%)?)\s*")


class Expression:
    """Text of the language. `p.size` is a field, `queue(p)` a call or an arc, `&`, `|` and `~` are and, or and not."""

    __slots__ = ("_binds", "_text")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str, binds: int = ATOM) -> None:
        self._text = text
        self._binds = binds

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self._text}>"

    def __bool__(self) -> bool:
        raise TypeError(
            f"whether `{self._text}` holds is known only during a run: write & for and, | for or, ~ for not, and "
            "where(condition, a, b) for if"
        )

    def __iter__(self) -> Any:
        raise TypeError(f"`{self._text}` is one expression, not a list")

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("_"):
            raise AttributeError(name)
        return Expression(f"{self._tight()}.{name}")

    def __getitem__(self, index: Any) -> Expression:
        return Expression(f"{self._tight()}[{text_of(index)}]")

    def __call__(self, *arguments: Any) -> Expression:
        return Expression(f"{self._tight()}({', '.join(map(text_of, arguments))})")

    def with_(self, **changes: Any) -> Expression:
        """Return the record with some fields replaced: `p with {hop: 3}`."""
        written = ", ".join(f"{name}: {text_of(value)}" for name, value in changes.items())
        return Expression(f"{self._tight()} with {{{written}}}", MINUS)

    def _tight(self) -> str:
        return self._text if self._binds == ATOM else f"({self._text})"

    def __neg__(self) -> Expression:
        return Expression(f"-{operand(self, ATOM)}", MINUS)

    def __invert__(self) -> Expression:
        return Expression(f"not {operand(self, NOT)}", NOT)

    def __add__(self, other: Any) -> Expression:
        return joined(self, "+", other, SUM)

    def __radd__(self, other: Any) -> Expression:
        return joined(other, "+", self, SUM)

    def __sub__(self, other: Any) -> Expression:
        return joined(self, "-", other, SUM)

    def __rsub__(self, other: Any) -> Expression:
        return joined(other, "-", self, SUM)

    def __mul__(self, other: Any) -> Expression:
        return joined(self, "*", other, PRODUCT)

    def __rmul__(self, other: Any) -> Expression:
        return joined(other, "*", self, PRODUCT)

    def __truediv__(self, other: Any) -> Expression:
        return joined(self, "/", other, PRODUCT)

    def __rtruediv__(self, other: Any) -> Expression:
        return joined(other, "/", self, PRODUCT)

    def __floordiv__(self, other: Any) -> Expression:
        return joined(self, "div", other, PRODUCT)

    def __rfloordiv__(self, other: Any) -> Expression:
        return joined(other, "div", self, PRODUCT)

    def __mod__(self, other: Any) -> Expression:
        return joined(self, "mod", other, PRODUCT)

    def __rmod__(self, other: Any) -> Expression:
        return joined(other, "mod", self, PRODUCT)

    def __and__(self, other: Any) -> Expression:
        return joined(self, "and", other, AND)

    def __rand__(self, other: Any) -> Expression:
        return joined(other, "and", self, AND)

    def __ror__(self, other: Any) -> Expression:
        return joined(other, "or", self, OR)

    def __or__(self, other: Any) -> Expression:
        return joined(self, "or", other, OR)

    def __eq__(self, other: Any) -> Expression:  # type: ignore[override]
        return compared(self, "==", other)

    def __ne__(self, other: Any) -> Expression:  # type: ignore[override]
        return compared(self, "!=", other)

    def __lt__(self, other: Any) -> Expression:
        return compared(self, "<", other)

    def __le__(self, other: Any) -> Expression:
        return compared(self, "<=", other)

    def __gt__(self, other: Any) -> Expression:
        return compared(self, ">", other)

    def __ge__(self, other: Any) -> Expression:
        return compared(self, ">=", other)


def text_of(value: Any) -> str:
    """Return a value as the language writes it. Raises TypeError, ValueError if the language has no such value."""
    value = value.item() if hasattr(value, "item") and not isinstance(value, Expression) else value
    if isinstance(value, Expression | str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a number of the language")
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(text_of, value))}]"
    raise TypeError(f"write a number, a text of the language or an expression, not a {type(value).__name__}")


def operand(value: Any, binds: int) -> str:
    """Return the text, in parentheses unless it binds at least so tightly."""
    text = text_of(value)
    if isinstance(value, Expression):
        tight = value._binds >= binds
    elif isinstance(value, str):
        tight = _SIMPLE.fullmatch(value) is not None
    else:
        tight = not text.startswith("-")
    return text if tight else f"({text})"


def joined(left: Any, operator: str, right: Any, binds: int) -> Expression:
    """`left operator right`; operators of one kind group to the left."""
    return Expression(f"{operand(left, binds)} {operator} {operand(right, binds + 1)}", binds)


def compared(left: Any, operator: str, right: Any) -> Expression:
    return Expression(f"{operand(left, SUM)} {operator} {operand(right, SUM)}", COMPARED)


class Functions:
    """The functions, distributions and measures of the language by their names: `fn.exp("3 us")`, `fn.rate(send)`."""

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("_"):
            raise AttributeError(name)
        return Expression(name)


fn = Functions()
nothing = Expression("nothing")


def var(name: str) -> Expression:
    """Return a variable of a transition, or any name that the net declares elsewhere."""
    return Expression(name)


def no(place: Any) -> Expression:
    """Return an inhibitor arc: `no(full)`, or with a threshold `no(full) >= 3`."""
    return Expression(f"no {text_of(place)}")


def read(place: Any) -> Expression:
    """Return an arc that finds a token and leaves it: `read(table(x))`."""
    return Expression(f"read {text_of(place)}")


def any_of(place: Any) -> Expression:
    """Return an arc that sees all tokens of a place that shows only one:

    `any_of(queue(x))`, `read(any_of(queue(x)))`.
    """
    return Expression(f"any {text_of(place)}")


def all_of(place: Any, when: Any = None) -> Expression:
    """Return an arc that takes all tokens that match, perhaps none: `all_of(queue(x), when=var("x") > 3)`."""
    condition = "" if when is None else f" when {text_of(when)}"
    return Expression(f"all {text_of(place)}{condition}", 0)


def each(output: Any) -> Expression:
    """Return an output that gives one token for each that an arc `all_of` takes: `each(served(x))`."""
    return Expression(f"each {text_of(output)}", 0)


def over(name: str, tokens: Any, value: Any) -> Expression:
    """Return what `fn.count`, `fn.sum`, `fn.any` and `fn.all` look at: `fn.sum(over("j", queue, var("j").size))`."""
    return Expression(f"{name} in {text_of(tokens)}: {text_of(value)}", 0)


def reset(place: Any) -> Expression:
    """Return an arc that empties a place."""
    return Expression(f"reset {text_of(place)}")


def where(condition: Any, then: Any, otherwise: Any = None) -> Expression:
    """`if condition then a else b`; without `otherwise`, an output that is made only under the condition."""
    rest = "" if otherwise is None else f" else {text_of(otherwise)}"
    return Expression(f"if {text_of(condition)} then {text_of(then)}{rest}", 0)
