"""Runs: replications on threads, their windows and batches, progress, and interruption."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from petri.diagnostics import LanguageError
from petri.engine.errors import STOPPED, Fault, ModelError
from petri.engine.firings import Firings
from petri.engine.interface import Session
from petri.engine.native import Course, NativeEnsemble, NativeSession
from petri.measure.formula import evaluate
from petri.measure.tally import Tally
from petri.measure.windows import Windows
from petri.net import Net
from petri.run.checkpoint import SavedObservation, SavedReplication, SavedSeries
from petri.run.condition import StopCondition
from petri.run.ensemble import NOTHING, Ensemble, Special, numbers_of, tokens_of
from petri.run.plan import Ending, Plan, check_whole
from petri.run.session import begin_planned
from petri.run.stop import NO_LIMIT, CtrlC, StopSign, TimeLimit
from petri.run.threads import Threads
from petri.run.trials import tallies
from petri.structs import Struct, field, replace

MOST_BATCHES = 256  # of a run by itself: when all are full, neighbours are joined
FEWER_BATCHES = 64  # of one among several: they show the course of the run, and give no intervals
FEWEST_BATCHES = 32  # of one of a large net, where figures that grow are all that they show
UNJOINED = 4096  # firings, before neighbours are joined for the first time
LARGE_NET = 5_000  # places and transitions
LARGEST_BATCHED_NET = 20_000  # beyond, snapshots would cost more memory than the net
LONGEST_SERIES = 1_000_000  # windows; a longer series is cut off
PIECE = 0.05  # seconds between looks at the clock and at the stop sign
REFRESH = 0.1  # seconds between calls of the progress callback


class Progress(Struct):
    """The progress of the replications; their threads write it, the display reads it."""

    replications: int
    until: float
    finished: int = 0
    firings: int = 0
    running: dict[int, tuple[float, int]] = field(default_factory=dict)  # replication: (model time, firings)
    started: float = field(default_factory=time.perf_counter)

    @property
    def time(self) -> float:
        """Model time of the replication that is furthest behind; at the end, that of the whole run."""
        ended = self.until if self.finished == self.replications and math.isfinite(self.until) else 0.0
        return min((now for now, _ in list(self.running.values())), default=ended)

    @property
    def rate(self) -> float:
        """Firings per second of wall-clock time, over all replications."""
        total = self.firings + sum(firings for _, firings in list(self.running.values()))
        return total / max(time.perf_counter() - self.started, 1e-9)

    @property
    def share(self) -> float:
        """Share done, by model time; nan if only the death of the net ends the run."""
        if math.isinf(self.until):
            return math.nan if self.replications == 1 else self.finished / self.replications
        reached = sum(min(now / self.until, 1.0) if self.until else 1.0 for now, _ in list(self.running.values()))
        return (self.finished + reached) / self.replications


TraceSink = Callable[[int, "Firings"], None]
"""Receives the replication's index and its next firings."""


Of = TypeVar("Of")
OutletSink = Callable[[int, Session], None]
"""Takes what has left through ports out from the session of the replication with this index."""


