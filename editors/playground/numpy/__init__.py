"""The part of numpy that runs and their figures need, on lists, until numpy publishes a wheel for Pyodide.

It has the names, shapes and results of numpy, and adds up in its order. An array owns its elements: there are no views.
What is missing raises AttributeError; `tests/playground/test_numpy.py` compares each function with numpy.
"""

# ruff: noqa: N801
from __future__ import annotations

import math
import operator
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain, compress, pairwise
from typing import Any

from numpy import random, typing

__all__ = ["random", "typing"]

inf, nan, pi = math.inf, math.nan, math.pi
newaxis = None
_abs, _all, _any, _max, _min, _round, _sum = abs, all, any, max, min, round, sum


# ---------------------------------------------------------------- kinds of elements


class generic:
    """A number of an array, which has some of an array's attributes."""

    shape, ndim, size = (), 0, 1
    dtype = property(lambda self: _of_value(self))

    def item(self) -> Any:
        return self.__class__.__mro__[1](self)  # type: ignore[call-arg]

    tolist = item

    def astype(self, kind: Any) -> Any:
        return _wrapped(_kind(kind), _convert(_kind(kind))(self))

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, ndarray) else float64(_quotient(self, other))

    def __rtruediv__(self, other: Any) -> Any:
        return float64(_quotient(other, self))

    def __pow__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, ndarray) else array(_power(self.item(), other))[()]


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
            if isinstance(b, ndarray):
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

longdouble, int32, uint8, int8, object_ = float64, int64, uint64, int64, object
_RANK = {bool: 0, uint32: 1, uint64: 2, int64: 3, float64: 4, object: 5}
_LETTER = {bool: "?", uint32: "I", uint64: "Q", int64: "q", float64: "d"}
_MASK = {uint32: 2**32 - 1, uint64: 2**64 - 1}


def dtype(kind: Any) -> Any:
    return _kind(kind)


def _kind(kind: Any) -> Any:
    return {float: float64, int: int64, bool_: bool}.get(kind, kind)


def _convert(kind: Any) -> Callable[[Any], Any]:
    if kind in _MASK:
        return lambda value: int(value) & _MASK[kind]
    return {bool: bool, int64: int, float64: float, object: lambda value: value}[kind]  # type: ignore[no-any-return]


def _of_value(value: Any) -> Any:
    if isinstance(value, (bool, bool_)):
        return bool
    if isinstance(value, (uint32, uint64)):
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


# ---------------------------------------------------------------- arrays


