from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petri.measure.histogram import Histogram, bucket, edge, quantile_share

VALUES = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e150, max_value=1e150)
SAMPLES = st.lists(VALUES | st.integers(-300, 300).map(float), min_size=1, max_size=60)


def filled(values: list[float]) -> Histogram:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    return histogram


@given(VALUES, VALUES)
def test_buckets_ascend_with_the_values(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert bucket(low) <= bucket(high)


@given(VALUES)
def test_a_bucket_is_narrower_than_its_edge_over_128(value: float) -> None:
    nearest = edge(bucket(value))
    assert abs(nearest) <= abs(value)
    assert abs(value) - abs(nearest) <= abs(nearest) / 128 or abs(value) < 1e-300


@given(SAMPLES, st.floats(0.0, 1.0))
def test_a_quantile_is_near_the_value_of_its_rank(values: list[float], share: float) -> None:
    exact = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    assert filled(values).quantile(share) == pytest.approx(exact, rel=0.008, abs=1e-300)


@given(st.lists(st.integers(-255, 255), min_size=1, max_size=60), st.floats(0.0, 1.0))
def test_quantiles_of_small_whole_numbers_are_exact(values: list[int], share: float) -> None:
    exact = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    assert filled([float(v) for v in values]).quantile(share) == exact


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_moments(values: list[float]) -> None:
    histogram = filled(values)
    scale = max(abs(v) for v in values)
    assert histogram.mean == pytest.approx(statistics.fmean(values), rel=1e-12, abs=1e-12 * scale + 1e-300)
    assert histogram.std == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-7 * scale + 1e-150)
    assert histogram.sum == pytest.approx(math.fsum(values), rel=1e-12, abs=1e-10 * scale + 1e-300)
    assert (histogram.figure("min"), histogram.figure("max")) == (min(values), max(values))


def test_the_variance_of_late_times_does_not_cancel() -> None:
    assert filled([1e9 + step for step in (0.0, 1.0, 2.0)]).std == 1.0


def test_merging_samples_of_different_origins() -> None:
    merged = filled([1.0, 2.0, 4.0])
    merged.merge(filled([101.0, 104.0]))
    assert merged.std == pytest.approx(statistics.stdev([1.0, 2.0, 4.0, 101.0, 104.0]), rel=1e-14)


@given(SAMPLES, SAMPLES)
def test_merging_is_like_adding_all(first: list[float], second: list[float]) -> None:
    merged, whole = filled(first), filled(first + second)
    merged.merge(filled(second))
    assert (merged.count, merged.minimum, merged.maximum) == (whole.count, whole.minimum, whole.maximum)
    assert {b: c for b, (c, _) in merged.buckets.items()} == {b: c for b, (c, _) in whole.buckets.items()}
    assert merged.mean == pytest.approx(whole.mean, rel=1e-9, abs=1e-9 * max(map(abs, first + second)) + 1e-300)


@given(SAMPLES, SAMPLES)
def test_a_window_is_the_difference_of_two_snapshots(before: list[float], after: list[float]) -> None:
    histogram = filled(before)
    earlier = Histogram.of(histogram.snapshot())
    for value in after:
        histogram.add(value)
    window, exact = histogram.minus(earlier), filled(after)
    scale = max(map(abs, before + after))
    assert window.count == exact.count
    assert {b: c for b, (c, _) in window.buckets.items()} == {b: c for b, (c, _) in exact.buckets.items()}
    assert window.sum == pytest.approx(exact.sum, rel=1e-9, abs=1e-9 * scale * len(after) + 1e-300)
    assert window.minimum == pytest.approx(exact.minimum, rel=0.016, abs=1e-9 * scale + 1e-300)
    assert window.maximum == pytest.approx(exact.maximum, rel=0.016, abs=1e-9 * scale + 1e-300)


def test_nothing_is_known_of_nothing() -> None:
    empty = Histogram()
    assert all(math.isnan(empty.figure(field)) for field in ("mean", "std", "min", "max", "p50"))
    assert (empty.figure("count"), empty.figure("sum")) == (0.0, 0.0)


@pytest.mark.parametrize(("field", "share"), [("p50", 0.5), ("p99.9", 0.999), ("p100", 1.0), ("p0", 0.0)])
def test_names_of_quantiles(field: str, share: float) -> None:
    assert quantile_share(field) == pytest.approx(share)


@pytest.mark.parametrize("field", ["p", "p101", "mean", "p-1", "99"])
def test_what_names_no_quantile(field: str) -> None:
    assert quantile_share(field) is None


def test_an_unknown_field() -> None:
    with pytest.raises(KeyError, match="median"):
        filled([1.0]).figure("median")
