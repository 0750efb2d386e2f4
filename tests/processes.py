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
def started(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """`pnsim` with these arguments. It does not outlive the test, and Ctrl-C reaches it: tests that a shell runs in the
    background ignore interrupts, and what they start would, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen([*PNSIM, *arguments], **options)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            yield process
        finally:
            process.kill()
