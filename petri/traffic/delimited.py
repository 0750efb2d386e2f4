"""Text with separated columns: CSV, also with semicolons or tabs.

Records are read with numpy, which is fast but gives little information about errors. A block that numpy refuses is read
again cell by cell, which either finds the error or succeeds: calendar times, for example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np

from petri.net import Net, Place, Scalar
from petri.traffic.cells import Instant, instant, is_grouped, label, number, scalar
from petri.traffic.fields import Block, Column, Field, Recording
from petri.traffic.problems import longest, problem
from petri.traffic.records import Record, Records

EXACT_DIGITS = 15  # a float distinguishes decimal numbers of this many digits
EXACT_TICKS = 10**EXACT_DIGITS  # and differences of times are off by less than a tick
DATE = "date"  # the column that gives the days of a column with times of day


def open_delimited(net: Net, place: Place, path: Path) -> tuple[DelimitedFile, tuple[Field, ...]]:
    """Return a file whose first record names its columns, and the columns that fill the slots of a place."""
    assert place.stream is not None
    name = place.stream.name
    file = DelimitedFile(path, name)
    if not file.headers or all(number(header) is not None for header in file.headers):
        file.close()
        names = ",".join(slot.name or "value" for slot in place.colour.slots)
        raise problem("stream-no-columns", path=name, names=names, first=",".join(file.headers)[:60] or None)
    return file, file.fields(net, place)


class DelimitedFile(Recording):
    """An open file, positioned after its first record."""

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._records = Records(path, name)
        self._first: Decimal | float | None = None
        self._calendar: Instant | None = None  # the first calendar time
        self.headers = self._records.headers
        dates = [index for index, header in enumerate(self.headers) if header.lower() == DATE]
        self._date = dates[0] if len(dates) == 1 else None
        self._decimal_comma = self._records.delimiter != ","

    def close(self) -> None:
        self._records.close()

    def blocks(self, fields: Sequence[Field], most: int) -> Iterator[Block]:
        while records := self._records.take(most):
            numbers = [number for number, _ in records]
            columns, wrong = longest(len(records), partial(self._columns, fields, records))
            if columns is not None:
                yield Block(columns, _line_of(numbers))
            if wrong is not None:
                raise wrong

    def _columns(self, fields: Sequence[Field], records: list[Record], count: int) -> list[Column]:
        """Return the columns of the first `count` records."""
        records = records[:count]
        relative = next((field for field in fields if field.relative), None)
        if relative is not None and self._first is None:
            self._first = self._origin(relative, records[0])
        columns = None if isinstance(self._first, Decimal) else self._quickly(fields, [text for _, text in records])
        if columns is None:
            columns = self._slowly(fields, records)
        elif relative is not None:
            position = fields.index(relative)
            columns[position] = columns[position] - np.float64(self._first or 0.0)
        return columns

    def _origin(self, field: Field, record: Record) -> Decimal | float:
        """Return the first time: a Decimal if a float is too coarse, as for times since 1970."""
        cells = self._records.cells(record)
        value = self._number(field, cells)[0] if field.index < len(cells) else None
        if value is None or not value.is_finite():
            return 0.0  # an error in it is reported when its row is read
        fits = len(value.as_tuple().digits) <= EXACT_DIGITS and abs(value) * Decimal(float(field.factor)) < EXACT_TICKS
        return float(value) if fits else value

    def _quickly(self, fields: Sequence[Field], lines: list[str]) -> list[Column] | None:
        """Return the columns, or None if numpy cannot parse every cell."""
        delimiter, most = self._records.delimiter, len(self.headers) - 1
        if any(field.slot.labels for field in fields) or any(line.count(delimiter) > most for line in lines):
            return None
        if self._decimal_comma and any("," in line for line in lines):
            return None
        kinds = [(f"f{n}", np.float64 if field.slot.kind == "real" else np.int64) for n, field in enumerate(fields)]
        try:
            table = np.loadtxt(
                lines,
                dtype=np.dtype(kinds),
                delimiter=delimiter,
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

    def _slowly(self, fields: Sequence[Field], records: list[Record]) -> list[Column]:
        """Return the columns, cell by cell."""
        values: list[list[Scalar]] = [[] for _ in fields]
        for record in records:
            cells, line = self._records.cells(record), record[0]
            if any(map(str.strip, cells[len(self.headers) :])):
                reason = f"it has {len(cells)} columns, but the first line names {len(self.headers)}"
                raise problem("stream-row", path=self._name, where=f"line {line}", reason=reason, example="0.5")
            for field, column in zip(fields, values, strict=True):
                if field.index >= len(cells):
                    reason = f"it has {len(cells)} columns, but `{field.header}` is column {field.index + 1}"
                    raise problem("stream-row", path=self._name, where=f"line {line}", reason=reason)
                column.append(self._value(field, cells, line))
        return [
            np.array(column, dtype=np.float64) if field.slot.kind == "real" else np.array(column, dtype=np.int64)
            for field, column in zip(fields, values, strict=True)
        ]

    def _value(self, field: Field, cells: list[str], line: int) -> Scalar:
        cell = cells[field.index].strip()
        if field.slot.labels:
            value: Scalar | None = label(field.slot, cell)
            wanted = "value of the field: " + ", ".join(field.slot.labels[:10])
        else:
            found, calendar = self._number(field, cells)
            value, wanted = scalar(field.slot, found, self._first if field.relative else None)
            if value is None and calendar is not None:
                raise self._wrong(field, line, f"`{cell[:40]}` is {calendar}")
        if value is None:
            raise self._wrong(field, line, f"`{cell[:40]}` is not a {wanted}" if cell else f"the {wanted} is missing")
        return value

    def _number(self, field: Field, cells: list[str]) -> tuple[Decimal | None, str | None]:
        """Return the number of a cell, seconds for a calendar time; what is wrong with a cell that might be one."""
        cell = cells[field.index].strip()
        comma = self._decimal_comma and not (self._records.delimiter == "\t" and is_grouped(cell))
        found = number(cell, comma)
        if found is not None:
            return found, None
        time = instant(cell)
        if time is None:
            return None, _NEARLY_A_TIME if ":" in cell else _GROUPED if "," in cell else None
        if field.slot.dimension != "Time":
            return None, "a calendar time, but the field is not a Time"
        if field.unit != "s":
            return None, f"a calendar time, but its column is in {field.unit}"
        if not time.dated and self._date is not None and self._date < len(cells):
            day = instant(cells[self._date])
            if day is None or not day.dated:
                return None, f"a time of day, and `{cells[self._date][:40]}` is not its date"
            time = Instant(time.seconds + day.seconds, True, time.zoned)
        if self._calendar is None:
            self._calendar = time
        if (time.dated, time.zoned) != (self._calendar.dated, self._calendar.zoned):
            return None, "not written as the first time is: with the date, and with the offset from UTC"
        return time.seconds, None

    def _wrong(self, field: Field, line: int, reason: str) -> Exception:
        where = f"line {line}, column `{field.header}`"
        return problem("stream-row", path=self._name, where=where, reason=reason)


_NEARLY_A_TIME = "not a time; a calendar time is written `2023-11-16 18:17:03.98`"
_GROUPED = "not a number; write 1234.5 without marks between thousands, or use `;` between cells and decimal commas"


def _line_of(numbers: list[int]) -> Callable[[int], str]:
    return lambda row: f"line {numbers[row]}"
