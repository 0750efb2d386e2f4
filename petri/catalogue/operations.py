"""The operations of expressions: functions, distributions, and what else a flat net computes.

The checker, the flattening, reports, editors, messages, the reference engine and the random nets of the tests read this
table. The native engine has a twin of it, `petri/native/engine/src/net/op.rs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, pairwise
from typing import Any, Final, Literal, TypeVar

from petri.structs import Frozen

T = TypeVar("T")
Kind = Literal["int", "real", ""]  # "" where it may be of several

LEAST_SHAPE, GREATEST_SHAPE = 1e-6, 1e12
MOST_TRIALS = 10**15
WIDEST = 2**53  # the width of a range of ints is below this, so that u reaches every one
FARTHEST = 30.0  # standard deviations from the mean at which a truncated normal may begin


class Domain(Frozen):
    """The values that a parameter may have: in words, and as a test."""

    text: str
    holds: Callable[[float], bool]


ANY: Final = Domain("a number", lambda x: True)
NOT_NEGATIVE: Final = Domain("at least 0", lambda x: x >= 0)
POSITIVE: Final = Domain("greater than 0", lambda x: x > 0)
SHAPE: Final = Domain("from 10⁻⁶ to 10¹²", lambda x: LEAST_SHAPE <= x <= GREATEST_SHAPE)
PROBABILITY: Final = Domain("from 0 to 1", lambda x: 0 <= x <= 1)
TRIALS: Final = Domain("from 0 to 10¹⁵", lambda n: 0 <= n <= MOST_TRIALS)


class Parameter(Frozen):
    """An operand. alike: it has the dimension of the value."""

    name: str
    domain: Domain = ANY
    alike: bool = False
    kind: Kind = "real"


class Operation(Frozen):
    """name: in a flat net. usage: how the language writes it, if by a word; doc: what it gives, as its page says it.

    kind: of the value. ascending: from this parameter on, no value is below the one before. also, also_text: what else
    parameters must meet together. values: what it may draw. `choice` has its two parameters again and again.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    kind: Kind = ""
    draws: bool = False
    usage: str = ""
    doc: str = ""
    ascending: int | None = None
    also: Callable[..., bool] | None = None
    also_text: str = ""
    values: Domain = ANY

    @property
    def word(self) -> str:
        """Its name in the language; of `normal` and `uniform` there are two operations each."""
        return self.usage.partition("(")[0]

    def alike(self, operands: Sequence[T]) -> list[T]:
        """Return the operands that have the dimension of the value."""
        return [operand for operand, one in zip(operands, cycle(self.parameters), strict=False) if one.alike]

    def holds(self, *values: float) -> bool:
        """Return whether the parameters of a draw are in its domain (X1)."""
        each = all(one.domain.holds(value) for one, value in zip(self.parameters, values, strict=True))
        ascend = self.ascending is None or all(low <= high for low, high in pairwise(values[self.ascending :]))
        return each and ascend and (self.also is None or self.also(*values))

    def needs(self) -> list[str]:
        """Return the domain in words."""
        each = [
            f"{parameter.name} {parameter.domain.text}" for parameter in self.parameters if parameter.domain is not ANY
        ]
        if self.ascending is not None:
            each.append(" <= ".join(parameter.name for parameter in self.parameters[self.ascending :]))
        return [*each, self.also_text] if self.also_text else each


def _drawn(usage: str, doc: str, *parameters: Parameter, **others: Any) -> Operation:
    """Return a distribution; of reals, unless it is said."""
    named = {"name": usage.partition("(")[0], "kind": "real", **others}
    return Operation(parameters=parameters, draws=True, usage=usage, doc=doc, **named)


def _drawn_above(usage: str, doc: str, *parameters: Parameter, **others: Any) -> Operation:
    """Return a distribution without negative values."""
    return _drawn(usage, doc, *parameters, values=NOT_NEGATIVE, **others)


def _plain(names: str, *parameters: Parameter) -> list[Operation]:
    return [Operation(name, parameters) for name in names.split()]


def _alike(name: str, domain: Domain = ANY) -> Parameter:
    return Parameter(name, domain, alike=True)


def _may_be_cut(mean: float, sd: float, low: float, high: float) -> bool:
    return low < high and low - mean <= FARTHEST * sd and mean - high <= FARTHEST * sd


_X: Final = Parameter("x", kind="")
_LIKE: Final = Parameter("x", alike=True, kind="")
_LOW, _HIGH = _alike("low"), _alike("high")
_LEAST, _GREATEST = Parameter("low", kind="int", alike=True), Parameter("high", kind="int", alike=True)
_RANGE: Final = "of ints: each of a, a + 1, …, b; of reals: between a and b"

