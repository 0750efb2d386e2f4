"""Random nets of joins: arcs that want a token by the values of another, in chains and trees, several on one place;
with comparisons, ranges and other conditions on two of them; and preferences.

Tokens are many, of few values, and go back to the places that they came from, so that counts of bindings change all the
time. Nothing breaks a rule: the nets live as long as they run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

from petri.net import (
    Clock,
    Colour,
    Draw,
    Expr,
    InputArc,
    Kind,
    Match,
    Net,
    OutputArc,
    Place,
    Preference,
    Scalar,
    Slot,
    Transition,
    Variable,
)
from tests.engine.nets import Chooser

MOST = 5  # values of a slot: 0 to 4
COLOURS = (
    Colour("small", (Slot("", "int", 0, MOST - 1),)),
    Colour("pair", (Slot("k", "int", 0, MOST - 1), Slot("n", "int", 0, MOST - 1))),
    Colour("wide", (Slot("k", "int"), Slot("x", "real"))),
)
COMPARISONS = ("lt", "le", "gt", "ge", "ge", "le", "eq", "ne")


def const(value: Scalar) -> Expr:
    return Expr("const", "real" if isinstance(value, float) else "int", (), value)


@dataclass
class JoinMaker:
    """Makes one transition. `known` are the variables that its arcs bind, each with its kind, arc by arc."""

    choose: Chooser
    places: tuple[Place, ...]
    clocks: bool = False
    variables: list[Variable] = field(default_factory=list)
    known: list[list[Expr]] = field(default_factory=list)

    def variable(self, kind: Kind) -> Expr:
        self.variables.append(Variable(f"v{len(self.variables)}", "real" if kind == "real" else "int"))
        return Expr("var", kind, (), len(self.variables) - 1)

    def among(self, arcs: list[list[Expr]], kind: Kind) -> Expr | None:
        """Return one of these variables, or a little more than it: of the first arc, of the last, or of any."""
        first = self.choose.one((0, 0, len(arcs) - 1, self.choose.number(0, max(len(arcs) - 1, 0))))
        for arc in arcs[first:] + arcs[:first]:
            of_kind = [variable for variable in arc if variable.kind == kind]
            if of_kind:
                variable = self.choose.one(of_kind)
                if kind == "int" and self.choose.chance(4):
                    more = Expr("add", "int", (self.small(variable), const(self.choose.number(0, 2))))
                    return self.small(more)
                return variable
        return None

    def small(self, e: Expr) -> Expr:
        return Expr("mod", "int", (e, const(MOST)))

    def input(self, number: int, keep: bool) -> InputArc:
        pattern, bound = [], []
        for slot in self.places[number].colour.slots:
            wanted = self.among(self.known, slot.kind) if self.choose.chance(5) else None
            bind = None
            if wanted is None or self.choose.chance(2):
                bind = self.variable(slot.kind)
                bound.append(bind)
            pattern.append(Match(None if bind is None else int(bind.value or 0), wanted))
        self.known.append(bound)
        return InputArc(number, tuple(pattern), keep=keep)

    def guard(self) -> Expr | None:
        """Return a condition, or several: nearly all of them on two arcs."""
        conditions = [condition for _ in range(self.choose.one((1, 1, 2, 3))) for condition in self.conditions()]
        if not conditions:
            return None
        guard = conditions[0]
        for condition in conditions[1:]:
            guard = Expr("and", "bool", self.choose.one(((guard, condition), (condition, guard))))
        return guard

    def conditions(self) -> list[Expr]:
        """Return a comparison of two arcs, a range that one gives to the other, a condition on one, or any on both."""
        what = self.choose.one(("comparison", "comparison", "range", "one", "both"))
        kind: Kind = self.choose.one(("int", "int", "int", "real")) if what in ("comparison", "range") else "int"
        cut = self.choose.number(1, max(len(self.known) - 1, 1))
        parts = [self.known[:cut], self.known[cut:]]
        if self.choose.chance(3):
            parts.reverse()
        left, right, other = self.among(parts[0], kind), self.among(parts[1], kind), self.among(parts[1], kind)
        if left is None:
            return []
        if what == "one" or right is None or other is None:
            return [Expr(self.choose.one(("ne", "gt")), "bool", (left, const(1 if left.kind == "int" else 1.0)))]
        if what == "range":
            ops = self.choose.one((("le", "le"), ("lt", "le"), ("le", "lt")))
            return [Expr(ops[0], "bool", (right, left)), Expr(ops[1], "bool", (left, other))]
        if what == "both":
            total = Expr(self.choose.one(("add", "add", "sub")), "int", (self.small(left), self.small(right)))
            remainder = Expr("mod", "int", (total, const(3)))
            return [Expr(self.choose.one(("ne", "eq", "eq")), "bool", (remainder, const(self.choose.number(0, 3))))]
        return [Expr(self.choose.one(COMPARISONS), "bool", (left, right))]

    def prefer(self) -> Preference | None:
        key = self.among(self.known, self.choose.one(("int", "real")))
        then = self.among(self.known, self.choose.one(("int", "real"))) if self.choose.chance(2) else None
        return None if key is None else Preference(key, self.choose.chance(5), then)

    def output(self, place: int) -> tuple[OutputArc, list[Draw]]:
        """Return a token with values that were bound, or drawn."""
        values, draws = [], []
        for slot in self.places[place].colour.slots:
            value = self.among(self.known, "int") if self.choose.chance(5) else None
            if value is None:
                value = self.variable("int")
                draws.append(Draw(int(value.value or 0), Expr("uniform_int", "int", (const(0), const(MOST - 1)))))
            value = self.small(value)
            values.append(value if slot.kind == "int" else Expr("real", "real", (value,)))
        return OutputArc((place,), tuple(values)), draws

    def make(self, number: int) -> Transition:
        choose = self.choose
        last = len(self.places) - 1
        arcs = choose.one((1, 2, 2, 2, 3, 3, 4))
        inputs = [self.input(choose.number(0, last), keep=i > 0 and choose.chance(2)) for i in range(arcs)]
        guard = self.guard() if choose.chance(5) else None
        prefer = self.prefer() if choose.chance(6 if arcs == 1 else 1) else None
        given = [
            self.output(arc.place if choose.chance(8) else choose.number(0, last)) for arc in inputs if not arc.keep
        ]
        times = (Expr("exp", "real", (const(1.0),)), const(1.0), const(0.5))
        clock = self.clock() if self.clocks and choose.chance(7) else None
        return Transition(
            f"t{number}",
            tuple(self.variables),
            tuple(inputs),
            (),
            (choose.number(0, last),) if choose.number(0, 39) == 39 else (),
            guard,
            tuple(draw for _, draws in given for draw in draws),
            choose.one(times) if clock is None else const(0),
            tuple(arc for arc, _ in given),
            prefer=prefer,
            clock=clock,
        )

    def clock(self) -> Clock:
        """Exponential and shared, by the number of tokens perhaps; or the bindings have their own."""
        tokens = Expr("tokens", "int", (), self.choose.number(0, len(self.places) - 1))
        by_tokens = Expr("div", "real", (const(9.0), Expr("real", "real", (Expr("add", "int", (tokens, const(1))),))))
        variable = self.among(self.known, "int") if self.choose.chance(3) else None
        own = const(2.5) if variable is None else Expr("real", "real", (self.small(variable),))
        exponential = [Expr("exp", "real", (mean,)) for mean in (const(3.0), by_tokens, own)]
        return Clock(self.choose.one((*exponential, own)), speed=by_tokens if self.choose.chance(2) else None)


def place(choose: Chooser, number: int) -> Place:
    colour = choose.one(COLOURS)
    tokens: list[tuple[Scalar, ...]] = [
        tuple(choose.number(0, MOST - 1) if slot.kind == "int" else float(choose.number(0, 3)) for slot in colour.slots)
        for _ in range(choose.number(1, 9))
    ]
    return Place(f"p{number}", colour, initial=tuple((choose.number(1, 2), token) for token in tokens))


def joining_net(choose: Chooser) -> Net:
    places = tuple(place(choose, number) for number in range(choose.number(1, 3)))
    clocks = choose.chance(4)
    transitions = tuple(JoinMaker(choose, places, clocks).make(number) for number in range(choose.number(1, 3)))
    return Net("joins", places, transitions)


@st.composite
def joining_nets(draw: Callable[[st.SearchStrategy[int]], int]) -> Net:
    return joining_net(Chooser(draw))
