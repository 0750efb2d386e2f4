"""Numbers formatted for people: `2.961 Gbps`, `12.35 us`, `1,200,000`.

Values are those of a flat net: times in the net's time unit, rates in bytes per time unit, frequencies in events per
time unit (docs/semantics.md, S1). In a net whose time is a plain number, only bytes have a unit.
"""

from __future__ import annotations

import math
import re

from petri.measure.histogram import quantile_share
from petri.measure.intervals import Interval
from petri.net import Net, Parameter, in_unit, split_unit
from petri.structs import Frozen
from petri.ticks import Given

NOTHING = "–"  # shown for a figure that does not exist, such as the mean of no observations
DOUBTFUL = "?: the interval is wider than the figure, of which not even the size is known; run longer"
DIGITS = 6  # significant digits of a figure that has an interval, at most

_TIME = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps"))
_LONG_TIME = ((3600.0, "h"), (60.0, "min"), *_TIME)
_RATE = ((1e12, "Tbps"), (1e9, "Gbps"), (1e6, "Mbps"), (1e3, "kbps"), (1.0, "bps"))
_FREQUENCY = ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"))
_EVENTS = ((1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s"))
_SLOW_FREQUENCY = (*_FREQUENCY, (1 / 60, "/min"), (1 / 3600, "/h"))
_SLOW_EVENTS = (*_EVENTS, (1 / 60, "/min"), (1 / 3600, "/h"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B"))
_COUNT = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_PLAIN_RATE = ((1.0, "B per time unit"),)
_STANDARD = ("", *(unit for _, unit in _LONG_TIME), "fs")
_ALL = (_LONG_TIME, _RATE, _SLOW_FREQUENCY, _SLOW_EVENTS, _BYTES, _COUNT, _PLAIN_RATE)
UNITS = tuple(dict.fromkeys([name for kind in _ALL for _, name in kind if name] + ["%"]))
"""Every unit that a figure is shown in."""


class Scale(Frozen):
    """The display of a value: `value * factor` and then the unit ("" for a plain number)."""

    factor: float = 1.0
    unit: str = ""


class Units(Frozen):
    """The units of a net's numbers. `seconds` is the length of its time unit, None if time is a plain number.

    clock: the name of the time unit if the net has declared it: times are shown in `cycle` if the net counts cycles.
    """

    seconds: float | None = None
    clock: str = ""

    @staticmethod
    def of(net: Net) -> Units:
        return Units.named(net.seconds, net.time_unit)

    @staticmethod
    def named(seconds: float | None, time_unit: str) -> Units:
        """Make the units of a net by the name of its time unit, "" if it has none."""
        return Units(seconds, "" if time_unit in _STANDARD else time_unit)

    def scale(self, value: float, dimension: str) -> Scale:
        """Return the unit that suits a value of a dimension: Time, Bytes, Rate, Freq, events (per time), share, or "".

        For a measure whose net says in which unit to show it, that unit (`petri.net.in_unit`).
        """
        if dimension == "share":
            return Scale(100.0, "%")
        _, unit, size = split_unit(dimension)
        if unit:
            return Scale(1.0 / size, unit)
        factor, known = self.units_of(dimension)
        if not value and self.slow:
            value = 1.0  # the unit of 0 is that of the net: `0 /h` beside `0.09 /h`
        return _suited(value, factor, known) if known else Scale()

    @property
    def slow(self) -> bool:
        """The net counts minutes or hours, and is shown in them."""
        return self.seconds is not None and self.seconds >= 60.0

    def units_of(self, dimension: str) -> tuple[float, tuple[tuple[float, str], ...]]:
        """Return the factor to the basic unit, and (size, name) of the units to choose from, the largest first."""
        if dimension == "Bytes":
            return 1.0, _BYTES
        if dimension == "Time" and self.clock:
            return 1.0, ((1.0, self.clock),)
        if self.seconds is None:
            return 1.0, _PLAIN_RATE if dimension == "Rate" else ()
        found = {
            "Time": (self.seconds, _LONG_TIME if self.slow else _TIME),
            "Rate": (8.0 / self.seconds, _RATE),
            "Freq": (1.0 / self.seconds, _SLOW_FREQUENCY if self.slow else _FREQUENCY),
            "events": (1.0 / self.seconds, _SLOW_EVENTS if self.slow else _EVENTS),
        }
        return found.get(dimension, (1.0, ()))

    def show(self, value: float | None, dimension: str = "", digits: int = 4) -> str:
        """Return the value with its unit, to `digits` significant digits."""
        if value is None or math.isnan(value):
            return NOTHING
        if math.isinf(value):
            return number(value)
        if isinstance(value, Given):
            return joined(compact(value.number, 12), value.unit)
        scale = self.scale(value, dimension)
        return joined(number(value * scale.factor, digits), scale.unit)

    def show_with_error(
        self, value: float | None, half_width: float | None, dimension: str = "", *, difference: bool = False
    ) -> str:
        """`2.961 ± 0.004 Gbps`: both in one unit, to two digits of the interval and no more than six of the value.

        `189.905 ± <0.001 ms` where the interval is narrower than these digits; `14? ± 34 ms` where it is wider than
        the value, so that not even its size is known (but not of a `difference`, which may well be 0). Without an
        interval, or where it has no width, the value alone.
        """
        if value is None or math.isnan(value) or half_width is None or not math.isfinite(half_width):
            return self.show(value, dimension)
        scale = self.scale(max(abs(value), half_width), dimension)
        value, half_width = value * scale.factor, half_width * scale.factor
        if half_width <= abs(value) * 1e-9:  # it does not vary
            return joined(number(value), scale.unit)
        doubt = "?" if half_width > abs(value) and not difference else ""
        greatest = max(abs(value), half_width)
        if 1e-4 <= greatest < 1e15:
            return joined(_with_error(value, half_width, doubt), scale.unit)
        exponent = math.floor(math.log10(greatest))
        text = _with_error(value / 10.0**exponent, half_width / 10.0**exponent, doubt)
        return joined(f"({text})e{exponent}", scale.unit)

    def show_interval(self, interval: Interval, dimension: str = "") -> str:
        """Return the same, with `±?` where the run was too short for an interval; `below 3.7e-06` where no trial has
        hit.

        Of a quantile, `1.2 ms (0.9..2.1 ms)`.
        """
        if interval.ends is not None and interval.statistic == "mean" and interval.mean in interval.ends:
            return self.show_one_sided(interval, dimension)
        if interval.ends is not None and quantile_share(interval.statistic) is not None:
            return f"{self.show(interval.mean, dimension)} ({self.show_range(interval.low, interval.high, dimension)})"
        if not interval.unknown or math.isnan(interval.mean):
            return self.show_with_error(interval.mean, interval.half_width, dimension)
        scale = self.scale(interval.mean, dimension)
        return joined(f"{number(interval.mean * scale.factor)} ±?", scale.unit)

    def show_one_sided(self, interval: Interval, dimension: str = "") -> str:
        """`below 3.7e-06`, `above 99.2%`; `5 (5..6.4)` of another value at one end of its interval."""
        if interval.mean == 0.0 and interval.low == 0.0:
            return f"below {self.show(interval.high, dimension, 2)}"
        if interval.mean == 1.0 and interval.high == 1.0:
            scale = self.scale(1.0, dimension)
            decimals = _decimals(interval.half_width * scale.factor)
            return f"above {joined(f'{interval.low * scale.factor:.{decimals}f}', scale.unit)}"
        return f"{self.show(interval.mean, dimension)} ({self.show_range(interval.low, interval.high, dimension)})"

    def show_without_error(self, value: float, half_width: float, dimension: str = "") -> str:
        """Return the value of `show_with_error` where there is no room for its interval: `2.961 Gbps`, `14? ms`."""
        if not half_width > abs(value) or not math.isfinite(half_width):
            return self.show(value, dimension)
        scale = self.scale(half_width, dimension)
        return joined(f"{number(value * scale.factor, 2)}?", scale.unit)

    def show_range(self, low: float, high: float, dimension: str = "") -> str:
        """`0.12..350 ns`, `100..400 k` of a "count": the least and the greatest of several values, in one unit.

        One of them if they are equal.
        """
        greatest = max(abs(low), abs(high))
        scale = _suited(greatest, 1.0, _COUNT) if dimension == "count" else self.scale(greatest, dimension)
        for digits in range(3, 13):
            ends = [number(value * scale.factor, digits) for value in (low, high)]
            if ends[0] != ends[1]:
                return joined("..".join(ends), scale.unit)
        return joined(number(high * scale.factor), scale.unit)


def _with_error(value: float, half_width: float, doubt: str) -> str:
    decimals = _decimals(half_width)
    if value:
        decimals = min(decimals, max(DIGITS - 1 - math.floor(math.log10(max(abs(value), half_width))), 0))
    error = f"{half_width:,.{decimals}f}"
    if not float(error.replace(",", "")):
        error = f"<{10.0**-decimals:.{decimals}f}"
    return f"{value:,.{decimals}f}{doubt} ± {error}"


def _decimals(error: float) -> int:
    """Return how many show two digits of an error."""
    return max(1 - math.floor(math.log10(error)), 0)


def number(value: float, digits: int = 4) -> str:
    """Return a plain number: integers in full with thousands separators, others to `digits` significant digits."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    value = float(f"{value:.12g}")  # a change of unit leaves rounding errors in the last digits
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    magnitude = abs(value)
    if magnitude >= 1e15 or magnitude < 1e-4:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{int(exponent)}"
    decimals = max(digits - 1 - math.floor(math.log10(magnitude)), 0)
    return f"{value:,.{decimals}f}"


def counted(count: int, what: str) -> str:
    """`1 token`, `2,000 tokens`."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def compact(value: float, digits: int = DIGITS) -> str:
    """Return a plain number to `digits` significant digits, without zeros at its end: `0.01`."""
    text = number(value, digits)
    mantissa, e, exponent = text.partition("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + e + exponent


def exact(value: float | int, factor: float = 1.0) -> str:
    """Return a number as written by a person: the shortest text that means the same to 12 digits."""
    scaled = value * factor
    if isinstance(value, int) and factor == 1.0:
        return f"{value}"
    text = f"{scaled:.12g}"
    return text if "e" not in text else text.replace("e+", "e").replace("e-0", "e-").replace("e0", "e")


def exact_quantity(units: Units, value: float | int, dimension: str) -> str:
    """Return a parameter or a constant with all its digits, in the unit that gives the shortest text:

    `2.5 Gbps`, `1518 B`.
    """
    if dimension in ("", "share"):
        return exact(value)
    plain, unit, size = split_unit(dimension)
    if unit:
        return joined(exact(float(value), 1.0 / size), unit)
    factor, known = units.units_of(plain)
    fitting = [entry for entry in known if abs(value) * factor >= entry[0] * (1 - 1e-9)]
    texts = [joined(exact(float(value), factor / size), unit) for size, unit in fitting]
    if not known:
        return exact(value)
    return min(texts, key=len) if texts else units.show(value, dimension, 12)


def parameter_text(units: Units, parameter: Parameter | None, value: object) -> str:
    """Return a value of a parameter: `true`, `imix`, `2.5 Gbps`; `1066 MBps` if its default is in bytes per second."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int | float):
        return str(value)
    if parameter is None or value == 0:
        return exact(value)
    unit = _BYTE_RATE.search(parameter.text) if parameter.dimension == "Rate" and units.seconds else None
    if unit is None:
        return exact_quantity(units, value, parameter.dimension)
    size = 1000.0 ** " kMGT".index(unit[1] or " ") * (units.seconds or 1.0)
    return exact_quantity(units, value, in_unit("Rate", unit[0], size))


_BYTE_RATE = re.compile(r"\b([kMGT]?)Bps$")


def _suited(value: float, factor: float, units: tuple[tuple[float, str], ...]) -> Scale:
    """Return the largest unit in which the value is at least 1; for 0 the smallest integral one."""
    magnitude = abs(value) * factor
    if magnitude == 0.0 or not math.isfinite(magnitude):
        size, unit = next(entry for entry in units if entry[0] == 1.0)
    else:
        # A tolerance, so that 999.9999999 ns, a rounding error below 1 us, is shown as 1 us.
        size, unit = next((entry for entry in units if magnitude >= entry[0] * (1 - 1e-9)), units[-1])
    return Scale(factor / size, unit)


def joined(text: str, unit: str) -> str:
    """Return a number and its unit."""
    if unit == "%":
        return f"{text}%" if "±" not in text else f"{text} %"
    return f"{text} {unit}" if unit else text
