"""Expressions of a file, with the names of its net; what is wrong in one is an error at its place."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from petri.interchange.reading import infix
from petri.interchange.reading.foreign import Constant, Foreign
from petri.interchange.reading.infix import Writer
from petri.interchange.reading.tokens import DEEPEST, InfixError, Node
from petri.net import Span

MOST_OPERATIONS = 2_000  # of an expression that is written out


class Expressions:
    """The constants of a net and the expressions that use them. A constant is declared when it is first used."""

    def __init__(
        self,
        foreign: Foreign,
        tokens: Callable[[str], str | None],
        translated: Callable[[Node], Node] = lambda one: one,
    ) -> None:
        self.foreign = foreign
        self.tokens = tokens  # the name of a place of the file
        self.translated = translated  # a tree in the words of the file, in those of `infix`
        self.values: dict[str, Fraction] = {}
        self._constants: dict[str, tuple[str, str, str, str]] = {}
        self._using: list[str] = []
        self._guessed: dict[str, tuple[str, Span]] = {}
        self.writer = Writer(self._name, self._tokens, infix.plain_call)

    def constant(self, name: str, value: str, kind: str = "", word: str = "param", doc: str = "") -> None:
        """Add a named constant of the file, with its value as the file writes it; kind: `int`, `real` or none."""
        self._constants[name] = value, kind, word, doc

    def guess(self, name: str, value: str, span: Span) -> None:
        """Warn, once it is known what the net calls it, that the file gives a constant no value."""
        self._guessed[name] = value, span

    def knows(self, name: str) -> bool:
        return name in self._constants

    def kind(self, name: str) -> str:
        """`int`, `real` or none."""
        return self._constants[name][1] if name in self._constants else ""

    def definition(self, name: str) -> Node | None:
        """Return what a constant is defined by; None if it is none, or if that cannot be read."""
        try:
            return self._read(self._constants[name][0]) if name in self._constants else None
        except InfixError:
            return None

    def expanded(self, node: Node, span: Span) -> Node:
        """Return the expression with what it names written out, where that reads the marking. Raises LanguageError."""
        size = [0]
        return self._expanded(node, span, [], size)

    def _expanded(self, node: Node, span: Span, above: list[str], size: list[int]) -> Node:
        size[0] += 1
        if size[0] > MOST_OPERATIONS or len(above) > DEEPEST:
            self.foreign.refuse(
                "foreign-expression", span, text=above[0] if above else node.text, reason="it is too long, written out"
            )
        if node.op == "name" and node.text in self._constants:
            if node.text in above:
                self.foreign.refuse("foreign-circle", span, name=node.text)
            inside = self._expanded(self.node(self._constants[node.text][0], span), span, [*above, node.text], size)
            reads = any(
                part.op in ("tokens", "==", "!=", "<", "<=", ">", ">=", "and", "or", "not")
                or (part.op == "call" and part.text not in infix.FUNCTIONS)
                for part in inside.everywhere()
            )
            return inside if reads else node
        return Node(node.op, tuple(self._expanded(part, span, above, size) for part in node.parts), node.text, node.at)

    def note_unused(self, span: Span) -> None:
        """Say which constants are not part of the net: nothing uses them, or they were needed as numbers."""
        known = self.foreign.names.known
        for name, (value, at) in self._guessed.items():
            given = known("constant", name) or ""
            self.foreign.warn("foreign-no-value", at, name=name, value=value, given=given)
        unused = [
            f"{name} = {value[0]}"
            for name, value in self._constants.items()
            if not known("constant", name) and not self._inlined(value[0])
        ]
        if unused:
            self.foreign.note("foreign-unused", span, names=unused)

    def _inlined(self, text: str) -> bool:
        """Return whether a definition is written out where it is used: it reads the marking, or is a distribution."""
        try:
            return any(
                part.op in ("tokens", "call", "==", "<", "<=", ">", ">=", "!=", "and", "or", "not")
                for part in self._read(text).everywhere()
            )
        except InfixError:
            return False

    def _read(self, text: str, tight_not: bool = True) -> Node:
        return self.translated(infix.read(text, tight_not=tight_not))

    def node(self, text: str, span: Span, tight_not: bool = True) -> Node:
        try:
            return self._read(text, tight_not)
        except InfixError as error:
            self.foreign.refuse("foreign-expression", span, text=text[:80], reason=error.reason)

    def text(self, expression: str, span: Span, writer: Writer | None = None) -> str:
        """Return the expression in the language. Raises LanguageError."""
        return self.written(self.expanded(self.node(expression, span), span), expression, span, writer)

    def written(self, node: Node, expression: str, span: Span, writer: Writer | None = None) -> str:
        """Return a part of an expression of the file. Raises LanguageError."""
        try:
            return (writer or self.writer).text(node)
        except InfixError as error:
            self.foreign.refuse("foreign-expression", span, text=expression[:80], reason=error.reason)

    def whole(self, expression: str, span: Span) -> int:
        """Return a number of tokens, which must be known. Raises LanguageError."""
        value = self.value(expression, span)
        if value is None or value.denominator != 1 or not 0 <= value <= 10**9:
            self.foreign.refuse("foreign-number", span, text=expression[:40], most=10**9)
        return int(value)

    def value(self, expression: str, span: Span) -> Fraction | None:
        """Return the value of an expression of constants; None if it is none."""
        node = self.node(expression, span)
        for part in node.everywhere():
            if part.op == "name":
                self._evaluate(part.text, span)
        return infix.value_of(node, self.values)

    def _evaluate(self, name: str, span: Span) -> None:
        if name in self.values or name not in self._constants:
            return
        if name in self._using:
            self.foreign.refuse("foreign-circle", span, name=name)
        if len(self._using) > DEEPEST:
            reason = f"it is defined by more than {DEEPEST} others in a row"
            self.foreign.refuse("foreign-expression", span, text=self._using[0], reason=reason)
        self._using.append(name)
        value = self.value(self._constants[name][0], span)
        self._using.pop()
        if value is not None:
            self.values[name] = value

    def _name(self, node: Node) -> str:
        if node.text.lower() in ("true", "false"):
            return node.text.lower()
        if node.text not in self._constants:
            raise InfixError(node.at, f"there is no constant `{node.text}`")
        known = self.foreign.names.known("constant", node.text)
        return known or self._declare(node)

    def _declare(self, node: Node) -> str:
        value, kind, word, doc = self._constants[node.text]
        if node.text in self._using:
            raise InfixError(node.at, f"`{node.text}` is defined by itself")
        if len(self._using) > DEEPEST:
            raise InfixError(node.at, f"`{self._using[0]}` is defined by more than {DEEPEST} others in a row")
        self._using.append(node.text)
        written = self.writer.text(self._read(value))
        self._using.pop()
        name = self.foreign.names.give("constant", node.text)
        typed = f"{name}: real" if kind == "real" and written.lstrip("-").isdigit() else name
        doc = "\n".join(filter(None, (self.foreign.names.original(name), doc)))
        self.foreign.constants.append(Constant(typed, written, word, doc))
        return name

    def _tokens(self, node: Node) -> str:
        place = self.tokens(node.text)
        if place is None:
            raise InfixError(node.at, f"there is no place `{node.text}`")
        return f"tokens({place})"
