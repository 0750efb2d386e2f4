"""Searches for the largest value at which a condition holds, against exact values."""

from __future__ import annotations

import math
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.experiment.design.definition import Definition
from petri.experiment.errors import ExperimentError
from petri.experiment.threshold.definition import Search
from petri.experiment.threshold.ladder import make_ladder
from petri.experiment.threshold.outcome import SearchOutcome
from petri.experiment.yaml.study import load_study
from petri.run.ensemble import Ensemble
from petri.run.replications import replicate
from tests.experiment.nets import FAILING, write_net

MD1K = """\
net md1k
param load = 0.5 in 0..10      ## arrivals per service time
param seats = 10 in 1..100_000
param scheme = true
place source = token
place door
place seat = seats * token
place queue
place server = token
transition arrive: source -> source, door         takes exp(1 / load)
transition enter:  door, seat -> queue            priority 1
transition refuse: door -> nothing
transition serve:  queue, server -> server, seat  takes 1
measure loss = count(refuse) / count(arrive)
measure customers = seats - mean(seat)
measure stay = now at serve record mean, max
run until 2_000 warmup 200
"""

needs_native = pytest.mark.skipif(not available(), reason="many replications")


@pytest.fixture
def md1k(tmp_path: Path) -> str:
    path = tmp_path / "md1k.net"
    path.write_text(MD1K, encoding="utf-8")
    return str(path)


# ---------------------------------------------------------------- exact values


def blocking(load: float, seats: int) -> float:
    """Return the share of customers that M/D/1/K refuses, from the chain of its departures (Gross and Harris,
    5.1.7).
    """
    arrivals = [math.exp(-load) * load**k / math.factorial(k) for k in range(seats)]
    chain = np.zeros((seats, seats))
    for before in range(seats):
        for after in range(max(before - 1, 0), seats - 1):
            chain[before, after] = arrivals[after - max(before - 1, 0)]
        chain[before, seats - 1] = 1.0 - chain[before].sum()
    equations = np.vstack([chain.T - np.eye(seats), np.ones(seats)])
    left = np.linalg.lstsq(equations, np.array([0.0] * seats + [1.0]), rcond=None)[0]
    return float(1.0 - 1.0 / (left[0] + load))


def loss_free(load: float, seats: int, length: int, grid: int = 100) -> float:
    """Return the probability that M/D/1/K, empty at 0, refuses nobody until `length`; services take `grid` steps."""
    arrival = -math.expm1(-load / grid)
    states = {(0, 0): 0} | {(n, r): 1 + (n - 1) * grid + r - 1 for n in range(1, seats + 1) for r in range(1, grid + 1)}
    step = np.zeros((len(states), len(states)))
    for (n, rest), number in states.items():
        after, left = (n, rest - 1) if rest > 1 else (max(n - 1, 0), grid if n > 1 else 0)
        step[number, states[after, left]] += 1.0 - arrival
        if after < seats:
            step[number, states[after + 1, left or grid]] += arrival
    return float(np.linalg.matrix_power(step, length * grid)[0].sum())


def root(figure: Any, bound: float, low: float, high: float) -> float:
    """Return where a rising function reaches a bound."""
    while high - low > 1e-9:
        middle = (low + high) / 2.0
        low, high = (low, middle) if figure(middle) > bound else (middle, high)
    return low


def test_the_oracle_itself() -> None:
    """M/D/1/1 refuses like M/M/1/1, and M/D/1 with many seats nobody."""
    assert blocking(0.5, 1) == pytest.approx(0.5 / 1.5)
    assert blocking(0.5, 60) == pytest.approx(0.0, abs=1e-12)
    apart = sum(0.5**n * (5 - n) ** n / math.factorial(n) for n in range(5))  # arrivals that are more than 1 apart
    assert loss_free(0.5, 1, 4) == pytest.approx(math.exp(-2.0) * apart, rel=0.01)


# ---------------------------------------------------------------- what is found


