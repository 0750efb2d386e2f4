"""The playground, built if what it needs can be had, and served to a browser."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "editors" / "playground"
TARGET = "wasm32-unknown-emscripten"


def _tried(*command: str) -> str | None:
    """Return what a command says if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{' '.join(command)}: {(done.stderr or done.stdout)[-2000:]}"


def built(folder: Path) -> Path:
    """Return a copy of the playground. Skips the test where Rust's target, Pyodide or a wheel cannot be had."""
    for program in ("cargo", "rustup", "npm", "make"):
        if shutil.which(program) is None:
            pytest.skip(f"the playground needs {program}")
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "playground.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        downloads = (".venv/bin/python", "editors/playground/make.py", "build/playground")
        for needed in (("rustup", "target", "add", TARGET), downloads):
            if (why := _tried(*needed)) is not None:
                pytest.skip(f"what the playground is made of cannot be had: {why}")
        why = _tried("make", "playground")
        assert why is None, why
        shutil.copytree(ROOT / "build" / "playground", folder / "site")
    return folder / "site"


class Served:
    """A folder behind a server, which notes what it is asked for."""

    def __init__(self, url: str, asked: list[str]) -> None:
        self.url, self.asked = url, asked


@contextmanager
def served(site: Path) -> Iterator[Served]:
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Served(f"http://127.0.0.1:{server.server_port}/", asked)
    finally:
        server.shutdown()
        server.server_close()
