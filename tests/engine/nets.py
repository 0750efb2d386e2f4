"""Random flat nets: a hypothesis strategy that reaches every feature of `petri.net`, for comparing engines.

The nets mean nothing, but they move: tokens of few small colours, guards that often hold, times of every distribution.
Some break a rule on the way (overflow, a value outside its colour, a measure that divides by 0): both engines must then
report the same error.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from hypothesis import strategies as st

from petri.catalogue.operations import OPERATIONS
from petri.language.flattening.arcs import of_token
from petri.language.meaning.templates import TOKEN
from petri.net import (
    DECISION,
    Clock,
    Colour,
    Content,
    Counter,
    Discipline,
    Draw,
    Event,
    Expr,
    InhibitorArc,
    InputArc,
    Kind,
    Match,
    Net,
    Order,
    OutputArc,
    Passage,
    Place,
    Preference,
    Probe,
    Sample,
    Scalar,
    SetArc,
    Slot,
    Span,
    Table,
    Tick,
    Token,
    Total,
    Transition,
    Variable,
    Watched,
    room_slots,
)
from petri.structs import replace
from tests.engine.drawing import of_constants
from tests.engine.parameters import INSIDE, OUTSIDE

T = TypeVar("T")
Memory = Literal["restart", "resume", "repeat"]

SMALL = Slot("", "int", 0, 3)
WIDE = Slot("n", "int")
REAL = Slot("x", "real")
BOUNDED_REAL = Slot("y", "real", 0.0, 50.0)
COLOURS = (
    Colour(),
    Colour(),
    Colour("small", (SMALL,)),
    Colour("small", (SMALL,)),
    Colour("wide", (WIDE,)),
    Colour("pair", (Slot("a", "int", 0, 3), Slot("b", "int", 0, 2))),
    Colour("stamped", (Slot("a", "int", 0, 3), REAL)),
    Colour("bounded", (BOUNDED_REAL, WIDE)),
)
DISCIPLINES: tuple[Discipline, ...] = ("bag", "bag", "fifo", "lifo", "key")
TABLES = (Table("sizes", (1, 2, 5), (7.0, 4.0, 1.0)), Table("times", (0.5, 1.5), (0.25, 0.75)))


# Distributions whose parameters are all numbers: for each of their algorithms, and some outside their domains.
OF_INTS, OF_REALS = (
    {
        name: [of_constants(name, kind, *values) for values in (*INSIDE[name], OUTSIDE[name][0])]
        for name in INSIDE
        if OPERATIONS[name].kind == kind and name not in ("exp", "uniform", "uniform_int", "erlang")
    }
    for kind in ("int", "real")
)


class Chooser:
    """Choices of hypothesis, under names that read like what is chosen."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw
        self._lines = 0

    def one(self, options: Sequence[T]) -> T:
        return options[self.number(0, len(options) - 1)]

    def number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def chance(self, in_ten: int) -> bool:
        """Draw True so many times in ten; shrinks to False."""
        return self.number(0, 9) >= 10 - in_ten

    def span(self) -> Span:
        """Return a place in the source that no other expression has."""
        self._lines += 1
        return Span("random.net", self._lines, 1, self._lines, 2)