@pytest.mark.slow
@needs_native
def test_the_load_with_five_percent_of_loss(md1k: str) -> None:
    """Coarser than the next, and so faster."""
    found = petri.search(
        md1k, find="load", between="0.55..1.05", condition="loss <= 5%", resolution="5%", until=2_000, seed=2,
        fixed={"seats": 5}, max_replications=60,
    )  # fmt: skip
    exact = root(lambda load: blocking(load, 5), 0.05, 0.55, 1.05)
    assert isinstance(found.value, float)
    assert found.value <= exact <= found.value + 0.0526
    assert found.found[0].probability >= 0.9


@pytest.mark.slow
@needs_native
@pytest.mark.parametrize(("seats", "seed"), [(10, 2), (5, 1), (20, 3)])
def test_the_load_with_one_percent_of_loss(md1k: str, seats: int, seed: int) -> None:
    found = petri.search(
        md1k, find="load", between="0.5..1", condition="loss <= 1%", resolution="2%", until=20_000, seed=seed,
        fixed={"seats": seats}, max_replications=400,
    )  # fmt: skip
    exact = root(lambda load: blocking(load, seats), 0.01, 0.5, 1.0)
    assert isinstance(found.value, float)
    assert found.value <= exact <= found.value + 0.0201
    assert found.found[0].probability >= 0.9


@needs_native
@pytest.mark.slow
def test_the_largest_load_without_loss(md1k: str) -> None:
    """More than half of the runs at the load found are free of loss, and fewer than 95 % of those at the next."""
    found = petri.search(
        md1k, find="load", between="0.1..1", condition="loss == 0", fixed={"seats": 8}, until=500, warmup=0
    )
    last, following = found.found[0].last, found.found[0].next
    assert last is not None
    assert following is not None
    assert float(following.value) - float(last.value) == pytest.approx(0.01)
    assert loss_free(float(last.value), 8, 500, 20) > 0.5
    assert loss_free(float(following.value), 8, 500, 20) < 0.95
    assert found.found[0].probability >= 0.95


@pytest.mark.slow
@needs_native
def test_a_queue_that_still_grows_is_not_free_of_loss(md1k: str) -> None:
    """So many seats that nobody is refused within the run: only the growth of the queue shows what is too much."""
    options: dict[str, Any] = {"find": "load", "between": "0.5..1.5", "condition": "loss == 0", "until": 2_000}
    blind = petri.search(md1k, **options, fixed={"seats": 90_000}, growth=False)
    assert blind.found[0].status == "holds to the end"
    found = petri.search(md1k, **options, fixed={"seats": 90_000})
    assert found.found[0].next is not None
    assert found.found[0].next.grows is not None
    assert found.found[0].next.grows.name == "queue"
    assert 0.9 < float(found.value) < 1.1  # type: ignore[arg-type]


def small(md1k: str, **changes: Any) -> SearchOutcome:
    options = {"find": "load", "between": "0.2..1.2", "condition": "loss <= 2%", "resolution": 0.1, "until": 500}
    return petri.search(md1k, **{**options, "fixed": {"seats": 4}, "max_replications": 20, **changes})


def decisions(outcome: SearchOutcome) -> list[tuple[Any, ...]]:
    return [
        (trial.value, trial.holds, trial.error, [row.hash for row in trial.point.rows], dict(trial.point.parameters))
        for found in outcome.found
        for trial in found.trials
    ]


@pytest.mark.slow
def test_a_search_repeats_itself(md1k: str) -> None:
    """On any number of threads, on either engine."""

    def found(**changes: Any) -> list[tuple[Any, ...]]:
        return decisions(small(md1k, resolution=0.25, until=300, max_replications=12, **changes))

    first = found()
    assert found(threads=1) == first
    assert found(engine="reference") == first
    assert found(seed=2) != first


