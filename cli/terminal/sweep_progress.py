"""The progress of a sweep on stderr: a live block on a terminal, otherwise a line for each finished point."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from petri.experiment.procedure.campaign import PointState, State
from petri.measure.figures import figures
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.progress import bar_of, fitting, left_text
from petri.report.telling.quantities import Units
from petri.report.terminal.wrapping import shortened

from .console import ENDLESS, SafeConsole, remark
from .progress import Status

MOST_MEASURES = 4  # estimates shown at a time


class SweepProgress(Status):
    """Watches a sweep (`petri.experiment.sweep`). heading: makes the line above, for a number of columns."""

    def __init__(self, store: Path, quiet: bool = False, heading: Callable[[int], str] | None = None) -> None:
        super().__init__(quiet)
        self._store = store
        self._heading = heading or (lambda room: "")
        self._live: Live | None = None
        self._begun = False

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, state: State) -> None:
        if self.quiet:
            return
        if not self._begun:
            self._begin(state)
        if not self.terminal:
            for point in state.closed:
                remark(finished(point, state))
        elif self._live is not None and self.due():
            room = self._live.console.width - 1
            self._live.update(block(state, room, self._heading(room)), refresh=True)

    def _begin(self, state: State) -> None:
        self._begun = True
        if not self.terminal and (heading := self._heading(ENDLESS)):
            remark(heading)
        if state.done:
            remark(f"note: {state.done} replications are already in {self._store}")
        if self.terminal and state.points_done < len(state.points):
            self._live = Live(console=SafeConsole(sys.stderr), auto_refresh=False, transient=True)
            self._live.start()


def finished(point: PointState, state: State) -> str:
    """`3 of 12 points  threads=4  n 20  goodput 2.961 ± 0.004 Gbps`."""
    parts = [f"{state.points_done} of {len(state.points)} points", point.point.label, f"n {len(point.rows)}"]
    return "  ".join([*parts, *estimates(point)])


def estimates(point: PointState, room: int = ENDLESS) -> list[str]:
    """Return the current estimates of the first few measures, each with a fixed width."""
    outcome = point.outcome()
    units = Units.of(point.point.net)
    texts = []
    for one in figures(point.point.net, outcome.names[:MOST_MEASURES]):
        interval = outcome.interval(one.name)
        figure = units.show_with_error(interval.mean, interval.half_width, shown_dimension(one.dimension))
        name = shortened([one.name], max(room - len(figure) - 1, 0))
        texts += [f"{name[0]} {figure}"] if name else []
    return texts


def block(state: State, room: int, heading: str = "") -> RenderableType:
    """Return two lines and one for each estimate, below a heading; what has no room is left out whole."""
    share = state.done / state.replications if state.replications else 1.0
    more = "+" if state.prepared.stopping.wanted else ""
    percent = f"{share:4.0%}"
    points = f"{state.points_done} of {len(state.points)} points"
    runs = f"{state.done:,} of {state.replications:,}{more} replications"
    bar, rest = f"{bar_of(share)} {percent}", left(state)
    shown = [(bar, points, runs, rest), (percent, points, runs, rest), (percent, points, rest), (percent, rest)]
    first = Text(fitting([*shown, (percent,)], room))
    first.highlight_regex("━+", "green")
    first.highlight_regex("─+", "dim")
    lines = [Text(heading, style="bold"), first] if heading else [first]
    if state.latest is not None:
        label, count = state.latest.point.label, f"n {len(state.latest.rows)}"
        parts = label.split(" ")
        shorter = [(" ".join([*parts[:kept], "…"]), count) for kept in range(len(parts) - 1, -1, -1)]
        lines.append(Text(fitting([(label, count), *shorter, (count,)], room), style="cyan"))
        lines += [Text(f"  {text}") for text in estimates(state.latest, room - 2)]
    for line in lines:
        line.no_wrap, line.overflow = True, "ignore"
    return Group(*lines)


def left(state: State) -> str:
    """Return the time that remains, if it is known."""
    return "" if state.left is None else left_text(state.left)
