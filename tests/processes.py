"""The command line as a process beside the test."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PNSIM = [sys.executable, "-m", "pnsim"]


@contextmanager
def ctrl_c_heard() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt in the block. Tests that a shell runs in the background ignore it otherwise, and
    what they start does, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def started(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """`pnsim` with these arguments. It does not outlive the test, and Ctrl-C reaches it."""
    with ctrl_c_heard():
        process = subprocess.Popen([*PNSIM, *arguments], **options)
    with process:
        try:
            yield process
        finally:
            process.kill()
