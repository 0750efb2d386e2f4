from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest

from petri.measure.formula import evaluate, judge
from petri.measure.histogram import Histogram
from petri.measure.intervals import Interval
from petri.measure.observation import Observation, series_figure
from petri.measure.reorder import DISTRIBUTIONS, FIELDS, MAXIMA, Reordering
from petri.net import Expectation, Term


def sample(*values: float) -> dict[str, Any]:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    return histogram.snapshot()


def order(*arrivals: int) -> dict[str, Any]:
    measure = Reordering()
    for arrival in arrivals:
        measure.arrive((), arrival)
    return measure.snapshot()


def observed(elapsed: float = 10.0, **changes: Any) -> Observation:
    """Return one place with 2 tokens at first, and one transition."""
    figures: dict[str, Any] = {
        "integral": np.array([5.0]),
        "nonempty": np.array([4.0]),
        "maximum": np.array([3]),
        "arrivals": np.array([20]),
        "initial": np.array([2]),
        "firings": np.array([8]),
        "in_progress": np.array([15.0]),
        "active": np.array([9.0]),
        "set": np.array([0]),
        "dropped": np.array([0]),
        "probes": ({"sum": 640.0}, sample(1.0, 2.0, 4.0), order(1, 3, 2)),
    }
    return Observation(elapsed, **(figures | changes))


FIGURES = [
    ("mean", 0, 0.5),
    ("max", 0, 3.0),
    ("occupied", 0, 0.4),
    ("arrivals", 0, 20.0),
    ("sojourn", 0, 0.25),
    ("busy", 0, 0.75),
    ("firings", 0, 8.0),
    ("in_progress", 0, 1.5),
    ("active", 0, 0.9),
    ("counter", 0, 640.0),
    ("sample", (1, "p50"), 2.0),
    ("passage", (1, "max"), 4.0),
    ("order", (2, "reordered"), 1.0),
    ("const", 2, 2.0),
    ("elapsed", None, 10.0),
]


@pytest.mark.parametrize(("op", "value", "expected"), FIGURES)
def test_figures(op: str, value: Any, expected: float) -> None:
    assert evaluate(Term(op, value=value), observed()) == pytest.approx(expected)


def constant(value: float) -> Term:
    return Term("const", value=value)


@pytest.mark.parametrize(
    ("op", "expected"), [("add", 8.0), ("sub", 4.0), ("mul", 12.0), ("div", 3.0), ("min2", 2.0), ("max2", 6.0)]
)
def test_arithmetic(op: str, expected: float) -> None:
    assert evaluate(Term(op, (constant(6.0), constant(2.0))), observed()) == expected
    assert evaluate(Term("neg", (constant(6.0),)), observed()) == -6.0


def test_no_data() -> None:
    nothing = Term("div", (constant(1.0), constant(0.0)))
    assert math.isnan(evaluate(nothing, observed()))
    assert math.isnan(evaluate(Term("max2", (constant(1.0), nothing)), observed()))
    assert math.isnan(evaluate(Term("min2", (nothing, constant(1.0))), observed()))
    assert math.isnan(evaluate(Term("mean", value=0), observed(elapsed=0.0)))
    assert math.isnan(evaluate(Term("sojourn", value=0), observed(arrivals=np.array([0]))))
    assert math.isnan(evaluate(Term("busy", value=0), observed(initial=np.array([0]))))


def test_an_unknown_field() -> None:
    with pytest.raises(KeyError, match="colour"):
        evaluate(Term("sample", value=(1, "colour")), observed())
    with pytest.raises(KeyError, match="colour"):
        evaluate(Term("order", value=(2, "colour")), observed())


def test_a_window_is_the_difference_of_two_snapshots() -> None:
    late = observed(probes=({"sum": 640.0}, sample(1.0, 2.0, 4.0, 9.0), order(1, 3, 2, 6, 7, 8, 5, 4)))
    early = observed(
        elapsed=4.0,
        integral=np.array([2.0]),
        arrivals=np.array([5]),
        firings=np.array([3]),
        probes=({"sum": 600.0}, sample(1.0, 2.0), order(1, 3, 2, 6)),
    )
    window = late.minus(early)
    for op, value, expected in [
        ("elapsed", None, 6.0),
        ("mean", 0, 0.5),
        ("sojourn", 0, 0.2),
        ("firings", 0, 5.0),
        ("max", 0, 3.0),
        ("counter", 0, 40.0),
        ("sample", (1, "count"), 2.0),
        ("sample", (1, "mean"), 6.5),
        ("sample", (1, "max"), 9.0),
        ("order", (2, "packets"), 4.0),
        ("order", (2, "reordered_share"), 0.5),
        ("order", (2, "mean_extent"), 3.5),
        ("order", (2, "max_extent"), 4.0),
    ]:
        assert evaluate(Term(op, value=value), window) == pytest.approx(expected), (op, value)


