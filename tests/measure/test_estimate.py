"""Figures with their intervals: from replications, and from the batches of one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import petri
from petri.measure.arrays import Floats
from petri.measure.catalogue import PLACES, TRANSITIONS
from petri.measure.estimate import _moved, estimate, estimate_quantile, extreme_of, left_out
from petri.measure.histogram import Histogram
from petri.measure.intervals import student_interval
from petri.measure.observation import Observation, probe_quantile, quotients, share_below
from petri.measure.single_run import batch_interval
from tests.measure.test_formula import observed


def firings(seen: Observation) -> Floats:
    return np.array([seen.elapsed, -seen.elapsed, 1.0])


def snapshots(count: int, values_each: int) -> list[Observation]:
    """Cumulative, of independent values."""
    stream = np.random.default_rng(4)
    sample, found = Histogram(), []
    for number in range(1, count + 1):
        for value in stream.exponential(size=values_each):
            sample.add(float(value))
        elapsed = number + float(stream.random())
        found.append(observed(elapsed=elapsed, probes=(sample.snapshot(),)))
    return found


def test_replications_give_students_interval() -> None:
    windows = [observed(elapsed=elapsed) for elapsed in (2.0, 3.0, 7.0)]
    found = estimate(firings, windows, level=0.9)
    plain = student_interval([2.0, 3.0, 7.0], 0.9)
    assert found.value.tolist() == [4.0, -4.0, 1.0]
    assert found.half_width == pytest.approx([plain.half_width, plain.half_width, 0.0])
    assert (found.n, found.level, found.interval(1).mean, found.interval(2).half_width) == (3, 0.9, -4.0, 0.0)
    assert math.isnan(found.interval().longer)
    assert found.interval().statistic == "mean"


def test_a_mean_is_a_double_where_the_sum_is_not() -> None:
    windows = [observed(elapsed=1.5e308), observed(elapsed=1.0e308)]
    assert estimate(firings, windows).value[0] == pytest.approx(1.25e308)


def test_extremes_have_no_interval() -> None:
    windows = [observed(elapsed=elapsed) for elapsed in (3.0, math.nan, 7.0)]
    samples = np.array([firings(window) for window in windows])
    found = extreme_of(samples, "greatest")
    assert found.value.tolist() == [7.0, -3.0, 1.0]
    assert extreme_of(samples, "least").value.tolist() == [3.0, -7.0, 1.0]
    assert np.isnan(found.half_width).all()
    assert (found.n, found.level, found.interval().statistic) == (3, 0.95, "greatest")


def test_the_window_without_each_batch() -> None:
    batches = [observed(elapsed=elapsed, probes=()) for elapsed in (2.0, 5.0, 10.0)]
    rest = left_out(batches[-1], batches)
    assert [one.elapsed for one in rest] == [8.0, 7.0, 5.0]
    assert left_out(batches[-1], []) == []


def test_one_replication_has_the_interval_of_its_batches() -> None:
    batches = snapshots(160, 1)
    rest = left_out(batches[-1], batches)
    found = estimate(firings, [batches[-1]], rest, 0.9)
    whole = batches[-1].elapsed
    pseudo = np.array([[160 * whole - 159 * one.elapsed] for one in rest])
    expected = batch_interval(pseudo, 0.9)
    assert found.value[0] == whole
    assert found.half_width[:2] == pytest.approx(np.repeat(np.maximum(expected.below, expected.above), 2), rel=1e-6)
    assert (found.n, found.level) == (expected.n, 0.9)
    assert found.longer is not None
    nothing = estimate(firings, [batches[-1]], None, 0.9)
    assert np.isnan(nothing.half_width).all()
    assert (nothing.n, nothing.level, nothing.longer) == (1, 0.9, None)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.8])
def test_quantiles_agree_with_their_definition(share: float) -> None:
    batches = snapshots(160, 40)
    window, rest = batches[-1], left_out(batches[-1], batches)
    found = estimate_quantile(0, share, window, rest, 0.95)
    sample = window.probes[0]
    point = probe_quantile(sample, share, within=True)
    pseudo = [160 * share_below(sample, point) - 159 * share_below(one.probes[0], point) for one in rest]
    sides = batch_interval(np.array(pseudo)[:, None], 0.95)
    error = max(sides.below[0], sides.above[0])
    tail = min(share, 1.0 - share)
    error *= 1.0 + 0.5 * error / tail
    low, high = tail * math.exp(-error / tail), tail * math.exp(error / tail)
    ends = (low, high) if share <= 0.5 else (1.0 - low, 1.0 - high)
    value = probe_quantile(sample, share)
    far = max(abs(probe_quantile(sample, end, within=True) - value) for end in ends)
    assert found.value.tolist() == [value]
    assert 0.0 < far == pytest.approx(found.half_width[0])
    assert (found.n, found.level) == (sides.n, 0.95)


def test_the_ends_of_a_sample_have_no_interval() -> None:
    batches = snapshots(130, 2)
    rest = left_out(batches[-1], batches)
    for share, field in ((0.0, "min"), (1.0, "max")):
        found = estimate_quantile(0, share, batches[-1], rest)
        assert found.value.tolist() == [batches[-1].probes[0][field]]
        assert math.isnan(found.half_width[0])
        assert found.longer is None


def test_a_run_that_is_too_short_says_so() -> None:
    batches = snapshots(20, 5)
    found = estimate_quantile(0, 0.5, batches[-1], left_out(batches[-1], batches))
    assert math.isnan(found.half_width[0])
    assert found.interval().longer > 5.0


def test_shares_are_moved_on_a_logarithmic_scale() -> None:
    for share in (0.01, 0.3, 0.5):
        for change in (-0.2, -0.01, 0.01, 0.1):
            moved = _moved(share, change)
            assert moved == pytest.approx(min(share * math.exp(change / share), 1.0))
            if share < 0.5:
                assert _moved(1.0 - share, -change) == pytest.approx(1.0 - moved)
    assert (_moved(0.01, 1.0), _moved(0.99, -1.0)) == (1.0, 0.0)


def test_windows_side_by_side_have_the_figures_of_each() -> None:
    """To the last bit: of columns whose interval comes from batches, and of each entry of an observation."""
    result = petri.load("repairman").run(until=3_000, seed=2)
    assert len(result.without) >= 128
    kinds = [kind for kind in (*PLACES, *TRANSITIONS) if not kind.total]
    for kind in kinds:
        each = np.array([kind.of_all(seen) for seen in result.without])
        assert np.array_equal(each, kind.of_all(result.together), equal_nan=True), kind.name
        one_by_one = estimate(kind.of_all, [result.counted[0].window], result.without)
        assert np.array_equal(result.column(kind).half_width, one_by_one.half_width, equal_nan=True)
    assert any(not np.isnan(result.column(kind).half_width).all() for kind in kinds)


def test_columns_of_a_run_ask_for_each_figure_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the whole run and of all batches together: what numpy does with few numbers took a third of a short run."""
    result, asked = petri.load("repairman").run(until=3_000, seed=2), 0
    divided = quotients

    def counted(*numbers: Any) -> Floats:
        nonlocal asked
        asked += 1
        return divided(*numbers)

    monkeypatch.setattr("petri.measure.catalogue.quotients", counted)
    assert result.places.mean.n > 1
    assert 0 < asked <= 4 * len(PLACES)
