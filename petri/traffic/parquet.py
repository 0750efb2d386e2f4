"""Parquet files, read by pyarrow (`pip install 'pnsim[parquet]'`).

Memory is bounded before a page is unpacked: no page may be larger than `LARGEST_PAGE`, and no text longer than
`LONGEST_TEXT`. Columns of other types than the fields can have are not read at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import numpy as np

from petri.net import Net, Place, Slot
from petri.traffic.fields import Block, Column, ColumnFile, Field, header_parts
from petri.traffic.pages import pages
from petri.traffic.problems import longest, problem, unreadable


def open_parquet(net: Net, place: Place, path: Path) -> tuple[ParquetFile, tuple[Field, ...]]:
    """Return a file of columns, and those that fill the slots of a place. Timestamps count in nanoseconds."""
    assert place.stream is not None
    file = ParquetFile(path, place.stream.name)
    fields = file.fields(net, place)
    try:
        file.check_types(fields)
    except BaseException:
        file.close()
        raise
    return file, fields


BUFFER = 1 << 20  # bytes of a column read at a time, so that large row groups do not matter
LARGEST_PAGE = 1 << 26  # bytes of a page when it is unpacked; writers make pages of a megabyte
LONGEST_TEXT = 1 << 16  # bytes, as of a row of CSV
MUCH_TEXT = 1 << 26  # bytes of the texts of a row group, beyond which they are read in batches of `FEW` rows
FEW = 1024


class ParquetFile(ColumnFile):
    """An open file."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._path = path
        self._arrow, parquet = _packages(name)
        try:
            self._file = parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
            texts = [one.name for one in self._file.schema_arrow if self._is_text(one.type)]
            if texts:  # each is kept once in a batch, however often it comes
                self._file.close()
                self._file = parquet.ParquetFile(path, read_dictionary=texts, buffer_size=BUFFER, pre_buffer=False)
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

    def _is_text(self, kind: Any) -> bool:
        types = self._arrow.types
        kind = kind.value_type if types.is_dictionary(kind) else kind
        views = getattr(types, "is_string_view", types.is_string)  # of earlier versions of pyarrow
        return bool(types.is_string(kind) or types.is_large_string(kind) or views(kind))

    def check_types(self, fields: Sequence[Field]) -> None:
        """Raise LanguageError for a column whose values cannot be those of a field."""
        types = self._arrow.types
        plain = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
        for field in fields:
            kind = self._file.schema_arrow.field(field.header).type
            values = kind.value_type if types.is_dictionary(kind) else kind
            named = bool(field.slot.labels) and self._is_text(kind)
            if not (named or self._instant(values) or any(holds(values) for holds in plain)):
                raise self._wrong(field, 1, f"its values have the type {values}")

    def _batches(self, fields: Sequence[Field], most: int) -> Iterator[Any]:
        wanted = list(dict.fromkeys(field.header for field in fields))
        with self._path.open("rb") as file:
            for group in range(self._file.num_row_groups):
                if not self._file.metadata.row_group(group).num_rows:
                    continue
                text = self._check_pages(fields, group, file)
                size = most if text <= MUCH_TEXT else min(most, FEW)
                yield from self._file.iter_batches(batch_size=size, row_groups=[group], columns=wanted)

    def _check_pages(self, fields: Sequence[Field], group: int, file: BinaryIO) -> int:
        """Return how many bytes the texts of a row group are. Raises LanguageError for a page that is too large."""
        named = {field.header: field for field in fields}
        chunks = self._file.metadata.row_group(group)
        texts = 0
        for chunk in (chunks.column(number) for number in range(chunks.num_columns)):
            field = named.get(chunk.path_in_schema)
            if field is None:
                continue
            begin = chunk.data_page_offset
            if chunk.has_dictionary_page and chunk.dictionary_page_offset is not None:
                begin = min(begin, chunk.dictionary_page_offset)
            found = pages(file, begin, begin + chunk.total_compressed_size)
            is_text = self._is_text(self._file.schema_arrow.field(field.header).type)
            if is_text and any(page.size > (LONGEST_TEXT + 64) * (page.values + 1) for page in found):
                raise self._too_long(field)
            if (largest := max((page.size for page in found), default=0)) > LARGEST_PAGE:
                reason = f"a page of it has {largest >> 20:,} MiB, where {LARGEST_PAGE >> 20} are read"
                raise problem("stream-row", path=self.name, where=f"column `{field.header}`", reason=reason)
            texts += sum(page.size for page in found) if is_text else 0
        return texts

    def blocks(self, fields: Sequence[Field], most: int) -> Iterator[Block]:
        batches = self._batches(fields, most)
        while True:
            try:
                batch = next(batches, None)
            except (OSError, ValueError) as error:
                raise unreadable(self.name, error) from error
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
        """Return the columns of the first `count` rows of a batch, whose first row has a number."""
        rows = batch.slice(0, count)
        return [self._column(field, rows.column(field.header), first) for field in fields]

    def _column(self, field: Field, array: Any, first: int) -> Column:
        if array.null_count:
            row = first + int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise self._wrong(field, row, "the value is missing")
        types = self._arrow.types
        if self._is_text(array.type):
            return self._labels(field, array, first)
        if types.is_dictionary(array.type):
            array = array.dictionary_decode()
        kind = array.type
        if self._instant(kind):
            unit = self._arrow.timestamp("ns", kind.tz) if types.is_timestamp(kind) else self._arrow.duration("ns")
            try:
                array = array.cast(unit).view(self._arrow.int64())
            except ValueError as error:
                raise self._wrong(field, first, "a time is further than 292 years from 1970") from error
        elif types.is_boolean(kind):
            array = array.cast(self._arrow.int64())
        elif types.is_decimal(kind):
            array = array.cast(self._arrow.float64())
        return self._numbers(field, array.to_numpy(zero_copy_only=False), first)

    def _labels(self, field: Field, array: Any, first: int) -> Column:
        """Return the numbers of the values that the texts name."""
        coded = array if self._arrow.types.is_dictionary(array.type) else array.dictionary_encode()
        texts = coded.dictionary.cast(self._arrow.large_binary())
        compute = self._arrow.compute
        longest = compute.max(compute.binary_length(texts)).as_py()
        if longest is not None and longest > LONGEST_TEXT:
            raise self._too_long(field)
        used = compute.unique(coded.indices)  # in the order of their first rows
        rows = (first + compute.index(coded.indices, place).as_py() for place in used)
        numbers = [self._label(field, texts[place.as_py()].as_py(), row) for place, row in zip(used, rows, strict=True)]
        column: Column = np.array(numbers, np.int64)[
            compute.index_in(coded.indices, used).to_numpy(zero_copy_only=False)
        ]
        return column

    def _too_long(self, field: Field) -> Exception:
        reason = f"a text in it is longer than {LONGEST_TEXT:,} bytes"
        return problem("stream-row", path=self.name, where=f"column `{field.header}`", reason=reason)

    def _numbers(self, field: Field, values: Any, first: int) -> Column:
        """Return it as int64, or as float64 for a real; the first value of a relative column is subtracted."""
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
        return problem("stream-row", path=self.name, where=f"row {row:,}, column `{field.header}`", reason=reason)


def _row(first: int) -> Callable[[int], str]:
    return lambda row: f"row {first + row:,}"


def _packages(name: str) -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise problem("stream-needs-package", path=name) from None
    return pyarrow, pyarrow.parquet