class ndarray:
    """`data`: all elements, the last axis first to change. `dtype`: float64, int64, bool, uint32, uint64 or object."""

    __slots__ = ("data", "dtype", "shape")

    def __init__(self, data: list[Any], shape: tuple[int, ...], dtype: Any) -> None:
        self.data, self.shape, self.dtype = data, shape, dtype

    __hash__ = None  # type: ignore[assignment]
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: len(self.data))
    flat = property(lambda self: iter(self.data))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if len(self.shape) == 1:
            return (_wrapped(self.dtype, value) for value in self.data)
        return (self[row] for row in range(self.shape[0]))

    def __bool__(self) -> bool:
        if len(self.data) != 1:
            raise ValueError("an array is neither true nor false")
        return bool(self.data[0])

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    __index__ = __int__

    def __repr__(self) -> str:
        return f"array({self.tolist()})"

    def item(self) -> Any:
        (value,) = self.data
        return value

    def tolist(self) -> Any:
        if not self.shape:
            return self.data[0]
        found: list[Any] = self.data[:]
        for depth in range(len(self.shape) - 1, 0, -1):
            size = self.shape[depth]
            found = [found[at * size : at * size + size] for at in range(math.prod(self.shape[:depth]))]
        return found

    def tobytes(self) -> bytes:
        return struct.pack(f"={len(self.data)}{_LETTER[self.dtype]}", *self.data)

    def view(self, kind: Any) -> ndarray:
        return frombuffer(self.tobytes(), kind).reshape(self.shape)

    def astype(self, kind: Any, copy: bool = True) -> ndarray:
        kind = _kind(kind)
        return ndarray(list(map(_convert(kind), self.data)), self.shape, kind)

    def copy(self) -> ndarray:
        return ndarray(self.data[:], self.shape, self.dtype)

    def fill(self, value: Any) -> None:
        self.data[:] = [_convert(self.dtype)(value)] * len(self.data)

    def sort(self) -> None:
        self.data.sort(key=_order)

    def reshape(self, *shape: Any) -> ndarray:
        wanted = list(shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape)
        if -1 in wanted:
            wanted[wanted.index(-1)] = len(self.data) // _max(-math.prod(wanted), 1)
        if math.prod(wanted) != len(self.data):
            raise ValueError(f"an array of shape {self.shape} has no shape {wanted}")
        return ndarray(self.data[:], tuple(wanted), self.dtype)

    def ravel(self) -> ndarray:
        return self.reshape(-1)

    flatten = ravel

    def transpose(self, *axes: int) -> ndarray:
        axes = axes or tuple(reversed(range(len(self.shape))))
        steps, shape = _steps(self.shape), tuple(self.shape[axis] for axis in axes)
        at = [0]
        for axis in axes:
            at = [one + step for one in at for step in range(0, steps[axis] * self.shape[axis], steps[axis])]
        return ndarray([self.data[one] for one in at], shape, self.dtype)

    T = property(transpose)

    # ------------------------------------------------------------ elements

    def _at(self, key: Any) -> tuple[list[int], tuple[int, ...]]:
        """Return the positions of what an index chooses, and its shape."""
        keys = list(key) if isinstance(key, tuple) else [key]
        if Ellipsis in [one for one in keys if one is Ellipsis]:
            where = next(at for at, one in enumerate(keys) if one is Ellipsis)
            missing = len(self.shape) - _sum(one is not None for one in keys) + 1
            keys[where : where + 1] = [slice(None)] * missing
        if len(keys) == 1 and isinstance(keys[0], ndarray) and keys[0].dtype is bool and len(keys[0].shape) > 1:
            found = [at for at, wanted in enumerate(keys[0].data) if wanted]
            return found, (len(found),)
        keys += [slice(None)] * (len(self.shape) - _sum(one is not None for one in keys))
        steps, axis, joint = _steps(self.shape), 0, None
        groups: list[tuple[list[int], tuple[int, ...]]] = []
        for one in keys:
            if one is None:
                groups.append(([0], (1,)))
                continue
            size, step = self.shape[axis], steps[axis]
            axis += 1
            if isinstance(one, slice):
                chosen = range(*one.indices(size))
                groups.append(([at * step for at in chosen], (len(chosen),)))
            elif isinstance(one, (ndarray, list)):
                picked = array(one, None if len(one) else int64)
                if picked.dtype is bool:
                    picked = flatnonzero(picked)
                picked = ndarray([_inside(at, size) * step for at in picked.data], picked.shape, int64)
                if joint is None:
                    joint = len(groups)
                    groups.append((picked.data, picked.shape))
                else:
                    both = ndarray(*groups[joint], int64) + picked
                    groups[joint] = (both.data, both.shape)
            else:
                groups.append(([_inside(operator.index(one), size) * step], ()))
        at = [0]
        for offsets, _ in groups:
            at = [one + offset for one in at for offset in offsets]
        return at, tuple(chain.from_iterable(shape for _, shape in groups))

    def _quickly(self, key: Any) -> Any:
        """Return what the most frequent indices choose: an element, a row, some rows, a column."""
        if isinstance(key, int):
            if len(self.shape) == 1:
                return _wrapped(self.dtype, self.data[key])
            at, size = _inside(key, self.shape[0]), math.prod(self.shape[1:])
            return ndarray(self.data[at * size : at * size + size], self.shape[1:], self.dtype)
        if isinstance(key, slice) and key.step is None:
            start, stop, _ = key.indices(self.shape[0])
            size, count = math.prod(self.shape[1:]), _max(stop - start, 0)
            return ndarray(self.data[start * size : (start + count) * size], (count, *self.shape[1:]), self.dtype)
        if isinstance(key, ndarray) and len(self.shape) == len(key.shape) == 1:
            chosen = compress(self.data, key.data) if key.dtype is bool else map(self.data.__getitem__, key.data)
            data = list(chosen)
            return ndarray(data, (len(data),), self.dtype)
        is_column = isinstance(key, tuple) and len(self.shape) == len(key) == 2 and isinstance(key[1], int)
        if is_column and isinstance(key[0], slice) and key[0] == slice(None):
            column = self.data[_inside(key[1], self.shape[1]) :: self.shape[1]]
            return ndarray(column, self.shape[:1], self.dtype)
        return None

    def __getitem__(self, key: Any) -> Any:
        found = self._quickly(key)
        if found is not None:
            return found
        at, shape = self._at(key)
        if not shape:
            return _wrapped(self.dtype, self.data[at[0]])
        return ndarray([self.data[one] for one in at], shape, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        at, shape = self._at(key)
        convert = _convert(self.dtype)
        for one, element in zip(at, broadcast_to(value, shape).data, strict=True):
            self.data[one] = convert(element)

    def take(self, at: Any, axis: int | None = None) -> ndarray:
        axis = 0 if axis is None else axis % len(self.shape)
        return self[(slice(None),) * axis + (asarray(at),)]  # type: ignore[no-any-return]

    def repeat(self, count: Any) -> ndarray:
        counts = broadcast_to(count, self.shape).data
        data = [value for value, many in zip(self.data, counts, strict=True) for _ in range(many)]
        return ndarray(data, (len(data),), self.dtype)

    # ------------------------------------------------------------ all of them, or all along an axis

    def _reduced(
        self, of: Callable[[list[Any], bool], Any], axis: int | None, kind: Any, keepdims: bool = False
    ) -> Any:
        if axis is None:
            return _wrapped(kind, of(self.data, True))
        axis %= len(self.shape)
        size, inner = self.shape[axis], math.prod(self.shape[axis + 1 :])
        starts = (
            first + at
            for first in range(0, math.prod(self.shape[:axis]) * size * inner, size * inner or 1)
            for at in range(inner)
        )
        if size:
            data = [of(self.data[start : start + size * inner : inner], inner == 1) for start in starts]
        else:
            data = [of([], True) for _ in range(math.prod(self.shape[:axis]) * inner)]
        shape = self.shape[:axis] + (1,) * keepdims + self.shape[axis + 1 :]
        return ndarray(data, shape, kind) if shape else _wrapped(kind, data[0])

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Any:
        kind = int64 if self.dtype is bool else self.dtype
        return self._reduced(_added if kind is float64 else lambda all, _: _sum(all), axis, kind, keepdims)

    def mean(self, axis: int | None = None, keepdims: bool = False) -> Any:
        size = len(self.data) if axis is None else self.shape[axis]
        return self.astype(float64).sum(axis, keepdims) / size

    def var(self, axis: int | None = None, ddof: int = 0) -> Any:
        size = len(self.data) if axis is None else self.shape[axis]
        apart = self - self.mean(axis, axis is not None)
        return (apart * apart).sum(axis) / _max(size - ddof, 0)

    def std(self, axis: int | None = None, ddof: int = 0) -> Any:
        return sqrt(self.var(axis, ddof))

    def _extreme(self, best: Callable[..., Any], axis: int | None, initial: Any) -> Any:
        def of(values: list[Any], _: bool) -> Any:
            more = values if initial is None else [*values, initial]
            return nan if _any(map(operator.ne, more, more)) else best(more)

        return self._reduced(of, axis, self.dtype)

    def max(self, axis: int | None = None, initial: Any = None) -> Any:
        return self._extreme(_max, axis, initial)

    def min(self, axis: int | None = None, initial: Any = None) -> Any:
        return self._extreme(_min, axis, initial)

    def all(self, axis: int | None = None) -> Any:
        return self._reduced(lambda values, _: _all(values), axis, bool)

    def any(self, axis: int | None = None) -> Any:
        return self._reduced(lambda values, _: _any(values), axis, bool)

    def argmax(self, axis: int | None = None) -> Any:
        return self._reduced(lambda values, _: _first(values, _max), axis, int64)

    def argmin(self, axis: int | None = None) -> Any:
        return self._reduced(lambda values, _: _first(values, _min), axis, int64)

    def cumsum(self, axis: int | None = None, dtype: Any = None) -> ndarray:
        if axis is None or len(self.shape) == 1:
            kind = _kind(dtype) or (int64 if self.dtype is bool else self.dtype)
            return ndarray(list(accumulate(map(_convert(kind), self.data))), (len(self.data),), kind)
        return stack([one.cumsum() for one in moved(self, axis)], 1 - axis)  # of two dimensions

    def searchsorted(self, values: Any, side: str = "left") -> Any:
        find = bisect_left if side == "left" else bisect_right
        return _each(lambda value: find(self.data, value), int64)(values)

    def __matmul__(self, other: Any) -> Any:
        other = asarray(other)
        if len(self.shape) == len(other.shape) == 1:
            return (self * other).sum()
        mine = self if len(self.shape) == 2 else self[None]
        theirs = other.T if len(other.shape) == 2 else other[None]
        found = array([[(row * column).sum() for column in theirs] for row in mine], float64)
        return found.reshape(self.shape[:-1] + other.shape[1:])


def moved(values: ndarray, axis: int) -> ndarray:
    """Return the array with this axis last and the others as one before it."""
    axes = [one for one in range(len(values.shape)) if one != axis % len(values.shape)]
    turned = values.transpose(*axes, axis % len(values.shape))
    return turned.reshape(-1, turned.shape[-1])


def _inside(at: int, size: int) -> int:
    if not -size <= at < size:
        raise IndexError(f"there is no element {at} of {size}")
    return at % size


def _steps(shape: tuple[int, ...]) -> list[int]:
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _order(value: Any) -> tuple[bool, Any]:
    return (value != value, value)


def _first(values: list[Any], best: Callable[..., Any]) -> int:
    strange = [at for at, value in enumerate(values) if value != value]
    return strange[0] if strange else values.index(best(values))


def _added(values: list[float], next_to_each_other: bool) -> float:
    """Return the sum: numpy adds up eight at a time what is contiguous in memory."""
    count = len(values)
    if count < 8 or not next_to_each_other:
        total = 0.0
        for value in values:
            total += value
        return total if values else 0.0
    if count > 128:
        half = count // 2 - count // 2 % 8
        return _added(values[:half], True) + _added(values[half:], True)
    whole = count - count % 8
    a, b, c, d, e, f, g, h = (_turn(values[first:whole:8]) for first in range(8))
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for value in values[whole:]:
        total += value
    return total


def _turn(values: list[float]) -> float:
    total = values[0]
    for value in values[1:]:
        total += value
    return total


# ---------------------------------------------------------------- element by element


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
    return value if isinstance(value, ndarray) else array(value)


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


def _each(compute: Callable[[Any], Any], kind: Any = None) -> Callable[[Any], Any]:
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

    def __call__(self, a: Any, b: Any, out: Any = None, where: Any = True) -> Any:
        if out is None:
            return self.of_two(a, b)
        shape = out.shape
        parts = (_spread(_as_array(one), shape) for one in (where, a, b))
        out.data[:] = [self.compute(x, y) if w else o for w, x, y, o in zip(*parts, out.data, strict=True)]
        return out

    def reduce(self, values: Any, axis: int = 0) -> Any:
        given = asarray(values)

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

            return stack([piece._reduced(of, axis, values.dtype) for piece in pieces], axis)
        return stack([self.reduce(piece, axis) for piece in pieces], axis)


add, subtract, multiply = _Ufunc(operator.add), _Ufunc(operator.sub), _Ufunc(operator.mul)
divide = true_divide = _Ufunc(_quotient, float64)
maximum, minimum = _Ufunc(_both(operator.ge, True)), _Ufunc(_both(operator.le, True))
fmax, fmin = _Ufunc(_both(operator.ge, False)), _Ufunc(_both(operator.le, False))
logical_or, logical_and = _two(lambda a, b: bool(a) or bool(b), bool), _two(lambda a, b: bool(a) and bool(b), bool)
nextafter = _two(math.nextafter, float64)
logical_not = _each(operator.not_, bool)
isnan, isfinite, isinf = _each(lambda x: x != x, bool), _each(math.isfinite, bool), _each(math.isinf, bool)
abs = absolute = _each(_abs)
sqrt = _each(lambda x: math.sqrt(x) if x >= 0 else nan, float64)
exp = _each(_safe(math.exp, inf), float64)
log = _each(lambda x: math.log(x) if x > 0 else nan if x else -inf, float64)
log10 = _each(lambda x: math.log10(x) if x > 0 else nan if x else -inf, float64)
floor = _each(lambda x: float(math.floor(x)) if math.isfinite(x) else x, float64)
ceil = _each(lambda x: float(math.ceil(x)) if math.isfinite(x) else x, float64)
sign = _each(lambda x: x if x != x else (x > 0) - (x < 0) + (0.0 if isinstance(x, float) else 0))

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
ndarray.__neg__ = _each(operator.neg)  # type: ignore[attr-defined]
ndarray.__abs__ = _each(_abs)  # type: ignore[attr-defined]
ndarray.__invert__ = lambda self: logical_not(self)  # type: ignore[attr-defined]


# ---------------------------------------------------------------- making arrays


def array(values: Any, dtype: Any = None) -> ndarray:
    if dtype is None and isinstance(values, (int, float)):
        return ndarray([values], (), _of_value(values))
    kind = _kind(dtype)
    if isinstance(values, ndarray):
        return values.copy() if kind in (None, values.dtype) else values.astype(kind)
    if not hasattr(values, "__len__") or isinstance(values, (str, bytes)):
        values, shape = [values], ()
        parts: Any = values
    else:
        parts, shape = list(values), (len(values),)
        while parts and hasattr(parts[0], "__len__") and not isinstance(parts[0], (str, bytes)):
            if isinstance(parts[0], ndarray):
                kind = kind or _max((part.dtype for part in parts), key=_RANK.__getitem__)
                shape, parts = shape + parts[0].shape, list(chain.from_iterable(part.data for part in parts))
                break
            if len({len(part) for part in parts}) > 1:
                raise ValueError("rows differ in length")
            shape, parts = (*shape, len(parts[0])), list(chain.from_iterable(parts))
    if kind is None:
        kind = _max(set(map(_of_value, parts)), key=_RANK.__getitem__, default=float64)
    return ndarray(list(map(_convert(kind), parts)), shape, kind)


def asarray(values: Any, dtype: Any = None) -> ndarray:
    return values if isinstance(values, ndarray) and _kind(dtype) in (None, values.dtype) else array(values, dtype)


ascontiguousarray = asarray


def frombuffer(data: Any, dtype: Any = float64) -> ndarray:
    kind = _kind(dtype)
    values = memoryview(data).cast("B").cast(_LETTER[kind]).tolist() if len(data) else []
    return ndarray(values, (len(values),), kind)


def full(shape: Any, value: Any, dtype: Any = None) -> ndarray:
    sizes = tuple(map(int, shape)) if isinstance(shape, (tuple, list)) else (int(shape),)
    kind = _kind(dtype) or _of_value(value)
    return ndarray([_convert(kind)(value)] * math.prod(sizes), sizes, kind)


def zeros(shape: Any, dtype: Any = float64) -> ndarray:
    return full(shape, 0, dtype)


empty = zeros


def ones(shape: Any, dtype: Any = float64) -> ndarray:
    return full(shape, 1, dtype)


def zeros_like(like: Any) -> ndarray:
    return full(asarray(like).shape, 0, asarray(like).dtype)


def arange(*ends: int) -> ndarray:
    return array([*range(*map(int, ends))], int64)


def linspace(start: float, stop: float, num: int) -> ndarray:
    step = (stop - start) / (num - 1)
    return array([*(at * step + start for at in range(num - 1)), stop], float64)


def broadcast_to(values: Any, shape: Any) -> ndarray:
    given = _as_array(values)
    shape = shape if isinstance(shape, tuple) else (shape,)
    return ndarray(list(_spread(given, shape)), shape, given.dtype)


def concatenate(parts: Sequence[Any], axis: int = 0) -> ndarray:
    given = [asarray(part) for part in parts]
    kind = _max((part.dtype for part in given), key=_RANK.__getitem__)
    axis %= len(given[0].shape)
    rows = [math.prod(part.shape[axis:]) for part in given]
    outer = math.prod(given[0].shape[:axis])
    data = [
        v
        for at in range(outer)
        for part, row in zip(given, rows, strict=True)
        for v in part.data[at * row : at * row + row]
    ]
    shape = (*given[0].shape[:axis], _sum(part.shape[axis] for part in given), *given[0].shape[axis + 1 :])
    return ndarray(list(map(_convert(kind), data)), shape, kind)


def stack(parts: Sequence[Any], axis: int = 0) -> ndarray:
    given = [asarray(part) for part in parts]
    place = axis % (len(given[0].shape) + 1)
    return concatenate([part.reshape(*part.shape[:place], 1, *part.shape[place:]) for part in given], place)


def column_stack(parts: Sequence[Any]) -> ndarray:
    given = [asarray(part) for part in parts]
    return concatenate([part if len(part.shape) == 2 else part[:, None] for part in given], 1)


def append(values: Any, more: Any) -> ndarray:
    return concatenate([asarray(values).ravel(), broadcast_to(more, shape(more) or (1,))])


# ---------------------------------------------------------------- functions


def where(condition: Any, yes: Any, no: Any) -> Any:
    wanted, first, second = map(_as_array, (condition, yes, no))
    shape = _joint([wanted.shape, first.shape, second.shape])
    parts = (_spread(one, shape) for one in (wanted, first, second))
    kind = _max(_scalar_kind(yes, no), _scalar_kind(no, yes), key=_RANK.__getitem__)
    data = [_convert(kind)(a if w else b) for w, a, b in zip(*parts, strict=True)]
    return ndarray(data, shape, kind)


def shape(values: Any) -> tuple[int, ...]:
    return _as_array(values).shape


def ndim(values: Any) -> int:
    return len(shape(values))


def flatnonzero(values: Any) -> ndarray:
    return array([at for at, value in enumerate(asarray(values).data) if value], int64)


def count_nonzero(values: Any) -> int:
    return len(flatnonzero(values))


def diff(values: Any, axis: int = -1, prepend: Any = None) -> ndarray:
    given = asarray(values)
    axis %= len(given.shape)
    if prepend is not None:
        one = broadcast_to(prepend, (*given.shape[:axis], 1, *given.shape[axis + 1 :]))
        given = concatenate([one, given], axis)
    before = (slice(None),) * axis
    return given[(*before, slice(1, None))] - given[(*before, slice(None, -1))]  # type: ignore[no-any-return]


def clip(values: Any, low: Any, high: Any) -> Any:
    return minimum(maximum(values, low), high)


def round(values: Any, decimals: int = 0) -> Any:
    return _each(lambda x: float(_round(x, decimals)) if math.isfinite(x) else x, float64)(values)


def interp(at: Any, points: Any, values: Any) -> Any:
    x, y = asarray(points).data, asarray(values, float64).data

    def value(wanted: float) -> float:
        place = bisect_right(x, wanted) - 1
        if wanted != wanted or place < 0 or place >= len(x) - 1 or x[place] == wanted:
            return wanted if wanted != wanted else y[_max(_min(place, len(x) - 1), 0)]  # type: ignore[no-any-return]
        slope = (y[place + 1] - y[place]) / (x[place + 1] - x[place])
        return slope * (wanted - x[place]) + y[place]  # type: ignore[no-any-return]

    return _each(value, float64)(at)


def searchsorted(values: Any, wanted: Any, side: str = "left") -> Any:
    return asarray(values).searchsorted(wanted, side)


def argsort(values: Any, kind: str = "") -> ndarray:
    given = asarray(values).data
    return array(sorted(range(len(given)), key=lambda at: _order(given[at])), int64)


def sort(values: Any) -> ndarray:
    found = asarray(values).copy()
    found.sort()
    return found


def unique(values: Any, return_index: bool = False) -> Any:
    given = asarray(values)
    first: dict[Any, int] = {}
    for at, value in enumerate(given.data):
        first.setdefault(value, at)
    found = array(sorted(first, key=_order), given.dtype)
    return (found, array([first[value] for value in found.data], int64)) if return_index else found


def split(values: Any, at: Any) -> list[ndarray]:
    ends = [0, *map(int, at), len(values)]
    return [values[a:b] for a, b in pairwise(ends)]


def array_split(values: Any, parts: int) -> list[ndarray]:
    each, more = divmod(len(values), int(parts))
    return split(asarray(values), list(accumulate([each + (part < more) for part in range(int(parts))]))[:-1])


def bincount(values: Any, minlength: int = 0) -> ndarray:
    found = [0] * _max(minlength, _max(values.data, default=-1) + 1)
    for value in values.data:
        found[value] += 1
    return array(found, int64)


def trim_zeros(values: Any, trim: str = "fb") -> Any:
    kept = flatnonzero(values).data or [len(values)]
    return values[
        kept[0] if "f" in trim else 0 : (kept[-1] + 1 if kept[-1] < len(values) else 0) if "b" in trim else None
    ]


def nan_to_num(values: Any) -> Any:
    most = 1.7976931348623157e308
    return _each(lambda x: 0.0 if x != x else _max(-most, _min(x, most)), float64)(values)


def ix_(*parts: Any) -> tuple[ndarray, ...]:
    given = [asarray(part, None if len(part) else int64) for part in parts]
    given = [flatnonzero(one) if one.dtype is bool else one for one in given]
    return tuple(one.reshape(*(-1 if axis == at else 1 for axis in range(len(given)))) for at, one in enumerate(given))


def diagonal(values: ndarray) -> ndarray:
    return array([values[at, at] for at in range(_min(values.shape))], values.dtype)


def median(values: Any) -> Any:
    given = sorted(asarray(values).data)
    return float64(_sum(given[(len(given) - 1) // 2 : len(given) // 2 + 1]) / (2 - len(given) % 2))


def ptp(values: Any) -> Any:
    return values.max() - values.min()


def isin(values: Any, wanted: Any) -> Any:
    known = set(asarray(wanted).data)
    return _each(known.__contains__, bool)(values)


def _method(name: str) -> Callable[..., Any]:
    return lambda values, *more, **named: getattr(asarray(values), name)(*more, **named)


sum, mean, var, std, max, min, all, any = map(_method, ("sum", "mean", "var", "std", "max", "min", "all", "any"))
argmax, argmin, repeat, cumsum = map(_method, ("argmax", "argmin", "repeat", "cumsum"))


class finfo:
    def __init__(self, _: Any) -> None:
        self.max, self.tiny, self.eps = 1.7976931348623157e308, 2.2250738585072014e-308, 2.220446049250313e-16


@contextmanager
def errstate(**_: str) -> Iterator[None]:
    """Nothing here warns."""
    yield
