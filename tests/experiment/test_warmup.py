"""The end of the warm-up, found by pilots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from petri import language
from petri.experiment import Experiment, Store
from petri.experiment.design.warmup import TOKENS, WINDOWS, Warmup, memory, pilot, series_of, settle, windows
from petri.measure.arrays import Floats
from petri.run.plan import Plan
from tests.engines import FASTEST, NATIVE_FIRST
from tests.experiment.nets import stored_rows, write_net

# A server that is slow for the first 100 and fast from then on.
SLOW_START = """\
net slow_start
place source = token
place line
place server = token
transition arrive: source -> source, line   takes exp(2)
transition serve: line, server -> server    takes exp(if now < 100 then 3 else 0.5)
measure length = mean(line)
measure served = count(serve)
"""

STEADY = SLOW_START.replace("if now < 100 then 3 else 0.5", "1")


def plan(engine: str = FASTEST, until: float = 2000.0, seed: int = 1) -> Plan:
    return Plan(until=until, seed=seed, engine=engine)


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_the_slow_start_is_cut_off(engine: str) -> None:
    found = pilot(language.loads(SLOW_START), plan(engine))
    assert found.settled
    assert 100 <= found.length <= 400
    assert found.decided_by in ("length", TOKENS)


def test_little_is_cut_from_what_is_steady() -> None:
    assert pilot(language.loads(STEADY), plan()).length <= 300


@pytest.mark.slow
def test_the_answer_depends_on_the_seed_alone() -> None:
    net = language.loads(SLOW_START)
    assert pilot(net, plan()) == pilot(net, plan())
    lengths = {pilot(net, plan(seed=seed)).length for seed in range(1, 3)}
    assert len(lengths) > 1


def test_a_run_that_is_too_short_says_so() -> None:
    growing = STEADY.replace("exp(1)", "exp(4)")
    found = pilot(language.loads(growing), plan())
    assert not found.settled


def test_series_are_those_that_tell_something_of_a_window() -> None:
    net = language.loads(SLOW_START)
    runs = [windows(net, plan(), index) for index in range(2)]
    series = series_of(net, runs, None)
    assert set(series) == {"length", TOKENS}
    assert all(values.shape == (2, WINDOWS) for values in series.values())
    # Only `line` waits: the other places are resources.
    assert np.array_equal(series[TOKENS], series["length"])


def test_a_measure_of_a_module_is_no_field_of_its_instance() -> None:
    net = language.loads(
        "module M()\n  place p = token\n  transition t: p -> p  takes 1\n  measure lost = mean(t)\n"
        "  measure count = count(t)\nend\ninstance m = M()"
    )
    assert list(series_of(net, [windows(net, plan(until=100.0), 0)], None)) == ["m.lost"]


def test_a_dead_net_has_no_warmup() -> None:
    net = language.loads("net d\nplace a = token\nplace b\ntransition go: a -> b takes 1\n")
    assert pilot(net, plan()) == Warmup(0.0)


def begins_high(windows: int) -> Floats:
    """Return a row of values that are 9 in the first windows, and 0 afterwards."""
    return np.concatenate([np.full(windows, 9.0), np.zeros(400 - windows)])[np.newaxis]


def test_a_slow_start_that_is_hidden_in_noise_is_cut_off() -> None:
    """M/M/1 at load 0.8 forgets its start as exp(-t / 90); MSER-5 by itself cuts 12 of the second and third."""
    net = language.load("mm1", {"load": 0.8})
    lengths = [pilot(net, plan(until=1000, seed=seed)).length for seed in (1, 2, 4)]
    assert 60 <= min(lengths) < max(lengths) <= 500


def test_a_run_that_ends_before_it_has_forgotten_its_start_says_so() -> None:
    """At load 0.98 the queue remembers itself for 5,000."""
    net = language.load("mm1", {"load": 0.98})
    assert [pilot(net, plan(until=1000, seed=seed)).settled for seed in range(4)].count(False) >= 3


def test_the_memory_of_a_series() -> None:
    """Of 50 x 400 steps of x' = a x + noise, τ is (1 + a) / 2 (1 - a); a constant has none."""
    draws, a = np.random.default_rng(1), 0.9
    values = np.zeros((50, 500))
    for step in range(1, 500):
        values[:, step] = a * values[:, step - 1] + draws.normal(size=50)
    assert memory(values[:, 100:]) == pytest.approx(9.5, rel=0.3)
    assert memory(np.full((5, 400), 0.1)) == 0.0


def test_series_without_data_say_nothing() -> None:
    holes = begins_high(200)
    holes[0, 7] = np.nan
    assert settle({"a": holes}, 1.0) == Warmup(0.0)
    assert settle({"a": begins_high(50)}, 2.0) == Warmup(100.0, True, "a")


def test_the_series_that_settles_last_decides() -> None:
    early, late, falling = begins_high(20), begins_high(60), np.linspace(1e3, 0.0, 400)[np.newaxis]
    assert settle({"late": late, "early": early}, 1.0) == Warmup(60.0, True, "late")
    found = settle({"falling": falling, "late": late}, 1.0)
    assert (found.settled, found.decided_by) == (False, "falling")


def test_a_sweep_keeps_what_was_found(tmp_path: Path) -> None:
    net = write_net(tmp_path, SLOW_START, "slow.net")
    experiment = Experiment(net=net, until=2000, warmup="auto", replications=2, seed=1)
    outcome = experiment.run(tmp_path / "s.db", engine=FASTEST, workers=1)
    found = pilot(language.load(net), plan())
    assert outcome.points[0].warmup == found
    with Store.open(tmp_path / "s.db") as store:
        assert store.points()[0].warmup == found
    fixed = Experiment(net=net, until=2000, warmup=found.length, replications=2, seed=1)
    fixed.run(tmp_path / "f.db", engine=FASTEST, workers=1)
    assert stored_rows(tmp_path / "s.db") == stored_rows(tmp_path / "f.db")


def test_a_warmup_that_is_found_replaces_that_of_the_net(tmp_path: Path) -> None:
    net = write_net(tmp_path, STEADY + "run until 5000 warmup 1000\n", "steady.net")
    outcome = Experiment(net=net, until=500, warmup="auto", replications=1).run(tmp_path / "s.db", workers=1)
    assert outcome.points[0].warmup is not None
