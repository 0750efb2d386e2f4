"""Replications of the native engine, many in one call."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from petri.diagnostics import LanguageError
from petri.engine.errors import STOPPED, Fault, ModelError
from petri.engine.native import Course, NativeEnsemble, Pause
from petri.file_read import FileRead
from petri.net import Net
from petri.run.driver import PIECE, first_batch, of_file
from petri.run.ensemble import Ensemble, Special
from petri.run.plan import Plan
from petri.run.progress import Progress
from petri.run.session import row_source
from petri.run.stop import StopSign
from petri.run.watching import Watching
from petri.structs import replace


class Attended:
    """What the engine leaves to Python in one replication: rows of streams, windows, the condition at which it ends."""

    def __init__(self, net: Net, plan: Plan) -> None:
        self.net = net
        self.watching = Watching(net, plan)
        self.fault: Fault | None = None
        self._rows = row_source(net)
        self._files: tuple[FileRead, ...] = ()

    def answer(self, pause: Pause, running: NativeEnsemble) -> None:
        """Do what it waits for. Raises LanguageError for the file of a stream if nothing has happened yet."""
        if pause == "rows":
            self._feed(running)
            return
        if pause == "begun":
            self.watching.begin(running)
        elif pause == "instant":
            self.watching.take(running)
        if pause != "begun" and self.watching.is_over(running):
            running.conclude(planned=True)
        else:
            running.look(self.watching.next, self.watching.firings)

    def _feed(self, running: NativeEnsemble) -> None:
        assert self._rows is not None
        try:
            words = self._rows.words(running.wanted)
        except LanguageError as error:
            if not running.firings:
                raise
            self.fault = of_file(error, self.net.tick.time(running.now))
            running.conclude(planned=False)
        else:
            running.feed(running.wanted, words)

    def close(self) -> None:
        """Close its files, when it has ended."""
        if self._rows is not None:
            self._files, self._rows = self._rows.read(), None

    def add_to(self, ran: Ensemble, row: int) -> None:
        """Add what it has come to to its row."""
        self.close()
        if self.watching.series:
            ran.windows.more = {**ran.windows.more, row: {"series": self.watching.values}}
        if self._files or self.fault is not None:
            known = ran.special.get(row, Special())
            ran.special[row] = replace(known, fault=known.fault or self.fault, files=self._files)


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

    longest: seconds after which none begins but the first. Raises as `Attended.answer`, and ModelError if the initial
    marking cannot be computed.
    """
    running = NativeEnsemble(net, plan.seed, numbers, plan.limits, course_of(net, plan, batches), stop.native)
    needs_python = bool(Watching(net, plan)) or row_source(net) is not None
    attended: dict[int, Attended] = {}  # by number of the replication; those that have ended since the last report
    parts, done, over = [Ensemble.none(net)], 0, False
    started = reported = time.perf_counter()
    while done < len(numbers) and not over:
        stopped = stop.is_set()  # then this call interrupts the one under way
        begin = not done or time.perf_counter() - started < longest
        try:
            pause = running.advance(PIECE, begin)
        except ModelError as error:
            if error.id == STOPPED:
                break
            raise
        if pause is not None:
            number = numbers[done + running.ended]
            if number not in attended:
                for one in attended.values():
                    one.close()
                attended[number] = Attended(net, plan)
            attended[number].answer(pause, running)
            if time.perf_counter() - reported < PIECE:
                continue
        reported = time.perf_counter()
        if ended := running.ended:
            progress.running.pop(numbers[done], None)
            parts.append(Ensemble.of_engine(net, running.take()))
            for row, number in enumerate(numbers[done : done + ended] if needs_python else ()):
                (attended.pop(number, None) or Attended(net, plan)).add_to(parts[-1], row)
            progress.firings += parts[-1].firings
            progress.finished += ended
            done += ended
        if running.under_way:
            progress.running[numbers[done]] = (net.tick.time(running.now), running.firings)
        over = stopped or not (running.under_way or begin)
    return Ensemble.joined(parts)


def course_of(net: Net, plan: Plan, batches: int) -> Course:
    """Return what each replication of a plan does."""
    return Course(
        warmup=net.tick.ticks(plan.warmup),
        until=net.tick.ticks(plan.until),
        rests=math.isfinite(plan.until),
        firings=plan.firings,
        batches=batches,
        batch=first_batch(batches),
        watched=bool(Watching(net, plan)),
        levels=plan.occupancy,
    )
