"""The progress of a run or a sweep in one line of text."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Final, Protocol

from petri.report.telling.quantities import Units, number

BAR: Final = 20  # columns
DAY: Final = 86_400  # seconds
YEAR: Final = 365  # days
EARLIEST: Final = 1.0  # seconds after which the time that remains is estimated


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


class Remaining:
    """The time that a run still needs, from the share that is done. Neither ever turns back: replications that run at
    different speeds, or start one after the other, would make both jump.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self.share = 0.0
        self.seconds = math.inf

    def look(self, share: float, now: float | None = None) -> None:
        """Note the share that is done now (seconds of `time.monotonic`)."""
        passed = (time.monotonic() if now is None else now) - self._started
        self.share = max(self.share, min(share, 1.0))
        if passed >= EARLIEST and self.share > 0.0:
            self.seconds = min(self.seconds, passed * (1.0 - self.share) / self.share)

    def text(self) -> str:
        """`12 s left`; empty while it is not known."""
        if math.isinf(self.seconds):
            return ""
        return left_text(self.seconds)


def left_text(seconds: float) -> str:
    """`3 years left`, `5 days left`, `1:02:07 left`, `2:07 left`, `7 s left`."""
    days = seconds / DAY
    if days >= 100 * YEAR:
        return "more than 100 years left"
    if days >= 2 * YEAR:
        return f"{days / YEAR:.0f} years left"
    if days >= 2:
        return f"{days:.0f} days left"
    minutes, whole = divmod(round(seconds), 60)
    if minutes >= 60:
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{whole:02} left"
    return f"{minutes}:{whole:02} left" if minutes else f"{whole} s left"


def describe(state: State, units: Units, room: int, remaining: Remaining | None = None) -> str:
    """`━━━━━━────── 42%  8.41 ms of 20 ms  3.1 M firings/s  4 of 20 done  12 s left`: as much as there is room for."""
    done_share, left = state.share, ""
    if remaining is not None and not math.isnan(done_share):
        remaining.look(done_share)
        done_share, left = remaining.share, remaining.text()
    share = "" if math.isnan(done_share) else f"{min(max(done_share, 0.0), 1.0):4.0%}"
    time_ = units.show(state.time, "Time", 3)
    span = f"{time_} of {units.show(state.until, 'Time', 3)}" if math.isfinite(state.until) else f"time {time_}"
    rate = f"{_rate(state.rate)} firings/s"
    done = f"{state.finished} of {state.replications} done" if state.replications > 1 else ""
    bar = bar_of(done_share) + " " if share else ""
    return fitting([(bar + share, span, rate, done, left), (share, span, rate, done, left), (share, rate, done, left),
                    (share, done, left), (share, left), (share or span,)], room)  # fmt: skip


def bar_of(share: float) -> str:
    filled = round(min(max(share, 0.0), 1.0) * BAR)
    return "━" * filled + "─" * (BAR - filled)


def fitting(lines: Iterable[Iterable[str]], room: int) -> str:
    """Return the first of these lines, each of several parts, that is not too wide; none is ever cut."""
    joined = ("  ".join(part for part in parts if part).strip() for parts in lines)
    return next((line for line in joined if len(line) <= room), "")


def _rate(firings: float) -> str:
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if firings >= size:
            return number(firings / size, 3) + letter
    return number(round(firings))
