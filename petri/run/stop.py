"""Asking runs on other threads to stop, and waiting for them in such a way that Ctrl-C is answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final, TypeVar

from petri.engine.native import stop_flag

PAUSE: Final = 0.1  # seconds between looks at the clock

T = TypeVar("T")


class StopSign:
    """Set once, from any thread. Engines look at it between pieces of a run, and within long searches for bindings."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.native = stop_flag()  # what the native engine looks at; None if it is not built

    def set(self) -> None:
        self._event.set()
        if self.native is not None:
            self.native.set()

    def is_set(self) -> bool:
        return self._event.is_set()


class TimeLimit:
    """Some seconds from now on; None for no limit."""

    def __init__(self, seconds: float | None) -> None:
        self.end = None if seconds is None else time.monotonic() + seconds

    @staticmethod
    def of(limit: float | TimeLimit | None) -> TimeLimit:
        """Of seconds, or one that has begun already."""
        return limit if isinstance(limit, TimeLimit) else TimeLimit(limit)

    @property
    def over(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end


NO_LIMIT: Final = TimeLimit(None)


def interruptible(work: Callable[[StopSign], T], limit: TimeLimit = NO_LIMIT) -> T:
    """What `work` returns, on a thread of its own. It gets a sign that Ctrl-C sets, or the end of the time.

    Raises KeyboardInterrupt in these cases, when the work has ended.
    """
    stop = StopSign()
    with ThreadPoolExecutor(1) as pool:
        future: Future[T] = pool.submit(work, stop)
        try:
            while not future.done():
                wait([future], timeout=PAUSE)
                if limit.over:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            stop.set()
            wait([future])
            raise
    return future.result()
