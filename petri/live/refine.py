"""Replications of one or more settings of a net on threads, the one that is looked at first, until they are stopped."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from petri.bounds import Bound
from petri.diagnostics import Diagnostic, LanguageError
from petri.engine.errors import ModelError
from petri.model import MOST_FOR_PRECISION, Model
from petri.result import Result
from petri.run.driver import Driver
from petri.run.ensemble import Ensemble
from petri.run.plan import Ending, Plan
from petri.run.progress import Progress
from petri.run.replications import FEWER_BATCHES, batches_kept
from petri.run.stop import Slice
from petri.run.trials import try_chances

TOGETHER: Final = 4  # replications whose interval says more than that of a single one
MOST: Final = MOST_FOR_PRECISION  # replications of the setting that is looked at
MOST_OF_OTHERS: Final = 20  # of a point of a curve
FIRST_GLANCE: Final = 0.01  # seconds, after which the first replication tells what it has so far
GLANCES: Final = 0.25  # seconds between what it tells then
LONGEST_PIECE: Final = 0.01  # seconds in which a stop sign may not be seen

Load = Callable[[Mapping[str, str]], tuple[Model, Plan]]
"""The net with these values of its parameters, and the plan of its runs. Raises LanguageError."""


class Point:
    """Values of the net's parameters, and the replications that ran with them.

    model, plan: None until they are needed. problem: why the net cannot have these values, or cannot run.
    load: of a net that is not one with other texts for its parameters. weight: how many replications it gets while
    another of its group gets one.
    """

    def __init__(
        self,
        settings: Mapping[str, str],
        model: Model | None = None,
        plan: Plan | None = None,
        load: Callable[[], tuple[Model, Plan]] | None = None,
    ) -> None:
        self.settings = dict(settings)
        self.model, self.plan, self.load = model, plan, load
        self.problem: LanguageError | None = None
        self.begun: set[int] = set()
        self.done: dict[int, Ensemble] = {}  # each a row
        self.glance: Ensemble | None = None  # what the first replication has so far, also in its warm-up
        self.most, self.weight = MOST, 1.0
        self.text = 0  # of which version of the text it is
        self.figures: tuple[int, Any] | None = None  # of how many replications, and what was made of them
        self.values: list[list[float]] = []  # of each replication the figures of the measures, once they are asked for
        self.bounds: list[Bound] | str | None = None  # of the measures, once they are known; or why there are none

    @property
    def ran(self) -> tuple[Ensemble, ...]:
        """The first replications without a gap: what `pnsim run --replications` of their number has."""
        ran: list[Ensemble] = []
        while (one := self.done.get(len(ran))) is not None:
            ran.append(one)
        return tuple(ran)

    @property
    def next(self) -> int:
        """The replication to run next."""
        return next(index for index in range(len(self.begun) + 1) if index not in self.begun)

    @property
    def wanted(self) -> bool:
        if len(self.begun) >= self.most:
            return False
        return self.problem is None and not any(one.faults for one in list(self.done.values()))

    def result(self) -> Result | None:
        """Return the figures so far; of a part of the first replication if none has finished."""
        ran = self.ran or ((self.glance,) if self.glance is not None else ())
        if not ran or self.model is None or self.plan is None:
            return None
        return Result(self.model.net, self.plan, Ensemble.joined(ran), asked=len(ran))


class Refinement:
    """Runs replications on threads until it is stopped, or all that are wanted have run; without threads, in steps.

    `changed` is called, on any of its threads, when there is something new. While `look` says False, none begins.
    """

    def __init__(self, main: Point, load: Load, threads: int, changed: Callable[[], None]) -> None:
        self.main = main
        self.others: Sequence[Sequence[Point]] = ()  # groups, which have their turns
        self._turns = 0
        self.partner: Point | None = None  # with which `main` is compared, replication by replication
        self.stopped = Slice()
        self.progress = Progress(MOST, main.plan.until if main.plan else 0.0)
        self.looking = True
        self._load, self._changed = load, changed
        self._running: _Running | None = None  # where there are no threads
        self._turn = threading.Condition()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Return at once; the threads end within a few hundredths of a second."""
        self.stopped.set()
        with self._turn:
            self._turn.notify_all()

    def wait(self) -> None:
        """Until all threads have ended."""
        for thread in self._threads:
            thread.join()

    def look(self, looking: bool) -> None:
        with self._turn:
            self.looking = looking
            self._turn.notify_all()

    def set_others(self, others: Sequence[Sequence[Point]], partner: Point | None) -> None:
        with self._turn:
            self.others, self.partner = others, partner
            self._turn.notify_all()

    # ---------------------------------------------------------------- whose turn it is

    def _next(self) -> tuple[Point, int] | None:
        """Return the point and the replication to run now. Waits until there is one; None when stopped.

        The first replication runs alone until it has told its first figures, which others would delay.
        """
        with self._turn:
            while not self.stopped.is_set():
                task = self._task()
                if task is not None:
                    return task
                self._turn.wait()
        return None

    def _task(self) -> tuple[Point, int] | None:
        alone = self.main.begun == {0} and self.main.glance is None and not self.main.done
        point = self._chosen() if self.looking and not alone else None
        if point is None:
            return None
        index = point.next
        point.begun.add(index)
        return point, index

    def _chosen(self) -> Point | None:
        """Choose the main point first, then its partner as far; half of what follows is for the others.

        Their groups have their turns; within one, the point with the fewest replications for its weight is next.
        """
        main, partner = self.main, self.partner
        if partner is not None and partner.wanted and len(partner.begun) < len(main.begun):
            return partner
        wanted = [[one for one in group if one.wanted and one is not main] for group in self.others]
        nexts = [min(group, key=lambda one: len(one.begun) / one.weight) for group in wanted if group]
        if not nexts or (main.wanted and len(main.begun) < TOGETHER):
            return main if main.wanted else None
        self._turns += 1
        return main if main.wanted and self._turns % 2 else nexts[self._turns // 2 % len(nexts)]

    # ---------------------------------------------------------------- the work

    def _work(self) -> None:
        """Run replications on a thread of their own."""
        while (task := self._next()) is not None:
            running = self._begin(*task)
            self._go_on(running)
            self._finish(running)

    def step(self, seconds: float) -> bool:
        """Spend a slice of time on a replication, where there are no threads. Returns whether there is more to do."""
        if self._running is None:
            task = self._task()
            if task is None:
                return False
            self._running = self._begin(*task)
        self.stopped.ends = time.perf_counter() + seconds
        self._go_on(self._running)
        self.stopped.ends = math.inf
        if self._running.ended != "interrupted" or self.stopped.is_set():
            running, self._running = self._running, None
            self._finish(running)
        return True

    def _begin(self, point: Point, index: int) -> _Running:
        """Return a replication at its start; without a driver if it was stopped, or the point has a problem."""
        running = _Running(point, index)
        with _problems(point):
            if point.model is None or point.plan is None:
                point.model, point.plan = point.load() if point.load else self._load(point.settings)
            kept = min(batches_kept(point.model.net, 1), FEWER_BATCHES) if index < TOGETHER else 0
            driver = Driver.begun(point.model.net, point.plan, index, self.stopped, self.progress, kept)
            if driver is not None:
                driver.longest = LONGEST_PIECE
                if point is self.main and index == 0:
                    driver.watch = self._glances(point, driver)
            running.driver = driver
        return running

    def _go_on(self, running: _Running) -> None:
        """Run until its end, or until the stop sign is set."""
        running.ended = None
        if running.driver is not None:
            started = time.perf_counter()
            with _problems(running.point):
                running.ended = running.driver.end()
            running.seconds += time.perf_counter() - started

    def _finish(self, running: _Running) -> None:
        """Keep a replication that has ended; figures of one that was stopped would delay those of the next setting."""
        point, finished = running.point, None
        if running.driver is not None and point.plan is not None and running.ended not in (None, "interrupted"):
            with _problems(point):
                ran = running.driver.so_far(running.ended, running.seconds).without_levels()
                try_chances(ran, point.plan, self.stopped)
                finished = None if ran.is_ended("interrupted").any() else ran
        with self._turn:
            if finished is None:
                point.begun.discard(running.index)
            else:
                point.done[running.index] = finished
            self._turn.notify_all()
        self._changed()

    def _glances(self, point: Point, driver: Driver) -> Callable[[], None]:
        started = time.perf_counter()
        due = started + FIRST_GLANCE

        def watch() -> None:
            nonlocal due
            now = time.perf_counter()
            if now >= due and not self.stopped.is_set():
                due = now + GLANCES
                # The first must be there soon: it has no intervals yet, which rest on the batches.
                first = point.glance is None
                point.glance = driver.so_far("interrupted", now - started, batched=not first)
                self._changed()
                if first:  # the other threads have waited for it
                    with self._turn:
                        self._turn.notify_all()

        return watch


class _Running:
    """A replication on its way. ended: how it has ended so far; None if it could not run."""

    def __init__(self, point: Point, index: int) -> None:
        self.point, self.index = point, index
        self.driver: Driver | None = None
        self.ended: Ending | None = None
        self.seconds = 0.0


@contextmanager
def _problems(point: Point) -> Iterator[None]:
    """Note at the point why its net cannot have its values, or cannot run."""
    try:
        yield
    except LanguageError as error:
        point.problem = error
    except ModelError as error:  # the key of an initial token
        values = {name: str(value) for name, value in error.values.items()}
        sources = point.model.sources if point.model else {}
        point.problem = LanguageError([Diagnostic(error.id, error.span, values)], sources)
