"""A real cluster on this machine, with a worker that is killed on the way."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from petri.experiment import Experiment, ExperimentError, sweep
from petri.experiment.procedure.campaign import State
from petri.experiment.procedure.workers import Dask
from tests.experiment.nets import stored_rows, write_net
from tests.processes import started

# Half a second, which a collection of tests need not take.
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed")


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_rows(tmp_path: Path) -> None:
    experiment = Experiment(
        net=write_net(tmp_path),
        points=[{"load": 0.3}, {"load": 0.6}],
        replications=12,
        until=400,
        warmup="auto",
        seed=3,
    )
    crew = Dask("local", 2)
    killed: list[int] = []

    def watch(state: State) -> None:
        if state.here >= 4 and not killed:
            killed.extend(crew.client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    try:
        sweep(experiment, tmp_path / "dask.db", engine="reference", workers=crew, watch=watch)
        assert killed
        address = crew.client.scheduler.address
        other = Dask(address)
        sweep(experiment, tmp_path / "address.db", engine="reference", workers=other)
        other.close()
    finally:
        crew.close()
    sweep(experiment, tmp_path / "here.db", engine="reference", workers=2)
    rows = stored_rows(tmp_path / "here.db")
    assert len(rows) == 24
    assert stored_rows(tmp_path / "dask.db") == rows
    assert stored_rows(tmp_path / "address.db") == rows


@pytest.mark.slow
def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.experiment.procedure.workers.PATIENCE", 0.1)
    with pytest.raises(ExperimentError) as caught:
        Dask("tcp://127.0.0.1:9")
    assert caught.value.diagnostic.id == "dask-unreachable"


def test_a_cluster_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    with pytest.raises(ExperimentError, match="Dask did not start its workers: its process has ended"):
        Dask("local", 1)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("seconds", [2.0, 3.5])
def test_ctrl_c_while_workers_start(tmp_path: Path, times: int, seconds: float) -> None:
    """As a terminal sends it: to the process and all that it has started, unless they have a group of their own."""
    arguments = ("sweep", "mm1", "--grid", "load=0.3,0.5", "--dask", "local", "-n", "5000", "-q")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(*arguments, cwd=tmp_path, text=True, start_new_session=True, **pipes) as process:
        for _ in range(times):
            time.sleep(seconds / times)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.match(
        r"error\[(sweep-)?interrupted\]: interrupted", said.strip()
    )  # the sweep has begun on a fast machine
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_worker_that_is_killed_while_it_starts(tmp_path: Path) -> None:
    """Its children are those of the process of the cluster, which begins again."""
    psutil = pytest.importorskip("psutil")
    killed: list[int] = []

    def kill(cluster: int) -> None:
        while not killed:
            time.sleep(0.01)
            found = [one for one in psutil.Process(cluster).children() if "spawn_main" in " ".join(one.cmdline())]
            killed.extend(one.pid for one in found[:1])
        os.kill(killed[0], signal.SIGKILL)

    plainly = subprocess.Popen

    def start(*arguments: Any, **named: Any) -> Any:
        process = plainly(*arguments, **named)
        threading.Thread(target=kill, args=(process.pid,), daemon=True).start()
        return process

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("petri.experiment.procedure.local_cluster.subprocess.Popen", start)
        crew = Dask("local", 2)
    try:
        experiment = Experiment(net=write_net(tmp_path), points=[{"load": 0.3}], replications=4, until=100)
        sweep(experiment, tmp_path / "dask.db", engine="reference", workers=crew)
        assert killed
        assert len(stored_rows(tmp_path / "dask.db")) == 4
    finally:
        crew.close()
