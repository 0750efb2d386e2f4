"""The tests of RFC 2544 (Bradner and McQuaid 1999), one after the other, for each frame size.

- Throughput (26.1): the largest load that is forwarded without loss: a search.
- Latency (26.2): the delay at the throughput; and, after the Network Processing Forum, at 75, 50 and 25 % of it.
- Frame loss rate (26.3): at the greatest load, at 90 % of it, at 80 % …, down to the throughput.
- Back-to-back frames (26.4): the longest burst of the greatest load that is forwarded without loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from petri.experiment.design.preparation import Preparation, quantity
from petri.experiment.design.sampling import Value, Values
from petri.experiment.errors import problem
from petri.experiment.forwarding.bursts import measure_bursts
from petri.experiment.forwarding.definition import SHARES, Forwarding, find_roles, sizes_of
from petri.experiment.forwarding.outcome import Bursts, ForwardingOutcome, SizeResult
from petri.experiment.procedure.points import Interrupted, begin_point
from petri.experiment.results.summary import PointOutcome
from petri.experiment.threshold.outcome import Found
from petri.experiment.threshold.procedure import Searching, State
from petri.run.stop import TimeLimit, interruptible

STEPS = 10  # of the greatest load, in the test of the loss rate


@dataclass(frozen=True)
class Measured:
    """A point that has just been measured, for the display; `what` is "delay", "loss" or "burst"."""

    what: str
    parameters: Values
    replications: int


Watcher = Callable[[State | Measured], None]


def run_forwarding(
    study: Forwarding,
    *,
    engine: str = "auto",
    threads: int | None = None,
    watch: Watcher | None = None,
    time_limit: float | TimeLimit | None = None,
) -> ForwardingOutcome:
    """Run all tests, at every frame size. engine, threads: as of `run_search`; watch: called as it goes on.

    Ctrl-C, and the end of the time limit [s], keep what is complete. Raises ExperimentError or LanguageError before
    anything runs if the study does not fit the net, and ExperimentError where a run stops with an error in the model.
    """
    return _Study(study, engine, threads, watch, TimeLimit.of(time_limit)).run()


class _Study:
    def __init__(
        self, study: Forwarding, engine: str, threads: int | None, watch: Watcher | None, limit: TimeLimit
    ) -> None:
        self.limit = limit
        self.study = study
        self.threads = threads
        self.watch = watch
        net = Preparation(study.runs, engine).model({}).net  # without a point: for the names that it has
        self.roles = find_roles(study, net)
        sizes = sizes_of(study, self.roles, net)
        others = [{name: v for name, v in point.items() if name != self.roles.size} for point in study.runs.points]
        points = [{**point, self.roles.size: size} for point in others for size in sizes] or others
        condition = study.condition or f"{self.roles.loss} == 0"
        runs = replace(study.runs, points=points, measures=self.roles.measures)
        search = study.search(self.roles.load, condition, runs)
        self.searching = Searching(search, engine, threads, watch, limit)
        ladder = self.searching.ladder
        if ladder.down:
            raise problem("rfc-range-down", text=str(study.between))
        self.greatest = ladder.value(ladder.steps)

    def run(self) -> ForwardingOutcome:
        search = self.searching.run()
        rows: list[SizeResult] = []
        interrupted = search.interrupted
        for found in search.found:
            row = SizeResult(found.parameters.get(self.roles.size), self.bytes_of(found), found)
            try:
                rows.append(row if interrupted else self.measured(row))
            except (Interrupted, KeyboardInterrupt):
                interrupted = True
                rows.append(row)
        title = self.study.runs.title
        return ForwardingOutcome(title, self.roles, self.searching.net, search, tuple(rows), interrupted)

    def measured(self, row: SizeResult) -> SizeResult:
        """Return the row with delay, loss and bursts."""
        value, last = row.found.value, row.found.last
        if value is None or last is None:
            losses = tuple(self.losses(row.found, 0.0))
            return replace(row, losses=losses)
        delays = {1.0: last.point}
        for share in SHARES[1:] if self.roles.delay else ():
            delays[share] = self.point("delay", {**row.found.parameters, self.roles.load: scaled(value, share)})
        losses = tuple(self.losses(row.found, amount(value)))
        full = amount(self.greatest) / amount(value) if amount(value) else math.nan
        return replace(row, delays=delays, losses=losses, full=full, bursts=self.bursts(row))

    def bursts(self, row: SizeResult) -> Bursts | None:
        """Return the bursts at the greatest load; none if the runs have no fixed end."""
        at = {**row.found.parameters, self.roles.load: self.greatest}
        point = self.searching.preparation.point(0, at, self.searching.names)
        if math.isinf(point.plan.until):
            return None
        if row.found.status != "found":  # the greatest load is forwarded without loss
            return Bursts((point.plan.until,), complete=False)
        asked = (point, self.searching.condition, self.roles.loss, self.study.replications)
        measured = interruptible(lambda stop: measure_bursts(*asked, stop), self.limit)
        self.tell(Measured("burst", at, self.study.replications))
        return measured

    def losses(self, found: Found, throughput: float) -> Iterator[tuple[Value, PointOutcome]]:
        """Run from the greatest load downwards, as far as it is above the throughput, or to two without loss in a
        row.
        """
        clean = 0
        for tenth in range(STEPS, 0, -1):
            load = scaled(self.greatest, tenth / STEPS)
            if (amount(load) <= throughput and tenth < STEPS) or clean == 2:
                return
            point = self.point("loss", {**found.parameters, self.roles.load: load})
            clean = clean + 1 if point.intervals[self.roles.loss].mean == 0.0 else 0
            yield load, point

    def point(self, what: str, values: Values) -> PointOutcome:
        runs = begin_point(self.searching.preparation.point(0, values, self.searching.names), self.limit)
        runs.more(self.study.replications, self.threads, limit=self.limit)
        self.tell(Measured(what, values, self.study.replications))
        return runs.outcome()

    def bytes_of(self, found: Found) -> float | None:
        """Return the size of a frame in bytes, as the net has it."""
        if not self.roles.size:
            return None
        net = self.searching.preparation.model(found.parameters).net
        size = next(parameter.value for parameter in net.parameters if parameter.name == self.roles.size)
        return float(size)

    def tell(self, what: Measured) -> None:
        if self.watch is not None:
            self.watch(what)


def amount(load: Value) -> float:
    """Return the number of a load, in its own unit."""
    if not isinstance(load, str):
        return float(load)
    parts = quantity(load)
    return math.nan if parts is None else float(parts[0])


def scaled(load: Value, share: float) -> Value:
    """Return a share of a load, in its unit."""
    if not isinstance(load, str):
        return load if share == 1.0 else float(f"{load * share:.12g}")
    parts = quantity(load)
    return load if parts is None or share == 1.0 else f"{float(parts[0]) * share:.12g} {parts[1] or ''}".strip()
