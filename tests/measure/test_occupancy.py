"""Time-weighted distributions of the number of tokens."""

from __future__ import annotations

import math

import numpy as np
import pytest

from petri import language
from petri.engine.reference import Engine
from petri.measure.occupancy import Occupancy, OccupancyRecorder, weighted_quantile


def test_quantiles_shares_and_mean() -> None:
    seen = Occupancy(np.array([5.0, 3.0, 0.0, 2.0, 0.0]))
    assert list(seen.shares) == [0.5, 0.3, 0.0, 0.2, 0.0]
    assert [seen.quantile(share) for share in (0.1, 0.5, 0.51, 0.8, 0.81, 1.0)] == [0, 0, 1, 1, 3, 3]
    assert seen.mean == pytest.approx(0.9)
    assert seen.overflow == 0.0


def test_what_lies_in_the_last_entry_has_no_number() -> None:
    seen = Occupancy(np.array([1.0, 0.0, 1.0]))
    assert seen.quantile(0.5) == 0
    assert math.isinf(seen.quantile(0.6))
    assert math.isnan(Occupancy(np.zeros(3)).quantile(0.5))


def test_windows_add_and_subtract() -> None:
    early, late = Occupancy(np.array([1.0, 2.0])), Occupancy(np.array([4.0, 2.5]))
    assert list(late.minus(early).times) == [3.0, 0.5]
    assert list(late.minus(early).plus(early).times) == [4.0, 2.5]


def test_weighted_quantile_is_that_of_a_step_function() -> None:
    assert weighted_quantile([3.0, 1.0, 2.0], [1.0, 5.0, 4.0], 0.5) == 1.0
    assert weighted_quantile([3.0, 1.0, 2.0], [1.0, 5.0, 4.0], 0.9) == 2.0
    assert weighted_quantile([3.0, 1.0, 2.0], [1.0, 5.0, 4.0], 0.91) == 3.0
    assert math.isnan(weighted_quantile([], [], 0.5))


def test_recorder_sees_what_a_net_does() -> None:
    """A token leaves at 0, comes back at 2, leaves at once, and so on: `out` holds 0, 1, 2 … tokens for 2 each."""
    net = language.loads("net t\nplace a = token\nplace out\ntransition go: a -> a, out takes 2\n")
    recorder = OccupancyRecorder([1, 0], levels=4)
    engine = Engine(net, 1, 0, observers=[recorder])
    early, late = net.tick.ticks(9.0), net.tick.ticks(11.0)
    engine.advance(early, 1000)
    _, out = recorder.at(early)
    assert list(net.tick.time(out.times)) == [2.0, 2.0, 2.0, 3.0]
    recorder.restart(early)
    engine.advance(late, 1000)
    assert list(net.tick.time(recorder.at(late)[1].times)) == [0.0, 0.0, 0.0, 2.0]
