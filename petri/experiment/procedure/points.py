"""Runs at one point of an experiment, without a store: for studies that decide as they go which points they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from petri import structs
from petri.experiment.design.preparation import Point
from petri.experiment.design.task import ReplicationRecord, replication_records
from petri.experiment.design.warmup import Warmup, pilot
from petri.experiment.errors import ExperimentError, problem
from petri.experiment.results.summary import PointOutcome
from petri.measure.pooling import Sample
from petri.run.ensemble import Replication
from petri.run.plan import Plan
from petri.run.progress import Progress
from petri.run.replications import batches_kept, replicate
from petri.run.stop import NO_LIMIT, TimeLimit, interruptible


class Interrupted(Exception):
    """Ctrl-C, or the end of the time allowed."""


@dataclass
class PointRuns:
    """The replications of one point so far, in order."""

    point: Point
    plan: Plan
    warmup: Warmup | None
    ran: list[Replication]
    rows: list[ReplicationRecord]

    def samples(self, name: str) -> list[Sample]:
        return [row.sample(name) for row in self.rows]

    def more(
        self,
        count: int,
        threads: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        limit: TimeLimit = NO_LIMIT,
    ) -> None:
        """Run `count` more replications. Raises Interrupted; ExperimentError if one stops with a model error."""
        wanted = range(len(self.ran), len(self.ran) + count)
        net = self.point.net
        # As many as of a run by itself: whether a place still grows must show in a short run, too.
        batches = batches_kept(net, 1)
        ran, interrupted = replicate(
            net, self.plan, wanted, threads=threads, progress=progress, batches=batches, limit=limit
        )
        if interrupted:
            raise Interrupted
        rows = replication_records(net, self.plan, ran, self.point.names)
        for one, row in zip(ran, rows, strict=True):
            if not row.complete:
                raise failed(self.point, row)
            self.ran.append(one)
            self.rows.append(row)

    def outcome(self) -> PointOutcome:
        return PointOutcome.of(self.point, self.rows, self.warmup)


def begin_point(point: Point, limit: TimeLimit = NO_LIMIT) -> PointRuns:
    """Begin a point, without a replication yet; pilot runs find the end of the warm-up if that is automatic."""
    warmup = None
    if point.pilot:
        warmup = interruptible(lambda stop: pilot(point.net, point.plan, point.names, stop), limit)
    plan = point.plan if warmup is None else structs.replace(point.plan, warmup=warmup.length)
    return PointRuns(point, plan, warmup, [], [])


def failed(point: Point, row: ReplicationRecord) -> ExperimentError:
    return problem("point-failed", point=point.label, replication=row.index, message=row.why(row.ended))
