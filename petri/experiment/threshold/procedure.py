"""The search: bisection, with as many replications of each value as its decision takes.

Both ends of the range are tried, and then always the middle of what remains, until two neighbours are left: at the one
the condition holds, at the other it does not. At most m values are tried, so each may be judged wrongly with a
probability of (1 - confidence)/m: then all are right with the confidence asked for (Bonferroni), whatever depends on
what. Replication i has the same seed at every value, and decisions depend only on replications in order: a search gives
the same result on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petri.diagnostics import LanguageError
from petri.experiment.design.names import known_figures
from petri.experiment.design.preparation import Preparation, at_point, written
from petri.experiment.design.sampling import Value, Values
from petri.experiment.errors import problem
from petri.experiment.procedure.points import Interrupted, PointRuns, begin_point
from petri.experiment.results.outcome import Outcome
from petri.experiment.threshold.condition import check_parameter, condition_names, parse_condition
from petri.experiment.threshold.definition import Search
from petri.experiment.threshold.outcome import Found, SearchOutcome, Status, Trial
from petri.measure.decision import Decision
from petri.measure.figures import default_names
from petri.measure.trend import Drift, growing
from petri.net import Net
from petri.result.export import net_hash
from petri.run.progress import Progress
from petri.run.stop import NO_LIMIT, TimeLimit


@dataclass(frozen=True)
class State:
    """The progress of a search, for the display: what it does now, and how far that is."""

    find: str
    parameters: Values
    value: Value
    points_done: int
    points: int
    tried: int  # values at this point
    most_tried: int
    replications: int  # of this value
    progress: Progress | None = None
    finished: Trial | None = None  # the trial that has just ended


Watcher = Callable[[State], None]


def run_search(
    search: Search,
    *,
    engine: str = "auto",
    threads: int | None = None,
    watch: Watcher | None = None,
    time_limit: float | TimeLimit | None = None,
) -> SearchOutcome:
    """Search at every point. engine: as of `Model.run`; threads: replications at a time; watch: called as it goes on.

    Ctrl-C, and the end of the time limit [s], keep the values that are decided and set `interrupted`. Raises
    ExperimentError or LanguageError before anything runs if the search is invalid, and ExperimentError where a run
    stops with an error in the model.
    """
    return Searching(search, engine, threads, watch, TimeLimit.of(time_limit)).run()


class Searching:
    """Runs a search, point after point."""

    def __init__(
        self, search: Search, engine: str, threads: int | None, watch: Watcher | None, limit: TimeLimit = NO_LIMIT
    ) -> None:
        self.limit = limit
        self.search = search
        self.threads = threads
        self.watch = watch
        self.preparation = Preparation(search.runs, engine)
        if not 0.0 < search.confidence < 1.0:
            raise problem("search-confidence", text=f"{search.confidence:.10g}")
        if search.find in search.runs.fixed:
            raise problem("experiment-same-parameter", name=search.find, where="find")
        condition_names(search.condition)
        self.ladder = search.ladder(whole=self._takes_whole_numbers())
        self.net = self._first_net()
        self.condition = parse_condition(search.condition, self.net)
        kept = default_names(self.net) if search.runs.measures is None else search.runs.measures
        self.names = tuple(dict.fromkeys([*self.condition.names, *kept]))
        known_figures(self.net, self.names)
        self.points: list[Found] = []

    def _takes_whole_numbers(self) -> bool:
        """Return whether the parameter does.

        Raises ExperimentError if there is no such parameter, or it is not a number.
        """
        search = self.search
        if callable(search.runs.net):  # its parameters are known to itself alone
            return False
        first = {name: value for name, value in search.runs.points[0].items() if name != search.find}
        net = self.preparation.model(first).net
        check_parameter(net, search.find)
        return any(parameter.name == search.find and parameter.kind == "int" for parameter in net.parameters)

    def _first_net(self) -> Net:
        """Return the net at the first value of the first point."""
        values = {**self.search.runs.points[0], self.search.find: self.ladder.value(0)}
        try:
            return self.preparation.model(values).net
        except LanguageError as error:
            raise at_point(error, values) from error

    def run(self) -> SearchOutcome:
        interrupted = False
        for parameters in self.search.runs.points:
            bisection = _Bisection(self, parameters)
            try:
                bisection.run()
            except (Interrupted, KeyboardInterrupt):
                interrupted = True
            self.points.append(bisection.found())
            if interrupted:
                break
        return self.outcome(interrupted)

    def outcome(self, interrupted: bool) -> SearchOutcome:
        runs = self.search.runs
        trials = [(found, trial) for found in self.points for trial in found.trials]
        first = trials[0][1].point if trials else None
        identity = {
            "net": self.net.name,
            "net_hash": net_hash(self.net),
            "fixed": dict(runs.fixed),
            "until": None if first is None else written(first.until),
            "warmup": "auto" if self.preparation.automatic else runs.warmup,
            "seed": None if first is None else first.seed,
            "streams": runs.streams,
            "measures": list(self.names),
        }
        points = tuple(trial.point for _, trial in trials)
        outcome = Outcome(runs.title, self.net, identity, points, Path(), interrupted, runs.description)
        return SearchOutcome(
            self.search.find, self.condition, self.search.confidence, tuple(self.points), outcome, interrupted,
            self.ladder.down,
        )  # fmt: skip


class _Bisection:
    """The search at one point; `trials` by number of the value."""

    def __init__(self, searching: Searching, parameters: Values) -> None:
        self.searching = searching
        self.search = searching.search
        self.ladder = searching.ladder
        self.parameters = parameters
        self.trials: dict[int, Trial] = {}
        self.error = (1.0 - self.search.confidence) / self.ladder.most_tried / (2.0 if self.search.growth else 1.0)

    def run(self) -> None:
        low, high = 0, self.ladder.steps
        first, last = self.holds(low), self.holds(high)  # the last in any case: it may hold only there
        if first and not last:
            while high - low > 1:
                middle = (low + high) // 2
                if self.holds(middle):
                    low = middle
                else:
                    high = middle

    def found(self) -> Found:
        holding = [number for number, trial in self.trials.items() if trial.holds]
        failing = [number for number, trial in self.trials.items() if not trial.holds]
        low, high = max(holding, default=None), min(failing, default=None)  # None where there is none
        status: Status = "unfinished"
        if high == 0:
            status = "fails at the start"
        elif low == self.ladder.steps:
            status = "holds to the end"
        elif low is not None and high is not None and high - low == 1:
            status = "found"
        return Found(
            self.parameters,
            tuple(self.trials[number] for number in sorted(self.trials)),
            None if low is None else self.trials[low],
            None if high is None else self.trials[high],
            status,
        )

    def holds(self, number: int) -> bool:
        trial = self.trials[number] = self.attempt(number)
        self.tell(trial.value, len(trial.point.rows), finished=trial)
        return trial.holds

    # ------------------------------------------------------------ one value

    def attempt(self, number: int) -> Trial:
        """Run replications at a value until it is decided. Raises Interrupted; ExperimentError where one fails."""
        value = self.ladder.value(number)
        values = {**self.parameters, self.search.find: value}
        point = self.searching.preparation.point(number, values, self.searching.names)
        runs = begin_point(point, self.searching.limit)
        decision = self.decide(runs)
        while decision.more:
            self.tell(value, len(runs.rows))
            progress = self.progress(value, len(runs.rows))
            runs.more(decision.more, self.searching.threads, progress, self.searching.limit)
            decision = self.decide(runs)
        grows = self.grows(runs) if decision.holds else None
        error = decision.error if grows is None else self.error
        return Trial(value, runs.outcome(), decision.holds and grows is None, error, decision.certain, grows)

    def decide(self, runs: PointRuns) -> Decision:
        condition = self.searching.condition
        return condition.decide(
            {name: runs.samples(name) for name in condition.names}, self.error, self.search.max_replications
        )

    def grows(self, runs: PointRuns) -> Drift | None:
        """Return the place that grows most until the end of the runs, if they have a fixed end and reach it."""
        if not self.search.growth or math.isinf(runs.plan.until) or any(one.ended == "dead" for one in runs.ran):
            return None
        found = growing(runs.point.net, [one.batches for one in runs.ran], self.error)
        return max(found, key=lambda one: one.late - one.early, default=None)

    # ------------------------------------------------------------ progress

    def progress(self, value: Value, before: int) -> Callable[[Progress], None] | None:
        if self.searching.watch is None:
            return None
        return lambda progress: self.tell(value, before + progress.finished, progress=progress)

    def tell(self, value: Value, replications: int, **what: Any) -> None:
        if self.searching.watch is None:
            return
        done, points = len(self.searching.points), len(self.search.runs.points)
        self.searching.watch(
            State(
                self.search.find, self.parameters, value, done, points, len(self.trials), self.ladder.most_tried,
                replications, **what,
            )
        )  # fmt: skip
