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


# A process with the library that has imported what a command needs, and forks for each: a start takes longer than most
# commands. A command ends as in a process of its own, by the end of the interpreter.
FORKING: Final = """
import atexit, importlib, json, os, sys
from pnsim.main import main
answers = os.fdopen(os.dup(1), "w")
def begin(task):
    os.environ.update(task["settings"])
    os.chdir(task["folder"])
    for descriptor, path in enumerate((os.devnull, task["out"], task["err"])):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), descriptor)
    if task["modules"]:
        atexit.register(lambda: open(task["modules"], "w").write(" ".join(sys.modules)))
for line in sys.stdin:
    task = json.loads(line)
    if (child := os.fork()) == 0:
        begin(task)
        sys.exit(main(task["command"]))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if task["modules"]:
        for name in open(task["modules"]).read().split():
            if name.startswith(("petri", "pnsim", "numpy", "sqlite3", "rich", "yaml", "concurrent", "multiprocessing")):
                importlib.import_module(name)
    print(status, file=answers, flush=True)
"""


class Forking:
    """Runs commands with a library in children of one process, in some folder."""

    def __init__(self, library: Path, folder: Path) -> None:
        self.folder, self.files = folder, {name: folder / name for name in ("out", "err", "modules")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", FORKING],
            env={**os.environ, "LD_PRELOAD": str(library)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, command: list[str], folder: Path, settings: dict[str, str] | None = None, *, first: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """first: what this command imports, later ones have already."""
        files = {name: str(path) for name, path in self.files.items()}
        files["modules"] = files["modules"] if first else ""
        task = {"command": command, "folder": str(folder), "settings": settings or {}, **files}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(task), file=self.process.stdin, flush=True)
        status = int(self.process.stdout.readline())
        out, err = (self.files[name].read_text("utf-8") for name in ("out", "err"))
        return subprocess.CompletedProcess(command, status, out, err)

    def close(self) -> None:
        self.process.communicate()


def compiled(source: Path, folder: Path) -> Path:
    """The library for LD_PRELOAD that this source is compiled to, in the folder."""
    built = folder / "failing.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(built), str(source), "-ldl"], check=True)
    return built
