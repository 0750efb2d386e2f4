"""The unit that a word probably means: `seconds`, `Gbp`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from petri.catalogue.units import TIMES, UNITS
from petri.diagnostics import did_you_mean

# Common spellings of units, including plurals, and their spelling in the language.
_SPELLINGS = {
    "sec": "s", "second": "s", "msec": "ms", "millisecond": "ms", "usec": "us", "microsecond": "us", "µs": "us",
    "μs": "us", "nsec": "ns", "nanosecond": "ns", "psec": "ps", "picosecond": "ps", "minute": "min", "hr": "h",
    "hour": "h", "byte": "B", "octet": "B", "bit": "b", "hertz": "Hz", "kilobyte": "KB", "megabyte": "MB",
    "gigabyte": "GB",
}  # fmt: skip

_PREFIXES = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "K": "k"}
_DATA = re.compile(r"(kilo|mega|giga|tera|[kKMGT]i?|)(bits?|bytes?|octets?|b|B)")

_LONG_TIMES = {"day": "24 h", "d": "24 h", "week": "168 h", "year": "8760 h"}  # which a net may declare


def declaration_of(word: str) -> str | None:
    """`days = 24 h`, with which a net declares a long unit of time that the language does not have."""
    length = _LONG_TIMES.get(word) or _LONG_TIMES.get(word.lower().removesuffix("s"))
    return None if length is None else f"{word} = {length}"


def per_second(unit: str | None) -> str | None:
    """Return the rate that data per second is: `Gbps` for `Gbit`, `Gb` and `gigabits`; None if there is none."""
    data = None if unit is None else _data_unit(unit)
    return f"{data}ps" if f"{data}ps" in UNITS else None


def _data_unit(word: str) -> str | None:
    """`Gb` for `Gbit`, `Gbits` and `gigabit`, `KiB` for `KiByte`."""
    found = _DATA.fullmatch(word)
    if found is None:
        return None
    small = "b" if found[2] in ("bit", "bits", "b") else "B"
    unit = f"{_PREFIXES.get(found[1], found[1])}{small}"
    return {"kB": "KB"}.get(unit, unit)


def suggested_unit(word: str, others: Iterable[str], *, only_times: bool = False) -> str | None:
    """Return the unit that `word` probably means, of the language or of `others`; in doubt a unit of time."""
    known = _SPELLINGS.get(word.lower()) or _SPELLINGS.get(word.lower().removesuffix("s")) or _data_unit(word)
    others = list(others)
    if known is not None and (known in TIMES or not only_times):
        return known
    found = [did_you_mean(word, [*TIMES, *others])]
    if not only_times:
        found.append(did_you_mean(word, UNITS))
    near = [name for name in found if name is not None]
    return max(near, key=lambda name: SequenceMatcher(None, word.lower(), name.lower()).ratio(), default=None)
