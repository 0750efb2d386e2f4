"""Both engines give each operation the same value or error, and draw the same from every distribution, at the borders
of their domains.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from petri.catalogue.operations import OPERATIONS
from petri.engine.native import available
from petri.net import Expr, Scalar, Table
from tests.engine.drawing import LEAST, both, constant, drawing, of_constants
from tests.engine.parameters import INSIDE, OUTSIDE

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

LOWEST, HIGHEST = -(2**63), 2**63 - 1
GREAT = 2.0**63 - 1024.0  # the greatest real that is an int
INTS: dict[str, list[tuple[int, ...]]] = {
    "neg": [(5,), (-HIGHEST,), (LOWEST,)],
    "abs": [(-3,), (3,), (-HIGHEST,), (LOWEST,)],
    "add": [(2, 3), (HIGHEST, 0), (HIGHEST, 1), (LOWEST, 0), (LOWEST, -1)],
    "sub": [(2, 3), (LOWEST, 0), (LOWEST, 1), (-1, LOWEST), (0, LOWEST)],
    "mul": [(2, 3), (2**62, 2), (-(2**62), 2), (LOWEST, -1)],
    "idiv": [(7, 2), (-7, 2), (7, -2), (-7, -2), (7, 0), (LOWEST, -1), (LOWEST, 1)],
    "mod": [(7, 3), (-7, 3), (7, -3), (-7, -3), (7, 0), (LOWEST, -1)],
    "within": [(0, 3), (1, 3), (2, 3), (3, 3), (-1, 3)],
    "min": [(2, 3), (3, 2)],
    "max": [(2, 3), (3, 2)],
}
REALS: dict[str, list[tuple[float, ...]]] = {
    "neg": [(0.0,), (2.5,)],
    "abs": [(-2.5,), (2.5,)],
    "add": [(0.5, 0.25), (1e308, 1e308), (-1e308, -1e308)],
    "sub": [(0.5, 0.25), (-1e308, 1e308)],
    "mul": [(0.5, 0.25), (0.0, -1.0), (1e200, 1e200)],
    "div": [(1.0, 4.0), (1.0, 0.0), (0.0, 0.0), (1.0, LEAST), (0.0, -4.0)],
    "min": [(2.5, 3.5), (3.5, 2.5)],
    "max": [(2.5, 3.5), (3.5, 2.5)],
    "sqrt": [(0.0,), (2.25,), (LEAST,), (-LEAST,)],
    "ln": [(1.0,), (LEAST,), (0.0,), (-1.0,)],
    "pow": [(2.0, 0.5), (0.0, 0.0), (0.0, 2.0), (0.0, -LEAST), (-LEAST, 2.0), (-1.0, 2.0), (1e200, 2.0), (0.5, -2.0)],
}
ROUNDED = (2.5, 3.5, -2.5, 2.25, 2.75, -0.5, GREAT, 2.0**63, -(2.0**63), -(2.0**63) - 2048.0)
COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")


def assert_same(expression: Expr, draws: int = 1, firings: int = 1, tables: tuple[Table, ...] = ()) -> None:
    reference, native = both(drawing(expression, draws, tables), firings)
    values = [[tuple(firing.variables) for firing in session.trace()] for session in (reference, native)]
    assert values[0] == values[1], expression
    assert reference.error == native.error, expression
    assert (reference.error is None) == (len(values[0]) == firings), expression


@pytest.mark.parametrize("operation", INTS)
def test_of_ints(operation: str) -> None:
    for values in INTS[operation]:
        assert_same(of_constants(operation, "int", *values))


@pytest.mark.parametrize("operation", REALS)
def test_of_reals(operation: str) -> None:
    for values in REALS[operation]:
        assert_same(of_constants(operation, "real", *values))


@pytest.mark.parametrize("operation", ["floor", "ceil", "round"])
def test_rounding(operation: str) -> None:
    for value in ROUNDED:
        assert_same(of_constants(operation, "int", value))


@pytest.mark.parametrize("operation", COMPARED)
def test_comparisons(operation: str) -> None:
    for one, other in ((1, 2), (2, 2), (3, 2), (0.5, 0.75), (0.75, 0.75), (1.0, 0.75)):
        condition = of_constants(operation, "bool", one, other)
        assert_same(Expr("if", "int", (condition, constant(1), constant(2))))


@pytest.mark.parametrize("operation", ["and", "or"])
def test_the_second_operand_is_evaluated_if_it_counts(operation: str) -> None:
    fails = Expr("eq", "bool", (of_constants("idiv", "int", 1, 0), constant(1)))
    for first, second in product((True, False), (constant(True), constant(False), fails)):
        condition = Expr(operation, "bool", (constant(first), second))
        assert_same(Expr("if", "int", (condition, constant(1), constant(2))))


def test_conversions() -> None:
    assert_same(of_constants("real", "real", 3))
    for value in (1.5, 1000.0):
        assert_same(Expr("ticks", "real", (constant(2.5),), value))
        assert_same(Expr("units", "real", (constant(2.5),), value))
    assert_same(Expr("ticks", "real", (constant(1e300),), 1e300))


@pytest.mark.parametrize(
    "weights",
    [(1.0,), (LEAST,), (0.0,), (-1.0,), (0.0, 1.0), (0.5, 0.25), (0.0, 0.0), (1.0, -LEAST), (0.25, 0.5, 0.0, 0.125)],
    ids=str,
)
def test_choices(weights: tuple[float, ...]) -> None:
    """Weights may be 0, but not all of them."""
    pairs: list[Scalar] = [part for number, weight in enumerate(weights) for part in (number + 0.5, weight)]
    fails = sum(weights) <= 0.0 or min(weights) < 0.0
    assert_same(of_constants("choice", "real", *pairs), *((1, 1) if fails else (10, 20)))


def test_tables() -> None:
    tables = (Table("one", (2.5,), (3.0,)), Table("many", (1.0, 2.5, 4.0, 8.0), (0.5, 2.0, 0.0, 1.0)))
    for number, operation in product(range(2), ("table", "empirical")):
        assert_same(Expr(operation, "real", (), number), 10, 20, tables)


def drawn(distribution: str, parameters: Sequence[Scalar]) -> Expr:
    return of_constants(distribution, OPERATIONS[distribution].kind or "real", *parameters)


def test_there_are_parameters_of_every_distribution() -> None:
    """Those that have numbers as parameters; `of_tables` and choices are tested elsewhere."""
    drawing = {name for name, one in OPERATIONS.items() if one.draws} - {"choice", "table", "empirical"}
    assert INSIDE.keys() == OUTSIDE.keys() == drawing


@pytest.mark.parametrize("many", [8, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("distribution", INSIDE)
def test_values_are_the_same(distribution: str, many: int) -> None:
    for parameters in INSIDE[distribution]:
        draws, firings = (1, 3) if parameters[0] == 10_000 else (many, 15)
        sessions = both(drawing(drawn(distribution, parameters), draws), firings)
        reference, native = ([tuple(firing.variables) for firing in session.trace()] for session in sessions)
        assert len(reference) == firings, parameters
        assert reference == native, parameters


@pytest.mark.parametrize("distribution", OUTSIDE)
def test_parameters_outside_the_domain_are_errors(distribution: str) -> None:
    for parameters in OUTSIDE[distribution]:
        for session in both(drawing(drawn(distribution, parameters)), 1):
            assert session.error is not None, parameters
            assert (session.error.id, session.firings) == ("bad-parameter", 0), parameters
