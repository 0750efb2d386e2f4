"""The data structures of the native engine keep their invariants in random nets and those of the library."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import petri
from petri import codec
from petri.net import Net
from tests.engine.copies import several
from tests.engine.joins import joining_nets
from tests.engine.nets import nets

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "nets").rglob("*.net"), *(ROOT / "benchmarks" / "nets").glob("*.net")])
RANDOM_NETS = 300


def write(folder: Path, name: str, net: Net) -> None:
    (folder / f"{name}.json").write_text("".join(codec.net_text(net, spans=False)), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo")
def test_data_structures_keep_their_invariants(tmp_path: Path) -> None:
    """A debug build runs each net three ways, and checks all data structures after every 20 firings."""
    for path in SOURCES:
        write(tmp_path, path.stem, petri.load(path).net)

    @seed(7)
    @settings(
        deadline=None,
        database=None,
        max_examples=RANDOM_NETS,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(nets(), joining_nets()), st.sampled_from([1, 1, 2, 5]))
    def write_random_net(net: Net, copies: int) -> None:
        write(tmp_path, f"random-{len(list(tmp_path.iterdir()))}", net if copies == 1 else several(net, copies))

    write_random_net()
    command = ["cargo", "test", "--locked", "--package", "engine", "--test", "invariants"]
    arguments = ["--", "--ignored", "--nocapture", "nets_of_a_folder"]
    environment = {**os.environ, "PNSIM_NETS": str(tmp_path)}
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT / "petri/native", env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(list(tmp_path.iterdir()))} nets" in done.stdout
