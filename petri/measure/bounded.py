"""Numbers that are known within bounds: arithmetic keeps the exact value between them."""

from __future__ import annotations

import math
from typing import Any

from petri.structs import Frozen


class Bounded(Frozen):
    """low <= exact <= high, and `value`, the best guess. nan: there is no data."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: Any) -> Bounded:
        """A number that is exact, or one within bounds as it is."""
        return value if isinstance(value, Bounded) else cls(float(value), float(value), float(value))

    @property
    def error(self) -> float:
        """The most that the value may differ from the exact one."""
        return max(self.high - self.value, self.value - self.low)

    def __float__(self) -> float:
        return self.value

    def __bool__(self) -> bool:
        return self.low != 0.0 or self.high != 0.0

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, -self.high, -self.low)

    def __add__(self, other: Any) -> Bounded:
        of = Bounded.of(other)
        return _outward(self.value + of.value, self.low + of.low, self.high + of.high)

    def __sub__(self, other: Any) -> Bounded:
        return self + -Bounded.of(other)

    def __mul__(self, other: Any) -> Bounded:
        of = Bounded.of(other)
        ends = [a * b for a in (self.low, self.high) for b in (of.low, of.high)]
        return _outward(self.value * of.value, min(ends), max(ends))

    def __truediv__(self, other: Any) -> Bounded:
        of = Bounded.of(other)
        if of.value == 0.0:
            return NOTHING
        if of.low <= 0.0 <= of.high:
            return Bounded(self.value / of.value, -math.inf, math.inf)
        ends = [a / b for a in (self.low, self.high) for b in (of.low, of.high)]
        return _outward(self.value / of.value, min(ends), max(ends))

    def __rsub__(self, other: Any) -> Bounded:
        return Bounded.of(other) - self

    def __rtruediv__(self, other: Any) -> Bounded:
        return Bounded.of(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def least(self, other: Bounded) -> Bounded:
        return Bounded(min(self.value, other.value), min(self.low, other.low), min(self.high, other.high))

    def greatest(self, other: Bounded) -> Bounded:
        return -(-self).least(-other)

    def root(self) -> Bounded:
        """The square root; what is below 0 counts as 0."""
        value, low, high = (math.sqrt(max(end, 0.0)) for end in (self.value, self.low, self.high))
        return _outward(value, low, high)


NOTHING = Bounded(math.nan, math.nan, math.nan)


def _outward(value: float, low: float, high: float) -> Bounded:
    """The bounds with the rounding of one operation; a number that is exact in floats stays so."""
    if low == high == value and value == round(value) and abs(value) < 2.0**53:
        return Bounded(value, low, high)
    return Bounded(value, math.nextafter(low, -math.inf), math.nextafter(high, math.inf))
