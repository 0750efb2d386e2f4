"""Runs where no thread can be started, as in a browser page: the same figures, errors and ends."""

from __future__ import annotations

import pytest

import petri
from petri.run import threads
from petri.run.stop import interruptible
from petri.run.threads import Threads

NET = """net alone
time s
place p = 3 * token
transition t: p -> p  takes exp(1 s)
measure m = count(t)
run until 50 s  replications 5
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "ALONE", True)
    monkeypatch.setattr("threading.Thread.start", refused)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_figures_are_the_same(engine: str, request: pytest.FixtureRequest) -> None:
    model = petri.loads(NET)
    before = [one.hash for one in model.run(engine=engine).replications]
    request.getfixturevalue("alone")
    assert [one.hash for one in model.run(engine=engine).replications] == before


def test_each_work_is_done_once_and_the_first_error_is_raised(alone: None) -> None:
    done: list[int] = []
    with Threads(2, [lambda: done.append(1), lambda: 1 // 0, lambda: done.append(3)]) as running:
        running.wait(0.0)
        assert done == [1]
        assert not running.done
    assert done == [1, 3]
    assert running.failed
    with pytest.raises(ZeroDivisionError):
        running.results()
    assert interruptible(lambda stop: not stop.is_set()) is True
