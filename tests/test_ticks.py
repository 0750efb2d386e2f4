"""Ticks and the times that they are in a net's unit (rule S1)."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from petri.ticks import HORIZON, NEVER, InTicks, Tick, after, time_power

THIRD = Tick(5, 3)


def test_a_time_is_the_nearest_number_of_ticks() -> None:
    assert [THIRD.ticks(time) for time in (0.0, 5 / 3, 5.0, 5.9, 0.1)] == [0, 1, 3, 4, 0]
    assert THIRD.length == Fraction(5, 3)


def test_one_tick_behind_the_horizon_is_beyond_it() -> None:
    """As floats, both instants below would be the horizon."""
    assert after(HORIZON - 2.0, 2.0) == HORIZON
    assert after(HORIZON - 2.0, 3.0) == NEVER
    assert after(HORIZON - 2.0, 2.5) == HORIZON
    assert after(0.0, HORIZON + 2.0) == NEVER


def test_all_times_beyond_the_horizon_are_one() -> None:
    assert Tick().ticks(2.0**53) == HORIZON
    assert THIRD.ticks(1e300) == THIRD.ticks(math.inf) == NEVER == 2**54


def test_times_are_rounded_once() -> None:
    assert THIRD.time(3) == 5.0
    assert THIRD.time(np.array([0.0, 1.0, 6.0])).tolist() == [0.0, 5 / 3, 10.0]
    assert Tick(1, 10).time(3.0) == 0.3


@pytest.mark.parametrize(
    ("dimension", "power"),
    [
        ("Time", 1),
        ("Rate", -1),
        ("Freq", -1),
        ("Bytes/Time", -1),
        ("Time^2", 2),
        ("Bytes*Time", 1),
        ("Bytes", 0),
        ("", 0),
    ],
)
def test_the_power_of_time_in_a_dimension(dimension: str, power: int) -> None:
    assert time_power(dimension) == power
    assert THIRD.quantity(9.0, dimension) == pytest.approx(9.0 * (5 / 3) ** power)


def test_a_constant_remembers_how_it_was_written() -> None:
    constant = InTicks.of(Fraction(8), 13.3)
    for one in (constant, pickle.loads(pickle.dumps(constant))):
        assert (one, one.written) == (8.0, 13.3)
