"""The parameters that vary, and their values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petri.experiment.design.names import unknown_parameter
from petri.experiment.design.sampling import BadRange, Range, Value, parse_range, parse_values
from petri.experiment.errors import problem
from petri.net import Net

DIGITS = 4  # to which reals are tried
TRIALS = 60


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


def axes(over: Mapping[str, str | Sequence[Value]], net: Net) -> list[Axis]:
    """Return the parameters that vary. Raises ExperimentError where one is not there, or its range is not one."""
    kinds = {parameter.name: parameter.kind for parameter in net.parameters}
    made = []
    for name, values in over.items():
        if name not in kinds:
            raise unknown_parameter(name, kinds)
        made.append(_axis(name, values, kinds[name]))
    return made


def _axis(name: str, text: str | Sequence[Value], kind: str) -> Axis:
    between = None
    try:
        if isinstance(text, str):
            between = parse_range(text)
        if between is not None and not between.how and kind != "int":
            if between.low >= between.high:
                raise BadRange("range-empty", str(text))
            return Axis(name, between=between)
        values = tuple(dict.fromkeys(parse_values(text) if isinstance(text, str) else text))
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
