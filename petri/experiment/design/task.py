"""The unit of work: one replication of one point, serialised so that it can run anywhere."""

from __future__ import annotations

import math
import pickle
import platform
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from petri.diagnostics import Diagnostic
from petri.experiment.design.warmup import Warmup, pilot
from petri.file_read import FileRead
from petri.measure.figures import evaluate_columns, figures, settling, tallies
from petri.measure.pooling import Sample
from petri.measure.tally import Tally
from petri.measure.trend import MOST_REPLICATIONS, figure_courses
from petri.measure.unvaried import Ranged
from petri.net import Net
from petri.result import run_failure
from petri.result.rare import ranges
from petri.run.ensemble import ENDINGS, NOTHING, Ensemble
from petri.run.plan import Plan
from petri.run.progress import Progress
from petri.run.replications import batches_kept, run_some
from petri.run.stop import StopSign
from petri.structs import Frozen, field
from petri.version import VERSION

LONGEST: Final = 0.5
"""Seconds after which a task begins no other replication: a process that is killed loses about as much."""

PILOT = -1
"""The replication number of the pilot runs that determine the end of the warm-up."""


@dataclass(frozen=True, slots=True)
class Task:
    """Replications of a point, or its pilot alone. `net` is packed by `pack`; `names` are the figures to keep."""

    net: bytes
    plan: Plan
    indices: tuple[int, ...]
    names: tuple[str, ...]
    version: str = VERSION


class ReplicationRecord(Frozen):
    """The result of a replication. `hash` is its trajectory hash (R4), `seconds` its duration [s].

    `files` is what was read of the net's recordings; a store keeps, of each place, the most that any replication read.
    `courses` is how its figures moved (`trend.figure_courses`), where the run has a fixed time and is among the first.
    `tallies` is what the trials of its probabilities have found, by figure.
    `ranges` is what its figures might be if they do not vary (`petri.measure.unvaried`); None of earlier versions.
    `ended` is "until" or "dead" as planned, "error" where the model went wrong; `failure` says how, or which figures
    could not be computed.
    """

    index: int
    ended: str
    time: float
    firings: int
    hash: int
    measures: Mapping[str, float]
    seconds: float
    engine: str
    seed: int
    failure: Mapping[str, Any] | None = None
    version: str = VERSION
    machine: str = platform.machine()
    python: str = platform.python_version()
    files: tuple[FileRead, ...] = ()
    courses: Mapping[str, Sequence[float]] = field(default_factory=dict)
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    ranges: Mapping[str, Ranged] | None = None

    @property
    def complete(self) -> bool:
        """Whether it ended as planned."""
        return self.ended in ("until", "dead")

    def why(self, otherwise: str = "") -> str:
        """Return what went wrong; `otherwise` where `failure` does not say."""
        return str((self.failure or {}).get("message", otherwise))

    def sample(self, name: str) -> Sample:
        """Return what it has of a figure; nan if it was not kept."""
        if name in self.tallies:
            return self.tallies[name]
        value = self.measures.get(name, math.nan)
        if self.ranges is None or math.isnan(value):
            return value
        return self.ranges.get(name, Ranged(value, -math.inf, math.inf, 1.0))


TaskResult = tuple[ReplicationRecord, ...] | Warmup | None
"""The replications that ended, as many as began before the task had taken `LONGEST` seconds; or what the pilot found,
None if it was stopped."""


class WrongVersion(Exception):
    """The worker's version of pnsim differs from that of the sender."""

    def __init__(self, here: str, there: str) -> None:
        super().__init__(here, there)
        self.here = here
        self.there = there


def pack(net: Net) -> bytes:
    """Return a flat net as bytes for one's own workers (not for files, which may come from strangers)."""
    return zlib.compress(pickle.dumps(net), 1)


@lru_cache(maxsize=64)
def unpack(packed: bytes) -> Net:
    """Return the same object for the same bytes, so that an engine prepares a net only once."""
    net: Net = pickle.loads(zlib.decompress(packed))
    return net


def perform(task: Task, stop: StopSign | None = None) -> TaskResult:
    """Run it, on this thread. The result depends only on the task. Raises WrongVersion; model errors are in the row."""
    if task.version != VERSION:
        raise WrongVersion(VERSION, task.version)
    net = unpack(task.net)
    stop = stop or StopSign()
    if task.indices == (PILOT,):
        found = pilot(net, task.plan, task.names, stop)
        return None if stop.is_set() else found
    started, records = time.perf_counter(), list[ReplicationRecord]()
    followed = [index for index in task.indices if index < MOST_REPLICATIONS]
    for indices, batches in ((followed, batches_kept(net, 2)), (task.indices[len(followed) :], 0)):
        left = LONGEST - (time.perf_counter() - started)
        if indices and (left > 0.0 or not records):
            ran = run_some(net, task.plan, indices, stop, Progress(len(indices), task.plan.until), batches, left)
            records += replication_records(net, task.plan, ran.take(~ran.is_ended("interrupted")), task.names)
    return tuple(records)


def replication_records(net: Net, plan: Plan, ran: Ensemble, names: Sequence[str] | None) -> list[ReplicationRecord]:
    """Replications as they are stored. One that stopped before the end of its warm-up has no measures."""
    kept = figures(net, names)
    values, reasons = evaluate_columns(kept, ran.windows)
    columns = {name: column.tolist() for name, column in values.items()}
    known = {name: ranged.known() for name, ranged in ranges(net, plan, ran, kept).items()}
    moved = figure_courses(settling(net, names), ran.batches, ran.batch_ends) if math.isfinite(plan.until) else None
    records = []
    numbers = {name: column.tolist() for name, column in ran.numbers.items()}
    for row, warm in enumerate(numbers["warm"]):
        special = ran.special.get(row, NOTHING)
        failure = None if special.fault is None else run_failure(net, special.fault).to_dict()
        if failure is None and warm and reasons.get(row):
            name, reason = next(iter(reasons[row].items()))
            failure = Diagnostic("figure-failed", values={"name": name, "reason": reason}).to_dict()
        chances = ran.windows.more.get(row, {}).get("chances")
        records.append(
            ReplicationRecord(
                index=numbers["index"][row],
                ended=ENDINGS[numbers["ended"][row]],
                time=numbers["time"][row],
                firings=numbers["firings"][row],
                hash=numbers["hash"][row],
                measures={name: column[row] if warm else math.nan for name, column in columns.items()},
                seconds=numbers["seconds"][row],
                engine=plan.engine,
                seed=plan.seed,
                failure=failure,
                files=special.files,
                courses=moved[row] if moved else {},
                tallies=tallies(kept, ran.windows[row]) if chances else {},
                ranges={name: of[row] for name, of in known.items() if row in of} if warm else {},
            )
        )
    return records
