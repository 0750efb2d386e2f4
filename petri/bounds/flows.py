"""Values as flows: an expression of a transition, multiplied by the rate of its firings, as a linear quantity.

The rate is x firings a time unit, and a value e flows at x·E[e]. Sums of values are sums of flows. Where an operation
is not linear, its flow lies between linear bounds: those of McCormick (1976) for products, of convex and of concave
functions by Jensen's inequality, and else x times the range of the value. What depends on one variable of few values,
or on draws alone, is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from petri.bounds.domains import MOST_VALUES, Domain, domain, product_range
from petri.bounds.programme import Linear, Programme, plus
from petri.catalogue.operations import OPERATIONS
from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.net import Expr, Net, is_draw, operations
from petri.structs import Frozen

Parts = Mapping[float, Linear]


class Flow(Frozen):
    """linear: the flow of a value. domain: what the value may be.

    parts: how many of the firings, a time unit, have each value, if it has few. mean: the value's mean where it
    depends on nothing but draws, whose numbers are `draws`.
    """

    linear: Linear
    domain: Domain
    parts: Parts | None = None
    mean: float | None = None
    draws: frozenset[int] = frozenset()


class Flows:
    """The flows of one transition. rate: its firings a time unit. variables: the flows of its variables."""

    def __init__(self, net: Net, programme: Programme, rate: int) -> None:
        self.net = net
        self.programme = programme
        self.rate: Linear = {rate: 1.0}
        self.variables: dict[int, Flow] = {}
        self._known: dict[object, Flow] = {}
        self._drawn = 0

    def constant(self, value: float) -> Flow:
        """Return the flow of a number."""
        parts = {value: self.rate}
        return Flow(plus((value, self.rate)), Domain(value, value, frozenset((value,))), parts, value)

    def unknown(self, of: Domain, unit: float = 1.0) -> Flow:
        """Return the flow of a value of which only the domain is known. unit: its size, if the domain has no ends."""
        if of.values is not None and 1 < len(of.values) <= MOST_VALUES:
            parts = {value: {self.programme.variable(): 1.0} for value in sorted(of.values)}
            self.programme.equal(plus((-1.0, self.rate), *((1.0, part) for part in parts.values())))
            return Flow(plus(*parts.items()), of, parts)
        if of.constant is not None:
            return self.constant(of.constant)
        ends = [abs(end) for end in (of.low, of.high) if math.isfinite(end)]
        size = max(ends) if len(ends) == 2 else max([unit, *ends])  # so that the variables are neither huge nor tiny
        linear = plus((size, {self.programme.variable(): 1.0} if of.low >= 0.0 else self.programme.free()))
        self._keep_within(linear, of)
        return Flow(linear, of)

    def _keep_within(self, linear: Linear, of: Domain) -> None:
        if math.isfinite(of.low) and of.low:
            self.programme.at_least(plus((1.0, linear), (-of.low, self.rate)))
        elif of.low == 0.0:
            self.programme.at_least(linear)
        if math.isfinite(of.high):
            self.programme.at_least(plus((of.high, self.rate), (-1.0, linear)))

    # ------------------------------------------------------------ expressions

    def of(self, e: Expr) -> Flow:
        """Return the flow of an expression. Equal expressions without draws have the same."""
        if any(map(is_draw, operations([e]))):
            return self._made(e)
        shape = shape_of(e)
        if shape not in self._known:
            self._known[shape] = self._made(e)
        return self._known[shape]

    def _made(self, e: Expr) -> Flow:
        if e.op == "const":
            return self.constant(float(e.value or 0))
        if e.op == "var" and int(e.value or 0) in self.variables:
            return self.variables[int(e.value or 0)]
        found = self._single(e) or self._combined(e)
        return found if found is not None else self.unknown(self._domain(e))

    def _domain(self, e: Expr) -> Domain:
        return domain(e, {index: flow.domain for index, flow in self.variables.items()}, self.net)

    def _single(self, e: Expr) -> Flow | None:
        """Return the flow of a function of one variable of few values: exact."""
        used = {int(part.value or 0) for part in operations([e]) if part.op == "var"}
        others = any(part.op in ("tokens", "now", "end") or is_draw(part) for part in operations([e]))
        if others or len(used) > 1:
            return None
        if not used:
            return self._folded(e)
        index = used.pop()
        flow = self.variables.get(index)
        if flow is None or flow.parts is None:
            return None
        parts: dict[float, Linear] = {}
        for value, share in flow.parts.items():
            try:
                result = float(evaluate(e, Context(_Alone(value, e))))
            except ModelError:
                return None
            parts[result] = plus((1.0, parts.get(result, {})), (1.0, share))
        mean = None
        if flow.mean is not None:
            mean = sum(result * sum(share.values()) for result, share in parts.items())
        return Flow(plus(*parts.items()), _few(parts), parts, mean, flow.draws)

    def where(self, condition: Expr, e: Expr) -> Parts | None:
        """Return how many firings that meet a condition have each value; None unless one variable decides both."""
        single = self._single(condition), self._single(e)
        used = {int(part.value or 0) for part in operations([condition, e]) if part.op == "var"}
        if None in single or len(used) != 1:
            return None
        parts: dict[float, Linear] = {}
        for value, share in (self.variables[used.pop()].parts or {}).items():
            alone = Context(_Alone(value, condition, e))
            if evaluate(condition, alone):
                result = float(evaluate(e, alone))
                parts[result] = plus((1.0, parts.get(result, {})), (1.0, share))
        return parts

    def _folded(self, e: Expr) -> Flow | None:
        try:
            return self.constant(float(evaluate(e, Context(()))))
        except ModelError:
            return None

    def _combined(self, e: Expr) -> Flow | None:
        """Return the flow of an operation on flows; None where nothing but its range is known."""
        if is_draw(e):
            return self._draw(e)
        match e.op:
            case "real":
                return self.of(e.args[0])
            case "neg":
                return self.scaled(self.of(e.args[0]), -1.0)
            case "ticks":
                return self.scaled(self.of(e.args[0]), float(e.value or 0))
            case "units":
                return self.scaled(self.of(e.args[0]), 1.0 / float(e.value or 1))
            case "add" | "sub":
                return self._sum(self.of(e.args[0]), self.of(e.args[1]), 1.0 if e.op == "add" else -1.0)
            case "mul":
                return self.product(*map(self.of, e.args))
            case "div":
                divisor = self._domain(e.args[1]).constant
                return self.scaled(self.of(e.args[0]), 1.0 / divisor) if divisor else None
            case "if":
                return self._choice(*map(self.of, e.args))
            case "min" | "max" | "abs" | "floor" | "ceil" | "round" | "idiv" | "and" | "or":
                return self._bounded(e)
            case "not":
                return self._sum(self.constant(1.0), self.of(e.args[0]), -1.0)
        return None

    def scaled(self, flow: Flow, factor: float) -> Flow:
        parts = None
        if flow.parts is not None:
            parts = {value * factor: share for value, share in flow.parts.items()} if factor else None
        low, high = sorted((flow.domain.low * factor, flow.domain.high * factor)) if factor else (0.0, 0.0)
        of = Domain(low, high) if parts is None else _few(parts)
        return Flow(
            plus((factor, flow.linear)), of, parts, None if flow.mean is None else flow.mean * factor, flow.draws
        )

    def repeated(self, flow: Flow, number: float) -> Flow:
        """Return the flow of a value that each firing gives `number` times."""
        parts = None if flow.parts is None else {value: plus((number, share)) for value, share in flow.parts.items()}
        return Flow(plus((number, flow.linear)), flow.domain, parts)

    def _sum(self, a: Flow, b: Flow, sign: float) -> Flow:
        ends = sorted((sign * b.domain.low, sign * b.domain.high))
        mean = None if a.mean is None or b.mean is None else a.mean + sign * b.mean
        of = Domain(a.domain.low + ends[0], a.domain.high + ends[1])
        return Flow(plus((1.0, a.linear), (sign, b.linear)), of, None, mean, a.draws | b.draws)

    def product(self, a: Flow, b: Flow) -> Flow:
        """Return the flow of a product: exact if one is a mean that does not depend on the other."""
        for one, other in ((a, b), (b, a)):
            if one.domain.constant is not None:
                return self.scaled(other, one.domain.constant)
        of = product_range(a.domain, b.domain)
        for one, other in ((a, b), (b, a)):
            if one.mean is not None and not one.draws & other.draws:
                mean = None if other.mean is None else one.mean * other.mean
                return Flow(plus((one.mean, other.linear)), of, None, mean, a.draws | b.draws)
        flow = self.unknown(Domain(of.low, of.high))
        for sign, x, y in ((1.0, a.domain.low, b.domain.low), (1.0, a.domain.high, b.domain.high),
                           (-1.0, a.domain.low, b.domain.high), (-1.0, a.domain.high, b.domain.low)):  # fmt: skip
            if math.isfinite(x) and math.isfinite(y):  # (a - x)(b - y) has this sign
                self.programme.at_least(
                    plus((sign, flow.linear), (-sign * y, a.linear), (-sign * x, b.linear), (sign * x * y, self.rate))
                )
        return flow

    def _choice(self, condition: Flow, a: Flow, b: Flow) -> Flow:
        """Return the flow of `if condition then a else b`."""
        if condition.domain.constant is not None:
            return a if condition.domain.constant else b
        if condition.mean is not None and not condition.draws & (a.draws | b.draws):
            p = condition.mean
            mean = None if a.mean is None or b.mean is None else p * a.mean + (1.0 - p) * b.mean
            of = Domain(min(a.domain.low, b.domain.low), max(a.domain.high, b.domain.high))
            return Flow(plus((p, a.linear), (1.0 - p, b.linear)), of, None, mean, condition.draws | a.draws | b.draws)
        difference = self.product(condition, self._sum(a, b, -1.0))
        flow = self._sum(b, difference, 1.0)
        of = Domain(min(a.domain.low, b.domain.low), max(a.domain.high, b.domain.high))
        self._keep_within(flow.linear, of)
        return Flow(flow.linear, of)

    def _bounded(self, e: Expr) -> Flow:
        """Return the flow of what lies between linear bounds of its operands."""
        flow, (a, *rest) = self.unknown(self._domain(e)), map(self.of, e.args)
        at_least, w, x = self.programme.at_least, flow.linear, self.rate
        b = rest[0] if rest else a
        match e.op:
            case "min" | "and":
                at_least(plus((1.0, a.linear), (-1.0, w)))
                at_least(plus((1.0, b.linear), (-1.0, w)))
                if e.op == "and":
                    at_least(plus((1.0, w), (1.0, x), (-1.0, a.linear), (-1.0, b.linear)))
            case "max" | "or":
                at_least(plus((1.0, w), (-1.0, a.linear)))
                at_least(plus((1.0, w), (-1.0, b.linear)))
                if e.op == "or":
                    at_least(plus((1.0, a.linear), (1.0, b.linear), (-1.0, w)))
            case "abs":
                at_least(plus((1.0, w), (-1.0, a.linear)))
                at_least(plus((1.0, w), (1.0, a.linear)))
            case "idiv":
                if (n := b.domain.constant) and n > 0.0:
                    at_least(plus((1.0 / n, a.linear), (-1.0, w)))
                    at_least(plus((1.0, w), (-1.0 / n, a.linear), ((n - 1.0) / n, x)))
            case _:
                below, above = {"floor": (1.0, 0.0), "ceil": (0.0, 1.0), "round": (0.5, 0.5)}[e.op]
                at_least(plus((1.0, w), (-1.0, a.linear), (below, x)))
                at_least(plus((1.0, a.linear), (above, x), (-1.0, w)))
        return flow

    # ------------------------------------------------------------ draws

    def _draw(self, e: Expr) -> Flow | None:
        """Return the flow of a draw whose mean is a constant, or linear in a parameter that is none."""
        self._drawn += 1
        draws = frozenset((self._drawn,))
        law = _law(e, self.net)
        if law is not None and len(law) <= MOST_VALUES:
            parts = {value: plus((share, self.rate)) for value, share in law.items()}
            mean = sum(value * share for value, share in law.items())
            return Flow(plus((mean, self.rate)), _few(parts), parts, mean, draws)
        parameters = [self.of(part) for part in e.args]
        constants = [parameter.domain.constant for parameter in parameters]
        known = [constant for constant in constants if constant is not None]
        checked = e.op not in ("choice", "table", "empirical") and len(known) == len(constants)
        if checked and not OPERATIONS[e.op].holds(*known):
            return None  # a run that comes to this ends with the error
        weights = _mean(e, constants, self.net)
        if weights is None:
            return None
        weighted = list(zip(weights, [*parameters, self.constant(1.0)], strict=False))
        linear, of = plus(*((weight, one.linear) for weight, one in weighted)), self._domain(e)
        if len(known) < len(constants):
            return Flow(linear, of)
        mean = sum(weight * one.domain.low for weight, one in weighted)
        return Flow(linear, of, None, mean, draws) if math.isfinite(mean) else None


class _Alone(Sequence["int | float"]):
    """Variables of which one has a value, as an expression of it alone may ask for."""

    def __init__(self, value: float, *expressions: Expr) -> None:
        kind = next(part.kind for part in operations(expressions) if part.op == "var")
        self._value = value if kind == "real" else int(value)

    def __getitem__(self, index: Any) -> Any:
        return self._value

    def __len__(self) -> int:
        return 1


def _few(parts: Mapping[float, object]) -> Domain:
    return Domain(min(parts), max(parts), frozenset(parts))


def shape_of(e: Expr) -> object:
    """Return the same for expressions that are equal, wherever they are written."""
    return (e.op, e.kind, e.value, tuple(map(shape_of, e.args)))


def _law(e: Expr, net: Net) -> dict[float, float] | None:
    """Return the probabilities of the values of a draw that has few."""
    pairs: list[tuple[float, float]]
    constants = [float(part.value or 0) if part.op == "const" else None for part in e.args]
    if e.op == "table":
        table = net.tables[int(e.value or 0)]
        pairs = list(zip(map(float, table.values), table.weights, strict=True))
    elif any(constant is None for constant in constants):
        return None
    else:
        numbers = [constant for constant in constants if constant is not None]
        if e.op == "choice":
            pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        elif e.op == "bernoulli":
            pairs = [(0.0, 1.0 - numbers[0]), (1.0, numbers[0])]
        elif e.op == "uniform_int" and numbers[1] - numbers[0] < MOST_VALUES:
            pairs = [(float(value), 1.0) for value in range(int(numbers[0]), int(numbers[1]) + 1)]
        else:
            return None
    total = sum(weight for _, weight in pairs)
    law: dict[float, float] = {}
    for value, weight in pairs:
        if weight:
            law[value] = law.get(value, 0.0) + weight / total
    return law or None


def _mean(e: Expr, constants: list[float | None], net: Net) -> list[float] | None:
    """Return the weights of the parameters, and then of 1, in the mean of a draw; None if it is not linear."""
    first, second = (*constants, None, None)[:2]
    match e.op:
        case "exp" | "poisson" | "normal" | "lognormal" | "hyperexponential" | "bernoulli":
            return [1.0]
        case "erlang" | "pareto" | "gamma":
            return [0.0, 1.0]
        case "uniform" | "uniform_int":
            return [0.5, 0.5]
        case "triangular":
            return [1.0 / 3.0] * 3
        case "weibull" if first is not None:
            return [0.0, math.gamma(1.0 + 1.0 / first)] if first > 0.01 else None
        case "loglogistic" if first is not None:
            angle = math.pi / first if first > 1.0 else 0.0
            return [0.0, angle / math.sin(angle)] if math.sin(angle) > 0.0 else None
        case "geometric" if first:
            return [0.0, 1.0 / first]
        case "beta" if first is not None and second is not None and first + second > 0.0:
            return [0.0, 0.0, first / (first + second)]
        case "binomial" if first is not None:
            return [0.0, first]
        case "binomial" if second is not None:
            return [second]
        case "truncated_normal" if all(constant is not None for constant in constants):
            return [0.0, 0.0, 0.0, 0.0, _mean_between(*(float(constant or 0.0) for constant in constants))]
        case "choice" if all(constant is not None for constant in constants[1::2]):
            shares = [float(constant or 0.0) for constant in constants[1::2]]
            return [weight for share in shares for weight in (share / sum(shares), 0.0)] if sum(shares) > 0.0 else None
        case "table" | "empirical":
            table = net.tables[int(e.value or 0)]
            values = [float(value) for value in table.values]
            if e.op == "empirical":
                values = [0.5 * (low + high) for low, high in zip([values[0], *values], values, strict=False)]
            return [sum(v * w for v, w in zip(values, table.weights, strict=True)) / sum(table.weights)]
    return None


def _mean_between(mean: float, sd: float, low: float, high: float) -> float:
    """Return the mean of a normal between bounds."""
    a, b = (low - mean) / sd, (high - mean) / sd

    def density(z: float) -> float:
        return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)

    share = 0.5 * (math.erfc(a / math.sqrt(2.0)) - math.erfc(b / math.sqrt(2.0)))
    return min(max(mean + sd * (density(a) - density(b)) / share, low), high) if share > 1e-12 else low
