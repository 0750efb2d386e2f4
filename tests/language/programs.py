"""Random syntax trees, for tests: everything that the grammar can say, spelled as the parser reads it.

What a field of a node may be follows from its annotation; the tables and methods say where the grammar wants something
narrower.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from fractions import Fraction
from random import Random
from types import UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen, fields

NOWHERE = Span("", 0, 0, 0, 0)
NAMES = (
    "a", "b2", "queue", "Packet", "seq", "ns", "nothing", "at", "let", "seed", "weight", "mean", "größe",
    "time_",
)  # fmt: skip
UNITS = ("ns", "B", "cycle", "Gbps")
NUMBERS = ("0", "3", "2.5", "1e6", "1_000", "0.125", "12E-3", "5%", "99.9%")
POSTFIX: Final = 9
# The least level of an expression that a field may have, as in `petri.language.layout.writing`, where it is not 0.
LEVELS: Final[dict[tuple[Any, str], int]] = {
    (tree.Range, "low"): 6, (tree.Range, "high"): 6, (tree.RangeType, "low"): 6, (tree.RangeType, "high"): 6,
    (tree.Place, "capacity"): 6, (tree.Place, "weight"): 6, (tree.Arc, "term"): 4, (tree.Delayed, "output"): 6,
    (tree.Expect, "formula"): 6, (tree.Expect, "bound"): 6, (tree.Expect, "within"): 6,
    (tree.At, "event"): POSTFIX, (tree.Passage, "start"): POSTFIX, (tree.Passage, "end"): POSTFIX,
}  # fmt: skip
# How many elements a list may have, where it is not up to two.
SIZES: Final[dict[tuple[Any, str], tuple[int, int]]] = {
    (tree.By, "keys"): (1, 2), (tree.By, "end_keys"): (1, 2), (tree.Keys, "parts"): (2, 3),
    (tree.List, "items"): (1, 3), (tree.Transition, "inputs"): (0, 3), (tree.Instance, "arguments"): (0, 3),
}  # fmt: skip
DECLARATIONS: Final = (
    tree.Net, tree.Time, tree.Import, tree.Param, tree.Const, tree.Type, tree.Dist, tree.Fn, tree.Place,
    tree.Transition, tree.Port, tree.Instance, tree.Measure, tree.Expect, tree.Run,
)  # fmt: skip
EXPRESSIONS, TYPES = frozenset(get_args(tree.Expr)), frozenset(get_args(tree.TypeExpr))

T = TypeVar("T")


def bare(node: Any) -> Any:
    """Return a tree without its spans, to compare."""
    if isinstance(node, Span):
        return None
    if isinstance(node, Frozen):
        parts = [bare(getattr(node, part)) for part in fields(type(node)) if "span" not in part]
        return (type(node).__name__, *parts)
    if isinstance(node, tuple):
        return tuple(bare(part) for part in node if not isinstance(part, Span))
    return node


class Programs:
    """Draws trees from a source of chance."""

    def __init__(self, chance: Random, size: int = 60) -> None:
        self.chance = chance
        self.budget = size  # operations that may still be drawn; bounds the size of a program

    def program(self) -> tuple[tree.Declaration, ...]:
        return self._some(lambda: self.module() if self.chance.random() < 0.15 else self.declaration(), 1, 4)

    def declaration(self) -> Any:
        return self.node(self.chance.choice(DECLARATIONS))

    def module(self) -> tree.Module:
        parameters = self._some(lambda: self.node(tree.Param, default=self._maybe(self.expression)), 0, 2)
        name = self.chance.choice(("Engine", "at"))
        return tree.Module(name, parameters, "", NOWHERE, NOWHERE, self._some(self.declaration, 0, 3))

    # ------------------------------------------------------------ nodes and their fields

    def node(self, kind: type[T], **given: Any) -> T:
        """Draw a node, whose fields are those that are given, that its own method draws, or of their annotations."""
        own = getattr(self, f"_{kind.__name__.lower()}", None)
        given = {**(own() if own is not None else {}), **given}
        hints = get_type_hints(kind)
        return kind(**{name: given[name] if name in given else self._field(kind, name, hints[name]) for name in hints})

    def _field(self, kind: type, name: str, hint: Any) -> Any:
        if hint is Span or name.endswith("_span"):
            return NOWHERE
        if hint is str:
            return "" if name == "doc" else self.name()
        if hint is bool:
            return self.chance.random() < 0.5
        parts, origin = get_args(hint), get_origin(hint)
        if origin is Literal:
            return self.chance.choice(parts)
        if origin is tuple:
            return self._some(lambda: self._field(kind, name, parts[0]), *SIZES.get((kind, name), (0, 2)))
        if origin not in (Union, UnionType):
            return self.node(hint)
        others = frozenset(parts) - {type(None)}
        if len(others) < len(parts):
            present = functools.reduce(operator.or_, others)
            return self._maybe(lambda: self._field(kind, name, present))
        if others == EXPRESSIONS:
            return self.expression(LEVELS.get((kind, name), 0))
        if others == TYPES:
            return self.type()
        counted = self.chance.choice(sorted(parts, key=str))  # the values of an index: a range, or a name of a type
        return tree.Name(self.name(), NOWHERE) if counted is tree.Name else self.node(counted)

    def _some(self, make: Callable[[], T], least: int, most: int) -> tuple[T, ...]:
        return tuple(make() for _ in range(self.chance.randint(least, most)))

    def _maybe(self, make: Callable[[], T]) -> T | None:
        return make() if self.chance.random() < 0.4 else None

    def _pick(self, *makers: Callable[[], Any]) -> Any:
        return self.chance.choice(makers)()

    def name(self) -> str:
        return self.chance.choice(NAMES)

    def unique(self, least: int, most: int) -> list[str]:
        return self.chance.sample(NAMES, self.chance.randint(least, most))

    # ------------------------------------------------------------ expressions

    def expression(self, lowest: int = 0) -> Any:
        self.budget -= 1
        level = POSTFIX if self.budget < 0 else self.chance.choice((POSTFIX, POSTFIX, self.chance.randint(lowest, 9)))
        if level == 0:
            return self._pick(lambda: self.node(tree.If), lambda: self.node(tree.Record))
        if level in (1, 2, 6, 7):
            operators = {1: ("or",), 2: ("and",), 6: ("+", "-"), 7: ("*", "/", "div", "mod")}[level]
            left, right = self.expression(level), self.expression(level + 1)
            return tree.Binary(self.chance.choice(operators), left, right, NOWHERE)
        if level == 3:
            return tree.Unary("not", self.expression(3), NOWHERE)
        if level == 4:
            comparison = self.chance.choice(("==", "!=", "<", "<=", ">", ">="))
            return tree.Binary(comparison, self.expression(5), self.expression(5), NOWHERE)
        if level == 5:
            return self.node(tree.Range)
        return tree.Unary("-", self.expression(8), NOWHERE) if level == 8 else self.postfix()

    def postfix(self) -> Any:
        node = self.atom()
        while self.budget > 0 and self.chance.random() < 0.3:
            self.budget -= 1
            node = self._behind(node)
        return node

    def _behind(self, base: Any) -> Any:
        return self._pick(
            lambda: tree.Field(base, self.chance.choice((*NAMES, "p99.9")), NOWHERE),
            lambda: self.node(tree.Index, base=base),
            lambda: tree.Call(base, self._some(self.argument, 0, 3), NOWHERE),
            lambda: self.node(tree.With, base=base),
        )

    def atom(self) -> Any:
        if self.budget > 0 and self.chance.random() < 0.15:
            return tree.Paren(self._pick(self.expression, lambda: self.node(tree.At)), NOWHERE)
        return self.node(self.chance.choice((tree.Number, tree.Name, *self._lists())))

    def _lists(self) -> tuple[Any, ...]:
        return (self.chance.choice((tree.List, tree.List, tree.ListFor)),) if self.budget > 0 else ()

    def argument(self) -> Any:
        kinds = (tree.Text, tree.Weighted, tree.Each, tree.Passage, tree.By, tree.Ordered, tree.Asked)
        return self._pick(
            self.expression,
            self.expression,
            lambda: tree.Name("end", NOWHERE),
            *[lambda kind=kind: self.node(kind) for kind in kinds],
        )

    def _if(self) -> dict[str, Any]:
        return {"otherwise": self.expression()}

    def _number(self) -> dict[str, Any]:
        text = self.chance.choice(NUMBERS)
        value = Fraction(text.rstrip("%").replace("_", "")) / (100 if text.endswith("%") else 1)
        return {"value": value, "text": text, "unit": self._maybe(lambda: self.chance.choice(UNITS))}

    def _name(self) -> dict[str, Any]:
        return {"name": self.chance.choice((*NAMES, "_", "token", "all", "now", "true", "false"))}

    def _text(self) -> dict[str, Any]:
        return {"value": self.chance.choice(("sizes.csv", "two  words.csv", ""))}

    def _asked(self) -> dict[str, Any]:
        stop = self._maybe(self.expression)
        within = self.expression() if stop is None else self._maybe(self.expression)
        return {"stop": stop, "within": within, "begin": None if within is None else self._maybe(self.expression)}

    def _record(self) -> dict[str, Any]:
        return {"fields": tuple((name, self._maybe(self.value), NOWHERE) for name in self.unique(0, 3))}

    def value(self) -> Any:
        """Return what a field of a record gets."""
        if self.budget > 0 and self.chance.random() < 0.2:
            return tree.Element(self.expression(), self.value(), NOWHERE)
        return self.expression()

    def ordering(self, level: int) -> tree.Expr:
        return self.node(tree.Keys) if self.chance.random() < 0.3 else self.expression(level)

    # ------------------------------------------------------------ types

    def type(self) -> Any:
        return self.node(
            self.chance.choice((tree.NamedType, tree.RangeType, tree.VectorType, tree.EnumType, tree.RecordType))
        )

    def _namedtype(self) -> dict[str, Any]:
        return {"name": self.chance.choice((*NAMES, "token"))}

    def _vectortype(self) -> dict[str, Any]:
        return {"element": self.node(tree.VectorType if self.chance.random() < 0.3 else tree.NamedType)}

    def _enumtype(self) -> dict[str, Any]:
        return {"names": tuple((name, NOWHERE) for name in self.unique(2, 3))}

    def _recordtype(self) -> dict[str, Any]:
        self.budget -= 3
        return {"fields": self.named_types(1, 3)}

    def named_types(self, least: int, most: int) -> tuple[Any, ...]:
        return tuple(
            (name, self.type() if self.budget > 0 else tree.NamedType("int", NOWHERE), NOWHERE)
            for name in self.unique(least, most)
        )

    # ------------------------------------------------------------ declarations

    def _time(self) -> dict[str, Any]:
        return {"unit": self.chance.choice(UNITS), "resolution": None}

    def _import(self) -> dict[str, Any]:
        name, path = self.chance.choice((("ixp.dram", None), ("a part.net", "a part.net")))
        return {"name": name, "path": path, "alias": self._maybe(lambda: "own")}

    def _param(self) -> dict[str, Any]:
        return {"default": self.expression()}

    def _fn(self) -> dict[str, Any]:
        return {"parameters": self.named_types(0, 2)}

    def order(self) -> dict[str, Any]:
        """Return the clauses that say in which order a place shows its tokens."""
        discipline = self.chance.choice(("bag", "fifo", "lifo", "by"))
        key = self.ordering(6) if discipline == "by" else None
        return {"discipline": discipline, "key": key, "per": self._maybe(lambda: self.ordering(6))}

    def _place(self) -> dict[str, Any]:
        capacity = self._maybe(lambda: self.expression(6))
        return {
            **self.order(),
            "capacity": capacity,
            "weight": None if capacity is None else self._maybe(lambda: self.expression(6)),
            "service": False,
        }

    def _arc(self) -> dict[str, Any]:
        mode = self.chance.choice(("take", "take", "read", "no", "no", "reset", "all"))
        whole = mode == "all"
        return {
            "mode": mode,
            "any": mode in ("take", "read") and self.chance.random() < 0.3,
            "term": self._set() if whole else self.expression(4),
            "condition": self._maybe(self.expression) if whole else None,
            "in_turn": False,
        }

    def _set(self) -> tree.Expr:
        """Return what follows `all`; of `all up to 8 * queue(x)` the number and the place."""
        if self.chance.random() < 0.7:
            return self.taken()
        return tree.Binary("*", self.expression(7), self.taken(), NOWHERE)

    def taken(self) -> tree.Expr:
        """Return the place of `all` or `each`; behind `all`, `weight` would be a clause."""
        place = tree.Name(self.chance.choice([name for name in NAMES if name != "weight"]), NOWHERE)
        return tree.Call(place, self._some(self.expression, 1, 2), NOWHERE) if self.chance.random() < 0.7 else place

    def _transition(self) -> dict[str, Any]:
        return {"outputs": self._some(self.output, 1, 3)}

    def _preference(self) -> dict[str, Any]:
        return {"key": self.ordering(4)}

    def output(self, closed: bool = False) -> Any:
        """Return an output; a `closed` one has an `else` to each `if`, so that another `else` may follow."""
        if self.chance.random() < 0.7:
            if self.chance.random() < 0.1:
                return tree.ForEach(self.taken(), NOWHERE)
            return self.node(tree.Delayed) if self.chance.random() < 0.2 else self.expression(6)
        if not closed and self.chance.random() < 0.5:
            return tree.If(self.expression(), self.output(), None, NOWHERE)
        return tree.If(self.expression(), self.output(closed=True), self.output(closed), NOWHERE)

    def _port(self) -> dict[str, Any]:
        without = {"type": None, "capacity": None, "weight": None, "initial": (), "condition": None}
        return {**self.order(), **without, "name": self.chance.choice([name for name in NAMES if name != "out"])}

    def _measure(self) -> dict[str, Any]:
        return {
            "formula": self._pick(self.expression, lambda: self.node(tree.At)),
            "unit": self._maybe(lambda: self.chance.choice(("MBps", "cycle"))),
            "record": self._some(lambda: tree.Name(self.name(), NOWHERE), 0, 2),
        }

    def _run(self) -> dict[str, Any]:
        until = self._maybe(self.expression)
        return {"until": until, "dead": until is None and self.chance.random() < 0.5}
