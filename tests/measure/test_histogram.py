from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petri.measure.histogram import Histogram, bounds, bucket, count_below, difference, edge, quantile_share

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


@pytest.mark.parametrize("number", [1, -1, bucket(1.5), bucket(-1.5), bucket(255.0), bucket(-1e-300)])
def test_the_bounds_of_a_bucket_are_the_edges_of_it_and_of_the_next(number: int) -> None:
    low, high = bounds(number)
    assert low < high
    near, far = (low, high) if number > 0 else (high, low)
    assert (near, bucket(near)) == (edge(number), number)
    assert bucket(far) == number + (1 if number > 0 else -1)
    assert bucket(math.nextafter(far, 0.0)) == number


def test_the_bucket_of_zero_reaches_to_both_sides() -> None:
    low, high = bounds(0)
    assert -low == high > 0.0
    assert (bucket(low), bucket(math.nextafter(low, 0.0)), bucket(0.0), bucket(high)) == (-1, 0, 0, 1)
    assert edge(0) == 0.0


def spread_quantile(values: list[float], share: float) -> float:
    """Spread the values of each bucket evenly over it, unless they are its edge."""
    groups: dict[int, list[float]] = {}
    for value in sorted(values):
        groups.setdefault(bucket(value), []).append(value)
    wanted, before = share * len(values), 0
    for number in sorted(groups):
        group = groups[number]
        if before + len(group) >= wanted:
            low, high = bounds(number)
            even = any(value != edge(number) for value in group)
            value = low + (high - low) * (wanted - before) / len(group) if even else edge(number)
            return min(max(value, min(values)), max(values))
        before += len(group)
    return max(values)


WITHIN = [100.2, 100.3, 100.3, 100.4, 1.0, 1.0, -100.2, -100.3, 3.14, 250.0]


@pytest.mark.parametrize("share", [-0.1, 0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 0.77, 0.99, 1.0])
def test_quantiles_within_buckets(share: float) -> None:
    assert filled(WITHIN).quantile(share, within=True) == pytest.approx(spread_quantile(WITHIN, share), rel=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.15, 0.2, 0.3, 0.55, 0.62, 0.75])
def test_the_count_below_a_quantile_is_its_rank(share: float) -> None:
    """Where the quantile is within the bucket, not cut off at the least or the greatest value."""
    values = [1.0, 2.0, 100.0, 100.1, 100.3, 100.45, 200.0, 200.2, 200.5, 200.9]
    sample = filled([*values, 0.5, 300.0])
    value = sample.quantile(share, within=True)
    assert count_below(sample.snapshot(), value) == pytest.approx(max(share * 12, math.ceil(min(share * 12, 3.0))))


def test_counts_below_values_that_are_not_in_a_bucket() -> None:
    sample = filled([1.0, 1.0, 2.0, 5.0]).snapshot()
    below = [count_below(sample, value) for value in (0.5, 1.0, 1.5, 2.0, math.nextafter(2.0, 0.0), 5.0, 7.0)]
    assert below == [0.0, 2.0, 2.0, 3.0, 2.0, 4.0, 4.0]
    negative = filled([-100.0, -1.0]).snapshot()
    assert [count_below(negative, value) for value in (-101.0, -100.0, -1.0)] == [0.0, 1.0, 2.0]


def test_values_whose_sums_are_beyond_doubles() -> None:
    """Mean and deviation come from the buckets then, within their width."""
    values = [1.5e308, -1.7e308, 1.6e308, -1.2e308, 1.6e308]
    shares = [value / 1e308 for value in values]
    sample = filled(values)
    assert sample.mean / 1e308 == pytest.approx(statistics.fmean(shares), abs=0.02)
    assert sample.std / 1e308 == pytest.approx(statistics.stdev(shares), rel=0.01)
    assert filled([1e200, 1e200, -1e200]).std == pytest.approx(statistics.stdev([1.0, 1.0, -1.0]) * 1e200, rel=0.01)
    assert filled([1e200, 3e200]).mean == 2e200
    alike = filled([1.7e308, -1.7e308, -1.7e308])
    assert alike.mean == pytest.approx(-1.7e308 / 3, rel=1e-3)


def test_the_extremes_of_a_window() -> None:
    """Exact in the bucket of an extreme of the whole; else the mean of the outermost bucket."""
    sample = filled([1.0, 100.0])
    before = sample.snapshot()
    for value in (100.0, 50.2, 50.2, 20.0):
        sample.add(value)
    window = difference(sample.snapshot(), before)
    assert (window["min"], window["max"], window["count"]) == (20.0, 100.0, 4)
    assert window["buckets"].tolist() == [bucket(20.0), bucket(50.2), bucket(100.0)]
    assert window["counts"].tolist() == [1, 2, 1]
    assert window["excesses"] == pytest.approx([0.0, 2 * (50.2 - edge(bucket(50.2))), 0.0])
    middle = sample.snapshot()
    for value in (50.1, 50.2):
        sample.add(value)
    window = difference(sample.snapshot(), middle)
    assert window["min"] == window["max"] == pytest.approx(50.15)
    nothing = difference(middle, middle)
    assert (nothing["count"], nothing["min"], nothing["max"]) == (0, math.inf, -math.inf)
    assert difference(middle, Histogram().snapshot()) == middle


def test_figures_by_name() -> None:
    sample = filled([4.0, 1.0, 2.0])
    named = [sample.figure(name) for name in ("count", "sum", "mean", "min", "max", "p0", "p50", "p100")]
    assert named == [3.0, 7.0, pytest.approx(7 / 3), 1.0, 4.0, 1.0, 2.0, 4.0]
    assert sample.figure("std") == pytest.approx(statistics.stdev([4.0, 1.0, 2.0]))
    assert math.isnan(filled([4.0]).std)
    assert filled([4.0, 6.0]).std == pytest.approx(math.sqrt(2.0))


def test_merging_with_nothing() -> None:
    sample = filled([2.0, 3.0])
    sample.merge(Histogram())
    empty = Histogram()
    empty.merge(sample)
    assert (sample.mean, empty.mean, empty.origin, empty.count) == (2.5, 2.5, 2.0, 2)


def test_a_histogram_without_its_buckets_has_the_moments() -> None:
    sample = filled([1.0, 2.0, 6.0])
    bare = Histogram.of(sample.snapshot(), buckets=False)
    assert (bare.mean, bare.std, bare.buckets) == (sample.mean, sample.std, {})
    assert Histogram.of(filled([1e300, -1e300]).snapshot(), buckets=False).std > 1e300
