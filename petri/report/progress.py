"""The progress of a run or a sweep in one line of text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, Protocol

from petri.report.quantities import Units, number

BAR: Final = 20  # columns


class State(Protocol):
    """What is shown of a run (`petri.run.replications.Progress`)."""

    replications: int
    until: float
    finished: int

    @property
    def time(self) -> float: ...

    @property
    def rate(self) -> float: ...

    @property
    def share(self) -> float: ...


def describe(state: State, units: Units, room: int) -> str:
    """`━━━━━━────── 42%  8.41 ms of 20 ms  3.1 M firings/s  4 of 20 done`: as much of it as there is room for."""
    share = "" if math.isnan(state.share) else f"{min(max(state.share, 0.0), 1.0):4.0%}"
    time_ = units.show(state.time, "Time", 3)
    span = f"{time_} of {units.show(state.until, 'Time', 3)}" if math.isfinite(state.until) else f"time {time_}"
    rate = f"{_rate(state.rate)} firings/s"
    done = f"{state.finished} of {state.replications} done" if state.replications > 1 else ""
    bar = bar_of(state.share) + " " if share else ""
    return fitting([(bar + share, span, rate, done), (share, span, rate, done), (share, span, done), (share, done),
                    (share or span,)], room)  # fmt: skip


def bar_of(share: float) -> str:
    filled = round(min(max(share, 0.0), 1.0) * BAR)
    return "━" * filled + "─" * (BAR - filled)


def fitting(lines: Iterable[Iterable[str]], room: int) -> str:
    """The first of these lines, each of several parts, that is not too wide; none is ever cut."""
    joined = ("  ".join(part for part in parts if part).strip() for parts in lines)
    return next((line for line in joined if len(line) <= room), "")


def _rate(firings: float) -> str:
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if firings >= size:
            return number(firings / size, 3) + letter
    return number(round(firings))
