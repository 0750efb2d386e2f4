"""The values among which a search looks: from one end of a range to the other, in steps of the resolution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from petri.catalogue.units import UNITS
from petri.experiment.design.preparation import quantity
from petri.experiment.design.sampling import BadRange, Range, Value, parse_range
from petri.experiment.errors import problem

DEFAULT_RESOLUTION: Final = "1%"  # of the greater end
FINEST: Final = 2**30  # steps


@dataclass(frozen=True)
class Ladder:
    """From `range.low` to `range.high` in steps of `step`, or down from `high` if `down`; value 0 is the first.

    The last step may be shorter. `listed`: the values, where the range itself says which.
    """

    range: Range
    step: Fraction
    down: bool = False
    listed: Sequence[Value] = ()

    @property
    def steps(self) -> int:
        if self.listed:
            return len(self.listed) - 1
        return math.ceil((self.range.high - self.range.low) / self.step)

    def value(self, number: int) -> Value:
        if self.listed:
            return self.listed[number]
        if self.down:
            return self.range.written(max(self.range.high - number * self.step, self.range.low))
        return self.range.written(min(self.range.low + number * self.step, self.range.high))

    @property
    def most_tried(self) -> int:
        """How many values a bisection tries at most: both ends, and one for each halving."""
        return 2 + math.ceil(math.log2(self.steps))


def make_ladder(between: Any, resolution: Any, *, whole: bool) -> Ladder:
    """between: `0.5..1`, `1..5 Gbps`, `1000..1 step 1`, or a pair of numbers; the condition holds at its first end.

    resolution: a share of the greater end ("1%"), or a length in the range's unit. whole: the parameter takes only
    whole numbers. Raises ExperimentError.
    """
    written, down = _range(between)
    if written.low == written.high:
        raise problem("search-one-value", text=str(between))
    if written.how:
        return _listed(written, down, resolution)
    step = _step(written, resolution)
    if whole:
        if not written.whole:
            raise problem("search-whole", text=str(between))
        step = max(Fraction(math.floor(step)), Fraction(1))
    written = replace(written, whole=whole)
    ladder = Ladder(written, step, down)
    if ladder.steps > FINEST:
        raise problem("search-too-fine", text=str(resolution))
    return ladder


def _range(between: Any) -> tuple[Range, bool]:
    """Return the range with its smaller end first, and whether it was written the other way round."""
    if not isinstance(between, str):
        try:
            first, last = between
            between = f"{first}..{last}"
        except (TypeError, ValueError) as error:
            raise problem("search-range", text=str(between)) from error
    try:
        written = parse_range(between)
    except BadRange as bad:
        raise problem(bad.reason, text=bad.text.strip(), meant=bad.meant) from bad
    if written is None:
        raise problem("search-range", text=between)
    if written.low <= written.high:
        return written, False
    return replace(written, low=written.high, high=written.low), True


def _listed(written: Range, down: bool, resolution: Any) -> Ladder:
    if resolution is not None:
        raise problem("search-two-resolutions", text=str(written))
    try:
        values = written.values()
    except BadRange as bad:
        raise problem(bad.reason, text=str(written)) from bad
    if len(values) < 2:
        raise problem("search-one-value", text=str(written))
    return Ladder(written, written.by, down, values[::-1] if down else values)


def _step(written: Range, resolution: Any) -> Fraction:
    """Return the resolution in the unit of the range."""
    text = DEFAULT_RESOLUTION if resolution is None else str(resolution)
    parts = quantity(text)
    if parts is None or parts[0] <= 0:
        raise problem("search-resolution", text=text)
    number, unit = parts
    if unit == "%":
        return number / 100 * max(abs(written.low), abs(written.high))
    if unit is None or unit == written.unit:
        return number
    own, of_range = UNITS.get(unit), UNITS.get(written.unit)
    if own is None or of_range is None or own.dimension != of_range.dimension:
        raise problem("search-resolution-unit", text=text, unit=written.unit or "no unit")
    return number * Fraction(own.scale) / Fraction(of_range.scale)
