"""A real cluster on this machine, with a worker that is killed on the way."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest

from petri.experiment import Experiment, ExperimentError, sweep
from petri.experiment.procedure.campaign import State
from petri.experiment.procedure.workers import Dask
from tests.experiment.nets import stored_rows, write_net

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
