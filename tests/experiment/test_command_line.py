"""`pnsim sweep`, `compare` and `rerun` as a user's shell sees them."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.calling import Call, caller
from tests.engines import FASTEST, REFERENCE
from tests.experiment.nets import FAILING, TIMED, stored_rows, write_net
from tests.processes import started


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    return caller(capsys)


def test_a_grid_without_a_file(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path))
    first = call("sweep", net, "--grid", "load=0.3,0.6", "-n", "3", *REFERENCE, "--until", "100", "--warmup", "10")
    assert first.status == 0
    assert "2 points, 6 replications, seed 1, reference engine, store queue-sweep.db" in first.out
    assert re.search(r"load +n +customers +busy\n +0.3 +3 +0\.\d+ ± 0\.\d+ +\d+ ± \d+ %", first.out)
    lines = first.err.splitlines()
    assert [line[:29] for line in lines] == ["1 of 2 points  load=0.3  n 3 ", "2 of 2 points  load=0.6  n 3 "]
    again = call("sweep", net, "--grid", "load=0.3,0.6", "-n", "3", *REFERENCE, "--until", "100", "--warmup", "10")
    assert again.out == first.out
    assert again.err.startswith("note: 6 replications are already in queue-sweep.db")


def test_an_experiment_file_with_expected_values(call: Call, tmp_path: Path) -> None:
    write_net(tmp_path, TIMED, "timed.net")
    text = """
title: Goodput against the gap
net: timed.net
grid: {gap: [10 ns, 20 ns]}
replications: 4
measures: [goodput]
expected:
  - {at: {gap: 10 ns}, measure: goodput, value: 51.2 Gbps, within: 10%, source: by hand}
  - {at: {gap: 20 ns}, measure: goodput, value: 51.2 Gbps, within: 10%, source: by mistake}
