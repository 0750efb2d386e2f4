"""The native engine keeps the invariants of its data in random nets and those of the library, and touches no memory
that is not its own. A flat net that is wrong is refused.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import petri
from petri.codec import net_text
from petri.engine.native import available
from tests.engine.flat_nets import random_nets, write
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "nets").rglob("*.net"), *(ROOT / "benchmarks" / "nets").glob("*.net")])
RANDOM_NETS = 60  # of each kind
NATIVE = ROOT / "petri" / "native"


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
    done = subprocess.run([*command, *arguments], cwd=NATIVE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(list(tmp_path.iterdir()))} nets" in done.stdout


LIBRARY = ("ixp2400", "ddr", "prioritising", "ixp1200_queues", "benchmarks/nets/join.net")
RANDOM = 6
FIRINGS, PATIENCE = 2_000, 300
FOUND = 99  # valgrind's status for errors


@pytest.fixture(scope="module")
def program() -> Path:
    # Of the workspace: this takes the engine of the module for Python. Alone, another is built, with fewer features.
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--workspace", "--example", "run"]
    subprocess.run(command, cwd=NATIVE, check=True)
    return NATIVE / "target" / "release" / "examples" / "run"


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("valgrind") and shutil.which("cargo")), reason="needs valgrind and cargo")
@pytest.mark.parametrize("name", [*LIBRARY, *range(RANDOM)])
def test_no_errors_of_memory(program: Path, tmp_path: Path, name: str | int) -> None:
    if isinstance(name, int):
        net = chosen_net(Random(str(name)))
    else:
        net = petri.load(ROOT / name if "/" in name else name).net
    flat = tmp_path / "net.json"
    flat.write_text("".join(net_text(net)), "utf-8")
    command = ["valgrind", "-q", f"--error-exitcode={FOUND}", str(program), str(flat), str(FIRINGS), str(PATIENCE)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != FOUND, done.stderr[-3_000:]
    assert "firings" in done.stdout or "initial marking" in done.stderr


@pytest.mark.skipif(not available(), reason="the native engine is not built")
@pytest.mark.parametrize(("seed", "number"), [(4, 60), pytest.param(2, 2_500, marks=pytest.mark.slow)])
def test_mutated_nets_are_refused_or_run(seed: int, number: int) -> None:
    command = [sys.executable, "-m", "tests.engine.mutated", str(seed), str(number)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 + number / 5)
    assert done.returncode == 0, done.stderr[-3000:]
    outcomes = {name: int(count) for name, count in re.findall(r"(\S[\w ]+)=(\d+)", done.stdout)}
    assert sum(outcomes.values()) == number
    for name in ("refused", "ran", "fault"):
        assert outcomes[name] > number / 100, outcomes
