"""Asking runs on other threads to stop, and waiting for them in such a way that Ctrl-C is answered."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from types import FrameType, TracebackType
from typing import Final, TypeVar

from petri.engine.native import stop_flag
from petri.run.threads import Threads

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


class Slice(StopSign):
    """Is also set while a slice of time is over. A run that it interrupts then goes on when it is asked again."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = math.inf

    def is_set(self) -> bool:
        return time.perf_counter() >= self.ends or super().is_set()


class TimeLimit:
    """Some seconds from now on; None for no limit."""

    def __init__(self, seconds: float | None) -> None:
        try:
            is_time = seconds is None or seconds >= 0
        except TypeError:
            is_time = False
        if not is_time:
            raise ValueError(f"`time_limit` is a number of seconds, not {seconds!r}")
        self.end = None if seconds is None else time.monotonic() + seconds

    @staticmethod
    def of(limit: float | TimeLimit | None) -> TimeLimit:
        """Make one of seconds, or one that has begun already."""
        return limit if isinstance(limit, TimeLimit) else TimeLimit(limit)

    def end_now(self) -> None:
        """Let it be over; from any thread."""
        self.end = time.monotonic()

    @property
    def over(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end


NO_LIMIT: Final = TimeLimit(None)


class CtrlC:
    """Within it, Ctrl-C is noted instead of being raised wherever the main thread happens to be.

    Raised inside a wait for threads, it could leave a lock taken, for which they would wait for ever. A handler that
    somebody else has set stays, and so does that of another thread than the main one.
    """

    def __init__(self) -> None:
        self.seen = False
        self._replaced = False

    def __enter__(self) -> CtrlC:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._note)
            self._replaced = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._replaced:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.seen = True

    def check(self, limit: TimeLimit = NO_LIMIT) -> None:
        """Raise KeyboardInterrupt here if it was pressed, or the time is over."""
        if self.seen or limit.over:
            self.seen = False
            raise KeyboardInterrupt


def interruptible(work: Callable[[StopSign], T], limit: TimeLimit = NO_LIMIT, stop: StopSign | None = None) -> T:
    """Return what `work` returns, on a thread of its own. It gets a sign that Ctrl-C sets, or the end of the time.

    stop: the sign, if what the work uses has it already. Raises KeyboardInterrupt in these cases, when the work has
    ended; that of the work, if it raised one that says how far it had come.
    """
    stop = stop or StopSign()
    with CtrlC() as ctrl_c, Threads(1, [partial(work, stop)]) as thread:
        try:
            while not thread.done:
                thread.wait(PAUSE)
                ctrl_c.check(limit)
        except KeyboardInterrupt:
            stop.set()
            while not thread.done:
                thread.wait(PAUSE)
            try:
                thread.results()
            except KeyboardInterrupt as error:
                raise error from None
            except Exception:
                pass  # it came too late
            raise
    return thread.results()[0]
