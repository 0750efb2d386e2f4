"""A Dask cluster on this machine, in a process of its own: `python -m petri.experiment.procedure.local_cluster COUNT`.

It prints the scheduler's address, and ends with its standard input. Ctrl-C in a terminal reaches neither it nor its
workers: Dask cannot be interrupted while it starts them, and says so with tracebacks. Whoever started it ends it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

from petri.experiment.errors import problem

PATIENCE: Final = 60.0  # seconds until it has started
PARTING: Final = 3.0  # seconds until it has ended
TRIES: Final = 3  # a worker may die while it starts


class LocalCluster:
    """The process of a cluster with so many workers. Raises ExperimentError if it does not start."""

    def __init__(self, count: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self.address = self._address()
        except BaseException:
            self.kill()
            raise

    def _address(self) -> str:
        """Wait for it."""
        found: list[str] = []
        assert self._process.stdout is not None
        readline = self._process.stdout.readline
        reader = threading.Thread(target=lambda: found.append(readline().decode().strip()), daemon=True)
        reader.start()
        reader.join(PATIENCE)
        if not found:
            raise problem("dask-not-started", reason=f"it took longer than {PATIENCE:.0f} s")
        if not found[0]:
            raise problem("dask-not-started", reason="its process has ended")
        return found[0]

    def close(self) -> None:
        """End it and its workers."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(PARTING)
        finally:
            self.kill()

    def kill(self) -> None:
        """End it and its workers at once."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def distributed() -> Any:
    """Return the package dask.distributed. Raises ExperimentError if it is not installed."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise problem("no-dask", reason=str(error)) from error


def _start(count: int) -> Any:
    """Workers with one thread each; nannies restart those that die."""
    cluster = distributed().LocalCluster
    for left in reversed(range(TRIES)):
        try:
            return cluster(
                n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
            )
        except Exception:
            if not left:
                raise
    return None


def main(count: int) -> None:
    try:
        print(_start(count).scheduler_address, flush=True)
        sys.stdin.buffer.read()
    finally:
        os.killpg(0, signal.SIGKILL)  # itself and its workers, whatever state they are in


if __name__ == "__main__":
    main(int(sys.argv[1]))
