"""Long initial markings, stored by columns: ten bytes for a slot of a token instead of a hundred in tuples."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import eq
from typing import Any, Final, TypeAlias

FEW: Final = 64
"""Markings up to this length are plain tuples."""

Token = tuple[int | float, ...]
Column: TypeAlias = "array[int] | array[float]"


class Tokens(Sequence[tuple[int, Token]]):
    """(count, value), in order of arrival. It equals the tuple of its items, and must not be changed.

    columns: for each slot the values of all tokens, typecode "q" (int) or "d" (real). counts: the number of each, or
    None if it is one of each.
    """

    __slots__ = ("columns", "counts", "length")

    def __init__(self, length: int, columns: Sequence[Column], counts: array[int] | None = None) -> None:
        self.length = length
        self.columns = tuple(columns)
        self.counts = counts

    @property
    def held(self) -> int:
        """The number of tokens."""
        return self.length if self.counts is None else sum(self.counts)

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return tuple(self[index] for index in range(*position.indices(self.length)))
        index = range(self.length)[position]
        return 1 if self.counts is None else self.counts[index], tuple(column[index] for column in self.columns)

    def __iter__(self) -> Iterator[tuple[int, Token]]:
        counts: Iterable[int] = repeat(1, self.length) if self.counts is None else self.counts
        return zip(counts, zip(*self.columns, strict=True) if self.columns else repeat(()), strict=False)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Tokens):
            return (self.length, self.counts, self.columns) == (other.length, other.counts, other.columns)
        return isinstance(other, tuple) and self.length == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class TokenList:
    """Collects an initial marking. Equal neighbours are merged into one item."""

    def __init__(self, kinds: Sequence[str]) -> None:
        """kinds: those of the slots, "int" or "real"."""
        self._columns: list[Any] = [array("d" if kind == "real" else "q") for kind in kinds]
        self._appends = [column.append for column in self._columns]
        self._counts = array("q")
        self._last: Token | None = None

    def __len__(self) -> int:
        return len(self._counts)

    def append(self, count: int, token: Token) -> None:
        """Add `count` tokens of this value, whose numbers have the kinds of the slots."""
        if token == self._last:
            self._counts[-1] += count
        elif count:
            self._last = token
            self._counts.append(count)
            for append, value in zip(self._appends, token, strict=True):
                append(value)

    def extend(self, count: int, columns: Sequence[Column]) -> None:
        """Add `count` of each token; no two consecutive ones are equal."""
        length = len(columns[0])
        if not count or not length:
            return
        self.append(count, tuple(values[0] for values in columns))
        for column, values in zip(self._columns, columns, strict=True):
            column.extend(values[1:])
        self._counts.extend(array("q", [count]) * (length - 1))
        self._last = tuple(values[-1] for values in columns)

    def every(self, count: int, ranges: Sequence[range]) -> None:
        """Add `count` tokens of each value, with the last slot changing fastest."""
        if not ranges:
            self.append(count, ())
            return
        repeats, turns = math.prod(map(len, ranges)), 1
        columns = []
        for values in ranges:
            repeats //= max(len(values), 1)
            repeated = values if repeats == 1 else chain.from_iterable(repeat(value, repeats) for value in values)
            columns.append(array("q", repeated) * turns)
            turns *= len(values)
        self.extend(count, columns)

    def marking(self) -> Sequence[tuple[int, Token]]:
        """Return a plain tuple if there are few."""
        ones = self._counts.count(1) == len(self._counts)
        tokens = Tokens(len(self._counts), self._columns, None if ones else self._counts)
        return tokens if len(tokens) > FEW else tuple(tokens)


def compact(items: tuple[tuple[int, Token], ...]) -> Sequence[tuple[int, Token]]:
    """Return the same marking by columns, if it is long and the numbers of each column have one kind."""
    if len(items) <= FEW or not all(isinstance(count, int) for count, _ in items):
        return items
    columns: list[Column] = []
    for values in zip(*(token for _, token in items), strict=True):
        kinds = set(map(type, values))
        if kinds == {int}:
            columns.append(array("q", values))
        elif kinds == {float}:
            columns.append(array("d", values))
        else:
            return items
    counts = array("q", [count for count, _ in items])
    return Tokens(len(items), columns, None if counts.count(1) == len(counts) else counts)