@dataclass
class Scope:
    """The variables that an expression may name, by kind, and the places whose tokens it may count."""

    choose: Chooser
    ints: list[int] = field(default_factory=list)
    reals: list[int] = field(default_factory=list)
    places: int = 0
    clock: bool = False
    chance: bool = False

    def operation(self, op: str, kind: Kind, *args: Expr, value: Scalar | None = None) -> Expr:
        return Expr(op, kind, args, value, self.choose.span())

    def int_const(self, value: int) -> Expr:
        return self.operation("const", "int", value=value)

    def real_const(self, value: float) -> Expr:
        return self.operation("const", "real", value=value)

    def whole(self, depth: int = 2) -> Expr:
        choose = self.choose
        leaves = ["const", *(["var"] * 3 if self.ints else []), *(["tokens"] if self.places else [])]
        inner = [
            "add", "sub", "mul", "mod", "idiv", "min", "max", "abs", "neg", "if", "floor", "round", "ceil", "within",
        ]  # fmt: skip
        drawn = ["uniform_int", "choice", "table", *OF_INTS] if self.chance else []
        op = choose.one(leaves if depth == 0 or choose.chance(5) else inner + drawn)
        if op == "const":
            return self.int_const(choose.one((0, 1, 2, 3, -1)) if choose.chance(9) else 2**62)
        if op == "var":
            return self.operation("var", "int", value=choose.one(self.ints))
        if op == "tokens":
            return self.operation("tokens", "int", value=choose.number(0, self.places - 1))
        if op in ("mod", "idiv"):
            divisor = self.int_const(choose.number(1, 4)) if choose.chance(9) else self.whole(depth - 1)
            return self.operation(op, "int", self.whole(depth - 1), divisor)
        if op == "within":
            index = self.operation("mod", "int", self.whole(depth - 1), self.int_const(4))
            return self.operation(op, "int", index, self.int_const(4 if choose.chance(9) else 3))
        if op == "if":
            return self.operation("if", "int", self.truth(depth - 1), self.whole(depth - 1), self.whole(depth - 1))
        if op in ("floor", "round", "ceil"):
            return self.operation(op, "int", self.real(depth - 1))
        if op == "uniform_int":
            return self.operation(op, "int", self.int_const(0), self.int_const(choose.number(0, 4)))
        if op == "choice":
            weights = [self.real_const(w) for w in (0.5, 0.2)]
            return self.operation(op, "int", self.whole(0), weights[0], self.whole(0), weights[1])
        if op == "table":
            return self.operation(op, "int", value=0)
        if op in OF_INTS:
            return self.operation(op, "int", *choose.one(OF_INTS[op]).args)
        return self.operation(op, "int", *(self.whole(depth - 1) for _ in range(1 if op in ("abs", "neg") else 2)))

    def real(self, depth: int = 2) -> Expr:
        choose = self.choose
        leaves = ["const", "real", *(["var"] * 2 if self.reals else []), *(["now", "end"] if self.clock else [])]
        inner = ["add", "sub", "mul", "div", "min", "max", "abs", "neg", "if", "sqrt", "ln", "pow"]
        op = choose.one(leaves if depth <= 0 or choose.chance(5) else inner)
        if self.chance and depth > 0 and choose.chance(5):
            return self.distribution()
        if op == "const":
            return self.real_const(choose.one((0.0, 1.0, 0.5, 2.25, 3.0)))
        if op == "var":
            return self.operation("var", "real", value=choose.one(self.reals))
        if op in ("now", "end"):
            instant = self.operation(op, "real")
            return instant if choose.chance(6) else self.operation("units", "real", instant, value=0.3)
        if op == "real":
            return self.operation("real", "real", self.whole(max(depth - 1, 0)))
        if op == "if":
            return self.operation("if", "real", self.truth(depth - 1), self.real(depth - 1), self.real(depth - 1))
        if op in ("sqrt", "ln"):
            positive = self.operation("abs", "real", self.real(depth - 1))
            return self.operation(op, "real", self.operation("add", "real", positive, self.real_const(0.25)))
        if op == "pow":
            base = self.operation("abs", "real", self.real(depth - 1))
            return self.operation(op, "real", base, self.real_const(choose.one((2.0, 0.5, 1.25, 0.0))))
        if op == "div":
            return self.operation(op, "real", self.real(depth - 1), self.real_const(choose.one((4.0, 0.3))))
        return self.operation(op, "real", *(self.real(depth - 1) for _ in range(1 if op in ("abs", "neg") else 2)))

    def distribution(self) -> Expr:
        op = self.choose.one(("exp", "uniform", "erlang", "choice", "table", "empirical", *OF_REALS))
        mean = self.real_const(self.choose.one((1.0, 0.5, 3.0)))
        if op == "exp":
            return self.operation(op, "real", mean if self.choose.chance(7) else self.real(0))
        if op == "uniform":
            return self.operation(op, "real", self.real_const(0.25), mean)
        if op == "erlang":
            return self.operation(op, "real", self.int_const(self.choose.number(1, 3)), mean)
        if op == "choice":
            weights = (self.real_const(1.0), self.real_const(2.0))
            return self.operation(op, "real", self.real(0), weights[0], mean, weights[1])
        if op in ("table", "empirical"):
            return self.operation(op, "real", value=1)
        return self.operation(op, "real", *self.choose.one(OF_REALS[op]).args)

    def truth(self, depth: int = 2) -> Expr:
        choose = self.choose
        if depth > 0 and choose.chance(3):
            op = choose.one(("and", "or", "not", "if"))
            operands = [self.truth(depth - 1) for _ in range({"not": 1, "if": 3}.get(op, 2))]
            return self.operation(op, "bool", *operands)
        if choose.chance(1):
            return self.operation("const", "bool", value=choose.chance(8))
        op = choose.one(("le", "ge", "ne", "eq", "lt", "gt"))
        if choose.chance(2):
            return self.operation(op, "bool", self.real(depth - 1), self.real(depth - 1))
        return self.operation(op, "bool", self.whole(max(depth - 1, 0)), self.whole(max(depth - 1, 0)))

    def within(self, slot: Slot) -> Expr:
        """Return a value for a slot, nearly always within its range."""
        if slot.kind == "real":
            value = self.real()
            if slot.low is None or not self.choose.chance(9):
                return value
            return self.operation("min", "real", self.operation("abs", "real", value), self.real_const(50.0))
        value = self.whole()
        if slot.high is None or not self.choose.chance(9):
            return value
        return self.operation("mod", "int", value, self.int_const(int(slot.high) + 1))