class Series:
    """The values of one measure in windows of equal length, counted from the end of the warm-up.

    `next` is the tick at which the window under way ends.
    """

    def __init__(self, measure: int, length: float) -> None:
        self.measure = measure
        self.length = length
        self.values: list[float] = []
        self.next = math.inf

    def begin(self, net: Net, session: Session) -> None:
        self.start = net.tick.time(session.now)
        self.last = session.observe()
        self.go_on(net)

    def go_on(self, net: Net) -> None:
        full = len(self.values) == LONGEST_SERIES
        self.next = math.inf if full else net.tick.ticks(self.start + (len(self.values) + 1) * self.length)

    def save(self) -> SavedSeries:
        begun = math.isfinite(self.next) or bool(self.values)
        last = SavedObservation.of(self.last) if begun else None
        return SavedSeries(tuple(self.values), self.start if begun else 0.0, last)

    def resume(self, net: Net, saved: SavedSeries) -> None:
        self.values = list(saved.values)
        if saved.last is not None:
            self.start, self.last = saved.start, saved.last.observation()
            self.go_on(net)

    def take(self, net: Net, session: Session) -> None:
        """If a window ends now, evaluate the measure over it."""
        if session.now < self.next:
            return
        seen = session.observe()
        self.values.append(evaluate(net.measures[self.measure].formula, seen.minus(self.last)))
        self.last = seen
        self.go_on(net)


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
        self.series = [Series(index, m.window) for index, m in enumerate(net.measures) if m.window]
        self.net = net
        self.warm = plan.warmup <= 0.0
        self.wrong: Fault | None = None
        self.searching = False  # when it was interrupted
        stop_at = net.run_defaults.stop if math.isinf(plan.until) else None
        self.condition = None if stop_at is None else StopCondition(stop_at)
        self.length = self.batch_left = UNJOINED // max(self.most_batches, 1)
        self.branch = 0
        self.save_at = math.inf if plan.save_at is None else net.tick.ticks(plan.save_at)
        self.saved: SavedReplication | None = None
        self.begun_series = False
        self.died = math.nan
        self.chances: tuple[Tally, ...] = ()
        self.trial_threads = 1  # that its trials may use; 0 if others make them
        if start is not None:
            self.resume(start)

    def resume(self, start: SavedReplication) -> None:
        """Go on where a saved replication stood."""
        self.left -= start.engine.firings
        self.warm, self.branch, self.died = start.warm, start.branch, start.died
        self.batches = [seen.observation() for seen in start.batches]
        if start.batch:
            self.length, self.batch_left = start.batch, start.batch_left
        for series, saved in zip(self.series, start.series, strict=False):
            series.resume(self.net, saved)
            self.begun_series |= saved.last is not None
        if self.condition is not None:
            self.condition.next = start.looked

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
            tuple(series.save() for series in self.series),
            0 if self.condition is None else self.condition.next,
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

    def run(self) -> Ensemble:
        """Run the whole replication; return it as one row. Errors as of `end`."""
        started = time.perf_counter()
        ended = self.end()
        return self.so_far(ended, time.perf_counter() - started)

    def end(self) -> Ending:
        """Go on until it ends. Errors of the model and of the file of a stream are in `so_far`.

        Raises LanguageError for such a file if nothing has happened yet.
        """
        try:
            ended = self.live()
            if ended in ("until", "dead") and self.net.chances and self.trial_threads:
                ended = self.try_chances(ended)
        except LanguageError as error:
            if not self.session.firings:
                raise
            self.report()
            told = error.diagnostics[0]
            self.wrong = Fault(told.id, None, {}, self.now, told.span, told.values)
            ended = "error"
        self.progress.running.pop(self.index, None)
        self.progress.firings += self.session.firings
        self.progress.finished += 1
        return ended

    def try_chances(self, ended: Ending) -> Ending:
        """Make the trials of the net's probabilities, which are runs of their own."""
        self.chances, fault = tallies(self.net, self.plan, self.index, self.stop, self.trial_threads)
        if fault is None:
            return ended
        if fault.id == STOPPED:
            return "interrupted"
        self.wrong = fault
        return "error"

    def so_far(self, ended: Ending, seconds: float, *, batched: bool = True) -> Ensemble:
        """Return what it is until now, also between two pieces of a run that goes on, as one row. seconds: of
        wall-clock time.

        batched: False to leave out the batches, which take longer to compute than all else.
        """
        session, series = self.session, {series.measure: [*series.values] for series in self.series}
        window, levels = replace(session.observe(), series=series, chances=self.chances), session.levels()
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
            for series in self.series:
                series.begin(self.net, self.session)
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
            condition = self.condition if self.warm else None
            most = math.inf if condition is None else condition.firings_left(self.session)
            budget = int(min(self.batch_left if batched else math.inf, self.left, self.piece, most))
            before, clock = self.session.firings, time.perf_counter()
            reason = self.session.advance(min([until, self.save_at, *(series.next for series in self.series)]), budget)
            done = self.session.firings - before
            self.left -= done
            if batched:
                self.batch_left -= done
            self.report()
            self.adapt(time.perf_counter() - clock, budget)
            if reason == "until":
                for series in self.series:
                    series.take(self.net, self.session)
                self.save_if_due()
            if reason == "error" and self.session.error is not None and self.session.error.id == STOPPED:
                self.searching = True
                return "interrupted"
            if condition is not None and reason != "error" and condition.holds(self.session):
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
            self.session.rest(min([until, self.save_at, *(series.next for series in self.series)]))
            for series in self.series:
                series.take(self.net, self.session)
            self.save_if_due()
        return "dead"

    def save_if_due(self) -> None:
        """End an instant: perhaps the one whose state is wanted."""
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


