"""A desk without threads, as a browser page has it: it is asked to go on for a slice of time, again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.live.desk import Desk
from petri.run import threads
from tests.live.tables import COUNTER, PATIENCE, source


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    def refused(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    (tmp_path / "net.net").write_text(COUNTER, encoding="utf-8")
    monkeypatch.setattr(threads, "ALONE", True)
    monkeypatch.setattr("threading.Thread.start", refused)
    made = Desk(source(tmp_path / "net.net"), threads=0)
    made.watched(1)
    yield made
    made.close()


def stepped(desk: Desk, wanted: Callable[[dict[str, Any]], bool], seconds: float = 0.01) -> dict[str, Any]:
    """Return the first answer that is wanted, in slices."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        desk.step(seconds)
        answer = desk.wait(0, 0.0)[1]
        if answer and wanted(answer):
            return answer
    raise AssertionError(f"no such answer: {desk.wait(0, 0.0)[1]}")


def enough(answer: dict[str, Any]) -> bool:
    return bool(answer.get("count", 0) >= 3)


def test_slices_have_the_figures_of_a_run(desk: Desk, tmp_path: Path) -> None:
    answer = stepped(desk, enough, 0.001)
    whole = petri.load(tmp_path / "net.net").run(replications=answer["count"])
    assert {one["name"]: one["value"] for one in answer["figures"]} == {one.name: one.value for one in whole.measures}


def test_a_turned_parameter_changes_the_figures_and_other_points_have_their_turn(desk: Desk) -> None:
    slow = stepped(desk, enough)
    desk.change(settings={"clerks": "2"}, parameter="gap", measure="wait")
    fast = stepped(desk, lambda one: one.get("settings") == {"clerks": "2"} and enough(one) and bool(one.get("curve")))
    wait = [next(one["value"] for one in each["figures"] if one["name"] == "wait") for each in (slow, fast)]
    assert wait[1] < wait[0] / 2


def test_nothing_runs_while_nobody_looks(desk: Desk) -> None:
    stepped(desk, enough)
    desk.watched(-1)
    while desk.step(0.01):
        pass
    assert desk.now is not None
    count = len(desk.now.ran)
    assert not desk.step(0.01)
    assert len(desk.now.ran) == count


def test_firings_are_counted_once(desk: Desk) -> None:
    """The speed that is shown is that of all firings, however many slices a replication has had."""
    stepped(desk, enough, 0.0005)
    refinement = desk._refinement
    assert refinement is not None
    ran = refinement.main.ran
    assert refinement.progress.finished == len(ran)
    assert refinement.progress.firings == sum(one.firings for one in ran)


def test_the_text_is_followed(desk: Desk, tmp_path: Path) -> None:
    stepped(desk, enough)
    (tmp_path / "net.net").write_text(COUNTER.replace("busy(clerk)", "busy(clrk)"), encoding="utf-8")
    desk.change_text()
    assert "did you mean `clerk`" in stepped(desk, lambda one: bool(one.get("problem")))["problem"]
    (tmp_path / "net.net").write_text(COUNTER.replace("net counter", "net other"), encoding="utf-8")
    desk.change_text()
    assert stepped(desk, lambda one: one.get("net") == "other")["problem"] == ""
