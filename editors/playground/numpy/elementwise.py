"""Functions and operators element by element, with arrays of other shapes spread over one another."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
from numpy.arrays import _added, _steps, ndarray
from numpy.elements import _MASK, _RANK, _of_value, _power, _quotient, _safe, _wrapped, float64, generic

_abs, _max = abs, max


def _spread(values: ndarray, shape: tuple[int, ...]) -> list[Any]:
    """Return the elements of an array that is broadcast to a shape."""
    if values.shape == shape:
        return values.data
    own = (1,) * (len(shape) - len(values.shape)) + values.shape
    at = [0]
    for size, wanted, step in zip(own, shape, _steps(own), strict=True):
        if size not in (1, wanted):
            raise ValueError(f"shape {values.shape} does not fit {shape}")
        offsets = range(0, size * step, step) if size == wanted and step else [0] * wanted
        at = [one + offset for one in at for offset in offsets]
    return [values.data[one] for one in at]


def _joint(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    depth = _max(map(len, shapes))
    found = []
    for sizes in zip(*((1,) * (depth - len(shape)) + shape for shape in shapes), strict=True):
        others = {size for size in sizes if size != 1} or {1}
        if len(others) > 1:
            raise ValueError(f"shapes {shapes} do not fit")
        found.append(others.pop())
    return tuple(found)


def _as_array(value: Any) -> ndarray:
    return value if isinstance(value, ndarray) else np.array(value)


def _scalar_kind(value: Any, other: Any) -> Any:
    """Return the kind of a value beside an array: that of a Python number gives way to the array's."""
    kind = value.dtype if isinstance(value, ndarray) else _of_value(value)
    strict = isinstance(value, (ndarray, generic)) or not isinstance(other, ndarray)
    return other.dtype if not strict and _RANK[kind] <= _RANK[other.dtype] and other.dtype is not bool else kind


def _two(compute: Callable[[Any, Any], Any], kind: Any = None) -> Callable[[Any, Any], Any]:
    def of(a: Any, b: Any) -> Any:
        first, second = _as_array(a), _as_array(b)
        made = kind or _max(_scalar_kind(a, b), _scalar_kind(b, a), key=_RANK.__getitem__)
        if first.shape == second.shape:
            shape, data = first.shape, list(map(compute, first.data, second.data))
        elif not second.shape and kind is not object:
            one, shape = second.data[0], first.shape
            data = [compute(value, one) for value in first.data]
        elif not first.shape:
            one, shape = first.data[0], second.shape
            data = [compute(one, value) for value in second.data]
        else:
            shape = _joint([first.shape, second.shape])
            data = list(map(compute, _spread(first, shape), _spread(second, shape)))
        if made in _MASK:
            data = [value & _MASK[made] for value in data]
        elif made is float64 and (first.dtype is not float64 or second.dtype is not float64):
            data = list(map(float, data))
        return (
            ndarray(data, shape, made)
            if shape or isinstance(a, ndarray) or isinstance(b, ndarray)
            else _wrapped(made, data[0])
        )

    return of


def each(compute: Callable[[Any], Any], kind: Any = None) -> Callable[[Any], Any]:
    def of(values: Any, out: Any = None) -> Any:
        given = _as_array(values)
        made = kind or given.dtype
        data = list(map(compute, given.data))
        return ndarray(data, given.shape, made) if given.shape else _wrapped(made, data[0])

    return of


def _both(compute: Callable[[Any, Any], Any], nan_first: bool) -> Callable[[Any, Any], Any]:
    """Return the greater or the lesser; of a nan and another, nan or the other."""

    def of(a: Any, b: Any) -> Any:
        if a != a or b != b:
            return (a if a != a else b) if nan_first else (b if a != a else a)
        return a if compute(a, b) else b

    return of


