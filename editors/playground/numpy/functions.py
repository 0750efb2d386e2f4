"""Functions of arrays beside those that go element by element."""

# ruff: noqa: N801
from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate, pairwise
from typing import Any

from numpy.arrays import _order, ndarray
from numpy.elements import _RANK, _convert, float64, int64
from numpy.elementwise import _as_array, _joint, _scalar_kind, _spread, each, maximum, minimum
from numpy.making import array, asarray, broadcast_to, concatenate

_max, _min, _round, _sum = max, min, round, sum


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
    return each(lambda x: float(_round(x, decimals)) if math.isfinite(x) else x, float64)(values)


def interp(at: Any, points: Any, values: Any) -> Any:
    x, y = asarray(points).data, asarray(values, float64).data

    def value(wanted: float) -> float:
        place = bisect_right(x, wanted) - 1
        if wanted != wanted or place < 0 or place >= len(x) - 1 or x[place] == wanted:
            return wanted if wanted != wanted else y[_max(_min(place, len(x) - 1), 0)]  # type: ignore[no-any-return]
        slope = (y[place + 1] - y[place]) / (x[place + 1] - x[place])
        return slope * (wanted - x[place]) + y[place]  # type: ignore[no-any-return]

    return each(value, float64)(at)


def searchsorted(values: Any, wanted: Any, side: str = "left") -> Any:
    return asarray(values).searchsorted(wanted, side)


def argsort(values: Any, kind: str = "") -> ndarray:
    given = asarray(values).data
    return array(sorted(range(len(given)), key=lambda at: _order(given[at])), int64)


def sort(values: Any) -> ndarray:
    found = asarray(values).copy()
    found.sort()
    return found


def unique(values: Any, return_index: bool = False, return_inverse: bool = False) -> Any:
    given = asarray(values)
    first: dict[Any, int] = {}
    for at, value in enumerate(given.data):
        first.setdefault(value, at)
    found = array(sorted(first, key=_order), given.dtype)
    if return_inverse:
        place = {value: at for at, value in enumerate(found.data)}
        return found, array([place[value] for value in given.data], int64)
    return (found, array([first[value] for value in found.data], int64)) if return_index else found


def split(values: Any, at: Any) -> list[ndarray]:
    ends = [0, *map(int, at), len(values)]
    return [values[a:b] for a, b in pairwise(ends)]


def array_split(values: Any, parts: int) -> list[ndarray]:
    each, more = divmod(len(values), int(parts))
    return split(asarray(values), list(accumulate([each + (part < more) for part in range(int(parts))]))[:-1])


def bincount(values: Any, weights: Any = None, minlength: int = 0) -> ndarray:
    found = [0] * _max(minlength, _max(values.data, default=-1) + 1)
    for value, weight in zip(values.data, [1] * len(values) if weights is None else weights.data, strict=True):
        found[value] += weight
    return array(found, int64 if weights is None else float64)


def trim_zeros(values: Any, trim: str = "fb") -> Any:
    kept = flatnonzero(values).data or [len(values)]
    return values[
        kept[0] if "f" in trim else 0 : (kept[-1] + 1 if kept[-1] < len(values) else 0) if "b" in trim else None
    ]


def nan_to_num(values: Any) -> Any:
    most = 1.7976931348623157e308
    return each(lambda x: 0.0 if x != x else _max(-most, _min(x, most)), float64)(values)


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
    return each(known.__contains__, bool)(values)


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
