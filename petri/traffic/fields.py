"""The columns of a file that fill the slots of a token, and the conversion to the net's units."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from petri.catalogue.units import BYTES, FREQ, PLAIN, RATE, TIME, UNITS, Dimension, dimension_name, in_net_units
from petri.diagnostics import Diagnostic, LanguageError, did_you_mean
from petri.language.meaning.unit_names import suggested_unit as suggested
from petri.net import Net, Place, Scalar, Slot, Stream
from petri.structs import replace
from petri.ticks import HORIZON
from petri.traffic.problems import problem

Column = npt.NDArray[np.int64] | npt.NDArray[np.float64]

TIME_SLOT = "time"
"""The slot whose values count from the first row, and never decrease; not of a port."""
ARRIVAL = "@"
"""The slot before those of a port in: the instant at which the row comes, in the column `time` (I12)."""

_DIMENSIONS = {"": PLAIN, "Time": TIME, "Bytes": BYTES, "Rate": RATE, "Freq": FREQ}
_STANDARD = {TIME: "s", BYTES: "B", RATE: "bps", FREQ: "Hz"}  # the unit of a column without one
_POSITION = re.compile("[1-9][0-9]{0,5}")
_HEADER = re.compile(r"\s*(?P<name>.*?)\s*(?:\[(?P<bracket>[^\]]*)\]|\((?P<round>[^)]*)\))?\s*")


Conversion = tuple[bool, float, float, bool, bool, Scalar | None, Scalar | None]
"""Whether the slot is real, multiplier, divisor, whether it becomes whole ticks (at least one unless it is 0), whether
its values never decrease, the least and the greatest value."""


@dataclass(frozen=True, slots=True)
class Field:
    """Slot number `position` of a token is filled from column number `index` of the file, times `factor`.

    The factor makes it a value as the engine keeps it, times in ticks. unit: that of the column, "" for plain numbers.
    """

    position: int
    slot: Slot
    index: int
    header: str
    factor: Fraction
    unit: str = ""
    of_port: bool = False

    def shown(self, value: float, digits: int = 12) -> str:
        """Return a value as the engine keeps it, as the column would have it: `0.5 s`."""
        number = value if math.isinf(value) or math.isnan(value) else float(Fraction(value) / self.factor)
        return f"{number:.{digits}g} {self.unit}".rstrip()

    @property
    def relative(self) -> bool:
        """Whether its values count from that of the first row."""
        return self.slot.name == TIME_SLOT and not self.of_port

    @property
    def rises(self) -> bool:
        """Whether its values never decrease."""
        return self.relative or self.slot.name == ARRIVAL

    @property
    def conversion(self) -> Conversion:
        """Return how the values of its column become those of its slot.

        Each is rounded once where the factor is a whole number or one over one.
        """
        slot, factor = self.slot, self.factor
        times, over = float(factor), 1.0
        if factor.numerator == 1:
            times, over = 1.0, float(factor.denominator)
        return slot.kind == "real", times, over, slot.dimension == "Time", self.rises, slot.low, slot.high


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that were read: a column for each field, and the name of a row in messages ("line 17")."""

    columns: list[Column]
    where: Callable[[int], str]

    def __len__(self) -> int:
        return len(self.columns[0])


def column_of(slot: str) -> str:
    """Return the name of the column that fills a slot, unless another is given."""
    return {"": "value", ARRIVAL: TIME_SLOT}.get(slot, slot)


def by_position(place: Place) -> bool:
    """Return whether the columns of all fields are given by their numbers, so that the file need not name them."""
    assert place.stream is not None
    given = dict(place.stream.columns)
    columns = [header_parts(given.get(slot.name, ""))[0] for slot in place.colour.slots]
    return all(map(_POSITION.fullmatch, columns))


def header_parts(header: str) -> tuple[str, str | None]:
    """Name and unit of `time [us]`, `time (us)`, `time`."""
    found = _HEADER.fullmatch(header)
    if found is None:
        return header.strip(), None
    unit = found["bracket"] if found["bracket"] is not None else found["round"]
    return found["name"], unit.strip() if unit is not None else None


def match(
    net: Net, place: Place, path: str, headers: Sequence[str], units: Mapping[str, str] | None = None
) -> tuple[Field, ...]:
    """Return the fields of a place's colour in a file with these columns.

    units: the units of the columns, if the format defines them. Raises LanguageError with all columns that are
    missing, or whose unit does not fit the field.
    """
    assert place.stream is not None
    given = dict(place.stream.columns)
    names = [header_parts(header)[0] for header in headers]
    fields: list[Field] = []
    wrong: list[Diagnostic] = []
    for position, slot in enumerate(place.colour.slots):
        wanted, unit = header_parts(given.get(slot.name, column_of(slot.name)))
        try:
            index = _find(wanted, names, headers, slot, place, path)
            own = unit or header_parts(headers[index])[1] or (units or {}).get(names[index])
            factor, unit = _factor(slot, own, net, place, path, headers[index], fixed=units is not None)
        except LanguageError as error:
            wrong += error.diagnostics
        else:
            fields.append(Field(position, slot, index, headers[index], factor, unit, bool(place.port)))
    if wrong:
        raise LanguageError(wrong, {})
    return tuple(fields)


