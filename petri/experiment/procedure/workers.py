"""Workers for the replications: threads, processes, any executor, a Dask cluster. Results never depend on them."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import wait as wait_for
from typing import Final, cast

from petri.experiment.design.task import Task, TaskResult, perform
from petri.experiment.errors import problem
from petri.experiment.procedure.local_cluster import LocalCluster, distributed
from petri.run.stop import StopSign

AHEAD: Final = 4  # tasks handed out for each worker, so that none waits for the next
PATIENCE: Final = 30.0  # seconds to wait for a Dask scheduler
RECOUNT: Final = 2.0  # seconds between checks of the number of workers of a Dask cluster
PARTING: Final = 3.0  # seconds to wait for a Dask cluster to close


class Workers(ABC):
    """Something that performs tasks.

    slots: the number of tasks to hand out at a time; it may change as workers come and go.
    """

    slots: int

    @abstractmethod
    def submit(self, task: Task) -> Future[TaskResult]:
        """Hand a task out."""

    def is_lost(self, error: BaseException) -> bool:
        """Return whether a task failed because its worker died, so that it may be handed out again."""
        return False

    def close(self, *, at_once: bool = False) -> None:  # noqa: B027
        """Release the workers; `at_once` without waiting for their tasks."""


class Threads(Workers):
    """Threads of this process: for the native engine, which releases the GIL."""

    def __init__(self, count: int) -> None:
        self.slots = AHEAD * count
        self._stop = StopSign()
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="pnsim")

    def submit(self, task: Task) -> Future[TaskResult]:
        return self._pool.submit(perform, task, self._stop)

    def close(self, *, at_once: bool = False) -> None:
        if at_once:
            self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


class Processes(Workers):
    """A pool of processes: for the reference engine, which only one thread can run at a time."""

    def __init__(self, count: int) -> None:
        self.slots = AHEAD * count
        self._count = count
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._count, multiprocessing.get_context("spawn"), initializer=settle_in)

    def submit(self, task: Task) -> Future[TaskResult]:
        try:
            return self._pool.submit(perform, task)
        except BrokenExecutor:
            self._pool = self._new_pool()
            return self._pool.submit(perform, task)

    @property
    def processes(self) -> list[int]:
        """The numbers of the worker processes that have been started."""
        return list(self._pool._processes or ())

    def is_lost(self, error: BaseException) -> bool:
        return isinstance(error, BrokenExecutor)

    def close(self, *, at_once: bool = False) -> None:
        if at_once:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


def settle_in() -> None:
    """In a worker process: leave Ctrl-C to the parent, and exit if the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def follow() -> None:
            wait_for([sentinel])
            os._exit(1)

        threading.Thread(target=follow, daemon=True).start()


class Given(Workers):
    """The caller's executor, which the caller also closes. Its workers must be able to import `petri`."""

    def __init__(self, executor: Executor, slots: int | None = None) -> None:
        self._executor = executor
        known = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self.slots = slots or AHEAD * int(known)

    def submit(self, task: Task) -> Future[TaskResult]:
        return self._executor.submit(perform, task)


class Dask(Workers):
    """A Dask cluster: at an address, or "local" for one of `count` processes on this machine.

    Dask itself reassigns the tasks of a dead worker. Raises ExperimentError if dask.distributed is not installed, or no
    scheduler answers.
    """

    def __init__(self, address: str, count: int | None = None) -> None:
        self._distributed = distributed()
        self._cluster = LocalCluster(count or os.cpu_count() or 1) if address == "local" else None
        there = address if self._cluster is None else self._cluster.address
        try:
            self.client = self._distributed.Client(there, timeout=PATIENCE, set_as_default=False)
        except BaseException as error:
            if self._cluster is not None:
                self._cluster.kill()
            if not isinstance(error, OSError | ValueError):
                raise
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise problem("dask-unreachable", address=there, reason=reason) from error
        self._slots, self._counted = 0, -math.inf

    @property
    def slots(self) -> int:  # type: ignore[override]
        if time.monotonic() > self._counted + RECOUNT:
            threads: dict[str, int] = self.client.nthreads()
            self._slots = AHEAD * max(1, sum(threads.values()))
            self._counted = time.monotonic()
        return self._slots

    def submit(self, task: Task) -> Future[TaskResult]:
        # The client's own executor requests a result and then its state: TypeError if a worker dies in between.
        asked = self.client.submit(perform, task, pure=False)

        async def outcome() -> TaskResult:
            return cast(TaskResult, await asked)

        return asyncio.run_coroutine_threadsafe(outcome(), self.client.loop.asyncio_loop)

    def is_lost(self, error: BaseException) -> bool:
        killed = self._distributed.KilledWorker
        return isinstance(error, killed | OSError | CancelledError | asyncio.CancelledError)

    def close(self, *, at_once: bool = False) -> None:
        try:
            with suppress(TimeoutError):
                self.client.close(PARTING)
        finally:
            if self._cluster is not None:
                self._cluster.close()


def default_workers(engine: str, count: int | None = None) -> Workers:
    """Threads for the native engine, processes for the reference engine; as many as there are cores.

    A single worker is always a thread.
    """
    number = count or os.cpu_count() or 1
    if engine == "native" or number == 1:
        return Threads(number)
    return Processes(number)
