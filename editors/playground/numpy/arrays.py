"""Arrays: their elements, their shapes, and what is computed of all or along an axis."""

# ruff: noqa: N801
from __future__ import annotations

import math
import operator
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, compress
from math import nan
from typing import Any

import numpy as np
from numpy.elements import _LETTER, _convert, _kind, _wrapped, float64, int64

_all, _any, _max, _min, _sum = all, any, max, min, sum


class ndarray:
    """`data`: all elements, the last axis first to change. `dtype`: float64, int64, bool, uint32, uint64 or object."""

    __slots__ = ("data", "dtype", "shape")

    def __class_getitem__(cls, _: object) -> type:
        return cls

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
        return np.frombuffer(self.tobytes(), kind).reshape(self.shape)

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
                picked = np.array(one, None if len(one) else int64)
                if picked.dtype is bool:
                    picked = np.flatnonzero(picked)
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
        for one, element in zip(at, np.broadcast_to(value, shape).data, strict=True):
            self.data[one] = convert(element)

    def take(self, at: Any, axis: int | None = None) -> ndarray:
        axis = 0 if axis is None else axis % len(self.shape)
        return self[(slice(None),) * axis + (np.asarray(at),)]  # type: ignore[no-any-return]

    def repeat(self, count: Any) -> ndarray:
        counts = np.broadcast_to(count, self.shape).data
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
        return np.sqrt(self.var(axis, ddof))

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
        return np.stack([one.cumsum() for one in moved(self, axis)], 1 - axis)  # of two dimensions

    def searchsorted(self, values: Any, side: str = "left") -> Any:
        find = bisect_left if side == "left" else bisect_right
        return np.elementwise.each(lambda value: find(self.data, value), int64)(values)

    def __matmul__(self, other: Any) -> Any:
        other = np.asarray(other)
        if len(self.shape) == len(other.shape) == 1:
            return (self * other).sum()
        mine = self if len(self.shape) == 2 else self[None]
        theirs = other.T if len(other.shape) == 2 else other[None]
        found = np.array([[(row * column).sum() for column in theirs] for row in mine], float64)
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
