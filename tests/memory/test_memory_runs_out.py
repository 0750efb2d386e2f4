"""Memory that runs out at the n-th large request, for every n: the command completes, or says so; no file is lost."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import ENGINES
from tests.experiment.nets import QUEUE, stored_rows, write_net
from tests.preload import NEEDS_PRELOAD, Forking, compiled

SOURCE = Path(__file__).with_name("failing.c")
NET = QUEUE.replace("until 200", "until 20").replace("warmup 20", "warmup 2")
LARGE = 1 << 16  # bytes
MOST_REQUESTS = 2000

pytestmark = [pytest.mark.slow, NEEDS_PRELOAD]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forking]:
    folder = tmp_path_factory.mktemp("library")
    found = Forking(compiled(SOURCE, folder), folder, MALLOC_ARENA_MAX="1")
    yield found
    found.close()


def requests(
    commands: Forking, folder: Path, command: list[str], files: dict[str, str], stays: bool = False
) -> Iterator[subprocess.CompletedProcess[str]]:
    """Yield the command with each large request refused, or all from it on, always in a folder with these files alone.

    The same command runs before, so that what fails is not what Python itself needs for the first time.
    """
    for request in range(MOST_REQUESTS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        if request == 0:
            assert commands.run(command, folder, first=True).returncode == 0
            continue
        told = commands.files["told"]
        told.unlink(missing_ok=True)
        done = commands.run(command, folder, refused=(request, LARGE, int(stays)))
        if not told.exists() and done.returncode == 0:
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
def test_a_report_is_the_old_one_or_the_new_one(commands: Forking, tmp_path: Path, engine: str) -> None:
    """Once on the native engine; on the other one memory stays over."""
    folder, command = tmp_path / "files", ["run", "queue.net", "--engine", engine, "--report", "out.html"]
    files = {"queue.net": NET, "out.html": "old"}
    failures = 0
    for done in requests(commands, folder, command, files, stays=engine == "reference"):
        assert_it_says_so(done)
        text = (folder / "out.html").read_text("utf-8")
        assert "</html>" in text if done.returncode == 0 else text == "old" or "</html>" in text
        failures += done.returncode != 0
    assert failures


def test_a_sweep_goes_on_where_memory_ran_out(commands: Forking, tmp_path: Path) -> None:
    files = {"queue.net": NET, "s.yaml": "net: queue.net\ngrid: {load: [0.5]}\nreplications: 2\n"}
    whole, folder = tmp_path / "whole", tmp_path / "files"
    whole.mkdir()
    write_net(whole, NET)
    (whole / "s.yaml").write_text(files["s.yaml"], "utf-8")
    assert commands.run(["sweep", "s.yaml"], whole).returncode == 0
    rows = stored_rows(whole / "s.db")
    for done in requests(commands, folder, ["sweep", "s.yaml", "--workers", "1"], files):
        assert_it_says_so(done)
        again = commands.run(["sweep", "s.yaml"], folder)
        assert again.returncode == 0, again.stderr
        assert stored_rows(folder / "s.db") == rows