"""
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    found = call("sweep", "e.yaml", *REFERENCE, "--export", "e.csv", "--quiet")
    assert found.status == 1
    assert found.err == ""
    assert "timed: Goodput against the gap" in found.out
    assert re.search(r"pass +gap=10 ns +goodput +\S+ ± \S+ Gbps +51.2 Gbps within 10% +by hand", found.out)
    assert re.search(r"MISS +gap=20 ns", found.out)
    assert "1 of 2 expected values found" in found.out
    assert len((tmp_path / "e.csv").read_text(encoding="utf-8").splitlines()) == 9
    assert len(stored_rows(tmp_path / "e.db")) == 8


def test_json(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path))
    found = call("sweep", net, "--grid", "load=0.3", "-n", "3", *REFERENCE, "--json", "-q")
    data = json.loads(found.out)
    assert data["points"][0]["parameters"] == {"load": 0.3}
    assert data["points"][0]["measures"]["customers"]["n"] == 3


def test_precision_that_is_not_reached_is_told(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path))
    limits = ("--precision", "0.01%", "--max-replications", "6")
    found = call("sweep", net, "--grid", "load=0.3", *REFERENCE, *limits, "--measure", "customers")
    assert found.status == 0
    assert "0.42 ± 0.13 *" in found.out
    assert "note[precision-missed]: at load=0.3 the precision of `customers` was not reached" in found.err


def test_a_failing_point(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path, FAILING, "failing.net"))
    found = call("sweep", net, "--grid", "bad=0,1", "-n", "2", *REFERENCE)
    assert found.status == 3
    assert "error[point-failed]: at bad=1, replication 0 stopped with an error in the model" in found.err


WRONG = [
    (["missing.yaml"], "yaml-missing-file"),
    (["bad.yaml"], "experiment-key"),
    (["queue.net", "--grid", "load"], "grid-form"),
    (["queue.net", "--grid", "load=0.1..0.9"], "range-without-step"),
    (["queue.net", "--grid", "load=0.1", "--grid", "load=0.2"], "grid-twice"),
    (["queue.net", "--grid", "load=0.1", "--set", "load=0.2"], "experiment-same-parameter"),
    (["queue.net", "--grid", "load=2"], "point-refused"),
    (["queue.net", "--precision", "small"], "precision-form"),
    (["queue.net", "--measure", "custommers"], "unknown-figure"),
    (["queue.net", "--export", "x.xls"], "export-suffix"),
    (["queue.net", "--store", "queue.net"], "not-a-store"),
    (["queue.net", "--until", "5 ns"], "bad-"),
    (["good.yaml", "--grid", "load=0.1"], "grid-of-file"),
    (["no_such_net"], "unknown-net"),
]


@pytest.mark.parametrize(("arguments", "identifier"), WRONG, ids=[entry[1] for entry in WRONG])
def test_what_is_refused(call: Call, tmp_path: Path, arguments: list[str], identifier: str) -> None:
    write_net(tmp_path)
    (tmp_path / "bad.yaml").write_text("nett: mm1\n", encoding="utf-8")
    (tmp_path / "good.yaml").write_text("net: mm1\n", encoding="utf-8")
    found = call("sweep", *arguments, *REFERENCE)
    assert found.status in (1, 2)
    assert found.out == ""
    if identifier != "bad-":
        assert f"error[{identifier}]" in found.err


def test_compare_and_rerun(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path))
    call("sweep", net, "--grid", "load=0.3,0.6", "-n", "3", *REFERENCE, "--store", "s.db")
    found = call("compare", "s.db:load=0.3", "s.db:load=0.6")
    assert found.status == 0
    assert "3 pairs of replications (same seed), 95 % intervals" in found.out
    call("sweep", net, "--grid", "load=0.3,0.6", "-n", "1", *REFERENCE, "--store", "one.db")
    assert "1 pair of replications (same seed)" in call("compare", "one.db:load=0.3", "one.db:load=0.6").out
    assert re.search(r"busy +\d+\S+ +\d+\S+ +\S+ ± \S+ % +\+\d+\.\d+% +larger", found.out)
    data = json.loads(call("compare", "s.db:load=0.3", "s.db:load=0.6", "--json").out)
    assert data["paired"] is True
    again = call("rerun", "s.db", *REFERENCE[:2])
    assert again.status == 0
    assert again.out.endswith("all 6 are the same\n")
    connection = sqlite3.connect(tmp_path / "s.db")
    with connection:
        connection.execute("UPDATE replications SET hash = '0123456789abcdef' WHERE point = 2 AND replication = 1")
    connection.close()
    assert call("rerun", "s.db:load=0.6", "--replication", "0", *REFERENCE[:2]).status == 0
    differs = call("rerun", "s.db:load=0.6", "--replication", "1", *REFERENCE[:2])
    assert differs.status == 1
    assert "instead of 0123456789abcdef" in differs.out
    assert call("rerun", "s.db:load=0.6", "--replication", "7").status == 2
    assert call("compare", "s.db", "s.db:load=0.6").status == 2


def test_a_result_says_where_its_net_is(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path))
    result = call("run", net, "--json", "--engine", "reference", "--set", "load=0.7", "-n", "2")
    (tmp_path / "r.json").write_text(result.out, encoding="utf-8")
    found = call("rerun", "r.json", *REFERENCE[:2])
    assert (found.status, found.out.splitlines()[-1]) == (0, "all 2 are the same")


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_shows_it(tmp_path: Path) -> None:
    net = str(write_net(tmp_path))
    arguments = ["sweep", net, "--grid", "load=0.3,0.6", "-n", "500", "--until", "500", *REFERENCE, "--store", "s.db"]
    with started(*arguments, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        limit = time.monotonic() + 60
        while time.monotonic() < limit and rows_of(tmp_path / "s.db") < 3:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in err
    assert b"Traceback" not in err
    kept = rows_of(tmp_path / "s.db")
    assert 3 <= kept < 1000
    assert f"{kept} replications kept in `s.db`".encode() in err
    assert f"2 points, {kept} replications".encode() in out


def rows_of(path: Path) -> int:
    try:
        return len(stored_rows(path))
    except sqlite3.Error:
        return 0


@pytest.mark.slow
def test_progress_on_a_terminal(tmp_path: Path) -> None:
    net = str(write_net(tmp_path))
    arguments = ["sweep", net, "--grid", "load=0.3,0.6", "-n", "12", "--until", "400", *REFERENCE]
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with started(*arguments, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=child, env=environment) as process:
        os.close(child)
        shown = b""
        while select.select([parent], [], [], 60)[0]:
            try:
                shown += os.read(parent, 4096)
            except OSError:
                break
        assert process.wait(timeout=60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"\d+%  [01] of 2 points  \d+ of 24 replications  \d+ s left", text)
    assert re.search(r"load=0\.\d  n \d+", text)
    assert re.search(r"  customers \d\.\d+ ± \d\.\d+", text)


SLOW_START = """\
net slow_start
time ns
place source = token
place line
place server = token
transition arrive: source -> source, line   takes exp(2 ns)
transition serve: line, server -> server    takes exp(if now < 100 ns then 3 ns else 0.5 ns)
measure length = mean(line)
"""


def test_a_run_finds_its_warmup(call: Call, tmp_path: Path) -> None:
    net = str(write_net(tmp_path, SLOW_START, "slow.net"))
    found = call("run", net, "--warmup", "auto", "--until", "2 us", "--engine", FASTEST, "--json")
    assert found.status == 0
    assert 100 <= json.loads(found.out)["manifest"]["warmup"] <= 400
    assert re.search(r"note\[warmup-found\]: the warm-up ends at [0-9.]+ ns", found.err)
    dead = call("run", net, "--warmup", "auto", "--until", "dead", "--engine", "reference")
    assert dead.status == 2
    assert "error[warmup-without-end]" in dead.err
