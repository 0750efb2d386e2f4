"""The part of numpy that the figures of a small net need, on lists: numpy takes longer to load than such a net to run.

`petri.measure.arrays` chooses between the two, and formulas are written once, for both. So what stands here has the
names, the shapes and the results of numpy, bit for bit: also sums are added in its order. Powers other than
squares, cube roots and logarithms are not here: those of numpy depend on the processor, in their last bit. Arrays have
one or two dimensions, and are not changed once they are made.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import accumulate, islice, pairwise, repeat
from typing import Any, Final

float64: Final = float
int64: Final = int
nan: Final = math.nan


class Array:
    """Of one dimension, with one column; or of two, each column a list. `shape` as numpy has it."""

    __slots__ = ("columns", "shape")

    def __init__(self, columns: list[list[Any]], shape: tuple[int, ...]) -> None:
        self.columns = columns
        self.shape = shape

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def T(self) -> Array:  # noqa: N802
        if len(self.shape) == 1:
            return self
        return Array([list(row) for row in self._rows()], self.shape[::-1])

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.columns, strict=True) if self.columns else iter([()] * self.shape[0])

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.columns[0]) if len(self.shape) == 1 else (vector(list(row)) for row in self._rows())

    def tolist(self) -> list[Any]:
        return self.columns[0] if len(self.shape) == 1 else [list(row) for row in self._rows()]

    def __getitem__(self, at: Any) -> Any:
        """Some rows, by a slice, a list or booleans; one of them, by an index; or `[rows, columns]` of them."""
        if isinstance(at, slice):
            if len(self.shape) == 1:
                return vector(self.columns[0][at])
            columns = [column[at] for column in self.columns]
            return Array(columns, (len(range(*at.indices(self.shape[0]))), *self.shape[1:]))
        if isinstance(at, tuple):
            rows, which = at
            if isinstance(which, slice):
                chosen = self.columns[which]
                return Array(chosen, (self.shape[0], len(chosen)))[rows]
            return vector(self.columns[which])[rows]
        if isinstance(at, (Array, list)):
            rows = list(at)
            if rows and isinstance(rows[0], bool):
                rows = [index for index, wanted in enumerate(rows) if wanted]
            columns = [[column[index] for index in rows] for column in self.columns]
            return Array(columns, (len(rows), *self.shape[1:]))
        return self.columns[0][at] if len(self.shape) == 1 else vector([column[at] for column in self.columns])

    def __bool__(self) -> bool:
        raise ValueError("an array is neither true nor false")

    # ------------------------------------------------------------ element by element

    def _with(self, compute: Callable[[Any, Any], Any], other: Any) -> Array:
        if not isinstance(other, Array):
            return Array([list(map(compute, column, repeat(other))) for column in self.columns], self.shape)
        if self.shape == other.shape:
            return Array(list(map(list, map(map, repeat(compute), self.columns, other.columns))), self.shape)
        shape = _wider(self.shape, other.shape)
        pairs = zip(_columns(self, shape), _columns(other, shape), strict=True)
        return Array([list(map(compute, mine, others)) for mine, others in pairs], shape)

    def _after(self, compute: Callable[[Any, Any], Any], other: Any) -> Array:
        return Array([list(map(compute, repeat(other), column)) for column in self.columns], self.shape)

    def __add__(self, other: Any) -> Array:
        return self._with(operator.add, other)

    def __radd__(self, other: Any) -> Array:
        return self._after(operator.add, other)

    def __sub__(self, other: Any) -> Array:
        return self._with(operator.sub, other)

    def __rsub__(self, other: Any) -> Array:
        return self._after(operator.sub, other)

    def __mul__(self, other: Any) -> Array:
        return self._with(operator.mul, other)

    def __rmul__(self, other: Any) -> Array:
        return self._after(operator.mul, other)

    def __truediv__(self, other: Any) -> Array:
        try:
            return self._with(operator.truediv, other)
        except ZeroDivisionError:
            return self._with(_quotient, other)

    def __rtruediv__(self, other: Any) -> Array:
        return self._after(_quotient, other)

    def __pow__(self, power: int) -> Array:
        assert power == 2  # other powers of numpy depend on the processor, in their last bit
        return self * self

    def __neg__(self) -> Array:
        return self._each(operator.neg)

    def __lt__(self, other: Any) -> Array:
        return self._with(operator.lt, other)

    def __le__(self, other: Any) -> Array:
        return self._with(operator.le, other)

    def __gt__(self, other: Any) -> Array:
        return self._with(operator.gt, other)

    def __ge__(self, other: Any) -> Array:
        return self._with(operator.ge, other)

    def __ne__(self, other: object) -> Array:  # type: ignore[override]
        return self._with(operator.ne, other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Any) -> Array:
        return self._with(operator.and_, other)

    def __or__(self, other: Any) -> Array:
        return self._with(operator.or_, other)

    def __invert__(self) -> Array:
        return self._each(operator.not_)

    def _each(self, compute: Callable[[Any], Any]) -> Array:
        return Array([list(map(compute, column)) for column in self.columns], self.shape)

    # ------------------------------------------------------------ all of them, or all of each column

    def _reduced(self, compute: Callable[[list[Any]], Any], axis: int | None) -> Any:
        if axis == 0 and len(self.shape) == 2:
            return vector(list(map(compute, self.columns)))
        return compute(self.columns[0])

    def sum(self, axis: int | None = None) -> Any:
        return self._reduced(_in_pairs if len(self.columns) == 1 else _in_turn, axis)

    def mean(self, axis: int | None = None) -> Any:
        return self.sum(axis) / self.shape[0]

    def std(self, axis: int | None = None, ddof: int = 0) -> Any:
        from_mean = self - self.mean(axis)
        return sqrt((from_mean * from_mean).sum(axis) / (self.shape[0] - ddof))

    def max(self, axis: int | None = None) -> Any:
        return self._reduced(lambda column: nan if any(map(operator.ne, column, column)) else max(column), axis)

    def min(self, axis: int | None = None) -> Any:
        return self._reduced(lambda column: nan if any(map(operator.ne, column, column)) else min(column), axis)

    def all(self, axis: int | None = None) -> Any:
        return self._reduced(all, axis)

    def any(self, axis: int | None = None) -> Any:
        return self._reduced(any, axis)

    def cumsum(self, axis: int | None = None) -> Array:
        return Array([list(accumulate(column)) for column in self.columns], self.shape)

    def reshape(self, *shape: int) -> Array:
        """A vector as a column, or the same shape again."""
        assert self.size == math.prod(shape)
        return Array(self.columns if shape[0] else [[] for _ in range(math.prod(shape[1:]))], shape)


def vector(values: list[Any]) -> Array:
    return Array([values], (len(values),))


ndarray: Final = Array


def _quotient(above: float, below: float) -> float:
    try:
        return above / below
    except ZeroDivisionError:
        return above * math.copysign(math.inf, below) if above else nan


def _in_turn(values: list[float]) -> float:
    return reduce(operator.add, values, 0.0)


def _in_pairs(values: list[float]) -> float:
    """The sum of values that are next to each other in memory: numpy adds up eight of them at a time."""
    count = len(values)
    if count < 8:
        return _in_turn(values)
    if count > 128:
        half = count // 2 - count // 2 % 8
        return _in_pairs(values[:half]) + _in_pairs(values[half:])
    whole = count - count % 8
    a, b, c, d, e, f, g, h = (reduce(operator.add, values[first:whole:8]) for first in range(8))
    return reduce(operator.add, values[whole:], ((a + b) + (c + d)) + ((e + f) + (g + h)))


# ---------------------------------------------------------------- functions of numpy


def array(values: Iterable[Any], dtype: type | None = None) -> Array:
    """From numbers, or from rows of them."""
    given = list(values)
    if given and isinstance(given[0], Array):
        columns = [list(column) for column in zip(*(row.columns[0] for row in given), strict=True)]
        made = Array(columns, (len(given), len(columns)))
    elif given and isinstance(given[0], list):
        columns = [list(column) for column in zip(*given, strict=True)]
        made = Array(columns, (len(given), len(columns)))
    else:
        made = vector(given)
    return made if dtype is None else made._each(dtype)


def asarray(values: Any, dtype: type | None = None) -> Any:
    if isinstance(values, (int, float)):
        return values if dtype is None else dtype(values)
    if not isinstance(values, Array):
        return array(values, dtype)
    first = next((value for column in values.columns for value in column), None)
    return values if dtype is None or isinstance(first, dtype) else values._each(dtype)


def frombuffer(data: bytes, dtype: type) -> Array:
    return vector(memoryview(data).cast("d" if dtype is float else "q").tolist())


def full(shape: int | tuple[int, ...], value: float) -> Array:
    shape = shape if isinstance(shape, tuple) else (shape,)
    return Array([[value] * shape[0] for _ in range(math.prod(shape[1:]))], shape)


def broadcast_to(values: Any, shape: tuple[int, ...]) -> Array:
    return Array([list(islice(column, shape[0])) for column in _columns(values, shape)] or [[]], shape)


def zeros(shape: int | tuple[int, ...]) -> Array:
    return full(shape, 0.0)


def zeros_like(like: Array) -> Array:
    return full(like.shape, 0.0)


def shape(of: Any) -> tuple[int, ...]:
    return of.shape if isinstance(of, Array) else ()


def arange(count: int) -> Array:
    return vector(list(range(count)))


def column_stack(columns: Iterable[Array]) -> Array:
    listed = [column.columns[0] for column in columns]
    return Array(listed, (len(listed[0]), len(listed)))


def where(condition: Any, yes: Any, no: Any) -> Any:
    if not isinstance(condition, Array):
        return yes if condition else no
    shape = condition.shape
    for one in (yes, no):
        if isinstance(one, Array):
            shape = _wider(shape, one.shape)
    three = zip(*(_columns(one, shape) for one in (condition, yes, no)), strict=True)
    return Array([[a if wanted else b for wanted, a, b in zip(*columns, strict=False)] for columns in three], shape)


def _wider(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of two arrays together: a vector is a row for each of the other's, and one of anything is repeated."""
    pairs = zip((1, *a)[-2:], (1, *b)[-2:], strict=True)
    both = tuple(more if one == 1 else one for one, more in pairs)
    return both if max(len(a), len(b)) == 2 else both[1:]


