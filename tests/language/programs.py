"""Random syntax trees, for tests: everything that the grammar can say, spelled as the parser reads it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, TypeVar

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
    """Draws trees from a source of chance. Levels of expressions are those of `petri.language.layout.writing`."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.budget = 60  # operations that may still be drawn; bounds the size of a program

    def program(self) -> tuple[tree.Declaration, ...]:
        return tuple(
            self.module() if self.chance.random() < 0.15 else self.declaration()
            for _ in range(self.chance.randint(1, 4))
        )

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
        level = 9 if self.budget < 0 else self.chance.choice((9, 9, self.chance.randint(lowest, 9)))
        if level == 0:
            return self._pick(self.conditional, self.record)
        if level in (1, 2, 6, 7):
            operators = {1: ("or",), 2: ("and",), 6: ("+", "-"), 7: ("*", "/", "div", "mod")}[level]
            left, right = self.expression(level), self.expression(level + 1)
            return tree.Binary(self.chance.choice(operators), left, right, NOWHERE)
        if level == 3:
            return tree.Unary("not", self.expression(3), NOWHERE)
        if level == 4:
            operator = self.chance.choice(("==", "!=", "<", "<=", ">", ">="))
            return tree.Binary(operator, self.expression(5), self.expression(5), NOWHERE)
        if level == 5:
            return self.range()
        return tree.Unary("-", self.expression(8), NOWHERE) if level == 8 else self.postfix()

    def conditional(self) -> tree.If:
        return tree.If(self.expression(), self.expression(), self.expression(), NOWHERE)

    def range(self) -> tree.Range:
        return tree.Range(self.expression(6), self.expression(6), NOWHERE)

    def postfix(self) -> Any:
        node = self.atom()
        while self.budget > 0 and self.chance.random() < 0.3:
            self.budget -= 1
            node = self._behind(node)
        return node

    def _behind(self, base: Any) -> Any:
        return self._pick(
            lambda: tree.Field(base, self.chance.choice((*NAMES, "p99.9")), NOWHERE),
            lambda: tree.Index(base, self._maybe(self.expression), NOWHERE),
            lambda: tree.Call(base, self._some(self.argument, 0, 3), NOWHERE),
            lambda: tree.With(base, self.record(), NOWHERE),
        )

    def list(self) -> tree.List | tree.ListFor:
        if self.chance.random() < 0.3:
            return tree.ListFor(self.expression(), self.over(), NOWHERE)
        return tree.List(self._some(self.expression, 1, 3), NOWHERE)

    def over(self) -> tree.Over:
        return tree.Over(self.name(), self.expression(), NOWHERE)

    def atom(self) -> Any:
        if self.budget > 0 and self.chance.random() < 0.15:
            return tree.Paren(self._pick(self.expression, self.at), NOWHERE)
        return self._pick(self.number, self.named, *((self.list,) if self.budget > 0 else ()))

    def number(self) -> tree.Number:
        text = self.chance.choice(NUMBERS)
        value = Fraction(text.rstrip("%").replace("_", "")) / (100 if text.endswith("%") else 1)
        return tree.Number(value, text, self._maybe(lambda: self.chance.choice(UNITS)), NOWHERE)

    def named(self) -> tree.Name:
        return tree.Name(self.chance.choice((*NAMES, "_", "token", "all", "now", "true", "false")), NOWHERE)

    def at(self) -> tree.At:
        return tree.At(self.expression(), self.postfix(), self._maybe(self.expression), NOWHERE)

    def asked(self) -> tree.Asked:
        stop = self._maybe(self.expression)
        within = self.expression() if stop is None else self._maybe(self.expression)
        begin = None if within is None else self._maybe(self.expression)
        return tree.Asked(self.expression(), stop, within, begin, NOWHERE)

    def record(self) -> tree.Record:
        fields = [(name, self._maybe(self.field), NOWHERE) for name in self.unique(0, 3)]
        return tree.Record(tuple(fields), NOWHERE)

    def field(self) -> Any:
        if self.budget > 0 and self.chance.random() < 0.2:
            return tree.Element(self.expression(), self.field(), NOWHERE)
        return self.expression()

    def argument(self) -> Any:
        return self._pick(
            self.expression,
            self.expression,
            lambda: tree.Text(self.chance.choice(("sizes.csv", "two  words.csv", "")), NOWHERE),
            lambda: tree.Name("end", NOWHERE),
            lambda: tree.Weighted(self.expression(), self.expression(), NOWHERE),
            lambda: tree.Each(self.over(), self.expression(), NOWHERE),
            lambda: tree.Passage(self.postfix(), self.postfix(), NOWHERE),
            lambda: tree.By(self.keys(), self._maybe(self.keys), NOWHERE),
            lambda: tree.Ordered(self.expression(), NOWHERE),
            self.asked,
        )

    def keys(self) -> tuple[Any, ...]:
        return self._some(self.expression, 1, 2)

    # ------------------------------------------------------------ types

    def type(self) -> Any:
        return self._pick(
            lambda: tree.NamedType(self.chance.choice((*NAMES, "token")), NOWHERE),
            lambda: tree.RangeType(self.expression(6), self.expression(6), NOWHERE),
            self.vector_type,
            lambda: tree.EnumType(tuple((name, NOWHERE) for name in self.unique(2, 3)), NOWHERE),
            self.record_type,
        )

    def vector_type(self) -> tree.VectorType:
        named = tree.NamedType(self.name(), NOWHERE)
        element = self.vector_type() if self.chance.random() < 0.3 else named
        return tree.VectorType(element, self.expression(), NOWHERE)

    def _fields(self) -> tuple[Any, ...]:
        return tuple((name, self.type(), NOWHERE) for name in self.unique(0, 2))

    def record_type(self) -> tree.RecordType:
        self.budget -= 3
        least = 1
        fields = [
            (name, self.type() if self.budget > 0 else tree.NamedType("int", NOWHERE), NOWHERE)
            for name in self.unique(least, 3)
        ]
        return tree.RecordType(tuple(fields), NOWHERE)

    # ------------------------------------------------------------ declarations

    def declaration(self) -> Any:
        where: dict[str, Any] = {"doc": "", "name_span": NOWHERE, "span": NOWHERE}
        chance, name = self.chance, self.name
        return self._pick(
            lambda: tree.Net(name(), **where),
            lambda: tree.Time(chance.choice(UNITS), NOWHERE),
            self.imported,
            lambda: self.parameter(self.expression()),
            lambda: tree.Const(name(), self.expression(), unit=chance.random() < 0.5, **where),
            lambda: tree.Type(name(), self.type(), **where),
            lambda: tree.Dist(name(), self.expression(), **where),
            lambda: tree.Fn(name(), self._fields(), self._maybe(self.type), self.expression(), **where),
            self.place,
            self.transition,
            lambda: tree.Port(
                self._not_out(),
                direction=chance.choice(("in", "out", "")),
                size=self._some(self.counted, 0, 2),
                type=None,
                **where,
            ),
            self.instance,
            self.measure,
            self.expect,
            self.run,
        )

    def imported(self) -> tree.Import:
        name, path = self.chance.choice((("ixp.dram", None), ("a part.net", "a part.net")))
        settings = self._some(lambda: tree.Let(self.name(), self.expression(), NOWHERE, NOWHERE), 0, 2)
        return tree.Import(name, path, self._maybe(lambda: "own"), None, settings, NOWHERE)

    def _not_out(self) -> str:
        return self.chance.choice([name for name in NAMES if name != "out"])

    def parameter(self, default: Any) -> tree.Param:
        return tree.Param(self.name(), self._maybe(self.type), default, self._maybe(self.range), "", NOWHERE, NOWHERE)

    def place(self) -> tree.Place:
        discipline = self.chance.choice(("bag", "fifo", "lifo", "by"))
        capacity = self._maybe(lambda: self.expression(6))
        return tree.Place(
            name=self.name(),
            size=self._some(self.index, 0, 2),
            type=self._maybe(self.type),
            discipline=discipline,  # type: ignore[arg-type]
            key=self.ordering(6) if discipline == "by" else None,
            per=self._maybe(lambda: self.ordering(6)),
            capacity=capacity,
            weight=None if capacity is None else self._maybe(lambda: self.expression(6)),
            initial=self._some(lambda: tree.Initial(self.expression(), self.loops(), NOWHERE), 0, 2),
            condition=self._maybe(self.expression),
            doc="",
            name_span=NOWHERE,
            span=NOWHERE,
        )

    def loops(self) -> tuple[tree.Loop, ...]:
        return self._some(lambda: tree.Loop(self.name(), self.counted(), NOWHERE), 0, 2)

    def index(self) -> tree.Range | tree.Name | tree.Loop:
        counted = self.counted()
        return tree.Loop(self.name(), counted, NOWHERE) if self.chance.random() < 0.3 else counted

    def counted(self) -> tree.Range | tree.Name:
        return tree.Name(self.name(), NOWHERE) if self.chance.random() < 0.2 else self.range()

    def ordering(self, level: int) -> tree.Expr:
        if self.chance.random() < 0.7:
            key: tree.Expr = self.expression(level)
            return key
        return tree.Keys(self._some(self.expression, 2, 3), NOWHERE)

    def preference(self) -> tree.Preference:
        word = self.chance.choice(("least", "most"))
        return tree.Preference(word, self.ordering(4), NOWHERE)  # type: ignore[arg-type]

    def arc(self) -> tree.Arc:
        mode = self.chance.choice(("take", "take", "read", "no", "no", "reset", "all"))
        if mode == "all":
            return tree.Arc("all", False, self.taken(), NOWHERE, self._maybe(self.expression))
        sees_all = mode in ("take", "read") and self.chance.random() < 0.3
        return tree.Arc(mode, sees_all, self.expression(4), NOWHERE)  # type: ignore[arg-type]

    def taken(self) -> tree.Expr:
        """Return the place of `all` or `each`."""
        place = tree.Name(self.name(), NOWHERE)
        return tree.Call(place, self._some(self.expression, 1, 2), NOWHERE) if self.chance.random() < 0.7 else place

    def memory(self) -> tree.Memory:
        return tree.Memory(self.chance.choice(("restart", "resume", "repeat")), NOWHERE)

    def transition(self) -> tree.Transition:
        return tree.Transition(
            name=self.name(),
            loops=self.loops(),
            condition=self._maybe(self.expression),
            inputs=self._some(self.arc, 0, 3),
            outputs=self._some(self.output, 1, 3),
            draws=self._some(lambda: tree.Draw(self.name(), self.expression(), NOWHERE, NOWHERE), 0, 2),
            lets=self._some(lambda: tree.Let(self.name(), self.expression(), NOWHERE, NOWHERE), 0, 2),
            time=self._maybe(self.expression),
            clock=self._maybe(self.expression),
            servers=self._maybe(self.expression),
            memory=self._maybe(self.memory),
            speed=self._maybe(self.expression),
            guard=self._maybe(self.expression),
            priority=self._maybe(self.expression),
            weight=self._maybe(self.expression),
            prefer=self._maybe(self.preference),
            doc="",
            name_span=NOWHERE,
            span=NOWHERE,
        )

    def output(self, closed: bool = False) -> Any:
        """Return an output; a `closed` one has an `else` to each `if`, so that another `else` may follow."""
        if self.chance.random() < 0.7:
            if self.chance.random() < 0.1:
                return tree.ForEach(self.taken(), NOWHERE)
            given = self.expression(6)
            return tree.Delayed(given, self.expression(), NOWHERE) if self.chance.random() < 0.2 else given
        if not closed and self.chance.random() < 0.5:
            return tree.If(self.expression(), self.output(), None, NOWHERE)
        return tree.If(self.expression(), self.output(closed=True), self.output(closed), NOWHERE)

    def instance(self) -> tree.Instance:
        arguments = self._some(lambda: tree.Argument(self._maybe(self.name), self.expression(), NOWHERE), 0, 3)
        condition = self._maybe(self.expression)
        return tree.Instance(
            self.name(), self.loops(), self.name(), arguments, condition, "", NOWHERE, NOWHERE, NOWHERE
        )

    def measure(self) -> tree.Measure:
        record = self._some(lambda: tree.Name(self.name(), NOWHERE), 0, 2)
        formula, condition = self._pick(self.expression, self.at), self._maybe(self.expression)
        unit = self._maybe(lambda: self.chance.choice(("MBps", "cycle")))
        return tree.Measure(
            name=self.name(),
            loops=self.loops(),
            formula=formula,
            unit=unit,
            unit_span=None if unit is None else NOWHERE,
            record=record,
            condition=condition,
            doc="",
            name_span=NOWHERE,
            span=NOWHERE,
        )

    def expect(self) -> tree.Expect:
        comparison: Any = self.chance.choice(("<", "<=", ">", ">=", "=="))

        def summed() -> Any:
            return self.expression(6)

        within, condition = self._maybe(summed), self._maybe(self.expression)
        return tree.Expect(self._maybe(summed), comparison, summed(), within, condition, NOWHERE)

    def run(self) -> tree.Run:
        until = self._maybe(self.expression)
        warmup, replications, precision, seed = (self._maybe(self.expression) for _ in range(4))
        dead = until is None and self.chance.random() < 0.5
        return tree.Run(until, dead, warmup, replications, precision, seed, NOWHERE)

    def module(self) -> tree.Module:
        parameters = self._some(lambda: self.parameter(self._maybe(self.expression)), 0, 2)
        return tree.Module(
            self.chance.choice(("Engine", "at")), parameters, "", NOWHERE, NOWHERE, self._some(self.declaration, 0, 3)
        )
