"""Colour sets, tokens and expressions of CPN Tools in the words of the language.

The language has no strings. A set of strings becomes the black tokens, and a product loses its strings, with a
warning; a string that decides something is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from petri.interchange.cpn_tools.ml import RANDOM
from petri.interchange.reading.infix import ATOM, FUNCTIONS, Writer, as_real, bare
from petri.interchange.reading.timing import mean_text
from petri.interchange.reading.tokens import InfixError, Node

_SAME: Final = frozenset("IntInf.toInt IntInf.fromInt Real.fromInt Real.fromLargeInt real Int.toLarge toInt".split())
_ROUNDED: Final = {"floor": "floor", "ceil": "ceil", "round": "round", "trunc": "floor", "Real.floor": "floor"}
SINGLE: Final = "0"  # the value, where one is asked for, of a set with one value
_ONE: Final = Node("number", text="1")
MOST_ITEMS: Final = 10_000  # tokens that one expression adds up


@dataclass(slots=True)
class Colour:
    """name: as the language writes the type; empty for black tokens. kind: int, bool, real, string, unit or one of
    values, single, range, product. parts: the colours of a product; kept: the positions of those with values."""

    name: str
    kind: str
    timed: bool = False
    parts: tuple[Colour, ...] = ()
    fields: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    bounds: tuple[str, str] = ("", "")

    @property
    def kept(self) -> list[int]:
        return [place for place, part in enumerate(self.parts) if part.name]

    @property
    def only(self) -> Colour:
        """The colour itself, or the one component that a product keeps."""
        kept = self.kept
        return self.parts[kept[0]].only if self.kind == "product" and len(kept) == 1 else self


@dataclass(frozen=True, slots=True)
class Item:
    """count tokens of a value, if the conditions hold, after a delay."""

    value: Node
    count: Node = _ONE
    conditions: tuple[Node, ...] = ()
    delay: Node | None = None


def items(node: Node, colour: Colour, left: list[int] | None = None) -> Iterator[Item]:
    """Yield the tokens of a multiset. Raises InfixError."""
    left = [MOST_ITEMS] if left is None else left
    left[0] -= 1
    if left[0] < 0:
        raise InfixError(node.at, f"it has more than {MOST_ITEMS} tokens")
    if node.op == "empty":
        return
    if node.op in ("++", "+++"):
        for part in node.parts:
            yield from items(part, colour, left)
    elif node.op == "times":
        yield Item(node.parts[1], node.parts[0])
    elif node.op == "@+":
        if node.text == "at":
            raise InfixError(node.at, "a token with a time stamp of its own cannot be imported")
        for one in items(node.parts[0], colour, left):
            yield Item(one.value, one.count, one.conditions, _added(one.delay, node.parts[1]))
    elif node.op == "if" and not (_plain(node) and colour.only.kind != "product"):
        condition, then, otherwise = node.parts
        for branch, holds in ((then, condition), (otherwise, Node("not", (condition,), at=node.at))):
            for one in items(branch, colour, left):
                yield Item(one.value, one.count, (holds, *one.conditions), one.delay)
    elif node.op == "--":
        raise InfixError(node.at, "a difference of multisets cannot be imported")
    else:
        yield Item(node)


def number_of(node: Node) -> Node:
    """Return how many tokens a multiset has. Raises InfixError."""
    if node.op == "empty":
        return Node("number", text="0")
    if node.op in ("++", "+++"):
        return Node("+", tuple(map(number_of, node.parts)), at=node.at)
    if node.op == "times":
        return node.parts[0]
    if node.op == "if":
        condition, then, otherwise = node.parts
        return Node("if", (condition, number_of(then), number_of(otherwise)), at=node.at)
    if node.op in ("@+", "--"):
        raise InfixError(node.at, "a condition beside a delay or a difference cannot be imported")
    return _ONE


def _added(first: Node | None, second: Node) -> Node:
    return second if first is None else Node("+", (first, second))


def _plain(node: Node) -> bool:
    """Return whether an expression is one value, and no multiset."""
    if node.op == "if":
        return _plain(node.parts[1]) and _plain(node.parts[2])
    return node.op not in ("empty", "++", "+++", "--", "times", "@+")


@dataclass(slots=True)
class Scope:
    """The expressions of one transition, or of a marking.

    variables: by their names in the file, the language's name and the colour. draws: what was drawn, in order.
    """

    constant: Callable[[str], str | None]  # a value of the file
    variables: dict[str, tuple[str, Colour]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # variables in what was written
    draws: list[str] = field(default_factory=list)
    drawn: dict[str, str] = field(default_factory=dict)  # variables that are drawn: how they are written
    taken: set[str] = field(default_factory=set)

    def text(self, node: Node, binds: int = 0) -> str:
        return self._writer.operand(node, binds)

    @property
    def _writer(self) -> Writer:
        return Writer(self._name, self._name, self._call)

    def value(self, node: Node, colour: Colour) -> str:
        """Return a token's value, as it stands in an arc; empty for a black token. Raises InfixError."""
        if not colour.name:
            return ""
        if colour.kind != "product" or node.op == "name":
            return bare(self.text(node))
        if node.op != "tuple" or len(node.parts) != len(colour.parts):
            raise InfixError(node.at, f"a tuple of {len(colour.parts)} is expected")
        inside = [self.value(node.parts[place], colour.parts[place]) for place in colour.kept]
        return inside[0] if colour.only is not colour else f"{colour.name}({', '.join(inside)})"

    def draw(self, distribution: str, wanted: str = "drawn") -> str:
        """Return the name of a new random value."""
        name, number = wanted, 2
        while name in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        self.draws.append(f"{name} ~ {distribution}")
        return name

    def _name(self, node: Node) -> str:
        if node.op == "string":
            raise InfixError(node.at, "the language has no strings")
        if node.text in self.drawn:
            return self.drawn[node.text]
        if node.text in self.variables:
            name, colour = self.variables[node.text]
            if colour.kind == "single":
                return SINGLE
            if not colour.name:
                raise InfixError(node.at, f"`{node.text}` is a string or a unit, which has no value in the language")
            self.used.add(node.text)
            return name
        known = self.constant(node.text)
        if known is None:
            raise InfixError(node.at, f"`{node.text}` is not known" if node.text else f"`{node.op}` is not expected")
        return known

    def _call(self, node: Node, arguments: Sequence[str]) -> str:
        function = node.text
        if function in ("time", "intTime") and not arguments:
            return "floor(now)"
        if function in _SAME and len(arguments) == 1:
            return arguments[0] if arguments[0].replace("_", "a").isalnum() else f"({bare(arguments[0])})"
        if function in RANDOM:
            return self.draw(self.distribution(node))
        if function in _ROUNDED and len(arguments) == 1:
            return f"{_ROUNDED[function]}({arguments[0]})"
        short = FUNCTIONS.get(function.removeprefix("Int.").removeprefix("Math."))
        if short is None or not arguments:
            self.constant(function)  # which says why a declaration is not understood
            raise InfixError(node.at, f"the function `{function}` is not known")
        return f"{short}({', '.join(arguments)})"

    def distribution(self, node: Node) -> str:
        """Return a function that draws, as the language writes it. Raises InfixError."""
        count, form = RANDOM[node.text]
        if count != len(node.parts):
            raise InfixError(node.at, f"`{node.text}` has {count} parameters")
        if node.text == "exponential":
            return form.format(mean_text(node.parts[0], self._writer))
        parts = [self.text(part, ATOM) for part in node.parts]
        return form.format(*map(as_real, parts) if node.text == "uniform" else parts)
