"""What a cell of a text means: a number, the name of a value, or a calendar time."""

from __future__ import annotations

import math
import re
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from petri.net import Scalar, Slot

_CALENDAR: Final = re.compile(
    r"(?P<date>\d{4}([-/])\d{1,2}\2\d{1,2})?[T\s]*"
    r"(?:(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d|60)(?:[.,](?P<part>\d{1,18}))?)?)?"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
_GROUPED: Final = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")  # it may be 1.234 or 1234


class Instant(NamedTuple):
    """A calendar time: seconds since 1970, or since midnight if it is only a time of day."""

    seconds: Decimal
    dated: bool
    zoned: bool


def number(text: str, decimal_comma: bool = False) -> Decimal | None:
    """Return the number; None if it is none. With `decimal_comma`, a comma may stand for the point."""
    text = text.strip()
    if decimal_comma and "." not in text:
        text = text.replace(",", ".", 1)
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def instant(text: str) -> Instant | None:
    """`2023-11-16 18:17:03.979960`, with T, Z or +01:00 as well, `2023-11-16`, or `18:17:03.98`; None if it is none."""
    found = _CALENDAR.fullmatch(text.strip())
    if found is None or (found["date"] is None and found["hour"] is None):
        return None
    seconds = Decimal(0)
    if found["date"] is not None:
        try:
            day = date(*map(int, re.split("[-/]", found["date"])))
        except ValueError:
            return None
        seconds += 86_400 * (day.toordinal() - date(1970, 1, 1).toordinal())
    if found["hour"] is not None:
        whole = 3600 * int(found["hour"]) + 60 * int(found["minute"]) + int(found["second"] or 0)
        seconds += whole + Decimal(f"0.{found['part'] or 0}")
    zone = found["zone"]
    if zone is not None and zone[0] in "+-":
        east = 3600 * int(zone[1:3]) + 60 * int(zone[-2:])
        seconds -= east if zone[0] == "+" else -east
    return Instant(seconds, found["date"] is not None, zone is not None)


def is_grouped(text: str) -> bool:
    """Return whether a comma may also part thousands: `1,234`."""
    return _GROUPED.fullmatch(text.strip()) is not None


def label(slot: Slot, cell: str) -> int | None:
    """Return the number of a value that has a name; of bools also 0 and 1."""
    if cell in slot.labels:
        return slot.labels.index(cell)
    truth = slot.labels == ("false", "true") and cell in ("0", "1")
    return int(cell) if truth else None


def scalar(slot: Slot, found: Decimal | None, origin: Decimal | float | None) -> tuple[Scalar | None, str]:
    """Return the value of a number (None if it is none of the slot), and what it should be.

    Whole numbers may be `3.0`.
    """
    if found is None or not found.is_finite():
        return None, "whole number" if slot.kind == "int" else "number"
    if slot.kind == "int":
        whole = found == found.to_integral_value() and -(2**63) <= found < 2**63
        return (int(found), "") if whole else (None, "64-bit integer")
    value = float(found - origin) if isinstance(origin, Decimal) else float(found) - (origin or 0.0)
    return (value, "") if math.isfinite(value) else (None, "finite number")
