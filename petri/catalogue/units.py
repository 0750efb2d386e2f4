"""Dimensions and units: the value of `2.5 Gbps` in a net whose clock counts nanoseconds.

A dimension is a pair of exponents, of time and of bytes. Quantities are converted exactly, as fractions; they are
rounded once, when they enter the flat net.
"""

from __future__ import annotations

from fractions import Fraction

from petri.structs import Frozen, Part


class Dimension(Part):
    """Exponents of time and bytes: Rate is (-1, 1)."""

    time: int = 0
    bytes: int = 0

    def __mul__(self, other: object) -> Dimension:
        assert isinstance(other, Dimension)
        return Dimension(self.time + other.time, self.bytes + other.bytes)

    def __truediv__(self, other: Dimension) -> Dimension:
        return Dimension(self.time - other.time, self.bytes - other.bytes)

    def root(self) -> Dimension | None:
        """Return the dimension of the square root, or None if an exponent is odd."""
        if self.time % 2 or self.bytes % 2:
            return None
        return Dimension(self.time // 2, self.bytes // 2)


PLAIN = Dimension()
TIME = Dimension(1, 0)
BYTES = Dimension(0, 1)
RATE = Dimension(-1, 1)
FREQ = Dimension(-1, 0)

NAMED = {"Time": TIME, "Bytes": BYTES, "Rate": RATE, "Freq": FREQ}
_NAMES = {dimension: name for name, dimension in NAMED.items()}


def dimension_name(dimension: Dimension) -> str:
    """`Time`, `Bytes`, `Rate`, `Freq`, "" for a plain number, else a product such as `Bytes^2/Time`."""
    if dimension == PLAIN:
        return ""
    if dimension in _NAMES:
        return _NAMES[dimension]
    above = [_power(name, n) for name, n in (("Bytes", dimension.bytes), ("Time", dimension.time)) if n > 0]
    below = [_power(name, -n) for name, n in (("Bytes", dimension.bytes), ("Time", dimension.time)) if n < 0]
    return "/".join(["*".join(above) or "1", *below])


def _power(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


class Unit(Frozen):
    """`scale` is what one of it is in seconds and bytes."""

    scale: Fraction
    dimension: Dimension


def _standard_units() -> dict[str, Unit]:
    units = {"h": Unit(Fraction(3600), TIME), "min": Unit(Fraction(60), TIME)}
    units |= {
        name: Unit(Fraction(1, 1000**power), TIME) for power, name in enumerate(("s", "ms", "us", "ns", "ps", "fs"))
    }
    byte, bit = Fraction(1), Fraction(1, 8)
    decimal = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
    for prefix, power in decimal.items():
        if prefix != "K":
            units[f"{prefix}b"] = Unit(bit * 1000**power, BYTES)
            units[f"{prefix}bps"] = Unit(bit * 1000**power, RATE)
            units[f"{prefix}Hz"] = Unit(Fraction(1000**power), FREQ)
        units[f"{prefix}B"] = Unit(byte * 1000**power, BYTES)
        units[f"{prefix}Bps"] = Unit(byte * 1000**power, RATE)
    for prefix, power in {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4}.items():
        units[f"{prefix}B"] = Unit(byte * 1024**power, BYTES)
        units[f"{prefix}b"] = Unit(bit * 1024**power, BYTES)
    return units


UNITS = _standard_units()
EXAMPLE_UNITS = {BYTES: "B", RATE: "Gbps", FREQ: "MHz"}  # suggested for a number without a unit
TIMES = tuple(name for name, unit in UNITS.items() if unit.dimension == TIME)


def in_net_units(value: Fraction, dimension: Dimension, second: Fraction) -> Fraction:
    """Return a quantity in seconds and bytes, in the net's own time unit of which one lasts `second` seconds."""
    return value / second**dimension.time
