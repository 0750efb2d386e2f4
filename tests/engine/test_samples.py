"""Measures of firings, whose values machine code computes: the same as on the reference engine, of the same firings."""

from __future__ import annotations

import pytest

from petri.engine.native import available
from tests.engine.test_loop import compare

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

NET = """
place clock : { n: int, x: real } = {n: 1, x: 0.5}
place spare = 3 * token
transition tick: clock(c) -> clock({n: c.n + 1, x: u})  draw u ~ uniform(0.0..1.0)  takes exp(1.0)
transition lend: spare -> spare  takes 0.7
"""


@pytest.mark.parametrize(
    "measures",
    [
        "measure even = c.x at tick when c.n mod 2 == 0",
        "measure long = end - now at tick when end - now > 1.5 and c.x + u > 0.8\n"
        "measure third = c.n at tick when c.n mod 3 == 0",
        "measure crowded = c.n at tick when tokens(spare) == 1",
        "measure even = c.x at tick when c.n mod 2 == 0\nmeasure whole = c.x at tick",
        "measure never = c.x at tick when c.n < 0\nmeasure rate = rate(tick)",
        "measure inverse = 1 / (c.n - 40) at tick when c.n != 40\nmeasure from_start = now at tick\n"
        "measure lap = time(tick -> lend)\nmeasure root = sqrt(c.x * c.n) at tick",
    ],
)
def test_m4_samples_where_a_condition_holds(measures: str) -> None:
    assert compare(NET + measures, [1, 200, 300], 0, 100) is None


@pytest.mark.parametrize(
    ("measure", "fault"),
    [
        ("c.x at tick when 6 div (90 - c.n) > 0", "division-by-zero"),
        ("c.x at tick when c.n > 80 and 9223372036854775807 + (c.n - 90) > 0", "int-overflow"),
        ("1 / (c.n - 90) at tick", "division-by-zero"),
        ("1 / (c.n - 90) at tick when c.n mod 9 == 0", "division-by-zero"),
    ],
)
def test_x1_a_sample_that_cannot_be_computed(measure: str, fault: str) -> None:
    """The measure before it has counted the same firings on both engines."""
    text = f"{NET}measure even = c.x at tick when c.n mod 2 == 0\nmeasure odd = {measure}"
    found = compare(text, [50, 900], 0, 20)
    assert found is not None
    assert found.id == fault