def test_a_search_at_each_point(md1k: str) -> None:
    found = small(md1k, fixed={}, grid={"seats": [2, 8]})
    assert [one.parameters for one in found.found] == [{"seats": 2}, {"seats": 8}]
    assert float(found.found[0].value) < float(found.found[1].value)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="2 points"):
        _ = found.value
    assert set(found.outcome.table()) >= {"seats", "load", "loss"}
    values = f"{found.found[0].value}, {found.found[1].value}"
    assert repr(found) == f"SearchOutcome md1k: largest load with loss <= 2%; {values}"


@pytest.mark.slow
def test_the_smallest_value_from_the_other_end(md1k: str) -> None:
    """A range from its greater end: fewer seats lose more."""
    found = small(md1k, find="seats", between="20..1", resolution=1, fixed={"load": 0.8})
    assert isinstance(found.value, int)
    assert found.found[0].next is not None
    assert found.found[0].next.value == found.value - 1
    assert blocking(0.8, found.value) < 0.025
    assert blocking(0.8, found.value - 1) > 0.015


def test_where_nothing_is_found(md1k: str) -> None:
    assert small(md1k, between="1..1.2").found[0].status == "fails at the start"
    assert small(md1k, between="1..1.2").value is None
    over = small(md1k, between="0.1..0.3")
    assert (over.found[0].status, over.value) == ("holds to the end", 0.3)
    assert not over.done


