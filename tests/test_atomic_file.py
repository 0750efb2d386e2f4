"""Files that are replaced as a whole, on disks that fail and in processes that are killed."""

from __future__ import annotations

import errno
import io
import os
import random
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from petri.atomic_file import replacing, write_text

OLD, NEW = "old" * 5_000, "new" * 50_000
STEPS = 8 + 3  # the writes of at most 20,000 bytes; syncing, renaming, syncing the folder


class FailingDisk:
    """Its n-th write, sync or renaming fails; `failed` says whether there were so many."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.failed = False

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.failed = True
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def failing_disk(number: int, piece: int = 20_000) -> Iterator[FailingDisk]:
    """Yield a disk that takes at most `piece` bytes at once."""
    disk = FailingDisk(number)

    class Raw(io.FileIO):
        def write(self, data: Any, /) -> int:
            disk.step()
            return super().write(data[:piece])

    def stepping(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            disk.step()
            return function(*arguments)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fdopen", lambda descriptor, mode: io.BufferedWriter(Raw(descriptor, mode)))
        for name in ("fsync", "replace"):
            patch.setattr(os, name, stepping(getattr(os, name)))
        yield disk


@pytest.mark.parametrize("old", [OLD, None])
def test_whatever_step_fails_there_is_the_old_file_or_the_new_one(tmp_path: Path, old: str | None) -> None:
    seen = []
    for number in range(1, STEPS + 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "file"
        if old is not None:
            path.write_text(old)
        outcome = nullcontext() if number > STEPS else pytest.raises(OSError, match="No space")
        with failing_disk(number) as disk, outcome:
            write_text(path, NEW)
        assert os.listdir(folder) in ([], ["file"])
        assert disk.failed == (number <= STEPS)
        seen.append(path.read_text() if path.exists() else None)
    assert seen == [old] * (STEPS - 1) + [NEW] * 2  # the last step syncs the folder


def test_an_exception_in_the_block_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(OLD)

    def interrupted() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == OLD
    assert os.listdir(tmp_path) == ["file"]


WRITER = """
import itertools, sys
from petri.atomic_file import write_text
for text in itertools.cycle(["a" * 400_000, "b" * 300_000]):
    write_text(sys.argv[1], text)
    print(end=".", flush=True)
"""


@pytest.mark.parametrize("times", [3, pytest.param(12, marks=pytest.mark.slow)])
def test_a_killed_process_leaves_the_old_file_or_the_new_one(tmp_path: Path, times: int) -> None:
    path = tmp_path / "file"
    chance = random.Random(1)
    for _ in range(times):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.read(1)  # it has begun
            time.sleep(chance.uniform(0.0, 0.02))
            process.kill()
        assert path.read_text() in ("a" * 400_000, "b" * 300_000)


def test_permissions_are_kept_and_those_of_new_files_are_the_usual_ones(tmp_path: Path) -> None:
    path, usual = tmp_path / "file", tmp_path / "usual"
    usual.touch()
    write_text(path, OLD)
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o751)
    write_text(path, NEW)
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "file", tmp_path / "link"
    target.write_text(OLD)
    link.symlink_to(Path("there") / "file")
    write_text(link, NEW)
    assert link.is_symlink()
    assert target.read_text() == NEW
    target.unlink()
    write_text(link, OLD)
    assert target.read_text() == OLD


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every file")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(OLD)
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_text(path, NEW)
    assert path.read_text() == OLD


def test_a_fifo_is_written_directly(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=write_text, args=(fifo, NEW))
    writer.start()
    assert fifo.read_text() == NEW
    writer.join()
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_device_is_written_directly() -> None:
    write_text("/dev/null", NEW)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match="No space"):
        write_text("/dev/full", NEW)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link"])
def test_standard_output_is_written_directly_although_it_is_a_file(tmp_path: Path, name: str) -> None:
    if name == "link":
        (tmp_path / name).symlink_to("/dev/stdout")
    code = "import sys; from petri.atomic_file import write_text; write_text(sys.argv[1], 'x'); print('y', flush=True)"
    path = tmp_path / "out"
    with path.open("wb") as out:
        before = path.stat().st_ino
        subprocess.run([sys.executable, "-c", code, name], stdout=out, cwd=tmp_path, check=True, timeout=60)
    assert path.stat().st_ino == before
    assert "y" in path.read_text()


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 127)
    write_text(path, NEW)
    assert path.read_text() == NEW


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_text(tmp_path / "nowhere" / "file", NEW)


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere" / "file")
    with pytest.raises(FileNotFoundError) as raised:
        write_text(path, NEW)
    assert raised.value.filename == path