def token(choose: Chooser, colour: Colour) -> Token:
    return tuple(choose.number(0, 2) if s.kind == "int" else float(choose.number(0, 2)) for s in colour.slots)


def random_place(choose: Chooser, number: int) -> Place:
    colour = choose.one(COLOURS)
    discipline: Discipline = choose.one(DISCIPLINES)
    key = then = None
    if discipline == "key":
        if not colour.slots:
            discipline = "bag"
        else:
            slot = choose.number(0, len(colour.slots) - 1)
            key = Expr("var", colour.slots[slot].kind, (), slot, choose.span())
            if colour.slots[slot].kind == "int" and choose.chance(4):
                key = Expr("neg", "int", (key,), None, choose.span())
            if choose.chance(3):
                slot = choose.number(0, len(colour.slots) - 1)
                then = Expr("var", colour.slots[slot].kind, (), slot, choose.span())
    initial = tuple((choose.number(0, 3), token(choose, colour)) for _ in range(choose.number(1, 4)))
    limit: Scalar | None = choose.number(1, 6) if choose.chance(2) else None
    weight = random_weight(choose, colour) if choose.chance(2) else None
    if weight is not None:
        limit = choose.number(1, 12) if weight.kind == "int" else choose.number(1, 100) / 8
    per: tuple[int, ...] = ()
    if colour.slots and discipline != "bag" and weight is None and choose.chance(5):
        per = tuple(sorted({choose.number(0, len(colour.slots) - 1) for _ in range(choose.number(1, 2))}))
    return Place(f"p{number}", colour, discipline, key, then, per, limit, weight, initial=initial)


