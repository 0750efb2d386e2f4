"""Probabilities in sweeps, searches and comparisons: the trials of all replications count together (Q4)."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import petri
from petri.experiment import Experiment, ExperimentError, Precision, Store, compare, stored_outcome
from petri.measure.chance import chance_tail, clopper_pearson
from petri.measure.decision import Decision, decide_probability
from petri.measure.tally import Tally
from tests.cli.calling import caller
from tests.experiment.nets import write_net

FAILURES = """\
net failures
param n = 2 in 1..60
param mean = 2.0
place up = n * token
transition fail: up -> nothing  after exp(mean) servers all
measure all_fail = probability(tokens(up) == 0 within 0.3, trials: 2000)
measure lost = mean(up)
run until 4
"""
RATE = 1 - math.exp(-0.15)  # that one of them fails


@pytest.mark.parametrize("n", [2, 40])
def test_a_point_is_what_a_run_is(tmp_path: Path, n: int) -> None:
    path = write_net(tmp_path, FAILURES, "failures.net")
    outcome = Experiment(net=path, points=[{"n": n}], replications=3).run(tmp_path / "s.db")
    run = petri.load(path, n=n).run(replications=3)  # its first replication has all trials
    assert outcome.points[0].samples("all_fail")[0] == run.replications[0].window.chances[0]
    for found in (
        outcome.points[0].interval("all_fail"),
        stored_outcome(Store.open(tmp_path / "s.db")).points[0].interval("all_fail"),
    ):
        assert found.n == 6000
        assert found.low <= RATE**n <= found.high
    assert outcome.points[0].interval("lost").mean == pytest.approx(run.measure("lost").interval.mean)
    assert sum(outcome.points[0].values("all_fail").values()) / 3 == pytest.approx(found.mean)


def test_what_no_trial_has_hit_is_below(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_net(tmp_path, FAILURES, "failures.net")
    store = str(tmp_path / "s.db")
    ran = caller(capsys)("sweep", str(path), "--grid", "n=40", "-n", "3", "--store", store, "--quiet")
    assert f"below {clopper_pearson(0, 6000, 0.95)[1]:.2g}" in ran.out


def test_replications_until_all_trials_together_are_precise(tmp_path: Path) -> None:
    """Some 400 hits are known to ± 10 %, and a replication has 2000 RATE² = 39: the look after 13 has 500 of them."""
    path = write_net(tmp_path, FAILURES, "failures.net")
    wanted = {"all_fail": Precision(0.1)}
    experiment = Experiment(net=path, points=[{"n": 2}], precision=wanted, measures=["all_fail"], max_replications=60)
    point = experiment.run(tmp_path / "s.db").points[0]
    assert point.interval("all_fail").relative <= 0.1
    assert not point.imprecise
    assert len(point.rows) == 13


def test_comparisons_count_all_trials(tmp_path: Path) -> None:
    path = write_net(tmp_path, FAILURES, "failures.net")
    Experiment(net=path, points=[{"n": 2}, {"n": 3}], replications=3).run(tmp_path / "s.db")
    for n in (2, 3):
        result = petri.load(path, n=n).run(replications=3)
        (tmp_path / f"{n}.json").write_text(json.dumps(result.to_dict()), "utf-8")
    sides = (f"{tmp_path}/s.db:n=2", f"{tmp_path}/s.db:n=3"), (f"{tmp_path}/2.json", f"{tmp_path}/3.json")
    found = [compare(*pair) for pair in sides]
    for one, trials in zip(found, (6000, 2000), strict=True):
        difference = one.differences["all_fail"]
        assert not difference.paired
        assert difference.interval.mean == difference.second.mean - difference.first.mean
        assert difference.first.n == trials
        assert difference.certain
        assert one.differences["lost"].paired
        assert one.paired


def test_a_store_without_tallies_is_read_and_continued(tmp_path: Path) -> None:
    """Stores of earlier versions have the value of each replication only."""
    path = write_net(tmp_path, FAILURES, "failures.net")
    whole = Experiment(net=path, points=[{"n": 2}], replications=3).run(tmp_path / "s.db").points[0]
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.execute("ALTER TABLE replications DROP COLUMN tallies")
    read = stored_outcome(Store.open(tmp_path / "s.db")).points[0]
    assert read.values("all_fail") == whole.values("all_fail")
    assert read.interval("all_fail").n == 3
    more = Experiment(net=path, points=[{"n": 2}], replications=4).run(tmp_path / "s.db").points[0]
    assert more.interval("all_fail").n == 4


@pytest.mark.parametrize(
    "written",
    [
        '{"all_fail": 3}',
        '{"all_fail": {"trials": 5, "hits": 9, "sum": 9.0, "squares": 9.0}}',
        '{"all_fail": {"trials": -1}}',
        '{"all_fail": {"trials": 9, "hits": 1, "sum": 1e300, "squares": 1.0, "split": true}}',
        '{"all_fail": {"trials": 9, "hits": 100000000000000000000, "sum": 1.0, "squares": 1.0, "split": true}}',
        "[1]",
    ],
)
def test_damaged_tallies_are_refused(tmp_path: Path, written: str) -> None:
    path = write_net(tmp_path, FAILURES, "failures.net")
    Experiment(net=path, points=[{"n": 2}], replications=2).run(tmp_path / "s.db")
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.execute("UPDATE replications SET tallies = ?", (written,))
        connection.commit()
    with pytest.raises(ExperimentError) as caught:
        stored_outcome(Store.open(tmp_path / "s.db"))
    assert caught.value.diagnostic.id == "store-damaged"


# ---------------------------------------------------------------- searches


@pytest.mark.slow
def test_a_search_for_the_limit_of_a_probability(tmp_path: Path) -> None:
    """The longest mean life, in steps of 0.25, at which both fail with at least 1 %: (1 - exp(-0.3 / mean))² = 0.01."""
    limit = -0.3 / math.log(1 - 0.1)  # 2.847
    text = FAILURES.replace(", trials: 2000", "")
    found = petri.search(
        write_net(tmp_path, text, "failures.net"),
        find="mean",
        between="1..5",
        condition="all_fail > 1%",
        resolution=0.25,
    )
    assert found.value == 2.75 < limit < 3.0
    assert found.found[0].certain
    assert [one.replications for one in found.found[0].trials if one.value in (1, 5)] == [1, 1]


def test_the_tail_agrees_with_the_interval() -> None:
    for hits, trials in ((0, 50), (3, 50), (49, 50), (50, 50)):
        tally = Tally(trials, hits, hits, hits)
        low, high = clopper_pearson(hits, trials, 0.9)
        for end in (low, high):
            if 0.0 < end < 1.0:
                assert chance_tail(tally, end) == pytest.approx(0.05, rel=1e-6)
    split = Tally(4, 5, 0.75, 0.3125, split=True)
    assert chance_tail(split, 0.1875) == 0.5
    assert chance_tail(split, 0.1875 + 2.353363 * math.sqrt(0.0572917 / 4)) == pytest.approx(0.05, rel=1e-4)
    assert chance_tail(Tally(9, 3, 3.0, 3.0), 0.0) == 0.0


def decided(p: float, bound: float, error: float, chance: np.random.Generator) -> Decision:
    tallies: list[Tally] = []
    while (found := decide_probability(tallies, bound, lambda value: value < bound, error, 100)).more:
        for _ in range(found.more):
            hits = int(chance.binomial(100, p))
            tallies.append(Tally(100, hits, hits, hits))
    return found


@pytest.mark.slow
def test_wrong_decisions_are_as_rare_as_stated() -> None:
    """At the bound itself, each answer is given with certainty in at most 10 % of the cases, whatever the looks.

    300 cases exceed 10 % by three standard deviations, 5.2 %, with a probability of 0.3 %.
    """
    chance = np.random.default_rng(11)
    found = [decided(0.2, 0.2, 0.1, chance) for _ in range(300)]
    for answer in (True, False):
        assert sum(one.certain and one.holds == answer for one in found) <= 300 * 0.152
    assert all(one.certain or one.used == 100 for one in found)
    away = [decided(0.2, 0.25, 0.01, chance) for _ in range(30)]
    assert all(one.certain and one.holds for one in away)
    assert sum(one.used for one in away) / 30 < 30
