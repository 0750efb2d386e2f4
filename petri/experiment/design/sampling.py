"""Points of an experiment: lists and ranges of values, their grid, and random samples."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np

Value = int | float | bool | str
"""A parameter's value: text is an expression of the language (`10 us`, `gold`)."""

Values = Mapping[str, Value]

MOST_VALUES: Final = 10_000
MOST_POINTS: Final = 10_000

_NUMBER = r"[+-]?(?:\d[\d_]*)?(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE: Final = re.compile(
    rf"\s*(?P<low>{_NUMBER})\s*(?P<low_unit>[A-Za-z]*)\s*\.\.\s*(?P<high>{_NUMBER})\s*(?P<unit>[A-Za-z]*?)"
    rf"(?:\s+(?P<how>step|times)\s+(?P<by>{_NUMBER})\s*(?P<by_unit>[A-Za-z]*))?\s*"
)

_SOME = r"[+-]?\d[\w.]*"
_LOW, _HIGH, _STEP = (rf"(?P<{name}>{_SOME})" for name in ("low", "high", "step"))
_OTHER_RANGES: Final = (
    rf"{_LOW}\s*:\s*{_HIGH}(?:\s*:\s*{_STEP})?",
    rf"(?P<low>[+-]?\d+(?:\.\d+)?)\s*\.\.\s*(?P<high>[+-]?\d+(?:\.\d+)?)(?:\s*(?:\.\.|/|:)\s*|\s+by\s+){_STEP}",
    rf"{_LOW}\s+to\s+{_HIGH}(?:\s+(?:step|by)\s+{_STEP})?",
    rf"(?:np\.|numpy\.)?a?range\(\s*{_LOW}\s*,\s*{_HIGH}\s*(?:,\s*{_STEP}\s*)?\)",
)


class BadRange(ValueError):
    """A text that looks like a range but is not one; `reason` is the id of a diagnostic.

    meant: what it is here, where it is a range, or a list, of another language.
    """

    def __init__(self, reason: str, text: str, meant: str | None = None) -> None:
        super().__init__(f"{reason}: {text}")
        self.reason = reason
        self.text = text
        self.meant = meant


@dataclass(frozen=True, slots=True)
class Range:
    """`low..high`, both inclusive, exactly as written; `unit` is "" for plain numbers."""

    low: Fraction
    high: Fraction
    unit: str = ""
    how: str = ""  # "step", "times", or "" if not given
    by: Fraction = Fraction(1)
    whole: bool = True  # written without a point or an exponent

    def values(self) -> list[Value]:
        """Return each value from low to high. Raises BadRange if a range of reals has no step."""
        if not self.how and not self.whole:
            raise BadRange("range-without-step", str(self))
        if (self.how == "times" and (self.by <= 1 or self.low <= 0)) or (self.how != "times" and self.by <= 0):
            raise BadRange("range-step", str(self))
        found, value = [], self.low
        while value <= self.high:
            found.append(self.written(value))
            if len(found) > MOST_VALUES:
                raise BadRange("range-too-long", str(self))
            value = value * self.by if self.how == "times" else value + self.by
        if not found:
            raise BadRange("range-empty", str(self))
        return found

    def written(self, value: Fraction | float) -> Value:
        """Return a value of the range as a user would write it."""
        number = int(value) if self.whole and value == int(value) else float(value)
        return f"{number!r} {self.unit}" if self.unit else number

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        how = f" {self.how} {float(self.by):.10g}" if self.how else ""
        return f"{float(self.low):.10g}..{float(self.high):.10g}{unit}{how}"


def parse_range(text: str) -> Range | None:
    """Return a range such as `1..8`, `0.1..0.9 step 0.1`, `1..64 times 2` or `1..5 us`;

    None if the text is not a range.
    """
    match = _RANGE.fullmatch(text)
    if match is None and (meant := _range_meant(text.strip())):
        raise BadRange("grid-range", text, meant)
    if match is None or not match["low"] or not match["high"]:
        return None
    by = match["by"] or "1"
    units = {unit for unit in (match["low_unit"], match["unit"]) if unit}
    if match["how"] != "times" and match["by_unit"]:
        units.add(match["by_unit"])
    if len(units) > 1 or (match["low_unit"] and not match["unit"]):
        raise BadRange("range-units", text)
    written = [match["low"], match["high"], *([by] if match["how"] else [])]
    try:
        numbers = [exact(number) for number in (match["low"], match["high"], by)]
    except ValueError:
        return None
    whole = all(re.fullmatch(r"[+-]?[\d_]+", number) for number in written)
    return Range(numbers[0], numbers[1], "".join(units), match["how"] or "", numbers[2], whole)


