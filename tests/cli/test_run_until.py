"""Runs until a number of firings, until a figure passes a bound, and until measures are precise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import petri
from petri.engine.interface import Session
from petri.engine.native import available
from petri.run.condition import StopCondition

from .calling import Call

ENGINES = ["reference", *(["native"] if available() else [])]
NET = """
place source = token
place queue
place server = token
transition arrive: source -> source, queue   takes exp(2)
transition serve: queue, server -> server    takes exp(1.6)
transition rest: queue, server -> server     takes 1   weight 0.01
measure served = count(serve)
measure wait = end - now at serve   record mean, count
run until {end}
"""


def results(end: str) -> list[petri.Result]:
    return [petri.loads(NET.format(end=end)).run(engine=engine) for engine in ENGINES]


@pytest.mark.parametrize(
    ("end", "served"),
    [
        ("count(serve) >= 300", 300),
        ("count(serve) == 300", 300),
        ("count(serve) > 300  warmup 50", 301),
        ("wait.count >= 3 * 40", 120),
        ("count(serve) + 0 >= 17", 17),
        ("count(serve) + count(serve) >= 600", 300),
    ],
)
def test_a_run_ends_at_the_firing_that_makes_the_number_full(end: str, served: int) -> None:
    runs = results(end)
    assert [run.measure("served").value for run in runs] == [served] * len(runs)
    assert len({run.hash for run in runs}) == 1
    assert {one.ended for run in runs for one in run.replications} == {"until"}


def test_a_sum_of_counts_is_full_at_the_very_firing_and_soon_found(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    look = StopCondition.holds

    def counted(condition: StopCondition, session: Session) -> bool:
        if session.firings >= condition.next:
            looks.append(session.firings)
        return look(condition, session)

    monkeypatch.setattr(StopCondition, "holds", counted)
    model = petri.loads(NET.format(end="count(serve) + count(rest) >= 5_000"))
    seen = model.run().replications[0].window
    assert seen.firings[1] + seen.firings[2] == 5_000
    assert len(looks) < 50


def test_a_run_ends_when_a_figure_passes_its_bound() -> None:
    runs = results("max(queue) >= 12")
    assert {run.replications[0].window.maximum[1] for run in runs} == {12}
    assert len({run.hash for run in runs}) == 1


def test_a_condition_that_never_holds_does_not_keep_a_dead_net() -> None:
    text = "place p = 3 * token\ntransition t: p -> nothing   takes 1\nrun until count(t) >= 9"
    assert [petri.loads(text).run(engine=engine).replications[0].ended for engine in ENGINES] == ["dead"] * len(ENGINES)


def test_an_end_in_time_overrides_the_condition() -> None:
    assert petri.loads(NET.format(end="count(serve) >= 1")).run(until=500).measure("served").value > 100


def test_the_terminal_says_until_when(call: Call, write: Callable[..., str]) -> None:
    path = write(NET.format(end="count(serve) >= 300"))
    assert "until count(serve) >= 300, 1 replication" in call("run", path).out
    assert "runs until count(serve) >= 300" in " ".join(call("info", path).out.split())


def test_a_precision_adds_replications(call: Call, write: Callable[..., str]) -> None:
    path = write(NET.format(end="2000  precision 5%"))
    result = petri.load(path).run()
    assert len(result.replications) >= 10
    assert all(one.interval.half_width <= 0.05 * one.interval.mean for one in result.measures)
    assert f"{len(result.replications)} replications" in call("run", path).out
    assert "3 replications" in call("run", path, "--replications", "3").out
