"""Exact figures as text."""

from __future__ import annotations

import pytest

from petri.exact.solution import Exact
from petri.measure.bounded import Bounded
from petri.report.quantities import Units
from petri.report.solution import exact_text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.25, 0.25, "25%"),
        (0.2499, 0.2502, "25.0%"),
        (-2e-13, 3e-13, "0%"),  # 1 - x of an x that is 1 but for rounding
        (1e-13, 3e-13, "2e-11%"),  # small, and certainly not 0
        (-1e-6, 3e-6, "0.0001%"),  # nothing but the order of magnitude is known
    ],
)
def test_digits_are_shown_as_far_as_they_are_certain(low: float, high: float, text: str) -> None:
    assert exact_text(Exact("place.used", "share", Bounded((low + high) / 2, low, high)), Units()) == text