def batches_kept(net: Net, replications: int) -> int:
    """Return how many batches each replication keeps."""
    size = len(net.places) + len(net.transitions)
    if size > LARGEST_BATCHED_NET:
        return 0
    if size > LARGE_NET:
        return FEWEST_BATCHES
    return MOST_BATCHES if replications == 1 else FEWER_BATCHES


def replicate(
    net: Net,
    plan: Plan,
    indices: Iterable[int],
    *,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    trace: TraceSink | None = None,
    outlet: OutletSink | None = None,
    batches: int | None = None,
    limit: TimeLimit = NO_LIMIT,
    starts: Sequence[SavedReplication] | None = None,
    trials_once: bool = False,
) -> tuple[Ensemble, bool]:
    """Run these replications; returns those that ran, in order of index, and whether Ctrl-C or the limit stopped them.

    batches: how many snapshots each keeps, if not `batches_kept`. starts: for each index, the state that it goes on
    from, instead of time 0. trials_once: the first one makes the trials of probabilities, for all of them. A
    replication in progress at Ctrl-C is returned as "interrupted"; those not started are left out. The main thread only
    waits, so that Ctrl-C reaches it while an engine runs.
    """
    wanted = list(indices)
    begun, stop = threading.Event(), StopSign()
    state = Progress(len(wanted), plan.until)
    kept = batches_kept(net, len(wanted)) if batches is None else batches
    if threads is not None:
        check_whole("threads", threads, 0)
    cores = threads or os.cpu_count() or 1
    workers = max(1, min(cores, len(wanted)))
    parts = Parts(
        wanted, workers, one_by_one=trace is not None or outlet is not None or not runs_together(net, plan, starts)
    )
    alone = wanted[:1] if trials_once else wanted  # those that make trials

    def driven(index: int, start: SavedReplication | None) -> Ensemble | None:
        driver = Driver.begun(net, plan, index, stop, state, kept, start)
        if driver is None:
            return None
        driver.sink, driver.outlet = trace, outlet
        if outlet is not None:
            driver.session.keep_outputs()
        if trials_once:
            driver.trial_threads = cores if index == wanted[0] else 0
        return driver.run()

    def work() -> list[tuple[int, Ensemble]]:
        """Take parts until there are none; returns them, each with its position."""
        begun.wait()  # until the main thread is ready for Ctrl-C
        found = []
        while not stop.is_set() and (part := parts.next()):
            numbers = [wanted[at] for at in part]
            if parts.one_by_one or (net.chances and not {*numbers}.isdisjoint(alone)):
                ran = [driven(wanted[at], None if starts is None else starts[at]) for at in part]
                found += [(at, one) for at, one in zip(part, ran, strict=True) if one is not None]
            else:
                started = time.perf_counter()
                together = run_together(net, plan, numbers, stop, state, kept)
                parts.adapt(len(part), time.perf_counter() - started)
                found.append((part.start, together))
        return found

    shown = None if progress is None else partial(progress, state)
    found, interrupted = _on_threads([work] * workers, begun, stop, shown, limit)
    finished = sorted((part for of_thread in found for part in of_thread), key=lambda part: part[0])
    return Ensemble.joined([Ensemble.none(net), *(one for _, one in finished)]), interrupted


