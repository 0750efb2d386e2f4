"""Libraries in C that stand before the system's own, so that a call of it fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

NEEDS_PRELOAD = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


# A process with the library that forks for each command: a start takes longer than most of them. The first time it runs
# a command itself, so that children have what that needs once. A child ends as any process does, by the end of the
# interpreter.
FORKING: Final = """
import ctypes, json, os, sys
from pnsim.main import main
answers = os.fdopen(os.dup(1), "w")
def run(task):
    os.environ.update(task["settings"])
    os.chdir(task["folder"])
    for descriptor, path in enumerate((os.devnull, task["out"], task["err"])):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), descriptor)
    if not task["refused"]:
        main(task["command"])
    memory = ctypes.CDLL(None)
    memory.requests.restype = ctypes.c_long
    memory.fail_at(*map(ctypes.c_long, task["refused"]))
    try:
        main(task["command"])
    finally:
        failed = memory.requests() >= task["refused"][0]
        memory.fail_at(*[ctypes.c_long(0)] * 3)
        if failed:
            open(task["told"], "w").close()
def run_here(task):
    folder, kept = os.getcwd(), [os.dup(descriptor) for descriptor in range(3)]
    try:
        run(task)
    except SystemExit as ended:
        return ended.code
    finally:
        for descriptor, own in enumerate(kept):
            os.dup2(own, descriptor)
        os.chdir(folder)
for line in sys.stdin:
    task = json.loads(line)
    if task["first"]:
        status = run_here(task)
    elif (child := os.fork()) == 0:
        run(task)
    else:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status, file=answers, flush=True)
"""


class Forking:
    """Runs commands with a library in children of one process, in some folder."""

    def __init__(self, library: Path, folder: Path, **settings: str) -> None:
        self.files = {name: folder / name for name in ("out", "err", "told")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", FORKING],
            env={**os.environ, "LD_PRELOAD": str(library), **settings},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        command: list[str],
        folder: Path,
        settings: dict[str, str] | None = None,
        *,
        first: bool = False,
        refused: tuple[int, int, int] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """first: what this command needs once, later ones have already. refused: what `fail_at` in C is given."""
        files = {name: str(path) for name, path in self.files.items()}
        task = {"command": command, "folder": str(folder), "settings": settings or {}, "first": first, **files}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps({**task, "refused": refused}), file=self.process.stdin, flush=True)
        status = int(self.process.stdout.readline())
        out, err = (self.files[name].read_text("utf-8") for name in ("out", "err"))
        return subprocess.CompletedProcess(command, status, out, err)

    def close(self) -> None:
        self.process.communicate()


def compiled(source: Path, folder: Path) -> Path:
    """Return the library for LD_PRELOAD that this source is compiled to, in the folder."""
    built = folder / "failing.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(built), str(source), "-ldl"], check=True)
    return built
