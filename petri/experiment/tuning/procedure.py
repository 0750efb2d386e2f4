"""Tuning: optuna proposes settings, neighbours of the best are tried, and replications decide between the last few."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from petri.experiment.design.sampling import Values
from petri.experiment.errors import problem
from petri.experiment.procedure.points import Interrupted
from petri.experiment.procedure.workers import Workers
from petri.experiment.threshold.condition import COMPARISONS, Condition, parse_condition
from petri.experiment.tuning.definition import Tuning
from petri.experiment.tuning.evaluation import Evaluation, Setting
from petri.experiment.tuning.space import Axis, axes, usual_trials
from petri.measure.intervals import student_quantile
from petri.net import Net
from petri.run.stop import TimeLimit

INSTALL = "pip install 'pnsim[tune]'"
FIRST = 4  # replications of a setting that is tried
BATCH = 4  # settings that are proposed at a time
ROUNDS = 2  # the second has as many replications as the first needed in the end
LAST = 8  # settings between which more replications decide
STEPS = (0.1, 0.05, 0.02, 0.01)  # shares of a range, by which reals move at the end
ERROR = 0.05  # that a setting is dropped wrongly


@dataclass(frozen=True)
class Tuned:
    """What was found. best: None where no setting meets the condition. front: of two aims, the settings that no other
    beats in both. tried: all that have figures, the best first. failed: those that have none. certain: whether no other
    of those tried can be better by more than `within`.
    """

    tuning: Tuning
    net: Net
    axes: tuple[Axis, ...]
    best: Setting | None
    front: tuple[Setting, ...]
    tried: tuple[Setting, ...]
    failed: tuple[Setting, ...]
    certain: bool
    replications: int
    interrupted: bool = False
    meeting: int = 0  # how many of those tried meet the condition, which are the first; then the nearest to it

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types."""
        return {
            "best": None if self.best is None else self.best.to_dict(),
            "front": [one.to_dict() for one in self.front],
            "tried": [one.to_dict() for one in self.tried],
            "failed": [{"parameters": dict(one.values), "reason": one.failed} for one in self.failed],
            "certain": self.certain,
            "replications": self.replications,
            "interrupted": self.interrupted,
        }


def run_tuning(
    tuning: Tuning,
    store: str | Path | None = None,
    *,
    engine: str = "auto",
    workers: Workers | int | None = None,
    time_limit: float | TimeLimit | None = None,
    watch: Callable[[int, int], None] | None = None,
    follow: Callable[[Tuned], None] | None = None,
) -> Tuned:
    """Return the best setting of the parameters in `tuning.over`.

    store: a file that keeps all replications, from which the same call goes on after it was stopped. watch: called with
    how many settings were proposed, and how many shall be. follow: called with what is known so far, when that is more.
    Raises ExperimentError, also without optuna, and LanguageError.
    """
    if not tuning.over:
        raise problem("tune-over-nothing")
    if not 1 <= len(tuning.aims) <= 2:
        raise problem("tune-no-aim", count=len(tuning.aims))
    with tempfile.TemporaryDirectory(prefix="pnsim-") as folder:
        path = Path(folder) / "tune.db" if store is None else Path(store)
        return _Tuner(tuning, path, engine, workers, TimeLimit.of(time_limit), watch, follow).run()


def needs_optuna() -> ModuleType:
    """Return optuna, silent. Raises ExperimentError where it is not installed."""
    try:
        import optuna
    except ImportError as error:
        raise problem("tune-needs-library", install=INSTALL) from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    module: ModuleType = optuna
    return module


