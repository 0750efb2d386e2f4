"""A disk that fails at the n-th step, for every n: commands say so, old files stay whole, and a store loses no row."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.experiment.nets import QUEUE, stored_rows, write_net
from tests.preload import NEEDS_PRELOAD, Forking, compiled

SOURCE = Path(__file__).with_name("failing.c")
NET = QUEUE.replace("until 200", "until 20").replace("warmup 20", "warmup 2")
MOST_STEPS = 400
KINDS = {"a full disk": (errno.ENOSPC, True), "a bad sector": (errno.EIO, False)}
WRITING = {
    "report": (["run", "queue.net", "--report", "out.html"], "out.html", "</html>"),
    "trace": (["run", "queue.net", "--trace", "out.csv"], "out.csv", "serve"),
    "fmt": (["fmt", "queue.net"], "queue.net", "param load    = 0.5"),
}

pytestmark = [pytest.mark.slow, NEEDS_PRELOAD]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forking]:
    folder = tmp_path_factory.mktemp("library")
    found = Forking(compiled(SOURCE, folder), folder)
    yield found
    found.close()


class Disk:
    """A folder on a disk of which one step fails, or all from one on."""

    def __init__(self, commands: Forking, folder: Path, kind: str) -> None:
        self.commands, self.folder, self.told = commands, folder / "disk", folder / "told"
        self.error, self.stays = KINDS[kind]

    def run(self, command: list[str], step: int) -> subprocess.CompletedProcess[str] | None:
        """Return the command with this failing step; None if it needs fewer steps."""
        settings = {
            "FAILING_BELOW": str(self.folder),
            "FAILING_AT": str(step),
            "FAILING_WITH": str(int(self.error)),
            "FAILING_STAYS": str(int(self.stays)),
            "FAILING_TOLD": str(self.told),
        }
        self.told.unlink(missing_ok=True)
        done = self.commands.run(command, self.folder, settings)
        return done if self.told.exists() else None

    def steps(self, command: list[str], files: dict[str, str]) -> Iterator[subprocess.CompletedProcess[str]]:
        """Yield the command with each failing step, always in a folder with these files alone."""
        self.fill(files)
        assert self.commands.run(command, self.folder, first=True).returncode == 0
        for step in range(1, MOST_STEPS):
            self.fill(files)
            done = self.run(command, step)
            if done is None:
                assert step > 3, "the disk was not used"
                return
            yield done
        raise AssertionError("the command never ends")

    def fill(self, files: dict[str, str]) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, text in files.items():
            (self.folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRITING)
def test_a_file_is_the_old_one_or_the_new_one(commands: Forking, tmp_path: Path, name: str, kind: str) -> None:
    command, target, end = WRITING[name]
    old = NET if name == "fmt" else "old"
    disk = Disk(commands, tmp_path, kind)
    for done in disk.steps(command, {"queue.net": NET, target: old}):
        assert done.returncode in (2, 3), done
        assert done.stderr.count("error[output-unwritable]") == 1, done.stderr
        assert os.strerror(disk.error) in done.stderr
        text = (disk.folder / target).read_text("utf-8")
        assert text == old or end in text
        full = {path.name for path in disk.folder.iterdir()} - {"queue.net", target}
        assert disk.stays or not full, "a temporary file was left"


@pytest.mark.parametrize("kind", KINDS)
def test_a_sweep_goes_on_where_the_disk_failed(commands: Forking, tmp_path: Path, kind: str) -> None:
    files = {"queue.net": NET, "s.yaml": "net: queue.net\ngrid: {load: [0.5]}\nreplications: 2\n"}
    whole = tmp_path / "whole"
    whole.mkdir()
    write_net(whole, NET)
    (whole / "s.yaml").write_text(files["s.yaml"], "utf-8")
    assert commands.run(["sweep", "s.yaml"], whole).returncode == 0
    rows = stored_rows(whole / "s.db")
    disk = Disk(commands, tmp_path, kind)
    failures = 0
    for done in disk.steps(["sweep", "s.yaml"], files):
        assert done.returncode in (0, 2), done  # 0: SQLite could do without the step
        assert done.stderr.count("error[") == (done.returncode == 2), done.stderr
        failures += done.returncode
        again = commands.run(["sweep", "s.yaml"], disk.folder)
        assert again.returncode == 0, again.stderr
        assert stored_rows(disk.folder / "s.db") == rows
    assert failures
