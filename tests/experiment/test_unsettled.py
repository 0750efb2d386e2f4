"""What still moves at the end of the runs of an experiment is shown wherever its mean is."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import petri
from petri.engine.native import available
from petri.experiment import Experiment
from petri.experiment.results.outcome import stored_outcome
from petri.experiment.store.database import Store
from petri.measure.trend import FALSE_ALARMS
from petri.report.html import sweep_report
from tests.cli.calling import Call, caller

NET = """\
net line
time us
param load = 0.5
place source = token
place queue : Time fifo
place server = token
transition come: source -> source, queue(end)  takes exp(1 us / load)
transition serve: queue(born), server -> server  takes exp(1 us)
measure wait = now - born at serve  record mean, max
measure waiting = mean(queue)
measure served = rate(serve)
measure passed = count(serve)
run until 2 ms warmup 100 us
"""

needs_native = pytest.mark.skipif(not available(), reason="many replications")


@pytest.fixture
def pnsim(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "line.net").write_text(NET, "utf-8")
    return caller(capsys)


def unsettled(folder: Path, loads: list[float], replications: int, seed: int) -> list[set[str]]:
    """Return the figures that have not settled, of each load; the random numbers of all differ."""
    net, points = folder / "line.net", [{"load": load} for load in loads]
    net.write_text(NET, "utf-8")
    experiment = Experiment(
        net=net, points=points, replications=replications, seed=seed, streams="independent", until="5 ms"
    )
    return [set(point.unsettled) for point in experiment.run(folder / f"{seed}.db", workers=2).points]


@pytest.mark.slow
@needs_native
def test_queues_that_settle_give_no_more_alarms_than_stated(tmp_path: Path) -> None:
    """144 points with 5 replications each. Above the stated rate three times its deviation is by chance."""
    loads = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
    points = [found for seed in range(24) for found in unsettled(tmp_path, loads, 5, seed)]
    expected = FALSE_ALARMS * len(points)
    assert sum(map(bool, points)) <= expected + 3.0 * expected**0.5


@pytest.mark.slow
@needs_native
def test_queues_that_grow_are_found(tmp_path: Path) -> None:
    """Near 1 the growth of short runs drowns in noise; more replications show it."""
    for seed in range(5):
        assert [one >= {"wait", "waiting"} for one in unsettled(tmp_path, [1.1, 1.2, 1.5], 3, seed)] == [True] * 3
    near = [bool(found) for seed in range(5, 10) for found in unsettled(tmp_path, [1.02, 1.05], 30, seed)]
    assert sum(near) >= 9


def test_an_overloaded_point_is_marked_wherever_it_is_shown(pnsim: Call, tmp_path: Path) -> None:
    grid = ("line.net", "--grid", "load=0.5,1.3", "-n", "3", "-q")
    ran = pnsim("sweep", *grid, "--export", "line.csv", "--report", "line.html")
    stable, overloaded = (line for line in ran.out.splitlines() if line.startswith((" 0.5", " 1.3")))
    assert "!" not in stable
    assert overloaded.count(" us !") == 1
    assert "wait at load=1.3 grows steadily from" in " ".join(ran.out.split())
    with (tmp_path / "line.csv").open(encoding="utf-8") as file:
        assert [row["unsettled"] for row in csv.DictReader(file)] == [""] * 3 + ["wait waiting"] * 3
    page = (tmp_path / "line.html").read_text("utf-8")
    assert "Not settled at the end of the runs at 1 of 2 points: wait, waiting" in page
    assert " us !" in page
    points = json.loads(pnsim("sweep", *grid, "--json").out)["points"]
    assert [[one["name"] for one in point["unsettled"]] for point in points] == [[], ["wait", "waiting"]]
    compared = pnsim("compare", "line-sweep.db:load=0.5", "line-sweep.db:load=1.3").out
    assert [line.split()[0] for line in compared.splitlines() if " ! " in line] == ["wait", "wait.max", "waiting"]
    compared = pnsim("compare", "line-sweep.db:load=0.5", "line-sweep.db:load=1.3", "--json").out
    assert [one["name"] for one in json.loads(compared)["measures"] if one["unsettled"]] == [
        "wait", "wait.max", "waiting",
    ]  # fmt: skip


@needs_native
def test_a_search_marks_values_that_fail_while_they_grow(pnsim: Call) -> None:
    search = ("search", "line.net", "--find", "load", "--in", "0.5..1.5", "--while", "wait < 5 us", "-q")
    ran = pnsim(*search, "--resolution", "50%")
    tried = [line for line in ran.out.splitlines() if line.split()[1:2] in (["holds"], ["fails"])]
    assert " ! " not in tried[0]
    assert " !" in tried[-1]
    assert "!: still moves at the end of the runs" in ran.out


STUDY = """\
net: line.net
grid: {load: [0.5, 1.3]}
replications: 3
expected:
  - {at: {load: 0.5}, measure: wait, value: 2 us, within: 50%, source: page 1}
  - {at: {load: 1.3}, measure: wait, value: 2 us, within: 50%, source: page 1}
