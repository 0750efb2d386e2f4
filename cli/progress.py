"""The progress line on stderr while a net runs: share done, model time, firings per second."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

from petri.report.progress import Remaining, State, describe
from petri.report.quantities import Units

PATIENCE = 0.3  # seconds before the line first appears
PAUSE = 0.1  # seconds between two looks of it


class ProgressLine:
    """Shows progress if stderr is a terminal, and erases its line at the end."""

    def __init__(self, units: Units, quiet: bool = False) -> None:
        self._units = units
        self._shown = False
        self._enabled = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + PATIENCE
        self._remaining = Remaining()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def __call__(self, state: State) -> None:
        """Show the state, unless one was shown very recently."""
        now = time.monotonic()
        if not self._enabled or now < self._next:
            return
        self._next = now + PAUSE
        self._shown = True
        sys.stderr.write("\r\x1b[2K" + describe(state, self._units, terminal_width() - 1, self._remaining))
        sys.stderr.flush()


def terminal_width() -> int:
    """The columns of the terminal on stderr."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
