"""Runs the experiments of a folder and compares their papers' figures with the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from petri import library
from petri.experiment.design.definition import COMPUTED, ORACLE
from petri.experiment.experiment import Experiment
from petri.experiment.procedure.campaign import Watcher, sweep
from petri.experiment.results.outcome import Outcome
from petri.experiment.results.summary import Checked, PointOutcome
from petri.measure.arrays import Floats
from petri.measure.intervals import Interval
from petri.measure.sequential import WIDEST
from petri.measure.trend import Drift
from petri.model import choose
from petri.report.telling.quantities import Units
from petri.result import Result
from petri.run.plan import Plan
from petri.run.replications import replicate
from petri.run.stop import TimeLimit
from petri.trace.gaps import GapCollector, gap_measures
from petri.validation.margins import UNDECIDED, estimate
from petri.validation.statements import Judged, StatementError, read_statements
from petri.validation.study import STUDY, read_study

STATEMENTS: Final = "statements.yaml"

Judgement = Literal["within", "outside", "noisy"]
WITHIN: Final = "within"
OUTSIDE: Final = "outside"
NOISY: Final = "noisy"


@dataclass(frozen=True)
class FigureCheck:
    """A stated figure and ours; values in the net's units, with the measure's dimension."""

    experiment: str
    title: str
    point: PointOutcome
    checked: Checked
    dimension: str
    units: Units

    @property
    def measure(self) -> str:
        return self.checked.expected.measure

    @property
    def ours(self) -> Interval:
        return estimate(self.point, self.measure)

    @property
    def drift(self) -> Drift | None:
        """How ours still moves at the end of the runs; None if it has settled."""
        return self.point.unsettled.get(self.measure)

    @property
    def role(self) -> str:
        return self.checked.expected.role

    @property
    def of_the_paper(self) -> bool:
        """Whether the paper states the value; arithmetic or an exact solution gives others."""
        return self.role not in (COMPUTED, ORACLE)

    @property
    def difference(self) -> float:
        """The difference of ours from the stated figure, as a share of it; nan if that is 0."""
        return self.ours.mean / self.checked.value - 1 if self.checked.value else math.nan

    @property
    def verdict(self) -> Judgement:
        """`within` or `outside` the tolerance, or `noisy`.

        It is noisy if the half-width is above a third of the tolerance, unless the whole interval is outside.
        """
        tolerance, ours = self.checked.verdict.tolerance, self.ours
        distance = abs(ours.mean - self.checked.value)
        if ours.half_width <= tolerance / WIDEST:
            return WITHIN if distance <= tolerance else OUTSIDE
        return OUTSIDE if distance - ours.half_width > tolerance else NOISY

    @property
    def certain(self) -> bool | None:
        """Whether the whole interval is within the tolerance, or outside; None of a figure that is too noisy."""
        ours, tolerance = self.ours, self.checked.verdict.tolerance
        if self.verdict == NOISY:
            return None
        distance = abs(ours.mean - self.checked.value)
        return distance + ours.half_width <= tolerance or distance - ours.half_width > tolerance

    @property
    def passed(self) -> bool:
        return self.verdict == WITHIN

    @property
    def was_within(self) -> bool:
        """Whether the prediction was within the tolerance."""
        predicted = self.checked.predicted
        return predicted is not None and abs(predicted - self.checked.value) <= self.checked.verdict.tolerance


@dataclass
class Validation:
    """The results of a folder's experiments. `drawn`: its fitting set was drawn, so what is not in it is predicted."""

    name: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    statements: list[Judged] = field(default_factory=list)
    interrupted: bool = False
    drawn: bool = False

    @property
    def figures(self) -> list[FigureCheck]:
        return [check for name, outcome in self.outcomes.items() for check in checks(name, outcome)]

    @property
    def found(self) -> int:
        """Figures within their tolerance."""
        return sum(check.passed for check in self.figures)

    @property
    def noisy(self) -> int:
        """Figures whose interval is too wide to judge them."""
        return sum(check.verdict == NOISY for check in self.figures)

    @property
    def holding(self) -> int:
        return sum(judged.holds for judged in self.statements)

    @property
    def undecided(self) -> int:
        return sum(judged.verdict == UNDECIDED for judged in self.statements)

    @property
    def failed(self) -> bool:
        """Whether a run stopped with an error in its model."""
        return any(outcome.failed for outcome in self.outcomes.values())