def _on_threads(
    works: Sequence[Callable[[], Of]],
    begun: threading.Event,
    stop: StopSign,
    shown: Callable[[], None] | None,
    limit: TimeLimit,
) -> tuple[list[Of], bool]:
    """Return what works on threads return, and whether Ctrl-C or the limit has stopped them.

    begun: set when this thread is ready for Ctrl-C, for which the works wait. shown: called again and again.
    """
    interrupted = False
    with CtrlC() as ctrl_c, Threads(len(works), works) as running:
        try:
            while not running.done:
                try:
                    begun.set()
                    running.wait(REFRESH)
                    if running.failed:
                        stop.set()
                    if shown is not None:
                        shown()
                    ctrl_c.check(NO_LIMIT if running.done else limit)
                except KeyboardInterrupt:
                    stop.set()
                    interrupted = True
        finally:
            stop.set()
            begun.set()
    return running.results(), interrupted


class Parts:
    """Numbers of replications, which threads take: one at first, and then as many as take about `PIECE` seconds."""

    def __init__(self, wanted: Sequence[int], workers: int, one_by_one: bool) -> None:
        self.one_by_one = one_by_one
        self._left, self._workers, self._size = range(len(wanted)), workers, 1
        self._lock = threading.Lock()

    def next(self) -> range:
        """Return the positions of the next part; empty if there is none."""
        with self._lock:
            size = 1 if self.one_by_one else min(self._size, -(-len(self._left) // (2 * self._workers)))
            part, self._left = self._left[:size], self._left[size:]
            return part

    def adapt(self, size: int, seconds: float) -> None:
        """Note that a part of this size took as long."""
        if seconds < PIECE / 2:
            self._size = max(self._size, 2 * size)
        elif seconds > 2 * PIECE:
            self._size = max(size // 2, 1)


def runs_together(net: Net, plan: Plan, starts: Sequence[SavedReplication] | None = None) -> bool:
    """Return whether nothing happens in a replication that only a `Driver` knows, so that the engine runs many in one
    call.
    """
    looked_at = math.isinf(plan.until) and net.run_defaults.stop is not None
    recorded = any(place.stream is not None for place in net.places) or any(one.window for one in net.measures)
    own = starts is not None or plan.save_at is not None or plan.trace
    return plan.engine == "native" and not (looked_at or recorded or own)


def run_together(
    net: Net,
    plan: Plan,
    numbers: Sequence[int],
    stop: StopSign,
    progress: Progress,
    batches: int,
    longest: float = math.inf,
) -> Ensemble:
    """Run replications on the native engine, in one call for about every `PIECE` seconds; those that have begun.

    longest: seconds after which none begins but the first.
    """
    ticks, parts, done = net.tick.ticks, [Ensemble.none(net)], 0
    rests = math.isfinite(plan.until)
    course = Course(ticks(plan.warmup), ticks(plan.until), rests, plan.firings, batches, plan.occupancy)
    running = NativeEnsemble(net, plan.seed, numbers, plan.limits, course, stop.native)
    started, over = time.perf_counter(), False
    while done < len(numbers) and not over:
        stopped = stop.is_set()  # then this call interrupts the one under way
        begin = not done or time.perf_counter() - started < longest
        try:
            ended, under_way = running.advance(PIECE, begin)
        except ModelError as error:
            if error.id == STOPPED:
                break
            raise
        if ended:
            progress.running.pop(numbers[done], None)
            parts.append(Ensemble.of_engine(net, running.take()))
            progress.firings += parts[-1].firings
            progress.finished += ended
            done += ended
        if under_way is not None:
            progress.running[numbers[done]] = (net.tick.time(under_way[0]), under_way[1])
        over = stopped or (under_way is None and not begin)
    return Ensemble.joined(parts)