def random_weight(choose: Chooser, colour: Colour) -> Expr | None:
    """Return what a token of the colour weighs: a slot, or a number made of one."""
    if not colour.slots:
        return None
    slot = choose.number(0, len(colour.slots) - 1)
    kind = colour.slots[slot].kind
    weight = Expr("var", kind, (), slot, choose.span())
    if choose.chance(5):
        return weight
    constants = (2, 3, -1) if kind == "int" else (0.3, 2.0, -1.0)
    op = choose.one(("mul", "add", "idiv" if kind == "int" else "div"))
    if op in ("idiv", "div"):  # may fail in a run, but not where it begins: initial tokens hold 0 to 2
        weight = Expr("sub", kind, (weight, Expr("const", kind, (), 3 if kind == "int" else 3.0)), None, choose.span())
    return Expr(op, kind, (Expr("const", kind, (), choose.one(constants)), weight), None, choose.span())


@dataclass
class TransitionMaker:
    """Makes one transition; collects its variables on the way."""

    choose: Chooser
    places: Sequence[Place]
    clocks: bool = False
    variables: list[Variable] = field(default_factory=list)

    def scope(self) -> Scope:
        kinds = [variable.kind for variable in self.variables]
        scope = Scope(self.choose, places=len(self.places))
        scope.ints = [i for i, kind in enumerate(kinds) if kind == "int"]
        scope.reals = [i for i, kind in enumerate(kinds) if kind == "real"]
        return scope

    def variable(self, kind: str) -> int:
        self.variables.append(Variable(f"v{len(self.variables)}", "int" if kind == "int" else "real"))
        return len(self.variables) - 1

    def pattern(self, place: Place, may_bind: bool) -> tuple[Match, ...]:
        """Equalities may use the variables of the arcs before this one."""
        scope = self.scope()
        pattern = []
        for slot in place.colour.slots:
            equal = None
            if self.choose.chance(3):
                if slot.kind == "int":
                    equal = scope.whole(1) if self.choose.chance(3) else scope.whole(0)
                else:
                    equal = scope.real(0)
            bind = self.variable(slot.kind) if may_bind and self.choose.chance(7) else None
            pattern.append(Match(bind, equal))
        return tuple(pattern)

    def count(self, scope: Scope) -> Expr | None:
        if self.choose.chance(7):
            return None
        if self.choose.chance(5):
            return scope.int_const(self.choose.number(0, 2))
        return scope.operation("mod", "int", scope.whole(1), scope.int_const(3))

    def input(self, keep: bool) -> InputArc:
        number = self.choose.number(0, len(self.places) - 1)
        place = self.places[number]
        scope = self.scope()
        count = None if place.colour.slots else self.count(scope)
        shows_one = bool(place.colour.slots) and place.discipline != "bag"
        sees_all = shows_one and not place.per and self.choose.chance(3)
        return InputArc(number, self.pattern(place, may_bind=True), count, keep, sees_all, self.choose.span())

    def sets(self, others: Collection[int]) -> list[SetArc]:
        """Set of different places, but for `others` (E11). Those behind may use what is counted of those before."""
        free = [n for n, one in enumerate(self.places) if not one.per and n not in others]
        found = []
        for place in [place for place in free if self.choose.chance(4)][:2]:
            condition = self.belongs(place) if self.choose.chance(6) else None
            most = self.most(place)
            number = self.variable("int")
            totals = []
            if self.choose.chance(6):
                kind: Literal["int", "real"] = self.choose.one(("int", "real"))
                scope = self.of_token(place)
                value = scope.whole(1) if kind == "int" else scope.real(1)
                total = self.variable(kind)
                totals.append(Total(total, scope.operation("add", kind, Expr("var", kind, (), total), value)))
            found.append(SetArc(place, number, condition, tuple(totals), self.choose.span(), most))
        return found

    def most(self, place: int) -> Expr | None:
        """Return how many of a set's tokens are taken at most: of places with an order, which bags of values lack."""
        if (self.places[place].discipline == "bag" and self.places[place].colour.slots) or self.choose.chance(5):
            return None
        scope = self.scope()
        return scope.whole(1) if self.choose.chance(2) else scope.int_const(self.choose.number(0, 3))

    def belongs(self, place: int) -> Expr:
        """Return the condition of a set, which may begin with values that its tokens must have, as in a pattern."""
        condition = self.of_token(place).truth()
        for slot, one in reversed(list(enumerate(self.places[place].colour.slots))):
            if self.choose.chance(3):
                value = self.scope().whole(0) if one.kind == "int" else self.scope().real(0)
                equal = Expr("eq", "bool", (Expr("var", one.kind, (), TOKEN + slot), value))
                condition = Expr("and", "bool", (equal, condition))
        return condition

    def of_token(self, place: int) -> Scope:
        """Return what may be named of a token of a set, by numbers that `with_token` replaces."""
        scope = self.scope()
        for slot, one in enumerate(self.places[place].colour.slots):
            (scope.ints if one.kind == "int" else scope.reals).append(TOKEN + slot)
        return scope

    def each(self, number: int, arc: SetArc) -> OutputArc | None:
        """Return an output for each token of a set, to a place without a capacity, or back.

        None if there is no such place.
        """
        own = self.places[arc.place]
        free = [n for n, one in enumerate(self.places) if one.capacity is None]
        back = [arc.place] if own.weight is None and not own.per else []
        if not free + back:
            return None
        place = self.choose.one(back if back and self.choose.chance(4) else free or back)
        scope = self.of_token(arc.place)
        scope.clock = True
        values = tuple(scope.within(slot) for slot in self.places[place].colour.slots)
        condition = self.scope().truth() if self.choose.chance(2) else None
        delay = self.delay() if self.choose.chance(2) else None
        number_of = Expr("var", "int", (), arc.number)
        return OutputArc((place,), values, count=number_of, condition=condition, delay=delay, each=number)

    def inhibitor(self) -> InhibitorArc:
        number = self.choose.number(0, len(self.places) - 1)
        scope = self.scope()
        threshold = scope.int_const(self.choose.number(1, 3)) if self.choose.chance(8) else scope.whole(1)
        return InhibitorArc(number, self.pattern(self.places[number], may_bind=False), threshold, self.choose.span())

    def output(self, arcs: int, taken: Sequence[int]) -> OutputArc:
        """`arcs` is the number of variables that arcs bind: places with a capacity may not depend on others.

        Tokens go back to a place that the transition takes from more often than not, so that the net lives on.
        """
        back = self.choose.chance(7)
        number = self.choose.one(taken) if back else self.choose.number(0, len(self.places) - 1)
        colour = self.places[number].colour
        alike = [i for i, place in enumerate(self.places) if place.colour == colour]
        places = tuple(alike) if self.choose.chance(2) else (number,)
        plain = self.scope()
        plain.ints = [i for i in plain.ints if i < arcs]
        plain.reals = [i for i in plain.reals if i < arcs]
        index = None
        if len(places) > 1:
            index = plain.whole(1)
            if self.choose.chance(9):
                index = plain.operation("mod", "int", index, plain.int_const(len(places)))
        scope = self.scope()
        scope.clock = True
        telling = {slot for place in places for slot in room_slots(self.places[place])}
        return OutputArc(
            places if len(places) > 1 else places[:1],
            tuple((plain if i in telling else scope).within(slot) for i, slot in enumerate(colour.slots)),
            index,
            self.count(plain),
            plain.truth() if self.choose.chance(1) else None,
            self.delay() if self.choose.chance(2) else None,
            self.choose.span(),
        )

    def delay(self) -> Expr:
        """Return the delay of an output: a firing time that draws nothing."""
        delay = self.time(chance=False)
        return delay if delay.kind == "real" else self.scope().operation("real", "real", delay)

    def time(self, chance: bool = True) -> Expr:
        """Return a time in ticks: fractions, which the engine rounds, and numbers up to the horizon and beyond."""
        scope = self.scope()
        scope.clock, scope.chance = True, chance
        if self.choose.chance(2):
            return scope.operation("const", "int", value=0)
        if self.choose.chance(3):
            return scope.real_const(self.choose.one((1.0, 2.0, 0.5, 0.0, 2.5, 0.01, 1e6, 2.0**51, 7e15)))
        time = scope.distribution() if chance and self.choose.chance(6) else scope.real()
        if self.choose.chance(3):
            factor = self.choose.one((1.75, 1000.0, 2.0**20, 2.0**49))
            time = scope.operation("ticks", "real", time, value=factor)
        return time if self.choose.chance(5) else scope.operation("abs", "real", time)

    def clock(self, inputs: Sequence[InputArc]) -> Clock:
        """Return a clock of any time, or of an exponential one whose mean may depend on marking and binding."""
        choose = self.choose
        coloured = any(self.places[arc.place].colour.slots for arc in inputs)
        scope = self.scope()
        if choose.chance(5):
            time = scope.operation("exp", "real", self.mean(scope))
        else:
            time = self.time()
            time = time if time.kind == "real" else scope.operation("real", "real", time)
        memory: Memory = choose.one(("restart", "restart", "restart", "resume", "repeat"))
        servers = 1 if coloured else choose.one((1, None, None, 2, 3))
        return Clock(time, memory, servers, self.speed() if choose.chance(4) else None)

    def mean(self, scope: Scope) -> Expr:
        """Return the mean of an exponential clock: nearly always a number above 0."""
        if self.choose.chance(4):
            scope.ints, scope.reals = [], []
        scope.clock = self.choose.chance(1)
        kind = self.choose.number(0, 2)
        mean = scope.real_const(1.0) if kind == 0 else scope.real(2) if kind == 1 else self.by_tokens(scope)
        if self.choose.chance(9):
            mean = scope.operation("abs", "real", mean)
        if self.choose.chance(8):
            mean = scope.operation("add", "real", mean, scope.real_const(0.25))
        return scope.operation("ticks", "real", mean, value=1000.0) if self.choose.chance(3) else mean

    def by_tokens(self, scope: Scope) -> Expr:
        """Return a number divided by how many tokens a place has; 1 more, as it may have none."""
        tokens = scope.operation("tokens", "int", value=self.choose.number(0, len(self.places) - 1))
        divisor = scope.operation("add", "int", tokens, scope.int_const(1)) if self.choose.chance(8) else tokens
        return scope.operation("div", "real", scope.real_const(2.0), scope.operation("real", "real", divisor))

    def weight(self) -> Expr:
        """Return a weight: mostly a number; now and then it reads the marking, and may be 0 or less."""
        scope = self.scope()
        scope.ints, scope.reals = [], []
        if self.choose.chance(8):
            return scope.real_const(self.choose.one((1.0, 1.0, 1.0, 2.0, 0.3)))
        weight = self.by_tokens(scope) if self.choose.chance(5) else scope.real(2)
        if weight.op == "const":  # a number is checked when the net is read
            weight = scope.real_const(1.0)
        return scope.operation("abs", "real", weight) if self.choose.chance(9) else weight

    def speed(self) -> Expr:
        """Return the speed of a clock. It depends on the marking; now and then it is 0, rarely negative."""
        scope = Scope(self.choose, places=len(self.places))
        speed = self.by_tokens(scope) if self.choose.chance(5) else scope.real(2)
        if self.choose.chance(3):
            positive = scope.operation("gt", "bool", scope.whole(0), scope.int_const(0))
            speed = scope.operation("if", "real", positive, speed, scope.real_const(0.0))
        return scope.operation("abs", "real", speed) if self.choose.chance(9) else speed

    def make(self, number: int) -> Transition:
        choose = self.choose
        inputs = [self.input(keep=False)]
        inputs += [self.input(keep=choose.chance(3)) for _ in range(choose.number(0, 2))]
        if inputs[0].any and choose.chance(6):
            inputs[0] = replace(inputs[0], in_turn=True)
        inhibitors = [self.inhibitor() for _ in range(1 if choose.chance(2) else 0)]
        guard = None
        if choose.chance(3):
            scope = self.scope()
            scope.clock = choose.chance(1)
            guard = scope.truth()
        prefer = None
        if choose.chance(4):
            scope = self.scope()
            scope.clock = choose.chance(1)
            keys = [choose.one((scope.whole, scope.real))() for _ in range(choose.one((1, 1, 2)))]
            prefer = Preference(keys[0], choose.chance(5), keys[1] if len(keys) > 1 else None)
        arcs = len(self.variables)
        may_race = self.clocks and not any(self.places[arc.place].per for arc in inputs)
        clock = self.clock(inputs) if may_race and choose.chance(7) else None
        resets = (choose.number(0, len(self.places) - 1),) if choose.chance(1) else ()
        sets = self.sets(set(resets)) if choose.chance(1) else []
        draws = []
        for _ in range(choose.number(0, 1)):
            scope = self.scope()
            scope.chance = scope.clock = True
            kind = choose.one(("int", "real"))
            expression = scope.whole() if kind == "int" else scope.real()
            draws.append(Draw(self.variable(kind), expression))
        taken = [arc.place for arc in inputs if not arc.keep]
        outputs = tuple(self.output(arcs, taken) for _ in range(choose.number(1, 3)))
        at_once = clock is not None or (bool(sets) and choose.chance(5))
        given = [arc for arc in itertools.starmap(self.each, enumerate(sets)) if arc is not None]
        variables = len(self.variables)
        sets = [
            replace(
                arc,
                condition=None if arc.condition is None else of_token(arc.condition, variables),
                totals=tuple([replace(total, value=of_token(total.value, variables)) for total in arc.totals]),
            )
            for arc in sets
        ]
        return Transition(
            f"t{number}",
            tuple(self.variables),
            tuple(inputs),
            tuple(inhibitors),
            resets,
            guard,
            tuple(draws),
            self.scope().int_const(0) if at_once else self.time(),
            outputs
            + tuple([replace(arc, values=tuple([of_token(e, variables) for e in arc.values])) for arc in given]),
            priority=choose.one((0, 0, 0, 1, 2, *([DECISION] if clock is None else []))),
            weight=self.weight(),
            prefer=prefer,
            clock=clock,
            sets=tuple(sets),
        )