def _columns(values: Any, shape: tuple[int, ...]) -> Sequence[Iterable[Any]]:
    """The columns of what is broadcast to this shape."""
    if not isinstance(values, Array):
        return [repeat(values) for _ in range(math.prod(shape[1:]))]
    columns: Sequence[Iterable[Any]] = values.columns
    if len(values.shape) < len(shape):
        columns = [repeat(value) for value in values.columns[0]]
    elif values.shape[0] != shape[0]:
        columns = [repeat(column[0]) for column in values.columns]
    return columns if len(columns) == math.prod(shape[1:]) else [*columns] * math.prod(shape[1:])


def divide(above: Any, below: Any, out: Array, where: Any) -> Array:
    """The quotient where it is wanted, and otherwise what is in `out`."""
    found: Array = _where(where, asarray(above) / below, out)
    return found


_where: Final = where


def _of_each(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def of(values: Any) -> Any:
        return values._each(compute) if isinstance(values, Array) else compute(values)

    return of


def _of_two(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def of(a: Any, b: Any) -> Any:
        if isinstance(a, Array):
            return a._with(compute, b)
        return b._after(compute, a) if isinstance(b, Array) else compute(a, b)

    return of


def _root(value: float) -> float:
    return math.sqrt(value) if value >= 0.0 else nan


def _sign(value: float) -> float:
    return value if value != value else float((value > 0.0) - (value < 0.0))


isnan: Final = _of_each(math.isnan)
isfinite: Final = _of_each(math.isfinite)
abs: Final = _of_each(operator.abs)
sqrt: Final = _of_each(_root)
sign: Final = _of_each(_sign)


class _Ufunc:
    """What numpy makes of a function of two numbers: it goes through rows, or through what is between starts."""

    def __init__(self, of_two: Callable[[Any, Any], Any], of_column: Callable[[list[Any]], Any]) -> None:
        self._of_two = of_two
        self._of_column = of_column

    def __call__(self, a: Any, b: Any) -> Any:
        return self._of_two(a, b)

    def reduce(self, values: Array, axis: int = 0) -> Any:
        return reduce(self._of_two, values)

    def reduceat(self, values: Array, starts: Sequence[int], axis: int = 0) -> Array:
        pieces = list(pairwise([*starts, len(values)]))
        found = [[self._of_column(column[a:b]) for a, b in pieces] for column in values.columns]
        return Array(found, (len(pieces), *values.shape[1:]))


def _first_and_rest(values: list[float]) -> float:
    return values[0] + _in_pairs(values[1:])


add: Final = _Ufunc(_of_two(operator.add), _first_and_rest)
maximum: Final = _Ufunc(_of_two(lambda a, b: a if a != a or a >= b else b), max)
minimum: Final = _Ufunc(_of_two(lambda a, b: a if a != a or a <= b else b), min)
fmax: Final = _Ufunc(_of_two(lambda a, b: a if b != b or a >= b else b), max)
fmin: Final = _Ufunc(_of_two(lambda a, b: a if b != b or a <= b else b), min)


def clip(values: Array, low: float, high: float) -> Array:
    within: Array = minimum(maximum(values, low), high)
    return within


def interp(at: Any, points: Any, values: Any) -> Any:
    """The value at each of these on the line through points, which ascend."""
    x, y = (one.columns[0] if isinstance(one, Array) else one for one in (points, values))

    def value(wanted: float) -> Any:
        if wanted != wanted:
            return wanted
        place = bisect_right(x, wanted) - 1
        if place < 0:
            return y[0]
        if place == len(x) - 1 or x[place] == wanted:
            return y[place]
        slope = (y[place + 1] - y[place]) / (x[place + 1] - x[place])
        return slope * (wanted - x[place]) + y[place]

    return at._each(value) if isinstance(at, Array) else value(at)


@contextmanager
def errstate(**_: str) -> Iterator[None]:
    """Nothing here warns."""
    yield
