"""Memory that runs out at the n-th large request, for every n: the command completes, or says so; no file is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import ENGINES
from tests.experiment.nets import QUEUE, stored_rows, write_net
from tests.preload import NEEDS_PRELOAD, compiled
from tests.processes import PNSIM

SOURCE = Path(__file__).with_name("failing.c")
NET = QUEUE.replace("until 200", "until 20").replace("warmup 20", "warmup 2")
LARGE = 1 << 16  # bytes
MOST_REQUESTS = 2000
# The same command runs before, so that what fails is not what Python itself needs for the first time.
SCRIPT = """
import ctypes, os, shutil, sys
from pnsim.main import main
at, size, stays = (ctypes.c_long(int(number)) for number in sys.argv[1:4])
folder = os.getcwd()
shutil.copytree(folder, "../warm", dirs_exist_ok=True)
os.chdir("../warm")
try:
    main(sys.argv[4:])
except SystemExit as ended:
    assert not ended.code
os.chdir(folder)
memory = ctypes.CDLL(None)
memory.requests.restype = ctypes.c_long
memory.fail_at(at, size, stays)
try:
    main(sys.argv[4:])
finally:
    failed = memory.requests() >= at.value
    memory.fail_at(*[ctypes.c_long(0)] * 3)
    if failed:
        open("../told", "w").close()
"""

pytestmark = [pytest.mark.slow, NEEDS_PRELOAD]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(SOURCE, tmp_path_factory.mktemp("library"))


class Memory:
    """Runs commands in a folder of the test; one large request of each is refused, or all from one on."""

    def __init__(self, library: Path, folder: Path, stays: bool) -> None:
        self.library, self.folder, self.told, self.stays = library, folder / "files", folder / "told", stays

    def requests(self, command: list[str], files: dict[str, str]) -> Iterator[subprocess.CompletedProcess[str]]:
        """The command with each refused request, always in a folder with these files alone."""
        for request in range(1, MOST_REQUESTS):
            for folder in (self.folder, self.folder.with_name("warm")):
                shutil.rmtree(folder, ignore_errors=True)
            self.folder.mkdir()
            for name, text in files.items():
                (self.folder / name).write_text(text, "utf-8")
            self.told.unlink(missing_ok=True)
            numbers = [str(request), str(LARGE), str(int(self.stays))]
            settings = {"LD_PRELOAD": str(self.library), "MALLOC_ARENA_MAX": "1"}
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT, *numbers, *command],
                cwd=self.folder,
                env={**os.environ, **settings},
                capture_output=True,
                text=True,
                timeout=120,
            )
            if not self.told.exists() and done.returncode == 0:
                assert request > 3, "no large request was made"
                return
            yield done
        raise AssertionError("the command never ends")


def assert_it_says_so(done: subprocess.CompletedProcess[str]) -> None:
    """Python's or the engine's memory is over; numpy, SQLite and threads have words of their own for it."""
    assert done.returncode >= 0, done
    assert done.returncode == 0 or "error[" in done.stderr, done.stderr
    assert "bug in pnsim" not in done.stderr, done.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_a_report_is_the_old_one_or_the_new_one(library: Path, tmp_path: Path, engine: str) -> None:
    """Once on the native engine; on the other one memory stays over."""
    stays = engine == "reference"
    command = ["run", "queue.net", "--engine", engine, "--report", "out.html"]
    failures = 0
    for done in Memory(library, tmp_path, stays).requests(command, {"queue.net": NET, "out.html": "old"}):
        assert_it_says_so(done)
        text = (tmp_path / "files" / "out.html").read_text("utf-8")
        assert "</html>" in text if done.returncode == 0 else text == "old" or "</html>" in text
        failures += done.returncode != 0
    assert failures


def test_a_sweep_goes_on_where_memory_ran_out(library: Path, tmp_path: Path) -> None:
    files = {"queue.net": NET, "s.yaml": "net: queue.net\ngrid: {load: [0.5]}\nreplications: 2\n"}
    whole = tmp_path / "whole"
    whole.mkdir()
    write_net(whole, NET)
    (whole / "s.yaml").write_text(files["s.yaml"], "utf-8")
    subprocess.run([*PNSIM, "sweep", "s.yaml"], cwd=whole, check=True, capture_output=True)
    rows = stored_rows(whole / "s.db")
    memory = Memory(library, tmp_path, stays=False)
    for done in memory.requests(["sweep", "s.yaml", "--workers", "1"], files):
        assert_it_says_so(done)
        again = subprocess.run([*PNSIM, "sweep", "s.yaml"], cwd=memory.folder, capture_output=True, text=True)
        assert again.returncode == 0, again.stderr
        assert stored_rows(memory.folder / "s.db") == rows