def variables_scope(choose: Chooser, transition: Transition, places: int) -> Scope:
    """Return what a probe at a transition may name."""
    scope = Scope(choose, places=places, clock=True)
    scope.ints = [i for i, v in enumerate(transition.variables) if v.kind == "int"]
    scope.reals = [i for i, v in enumerate(transition.variables) if v.kind == "real"]
    return scope


def arrival_scope(choose: Chooser, place: Place) -> Scope:
    """Return what a probe of arrivals may name: the slots of the token."""
    slots = place.colour.slots
    ints = [i for i, slot in enumerate(slots) if slot.kind == "int"]
    return Scope(choose, ints=ints, reals=[i for i in range(len(slots)) if i not in ints])


def event_scope(choose: Chooser, net: Net, event: Event) -> Scope:
    if event.place is not None:
        return arrival_scope(choose, net.places[event.place])
    return variables_scope(choose, net.transitions[event.transition or 0], len(net.places))


def random_event(choose: Chooser, net: Net) -> Event:
    """Return an event whose key is a variable or a slot, or an expression, which may fail."""
    if choose.chance(5):
        event = Event(place=choose.number(0, len(net.places) - 1))
    else:
        event = Event(transition=choose.number(0, len(net.transitions) - 1))
    scope = event_scope(choose, net, event)
    if choose.chance(2):
        return replace(event, key=(choose.one((scope.whole, scope.real))(1),))
    first = next(iter(sorted(scope.ints + scope.reals)), None)
    if first is None:
        return event
    return replace(event, key=(Expr("var", "int" if first in scope.ints else "real", (), first),))


