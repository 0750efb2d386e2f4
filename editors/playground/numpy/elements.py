"""The kinds of elements of arrays, and arithmetic of two of them as numpy has it."""

# ruff: noqa: N801
from __future__ import annotations

import math
import struct
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np


class generic:
    """A number of an array, which has some of an array's attributes."""

    shape, ndim, size = (), 0, 1

    def __class_getitem__(cls, _: object) -> type:
        return cls

    dtype = property(lambda self: _of_value(self))

    def item(self) -> Any:
        return self.__class__.__mro__[1](self)  # type: ignore[call-arg]

    tolist = item

    def astype(self, kind: Any) -> Any:
        return _wrapped(_kind(kind), _convert(_kind(kind))(self))

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else float64(_quotient(self, other))

    def __rtruediv__(self, other: Any) -> Any:
        return float64(_quotient(other, self))

    def __pow__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else np.array(_power(self.item(), other))[()]


class floating(generic):
    pass


class float64(float, floating):
    """A float whose quotient by zero is infinite."""

    def view(self, _: Any) -> int64:
        return int64(struct.unpack("q", struct.pack("d", self))[0])


class int64(int, generic):
    pass


class uint64(int, generic):
    pass


class uint32(int, generic):
    pass


class uint8(int, generic):
    pass


float64.__truediv__, float64.__rtruediv__, float64.__pow__ = generic.__truediv__, generic.__rtruediv__, generic.__pow__  # type: ignore
int64.__truediv__, int64.__rtruediv__ = generic.__truediv__, generic.__rtruediv__  # type: ignore


class bool_(int, generic):
    def item(self) -> bool:
        return bool(self)

    tolist = item

    def __invert__(self) -> Any:
        return bool_(not self)

    def __repr__(self) -> str:
        return repr(bool(self))


for _name in ("add", "sub", "mul", "radd", "rsub", "rmul"):

    def _closed(name: str) -> Callable[[Any, Any], Any]:
        of_float, of_int = getattr(float, f"__{name}__"), getattr(int, f"__{name}__")

        def of_two(a: Any, b: Any) -> Any:
            if isinstance(b, np.ndarray):
                return NotImplemented
            if isinstance(a, float):
                found = of_float(a, b)
                return found if found is NotImplemented else float64(found)
            if isinstance(b, float):
                return float64(of_float(float(a), b))
            found = of_int(a, b)
            return found if found is NotImplemented else a.__class__(found)

        return of_two

    for _of in (float64, int64, uint64):
        setattr(_of, f"__{_name}__", _closed(_name))

longdouble, int32, int8, object_ = float64, int64, int64, object
_RANK = {bool: 0, uint8: 1, uint32: 2, uint64: 3, int64: 4, float64: 5, object: 6}
_LETTER = {bool: "?", uint8: "B", uint32: "I", uint64: "Q", int64: "q", float64: "d"}
_MASK = {uint8: 2**8 - 1, uint32: 2**32 - 1, uint64: 2**64 - 1}


class dtype:
    def __new__(cls, kind: Any) -> Any:
        return _kind(kind)

    def __class_getitem__(cls, _: object) -> type:
        return cls


def min_scalar_type(value: Any) -> Any:
    """Return the smallest kind that holds a whole number from 0 on; numpy has smaller ones still."""
    return next(kind for kind, most in _MASK.items() if value <= most)


def _kind(kind: Any) -> Any:
    return {float: float64, int: int64, bool_: bool}.get(kind, kind)


def _convert(kind: Any) -> Callable[[Any], Any]:
    if kind in _MASK:
        return lambda value: int(value) & _MASK[kind]
    return {bool: bool, int64: int, float64: float, object: lambda value: value}[kind]  # type: ignore[no-any-return]


def _of_value(value: Any) -> Any:
    if isinstance(value, (bool, bool_)):
        return bool
    if isinstance(value, tuple(_MASK)):
        return value.__class__
    return int64 if isinstance(value, int) else float64 if isinstance(value, float) else object


def _wrapped(kind: Any, value: Any) -> Any:
    return value if kind is object else bool_(value) if kind is bool else kind(value)


def _quotient(a: Any, b: Any) -> float:
    try:
        return float(a) / float(b)
    except ZeroDivisionError:
        return nan if a == 0 or a != a else math.copysign(inf, a) * math.copysign(1.0, b)


def _power(a: Any, b: Any) -> Any:
    if b == 2:
        return a * a
    try:
        found = a**b
    except ZeroDivisionError:
        return inf
    except OverflowError:
        return inf if a > 0 or b % 2 == 0 else -inf
    return nan if isinstance(found, complex) else found


def _safe(function: Callable[..., Any], wrong: float = nan) -> Callable[..., Any]:
    def of(*values: Any) -> Any:
        try:
            return function(*values)
        except (ValueError, ZeroDivisionError, OverflowError):
            return wrong

    return of
