"""Both engines draw the same from every distribution: by each of its algorithms, and at the borders of its domain."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from petri.catalogue.operations import OPERATIONS
from petri.engine.native import available
from petri.net import Expr, Scalar
from tests.engine.drawing import both, drawing, of_constants
from tests.engine.parameters import INSIDE, OUTSIDE

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")


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
