"""Studies that search, from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from petri.display import watching
from petri.experiment.design.definition import Definition, Source
from petri.experiment.design.options import Study, make_study, takes_options_of
from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.forwarding.procedure import Watcher, run_forwarding
from petri.experiment.procedure.workers import Workers
from petri.experiment.threshold.definition import Search
from petri.experiment.threshold.outcome import SearchOutcome
from petri.experiment.threshold.procedure import run_search
from petri.experiment.tuning.calibration import Calibration, Measured, run_calibration
from petri.experiment.tuning.definition import Tuning
from petri.experiment.tuning.procedure import Tuned, run_tuning
from petri.run.plan import check_function


@takes_options_of(Search)
def search(
    net: Source,
    *,
    engine: str = "auto",
    threads: int | None = None,
    watch: Watcher | None = None,
    progress: bool = False,
    time_limit: float | None = None,
    **options: Any,
) -> SearchOutcome:
    """Return the last value of a parameter at which a condition holds, as `pnsim search` finds it.

    net: as of `Experiment`. Options: those of `Search` and `Bisected`, and runs: until, warmup, seed, fixed, measures
    and others of `Experiment`; with a grid or points, a search at each. progress: whether to show a line that is
    rewritten, in a notebook or on a terminal. Raises ExperimentError or LanguageError if the search is invalid, and
    ExperimentError where a run stops with an error in the model.
    """
    with _study(Search, net, options, watch, progress) as (study, watcher):
        return run_search(study, engine=engine, threads=threads, watch=watcher, time_limit=time_limit)


@takes_options_of(Forwarding)
def rfc2544(
    net: Source,
    *,
    engine: str = "auto",
    threads: int | None = None,
    watch: Watcher | None = None,
    progress: bool = False,
    time_limit: float | None = None,
    **options: Any,
) -> ForwardingOutcome:
    """Measure throughput, delay, loss rate and bursts of a net, as `pnsim rfc2544` does.

    Options: those of `Forwarding` and `Bisected`, and until, warmup, seed, fixed and others of `Experiment`; the others
    are those of `petri.search`.
    """
    with _study(Forwarding, net, options, watch, progress) as (study, watcher):
        return run_forwarding(study, engine=engine, threads=threads, watch=watcher, time_limit=time_limit)


@takes_options_of(Tuning)
def tune(
    net: Source,
    *,
    store: str | Path | None = None,
    engine: str = "auto",
    workers: Workers | int | None = None,
    watch: Callable[[int, int], None] | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> Tuned:
    """Return the best setting of the parameters in `over`, as `pnsim tune` finds it.

    Options: those of `Tuning`, and until, warmup, seed, fixed and others of `Experiment`. store: a file that keeps all
    replications, from which the same call goes on after it was stopped. workers: as of `sweep`. watch: called with how
    many settings were proposed, and how many shall be. Raises ExperimentError, also without optuna, and LanguageError.
    """
    check_function("watch", watch)
    tuning = make_study(Tuning, net, options, Definition)
    return run_tuning(tuning, store, engine=engine, workers=workers, watch=watch, time_limit=time_limit)


def calibrate(
    net: Source,
    measured: Measured,
    *,
    over: Mapping[str, str],
    store: str | Path | None = None,
    engine: str = "auto",
    workers: Workers | int | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> Calibration:
    """Return the parameters at which the figures of a net are nearest to measured ones.

    measured: a value and its standard error by figure. over: the range of each parameter. The others are those of
    `tune`. Raises ExperimentError, LanguageError; Interrupted where the time limit or Ctrl-C came.
    """
    tuning = make_study(Tuning, net, {"over": over, **options}, Definition)
    return run_calibration(tuning, measured, store, engine=engine, workers=workers, time_limit=time_limit)


@contextmanager
def _study(
    kind: type[Study], net: Source, options: Mapping[str, Any], watch: Watcher | None, progress: bool
) -> Iterator[tuple[Study, Any]]:
    """Make a study, and show its progress while the block runs it."""
    check_function("watch", watch)
    study = make_study(kind, net, options, Definition)
    with watching(study, watch, progress) as watcher:
        yield study, watcher
