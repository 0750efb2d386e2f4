"""The data structures of the native engine keep their invariants in random nets and those of the library."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import petri
from tests.engine.flat_nets import random_nets, write

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "nets").rglob("*.net"), *(ROOT / "benchmarks" / "nets").glob("*.net")])
RANDOM_NETS = 60  # of each kind


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo")
def test_data_structures_keep_their_invariants(tmp_path: Path) -> None:
    """An engine with assertions runs each net three ways, and checks all data structures after every 20 firings.

    In the profile of `make rust`: what that compiled is used, and an optimised generator makes the machine code.
    """
    write(tmp_path, (petri.load(path).net for path in SOURCES), "library")
    write(tmp_path, random_nets(RANDOM_NETS))
    profile = ["--release", "--config", "checked.toml", "--locked"]
    command = ["cargo", "test", *profile, "--package", "engine", "--test", "invariants"]
    arguments = ["--", "--ignored", "--nocapture", "nets_of_a_folder"]
    environment = {**os.environ, "PNSIM_NETS": str(tmp_path)}
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT / "petri/native", env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(list(tmp_path.iterdir()))} nets" in done.stdout