class _Tuner:
    def __init__(
        self, tuning: Tuning, store: Path, engine: str, workers: Workers | int | None, limit: TimeLimit,
        watch: Callable[[int, int], None] | None, follow: Callable[[Tuned], None] | None,
    ) -> None:  # fmt: skip
        self.optuna = needs_optuna()
        self.tuning, self.watch, self.follow = tuning, watch, follow
        self.evaluation = Evaluation(tuning.runs, tuning.figures, store, engine, workers, limit, tuning.solve)
        net = self.evaluation.net
        over = tuning.over or {}
        self.axes = axes(over, net)
        self.trials = tuning.trials or usual_trials(self.axes)
        for name in over:
            if name in tuning.runs.fixed:
                raise problem("experiment-same-parameter", name=name, where="--over")
        self.condition: Condition | None = parse_condition(tuning.where, net) if tuning.where else None
        self.certain = False

    def run(self) -> Tuned:
        interrupted = False
        try:
            self.propose()
            if len(self.tuning.aims) == 1:
                for _ in range(ROUNDS):
                    self.descend()
                    self.race()
            else:
                self.more([one.values for one in self.front()], 4 * FIRST)
        except (Interrupted, KeyboardInterrupt):
            interrupted = True
        return self.found(interrupted)

    # ------------------------------------------------------------ steps

    def more(self, points: Sequence[Values], replications: int) -> list[Setting]:
        settings = self.evaluation.more(points, replications)
        if self.follow is not None:
            self.follow(self.found(False))
        return settings

    def propose(self) -> None:
        """Try what optuna proposes: first at random, then where the best ones were (TPE)."""
        optuna = self.optuna
        sampler = optuna.samplers.TPESampler(
            seed=self.tuning.runs.seed or 1,
            multivariate=True,
            constant_liar=True,
            n_startup_trials=2 * BATCH,
        )
        study = optuna.create_study(directions=["minimize"] * len(self.tuning.aims), sampler=sampler)
        for done in range(0, self.trials, BATCH):
            trials = [study.ask() for _ in range(min(BATCH, self.trials - done))]
            points = [{axis.name: axis.suggested(trial) for axis in self.axes} for trial in trials]
            for trial, setting in zip(trials, self.more(points, FIRST), strict=True):
                if setting.failed:
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
                    continue
                for number, violation in enumerate(self.violations(setting)):
                    trial.set_constraint(str(number), violation)
                study.tell(trial, self.scores(setting))
            if self.watch is not None:
                self.watch(done + len(trials), self.trials)

    def descend(self) -> None:
        """Move from the best setting to the best beside it, in smaller and smaller steps, until none is better."""
        for step in STEPS:
            for _ in range(50):
                best = next(iter(self.ranked()), None)
                if best is None:
                    return
                beside = [
                    {**best.values, axis.name: value}
                    for axis in self.axes
                    for value in axis.near(best.values[axis.name], step)
                ]
                self.more(beside, max(FIRST, best.replications))
                if next(iter(self.ranked())) is best:
                    break

    def race(self) -> None:
        """Replicate the best settings until each but one is clearly worse, or equal within what does not matter."""
        most, self.certain = self.tuning.max_replications, False
        alive = self.leading(self.evaluation.known.values())
        count = FIRST
        while alive and not alive[0].exact:
            best = next(filter(self.holds, alive), alive[0])
            rivals = [one for one in alive if one is not best and self.rivals(one, best)]
            if not rivals and not self.doubtful(best):
                break
            count *= 2
            if count > most:
                return
            more = self.more([best.values, *(rival.values for rival in rivals)], count)
            alive = self.leading(more) or self.leading(self.evaluation.known.values())
        self.certain = True

    def leading(self, settings: Iterable[Setting]) -> list[Setting]:
        """Return the best of the settings that meet the condition, or may do so."""
        return sorted((one for one in settings if self.holds(one) or self.doubtful(one)), key=self.scores)[:LAST]

    def rivals(self, one: Setting, best: Setting) -> bool:
        """Return whether one setting may be better than the best by more than what does not matter."""
        (name, sign), *_ = self.tuning.aims.items()
        count = min(one.replications, best.replications)
        ahead = sign * (best.figures[name][:count] - one.figures[name][:count])
        error = student_quantile(1 - ERROR / LAST, count - 1) * float(ahead.std(ddof=1)) / math.sqrt(count)
        return float(ahead.mean()) + error > self.tuning.within * abs(best.mean(name))

    def doubtful(self, setting: Setting) -> bool:
        """Return whether more replications may show that the condition holds, or does not: its figures are nearer to
        their bounds than their errors, or on the right side.
        """
        if setting.failed or self.condition is None:
            return False
        near = [
            abs(setting.mean(one.figure.name) - one.bound) < setting.half_width(one.figure.name)
            for one in self.condition.comparisons
        ]
        holds = [violation <= 0 for violation in self.violations(setting)]
        return any(near) and all(close or right for close, right in zip(near, holds, strict=True))

    # ------------------------------------------------------------ figures

    def scores(self, setting: Setting) -> list[float]:
        return [sign * setting.mean(name) for name, sign in self.tuning.aims.items()]

    def violations(self, setting: Setting) -> list[float]:
        """Return for each comparison of the condition how far it is from holding; 0 or less where it holds."""
        found = []
        for comparison in self.condition.comparisons if self.condition else ():
            value = setting.mean(comparison.figure.name)
            far = abs(value - comparison.bound) / (abs(comparison.bound) or 1.0)
            found.append(-far if COMPARISONS[comparison.sign](value, comparison.bound) else max(far, 1e-12))
        return found

    def holds(self, setting: Setting) -> bool:
        return not setting.failed and all(violation <= 0 for violation in self.violations(setting))

    def ranked(self) -> list[Setting]:
        """Return the settings that meet the condition, the best first."""
        return sorted(filter(self.holds, self.evaluation.known.values()), key=self.scores)

    def front(self) -> list[Setting]:
        """Return the settings that no other beats in both aims."""
        holding = self.ranked()
        scores = np.array([self.scores(one) for one in holding]).reshape(len(holding), -1)
        kept = [not ((scores <= own).all(axis=1) & (scores < own).any(axis=1)).any() for own in scores]
        return [one for one, stays in zip(holding, kept, strict=True) if stays]

    def found(self, interrupted: bool) -> Tuned:
        ranked = self.ranked()
        known = self.evaluation.known.values()
        failing = [one for one in known if not one.failed and not self.holds(one)]
        failing.sort(key=lambda one: max(self.violations(one)))
        single = len(self.tuning.aims) == 1
        return Tuned(
            self.tuning, self.evaluation.net, tuple(self.axes), ranked[0] if ranked and single else None,
            () if single else tuple(self.front()), (*ranked, *failing), tuple(one for one in known if one.failed),
            self.certain, self.evaluation.replications, interrupted, len(ranked),
        )  # fmt: skip
