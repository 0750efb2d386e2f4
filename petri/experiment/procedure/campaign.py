"""Runs the missing replications of an experiment, and stores each when it finishes.

The rows of the store alone determine what remains to be done. So the rows are the same if the process is killed and
started again, or if several processes work on one store.
"""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from petri import structs
from petri.display import watching
from petri.experiment.design.definition import Definition
from petri.experiment.design.preparation import Point, Prepared, prepare
from petri.experiment.design.task import LONGEST, PILOT, ReplicationRecord, Task, TaskResult, WrongVersion
from petri.experiment.design.warmup import Warmup
from petri.experiment.errors import problem
from petri.experiment.procedure.workers import Given, Workers, default_workers
from petri.experiment.results.outcome import Outcome
from petri.experiment.results.summary import PointOutcome, check
from petri.experiment.store.database import Store
from petri.measure.pooling import Sample, values_of
from petri.measure.sequential import Stopping
from petri.run.arguments import check_path
from petri.run.plan import check_function, check_whole
from petri.run.stop import NO_LIMIT, CtrlC, TimeLimit
from petri.version import VERSION

PAUSE: Final = 0.25  # seconds between checks of the clock while nothing finishes
REFUSED: Final = 1.0  # seconds before a replication claimed by another process is requested again
TRIES: Final = 4  # times that a replication is handed out if its workers die

MOST_OF_A_TASK: Final = 1_000  # replications

Key = tuple[int, int]  # point in the store, replication
Part = tuple[int, tuple[int, ...]]  # point in the store, replications


