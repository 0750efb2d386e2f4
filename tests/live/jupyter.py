"""A notebook in JupyterLab, in a browser."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.report.browser import PATIENCE, Browser

TOKEN = "for-tests"
CELL = "document.querySelector('.jp-CodeCell .cm-content')"
KERNEL = "/\\| Idle/.test(document.body.innerText)"
SHIFT = 8


@contextmanager
def lab(folder: Path, code: str) -> Iterator[str]:
    """Yield a JupyterLab of its own with a notebook of one cell; the address of the notebook."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cell: dict[str, Any] = {
        "id": "one",
        "cell_type": "code",
        "source": code,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    notebook = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "live.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    own = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    options = ["--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"]
    options += [f"--IdentityProvider.token={TOKEN}", "--LabApp.news_url=None", f"--ServerApp.root_dir={folder}"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env=os.environ | own | {"IPYTHONDIR": str(folder / "IPYTHON")},
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    try:
        yield f"{_address(folder / 'log')}doc/tree/live.ipynb?token={TOKEN}"
    finally:
        server.terminate()
        server.wait()


def _address(log: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = re.search(r"http://127\.0\.0\.1:[1-9]\d*/", log.read_text("utf-8", "replace"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(log.read_text("utf-8", "replace"))


def run_cell(browser: Browser, address: str) -> None:
    """Open the notebook and run its cell, as one does by hand."""
    browser.open(address, f"Boolean({CELL})")
    browser.until(KERNEL)
    browser.value(f"{CELL}.focus()")
    for kind in ("keyDown", "keyUp"):
        browser.call(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, modifiers=SHIFT
        )
