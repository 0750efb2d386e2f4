"""The net's clock, and numbers with units as values of the net."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from petri.language.meaning.nodes import constant, evaluate, operation
from petri.language.meaning.scope import Scope, UnitSymbol
from petri.language.meaning.types import BUILTIN, DIMENSIONS, REAL, Scalar, Type, Unknown, plainly, quantity
from petri.language.meaning.units import PLAIN, TIME, UNITS, Dimension, in_net_units, suggested_unit
from petri.language.problems import Fault
from petri.language.syntax import tree

if TYPE_CHECKING:
    from petri.language.checking.checker import Checker
    from petri.language.checking.expressions import Reader, Value


class NetUnits:
    """The quantities of this net. Without a `time` line (`second` is None) time is a plain number."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.time_unit = ""
        self.second: Fraction | None = None

    def set_clock(self, unit: str, second: Fraction) -> None:
        """One time unit of the net lasts `second` seconds."""
        self.time_unit, self.second = unit, second

    @property
    def time_type(self) -> Scalar:
        return REAL if self.second is None else DIMENSIONS["Time"]

    def normal(self, dimension: Dimension) -> Dimension:
        """The dimension in this net: if time is a plain number, its exponent is 0."""
        return dimension if self.second is not None else Dimension(0, dimension.bytes)

    def builtin(self, name: str) -> Type | None:
        """A type of the language by its name."""
        kind = BUILTIN.get(name)
        if self.second is None and isinstance(kind, Scalar) and kind.dimension != PLAIN:
            return quantity(self.normal(kind.dimension))
        return kind

    def is_unit(self, name: str, scope: Scope) -> bool:
        return name in UNITS or scope.find_unit(name) is not None

    def quantity(self, e: tree.Number, reader: Reader) -> Value:
        """`64 B`, `40 cycle`."""
        from petri.language.checking.expressions import Value

        assert e.unit is not None
        user = reader.scope.find_unit(e.unit)
        if user is not None:
            self.resolve(user, reader.scope)
            if user.node is None:
                return reader.unknown(e.span)
            kind = quantity(user.dimension)
            if user.node.op == "const":
                assert isinstance(user.node.value, Fraction)
                return Value(kind, (constant(e.value * user.node.value, "real", e.span),), e.span)
            factor = constant(Fraction(e.value), "real", e.span)
            return Value(kind, (operation("mul", "real", (factor, user.node), e.span),), e.span)
        unit = UNITS.get(e.unit)
        if unit is None:
            tokens = e.unit in ("tokens", "token")
            suggestion = None if tokens else suggested_unit(e.unit, reader.scope.unit_names())
            reader.problems.error(
                "unknown-unit",
                e.span,
                unit=e.unit,
                number=e.text,
                suggestion=suggestion,
                tokens=e.text if tokens else None,
            )
            return reader.unknown(e.span)
        if self.second is None and unit.dimension.time:
            clock = e.unit if unit.dimension == TIME else "ns"
            reader.problems.error("time-unit-without-clock", e.span, text=reader.problems.text(e.span), unit=clock)
            return reader.unknown(e.span)
        value = in_net_units(e.value * unit.scale, unit.dimension, self.second or Fraction(1))
        return Value(quantity(unit.dimension), (constant(value, "real", e.span),), e.span)

    def resolve(self, unit: UnitSymbol, scope: Scope) -> None:
        """Compute the value of a user's unit; if it has none, the error is reported and `node` stays None."""
        from petri.language.checking.expressions import Reader, local

        if unit.state != "waiting":
            if unit.state == "busy":
                self.checker.problems.error("circular-definition", unit.span, name=unit.name)
            return
        unit.state = "busy"
        owner = self.checker.owner_of_unit(unit, scope)
        reader = Reader(self.checker, owner, "the value of a unit")
        value = reader.read(unit.declaration.value)
        unit.state = "done"
        if isinstance(value.type, Unknown):
            return
        if not isinstance(value.type, Scalar) or value.type.kind not in ("int", "real"):
            text = self.checker.problems.text(value.span)
            self.checker.problems.error(
                "not-a-number", value.span, text=text, kind=plainly(value.type), operator="unit"
            )
            return
        nodes = reader.fit(value, value.type if value.type.kind == "real" else REAL)
        if nodes is None:
            return
        unit.dimension = value.type.dimension
        if owner.outer is None:
            try:
                unit.node = constant(evaluate(nodes[0], ()), "real", unit.span)
            except Fault as fault:
                self.checker.problems.fault(fault)
        else:
            number = self.checker.keep_constant(owner, nodes[0])
            unit.node = local(number, value.type if value.type.kind == "real" else REAL, unit.span)