_ALL: Final = (
    *_plain("const var tokens now end"),
    *_plain("neg abs real", _LIKE),
    *_plain("ticks units floor ceil round sqrt ln not", _X),
    *_plain("add sub min max", _LIKE, _LIKE),
    *_plain("mul div idiv mod within pow eq ne lt le gt ge and or", _X, _X),
    *_plain("if", _X, _LIKE, _LIKE),
    _drawn_above("exp(mean)", "exponential", _alike("mean", NOT_NEGATIVE)),
    _drawn("uniform(a..b)", _RANGE, _LOW, _HIGH, ascending=0),
    _drawn("uniform(a..b)", _RANGE, _LEAST, _GREATEST, kind="int", name="uniform_int", ascending=0,
           also=lambda low, high: high - low < WIDEST, also_text="high - low below 2^53"),
    _drawn_above("erlang(k, mean)", "sum of k exponentials; k is an int",
           Parameter("k", Domain("from 1 to 10000", lambda k: 1 <= k <= 10_000), kind="int"),
           _alike("mean", NOT_NEGATIVE)),
    _drawn_above("lognormal(mean, cv)", "given by its own mean and coefficient of variation",
           _alike("mean", POSITIVE), Parameter("cv", NOT_NEGATIVE)),
    _drawn_above("pareto(shape, mean)", "heavy-tailed; shape > 1",
           Parameter("shape", Domain("greater than 1", lambda x: x > 1)), _alike("mean", NOT_NEGATIVE)),
    _drawn_above("gamma(shape, mean)", "exponential if the shape is 1",
           Parameter("shape", SHAPE), _alike("mean", NOT_NEGATIVE)),
    _drawn_above("weibull(shape, scale)", "exponential if the shape is 1",
           Parameter("shape", SHAPE), _alike("scale", NOT_NEGATIVE)),
    _drawn_above("loglogistic(shape, scale)", "heavy-tailed; half of the values are below the scale",
           Parameter("shape", SHAPE), _alike("scale", NOT_NEGATIVE)),
    _drawn_above("hyperexponential(mean, cv)", "two exponentials, each of which contributes half of the mean; cv ≥ 1",
           _alike("mean", NOT_NEGATIVE), Parameter("cv", Domain("from 1 to 10⁶", lambda x: 1 <= x <= 10**6))),
    _drawn("normal(mean, sd)", "may be negative", _alike("mean"), _alike("sd", NOT_NEGATIVE)),
    _drawn("normal(mean, sd, low..high)",
           "truncated: only values in the range, so a time from it is never negative",
           _alike("mean"), _alike("sd", POSITIVE), _LOW, _HIGH, name="truncated_normal", ascending=2,
           also=_may_be_cut, also_text="a range that begins at most 30 sd from the mean"),
    _drawn("triangular(low, mode, high)", "most frequent at the mode", _LOW, _alike("mode"), _HIGH, ascending=0),
    _drawn_above("beta(a, b)", "a plain number from 0 to 1", Parameter("a", SHAPE), Parameter("b", SHAPE)),
    _drawn("bernoulli(p)", "an int: 1 with probability p, else 0", Parameter("p", PROBABILITY), kind="int"),
    _drawn_above("geometric(p)", "an int from 1: trials up to the first success; its mean is 1/p",
           Parameter("p", Domain("greater than 0 and at most 1", lambda x: 0 < x <= 1)), kind="int"),
    _drawn_above("binomial(n, p)", "an int: successes in n trials",
           Parameter("n", TRIALS, kind="int"), Parameter("p", PROBABILITY), kind="int"),
    _drawn_above("poisson(mean)", "an int from 0", Parameter("mean", TRIALS), kind="int"),
    _drawn("choice(v: w, v: w, …)", "value v with weight w; numbers, bools, or values of one enumeration",
           Parameter("value", alike=True, kind=""), Parameter("weight", NOT_NEGATIVE), kind="",
           also_text="a weight above 0"),
    _drawn('table("sizes.csv")', "a value from a file, by its weight", kind=""),
    _drawn('empirical("sizes.csv")',
           "anywhere between a value of the file and the one before it, with the weight of the value"),
)  # fmt: skip
OPERATIONS: Final = {operation.name: operation for operation in _ALL}

# The operators of the language, and their operations.
COMPARISONS: Final = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
ARITHMETIC: Final = {"+": "add", "-": "sub", "*": "mul", "/": "div", "div": "idiv", "mod": "mod"}
BINARY: Final = {"or": "or", "and": "and", **COMPARISONS, **ARITHMETIC}

# How the language writes its functions, and its distributions by their words.
FUNCTIONS: Final = {
    "min": "min(a, b)", "max": "max(a, b)", "abs": "abs(x)", "floor": "floor(x)", "ceil": "ceil(x)",
    "round": "round(x)", "sqrt": "sqrt(x)", "ln": "ln(x)", "pow": "pow(x, y)", "tokens": "tokens(place)",
    "firings": "firings(transition)",
    "average": 'average("sizes.csv")', "len": "len(list)", "list": 'list("costs.csv", "cycles")',
}  # fmt: skip
# Those of each element of a vector or a list, and of each value of a range. Nets may have functions of these names.
OF_EACH: Final = {
    "count": "count(x in v: x > 0)", "sum": "sum(x in v: 2 * x)", "any": "any(x in v: x > 0)",
    "all": "all(x in v: x > 0)",
}  # fmt: skip
DISTRIBUTIONS: Final = {
    word: "` or `".join(dict.fromkeys(operation.usage for operation in _ALL if operation.word == word))
    for word in dict.fromkeys(operation.word for operation in _ALL if operation.draws)
}
