"""Rare cases on both engines: many firings that end in one tick, and measures of firings."""

from __future__ import annotations

import math

import pytest

import petri
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.run.session import begin
from tests.engine.test_loop import compare

IN_PROGRESS = 140_000  # more than 2^17, from which machine code expects ties
FIRINGS = 450_000
LIMITS = Limits(firings_at_an_instant=1 << 40, tokens=1 << 32)

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")


@pytest.mark.slow
@pytest.mark.parametrize("times", ["takes exp(1.0)", "draw later ~ uniform(0..9)  takes 1.0 + later"])
def test_machine_code_ends_firings_of_one_tick_in_order(monkeypatch: pytest.MonkeyPatch, times: str) -> None:
    net = petri.loads(f"net crowded\nplace job = {IN_PROGRESS} * token\ntransition work: job -> job  {times}\n").net
    hashes = []
    for patience in (1 << 60, 2 * IN_PROGRESS):
        monkeypatch.setattr("petri.engine.native.PATIENCE", patience)
        session = begin(net, "native", 1, 0, limits=LIMITS)
        session.advance(math.inf, FIRINGS)
        hashes.append((session.hash, session.now, session.firings))
    assert hashes[0] == hashes[1]


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