def random_probe(choose: Chooser, net: Net) -> Probe:
    kind = choose.one(("counter", "sample", "passage", "order", "content", "watched", "watched"))
    if kind == "watched":
        lasting = [number for number, transition in enumerate(net.transitions) if transition.clock is None]
        firings = tuple(choose.one(lasting) for _ in range(choose.one((0, 0, 1, 2)))) if lasting else ()
        scope = Scope(choose, ints=list(range(len(firings))), places=len(net.places))
        return Watched(choose.one((scope.truth, scope.whole, lambda: fallible(scope)))(), firings)
    coloured = [index for index, place in enumerate(net.places) if place.colour.slots]
    if kind == "content" and coloured:
        place = choose.one(coloured)
        scope = arrival_scope(choose, net.places[place])
        if net.places[place].initial:  # a run begins with the sum, so that each must have a value
            slot = choose.one(scope.ints + scope.reals)
            return Content(place, Expr("var", "int" if slot in scope.ints else "real", (), slot))
        return Content(place, scope.whole() if choose.chance(5) else fallible(scope))
    transition = choose.number(0, len(net.transitions) - 1)
    scope = variables_scope(choose, net.transitions[transition], len(net.places))
    if kind == "counter":
        return Counter(transition, fallible(scope) if choose.chance(5) else None)
    if kind == "sample":
        return random_sample(choose, net)
    if kind == "passage":
        start, end = random_event(choose, net), random_event(choose, net)
        others = tuple(random_event(choose, net) for _ in range(choose.one((0, 0, 1, 2))))
        return Passage(replace(start, others=others), replace(end, others=others[1:]))
    event = random_event(choose, net)
    scope = event_scope(choose, net, event)
    number = Expr("var", "int", (), scope.ints[-1]) if scope.ints else Expr("const", "int", (), 1)
    if choose.chance(3):
        number = scope.whole(1)
    sequence = scope.operation("mod", "int", number, Expr("const", "int", (), 64))  # twins agree on numbers up to 2^61
    return Order(event, sequence, modulo=choose.one((None, None, 16, 64)))


