"""Quantiles over replications, with intervals between order statistics."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import petri
from petri.experiment import Experiment, Precision, Store, stored_outcome
from petri.measure.intervals import order_interval
from petri.model import Model
from tests.cli.calling import caller
from tests.experiment.nets import write_net

LIFE = """
net life
place up = token
transition fail: up -> nothing  after exp(10)
measure half   = quantile(time_until(tokens(up) == 0), 50%)
measure late   = quantile(time_until(tokens(up) == 0), 90%)
measure double = quantile(2 * time_until(tokens(up) == 0), 0.5)
run until {until}
"""

ENGINES = pytest.mark.parametrize("engine", ["reference", "auto"])


@pytest.mark.parametrize(
    ("n", "share", "low", "high"),
    [  # tables of the binomial distribution: P(X < l) and P(X >= u) at most 2.5 %
        (10, 0.5, 2, 9),
        (20, 0.5, 6, 15),
        (100, 0.5, 40, 61),
        (100, 0.9, 84, 96),
        (72, 0.95, 64, 72),
        (71, 0.95, None, None),  # 0.95^71 is more than 2.5 %
        (5, 0.5, None, None),
    ],
)
def test_ends_are_order_statistics(n: int, share: float, low: int | None, high: int | None) -> None:
    found = order_interval(range(1, n + 1), share)
    assert found.mean == math.ceil(share * n)
    if low is None:
        assert math.isnan(found.half_width)
    else:
        assert found.ends == (low, high)


@pytest.mark.slow
def test_they_cover_as_often_as_they_say() -> None:
    """Of 400 intervals of the 90 % quantile from 100 exponential times, fewer than 366 cover in 0.1 % of all cases."""
    chance = np.random.default_rng(5)
    intervals = [order_interval(chance.exponential(size=100), 0.9) for _ in range(400)]
    covered = sum(one.low <= math.log(10) <= one.high for one in intervals)
    assert 366 <= covered <= 400


@ENGINES
def test_of_a_run(engine: str) -> None:
    """An exponential time of mean 10 has the quantiles 10 ln 2 and 10 ln 10."""
    result = petri.loads(LIFE.format(until=100)).run(replications=100, engine=engine)
    for name, exact in (("half", 10 * math.log(2)), ("late", 10 * math.log(10))):
        found = result.measure(name).interval
        assert found.low < exact < found.high
        assert found.n == 100
    assert result.measure("double").value == 2 * result.measure("half").value
    assert result.to_dict()["measures"][1]["statistic"] == "p90"


@ENGINES
def test_a_time_that_is_not_over_is_greater_than_any(engine: str) -> None:
    """Half of them fail within 7, and three of four within 14, but the mean of all is not known by then."""
    result = petri.loads(LIFE.format(until=14)).run(replications=60, engine=engine)
    half, late = (result.measure(name).interval for name in ("half", "late"))
    assert half.low < 10 * math.log(2) < half.high < 14
    assert late.mean == math.inf
    assert math.isnan(late.half_width)
    assert result.to_dict()["measures"][1]["value"] is None


def test_in_a_sweep(tmp_path: Path) -> None:
    path = write_net(tmp_path, LIFE.format(until=200), "life.net")
    wanted = {"half": Precision(0.4)}
    point = Experiment(net=path, points=[{}], precision=wanted).run(tmp_path / "s.db").points[0]
    assert point.interval("half").statistic == "p50"
    assert point.interval("half").relative <= 0.4
    assert not point.imprecise
    assert 10 < len(point.rows) < 200
    run = Model(petri.load(path).net).run(replications=len(point.rows))
    assert run.measure("half").interval == point.interval("half")


def test_a_store_keeps_what_was_not_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_net(tmp_path, LIFE.format(until=14), "life.net")
    ran = caller(capsys)("sweep", str(path), "-n", "60", "--store", str(tmp_path / "s.db"), "--quiet")
    run = petri.load(path).run(replications=60)
    point = stored_outcome(Store.open(tmp_path / "s.db")).points[0]
    assert point.interval("half") == run.measure("half").interval
    assert point.interval("late").mean == math.inf
    half = run.measure("half").interval
    assert f"{half.mean:.3f} ({half.low:.2f}..{half.high:.1f})" in ran.out
