"""The values that tokens and variables of a net may have: a few numbers, or a range.

The answers are on the safe side: a domain may be too large. They are found by following tokens from initial markings
and draws along the arcs until nothing changes; a range that still grows then goes as far as its type lets it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product

from petri.catalogue.operations import NOT_NEGATIVE, OPERATIONS
from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.net import Expr, Net, Place, Slot, Transition, constant_count, is_draw
from petri.structs import Frozen

MOST_VALUES = 16  # of a domain that is kept as single numbers
MOST_TOKENS = 10_000  # initial ones whose values are looked at
ROUNDS = 12  # firings of a transition, after which ranges that still grow go as far as their types let them
MOST_TIMES = 200  # firings of a transition, after which everything does
TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


class Domain(Frozen):
    """The numbers from `low` to `high`, or only those of `values`, if there are any."""

    low: float
    high: float
    values: frozenset[float] | None = None

    @property
    def constant(self) -> float | None:
        """The only value."""
        return self.low if self.low == self.high else None


ANY = Domain(-math.inf, math.inf)
NONE = Domain(math.inf, -math.inf, frozenset())
BOOLS = Domain(0.0, 1.0, frozenset((0.0, 1.0)))


def few(values: Iterable[float]) -> Domain:
    """Return the domain of some numbers."""
    every = frozenset(map(float, values))
    if not every:
        return NONE
    return Domain(min(every), max(every), every if len(every) <= MOST_VALUES else None)


def union(a: Domain, b: Domain) -> Domain:
    """Return the smallest domain with the values of both."""
    if a.values is not None and b.values is not None:
        return few(a.values | b.values)
    return Domain(min(a.low, b.low), max(a.high, b.high))


def of_slot(slot: Slot) -> Domain:
    """Return what a type lets a slot have."""
    if slot.labels and len(slot.labels) <= MOST_VALUES:
        return few(range(len(slot.labels)))
    return Domain(
        -math.inf if slot.low is None else float(slot.low), math.inf if slot.high is None else float(slot.high)
    )


# ---------------------------------------------------------------- expressions


def domain(e: Expr, variables: Mapping[int, Domain], net: Net) -> Domain:
    """Return the values of an expression."""
    if e.op == "const":
        return few([float(e.value or 0)])
    if e.op == "var":
        return variables.get(int(e.value or 0), ANY)
    if e.op == "tokens":
        return Domain(0.0, math.inf)
    if e.op in ("now", "end"):
        return Domain(0.0, math.inf)
    if e.op in ("table", "empirical"):
        values = net.tables[int(e.value or 0)].values
        return few(values) if e.op == "table" else Domain(min(0.0, *values), max(values))
    parts = [domain(part, variables, net) for part in e.args]
    if is_draw(e):
        return _drawn(e, parts)
    if e.op == "if":
        condition = parts[0].constant
        return union(parts[1], parts[2]) if condition is None else parts[1 if condition else 2]
    single = _single_values(e, parts)
    return single if single is not None else _range(e, parts)


def _single_values(e: Expr, parts: Sequence[Domain]) -> Domain | None:
    """Return the values for each combination of operands, if these are few."""
    sizes = [len(part.values) if part.values is not None else MOST_VALUES**2 + 1 for part in parts]
    if math.prod(sizes) > MOST_VALUES**2:
        return None
    found = []
    for values in product(*(part.values or () for part in parts)):
        try:
            found.append(float(evaluate(_applied(e, values), Context(()))))
        except ModelError:
            continue  # a run that comes to this ends with the error
    return few(found)


def _applied(e: Expr, values: Sequence[float]) -> Expr:
    """Return the operation on these numbers."""
    kinds = [part.kind for part in e.args]
    numbers = [int(value) if kind != "real" else value for kind, value in zip(kinds, values, strict=True)]
    operands = tuple(Expr("const", kind, value=number) for kind, number in zip(kinds, numbers, strict=True))
    return Expr(e.op, e.kind, operands, e.value, e.span)


def _range(e: Expr, parts: Sequence[Domain]) -> Domain:
    """Return a range for operands that have many values."""
    a, b = parts[0], parts[-1]
    if any(part.low > part.high for part in parts):
        return NONE
    match e.op:
        case "real" | "within":
            return Domain(a.low, a.high)
        case "neg":
            return Domain(-a.high, -a.low)
        case "add":
            return Domain(a.low + b.low, a.high + b.high)
        case "sub":
            return Domain(a.low - b.high, a.high - b.low)
        case "mul":
            return product_range(a, b)
        case "div" | "idiv" if b.low > 0.0 or b.high < 0.0:
            ends = [_times(x, 1.0 / y) for x in (a.low, a.high) for y in (b.low, b.high)]
            return _hull([math.floor(x) if math.isfinite(x) and e.op == "idiv" else x for x in ends])
        case "mod" if b.low > 0.0:
            return Domain(0.0, b.high - 1.0)
        case "min":
            return Domain(min(a.low, b.low), min(a.high, b.high))
        case "max":
            return Domain(max(a.low, b.low), max(a.high, b.high))
        case "abs":
            least, most = sorted((abs(a.low), abs(a.high)))
            return Domain(0.0 if a.low <= 0.0 <= a.high else least, most)
    return _range_of_one(e, a)


def _range_of_one(e: Expr, a: Domain) -> Domain:
    match e.op:
        case "ticks":
            return Domain(a.low * float(e.value or 0), a.high * float(e.value or 0))
        case "units":
            return Domain(a.low / float(e.value or 1), a.high / float(e.value or 1))
        case "floor" | "ceil" | "round":
            return Domain(a.low - 1.0 if e.op != "ceil" else a.low, a.high + 1.0 if e.op != "floor" else a.high)
        case "sqrt":
            return Domain(math.sqrt(max(a.low, 0.0)), math.sqrt(max(a.high, 0.0)))
        case "ln":
            return Domain(math.log(a.low) if a.low > 0.0 else -math.inf, math.log(a.high) if a.high > 0.0 else math.inf)
        case "pow":
            return Domain(0.0, math.inf)
    return BOOLS if e.kind == "bool" else ANY


def product_range(a: Domain, b: Domain) -> Domain:
    """Return the range of a product."""
    return _hull([_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)])


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0.0 or y == 0.0 else x * y


def _hull(ends: Sequence[float]) -> Domain:
    return Domain(min(ends), max(ends))


def _drawn(e: Expr, parts: Sequence[Domain]) -> Domain:
    """Return what a distribution may give."""
    match e.op:
        case "choice":
            every = NONE
            for value, weight in zip(parts[::2], parts[1::2], strict=True):
                every = union(every, value) if weight.constant != 0.0 else every
            return every
        case "bernoulli":
            return BOOLS
        case "beta":
            return Domain(0.0, 1.0)
        case "uniform_int" | "uniform":
            low, high = parts[0].low, parts[1].high
            is_short = e.op == "uniform_int" and high - low < MOST_VALUES
            return few(range(int(low), int(high) + 1)) if is_short else Domain(low, high)
        case "truncated_normal":
            return Domain(parts[2].low, parts[3].high)
        case "triangular":
            return Domain(parts[0].low, parts[2].high)
        case "geometric":
            return Domain(1.0, math.inf)
        case "binomial":
            return Domain(0.0, parts[0].high)
    return Domain(0.0, math.inf) if OPERATIONS[e.op].values is NOT_NEGATIVE else ANY


# ---------------------------------------------------------------- tokens


def is_fed(place: Place) -> bool:
    """Return whether tokens come to a place from a file or from outside."""
    return place.stream is not None or place.port == "in"


def initial(place: Place) -> list[Domain]:
    """Return what each slot of the initial tokens may be."""
    slots = place.colour.slots
    if place.held > MOST_TOKENS:
        return list(map(of_slot, slots))
    return [few(value[index] for _, value in place.initial) for index in range(len(slots))]


class Domains:
    """places: for each place, what its slots may hold. variables: for each transition, what its variables may be.

    possible: whether a transition may find tokens with which its guard and patterns agree.
    """

    def __init__(self, net: Net) -> None:
        self.net = net
        self.places = [self._at_first(place) for place in net.places]
        self.filled = [place.held > 0 or is_fed(place) for place in net.places]
        self.variables: list[dict[int, Domain]] = [{} for _ in net.transitions]
        self.possible = [False] * len(net.transitions)
        self._takers: list[list[int]] = [[] for _ in net.places]
        for t, transition in enumerate(net.transitions):
            for place in {*(arc.place for arc in transition.inputs), *(arc.place for arc in transition.sets)}:
                self._takers[place].append(t)
        pending = dict.fromkeys(range(len(net.transitions)))
        times = [0] * len(net.transitions)
        while pending:
            t = next(iter(pending))
            del pending[t]
            times[t] += 1
            if times[t] > MOST_TIMES:
                self._give_up()
                return
            for place in self._fire(t, widens=times[t] > ROUNDS):
                pending |= dict.fromkeys(self._takers[place])

    def _at_first(self, place: Place) -> list[Domain]:
        return list(map(of_slot, place.colour.slots)) if is_fed(place) else initial(place)

    def _give_up(self) -> None:
        """Let everything be what its type lets it be."""
        self.places = [[of_slot(slot) for slot in place.colour.slots] for place in self.net.places]
        self.filled = [True] * len(self.net.places)
        for t in range(len(self.net.transitions)):
            self._fire(t, widens=True)

    def _fire(self, t: int, widens: bool) -> set[int]:
        """Let a transition fire: return the places that may hold something new."""
        transition, grown = self.net.transitions[t], set[int]()
        variables = self._bound(transition)
        if variables is None:
            return grown
        self.possible[t] = True
        for draw in transition.draws:
            variables[draw.variable] = domain(draw.expression, variables, self.net)
        self.variables[t] = variables
        for arc in transition.outputs:
            given = {**variables, **self._of_set(transition, arc.each)}
            if arc.condition is not None and domain(arc.condition, given, self.net).constant == 0.0:
                continue
            values = [domain(value, given, self.net) for value in arc.values]
            grown |= {place for place in dict.fromkeys(arc.places) if self._put(place, values, widens)}
        return grown

    def _put(self, place: int, values: Sequence[Domain], widens: bool) -> bool:
        grown = not self.filled[place]
        self.filled[place] = True
        for index, (slot, value) in enumerate(zip(self.net.places[place].colour.slots, values, strict=True)):
            before = self.places[place][index]
            after = union(before, value)
            if after != before:
                limit = of_slot(slot)
                if widens:
                    after = union(after, limit)
                self.places[place][index] = after
                grown = True
        return grown

    def _bound(self, transition: Transition) -> dict[int, Domain] | None:
        """Return the domains of the variables that arcs bind, narrowed by the guard; None if it cannot fire."""
        variables: dict[int, Domain] = {}
        for arc in transition.inputs:
            if not self.filled[arc.place] and constant_count(arc.count):  # another number may be 0
                return None
            for match, held in zip(arc.pattern, self.places[arc.place], strict=True):
                if match.bind is not None:
                    variables[match.bind] = held
                elif match.equal is not None and match.equal.op == "var":
                    _narrow(variables, int(match.equal.value or 0), "eq", held)
        for index in {index for of_set in transition.sets for index in of_set.variables}:
            variables[index] = ANY
        for fact in _conjuncts(transition.guard):
            if fact.op in TURNED:
                left, right = fact.args
                for op, one, other in ((fact.op, left, right), (TURNED[fact.op], right, left)):
                    if one.op == "var":
                        _narrow(variables, int(one.value or 0), op, domain(other, variables, self.net))
        impossible = any(variable.low > variable.high for variable in variables.values())
        refused = transition.guard is not None and domain(transition.guard, variables, self.net).constant == 0.0
        return None if impossible or refused else variables

    def _of_set(self, transition: Transition, number: int | None) -> dict[int, Domain]:
        """Return the slots of a set's tokens, as variables (E11)."""
        if number is None:
            return {}
        first = len(transition.variables)
        held = self.places[transition.sets[number].place]
        return {first + index: one for index, one in enumerate(held)}


def _conjuncts(guard: Expr | None) -> Iterable[Expr]:
    if guard is None:
        return ()
    return chain.from_iterable(map(_conjuncts, guard.args)) if guard.op == "and" else (guard,)


def _narrow(variables: dict[int, Domain], index: int, op: str, other: Domain) -> None:
    """Leave what agrees with `variable op other`."""
    own = variables.get(index, ANY)
    if own.values is not None:
        variables[index] = few(value for value in own.values if _may_hold(value, op, other))
        return
    low, high = own.low, own.high
    if op in ("eq", "ge", "gt"):
        low = max(low, other.low)
    if op in ("eq", "le", "lt"):
        high = min(high, other.high)
    if op == "eq" and other.values is not None:
        variables[index] = few(value for value in other.values if low <= value <= high)
        return
    variables[index] = Domain(low, high)


def _may_hold(value: float, op: str, other: Domain) -> bool:
    match op:
        case "eq":
            return value in other.values if other.values is not None else other.low <= value <= other.high
        case "ne":
            return other.constant != value
        case "lt":
            return value < other.high
        case "le":
            return value <= other.high
        case "gt":
            return value > other.low
    return value >= other.low