def test_ctrl_c_keeps_what_is_decided(md1k: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def interrupted_later(*arguments: Any, **options: Any) -> tuple[Ensemble, bool]:
        calls.append(1)
        ran, _ = replicate(*arguments, **options)
        return ran, len(calls) > 3

    monkeypatch.setattr("petri.experiment.procedure.points.replicate", interrupted_later)
    found = small(md1k)
    assert found.interrupted
    assert found.found[0].status == "unfinished"
    assert found.found[0].trials


# ---------------------------------------------------------------- values and conditions


@pytest.mark.parametrize(
    ("between", "resolution", "whole", "values"),
    [
        ("0.5..1", "10%", False, [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ("1..2 Gbps", "500 Mbps", False, ["1.0 Gbps", "1.5 Gbps", "2.0 Gbps"]),
        ("1..10", 3, True, [1, 4, 7, 10]),
        ("1..10", "1%", True, list(range(1, 11))),
        ("1..8 times 2", None, True, [1, 2, 4, 8]),
        ("3..1", 1, True, [3, 2, 1]),
        ((0.1, 0.3), 0.1, False, [0.1, 0.2, 0.3]),
    ],
)
def test_the_values_that_are_tried(between: Any, resolution: Any, whole: bool, values: list[Any]) -> None:
    ladder = make_ladder(between, resolution, whole=whole)
    assert [ladder.value(number) for number in range(ladder.steps + 1)] == values


WRONG = [
    ({"find": "lod"}, "unknown-parameter", "did you mean `load`"),
    ({"find": "scheme"}, "search-not-numeric", "`load` and `seats`"),
    ({"between": "0.5"}, "search-range", "0.5..1"),
    ({"between": "0.5..0.5"}, "search-one-value", "two ends"),
    ({"between": "0.5..1 Gbps"}, "point-", "cannot"),
    ({"resolution": "1 apple"}, "search-resolution-unit", "no unit"),
    ({"resolution": "fine"}, "search-resolution", "1%"),
    ({"resolution": "-1%"}, "search-resolution", "1%"),
    ({"resolution": 1e-12}, "search-too-fine", "larger"),
    ({"between": "0.5..1 step 0.1", "resolution": "1%"}, "search-two-resolutions", "step"),
    ({"find": "seats", "between": "1.5..9", "fixed": {}}, "search-whole", "whole"),
    ({"condition": "loss"}, "search-condition", "loss == 0"),
    ({"condition": "loss = 0"}, "search-sign", "write `==`"),
    ({"condition": "los == 0"}, "unknown-figure", "did you mean `loss`"),
    ({"condition": "load < 1"}, "search-of-parameter", "measures"),
    ({"condition": "loss < customers"}, "search-two-measures", "quotient"),
    ({"condition": "loss < 1 us"}, "unit-of-measure", "plain"),
    ({"condition": "stay < much"}, "not-a-quantity", "unit"),
    ({"confidence": 1.0}, "search-confidence", "95%"),
    ({"fixed": {"load": 0.5}}, "experiment-same-parameter", "fixed"),
    ({"measures": ["los"]}, "unknown-figure", "loss"),
]


@pytest.mark.parametrize(("change", "identifier", "told"), WRONG, ids=[f"{one[1]}-{n}" for n, one in enumerate(WRONG)])
def test_what_is_refused(md1k: str, change: dict[str, Any], identifier: str, told: str) -> None:
    with pytest.raises((ExperimentError, LanguageError)) as refused:
        small(md1k, **change)
    text = str(refused.value)
    assert told in text
    if identifier != "point-":
        assert f"[{identifier}]" in text


def test_a_run_that_fails_ends_the_search(tmp_path: Path) -> None:
    net = str(write_net(tmp_path, FAILING, "failing.net"))
    with pytest.raises(ExperimentError, match=r"point-failed.*at bad=1, replication 0"):
        petri.search(net, find="bad", between="0..1", condition="steps > 0", until=100)


# ---------------------------------------------------------------- from a file

FILE = """\
title: Loss of one percent
net: md1k.net
set: {seats: 4}
search:
  find: load
  in: 0.2..1.2
  while: loss <= 2%
  resolution: 0.1
  confidence: 90%
  max-replications: 20
  growth-check: false
until: 500
seed: 3
"""


def test_a_file(md1k: str, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    runs = Definition(md1k, [{}], {"seats": 4}, until=500.0, seed=3, expected=[], title="Loss of one percent")
    assert load_study(Search, tmp_path / "s.yaml") == Search(
        runs=runs, find="load", between="0.2..1.2", condition="loss <= 2%", resolution="0.1", confidence=0.9,
        max_replications=20, growth=False,
    )  # fmt: skip


def test_everything_wrong_in_a_file_is_told_at_once(md1k: str, tmp_path: Path) -> None:
    text = "net: md1k.net\nreplications: 4\nsearch:\n  fnd: load\n  in: 1\n  while: loss\n  confidence: 2\ngird: {}\n"
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(LanguageError) as refused:
        load_study(Search, tmp_path / "s.yaml")
    told = {(one.id, one.span.line if one.span else 0) for one in refused.value.diagnostics}
    assert told == {
        ("search-key", 2), ("experiment-missing", 4), ("experiment-key", 4), ("search-range", 5),
        ("search-condition", 6), ("search-confidence", 7), ("experiment-key", 8),
    }  # fmt: skip


def test_a_search_and_a_sweep_are_told_apart(md1k: str, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(FILE, encoding="utf-8")
    with pytest.raises(LanguageError, match="pnsim search"):
        petri.Experiment.load(tmp_path / "s.yaml")
    (tmp_path / "e.yaml").write_text("net: md1k.net\n", encoding="utf-8")
    with pytest.raises(LanguageError, match="pnsim sweep"):
        load_study(Search, tmp_path / "e.yaml")


def test_what_a_program_leaves_out_or_gives_wrongly_is_named(md1k: str) -> None:
    asked: dict[str, Any] = {"find": "load", "between": "0.2..1.2", "condition": "loss <= 2%"}
    with pytest.raises(TypeError, match=r"`find` is missing, such as find='load'"):
        petri.search(md1k, between="0.2..1.2", condition="loss <= 2%")
    with pytest.raises(TypeError, match="`condition` is a text, such as 'loss == 0', not 3"):
        petri.search(md1k, **{**asked, "condition": 3})
    with pytest.raises(ValueError, match="max_replications"):
        petri.search(md1k, **asked, max_replications=0)
    with pytest.raises(TypeError, match="no option `resolutoin`; did you mean `resolution`"):
        petri.search(md1k, **asked, resolutoin="1%")
    parameters = signature(petri.search).parameters
    assert list(parameters)[:3] == ["net", "find", "between"]
    assert parameters["resolution"].default is None
