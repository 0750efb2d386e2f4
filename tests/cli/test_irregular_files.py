"""Pipes, devices, sockets and folders where a file should be: a message at once, never an endless wait."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from petri.engine.native import available
from tests.traffic.files import conversation, net, pcap

from .calling import Call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no such files")

ROWS = "time [us],size,flow\n0,100,0\n1,100,0\n5,100,0\n"
SECONDS = 60  # a machine under load starts Python slowly; what hangs, hangs for ever


@pytest.fixture(params=["a pipe", "a device", "a socket", "a folder"])
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return what `tmp_path / "it"` is."""
    path = tmp_path / "it"
    if request.param == "a pipe":
        os.mkfifo(path)
    elif request.param == "a device":
        path.symlink_to("/dev/zero")
    elif request.param == "a folder":
        path.mkdir()
    else:
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("it")
        os.chdir(here)
    return str(request.param)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the test in its own folder, and fail if it waits for ever."""

    def too_long(*_: object) -> None:
        pytest.fail("the command waits")

    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_a_stream_of_the_net(tmp_path: Path, call: Call, kind: str) -> None:
    (tmp_path / "n.net").write_text(net().replace("stream()", 'stream("it")'))
    ran = call("run", "n.net")
    if kind == "a device":  # it leads out of the folder of the net
        assert ran.status == 1
        assert "error[path-outside]" in ran.err
    else:
        assert ran.status == 2
        assert ran.err.startswith(f"error[stream-not-regular]: `it` is {kind}")
        assert ran.err.count("error[") == 1


def test_a_stream_of_a_sweep(tmp_path: Path, call: Call, kind: str) -> None:
    (tmp_path / "n.net").write_text(net())
    (tmp_path / "e.yaml").write_text("net: n.net\nrecordings: {packets: it}\n")
    ran = call("sweep", "e.yaml", "--root", "/")
    assert ran.status == 2
    assert ran.err.count("error[") == 1
    assert f"it` is {kind}" in ran.err


def test_the_net_of_a_sweep(tmp_path: Path, call: Call, kind: str) -> None:
    (tmp_path / "e.yaml").write_text("net: ./it\n")
    ran = call("sweep", "e.yaml", "--root", "/")
    assert ran.status in (1, 2)
    assert ran.err.count("error[") == 1
    assert f"it` is {kind}" in ran.err


@pytest.mark.parametrize("command", ["check", "fmt", "run"])
def test_a_link_that_leads_to_itself(tmp_path: Path, call: Call, command: str) -> None:
    (tmp_path / "n.net").symlink_to("n.net")
    ran = call(command, "n.net")
    assert ran.status == 2
    assert (ran.out + ran.err).count("error[") == 1
    assert "bug in pnsim" not in ran.err


@pytest.mark.parametrize("what", ["import", "table"])
def test_imports_and_tables(tmp_path: Path, call: Call, kind: str, what: str) -> None:
    line = 'import "it"' if what == "import" else 'measure m = average("it")'
    (tmp_path / "n.net").write_text(f"net n\n{line}\nplace p = token\ntransition t: p -> p takes 1\nrun until 5\n")
    for command in ("check", "run"):
        ran = call(command, "n.net")
        assert ran.status == 1
        told = ran.out + ran.err
        assert told.count("error[") == 1
        identifier = "path-outside" if kind == "a device" else f"{what}-not-regular"
        assert f"error[{identifier}]" in told
        assert kind == "a device" or f"`it` is {kind}" in told


def test_a_table_that_is_given(tmp_path: Path, call: Call, kind: str) -> None:
    text = 'net n\nplace p = token\ntransition t: p -> p takes table("t.csv")\nrun until 5\n'
    (tmp_path / "n.net").write_text(text)
    ran = call("run", "n.net", "--table", "t.csv=it")
    assert ran.status == 1
    assert f"error[table-not-regular]: `t.csv` is {kind}" in ran.err


def test_a_pipe_may_be_given_to_a_run(tmp_path: Path, call: Call, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is copied, so that several replications and the digest can read it."""
    (tmp_path / "n.net").write_text(net())
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(own))
    writing = threading.Thread(target=(tmp_path / "it").write_text, args=[ROWS], daemon=True)
    if kind == "a pipe":
        writing.start()
    ran = call("run", "n.net", "--stream", "packets=it", "-n", "3", "--json")
    assert list(own.iterdir()) == []
    if kind != "a pipe":
        assert ran.status == 2
        assert ran.err.startswith(f"error[stream-not-regular]: `it` is {kind}")
        return
    assert (ran.status, ran.err) == (0, "")
    assert '"file": "it",\n      "rows": 3,' in ran.out
    (tmp_path / "kept.json").write_text(ran.out)
    again = call("rerun", "kept.json")
    assert "error[stream-missing]" in again.err
    assert "--stream packets=FILE" in again.err
    (tmp_path / "rows.csv").write_text(ROWS)
    assert call("rerun", "kept.json", "--stream", "packets=rows.csv").status == 0


@pytest.mark.skipif(not available(), reason="captures are read by the native part")
def test_a_capture_may_come_through_a_pipe_in_small_pieces(tmp_path: Path) -> None:
    (tmp_path / "n.net").write_text(net())
    os.mkfifo(tmp_path / "it")
    command = [sys.executable, "-m", "pnsim", "run", "n.net", "--stream", "packets=it"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as ran:
        data = pcap(conversation(20), nano=True)
        with (tmp_path / "it").open("wb", buffering=0) as pipe:
            for start in range(0, len(data), 100):
                pipe.write(data[start : start + 100])
        out, _ = ran.communicate(timeout=SECONDS)
    assert ran.returncode == 0
    assert out.split("sent")[1].split()[0] == "20"
