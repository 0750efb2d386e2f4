"""A line that is rewritten while a run or a sweep goes on: in a notebook and on a terminal."""

from __future__ import annotations

import sys
import time
from typing import Final

from petri.experiment.experiment import Experiment
from petri.experiment.forwarding.procedure import Measured
from petri.experiment.procedure.campaign import State
from petri.experiment.threshold.procedure import State as SearchState
from petri.net import Net
from petri.report.telling.progress import bar_of, describe
from petri.report.telling.quantities import Units
from petri.report.telling.search import measured_text, progress_text, tried_text
from petri.run.progress import Progress

WIDTH: Final = 78
PAUSE: Final = 0.1  # seconds between two looks of it


class RewrittenLine:
    """A line of text on stdout; each text replaces the one before. `\r` works in notebooks as well as on terminals."""

    def __init__(self) -> None:
        self._next = 0.0
        self._written = 0
        self._last = ""

    def show(self, text: str, *, now: bool = False) -> None:
        """Show this text, unless another was shown very recently."""
        self._last = text
        if now or time.monotonic() >= self._next:
            self._next = time.monotonic() + PAUSE
            sys.stdout.write("\r" + text.ljust(self._written))
            sys.stdout.flush()
            self._written = len(text)

    def close(self) -> None:
        """Show the last text, and end the line."""
        self.show(self._last, now=True)
        sys.stdout.write("\n")
        sys.stdout.flush()


class RunLine(RewrittenLine):
    """The progress of a run of this net (`Model.run`)."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self._units = Units.of(net)

    def __call__(self, state: Progress) -> None:
        self.show(describe(state, self._units, WIDTH))


class SweepLine(RewrittenLine):
    """The progress of a sweep (`petri.experiment.sweep`)."""

    def __call__(self, state: State) -> None:
        share = state.done / state.replications if state.replications else 1.0
        points = f"{state.points_done} of {len(state.points)} points"
        self.show(f"{bar_of(share)} {share:4.0%}  {points}  {state.done} of {state.replications} replications")


class SearchLine(RewrittenLine):
    """The progress of a search (`petri.experiment.threshold.procedure.run_search`)."""

    def __call__(self, state: SearchState | Measured) -> None:
        if not isinstance(state, SearchState):
            self.show(measured_text(state))
            return
        self.show(progress_text(state, WIDTH) if state.finished is None else tried_text(state))


def progress_line(running: object) -> RunLine | SweepLine | SearchLine:
    """Return the line of a run of a net, of an experiment, or of a search or a study of RFC 2544."""
    if isinstance(running, Net):
        return RunLine(running)
    return SweepLine() if isinstance(running, Experiment) else SearchLine()