def checks(name: str, outcome: Outcome) -> Iterator[FigureCheck]:
    """Yield the stated figures of an experiment, in the order of its file, then of its points."""
    dimensions, units = {figure.name: figure.dimension for figure in outcome.figures}, Units.of(outcome.net)
    for point in outcome.points:
        for one in point.checked:
            dimension = dimensions[one.expected.measure]
            yield FigureCheck(name, outcome.title or name, point, one, dimension, units)


@dataclass(frozen=True)
class RunInFull:
    """A run with its series and histograms, and the first values of each measure `time(t -> t)` in their order."""

    result: Result
    gaps: Mapping[str, Floats]


def only_run(outcome: Outcome) -> RunInFull | None:
    """Return the first replication of an experiment of one point; None for other experiments.

    A store keeps the figures of a replication, not its series; so it is run once more.
    """
    if len(outcome.points) != 1 or not outcome.points[0].rows:
        return None
    point = outcome.points[0]
    warmup = 0.0 if point.warmup is None else point.warmup.length
    sink = GapCollector(outcome.net, warmup) if gap_measures(outcome.net) else None
    plan = Plan(
        until=point.until, warmup=warmup, seed=point.seed, engine=choose("auto"), occupancy=True, trace=sink is not None
    )
    ran, interrupted = replicate(outcome.net, plan, [point.rows[0].index], trace=sink)
    return RunInFull(Result(outcome.net, plan, ran, interrupted, 1), sink.gaps if sink is not None else {})


def top() -> Path | None:
    """Return the folder `validation` in the current folder, or that of the library."""
    return next((place for place in (Path.cwd() / "validation", Path(library.studies())) if place.is_dir()), None)


def folders(root: Path | None = None) -> dict[str, Path]:
    """Return the studies in a folder, at any depth, in alphabetical order: all folders that contain experiments.

    Their names are their paths from the folder; if it is a study itself, that one has the folder's own name. Empty if
    there are none. root: default: `validation`.
    """
    root = root or top()
    if root is None or not root.is_dir():
        return {}
    inside = sorted(path for path in root.rglob("*") if path.is_dir() and not hidden(path.relative_to(root)))
    named = {root.resolve().name: root, **{path.relative_to(root).as_posix(): path for path in inside}}
    return {name: path for name, path in named.items() if experiments(path)}


def hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def experiments(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by name, figures and tables in the order of their numbers."""
    files = [path for path in folder.glob("*.yaml") if path.name not in (STATEMENTS, STUDY)]
    return {path.stem: path for path in sorted(files, key=lambda path: order(path.stem))}


def order(stem: str) -> tuple[str, list[int], str]:
    words = stem.split("_")
    return words[0], [int(word) for word in words if word.isdigit()], stem


def run_folder(
    folder: Path,
    store_folder: str | Path,
    *,
    only: Mapping[str, Path] | None = None,
    engine: str = "auto",
    workers: int | None = None,
    watch: Callable[[str, Path], Watcher | None] | None = None,
    name: str | None = None,
    time_limit: float | TimeLimit | None = None,
) -> Validation:
    """Run what is missing of the experiments of a folder (or of those in `only`), and evaluate them.

    Stores are kept in `store_folder`, one for each experiment, so that an interrupted validation continues where it
    was. watch: returns a watcher for each experiment, by name and store. name: of the study; default: the folder's.
    time_limit: seconds, or one that has begun.
    Raises ExperimentError, LanguageError, StatementError, StudyError before anything runs if a file is invalid.
    """
    files = dict(only) if only is not None else experiments(folder)
    loaded = {name: Experiment.load(path) for name, path in files.items()}
    claims = read_statements(folder / STATEMENTS) if (folder / STATEMENTS).exists() else []
    known = experiments(folder)
    for claim in claims:
        if claim.experiment not in known:
            raise StatementError(f"`{claim.says}`: there is no experiment {claim.experiment}")
    drawn = read_study(folder).fitting is not None
    result, limit = Validation(name or folder.name, drawn=drawn), TimeLimit.of(time_limit)
    for one, experiment in loaded.items():
        store = Path(store_folder) / f"{one}.db"
        watcher = watch(one, store) if watch is not None else None
        outcome = sweep(experiment, store, engine=engine, workers=workers, watch=watcher, time_limit=limit)
        result.outcomes[one] = outcome
        if outcome.interrupted:
            result.interrupted = True
            return result
    result.statements = [
        claim.judge(result.outcomes[claim.experiment]) for claim in claims if claim.experiment in result.outcomes
    ]
    return result
