"""Expressions as most tools write them, `a * #p + min(b, 2) >= 3 && !c`, as text of the language.

`read` makes a tree of one expression, in which each operator has the name that the language gives it; `Writer` writes
it, with names and functions as the reader of the format knows them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from petri.interchange.reading.tokens import InfixError, Node, TokenReader

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d](?:[\w]|\.(?=\w))*'?)|(?P<text>\"[^\"]*\")|"
    r"(?P<sign><->|<=>|=>|->|&&|\|\||==|!=|<>|<=|>=|\+\+|--|[-+*/%^!&|=<>?:(),#\[\]{}]))"
)
_SAME: Final = {"&&": "and", "&": "and", "||": "or", "|": "or", "=": "==", "<>": "!=", "%": "mod", "!": "not"}
_WORDS: Final = frozenset(("and", "or", "not", "mod", "div"))
_LEVELS: Final = (("<=>", "<->"), ("=>", "->"), ("or",), ("and",))
_COMPARED: Final = ("==", "!=", "<", "<=", ">", ">=")
_BINDS: Final = {
    "if": 0, "or": 1, "and": 2, "not": 3, **dict.fromkeys(_COMPARED, 4), "+": 5, "-": 5, "*": 6, "/": 6, "mod": 6,
    "div": 6, "neg": 7,
}  # fmt: skip
NEGATED: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
ATOM: Final = 8


def read(text: str, *, tight_not: bool = True) -> Node:
    """Return the tree of an expression. tight_not:

    `!a == b` is (!a) == b, as in C, not !(a == b). Raises InfixError.
    """
    return _Reader(text, tight_not).whole()


class _Reader(TokenReader):
    """Precedence climbing over the tokens of a text."""

    def __init__(self, text: str, tight_not: bool) -> None:
        self.tight_not = tight_not
        super().__init__(text, _TOKEN, _WORDS)

    def next(self) -> str:
        before = super().next()
        if self.kind == "sign":
            self.token = _SAME.get(self.token, self.token)
        return before

    def expression(self) -> Node:
        self.deeper()
        at, condition = self.at, self.binary(0)
        if self.accept("?"):
            then = self.expression()
            self.expect(":")
            condition = Node("if", (condition, then, self.expression()), at=at)
        self.depth -= 1
        return condition

    def binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.negated()
        at, left = self.at, self.binary(level + 1)
        while operator := self.accept(*_LEVELS[level]):
            right = self.binary(level + 1)
            if operator in ("=>", "->"):
                left = Node("or", (Node("not", (left,), at=at), right), at=at)
            else:
                left = Node("==" if operator in ("<=>", "<->") else operator, (left, right), at=at)
        return left

    def negated(self) -> Node:
        at = self.at
        if not self.tight_not and self.accept("not"):
            return Node("not", (self.negated(),), at=at)
        return self.compared()

    def compared(self) -> Node:
        at, left = self.at, self.sum()
        while operator := self.accept(*_COMPARED):
            left = Node(operator, (left, self.sum()), at=at)
        return left

    def sum(self) -> Node:
        at, left = self.at, self.product()
        while operator := self.accept("+", "-"):
            left = Node(operator, (left, self.product()), at=at)
        return left

    def product(self) -> Node:
        at, left = self.at, self.signed()
        while operator := self.accept("*", "/", "mod", "div"):
            left = Node(operator, (left, self.signed()), at=at)
        return left

    def signed(self) -> Node:
        at, count = self.at, 0
        while self.accept("-"):
            count += 1
        if not count and self.accept("+"):
            return self.signed()
        if self.accept("not"):
            return Node("not", (self.signed(),), at=at)
        made = self.power()
        return Node("neg", (made,), at=at) if count % 2 else made

    def power(self) -> Node:
        at, left = self.at, self.atom()
        if self.accept("^"):
            return Node("call", (left, self.signed()), "pow", at)
        return left

    def atom(self) -> Node:
        at = self.at
        if self.kind == "number":
            return self.number()
        if self.accept("("):
            inside = self.expression()
            self.expect(")")
            return inside
        if self.accept("#"):
            if self.kind != "name":
                raise InfixError(self.at, "a place is expected after `#`")
            return Node("tokens", text=self.next(), at=at)
        if self.kind == "name" or self.token in ("mod", "div"):
            return self.named(self.next(), at)
        if self.kind == "text":
            return Node("label", text=self.next()[1:-1], at=at)
        raise self.unexpected()

    def named(self, name: str, at: int) -> Node:
        """Return what begins with a name: a call `f(x)`, an index `f[x]`, the name, or `x++`, the value after it."""
        if self.accept("("):
            return Node("call", tuple(self.listed(")")), name, at)
        if self.accept("["):
            return Node("index", tuple(self.listed("]")), name, at)
        made = Node("name", text=name, at=at)
        while step := self.accept("++", "--"):
            made = Node("call", (made,), step, at)
        return made


Call = Callable[[Node, Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Writer:
    """How a name, `#p` and a function with written arguments are said; these may raise InfixError."""

    name: Callable[[Node], str]
    tokens: Callable[[Node], str]
    call: Call

    def text(self, node: Node) -> str:
        return self._write(node)[0]

    def operand(self, node: Node, binds: int = ATOM) -> str:
        """Return the text, in parentheses unless it binds at least so tightly."""
        text, own = self._write(node)
        return text if own >= binds else f"({text})"

    def _write(self, node: Node) -> tuple[str, int]:
        op, parts = node.op, node.parts
        if op == "number":
            return number_text(node.text), ATOM
        if op == "if":
            condition, then, otherwise = map(self.text, parts)
            return f"if {condition} then {then} else {otherwise}", 0
        if op == "not" and parts[0].op in NEGATED:
            return self._write(Node(NEGATED[parts[0].op], parts[0].parts, at=node.at))
        if op in _BINDS:
            return self._operator(op, parts), _BINDS[op]
        said = self.name(node) if op == "name" else self.tokens(node) if op == "tokens" else self._called(node)
        return said, ATOM if ATOMIC.fullmatch(said) or op == "call" else 0

    def _called(self, node: Node) -> str:
        if node.op != "call":
            raise InfixError(node.at, f"`{node.text}` is not expected")
        return self.call(node, [self.text(part) for part in node.parts])

    def _operator(self, op: str, parts: Sequence[Node]) -> str:
        binds = _BINDS[op]
        if op == "neg":
            return f"-{self.operand(parts[0], ATOM)}"
        if op == "not":
            return f"not {self.operand(parts[0], binds)}"
        left = binds + 1 if op in _COMPARED else binds
        return f"{self.operand(parts[0], left)} {op} {self.operand(parts[1], binds + 1)}"


ATOMIC: Final = re.compile(r"[\w.]+(?:\([^()]*\))?|-?[\d.]+(?:[eE][+-]?\d+)?")


def factor(text: str) -> str:
    """Return an expression where a product has one."""
    return text if ATOMIC.fullmatch(text) else f"({text})"


FUNCTIONS: Final = {
    "min": "min", "max": "max", "floor": "floor", "ceil": "ceil", "round": "round", "abs": "abs", "fabs": "abs",
    "sqrt": "sqrt", "ln": "ln", "log": "ln", "pow": "pow",
}  # fmt: skip


def plain_call(node: Node, arguments: Sequence[str]) -> str:
    """Return the functions that most tools have."""
    name = FUNCTIONS.get(node.text)
    if node.text in ("mod", "div") and len(arguments) == 2:
        return f"({factor(arguments[0])} {node.text} {factor(arguments[1])})"
    if node.text == "ifelse" and len(arguments) == 3:
        return f"(if {arguments[0]} then {arguments[1]} else {arguments[2]})"
    if node.text == "log" and len(arguments) == 2:
        return f"(ln({arguments[0]}) / ln({arguments[1]}))"
    if name is None:
        raise InfixError(node.at, f"the function `{node.text}` is not known")
    return f"{name}({', '.join(arguments)})"


def number_text(text: str) -> str:
    """Return a number as the language writes it: a digit on both sides of the point, no zeros that say nothing."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, point, part = mantissa.partition(".")
    whole = whole.lstrip("0") or "0"
    if point:
        part = part.rstrip("0") or "0"
    power = int(exponent or 0)
    shown = f"{whole}.{part}" if point else whole
    if not power:
        return shown
    value = Fraction(text)
    if -6 <= power <= 6 and (short := decimal_of(value)) is not None:
        return short
    return f"{shown}e{power}"


