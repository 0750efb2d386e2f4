"""Text with separated columns: CSV, also with semicolons or tabs.

Lines are read with numpy, which is fast but gives little information about errors. A block that numpy refuses is read
again cell by cell, which either finds the error or succeeds.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from petri.diagnostics import LanguageError
from petri.net import Net, Place, Scalar, Slot
from petri.traffic.fields import Block, Column, Field, Recording
from petri.traffic.problems import longest, problem, unreadable

LONGEST_LINE = 1 << 16  # characters
EXACT_DIGITS = 15  # a float distinguishes decimal numbers of this many digits


def open_delimited(net: Net, place: Place, path: Path) -> tuple[DelimitedFile, tuple[Field, ...]]:
    """A file whose first line names its columns, and the columns that fill the slots of a place."""
    assert place.stream is not None
    name = place.stream.name
    file = DelimitedFile(path, name)
    if not file.headers or all(_number(header) is not None for header in file.headers):
        file.close()
        names = ",".join(slot.name or "value" for slot in place.colour.slots)
        raise problem("stream-no-columns", path=name, names=names, first=",".join(file.headers)[:60] or None)
    return file, file.fields(net, place)


class DelimitedFile(Recording):
    """An open file, positioned after its first line."""

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._line = 0
        self._first: Decimal | float | None = None
        self._wrong: LanguageError | None = None  # the line after those that were read
        try:
            self._file: TextIO = path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")
        except OSError as error:
            raise unreadable(name, error) from error
        try:
            head = self._lines(1)
            text = head[0][1] if head else ""
            self.delimiter = max(",;\t", key=text.count)
            self.headers = [cell.strip() for cell in next(csv.reader([text], delimiter=self.delimiter), [])]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._file.close()

    def _lines(self, most: int) -> list[tuple[int, str]]:
        """The next lines with content, and their numbers. Lines before an unreadable one are returned first."""
        if self._wrong is not None:
            raise self._wrong
        lines: list[tuple[int, str]] = []
        try:
            for line in islice(self._said(), most):
                lines.append(line)
        except LanguageError as error:
            if not lines:
                raise
            self._wrong = error
        return lines

    def _said(self) -> Iterator[tuple[int, str]]:
        readline = self._file.readline
        while True:
            try:
                line = readline(LONGEST_LINE + 1)
            except OSError as error:
                raise unreadable(self._name, error) from error
            if not line:
                return
            self._line += 1
            if not line.isascii() and any("\udc80" <= character <= "\udcff" for character in line):
                raise problem("stream-not-text", path=self._name, line=self._line)
            if len(line) > LONGEST_LINE:
                raise problem("stream-long-line", path=self._name, line=self._line, limit=f"{LONGEST_LINE:,}")
            if line[0] != "#" and not line.isspace():
                yield self._line, line

    def blocks(self, fields: Sequence[Field], most: int) -> Iterator[Block]:
        while lines := self._lines(most):
            numbers = [number for number, _ in lines]
            columns, wrong = longest(len(lines), partial(self._columns, fields, lines))
            if columns is not None:
                yield Block(columns, _line_of(numbers))
            if wrong is not None:
                raise wrong

    def _columns(self, fields: Sequence[Field], lines: list[tuple[int, str]], count: int) -> list[Column]:
        """The columns of the first `count` lines."""
        lines = lines[:count]
        relative = next((field for field in fields if field.relative), None)
        if relative is not None and self._first is None:
            self._first = self._origin(relative, *lines[0])
        columns = None if isinstance(self._first, Decimal) else self._quickly(fields, [line for _, line in lines])
        if columns is None:
            columns = self._slowly(fields, lines)
        elif relative is not None:
            number = fields.index(relative)
            columns[number] = columns[number] - np.float64(self._first or 0.0)
        return columns

    def _origin(self, field: Field, number: int, line: str) -> Decimal | float:
        """The first time: a Decimal if a float is too coarse, as for times since 1970."""
        cells = self._cells(number, line)
        value = _number(cells[field.index]) if field.index < len(cells) else None
        if value is None or not value.is_finite():
            return 0.0  # an error in it is reported when its row is read
        return value if len(value.as_tuple().digits) > EXACT_DIGITS else float(value)

    def _quickly(self, fields: Sequence[Field], lines: list[str]) -> list[Column] | None:
        """The columns, or None if numpy cannot parse every cell."""
        if any(field.slot.labels for field in fields):
            return None
        kinds = [(f"f{n}", np.float64 if field.slot.kind == "real" else np.int64) for n, field in enumerate(fields)]
        try:
            table = np.loadtxt(
                lines,
                dtype=np.dtype(kinds),
                delimiter=self.delimiter,
                comments=None,
                quotechar='"',
                usecols=[field.index for field in fields],
                ndmin=1,
            )
        except (ValueError, OverflowError, IndexError):
            return None
        if len(table) != len(lines):
            return None
        columns: list[Column] = [np.ascontiguousarray(table[name]) for name, _ in kinds]
        finite = all(bool(np.isfinite(column).all()) for column in columns)
        return columns if finite else None

    def _slowly(self, fields: Sequence[Field], lines: list[tuple[int, str]]) -> list[Column]:
        """The columns, cell by cell."""
        values: list[list[Scalar]] = [[] for _ in fields]
        for number, line in lines:
            cells = self._cells(number, line)
            for field, column in zip(fields, values, strict=True):
                if field.index >= len(cells):
                    reason = f"it has {len(cells)} columns, but `{field.header}` is column {field.index + 1}"
                    raise problem("stream-row", path=self._name, where=f"line {number}", reason=reason)
                column.append(self._value(field, cells[field.index].strip(), number))
        return [
            np.array(column, dtype=np.float64) if field.slot.kind == "real" else np.array(column, dtype=np.int64)
            for field, column in zip(fields, values, strict=True)
        ]

    def _cells(self, number: int, line: str) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=self.delimiter, strict=True), [])
        except csv.Error as error:
            raise problem("stream-row", path=self._name, where=f"line {number}", reason=str(error)) from None

    def _value(self, field: Field, cell: str, number: int) -> Scalar:
        value, wanted = _read(field.slot, cell, self._first if field.relative else None)
        if value is None:
            where = f"line {number}, column `{field.header}`"
            reason = f"`{cell[:40]}` is not a {wanted}" if cell else f"the {wanted} is missing"
            raise problem("stream-row", path=self._name, where=where, reason=reason)
        return value


def _line_of(numbers: list[int]) -> Callable[[int], str]:
    return lambda row: f"line {numbers[row]}"


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None


def _read(slot: Slot, cell: str, origin: Decimal | float | None) -> tuple[Scalar | None, str]:
    """The value of a cell (None if invalid), and what it should be. Whole numbers may be written `3.0`."""
    if slot.labels:
        if cell in slot.labels:
            return slot.labels.index(cell), ""
        truth = slot.labels == ("false", "true") and cell in ("0", "1")
        return (int(cell) if truth else None), "value of the field: " + ", ".join(slot.labels[:10])
    number = _number(cell)
    if number is None or not number.is_finite():
        return None, "whole number" if slot.kind == "int" else "number"
    if slot.kind == "int":
        whole = number == number.to_integral_value() and -(2**63) <= number < 2**63
        return (int(number), "") if whole else (None, "64-bit integer")
    value = float(number - origin) if isinstance(origin, Decimal) else float(number) - (origin or 0.0)
    return (value, "") if math.isfinite(value) else (None, "finite number")
