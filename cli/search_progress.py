"""The progress of a search on stderr: a line that is rewritten on a terminal, otherwise a line for each value."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from .console import remark
from .progress import terminal_width

if TYPE_CHECKING:
    from petri.experiment.forwarding.procedure import Measured
    from petri.experiment.threshold.procedure import State

PAUSE = 0.1  # seconds between two looks of the line


class SearchProgress:
    """Watches a search (`petri.experiment.threshold.procedure.run_search`)."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._shown = False
        self._next = 0.0

    def __enter__(self) -> SearchProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()

    def _clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = False

    def __call__(self, state: State | Measured) -> None:
        if self._quiet:
            return
        from petri.experiment.threshold.procedure import State
        from petri.report.search import measured_text, progress_text, tried_text

        if not isinstance(state, State):
            self._clear()
            remark(measured_text(state))
        elif state.finished is not None:
            self._clear()
            remark(tried_text(state))
        elif self._terminal and time.monotonic() >= self._next:
            self._next = time.monotonic() + PAUSE
            self._shown = True
            sys.stderr.write("\r\x1b[2K" + progress_text(state, terminal_width() - 1))
            sys.stderr.flush()
