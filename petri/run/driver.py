"""One replication on either engine, piece by piece."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from petri.diagnostics import LanguageError
from petri.engine.errors import STOPPED, Fault, ModelError
from petri.engine.firings import Firings
from petri.engine.interface import Session
from petri.engine.native import NativeSession
from petri.measure.windows import Windows
from petri.net import Net
from petri.run.checkpoint import SavedObservation, SavedReplication
from petri.run.ensemble import NOTHING, Ensemble, Special, numbers_of, tokens_of
from petri.run.plan import Ending, Plan
from petri.run.progress import Progress
from petri.run.session import begin_planned
from petri.run.stop import StopSign
from petri.run.watching import Watching
from petri.structs import replace

PIECE = 0.05  # seconds between looks at the clock and at the stop sign
UNJOINED = 4096  # firings, before neighbouring batches are joined for the first time

TraceSink = Callable[[int, "Firings"], None]
"""Receives the replication's index and its next firings."""


OutletSink = Callable[[int, Session], None]
"""Takes what has left through ports out from the session of the replication with this index."""


class Driver:
    """Takes one session from its start to its end, in pieces short enough to be interrupted.

    batches: how many snapshots it keeps at most on the way, a power of two; half as many at least in a long run. start:
    a saved replication, instead of time 0.
    """

    def __init__(
        self,
        net: Net,
        plan: Plan,
        index: int,
        stop: StopSign,
        progress: Progress,
        batches: int = 0,
        start: SavedReplication | None = None,
    ) -> None:
        self.plan = plan
        self.index = index
        self.stop = stop
        self.progress = progress
        self.session: Session = begin_planned(net, plan, index, stop, None if start is None else start.engine)
        self.left = math.inf if plan.firings is None else plan.firings
        self.piece = 500
        self.most_batches = batches
        self.batches: list[Any] = []  # snapshots, of `Session.observations`
        self.sink: TraceSink | None = None
        self.outlet: OutletSink | None = None
        self.watch: Callable[[], None] | None = None  # called between pieces
        self.longest = PIECE  # seconds that a piece takes
        self.watching = Watching(net, plan)
        self.net = net
        self.warm = plan.warmup <= 0.0
        self.wrong: Fault | None = None
        self.searching = False  # when it was interrupted
        self.length = self.batch_left = first_batch(batches)
        self.branch = 0
        self.save_at = math.inf if plan.save_at is None else net.tick.ticks(plan.save_at)
        self.saved: SavedReplication | None = None
        self.begun_series = False
        self.died = math.nan
        if start is not None:
            self.resume(start)

    def resume(self, start: SavedReplication) -> None:
        """Go on where a saved replication stood."""
        self.left -= start.engine.firings
        self.warm, self.branch, self.died = start.warm, start.branch, start.died
        self.batches = [seen.observation() for seen in start.batches]
        if start.batch:
            self.length, self.batch_left = start.batch, start.batch_left
        for series, saved in zip(self.watching.series, start.series, strict=False):
            series.resume(self.net, saved)
            self.begun_series |= saved.last is not None
        if self.watching.condition is not None:
            self.watching.condition.next = start.looked

    def save(self) -> SavedReplication:
        """Return how it stands, at the end of an instant."""
        assert isinstance(self.session, NativeSession)
        return SavedReplication(
            self.index,
            self.branch,
            self.session.save(),
            self.warm,
            tuple(map(SavedObservation.of, self.observed_batches())),
            self.length,
            self.batch_left,
            tuple(series.save() for series in self.watching.series),
            self.watching.firings or 0,
            self.died,
        )

    @classmethod
    def begun(
        cls,
        net: Net,
        plan: Plan,
        index: int,
        stop: StopSign,
        progress: Progress,
        batches: int = 0,
        start: SavedReplication | None = None,
    ) -> Driver | None:
        """Return a replication at its start; None if it was stopped while its initial marking was made."""
        try:
            return cls(net, plan, index, stop, progress, batches, start)
        except ModelError as error:
            if error.id == STOPPED:
                return None
            raise

    def end(self) -> Ending:
        """Go on until it ends. Errors of the model and of the file of a stream are in `so_far`.

        Raises LanguageError for such a file if nothing has happened yet.
        """
        try:
            ended = self.live()
        except LanguageError as error:
            if not self.session.firings:
                raise
            self.report()
            self.wrong = of_file(error, self.now)
            ended = "error"
        if ended != "interrupted":  # it may go on
            self.progress.running.pop(self.index, None)
            self.progress.firings += self.session.firings
            self.progress.finished += 1
        return ended

    def so_far(self, ended: Ending, seconds: float, *, batched: bool = True) -> Ensemble:
        """Return what it is until now, also between two pieces of a run that goes on, as one row. seconds: of
        wall-clock time.

        batched: False to leave out the batches, which take longer to compute than all else.
        """
        session = self.session
        window, levels = replace(session.observe(), series=self.watching.values), session.levels()
        batches = self.observed_batches() if batched else Windows.of([], like=window)
        special = Special(
            fault=None if self.searching else self.wrong or session.error,
            saved=self.saved,
            files=session.files(),
        )
        numbers = numbers_of(
            index=self.index,
            ended=ended,
            time=self.now,
            firings=session.firings,
            hash=session.hash,
            seconds=seconds,
            warm=self.warm,
            died=self.died,
            drew=session.drew,
        )
        return Ensemble(
            self.net,
            numbers,
            Windows.of([window]),
            batches,
            np.array([len(batches)]),
            tokens_of(session.marking()),
            None if levels is None else levels[None],
            {} if special == NOTHING else {0: special},
        )

    def observed_batches(self) -> Windows:
        """Return what the batches have seen, which stays."""
        seen = self.session.observations(self.batches)
        self.batches = [*seen]
        return seen

    @property
    def now(self) -> float:
        """Model time, in the net's unit."""
        return self.net.tick.time(self.session.now)

    def live(self) -> Ending:
        """Live through the warm-up, and then the measured time."""
        if not self.warm:
            ended = self.drive(self.net.tick.ticks(self.plan.warmup), batched=False)
            if ended != "until" and not (ended == "dead" and math.isfinite(self.plan.until)):
                return ended
            self.session.begin_window()
            self.warm = True
        if not self.begun_series:
            self.watching.begin(self.session)
        return self.drive(self.net.tick.ticks(self.plan.until), batched=self.most_batches > 0)

    def drive(self, until: float, batched: bool) -> Ending:
        """Run to the end of instant `until` [ticks], with a snapshot at the end of each batch."""
        while True:
            ended = self.advance(until, batched)
            if ended is not None:
                return ended
            self.batches.append(self.session.snapshot())
            if len(self.batches) == self.most_batches:
                self.batches = self.batches[1::2]
                self.length *= 2
            self.batch_left = self.length

    def advance(self, until: float, batched: bool) -> Ending | None:
        """Run on in pieces of about `PIECE` seconds; None when a batch is full, if there are any."""
        while True:
            if self.stop.is_set():
                return "interrupted"
            looked = self.watching.firings if self.warm else None
            most = math.inf if looked is None else max(looked - self.session.firings, 1)
            budget = int(min(self.batch_left if batched else math.inf, self.left, self.piece, most))
            before, clock = self.session.firings, time.perf_counter()
            reason = self.session.advance(min(until, self.save_at, self.watching.next), budget)
            done = self.session.firings - before
            self.left -= done
            if batched:
                self.batch_left -= done
            self.report()
            self.adapt(time.perf_counter() - clock, budget)
            if reason == "until":
                self.end_instant()
            if reason == "error" and self.session.error is not None and self.session.error.id == STOPPED:
                self.searching = True
                return "interrupted"
            if looked is not None and reason != "error" and self.watching.is_over(self.session):
                return "until"
            if reason == "dead":
                return self.rest(until, batched)
            if reason == "error" or (reason == "until" and self.session.now >= until):
                return reason
            if self.left <= 0:
                return "firings"
            # At "until" an instant is over, which may lie anywhere: a batch ends when the next firing would start.
            if batched and self.batch_left <= 0 and reason == "budget":
                return None

    def rest(self, until: float, batched: bool) -> Ending:
        """Let a dead net last until the end of its run, if that is an instant: series go on, a state is saved
        (I10).

        A last batch ends at its death.
        """
        if math.isnan(self.died):
            self.died = self.now
            if batched:
                self.batches.append(self.session.snapshot())
        while math.isfinite(self.plan.until) and self.session.now < until:
            if self.stop.is_set():
                return "interrupted"
            self.session.rest(min(until, self.save_at, self.watching.next))
            self.end_instant()
        return "dead"

    def end_instant(self) -> None:
        """End an instant: perhaps one at which windows end, or the one whose state is wanted."""
        self.watching.take(self.session)
        if self.session.now >= self.save_at:
            self.saved, self.save_at = self.save(), math.inf

    def adapt(self, seconds: float, budget: int) -> None:
        """Make pieces longer while they take less than `longest`, and shorter while they take much more."""
        if budget == self.piece and seconds < self.longest:
            self.piece = min(2 * self.piece, 1 << 40)
        elif seconds > 3 * self.longest:
            self.piece = max(self.piece // 2, 1)

    def report(self) -> None:
        self.progress.running[self.index] = (self.now, self.session.firings)
        if self.sink is not None:
            self.sink(self.index, self.session.trace())
        if self.outlet is not None:
            self.outlet(self.index, self.session)
        if self.watch is not None:
            self.watch()


def first_batch(batches: int) -> int:
    """Return the firings of a batch before neighbours are joined, of so many batches."""
    return UNJOINED // max(batches, 1)


def of_file(error: LanguageError, now: float) -> Fault:
    """Return the error in the file of a stream as one of the model, at a model time."""
    told = error.diagnostics[0]
    return Fault(told.id, None, {}, now, told.span, told.values)


def run_alone(
    net: Net,
    plan: Plan,
    index: int,
    stop: StopSign,
    progress: Progress,
    batches: int,
    start: SavedReplication | None = None,
    trace: TraceSink | None = None,
    outlet: OutletSink | None = None,
) -> Ensemble:
    """Run a whole replication; none if it was stopped while its initial marking was made. Errors as of `Driver.end`."""
    driver = Driver.begun(net, plan, index, stop, progress, batches, start)
    if driver is None:
        return Ensemble.none(net)
    driver.sink, driver.outlet = trace, outlet
    if outlet is not None:
        driver.session.keep_outputs()
    started = time.perf_counter()
    ended = driver.end()
    return driver.so_far(ended, time.perf_counter() - started)