class _Ufunc:
    """A function of two numbers, which also goes along an axis, or through what is between starts."""

    def __init__(self, compute: Callable[[Any, Any], Any], kind: Any = None) -> None:
        self.compute, self.of_two = compute, _two(compute, kind)

    def __call__(self, a: Any, b: Any, out: Any = None, where: Any = True, dtype: Any = None) -> Any:
        if out is None:
            return self.of_two(a if dtype is None else _as_array(a).astype(dtype), b)
        shape = out.shape
        parts = (_spread(_as_array(one), shape) for one in (where, a, b))
        out.data[:] = [self.compute(x, y) if w else o for w, x, y, o in zip(*parts, out.data, strict=True)]
        return out

    def reduce(self, values: Any, axis: int = 0) -> Any:
        given = np.asarray(values)

        def of(all: list[Any], _: bool) -> Any:
            found = all[0]
            for one in all[1:]:
                found = self.compute(found, one)
            return found

        return given._reduced(of, axis, given.dtype)

    def reduceat(self, values: ndarray, starts: Any, axis: int = 0) -> ndarray:
        ends = [*list(starts)[1:], values.shape[axis]]
        before = (slice(None),) * (axis % len(values.shape))
        pieces = [values[(*before, slice(int(a), int(b)))] for a, b in zip(starts, ends, strict=True)]
        if self.compute is operator.add:

            def of(all: list[Any], contiguous: bool) -> Any:
                return all[0] + _added(all[1:], contiguous) if len(all) > 1 else all[0]

            return np.stack([piece._reduced(of, axis, values.dtype) for piece in pieces], axis)
        return np.stack([self.reduce(piece, axis) for piece in pieces], axis)


add, subtract, multiply = _Ufunc(operator.add), _Ufunc(operator.sub), _Ufunc(operator.mul)
divide = true_divide = _Ufunc(_quotient, float64)
maximum, minimum = _Ufunc(_both(operator.ge, True)), _Ufunc(_both(operator.le, True))
fmax, fmin = _Ufunc(_both(operator.ge, False)), _Ufunc(_both(operator.le, False))
logical_or, logical_and = _two(lambda a, b: bool(a) or bool(b), bool), _two(lambda a, b: bool(a) and bool(b), bool)
nextafter = _two(math.nextafter, float64)
logical_not = each(operator.not_, bool)
isnan, isfinite, isinf = each(lambda x: x != x, bool), each(math.isfinite, bool), each(math.isinf, bool)
abs = absolute = each(_abs)
sqrt = each(lambda x: math.sqrt(x) if x >= 0 else nan, float64)
exp = each(_safe(math.exp, inf), float64)
log = each(lambda x: math.log(x) if x > 0 else nan if x else -inf, float64)
log10 = each(lambda x: math.log10(x) if x > 0 else nan if x else -inf, float64)
floor = each(lambda x: float(math.floor(x)) if math.isfinite(x) else x, float64)
ceil = each(lambda x: float(math.ceil(x)) if math.isfinite(x) else x, float64)
sign = each(lambda x: x if x != x else (x > 0) - (x < 0) + (0.0 if isinstance(x, float) else 0))

_NAMES = {"and": "and_", "or": "or_"}
_OPERATORS = {
    name: getattr(operator, _NAMES.get(name, name))
    for name in ("add", "sub", "mul", "mod", "floordiv", "lshift", "rshift", "and", "or", "xor")
}
_OPERATORS |= {"truediv": _quotient, "pow": _power}


def _define(name: str, of_two: Callable[[Any, Any], Any]) -> None:
    setattr(ndarray, f"__{name}__", lambda self, other: of_two(self, other))
    setattr(ndarray, f"__r{name}__", lambda self, other: of_two(other, self))


for _name, _operator in _OPERATORS.items():
    _define(_name, _two(_operator, float64 if _name == "truediv" else None))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _define(_name, _two(getattr(operator, _name), bool))
ndarray.__neg__ = each(operator.neg)  # type: ignore[attr-defined]
ndarray.__abs__ = each(_abs)  # type: ignore[attr-defined]
ndarray.__invert__ = lambda self: logical_not(self)  # type: ignore[attr-defined]
