"""Arrays from values, and from other arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

from numpy.arrays import ndarray
from numpy.elements import _LETTER, _RANK, _convert, _kind, _of_value, float64, int64
from numpy.elementwise import _as_array, _spread

_max, _sum = max, sum


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
    return concatenate([asarray(values).ravel(), broadcast_to(more, _as_array(more).shape or (1,))])
