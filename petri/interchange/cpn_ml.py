"""The part of CPN Tools' language ML that says what a token is: expressions, `val` and `fun`.

Expressions become trees of `infix.Node`, so that the writer of all readers says them. Beside its operators there are
`tuple`, `string`, `empty`, `times` (2`x), `++`, `+++`, `--`, `@+` (a delay) and `^` (which joins strings).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from petri.interchange.remarks import is_rule
from petri.interchange.tokens import DEEPEST, InfixError, Node, TokenReader

MOST_PARTS: Final = 5_000  # of an expression whose functions are written out
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE]~?\d+)?)|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<name>[A-Za-z][\w']*(?:\.[A-Za-z][\w']*)*)|"
    r"(?P<sign>\+\+\+|\+\+|--|@\+|<>|<=|>=|=>|::|\^\^|[-+*/^<>=`~(),;:@\[\]{}#|_]))"
)
# Functions that draw, as the language writes them with these arguments.
RANDOM: Final[dict[str, tuple[int, str]]] = {
    "uniform": (2, "uniform({0}..{1})"), "discrete": (2, "uniform({0}..{1})"), "bernoulli": (1, "bernoulli({0})"),
    "exponential": (1, "exp({0})"), "erlang": (2, "erlang({0}, {0} / {1})"), "poisson": (1, "poisson({0})"),
    "normal": (2, "normal({0}, sqrt({1}))"), "binomial": (2, "binomial({0}, {1})"),
}  # fmt: skip
_COMMENT: Final = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_WORDS: Final = frozenset("if then else andalso orelse div mod let val in end fun case of fn".split())
_SAME: Final = {"=": "==", "<>": "!=", "andalso": "and", "orelse": "or"}
# Operators by how tightly they bind, from the loosest; all are grouped from the left.
_LEVELS: Final = (
    ("+++",), ("@+", "@"), ("++", "--"), ("orelse",), ("andalso",), ("=", "<>", "<", ">", "<=", ">="), ("::", "^^"),
    ("+", "-", "^"), ("*", "/", "div", "mod"), ("`",),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Function:
    parameters: tuple[str, ...]
    body: Node


def expression(text: str) -> Node:
    """The tree of one expression. Raises InfixError."""
    return _Reader(text).whole()


def conditions(text: str) -> list[Node]:
    """The conditions of a guard: `[a, b]`, or one expression. Raises InfixError."""
    reader = _Reader(text)
    if not reader.accept("["):
        return [expression(text)]
    found = list(reader.listed("]"))
    reader.finish()
    return found


def declarations(text: str) -> dict[str, Function]:
    """What `val` and `fun` declare; a `val` is a function without parameters. Raises InfixError."""
    reader, found = _Reader(text), dict[str, Function]()
    while reader.kind:
        name, made = reader.declaration()
        found[name] = made
        while reader.accept(";"):
            pass
    return found


def comments(text: str) -> list[str]:
    """The lines of comment in a declaration."""
    lines = (line.strip() for found in _COMMENT.findall(text) for line in found[2:-2].splitlines())
    return [line for line in lines if not is_rule(line)]


def written_out(node: Node, known: Mapping[str, Function]) -> Node:
    """The expression with the functions that the file declares written out. Raises InfixError."""
    return _Substitution(known).apply(node, {}, ())


class _Substitution:
    def __init__(self, known: Mapping[str, Function]) -> None:
        self.known, self.left = known, MOST_PARTS

    def apply(self, node: Node, values: Mapping[str, Node], above: tuple[str, ...]) -> Node:
        self.left -= 1
        if self.left < 0 or len(above) > DEEPEST:
            raise InfixError(node.at, "it is too long, written out")
        if node.op == "name" and node.text in values:
            return values[node.text]
        parts = tuple(self.apply(one, values, above) for one in node.parts)
        made = self.known.get(node.text) if node.op in ("call", "name") else None
        if made is None or (node.op == "name" and made.parameters):
            return Node(node.op, parts, node.text, node.at)
        if node.text in above:
            raise InfixError(node.at, f"`{node.text}` is defined by itself")
        if len(parts) == 1 and parts[0].op == "tuple":
            parts = parts[0].parts
        if len(parts) != len(made.parameters):
            raise InfixError(node.at, f"`{node.text}` has {len(made.parameters)} parameters")
        if not made.parameters and node.op == "name" and _is_number(made.body):
            return node  # a constant, which keeps its name
        return self.replaced(made.body, dict(zip(made.parameters, parts, strict=True)), (*above, node.text))

    def replaced(self, body: Node, values: Mapping[str, Node], above: tuple[str, ...]) -> Node:
        """The body with values for names. A value that is drawn is drawn once, so it may be used once."""
        used = [part.text for part in body.everywhere() if part.op == "name" and part.text in values]
        for name, value in values.items():
            if used.count(name) > 1 and any(part.op == "call" and part.text in RANDOM for part in value.everywhere()):
                raise InfixError(value.at, f"the random value `{name}` is used more than once")
        return self.apply(body, values, above)


def _is_number(node: Node) -> bool:
    return node.op == "number" or (node.op == "neg" and node.parts[0].op == "number")


class _Reader(TokenReader):
    def __init__(self, text: str) -> None:
        super().__init__(_COMMENT.sub(lambda one: " " * len(one[0]), text), _TOKEN, _WORDS)

    def name(self) -> str:
        if self.kind != "name":
            raise InfixError(self.at, "a name is expected")
        return self.next()

    def declaration(self) -> tuple[str, Function]:
        """`val x = e`, `fun f(a, b : T) = e` or `fun f a b = e`."""
        word = self.accept("val", "fun")
        if not word:
            raise InfixError(self.at, "`val` or `fun` is expected")
        name, parameters = self.name(), list[str]()
        while word == "fun" and not self.accept("="):
            opened = self.accept("(")
            if not opened and self.kind != "name":
                raise InfixError(self.at, "a parameter is expected")
            while self.kind == "name":
                parameters.append(self.name())
                if self.accept(":"):
                    self.name()
                self.accept(",")
            if opened:
                self.expect(")")
            if self.accept(":"):
                self.name()
        if word == "val":
            self.expect("=")
        return name, Function(tuple(parameters), self.expression())

    def expression(self) -> Node:
        self.deeper()
        at = self.at
        if self.accept("if"):
            condition = self.expression()
            self.expect("then")
            then = self.expression()
            self.expect("else")
            made = Node("if", (condition, then, self.expression()), at=at)
        else:
            made = self.binary(0)
        self.depth -= 1
        return made

    def binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.applied()
        at, left = self.at, self.binary(level + 1)
        while operator := self.accept(*_LEVELS[level]):
            op = "times" if operator == "`" else "^" if operator == "^^" else _SAME.get(operator, operator)
            right = self.expression() if self.kind == "sign" and self.token == "if" else self.binary(level + 1)
            left = Node("@+" if op == "@" else op, (left, right), "at" if op == "@" else "", at)
        return left

    def applied(self) -> Node:
        at = self.at
        if self.accept("~", "-"):
            return Node("neg", (self.applied(),), at=at)
        if self.kind != "name":
            return self.atom()
        name = self.name()
        if name == "not":
            return Node("not", (self.applied(),), at=at)
        if not (self.kind in ("name", "number", "string") or (self.kind == "sign" and self.token in ("(", "{", "~"))):
            return Node("empty" if name == "empty" else "name", text=name, at=at)
        arguments = list[Node]()
        while self.kind in ("name", "number", "string") or (self.kind == "sign" and self.token in ("(", "{", "~")):
            arguments.append(Node("name", text=self.name(), at=self.at) if self.kind == "name" else self.atom())
        if len(arguments) == 1 and arguments[0].op == "tuple":
            arguments = list(arguments[0].parts)
        return Node("call", tuple(arguments), name, at)

    def atom(self) -> Node:
        at = self.at
        if self.kind == "number":
            made = self.number()
            return Node("number", text=made.text.replace("~", "-"), at=at)
        if self.kind == "string":
            return Node("string", text=self.next()[1:-1], at=at)
        if self.accept("~"):
            return Node("neg", (self.atom(),), at=at)
        if self.accept("("):
            inside = list(self.listed(")"))
            return inside[0] if len(inside) == 1 else Node("tuple", tuple(inside), at=at)
        if self.accept("let"):
            return self.let()
        raise self.unexpected()

    def let(self) -> Node:
        """`let val x = e in f end`, with each value written out."""
        values: dict[str, Function] = {}
        while self.kind == "sign" and self.token == "val":
            name, made = self.declaration()
            values[name] = Function((), written_out(made.body, values))
            self.accept(";")
        self.expect("in")
        body = self.expression()
        self.expect("end")
        return _Substitution({}).replaced(body, {name: made.body for name, made in values.items()}, ())
