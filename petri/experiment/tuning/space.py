"""What is varied, and what is wanted of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petri.experiment.design.definition import Definition
from petri.experiment.design.sampling import BadRange, Range, Value, parse_range, parse_values
from petri.experiment.errors import problem
from petri.experiment.threshold.condition import condition_names
from petri.net import Net

DIGITS = 4  # to which reals are tried
TRIALS = 60


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The parameters that vary, and what is to be least or greatest.

    runs: the net, what is fixed, and how long a run is. over: ranges by parameter, such as "1..64", "1..10 Gbps" or
    "gold,silver". least, greatest: figures; of two, the front is found. where: a condition such as "loss < 1%".
    trials: settings that are proposed; None: `TRIALS`, or an eighth of all that there are. within: a difference
    that does not matter, as a share. simulate: runs also where there is an exact solution.
    """

    runs: Definition
    over: Mapping[str, str]
    least: Sequence[str] = ()
    greatest: Sequence[str] = ()
    where: str = ""
    trials: int | None = None
    within: float = 0.01
    simulate: bool = False

    @property
    def aims(self) -> dict[str, float]:
        """The figures that are wanted, with 1 for the least and -1 for the greatest."""
        return {**dict.fromkeys(self.least, 1.0), **dict.fromkeys(self.greatest, -1.0)}

    @property
    def figures(self) -> list[str]:
        """All figures that decide."""
        return list(dict.fromkeys([*self.aims, *(condition_names(self.where) if self.where else ())]))


@dataclass(frozen=True)
class Axis:
    """One parameter: a list of values, which are in order unless they are `named`, or a range of reals."""

    name: str
    values: tuple[Value, ...] = ()
    between: Range | None = None
    named: bool = False

    def at(self, share: float) -> Value:
        """Return the real at a share of the range, to few digits."""
        assert self.between is not None
        low, high = float(self.between.low), float(self.between.high)
        places = DIGITS - math.ceil(math.log10(high - low))
        value = min(max(round(low + share * (high - low), places), low), high)
        return f"{value!r} {self.between.unit}" if self.between.unit else value

    def suggested(self, trial: Any) -> Value:
        """Return the value that optuna proposes."""
        if self.between is not None:
            return self.at(trial.suggest_float(self.name, 0.0, 1.0))
        if self.named:
            return self.values[int(trial.suggest_categorical(self.name, list(range(len(self.values)))))]
        return self.values[int(trial.suggest_int(self.name, 0, len(self.values) - 1))]

    def near(self, value: Value, step: float) -> list[Value]:
        """Return the values beside one: all others of a named one, and of a real those a share of the range away."""
        if self.between is not None:
            low, high = float(self.between.low), float(self.between.high)
            share = (float(str(value).split()[0]) - low) / (high - low)
            return [self.at(one) for one in (share - step, share + step) if 0 <= one <= 1]
        at = self.values.index(value)
        if self.named:
            return [one for one in self.values if one != value]
        far = max(round(step * len(self.values)), 1)
        return [self.values[fromkey] for fromkey in dict.fromkeys((at - 1, at + 1, at - far, at + far))
                if 0 <= fromkey < len(self.values)]  # fmt: skip


def usual_trials(varied: Sequence[Axis]) -> int:
    """Return how many settings are proposed where it is not said."""
    if any(one.between is not None for one in varied):
        return TRIALS
    return min(max(math.prod(len(one.values) for one in varied) // 8, 8), TRIALS)


def axes(over: Mapping[str, str], net: Net) -> list[Axis]:
    """Return the parameters that vary. Raises ExperimentError where one is not there, or its range is not one."""
    kinds = {parameter.name: parameter.kind for parameter in net.parameters}
    made = []
    for name, text in over.items():
        if name not in kinds:
            raise problem("tune-unknown-parameter", name=name, known=list(kinds) or None)
        made.append(_axis(name, text, kinds[name]))
    return made


def _axis(name: str, text: str, kind: str) -> Axis:
    try:
        between = parse_range(text)
        if between is not None and not between.how and kind != "int":
            if between.low >= between.high:
                raise BadRange("range-empty", text)
            return Axis(name, between=between)
        values = tuple(dict.fromkeys(parse_values(text)))
    except BadRange as bad:
        raise problem(bad.reason, text=bad.text.strip(), meant=bad.meant) from bad
    return Axis(name, values, named=between is None and not all(isinstance(one, int | float) for one in values))


def read_over(texts: Sequence[str]) -> dict[str, str]:
    """Return the ranges of `--over name=range`. Raises ExperimentError."""
    over: dict[str, str] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            raise problem("tune-over-form", text=text)
        if name in over:
            raise problem("grid-twice", name=name)
        over[name] = values
    return over
