"""Numbers that are known within bounds: arithmetic keeps the exact value between them."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from petri.structs import Frozen


class Bounded(Frozen):
    """low <= exact <= high, and `value`, the best guess. nan: there is no data.

    Each may be an array: many such numbers at once.
    """

    value: Any
    low: Any
    high: Any

    @classmethod
    def of(cls, value: Any) -> Bounded:
        """Return a number that is exact, or one within bounds as it is."""
        if isinstance(value, Bounded):
            return value
        value = value if isinstance(value, np.ndarray) else float(value)
        return cls(value, value, value)

    @classmethod
    def where(cls, condition: Any, one: Bounded, other: Bounded) -> Bounded:
        """Return the numbers of `one` where the condition holds, and those of `other`."""
        pairs = ((one.value, other.value), (one.low, other.low), (one.high, other.high))
        return cls(*(np.where(condition, *pair) for pair in pairs))

    @property
    def error(self) -> float:
        """The most that the value may differ from the exact one."""
        return float(max(self.high - self.value, self.value - self.low))

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return bool(self.low != 0.0 or self.high != 0.0)

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
        return _outward(self.value * of.value, reduce(lesser, ends), reduce(greater, ends))

    def __truediv__(self, other: Any) -> Bounded:
        of = Bounded.of(other)
        if isinstance(of.value, np.ndarray):
            return self._divided(of)
        if of.value == 0.0:
            return NOTHING
        if of.low <= 0.0 <= of.high:
            return Bounded(self.value / of.value, -math.inf, math.inf)
        ends = [a / b for a in (self.low, self.high) for b in (of.low, of.high)]
        return _outward(self.value / of.value, reduce(lesser, ends), reduce(greater, ends))

    def _divided(self, of: Bounded) -> Bounded:
        """Divide by an array."""
        with np.errstate(all="ignore"):
            ends = [a / b for a in (self.low, self.high) for b in (of.low, of.high)]
            value = self.value / of.value
            found = _outward(value, reduce(lesser, ends), reduce(greater, ends))
        over_zero = Bounded.where((of.low <= 0.0) & (of.high >= 0.0), Bounded(value, -math.inf, math.inf), found)
        return Bounded.where(of.value == 0.0, NOTHING, over_zero)

    def __rsub__(self, other: Any) -> Bounded:
        return Bounded.of(other) - self

    def __rtruediv__(self, other: Any) -> Bounded:
        return Bounded.of(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def least(self, other: Bounded) -> Bounded:
        pairs = ((self.value, other.value), (self.low, other.low), (self.high, other.high))
        return Bounded(*(lesser(*pair) for pair in pairs))

    def greatest(self, other: Bounded) -> Bounded:
        return -(-self).least(-other)

    def root(self) -> Bounded:
        """Return the square root; what is below 0 counts as 0."""
        value, low, high = (math.sqrt(max(end, 0.0)) for end in (self.value, self.low, self.high))
        return _outward(value, low, high)


NOTHING = Bounded(math.nan, math.nan, math.nan)


def lesser(x: Any, y: Any) -> Any:
    """Return the lesser of two numbers, or of two arrays entry by entry; where one is nan the first, like `min`."""
    return np.where(y < x, y, x) if np.ndim(x) or np.ndim(y) else min(x, y)


def greater(x: Any, y: Any) -> Any:
    """Return the greater of two numbers, or of two arrays entry by entry, likewise."""
    return np.where(y > x, y, x) if np.ndim(x) or np.ndim(y) else max(x, y)


def _outward(value: Any, low: Any, high: Any) -> Bounded:
    """Return the bounds with the rounding of one operation; a number that is exact in floats stays so."""
    if np.ndim(low):
        exact = (low == high) & (high == value) & (value == np.round(value)) & (np.abs(value) < 2.0**53)
        return Bounded(
            value, np.where(exact, low, np.nextafter(low, -np.inf)), np.where(exact, high, np.nextafter(high, np.inf))
        )
    if low == high == value and value == round(value) and abs(value) < 2.0**53:
        return Bounded(value, low, high)
    return Bounded(value, math.nextafter(low, -math.inf), math.nextafter(high, math.inf))
