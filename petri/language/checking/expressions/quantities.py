"""Numbers with units as values of the net."""

from __future__ import annotations

import operator
from collections.abc import Container
from fractions import Fraction

from petri.catalogue.units import TIME, UNITS, in_net_units
from petri.language.checking.state import CheckState, Value
from petri.language.meaning.nodes import constant, operation
from petri.language.meaning.scope import Scope
from petri.language.meaning.traced import apply
from petri.language.meaning.types import quantity
from petri.language.meaning.unit_names import declaration_of, suggested_unit
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.ticks import Given


def quantity_of(checker: CheckState, scope: Scope, e: tree.Number, names: Container[str] = ()) -> Value:
    """`64 B`, `40 cycle`; `names` are the variables, with which `2 x` is mistaken for a product."""
    assert e.unit is not None
    user = scope.find_unit(e.unit)
    if user is not None:
        checker.resolve(user)
        size, kind = needed(user.node), quantity(user.dimension)
        if size.op == "const":
            assert isinstance(size.value, Fraction)
            value = apply(operator.mul, e.value, size.value)
            return Value(kind, (constant(value, "real", e.span, size.power),), e.span)
        factor = constant(Fraction(e.value), "real", e.span)
        return Value(kind, (operation("mul", "real", (factor, size), e.span),), e.span)
    unit = UNITS.get(e.unit)
    if unit is None and e.unit == checker.units.time_unit:
        raise Reported  # as the clock of the net
    if unit is None:
        tokens = e.unit in ("tokens", "token")
        product = e.unit in names or scope.find(e.unit) is not None
        declared = None if product else declaration_of(e.unit)
        suggestion = None if tokens or product or declared else suggested_unit(e.unit, scope.unit_names())
        raise CheckError(
            "unknown-unit",
            e.span,
            unit=e.unit,
            number=e.text,
            suggestion=suggestion,
            declared=declared,
            tokens=e.text if tokens else None,
            factor=f"{e.text} * {e.unit}" if product else None,
            units=None if product else (*scope.unit_names(), *checker.units.examples),
        )
    if checker.units.second is None and unit.dimension.time:
        clock = e.unit if unit.dimension == TIME else "ns"
        raise CheckError("time-unit-without-clock", e.span, text=checker.problems.text(e.span), unit=clock)
    value = in_net_units(e.value * unit.scale, unit.dimension, checker.units.second or Fraction(1))
    power = checker.units.normal(unit.dimension).time
    return Value(quantity(unit.dimension), (constant(value, "real", e.span, power),), e.span)


def as_given(time: float, e: tree.Expr) -> float:
    """Return a time that remembers its unit, if it is written as a number with one."""
    if isinstance(e, tree.Paren):
        return as_given(time, e.inner)
    return Given.of(time, float(e.value), e.unit) if isinstance(e, tree.Number) and e.unit else time