def _range_meant(text: str) -> str | None:
    """`0.1..0.9 step 0.1` for the range that other languages write as `0.1:0.9:0.1`, `range(0.1, 0.9, 0.1)` or so."""
    found = next(filter(None, (re.fullmatch(form, text) for form in _OTHER_RANGES)), None)
    if found is None:
        return None
    low, high, step = found["low"], found["high"], found["step"] or ("0.1" if "." in text.replace("..", "") else "")
    return f"{low}..{high} step {step}" if step else f"{low}..{high}"


def _list_meant(text: str) -> str | None:
    """`1,2,4` for `[1, 2, 4]`, `1 2 4` and `1; 2; 4`."""
    if found := re.fullmatch(r"[\[({](.*)[\])}]", text):
        return re.sub(r"\s*,\s*", ",", found[1].strip())
    return re.sub(r"\s*;\s*|\s+", ",", text) if re.fullmatch(rf"{_SOME}(?:(?:\s+|\s*;\s*){_SOME})+", text) else None


def exact(text: str) -> Fraction:
    """Return a decimal number exactly.

    Raises ValueError beyond the range of doubles, where it could take all memory.
    """
    plain = text.replace("_", "")
    rounded = float(plain)
    mantissa = plain.lower().partition("e")[0]
    if not math.isfinite(rounded) or (rounded == 0.0 and any(digit in mantissa for digit in "123456789")):
        raise ValueError("beyond the range of doubles")
    return Fraction(Decimal(plain))


def parse_value(text: str) -> Value:
    """Return a value as written on a command line: a number or a truth value if it is one, otherwise text."""
    stripped = text.strip()
    if stripped in ("true", "false"):
        return stripped == "true"
    if re.fullmatch(r"[+-]?\d+", stripped):
        return int(stripped) if math.isfinite(float(stripped)) else stripped
    if re.fullmatch(_NUMBER, stripped) and any(character.isdigit() for character in stripped):
        number = float(stripped)
        return number if math.isfinite(number) else stripped
    return stripped


def parse_values(text: str) -> list[Value]:
    """Return the values of one axis: `1,2,4,8`, `1..8`, or both mixed, `1..4, 8, 16`. Raises BadRange."""
    values: list[Value] = []
    if meant := _range_meant(text.strip()) or _list_meant(text.strip()):
        raise BadRange("grid-range", text, meant)
    for part in text.split(","):
        found = parse_range(part)
        values += [parse_value(part)] if found is None else found.values()
    return values


def grid(axes: Mapping[str, Sequence[Value]]) -> list[dict[str, Value]]:
    """Return every combination; the last axis changes fastest."""
    return [dict(zip(axes, chosen, strict=True)) for chosen in itertools.product(*axes.values())]


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of a random value: whole numbers (inclusive), reals, or a list of values."""

    choices: tuple[Value, ...] = ()
    between: Range | None = None
    logarithmic: bool = False

    def at(self, u: float) -> Value:
        """Return the value at share `u`, 0 <= u < 1, of the axis."""
        if self.between is None:
            return self.choices[int(u * len(self.choices))]
        low, high = float(self.between.low), float(self.between.high)
        if self.between.whole and not self.logarithmic and not self.between.unit:
            return int(self.between.low) + int(u * (int(self.between.high) - int(self.between.low) + 1))
        value = low * (high / low) ** u if self.logarithmic else low + (high - low) * u
        rounded = float(f"{value:.12g}")
        return f"{rounded!r} {self.between.unit}" if self.between.unit else rounded


def random_sample(axes: Mapping[str, Axis], count: int, seed: int) -> list[dict[str, Value]]:
    """Independent points; the same seed gives the same points, and a larger sample starts with the same points."""
    stream = np.random.Generator(np.random.PCG64(seed))
    return [{name: axis.at(stream.random()) for name, axis in axes.items()} for _ in range(count)]


def latin_hypercube(axes: Mapping[str, Axis], count: int, seed: int) -> list[dict[str, Value]]:
    """Points such that each axis, divided into `count` parts, has one in each (McKay, Beckman and Conover 1979)."""
    stream = np.random.Generator(np.random.PCG64(seed))
    columns = {}
    for name in axes:
        places = (stream.permutation(count) + stream.random(count)) / count
        columns[name] = np.minimum(places, math.nextafter(1.0, 0.0))
    return [{name: axis.at(float(columns[name][i])) for name, axis in axes.items()} for i in range(count)]


METHODS: Final = {"latin-hypercube": latin_hypercube, "random": random_sample}
"""Ways to draw a sample; the first is the default."""
DEFAULT_METHOD: Final = next(iter(METHODS))


def grid_size(axes: Mapping[str, Sequence[Value]]) -> int:
    return math.prod(map(len, axes.values()))


def without_duplicates(points: Iterable[Values]) -> list[dict[str, Value]]:
    """Return each point once, in order of first appearance."""
    seen: dict[tuple[tuple[str, str, Value], ...], dict[str, Value]] = {}
    for point in points:
        key = tuple((name, type(value).__name__, value) for name, value in sorted(point.items()))
        seen.setdefault(key, dict(point))
    return list(seen.values())
