"""What still moves at the end of a run is told: in Python, on the terminal, in JSON and on the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import petri
from petri.measure.trend import FALSE_ALARMS, PARTS, moving
from tests.cli.calling import Call, caller

NET = """
net line
param load = 0.5
place source = token
place queue : real fifo
place server = token
place done
transition come: source -> source, queue(end)  takes exp(1 / load)
transition serve: queue(born), server -> server, done  takes exp(1)
measure wait = now - born at serve  record mean, max
measure passed = count(serve)
run until 4000
"""


@pytest.fixture
def pnsim(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


@pytest.mark.parametrize("replications", [1, 4])
def test_a_queue_that_gets_more_than_it_can_serve_is_told(replications: int) -> None:
    result = petri.loads(NET, load=1.2).run(replications=replications, seed=3)
    assert [(one.kind, one.name) for one in result.drifts] == [("place", "queue"), ("measure", "wait")]
    assert result.drifts[0].late > 2 * result.drifts[0].early


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_a_queue_that_settles_is_not(load: float) -> None:
    assert [petri.loads(NET, load=load).run(seed=seed).drifts for seed in range(20)] == [()] * 20


def test_the_note_is_on_the_terminal_in_json_and_on_the_page(pnsim: Call, tmp_path: Path) -> None:
    net = tmp_path / "line.net"
    net.write_text(NET)
    page = tmp_path / "page.html"
    ran = pnsim("run", str(net), "--set", "load=1.2", "--report", str(page))
    assert ran.status == 0
    assert "note[place-still-grows]: the tokens of `queue` still grow:" in ran.err
    assert "note[measure-unsettled]: `wait` has not settled:" in ran.err
    assert "Not settled at the end of the run" in page.read_text(encoding="utf-8")
    ran = pnsim("run", str(net), "--set", "load=1.2", "--json", "-q")
    assert [one["name"] for one in json.loads(ran.out)["unsettled"]] == ["queue", "wait"]
    ran = pnsim("run", str(net), "--report", str(page))
    assert "grow" not in ran.err
    assert "Not settled" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("replications", [1, 6])
def test_false_alarms_are_as_rare_as_stated(replications: int) -> None:
    """Of 4000 results of 5 figures that do not move, with a spread that the least change does not hide."""
    chance = np.random.default_rng(1)
    alarms = 0
    for _ in range(4000):
        values = chance.exponential(size=(replications, PARTS, 5))
        alarms += bool(moving(values, 5, rising=False))
    assert alarms <= 1.3 * FALSE_ALARMS * 4000
