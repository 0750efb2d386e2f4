"""The unit of work: one replication of one point, told in bytes so that it can be done anywhere."""

from __future__ import annotations

import pickle
import platform
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from petri.experiment.warmup import Warmup, pilot
from petri.file_read import FileRead
from petri.measure.figures import evaluate_all, figures
from petri.net import Net
from petri.result import run_failure
from petri.run.plan import Plan
from petri.run.replications import Driver, Progress, Replication
from petri.version import VERSION

PILOT = -1
"""The number of replication that stands for the pilot runs that find the end of the warm-up."""


@dataclass(frozen=True, slots=True)
class Task:
    """Replication `index` of a point, or its pilot. `net` is packed by `pack`; `names` are the figures to keep."""

    net: bytes
    plan: Plan
    index: int
    names: tuple[str, ...]
    version: str = VERSION


@dataclass(frozen=True, slots=True)
class ReplicationRecord:
    """What a replication gave. `hash` is its trajectory hash (R4), `seconds` the time that it took [s].

    `files` is what was read of the net's recordings; a store keeps of each place the most that any replication read.
    `ended` is "until" or "dead" as planned, "error" where the model went wrong; `failure` says how.
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

    @property
    def complete(self) -> bool:
        """Whether it ended as planned."""
        return self.ended in ("until", "dead")


@dataclass(frozen=True, slots=True)
class Stopped:
    """A replication that was told to stop before its end: nothing to keep."""

    index: int


TaskResult = ReplicationRecord | Warmup | Stopped


class WrongVersion(Exception):
    """A worker runs another version of pnsim than the one that sent it the task."""

    def __init__(self, here: str, there: str) -> None:
        super().__init__(here, there)
        self.here = here
        self.there = there


def pack(net: Net) -> bytes:
    """A flat net as bytes for workers of one's own (not for files: they may come from strangers)."""
    return zlib.compress(pickle.dumps(net), 1)


@lru_cache(maxsize=64)
def unpack(packed: bytes) -> Net:
    """The same object for the same bytes, so that what an engine prepares for a net is prepared once."""
    net: Net = pickle.loads(zlib.decompress(packed))
    return net


def perform(task: Task, stop: threading.Event | None = None) -> TaskResult:
    """Do it, on this thread. Depends on nothing but the task. Raises WrongVersion; model errors are in the row."""
    if task.version != VERSION:
        raise WrongVersion(VERSION, task.version)
    net = unpack(task.net)
    if task.index == PILOT:
        found = pilot(net, task.plan, task.names, stop)
        return Stopped(task.index) if stop is not None and stop.is_set() else found
    driver = Driver(net, task.plan, task.index, stop or threading.Event(), Progress(1, task.plan.until))
    ran = driver.run()
    if ran.ended == "interrupted":
        return Stopped(task.index)
    return replication_record(net, task.plan, ran, task.names)


def replication_record(net: Net, plan: Plan, ran: Replication, names: Sequence[str] | None) -> ReplicationRecord:
    """A replication as it is kept. Where it stopped before the end of its warm-up, it measured nothing."""
    kept = figures(net, names)
    nothing = dict.fromkeys((one.name for one in kept), float("nan"))
    return ReplicationRecord(
        index=ran.index,
        ended=ran.ended,
        time=ran.time,
        firings=ran.firings,
        hash=ran.hash,
        measures=evaluate_all(kept, ran.window) if ran.warm else nothing,
        seconds=ran.seconds,
        engine=plan.engine,
        seed=plan.seed,
        failure=None if ran.fault is None else run_failure(net, ran).to_dict(),
        files=ran.files,
    )