@dataclass
class PointState:
    """The progress of a point: `rows` by number of replication; `stored` is its number in the store."""

    point: Point
    stored: int
    stopping: Stopping
    warmup: Warmup | None
    rows: dict[int, ReplicationRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.missing: dict[int, None] = {}  # in order; a dict, as rows come back in any order
        self.look()

    def add(self, row: ReplicationRecord) -> None:
        self.rows[row.index] = row
        self.missing.pop(row.index, None)

    def look(self) -> None:
        """Determine, when all requested rows are present, how many replications are needed so far.

        If one stopped with an error in the model, the check that includes it is the last: more would not help.
        """
        if self.warmup is not None:
            self.missing.pop(PILOT, None)
        if self.missing:
            return
        stopping = self.stopping
        failed = min((index for index, row in self.rows.items() if not row.complete), default=None)
        if stopping.wanted and failed is not None:
            stopping = stopping.upto(failed)
        self.target, _ = stopping.target(self.samples() if stopping.wanted else {})
        wanted = range(self.target) if self.warmup is not None else [PILOT]
        self.missing = {index: None for index in wanted if index not in self.rows}

    def samples(self) -> dict[str, list[Sample]]:
        """Return each figure, replication after replication from number 0 up to the first gap."""
        row, index = self.rows.get(0), 0
        samples: dict[str, list[Sample]] = {name: [] for name in self.point.names}
        while row is not None:
            for name, found in samples.items():
                found.append(row.sample(name))
            index += 1
            row = self.rows.get(index)
        return samples

    @property
    def done(self) -> bool:
        return not self.missing

    def task(self, indices: tuple[int, ...], measures: tuple[str, ...]) -> Task:
        """measures: those that the store keeps, which may be more than the experiment asks for."""
        plan = self.point.plan if self.warmup is None else structs.replace(self.point.plan, warmup=self.warmup.length)
        return Task(self.point.packed, plan, indices, measures)

    def outcome(self) -> PointOutcome:
        rows = [self.rows[index] for index in sorted(self.rows) if index < self.target]
        outcome = PointOutcome.of(self.point, rows, self.warmup)
        return replace(outcome, wanted=self.stopping.wanted, done=self.done)


def stopping_at(point: Point, stopping: Stopping) -> Stopping:
    """Return when the experiment stops; where the expected values of a point say how precise it must be, with
    theirs.
    """
    return structs.replace(stopping, wanted=dict(point.judging)) if point.judging else stopping


@dataclass(frozen=True)
class State:
    """The progress of an experiment, for the display."""

    prepared: Prepared
    points: list[PointState]
    points_done: int
    replications: int  # needed as far as known; more if a precision is not reached yet
    done: int
    under_way: int
    here: int  # replications that this process has finished
    seconds: float  # since this process started
    latest: PointState | None  # the point whose replication finished last
    closed: tuple[PointState, ...] = ()  # points completed since the last call

    @property
    def left(self) -> float | None:
        """Estimated seconds for the rest; None while unknown."""
        return (self.replications - self.done) * self.seconds / self.here if self.here else None


Watcher = Callable[[State], None]


def sweep(
    experiment: Definition | None = None,
    store: str | Path | None = None,
    *,
    engine: str = "auto",
    workers: Workers | int | None = None,
    executor: Executor | None = None,
    watch: Watcher | None = None,
    progress: bool = False,
    time_limit: float | TimeLimit | None = None,
    **others: Any,
) -> Outcome:
    """Run what is missing in the store, and return its contents. The experiment says how; there are no `others`.

    engine: as of `Model.run`. workers: how many threads (native engine) or processes (reference engine), or one of the
    module `workers`, which the caller closes; executor: any of `concurrent.futures` instead. watch: called at least
    four times a second, and after everything that finishes. progress: whether to show a line that is rewritten, in a
    notebook or on a terminal. time_limit: seconds. Its end, and Ctrl-C, keep what has finished and set
    `Outcome.interrupted`. Raises ExperimentError or LanguageError before anything runs if the experiment is invalid or
    the store belongs to another, and ExperimentError if workers die repeatedly.
    """
    check_sweep(experiment, workers, others)
    if store is None:
        raise TypeError("`store` is missing: the file for the replications, such as 'sweep.db'")
    check_path("store", store)
    assert isinstance(experiment, Definition)
    check_function("watch", watch)
    prepared = prepare(experiment, engine)
    about = {
        "title": experiment.title,
        "description": experiment.description,
        "expected": [one.to_dict() for one in experiment.expected],
        "parts": {name: list(measures) for name, measures in experiment.parts.items()},
        "choice": None if prepared.choice is None else prepared.choice.to_dict(),
    }
    with Store.create(store, prepared.identity, about) as opened:
        numbers = opened.add_points(prepared.points)
        crew: Workers
        if executor is not None:
            crew = Given(executor)
        else:
            crew = default_workers(prepared.engine, workers) if isinstance(workers, int | None) else workers
        with watching(experiment, watch, progress) as watcher:
            campaign = Campaign(prepared, opened, numbers, crew, watcher, TimeLimit.of(time_limit))
            try:
                interrupted = campaign.run()
            finally:
                opened.release()
                if isinstance(workers, int | None):
                    crew.close(at_once=True)
        return campaign.outcome(interrupted)


def check_sweep(experiment: object, workers: object, others: Mapping[str, object] | None = None) -> None:
    """Raise TypeError or ValueError unless these are an experiment and a number of workers, without anything else."""
    others = dict(others or {})
    if not isinstance(experiment, Definition):
        net, known = others.pop("net", experiment), inspect.signature(Definition).parameters
        fields = {name: value for name, value in others.items() if name in known} or {"grid": {"load": [0.5, 0.8]}}
        written = ", ".join(f"{name}={value!r}" for name, value in fields.items())
        written = f"net={net!r}, {written}" if isinstance(net, str | Path) else f"net=…, {written}"
        raise TypeError(
            f"`sweep` runs a `petri.Experiment`, not {net!r:.60}: write petri.Experiment({written}).run('sweep.db')"
        )
    if others:
        raise TypeError(f"`sweep` has no option `{next(iter(others))}`; an experiment has it: petri.Experiment(…)")
    if not isinstance(workers, Workers | None):
        check_whole("workers", workers, 0)


class Campaign:
    """Hands out what is missing and stores the results."""

    def __init__(
        self,
        prepared: Prepared,
        store: Store,
        numbers: Iterable[int],
        workers: Workers,
        watch: Watcher | None,
        limit: TimeLimit = NO_LIMIT,
    ) -> None:
        self.limit = limit
        self.prepared = prepared
        self.store = store
        self.workers = workers
        self.watch = watch
        self.kept = tuple(store.meta("identity")["measures"])
        warmups = {point.point: point.warmup for point in store.points()}
        self.states = [
            PointState(point, number, stopping_at(point, prepared.stopping), warmups[number])
            for point, number in zip(prepared.points, numbers, strict=True)
        ]
        self.by_number = {state.stored: state for state in self.states}
        self.open = list(self.states)
        self.may_be_best = set(self.by_number)  # points of the store, if the best one is wanted
        self.pending: dict[Future[TaskResult], Part] = {}
        self.size = 1  # replications of a task
        self.refused: dict[Key, float] = {}
        self.lost: Counter[Key] = Counter()
        self.stored_here: set[Key] = set()  # whose results this process has stored
        self.started = time.monotonic()
        self.here = 0
        self.latest: PointState | None = None

    def run(self) -> bool:
        """Until everything is done; returns whether Ctrl-C or the time limit stopped it."""
        with CtrlC() as ctrl_c:
            try:
                self.refresh()
                while self.open:
                    self.hand_out()
                    if self.pending:
                        done, _ = wait(self.pending, timeout=PAUSE, return_when=FIRST_COMPLETED)
                        self.collect(done)
                    else:
                        time.sleep(PAUSE)  # other processes have claimed the rest
                    self.refresh()
                    self.store.beat()
                    ctrl_c.check(self.limit if self.open else NO_LIMIT)
            except KeyboardInterrupt:
                self.keep_finished()
                return True
            return False

    def refresh(self, *, new: bool = True) -> None:
        """Read rows that this or another process has written, all or the new ones, and notify the watcher."""
        changed: dict[int, PointState] = {}
        for number, row in self.store.rows(new=new):
            state = self.by_number.get(number)
            if state is not None:
                state.add(row)
                changed[number] = state
                self.latest = state
        if any(state.warmup is None for state in self.open):
            for point in self.store.points():
                state = self.by_number.get(point.point)
                if state is not None and state.warmup is None and point.warmup is not None:
                    state.warmup = point.warmup
                    changed[point.point] = state
        for state in changed.values():
            state.look()
        self.select()
        closed = tuple(state for state in self.open if state.done and state.stored not in self.may_be_best)
        if closed:
            gone = {state.stored for state in closed}
            self.open = [state for state in self.open if state.stored not in gone]
        if self.watch is not None:
            self.watch(self.state(closed))

    def select(self) -> None:
        """Decide which points may still be the best, and give these more replications."""
        choice = self.prepared.choice
        if choice is None:
            self.may_be_best = set()
        elif all(state.done for state in self.open):
            found = choice.of([values_of(state.samples()[choice.best.figure]) for state in self.states])
            for state, needed in zip(self.states, found.used, strict=True):
                state.stopping = structs.replace(state.stopping, first=needed, most=needed)
                state.look()
            left = () if found.done else found.left
            self.may_be_best = {self.states[number].stored for number in left}

    def state(self, closed: tuple[PointState, ...]) -> State:
        return State(
            prepared=self.prepared,
            points=self.states,
            points_done=len(self.states) - len(self.open),
            replications=sum(state.target for state in self.states),
            done=sum(min(len(state.rows), state.target) for state in self.states),
            under_way=sum(len(indices) for _, indices in self.pending.values()),
            here=self.here,
            seconds=time.monotonic() - self.started,
            latest=self.latest,
            closed=closed,
        )

    # ------------------------------------------------------------ out and back

    def hand_out(self) -> None:
        """Give the workers as many tasks as they can take and this process can claim."""
        while (free := self.workers.slots - len(self.pending)) > 0:
            parts = self.parts(free)
            if not parts:
                return
            granted = set(self.store.claim(parts))
            for number, indices in parts:
                state, mine = self.by_number[number], tuple(one for one in indices if (number, one) in granted)
                for index in mine:
                    if (number, index) in self.stored_here:
                        reason = f"it does not keep replication {index} of the point {state.point.label}"
                        raise problem("store-damaged", path=str(self.store.path), reason=reason)
                if mine:
                    self.pending[self.workers.submit(state.task(mine, self.kept))] = number, mine
                self.refused |= {(number, one): time.monotonic() for one in indices if one not in mine}

    def parts(self, most: int) -> list[Part]:
        """Return the next replications that no process is known to run, point after point, as tasks."""
        now = time.monotonic()
        self.refused = {key: since for key, since in self.refused.items() if now - since < REFUSED}
        busy = {*self.refused, *((number, index) for number, of in self.pending.values() for index in of)}
        left = sum(state.target - len(state.rows) for state in self.open[:MOST_OF_A_TASK])
        size = max(min(self.size, -(-left // self.workers.slots)), 1)
        parts: list[Part] = []
        for state in self.open:
            free = [index for index in state.missing if (state.stored, index) not in busy]
            for start in range(0, len(free), size):
                parts.append((state.stored, tuple(free[start : start + size])))
                if len(parts) == most:
                    return parts
        return parts

    def collect(self, done: Iterable[Future[TaskResult]]) -> None:
        """Store the finished results."""
        rows: list[tuple[int, ReplicationRecord]] = []
        finished = list(done)
        for future in finished:
            number, indices = self.pending[future]
            outcome = self.came_back(future, number, indices)
            if isinstance(outcome, Warmup):
                self.store.set_warmup(number, outcome)
                self.stored_here.add((number, PILOT))
            else:
                rows += [(number, row) for row in outcome or ()]
        if rows:
            self.store.add(rows)
            self.here += len(rows)
            self.stored_here |= {(number, row.index) for number, row in rows}
            seconds = sum(row.seconds for _, row in rows) / len(rows)
            self.size = int(min(max(0.5 * LONGEST / max(seconds, 1e-9), 1.0), MOST_OF_A_TASK))
        for future in finished:
            del self.pending[future]

    def came_back(self, future: Future[TaskResult], number: int, indices: tuple[int, ...]) -> TaskResult:
        """Return the result of a task; None if its worker died, so that it is handed out again."""
        error = future.exception() if not future.cancelled() else None
        if future.cancelled() or (error is not None and self.workers.is_lost(error)):
            self.lost.update((number, index) for index in indices)
            if self.lost[number, indices[0]] >= TRIES:
                point = self.by_number[number].point.label
                raise problem("workers-lost", point=point, replication=indices[0], times=TRIES) from error
            return None
        if isinstance(error, WrongVersion):
            raise problem("worker-version", here=VERSION, there=error.here) from error
        return future.result()

    def keep_finished(self) -> None:
        """After Ctrl-C: store what has finished, drop the rest."""
        self.workers.close(at_once=True)
        self.collect([future for future in self.pending if future.done() and not future.cancelled()])
        # All rows: Ctrl-C may have come between reading some and recording them.
        self.refresh(new=False)

    def outcome(self, interrupted: bool) -> Outcome:
        experiment = self.prepared.experiment
        points = []
        for state in self.states:
            outcome = state.outcome()
            points.append(replace(outcome, checked=check(experiment.expected, outcome, state.point.net)))
        net, identity = self.prepared.points[0].net, self.prepared.identity
        return Outcome(
            experiment.title,
            net,
            identity,
            tuple(points),
            self.store.path,
            interrupted,
            experiment.description,
            self.store.files(),
            experiment.parts,
            self.prepared.choice,
        )
