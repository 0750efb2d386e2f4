"""Parquet files, read by pyarrow (`pip install 'pnsim[parquet]'`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from petri.net import Net, Place, Slot
from petri.traffic.fields import Block, Column, Field, Recording, header_parts
from petri.traffic.problems import longest, problem, unreadable


def open_parquet(net: Net, place: Place, path: Path) -> tuple[ParquetFile, tuple[Field, ...]]:
    """A file of columns, and those that fill the slots of a place. Timestamps count in nanoseconds."""
    assert place.stream is not None
    file = ParquetFile(path, place.stream.name)
    return file, file.fields(net, place)


BUFFER = 1 << 20  # bytes of a column read at a time, so that large row groups do not matter


class ParquetFile(Recording):
    """An open file."""

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._arrow, parquet = _packages(name)
        try:
            self._file = parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
            schema = self._file.schema_arrow
            self.headers = list(schema.names)
        except UnicodeDecodeError as error:
            raise problem("stream-unreadable", path=name, reason="the names of its columns are not UTF-8") from error
        except (OSError, ValueError) as error:  # pyarrow's own errors are subclasses of these
            raise unreadable(name, error) from error
        instants = [field.name for field in schema if self._instant(field.type)]
        self.units = {header_parts(header)[0]: "ns" for header in instants}
        self._first: int | float | None = None
        self._read = 0

    def close(self) -> None:
        self._file.close()

    def _instant(self, kind: Any) -> bool:
        types = self._arrow.types
        return bool(types.is_timestamp(kind) or types.is_duration(kind))

    def blocks(self, fields: Sequence[Field], most: int) -> Iterator[Block]:
        wanted = list(dict.fromkeys(field.header for field in fields))
        batches = self._file.iter_batches(batch_size=most, columns=wanted)
        while True:
            try:
                batch = next(batches, None)
            except (OSError, ValueError) as error:
                raise unreadable(self._name, error) from error
            if batch is None:
                return
            if not batch.num_rows:
                continue
            first = self._read + 1
            columns, wrong = longest(batch.num_rows, partial(self._columns, fields, batch, first))
            self._read += batch.num_rows
            if columns is not None:
                yield Block(columns, _row(first))
            if wrong is not None:
                raise wrong

    def _columns(self, fields: Sequence[Field], batch: Any, first: int, count: int) -> list[Column]:
        """The columns of the first `count` rows of a batch, whose first row has a number."""
        rows = batch.slice(0, count)
        return [self._column(field, rows.column(field.header), first) for field in fields]

    def _column(self, field: Field, array: Any, first: int) -> Column:
        if array.null_count:
            row = first + int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise self._wrong(field, row, "the value is missing")
        types, kind = self._arrow.types, array.type
        if types.is_dictionary(kind):
            array = array.dictionary_decode()
            kind = array.type
        if field.slot.labels and (types.is_string(kind) or types.is_large_string(kind)):
            rows = enumerate(array.cast(self._arrow.large_binary()).to_pylist(), first)
            return np.array([self._label(field, text, row) for row, text in rows], np.int64)
        if self._instant(kind):
            unit = self._arrow.timestamp("ns", kind.tz) if types.is_timestamp(kind) else self._arrow.duration("ns")
            array = array.cast(unit).view(self._arrow.int64())
        elif types.is_boolean(kind):
            array = array.cast(self._arrow.int64())
        elif types.is_decimal(kind):
            array = array.cast(self._arrow.float64())
        elif not (types.is_integer(kind) or types.is_floating(kind)):
            raise self._wrong(field, first, f"its values have the type {kind}")
        return self._numbers(field, array.to_numpy(zero_copy_only=False), first)

    def _numbers(self, field: Field, values: Any, first: int) -> Column:
        """As int64, or as float64 for a real; the first value of a relative column is subtracted."""
        if values.dtype == np.uint64 and (values > np.uint64(2**63 - 1)).any():
            raise self._wrong(field, first + int(np.argmax(values > np.uint64(2**63 - 1))), "it exceeds 64 bits")
        if values.dtype.kind in "iu":
            column: Column = values.astype(np.int64)
        else:
            column = values.astype(np.float64)
        if field.relative:
            if self._first is None:
                self._first = column[0].item()
            first_value = np.asarray(self._first, dtype=column.dtype)
            column = np.subtract(column, first_value)
        if field.slot.kind == "int" and column.dtype == np.float64:
            broken = ~(column == np.floor(column)) | (np.abs(column) >= 2.0**63)
            if broken.any():
                row = int(np.argmax(broken))
                raise self._wrong(field, first + row, f"`{column[row]:.15g}` is not a 64-bit integer")
            column = column.astype(np.int64)
        return column

    def _label(self, field: Field, data: bytes, row: int) -> int:
        labels: Slot = field.slot
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise self._wrong(field, row, "its text is not UTF-8") from None
        if text not in labels.labels:
            raise self._wrong(field, row, f"`{text[:40]}` is not a value of the field: {', '.join(labels.labels[:10])}")
        return labels.labels.index(text)

    def _wrong(self, field: Field, row: int, reason: str) -> Exception:
        return problem("stream-row", path=self._name, where=f"row {row:,}, column `{field.header}`", reason=reason)


def _row(first: int) -> Callable[[int], str]:
    return lambda row: f"row {first + row:,}"


def _packages(name: str) -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise problem("stream-needs-package", path=name) from None
    return pyarrow, pyarrow.parquet
