"""The native engine under valgrind, interpreted and as machine code: it touches no memory that is not its own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import petri
from petri.codec import net_text
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "petri" / "native"
LIBRARY = ("ixp2400", "ddr", "prioritising", "ixp1200_queues", "benchmarks/nets/join.net")
RANDOM = 6
FIRINGS, PATIENCE = 2_000, 300
FOUND = 99  # valgrind's status for errors

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("valgrind") and shutil.which("cargo")), reason="needs valgrind and the Rust compiler"
    ),
]


@pytest.fixture(scope="module")
def program() -> Path:
    # Of the workspace: this takes the engine of the module for Python. Alone, another is built, with fewer features.
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--workspace", "--example", "run"]
    subprocess.run(command, cwd=NATIVE, check=True)
    return NATIVE / "target" / "release" / "examples" / "run"


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