def random_sample(choose: Chooser, net: Net) -> Sample:
    """Sample different transitions, or places in which tokens arrive, each perhaps under a condition."""
    samples = []
    owners = net.places if choose.chance(3) else net.transitions
    for number in sorted({choose.number(0, len(owners) - 1) for _ in range(choose.one((1, 1, 3)))}):
        event = Event(place=number) if owners is net.places else Event(transition=number)
        scope = event_scope(choose, net, event)
        condition = scope.truth(1) if choose.chance(2) else None
        samples.append(Sample(event.transition, fallible(scope), condition, place=event.place))
    return replace(samples[0], others=tuple(samples[1:]))


def fallible(scope: Scope) -> Expr:
    """Return a quantity that a measure takes; one in five divides by what may be 0."""
    if not scope.choose.chance(2):
        return scope.real(1)
    return scope.operation("div", "real", scope.real(0), scope.operation("real", "real", scope.whole(1)))


@st.composite
def nets(draw: Callable[[st.SearchStrategy[int]], int]) -> Net:
    """Any net of a few places and transitions."""
    return chosen_net(Chooser(draw))


def chosen_net(choose: Chooser) -> Net:
    """Return the net that a row of choices makes."""
    places = tuple(random_place(choose, i) for i in range(choose.number(2, 5)))
    bags = [place for place in places if place.colour.slots and place.discipline == "bag"]
    if bags and choose.chance(4):  # a place that may lose tokens with another
        places += (replace(choose.one(bags), name=f"p{len(places)}", capacity=None, weight=None),)
    clocks = choose.chance(5)
    transitions = tuple(TransitionMaker(choose, places, clocks).make(i) for i in range(choose.number(1, 5)))
    bare = Net("random", places, transitions, tables=TABLES)
    probes = tuple(random_probe(choose, bare) for _ in range(choose.number(0, 2)))
    tick = choose.one((Tick(), Tick(5, 3), Tick(1, 1 << 20)))
    own = choose.chance(3)
    return Net("random", places, transitions, probes=probes, tables=TABLES, tick=tick, own_streams=own)
