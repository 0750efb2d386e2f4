"""The progress of runs and searches on stderr: a line that is rewritten on a terminal."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Self

from petri.report.telling.progress import Remaining, State, describe
from petri.report.telling.quantities import Units

PATIENCE = 0.3  # seconds before the line of a run first appears
PAUSE = 0.1  # seconds between two looks


class Status:
    """What is shown while something runs, in a `with` block. terminal: whether it may be rewritten."""

    def __init__(self, quiet: bool = False, patience: float = 0.0) -> None:
        self.quiet = quiet
        self.terminal = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + patience

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove what is shown."""

    def due(self) -> bool:
        """Return whether to show something now: on a terminal, unless something was shown very recently."""
        now = time.monotonic()
        if not self.terminal or now < self._next:
            return False
        self._next = now + PAUSE
        return True


class StatusLine(Status):
    """One line, each text of which replaces the one before."""

    _shown = False

    def show(self, text: str) -> None:
        self._shown = True
        sys.stderr.write("\r\x1b[2K" + text)
        sys.stderr.flush()

    def close(self) -> None:
        if self._shown:
            self.show("")
            self._shown = False


class ProgressLine(StatusLine):
    """Watches a run: the share that is done, model time, firings per second."""

    def __init__(self, units: Units, quiet: bool = False) -> None:
        super().__init__(quiet, PATIENCE)
        self._units = units
        self._remaining = Remaining()

    def __call__(self, state: State) -> None:
        if self.due():
            self.show(describe(state, self._units, terminal_width() - 1, self._remaining))


def terminal_width() -> int:
    """Return the columns of the terminal on stderr."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