def with_instants(place: Place) -> Place:
    """Return a place whose tokens are the rows of a file: of a port, they begin with the instant of their arrival."""
    if not place.port:
        return place
    slot = Slot(ARRIVAL, "real", 0.0, float(HORIZON), dimension="Time")
    stream = place.stream or Stream()
    return replace(place, colour=replace(place.colour, slots=(slot, *place.colour.slots)), stream=stream)


class Recording(ABC):
    """A file being read. `headers` names its columns, `units` has the units that its format defines."""

    name: str
    headers: Sequence[str]
    units: Mapping[str, str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close the file."""

    @abstractmethod
    def words(self, fields: Sequence[Field], most: int) -> Iterator[bytes]:
        """Yield its rows, at most `most` at a time, as native 64-bit words in the net's units, slot after slot. Every
        value is of the colour.

        Raises LanguageError for an invalid row, after the rows before it have been returned.
        """

    def counts(self) -> tuple[Mapping[str, int], tuple[int, ...]]:
        """Return what was read that is not a row or not a whole one, and the types of unknown blocks: see
        `FileRead`.
        """
        return {}, ()

    def fields(self, net: Net, place: Place) -> tuple[Field, ...]:
        """Return the columns that fill the slots of a place. Raises LanguageError, and closes the file then."""
        assert place.stream is not None
        try:
            return match(net, place, place.stream.name, self.headers, self.units)
        except BaseException:
            self.close()
            raise


class ColumnFile(Recording):
    """A file that is read column by column."""

    @abstractmethod
    def blocks(self, fields: Sequence[Field], most: int) -> Iterator[Block]:
        """Yield its rows, at most `most` at a time. The first value of a relative field is subtracted."""

    def words(self, fields: Sequence[Field], most: int) -> Iterator[bytes]:
        slots = native(self.name).Slots([field.conversion for field in fields])
        for block in self.blocks(fields, most):
            words, wrong = slots.take(block.columns)
            if words:
                yield words
            if wrong is not None:
                kind, row, number, (value,) = wrong
                raise misfit(self.name, block.where(row), fields[number], kind, value)


def misfit(path: str, where: str, field: Field, kind: str, value: float) -> LanguageError:
    """Return what is wrong with a value in the net's unit: it is "outside" of the range, or so much "back" in time."""
    if kind == "back":
        return problem("stream-time-back", path=path, where=where, by=field.shown(value, digits=6))
    low, high = (None if bound is None else field.shown(bound) for bound in (field.slot.low, field.slot.high))
    return problem(
        "stream-value",
        path=path,
        where=where,
        column=field.header,
        value=field.shown(value),
        low=low if high is None else None,
        high=high if low is None else None,
        range=f"{low}..{high}" if low is not None and high is not None else None,
    )


def native(path: str) -> ModuleType:
    """Return the native engine, which reads recordings. Raises LanguageError where it is not installed."""
    try:
        import petri._native as _native
    except ImportError:
        raise problem("stream-needs-native", path=path) from None
    return _native


def _find(wanted: str, names: Sequence[str], headers: Sequence[str], slot: Slot, place: Place, path: str) -> int:
    if _POSITION.fullmatch(wanted):
        if int(wanted) > len(headers):
            raise problem("stream-no-position", path=path, column=wanted, count=len(headers))
        return int(wanted) - 1
    for candidates in (headers, names, [name.lower() for name in names]):
        found = [i for i, name in enumerate(candidates) if name.strip() == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            raise problem("stream-column-twice", path=path, column=wanted)
    raise problem(
        "stream-unknown-column",
        path=path,
        place=place.name,
        column=wanted,
        field=slot.name,
        names=list(headers[:20]),
        suggestion=did_you_mean(wanted, names),
    )


def _factor(
    slot: Slot, unit: str | None, net: Net, place: Place, path: str, header: str, fixed: bool
) -> tuple[Fraction, str]:
    """Return the factor from the column to the net, and the unit of the column.

    fixed: a plain slot may take a column of any unit, unchanged.
    """
    values: dict[str, Any] = {"path": path, "place": place.name, "field": slot.name, "column": header}
    dimension = _DIMENSIONS.get(slot.dimension)
    if dimension is None:
        raise problem("stream-dimension", **values, kind=slot.dimension)
    if unit is None:
        if dimension == PLAIN:
            return Fraction(1), ""
        if slot.name == ARRIVAL:
            return 1 / net.tick.length, net.time_unit
        unit = _STANDARD[dimension]
    known = UNITS.get(unit)
    if known is None:
        raise problem("stream-unknown-unit", **values, unit=unit, suggestion=suggested(unit, ()))
    if dimension == PLAIN and fixed:
        return whole(known.scale, slot, values), unit
    if known.dimension != dimension:
        raise problem(
            "stream-column-unit", **values, unit=unit, kind=_called(dimension), other=_called(known.dimension)
        )
    second = Fraction(1) if net.seconds is None else Fraction(repr(net.seconds))
    in_units = in_net_units(known.scale, dimension, second)
    return whole(in_units / net.tick.length**dimension.time, slot, values), unit


def whole(factor: Fraction, slot: Slot, values: dict[str, Any]) -> Fraction:
    """Return the factor, which for an int must be 1."""
    if slot.kind == "int" and factor != 1:
        raise problem("stream-whole", **values)
    return factor


def _called(dimension: Dimension) -> str:
    return dimension_name(dimension) or "a plain number"
