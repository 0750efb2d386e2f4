from __future__ import annotations

import math

import numpy as np
import pytest

from petri.measure.intervals import (
    incomplete_beta,
    mser,
    paired_interval,
    pseudo_values,
    student_interval,
    student_quantile,
    student_tail,
)

# Two-sided 95 % (probability 0.975) and 99 % quantiles of Student's t, from published tables and closed forms.
QUANTILES = [
    (0.975, 1, 12.706204736174698),
    (0.975, 2, 4.302652729749464),
    (0.975, 4, 2.776445105197793),
    (0.975, 5, 2.5705818356363146),
    (0.975, 9, 2.262157162798205),
    (0.975, 10, 2.2281388519862744),
    (0.975, 19, 2.093024054408309),
    (0.975, 29, 2.045229642132703),
    (0.975, 30, 2.0422724563012373),
    (0.975, 120, 1.979930405082422),
    (0.995, 10, 3.169272672616951),
    (0.9, 1, 3.0776835371752536),
]


@pytest.mark.parametrize(("probability", "degrees", "expected"), QUANTILES)
def test_student_quantile(probability: float, degrees: int, expected: float) -> None:
    assert student_quantile(probability, degrees) == pytest.approx(expected, rel=1e-9)
    assert student_quantile(1.0 - probability, degrees) == pytest.approx(-expected, rel=1e-9)


@pytest.mark.parametrize("probability", [0.5000001, 0.6, 0.9, 0.999, 0.9999999])
def test_closed_forms_of_one_and_two_degrees(probability: float) -> None:
    cauchy = math.tan(math.pi * (probability - 0.5))
    two = (2 * probability - 1) / math.sqrt(2 * probability * (1 - probability))
    assert student_quantile(probability, 1) == pytest.approx(cauchy, rel=1e-8)
    assert student_quantile(probability, 2) == pytest.approx(two, rel=1e-8)


@pytest.mark.parametrize("degrees", [1, 2.5, 7, 40, 1000, 99_999])
def test_quantile_inverts_the_distribution(degrees: float) -> None:
    for tail in (0.4, 0.1, 0.025, 1e-4, 1e-9):
        assert student_tail(student_quantile(1.0 - tail, degrees), degrees) == pytest.approx(tail, rel=1e-6)


def test_many_degrees_are_normal() -> None:
    assert student_quantile(0.975, 100_000) == pytest.approx(1.959987708, rel=1e-8)


@pytest.mark.parametrize(("probability", "degrees"), [(0.0, 3), (1.0, 3), (0.5, 0), (math.nan, 3)])
def test_no_quantile(probability: float, degrees: float) -> None:
    with pytest.raises(ValueError, match="no t quantile"):
        student_quantile(probability, degrees)


def test_interval_of_replications() -> None:
    interval = student_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (interval.mean, interval.n) == (3.0, 5)
    assert interval.half_width == pytest.approx(2.776445105 * math.sqrt(2.5 / 5), rel=1e-9)
    assert interval.relative == pytest.approx(interval.half_width / 3.0)
    assert interval.high - interval.low == pytest.approx(2 * interval.half_width)


def test_one_value_has_no_interval_and_none_no_mean() -> None:
    assert math.isnan(student_interval([4.0]).half_width)
    assert math.isnan(student_interval([]).mean)
    assert math.isnan(student_interval([1.0, math.nan, 2.0]).mean)


def test_pairs() -> None:
    assert paired_interval([2.0, 3.0, 4.0], [1.0, 2.0, 3.0]).half_width == 0.0


def test_pseudo_values_of_a_mean_are_its_values() -> None:
    values = [3.0, 5.0, 4.0, 6.0]
    assert pseudo_values(4.5, [(18.0 - v) / 3 for v in values]) == pytest.approx(values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[math.inf, 1.0], [math.inf, math.inf], [math.inf, -math.inf], [1.5e308, 1.5e308]])
def test_values_beyond_doubles_have_no_interval(values: list[float]) -> None:
    found = [student_interval(values), paired_interval(values, values[::-1])]
    assert all(math.isnan(interval.half_width) for interval in found if not math.isfinite(interval.mean))
    assert not math.isfinite(found[0].mean)


def test_mser() -> None:
    """Worked example: the transient 10, 8, 3 is cut."""
    cut = mser([10, 8, 3, 1, 2, 1, 2, 1, 2, 1, 2, 1], batch=1)
    assert (cut.count, cut.settled) == (3, True)
    assert cut.statistic == pytest.approx(0.02743484, abs=5e-9)


def test_mser_5_is_mser_of_means_of_five() -> None:
    series = np.concatenate([np.linspace(100.0, 0.0, 23), np.tile([1.0, -1.0, 0.5], 40)])
    means = series[: series.size // 5 * 5].reshape(-1, 5).mean(axis=1)
    assert mser(series).count == 5 * mser(means, batch=1).count


def test_mser_of_a_series_that_still_falls_is_not_settled() -> None:
    assert not mser(np.linspace(100.0, 0.0, 400)).settled
    assert not mser([1.0, 2.0]).settled


def test_a_series_without_a_batch_is_not_settled() -> None:
    for values, batch in (([], 1), ([3.0, 1.0, 2.0, 1.0], 5)):
        cut = mser(values, batch)
        assert (cut.count, cut.settled) == (0, False)
        assert math.isnan(cut.statistic)
    assert mser([3.0] * 9).settled


def test_mser_agrees_with_its_definition() -> None:
    series = np.random.default_rng(3).standard_normal(60).cumsum()
    statistics = [series[d:].var() / (60 - d) for d in range(31)]
    assert mser(series, batch=1).count == int(np.argmin(statistics))
    assert mser(series, batch=1).statistic == pytest.approx(min(statistics))


def test_the_incomplete_beta_function_at_its_ends() -> None:
    assert incomplete_beta(2.0, 3.0, 0.0, 1.0) == 0.0
    assert incomplete_beta(2.0, 3.0, 1.0, 0.0) == 1.0
