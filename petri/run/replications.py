"""Runs: replications on threads, their windows and batches, progress, and interruption."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from petri.net import Net
from petri.run.checkpoint import SavedReplication
from petri.run.driver import PIECE, OutletSink, TraceSink, run_alone
from petri.run.ensemble import Ensemble
from petri.run.plan import Plan, check_whole
from petri.run.progress import Progress
from petri.run.stop import NO_LIMIT, CtrlC, StopSign, TimeLimit
from petri.run.threads import Threads
from petri.run.together import run_together
from petri.run.trials import try_chances

MOST_BATCHES = 256  # of a run by itself: when all are full, neighbours are joined
FEWER_BATCHES = 64  # of one among several: they show the course of the run, and give no intervals
FEWEST_BATCHES = 32  # of one of a large net, where figures that grow are all that they show
LARGE_NET = 5_000  # places and transitions
LARGEST_BATCHED_NET = 20_000  # beyond, snapshots would cost more memory than the net
REFRESH = 0.1  # seconds between calls of the progress callback

Of = TypeVar("Of")


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
    own = trace is not None or outlet is not None or starts is not None
    parts = Parts(wanted, workers, one_by_one=own or not runs_together(plan))

    def work() -> list[tuple[int, Ensemble]]:
        """Take parts until there are none; returns them, each with its position."""
        begun.wait()  # until the main thread is ready for Ctrl-C
        found = []
        while not stop.is_set() and (part := parts.next()):
            started, numbers = time.perf_counter(), [wanted[at] for at in part]
            if parts.one_by_one:
                start = None if starts is None else starts[part.start]
                ran = run_alone(net, plan, numbers[0], stop, state, kept, start, trace, outlet)
            else:
                ran = run_together(net, plan, numbers, stop, state, kept)
            if not trials_once or part.start == 0:
                try_chances(ran, plan, stop, cores if trials_once else 1)
            parts.adapt(len(part), time.perf_counter() - started)
            found.append((part.start, ran))
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


def runs_together(plan: Plan) -> bool:
    """Return whether the engine runs many replications in one call: only a `Driver` knows saved states and traces."""
    return plan.engine == "native" and plan.save_at is None and not plan.trace


def run_some(
    net: Net,
    plan: Plan,
    numbers: Sequence[int],
    stop: StopSign,
    progress: Progress,
    batches: int,
    longest: float,
) -> Ensemble:
    """Run replications on this thread, each with its trials; after `longest` seconds none begins but the first."""
    if runs_together(plan):
        ran = run_together(net, plan, numbers, stop, progress, batches, longest)
    else:
        started, parts = time.perf_counter(), [Ensemble.none(net)]
        for number in numbers:
            if stop.is_set() or (len(parts) > 1 and time.perf_counter() - started > longest):
                break
            parts.append(run_alone(net, plan, number, stop, progress, batches))
        ran = Ensemble.joined(parts)
    try_chances(ran, plan, stop)
    return ran
