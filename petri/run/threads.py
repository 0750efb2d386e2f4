"""Work on threads, without `concurrent.futures`, which takes longer to load than a small net to run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")
ALONE = sys.platform == "emscripten"  # a browser page starts no threads: the works are done while one waits for them


class Threads(Generic[T]):
    """Calls functions, `count` at a time, in a `with` block, which ends when all of them have."""

    def __init__(self, count: int, works: Sequence[Callable[[], T]]) -> None:
        self._works = works
        self._waiting = iter(range(len(works)))
        self._results: dict[int, T] = {}
        self._errors: dict[int, BaseException] = {}
        self._one_more = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run) for _ in range(0 if ALONE else count)]

    def __enter__(self) -> Threads[T]:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for thread in self._threads:
            thread.join()
        if ALONE:
            self._run()

    def _run(self) -> None:
        while self._run_next():
            pass

    def _run_next(self) -> bool:
        """Do the next work. Returns whether there was one."""
        with self._lock:
            number = next(self._waiting, None)
        if number is None:
            return False
        try:
            self._results[number] = self._works[number]()
        except BaseException as error:  # which `results` raises
            self._errors[number] = error
        self._one_more.set()
        return True

    @property
    def done(self) -> bool:
        return len(self._results) + len(self._errors) == len(self._works)

    @property
    def failed(self) -> bool:
        """Whether any has raised an error."""
        return bool(self._errors)

    def wait(self, seconds: float) -> None:
        """Until one more has ended, but no longer than this."""
        if ALONE:
            self._run_next()
        self._one_more.wait(seconds)
        self._one_more.clear()

    def results(self) -> list[T]:
        """Return what they returned, in order, once all are done. Raises the first error."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return [self._results[number] for number in range(len(self._works))]
