"""A column of a recording as values: numbers, bounds such as `>30 s`, and cells without a value."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

from petri.catalogue.units import TIME, UNITS
from petri.diagnostics import did_you_mean
from petri.language.meaning.unit_names import suggested_unit
from petri.measure.arrays import Floats
from petri.net import Slot
from petri.structs import Frozen
from petri.traffic.delimited import DelimitedFile
from petri.traffic.fields import Field, Recording, header_parts
from petri.traffic.formats import open_file
from petri.traffic.parquet import ParquetFile
from petri.traffic.problems import problem
from petri.traffic.recordings import BLOCK

MOST = 200_000  # values that are read
ARRIVALS = ("time", "timestamp", "arrival", "arrivals", "arrived", "date", "datetime")
MISSING = ("", "-", "?", "na", "n/a", "nan", "null", "none")
_NUMBER = r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_CELL = re.compile(rf"(?P<sign>[<>]=?|[≤≥])?\s*(?P<number>{_NUMBER})\s*(?P<unit>[A-Za-z]*)")
_THOUSANDS = re.compile(r",\d{3}(?!\d)")  # `1,234` is not 1.234
SINCE_1970 = 1e17  # nanoseconds: larger ones in Parquet are instants
_NANOSECONDS = {"s": 1e-9, "ms": 1e-6, "us": 1e-3, "ns": 1.0}


class Column(Frozen):
    """Values in the order of the file. Where only bounds are known, `low` < value <= `high`; else both are equal.

    unit: "" of plain numbers. missing: cells without a value. cut: the file has more values. instants: the times of
    arrival of which these are the gaps, in seconds from the first. start: the time of day of the first, in seconds.
    """

    path: str
    name: str
    unit: str
    low: Floats
    high: Floats
    missing: int = 0
    cut: bool = False
    instants: Floats | None = None
    start: float | None = None


class _Calendar(Exception):
    """The column has calendar times."""


class _File(NamedTuple):
    path: Path
    name: str  # in messages

    def open(self) -> Recording:
        return open_file(self.path, self.name)


def read_column(
    path: str | Path, column: str | None = None, gaps: bool | None = None, name: str | None = None
) -> Column:
    """Return a column of a file; without its name, the only one. `time [ms]` is the column `time`, in milliseconds.

    gaps: whether the times between its values count, instead of the values. None: where they are calendar times, or
    where the column has a name such as `time`. name: of the file for people. Raises LanguageError for a file that
    cannot be read.
    """
    file = _File(Path(path), name or str(path))
    header, unit = _chosen(file, column)
    if gaps is None:
        gaps = header_parts(header)[0].lower() in ARRIVALS
    if not gaps:
        try:
            return _values(file, header, unit)
        except _Calendar:
            pass
    return _gaps(file, header, unit)


def _chosen(source: _File, column: str | None) -> tuple[str, str]:
    """Return the header of a column of a file, and its unit."""
    with source.open() as file:
        headers, units = list(file.headers), file.units or {}
        names = [header_parts(header)[0] for header in headers]
    if not headers:
        raise problem("stream-empty", path=source.name)
    wanted, unit = header_parts(column or "")
    if len(headers) > 1 and all(map(_CELL.fullmatch, headers)):
        raise problem("stream-no-columns", path=source.name, names="time,size", first=",".join(headers)[:60])
    if column is None and len(headers) > 1:
        raise problem("fit-which-column", path=source.name, names=names[:20],
                      example=next((n for n, h in zip(names, headers, strict=True) if n != h), names[0]))  # fmt: skip
    found = [at for at, name in enumerate(names) if column is None or column == headers[at] or wanted == name]
    found = found or [at for at, name in enumerate(names) if wanted.lower() == name.lower()]
    if not found:
        near = did_you_mean(wanted, names)
        raise problem(
            "fit-unknown-column", path=source.name, column=column or "", names=names[:20] or None, suggestion=near
        )
    if len(found) > 1:
        raise problem("stream-column-twice", path=source.name, column=wanted)
    own = unit or header_parts(headers[found[0]])[1] or units.get(names[found[0]], "")
    if own and own not in UNITS:
        raise problem("fit-unknown-unit", column=headers[found[0]], unit=own, name=names[found[0]],
                      suggestion=suggested_unit(own, ()))  # fmt: skip
    return headers[found[0]], own


def _values(source: _File, header: str, unit: str) -> Column:
    with source.open() as file:
        cells = _Cells(unit)
        if isinstance(file, DelimitedFile):
            file.otherwise = cells
        field = Field(0, Slot("", "real"), list(file.headers).index(header), header, Fraction(1), unit)
        unnamed = cells("", header) if _CELL.fullmatch(header) else None  # the first line is a value
        x, cut = _read(file, [field])
    low = np.concatenate((np.frombuffer(unnamed or b""), x))
    if isinstance(file, ParquetFile) and len(low) and low.min() > SINCE_1970:
        raise _Calendar
    high = low.copy()
    odd = np.isnan(low)
    if len(cells.bounds):
        low[odd], high[odd] = np.array(cells.bounds[: int(odd.sum())]).T
    name = "value" if unnamed else header_parts(header)[0]
    return Column(source.name, name, cells.unit, low, high, cells.missing, cut)


def _gaps(source: _File, header: str, unit: str) -> Column:
    """Return the times between the values of a column, which are instants."""
    factor = _per_second(header, unit or "s") * 10**9
    with source.open() as file:
        index = list(file.headers).index(header)
        x, cut = _read(file, [Field(0, Slot("time", "real", dimension="Time"), index, header, factor, unit or "s")])
    with source.open() as file:  # again, for the time of day of the first
        field = Field(0, Slot("", "real", dimension="Time"), index, header, Fraction(1), unit or "s")
        first = np.frombuffer(next(iter(file.words([field], 1)), b""), np.float64)
    if len(first) and _CELL.fullmatch(header):  # the first line is an instant
        before = (float(first[0]) - float(header)) * float(factor)
        x = np.concatenate(([0.0], x + before))
    gaps = np.diff(x)
    known = gaps[gaps > 0]
    middle = float(np.median(known)) if len(known) else 1.0
    own = unit if unit != "ns" else ""  # of Parquet and of captures
    shown = own or next((name for name, size in _NANOSECONDS.items() if middle * size >= 1), "ns")
    values = gaps / float(factor) if own else gaps * _NANOSECONDS[shown]
    start = float(first[0] * factor / 10**9) % 86_400 if len(first) else None
    return Column(source.name, header_parts(header)[0], shown, values, values.copy(), 0, cut, x * 1e-9, start)


def _per_second(header: str, unit: str) -> Fraction:
    if UNITS[unit].dimension != TIME:
        raise problem("fit-gaps-of-no-time", column=header, unit=unit)
    return UNITS[unit].scale


def _read(file: Recording, fields: Sequence[Field]) -> tuple[Floats, bool]:
    """Return the values of a column, `MOST` at most, and whether there are more."""
    blocks, count = [], 0
    for words in file.words(fields, BLOCK):
        blocks.append(np.frombuffer(words, np.float64))
        count += len(blocks[-1])
        if count > MOST:
            break
    x = np.concatenate(blocks) if blocks else np.empty(0)
    return x[:MOST], count > MOST


class _Cells:
    """Reads the cells that are not plain numbers: bounds, numbers with a unit, and missing ones."""

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.bounds: list[tuple[float, float]] = []
        self.missing = 0

    def __call__(self, kind: str, cell: str) -> bytes | None:
        """Return the row of a cell: a placeholder, nothing for one that is missing, and None for one that is wrong."""
        if kind == "calendar-no-time":
            raise _Calendar
        if cell.lower() in MISSING:
            self.missing += 1
            return b"" if self.missing <= MOST else None
        match = _CELL.fullmatch(cell)
        if match is None or (match["unit"] and match["unit"] not in UNITS) or _THOUSANDS.search(cell):
            return None
        number = float(match["number"].replace(",", "."))
        if match["unit"]:
            self.unit = self.unit or match["unit"]
            new, old = UNITS[match["unit"]], UNITS[self.unit]
            if new.dimension != old.dimension:
                return None
            number *= float(new.scale / old.scale)
        if not math.isfinite(number):
            return None
        sign = (match["sign"] or "").replace("≥", ">=").replace("≤", "<=")
        next_below = float(np.nextafter(number, -math.inf))
        bounds = {
            "": (number, number), ">": (number, math.inf), ">=": (next_below, math.inf),
            "<": (-math.inf, next_below), "<=": (-math.inf, number),
        }  # fmt: skip
        self.bounds.append(bounds[sign])
        return np.array([math.nan]).tobytes()
