"""The part of CPN Tools' language ML that says what a token is: expressions, `val` and `fun`.

Expressions become trees of `infix.Node`, so that the writer of all readers says them. Beside its operators there are
`tuple`, `string`, `empty`, `times` (2`x), `++`, `+++`, `--`, `@+` (a delay), `^` (which joins strings) and `case`,
whose parts are a value, and a pattern and an expression for each of its forms. A pattern is a tree as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from petri.interchange.reading.remarks import is_rule
from petri.interchange.reading.tokens import DEEPEST, InfixError, Node, TokenReader

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
    """forms: the patterns of the parameters and the body of each of its forms, of which the first that fits holds."""

    forms: tuple[tuple[tuple[Node, ...], Node], ...]

    @property
    def parameters(self) -> tuple[Node, ...]:
        return self.forms[0][0]

    @property
    def body(self) -> Node:
        return self.forms[0][1]

    @property
    def is_identity(self) -> bool:
        """Whether it gives its value back, as the constructor of an index set does."""
        return len(self.forms) == 1 and len(self.parameters) == 1 and _same(self.parameters[0], self.body)


def _same(one: Node, other: Node) -> bool:
    return one.op == other.op == "name" and one.text == other.text


IDENTITY: Final = Function((((Node("name", text="i"),), Node("name", text="i")),))
Values = Callable[[str], Sequence[str]]  # all values of the set to which a named value belongs; none for other names


def expression(text: str) -> Node:
    """Return the tree of one expression. Raises InfixError."""
    return _Reader(text).whole()


def conditions(text: str) -> list[Node]:
    """Return the conditions of a guard: `[a, b]`, or one expression. Raises InfixError."""
    reader = _Reader(text)
    if not reader.accept("["):
        return [expression(text)]
    found = list(reader.listed("]"))
    reader.finish()
    return found


def declarations(text: str) -> dict[str, Function]:
    """Return what `val` and `fun` declare; a `val` is a function without parameters. Raises InfixError."""
    reader, found = _Reader(text), dict[str, Function]()
    while reader.kind:
        name, made = reader.declaration()
        found[name] = made
        while reader.accept(";"):
            pass
    return found


def comments(text: str) -> list[str]:
    """Return the lines of comment in a declaration."""
    lines = (line.strip() for found in _COMMENT.findall(text) for line in found[2:-2].splitlines())
    return [line for line in lines if not is_rule(line)]


def written_out(node: Node, known: Mapping[str, Function], values: Values) -> Node:
    """Return the expression with the functions that the file declares written out. Raises InfixError."""
    return _Substitution(known, values).apply(node, {}, ())


class _Substitution:
    def __init__(self, known: Mapping[str, Function], values: Values) -> None:
        self.known, self.values, self.left = known, values, MOST_PARTS

    def apply(self, node: Node, values: Mapping[str, Node], above: tuple[str, ...]) -> Node:
        self.left -= 1
        if self.left < 0 or len(above) > DEEPEST:
            raise InfixError(node.at, "it is too long, written out")
        if node.op == "name" and node.text in values:
            return values[node.text]
        if node.op == "case":
            value = self.apply(node.parts[0], values, above)
            forms = tuple(zip(((part,) for part in node.parts[1::2]), node.parts[2::2], strict=True))
            return self.chosen(Function(forms), [value], values, above, node)
        parts = tuple(self.apply(part, values, above) for part in node.parts)
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
        return self.chosen(made, parts, {}, (*above, node.text), node)

    def chosen(
        self, made: Function, given: Sequence[Node], values: Mapping[str, Node], above: tuple[str, ...], node: Node
    ) -> Node:
        """Return the body of the form that fits: `if` the first one does, then its body, else that of the next."""
        forms: list[tuple[list[Node], Node]] = []
        for patterns, body in made.forms:
            conditions, bound = list[Node](), dict[str, Node]()
            for pattern, value in zip(patterns, given, strict=True):
                self.match(pattern, value, conditions, bound)
            forms.append((conditions, self.replaced(body, {**values, **bound}, above)))
            if not conditions:
                break
        conditions, made_of = forms.pop()
        if conditions and not self.is_last(conditions, forms):
            raise InfixError(node.at, f"the forms of `{node.text or 'case'}` are not known to cover all values")
        for conditions, body in reversed(forms):
            condition = conditions[0]
            for other in conditions[1:]:
                condition = Node("and", (condition, other), at=node.at)
            made_of = Node("if", (condition, body, made_of), at=node.at)
        return made_of

    def is_last(self, conditions: list[Node], before: list[tuple[list[Node], Node]]) -> bool:
        """Return whether a value of which the forms before do not hold is the one value that is left of its set."""
        if any(len(one) != 1 for one in (conditions, *(of for of, _ in before))):
            return False
        left = set(self.values(conditions[0].parts[1].text)) - {of[0].parts[1].text for of, _ in before}
        return left == {conditions[0].parts[1].text}

    def match(self, pattern: Node, value: Node, conditions: list[Node], bound: dict[str, Node]) -> None:
        """Add the conditions under which a value has a form, and the values of its names."""
        constructor = self.known.get(pattern.text) if pattern.op == "call" else None
        if pattern.op == "name" and pattern.text == "_":
            return
        if pattern.op == "name" and not self.values(pattern.text):
            bound[pattern.text] = value
        elif pattern.op in ("name", "number", "neg", "string"):
            conditions.append(Node("==", (value, pattern), at=pattern.at))
        elif constructor is not None and constructor.is_identity:
            self.match(pattern.parts[0], value, conditions, bound)
        elif pattern.op == value.op == "tuple" and len(pattern.parts) == len(value.parts):
            for one, part in zip(pattern.parts, value.parts, strict=True):
                self.match(one, part, conditions, bound)
        else:
            raise InfixError(pattern.at, "a pattern of this form cannot be imported")

    def replaced(self, body: Node, values: Mapping[str, Node], above: tuple[str, ...]) -> Node:
        """Return the body with values for names. A value that is drawn is drawn once, so it may be used once."""
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
        """`val x = e`, `fun f(a, b : T) = e`, `fun f a b = e`, or `fun f 0 = e | f n = e`."""
        word = self.accept("val", "fun")
        if not word:
            raise InfixError(self.at, "`val` or `fun` is expected")
        name = self.name()
        if word == "val":
            self.expect("=")
            return name, Function((((), self.expression()),))
        forms = [self.form()]
        while self.accept("|"):
            if self.name() != name:
                raise InfixError(self.at, f"`{name}` is expected")
            forms.append(self.form())
        if any(len(patterns) != len(forms[0][0]) for patterns, _ in forms):
            raise InfixError(self.at, f"the forms of `{name}` have different numbers of parameters")
        return name, Function(tuple(forms))

    def form(self) -> tuple[tuple[Node, ...], Node]:
        """Return the patterns and the body of a form of a function."""
        patterns = list[Node]()
        while not self.accept("="):
            if patterns and self.accept(":"):
                self.type()
                continue
            patterns.append(self.simple_pattern())
        if len(patterns) == 1 and patterns[0].op == "tuple":
            patterns = list(patterns[0].parts)
        return tuple(patterns), self.expression()

    def type(self) -> None:
        self.name()
        while self.kind == "name":
            self.name()

    def whole_pattern(self) -> Node:
        """`x`, `x : T`, `_`, `3`, `seat(i)`, `(a, b)`."""
        at = self.at
        if self.kind == "name":
            name = self.name()
            applied = self.kind in ("name", "number") or (self.kind == "sign" and self.token == "(")
            made = Node("call", (self.simple_pattern(),), name, at) if applied else Node("name", text=name, at=at)
        else:
            made = self.simple_pattern()
        if self.accept(":"):
            self.type()
        return made

    def simple_pattern(self) -> Node:
        at = self.at
        if self.accept("_"):
            return Node("name", text="_", at=at)
        if self.kind == "name":
            return Node("name", text=self.name(), at=at)
        if self.accept("("):
            inside = [] if self.accept(")") else [self.whole_pattern()]
            while inside and self.accept(","):
                inside.append(self.whole_pattern())
            if inside:
                self.expect(")")
            return inside[0] if len(inside) == 1 else Node("tuple", tuple(inside), at=at)
        return self.atom()

    def case(self, at: int) -> Node:
        """`case e of p => e | p => e`."""
        parts = [self.expression()]
        self.expect("of")
        while len(parts) == 1 or self.accept("|"):
            parts.append(self.whole_pattern())
            self.expect("=>")
            parts.append(self.expression())
        return Node("case", tuple(parts), at=at)

    def expression(self) -> Node:
        self.deeper()
        at = self.at
        if self.accept("if"):
            condition = self.expression()
            self.expect("then")
            then = self.expression()
            self.expect("else")
            made = Node("if", (condition, then, self.expression()), at=at)
        elif self.accept("case"):
            made = self.case(at)
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
            branches = self.kind == "sign" and self.token in ("if", "case")
            right = self.expression() if branches else self.binary(level + 1)
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
            values[name] = Function((((), written_out(made.body, values, lambda _: ())),))
            self.accept(";")
        self.expect("in")
        body = self.expression()
        self.expect("end")
        return _Substitution({}, lambda _: ()).replaced(body, {name: made.body for name, made in values.items()}, ())
