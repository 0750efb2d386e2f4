"""How long each place holds how many tokens: both engines, by hand and against the integrals."""

from __future__ import annotations

import numpy as np
import pytest

import petri
from tests.engines import ENGINES

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