def test_the_greatest_extent_of_a_window_is_its_own() -> None:
    first = [2, 3, 4, 5, 6, 7, 1]
    window = observed(probes=(order(*first, 9, 8),)).minus(observed(probes=(order(*first),))).probes[0]
    assert (window["max_extent"], window["max_buffer"], window["max_overtaken"]) == (1.0, 1.0, 6.0)


def test_a_window_of_order_has_every_field() -> None:
    arrivals = [3, 1, 2, 9, 4, 4, 8, 7, 6, 5, 10]
    window = observed(probes=(order(*arrivals),)).minus(observed(probes=(order(),))).probes[0]
    whole = order(*arrivals)
    assert set(window) == set(FIELDS) | set(DISTRIBUTIONS)
    for field in FIELDS:
        assert window[field] == whole[field] or math.isnan(whole[field]), field
    assert set(MAXIMA) <= set(FIELDS)


def expectation(comparison: Any, bound: float, within: float = 0.0, absolute: bool = False) -> Expectation:
    return Expectation("", constant(0.0), comparison, bound, within, absolute)


VERDICTS: list[tuple[Literal["<", "<=", ">", ">=", "=="], float, bool]] = [
    ("<", 0.9, True),
    ("<", 1.0, False),
    ("<=", 1.0, True),
    (">", 1.0, False),
    (">", 1.1, True),
    (">=", 1.0, True),
    (">=", 0.9, False),
    ("==", 1.0 + 1e-12, True),
    ("==", 1.001, False),
]


@pytest.mark.parametrize(("comparison", "value", "passed"), VERDICTS)
def test_comparisons(comparison: Any, value: float, passed: bool) -> None:
    assert judge(expectation(comparison, 1.0), value).passed is passed
    assert judge(expectation(comparison, 1.0), math.nan).passed is False


def test_tolerances() -> None:
    assert judge(expectation("==", 4.0, 0.05), 4.19).passed
    assert not judge(expectation("==", 4.0, 0.05), 4.21).passed
    assert judge(expectation("==", -4.0, 0.05), -4.19).passed
    assert judge(expectation("==", 4.0, 0.05, True), 4.04).passed
    assert not judge(expectation("==", 4.0, 0.05, True), 4.06).passed


def test_the_estimate_decides_and_the_interval_tells_how_surely() -> None:
    below = expectation("<", 1.0)
    assert judge(below, 0.9).certain is None
    assert judge(below, 0.9, Interval(0.9, 0.05, 0.95, 9)).certain is True
    assert judge(below, 0.9, Interval(0.9, 0.2, 0.95, 9)).certain is False
    assert judge(below, 1.1, Interval(1.1, 0.2, 0.95, 9)).passed is False
    near = expectation("==", 1.0, 0.01)
    assert judge(near, 1.1, Interval(1.1, 0.02, 0.95, 9)).certain is True
    assert judge(near, 1.1, Interval(1.1, 0.5, 0.95, 9)).certain is False
    assert judge(near, 1.0, Interval(1.0, 0.005, 0.95, 9)).certain is True


def test_figures_of_a_series() -> None:
    values = [4.0, math.nan, 1.0, 3.0, 2.0]
    named = [series_figure(values, name) for name in ("mean", "min", "max", "p25", "p26", "p50", "p100", "p0")]
    assert named == [2.5, 1.0, 4.0, 1.0, 2.0, 2.0, 4.0, 1.0]
    assert series_figure([float(i) for i in range(1, 1001)], "p99.9") == 999.0
    assert math.isnan(series_figure([math.nan], "mean"))
    assert math.isnan(series_figure([], "max"))
    with pytest.raises(KeyError, match="sum"):
        series_figure(values, "sum")