def decimal_of(value: Fraction, digits: int = 7) -> str | None:
    """Return the value as a short decimal number, exactly; None if it has more digits."""
    for places in range(digits):
        scaled = value * 10**places
        if scaled.denominator == 1:
            text = f"{abs(int(scaled)):0{places + 1}d}"
            sign = "-" if value < 0 else ""
            return f"{sign}{text[:-places]}.{text[-places:]}" if places else f"{sign}{text}"
    return None


def value_of(node: Node, known: Mapping[str, Fraction]) -> Fraction | None:
    """Return the value of an expression of constants, exactly; None if it has none that can be found."""
    if node.op == "number":
        return Fraction(node.text) if len(node.text) < 40 and _small(node.text) else None
    if node.op == "name":
        return known.get(node.text)
    values = [value_of(part, known) for part in node.parts]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) or not numbers:
        return None
    return _computed(node, numbers)


def _small(text: str) -> bool:
    exponent = text.lower().partition("e")[2]
    return not exponent or abs(int(exponent)) < 100


def _computed(node: Node, numbers: Sequence[Fraction]) -> Fraction | None:
    first, *rest = numbers
    second = rest[0] if rest else Fraction(0)
    if node.op in ("+", "-", "*"):
        return {"+": first + second, "-": first - second, "*": first * second}[node.op]
    if node.op == "/":
        return first / second if second else None
    if node.op == "neg":
        return -first
    if node.op == "call" and node.text in ("min", "max"):
        return min(numbers) if node.text == "min" else max(numbers)
    if node.op == "call" and node.text in ("floor", "ceil"):
        return Fraction(first.__floor__() if node.text == "floor" else first.__ceil__())
    if (node.op in ("mod", "div") or node.text in ("mod", "div")) and second:
        return first % second if "mod" in (node.op, node.text) else Fraction(first // second)
    return None


def mean_of_rate(rate: str) -> str:
    """1 / rate, as a number where it is a short one."""
    if re.fullmatch(r"[\d.]+(?:e-?\d+)?", rate) and Fraction(rate):
        return decimal_of(1 / Fraction(rate)) or f"1 / {rate}"
    return f"1 / {factor(rate)}"


def as_real(text: str) -> str:
    """Return a number with a point, where a whole number would be an int."""
    return f"{text}.0" if text.isdigit() else text


def bare(text: str) -> str:
    """Return a text without parentheses around the whole."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth and position < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text
