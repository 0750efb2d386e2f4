"""The net's clock, and what quantities are with it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from petri.catalogue.units import PLAIN, UNITS, Dimension
from petri.language.meaning.scope import Scope
from petri.language.meaning.types import BUILTIN, DIMENSIONS, REAL, Scalar, Type, quantity

SOME_UNITS = ("h", "min", "s", "ms", "us", "ns", "ps", "B", "KiB", "b", "Mb", "Gbps", "MHz")


class NetUnits:
    """The quantities of this net. Without a `time` line (`second` is None) time is a plain number."""

    def __init__(self) -> None:
        self.time_unit = ""
        self.second: Fraction | None = None
        self.resolution: Fraction | None = None  # the tick that the net asks for, in its time unit
        self.examples: Sequence[str] = SOME_UNITS  # what a message lists besides those that the net declares

    def set_clock(self, unit: str, second: Fraction) -> None:
        """Set how long one time unit of the net lasts: `second` seconds."""
        self.time_unit, self.second = unit, second

    @property
    def time_type(self) -> Scalar:
        return REAL if self.second is None else DIMENSIONS["Time"]

    def normal(self, dimension: Dimension) -> Dimension:
        """Return the dimension in this net: if time is a plain number, its exponent is 0."""
        return dimension if self.second is not None else Dimension(0, dimension.bytes)

    def builtin(self, name: str) -> Type | None:
        """Return a type of the language by its name."""
        kind = BUILTIN.get(name)
        if self.second is None and isinstance(kind, Scalar) and kind.dimension != PLAIN:
            return quantity(self.normal(kind.dimension))
        return kind

    def is_unit(self, name: str, scope: Scope) -> bool:
        return name in UNITS or scope.find_unit(name) is not None
