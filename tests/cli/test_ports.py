"""Ports of a net from files and into files: `--stream`, `--out`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import petri
from petri import language
from petri.codec import net_to_dict
from petri.diagnostics import LanguageError
from petri.run.session import begin
from petri.traffic.attach import with_streams
from tests.engines import ENGINES

from .calling import Call

NET = """net line
time us
type Job = { size: Bytes, kind: small | large }
port in jobs : Job fifo
port in go
port out done : Job
place idle = token
transition serve: jobs(j), go, idle -> done(j), idle  takes 2 us
run until 100 us
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "line.net").write_text(NET)
    (tmp_path / "jobs.csv").write_text("time [ns],size [KB],kind\n1000,1,small\n1500,2,large\n1500,3,small\n")
    (tmp_path / "go.csv").write_text("time\n1\n1\n20\n")
    return tmp_path


def test_rows_come_at_their_times_and_leave_in_a_file(call: Call, folder: Path) -> None:
    streams = (f"--stream=jobs={folder}/jobs.csv", f"--stream=go={folder}/go.csv")
    ran = call("run", f"{folder}/line.net", *streams, f"--out=done={folder}/done.csv")
    assert ran.status == 0, ran.err
    assert (folder / "done.csv").read_text() == (
        "time [us],size [B],kind\n3.0,1000.0,small\n5.0,2000.0,large\n22.0,3000.0,small\n"
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("block", [1, 2, None])
def test_how_much_is_read_at_a_time_does_not_matter(folder: Path, engine: str, block: int | None) -> None:
    net = with_streams(language.loads(NET), {"jobs": folder / "jobs.csv", "go": folder / "go.csv"})
    session = begin(net, engine, 1, 0, block=block)
    session.keep_outputs()
    assert session.advance(net.tick.ticks(100.0), 1000) == "dead"
    assert session.now == net.tick.ticks(22.0)
    assert [round(net.tick.time(time), 6) for time, *_ in session.outputs(2)] == [3.0, 5.0, 22.0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_time_that_falls_is_refused_with_its_row(folder: Path, engine: str) -> None:
    (folder / "go.csv").write_text("time\n3\n2\n")
    files = {name: str(folder / f"{name}.csv") for name in ("jobs", "go")}
    model = petri.load(str(folder / "line.net")).with_streams(files)
    result = model.run(engine=engine)
    assert result.failure is not None
    assert result.failure.id == "stream-time-back"
    assert "line 3" in str(result.failure.values["where"])


def test_a_file_of_no_rows_is_no_arrivals(folder: Path) -> None:
    (folder / "go.csv").write_text("time\n")
    model = petri.load(str(folder / "line.net")).with_streams({"go": str(folder / "go.csv")})
    assert model.run(engine="reference").replications[0].firings == 0


def test_a_port_out_gets_no_file(call: Call, folder: Path) -> None:
    model = petri.load(str(folder / "line.net"))
    with pytest.raises(LanguageError, match="no place `done` that gets its tokens from a file"):
        model.with_streams({"done": "jobs.csv"})
    ran = call("run", f"{folder}/line.net", "--out", "jobs=x.csv")
    assert ran.status == 2
    assert "`line` has no `port out jobs`" in ran.err


def test_flat_writes_what_a_program_loads(call: Call, folder: Path) -> None:
    ran = call("flat", f"{folder}/line.net", "-o", f"{folder}/line.json")
    assert (ran.status, ran.out) == (0, "")
    written = json.loads((folder / "line.json").read_text())
    assert written == net_to_dict(language.loads(NET), spans=False)
    assert call("flat", f"{folder}/line.net", "-o", f"{folder}/line.net").status == 2