"""


def test_a_validation_marks_figures_that_move(pnsim: Call, tmp_path: Path) -> None:
    (folder := tmp_path / "validation" / "study").mkdir(parents=True)
    (folder / "line.net").write_text(NET, "utf-8")
    (folder / "figure_1.yaml").write_text(STUDY, "utf-8")
    ran = pnsim("validate", "study", "-q", "--report", "pages")
    stable, overloaded = (line for line in ran.out.splitlines() if line.startswith("figure_1: load="))
    assert " ! " not in stable
    assert " us ! " in overloaded
    note = "!: still moves at the end of the runs, and depends on their length: figure_1: wait at load=1.3 grows"
    assert note in " ".join(ran.out.split())
    page = (tmp_path / "pages" / "index.html").read_text("utf-8")
    assert (page.count(" us !<"), page.count(note)) == (2, 1)  # in the paper's table, and among all figures


@pytest.mark.slow
@needs_native
def test_rfc2544_marks_figures_that_move(pnsim: Call, tmp_path: Path) -> None:
    """At load 1.3 the queue grows, and with it the share of what waits at its end, which is the loss here."""
    text = NET.replace("measure passed", "measure loss = mean(queue) / 10000\nmeasure passed")
    (tmp_path / "line.net").write_text(text, "utf-8")
    study = ("rfc2544", "line.net", "--delay", "wait", "--throughput", "served", "--while", "loss < 1%", "-q")
    ran = pnsim(*study, "--in", "0.3..1.3", "--resolution", "50%", "-n", "3")
    assert " !" in next(line for line in ran.out.splitlines() if line.strip().startswith("0."))
    assert "!: still moves at the end of the runs, and depends on their length: loss at load=1.3 grows" in " ".join(
        ran.out.split()
    )


def test_runs_that_are_compared_are_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for load in (0.5, 1.3):
        found = petri.loads(NET, load=load).run(replications=2, seed=1).to_dict()
        (tmp_path / f"{load}.json").write_text(json.dumps(found), "utf-8")
    ran = caller(capsys)("compare", str(tmp_path / "0.5.json"), str(tmp_path / "1.3.json"), "--measure", "waiting")
    assert "!: still moves" in ran.out


def test_a_store_that_does_not_say_how_figures_moved_is_read_and_continued(tmp_path: Path) -> None:
    """Those of earlier versions have no column for it."""
    (tmp_path / "line.net").write_text(NET, "utf-8")
    experiment = Experiment(net=tmp_path / "line.net", points=[{"load": 1.3}], replications=2)
    path = tmp_path / "line.db"
    whole = experiment.run(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE replications DROP COLUMN courses")
    with Store.open(path) as store:
        read = stored_outcome(store)
    assert read.points[0].intervals == whole.points[0].intervals
    assert (read.points[0].unsettled, read.points[0].to_dict()["unsettled"]) == ({}, None)
    more = Experiment(net=tmp_path / "line.net", points=[{"load": 1.3}], replications=5).run(path)
    assert set(more.points[0].unsettled) == {"wait", "waiting"}


def test_a_page_of_points_that_settle_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "line.net").write_text(NET, "utf-8")
    outcome = Experiment(net=tmp_path / "line.net", points=[{"load": 0.5}], replications=2).run(tmp_path / "line.db")
    assert "ot settled" not in sweep_report(outcome)
