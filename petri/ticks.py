"""The step of model time (rule S1): numbers of ticks, and the times that they are in a net's unit."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from petri.structs import Frozen

HORIZON = 2**53  # ticks: model time ends here, as up to it every whole number is a 64-bit float
NEVER = 2 * HORIZON  # the end of a firing that would end beyond the horizon, and of a run that would
Ticks = TypeVar("Ticks", bound=Any)


def after(instant: float, time: float) -> float:
    """Return the tick that is nearest to `time` ticks after an instant, the even one of two;

    `NEVER` beyond the horizon.
    """
    end = int(instant) + round(time) if time <= HORIZON else NEVER  # as floats, one tick beyond would be the horizon
    return float(end if end <= HORIZON else NEVER)


class Tick(Frozen):
    """The length of a tick: `numerator / denominator` of the net's time unit."""

    numerator: int = 1
    denominator: int = 1

    @property
    def length(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

    def ticks(self, time: float) -> float:
        """Return a time in the net's unit as the nearest whole number of ticks; `NEVER` beyond the horizon."""
        ticks = round(Fraction(time) / self.length) if math.isfinite(time) else NEVER
        return float(ticks if ticks <= HORIZON else NEVER)

    def time(self, ticks: Ticks) -> Ticks:
        """Return a number of ticks, or an array of them, in the net's unit."""
        times: Ticks = ticks if self.numerator == 1 else ticks * float(self.numerator)
        return times / float(self.denominator)  # type: ignore[no-any-return]

    def quantity(self, value: Any, dimension: str) -> Any:
        """Return a number as the engine keeps it, of a dimension such as "Time" or "Bytes/Time", in the net's unit."""
        power = time_power(dimension)
        if power == 1:
            return self.time(value)
        return value * float(self.length**power) if power else value


class Given(float):
    """A time in the net's unit that remembers in which unit a person gave it, for reports."""

    __slots__ = ("number", "unit")
    number: float
    unit: str

    @classmethod
    def of(cls, time: float, number: float, unit: str) -> Given:
        self = cls(time)
        self.number, self.unit = number, unit
        return self


class InTicks(float):
    """A constant in ticks that remembers the number in the net's unit as which it was written, for reports."""

    __slots__ = ("written",)
    written: float

    @classmethod
    def of(cls, ticks: Fraction | int, written: float) -> InTicks:
        self = cls(ticks)
        self.written = float(written)
        return self


@lru_cache
def time_power(dimension: str) -> int:
    """Return the exponent of time in a dimension as it is written: 1 in "Time", -1 in "Rate" and "Bytes/Time"."""
    if dimension in ("Rate", "Freq"):
        return -1
    power = 0
    for position, product in enumerate(dimension.split("/")):
        for factor in product.split("*"):
            base, _, exponent = factor.partition("^")
            if base == "Time":
                power += -int(exponent or 1) if position else int(exponent or 1)
    return power
