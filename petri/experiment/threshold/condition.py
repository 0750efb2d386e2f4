"""The condition of a search: comparisons of measures with numbers, all of which must hold."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from petri.experiment.design.names import unknown_parameter
from petri.experiment.design.preparation import in_units
from petri.experiment.errors import ExperimentError, problem
from petri.measure.decision import Decision, decide_mean, decide_probability, decide_runs
from petri.measure.figures import Figure, UnknownFigure, default_names, figures
from petri.measure.pooling import Sample, tallies_of, values_of
from petri.net import Net

COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_AND: Final = re.compile(r"\s+and\s+|\s*&&\s*|\s*,\s*")
_COMPARISON: Final = re.compile(r"\s*(?P<name>[A-Za-z_][\w.\[\], ]*?)\s*(?P<sign>[<>=!]+)\s*(?P<bound>.*?)\s*")


@dataclass(frozen=True)
class Comparison:
    """`figure sign bound`, the bound in the net's units; `text` as written.

    run_by_run: each replication has it or has it not. A comparison with 0 or with `==` asks what a mean cannot answer,
    and a maximum has no mean. All others are about the mean, or about a probability, for which all trials count.
    """

    figure: Figure
    sign: str
    bound: float
    text: str

    @property
    def run_by_run(self) -> bool:
        return self.sign == "==" or self.bound == 0.0 or self.figure.statistic != "mean"

    def holds(self, value: float) -> bool:
        return COMPARISONS[self.sign](value, self.bound)

    def decide(self, samples: Sequence[Sample], error: float, most: int) -> Decision:
        """Return whether it holds, of one sample of each replication. It does not where a replication has no data."""
        tallies = tallies_of(samples)
        if self.figure.tally is not None and not self.run_by_run and (tallies is not None or not samples):
            return decide_probability(tallies or (), self.bound, self.holds, error, most)
        values = values_of(samples)
        if any(map(math.isnan, values)):
            return Decision(False, error, True, len(values))
        if self.run_by_run:
            return decide_runs([self.holds(value) for value in values], error, most)
        return decide_mean(values, self.bound, self.holds, error, most)


@dataclass(frozen=True)
class Condition:
    """Comparisons that must all hold; `text` as written."""

    comparisons: tuple[Comparison, ...]
    text: str

    @property
    def names(self) -> list[str]:
        """The figures that it is about."""
        return list(dict.fromkeys(comparison.figure.name for comparison in self.comparisons))

    def decide(self, samples: Mapping[str, Sequence[Sample]], error: float, most: int) -> Decision:
        """Return whether all hold: it is wrong with a probability of at most `error` if it is certain.

        Each comparison gets an equal share of the error: a wrong "fails" may come from any of them.
        """
        share = error / len(self.comparisons)
        found = [comparison.decide(samples[comparison.figure.name], share, most) for comparison in self.comparisons]
        decided = [one for one in found if not one.more]
        failed = [one for one in decided if not one.holds]
        if failed:
            return min(failed, key=lambda one: one.error)
        if len(decided) == len(found):
            return max(found, key=lambda one: one.error)
        return min((one for one in found if one.more), key=lambda one: one.more)


def parse_condition(text: str, net: Net) -> Condition:
    """`loss == 0`, `loss <= 1% and delay.p99 < 10 us`. Raises ExperimentError."""
    return Condition(tuple(_comparison(part, net) for part in _parts(text)), " ".join(text.split()))


def condition_names(text: str) -> list[str]:
    """Return the figures that a condition names, before the net is known. Raises ExperimentError."""
    return list(dict.fromkeys(_pieces(part)[0] for part in _parts(text)))


def _parts(text: str) -> list[str]:
    return _AND.split(text.strip())


def _pieces(text: str) -> tuple[str, str, str]:
    """Name, sign and bound of a comparison."""
    match = _COMPARISON.fullmatch(text)
    if match is None or not match["bound"]:
        raise problem("search-condition", text=text)
    if match["sign"] not in COMPARISONS:
        suggestion = {"=": "==", "=<": "<=", "=>": ">="}.get(match["sign"])
        raise problem("search-sign", text=text, sign=match["sign"], suggestion=suggestion, known=list(COMPARISONS))
    return match["name"], match["sign"], match["bound"]


def _comparison(text: str, net: Net) -> Comparison:
    name, sign, bound = _pieces(text)
    try:
        (figure,) = figures(net, [name])
    except UnknownFigure as error:
        if any(parameter.name == name for parameter in net.parameters):
            raise problem("search-of-parameter", name=name, measures=default_names(net)) from error
        raise ExperimentError(error.diagnostic) from error
    if any(bound == measure.name for measure in net.measures):
        raise problem("search-two-measures", text=text, name=bound)
    return Comparison(figure, sign, in_units(bound, figure.dimension, net, name), text)


def check_parameter(net: Net, name: str) -> None:
    """Raise ExperimentError if the net has no such parameter, or if it is not a number."""
    known = {parameter.name: parameter for parameter in net.parameters}
    if name not in known:
        raise unknown_parameter(name, known)
    if known[name].kind not in ("int", "real"):
        numbers = [parameter.name for parameter in net.parameters if parameter.kind in ("int", "real")]
        kind = "true or false" if known[name].kind == "bool" else f"one of the names of {known[name].kind}"
        raise problem("search-not-numeric", name=name, kind=kind, numbers=numbers)
