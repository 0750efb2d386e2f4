"""How long a place holds how many tokens: by hand, against the integrals, and on both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petri
from petri import language
from petri.engine.reference import Engine
from petri.engine.statistics import OccupancyRecorder
from petri.measure.occupancy import Occupancy
from tests.engines import ENGINES


def test_quantiles_shares_and_mean() -> None:
    seen = Occupancy(np.array([5.0, 3.0, 0.0, 2.0, 0.0]))
    assert list(seen.shares) == [0.5, 0.3, 0.0, 0.2, 0.0]
    assert [seen.quantile(share) for share in (0.1, 0.5, 0.51, 0.8, 0.81, 1.0)] == [0, 0, 1, 1, 3, 3]
    assert seen.mean == pytest.approx(0.9)
    assert seen.shares[-1] == 0.0


def test_what_lies_in_the_last_entry_has_no_number() -> None:
    seen = Occupancy(np.array([1.0, 0.0, 1.0]))
    assert seen.quantile(0.5) == 0
    assert math.isinf(seen.quantile(0.6))
    assert math.isnan(Occupancy(np.zeros(3)).quantile(0.5))


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


@given(st.lists(st.integers(0, 5), min_size=2, max_size=6), st.integers(1, 20))
def test_the_quantile_of_the_tokens_is_that_of_the_numbers_repeated(times: list[int], twentieths: int) -> None:
    seen = Occupancy(np.array(times, dtype=float))
    repeated = [number for number, time in enumerate(times) for _ in range(time)]
    if not repeated:
        assert np.isnan([seen.mean, seen.quantile(twentieths / 20), *seen.shares]).all()
        return
    expected = repeated[-(-twentieths * len(repeated) // 20) - 1]
    assert seen.quantile(twentieths / 20) == (math.inf if expected == len(times) - 1 else expected)
    assert seen.mean == pytest.approx(sum(repeated) / len(repeated))
    assert seen.shares[-1] == pytest.approx(times[-1] / len(repeated))
    assert seen.total == len(repeated)
    assert seen.shares == pytest.approx([time / len(repeated) for time in times])


def test_the_recorder_takes_all_greater_numbers_together() -> None:
    recorder = OccupancyRecorder([1, 9], levels=4)
    recorder.changed(0, 2, 3.0)
    recorder.changed(1, 1, 4.0)
    recorder.changed(0, 7, 5.0)
    assert [one.times.tolist() for one in recorder.at(10.0)] == [[0.0, 3.0, 2.0, 5.0], [0.0, 6.0, 0.0, 4.0]]
    recorder.restart(12.0)
    assert [one.times.tolist() for one in recorder.at(13.0)] == [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]


QUEUE = """
net queue
place source = token
place queue = token
place server = token
transition arrive: source -> source, queue  takes 2
transition serve: queue, server -> server   takes 3
run until 6
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_times_by_hand(engine: str) -> None:
    result = petri.loads(QUEUE).run(engine=engine, occupancy=True)
    held = result.occupancy("queue")
    assert held is not None
    # One in [2, 3), none in [3, 4), one in [4, 6).
    assert list(held.times[:3]) == [3.0, 3.0, 0.0]
    assert held.quantile(0.5) == 0.0
    assert held.quantile(0.51) == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_they_agree_with_the_integrals_after_a_warm_up(engine: str) -> None:
    result = petri.load("mm1k").run(engine=engine, until=400.0, warmup=50.0, replications=2, occupancy=True)
    for index, name in enumerate(result.places.names):
        held = result.occupancy(name)
        assert held is not None
        assert held.total == pytest.approx(700.0)
        assert held.mean == pytest.approx(float(result.places.mean.value[index]))
        assert 1.0 - held.shares[0] == pytest.approx(float(result.places.occupied.value[index]))


def test_both_engines_keep_the_same_times() -> None:
    runs = [
        petri.load("mm1").run(engine=engine, until=300.0, warmup=0.0, occupancy=True)
        for engine in ("reference", "auto")
    ]
    times = [run.replications[0].levels for run in runs]
    assert times[0] is not None
    assert times[1] is not None
    assert np.allclose(times[0], times[1], rtol=1e-9, atol=1e-9)


def test_it_is_kept_only_when_asked_for() -> None:
    assert petri.load("mm1").run(until=10.0, warmup=0.0).occupancy("queue") is None
    with pytest.raises(KeyError):
        petri.load("mm1").run(until=10.0, warmup=0.0, occupancy=True).occupancy("no_such_place")
