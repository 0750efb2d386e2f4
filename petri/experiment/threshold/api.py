"""A search from Python."""

from __future__ import annotations

from typing import Any

from petri.display import watching
from petri.experiment.design.definition import Definition, Source
from petri.experiment.threshold.definition import CONFIDENCE, MOST_REPLICATIONS, Search
from petri.experiment.threshold.outcome import SearchOutcome
from petri.experiment.threshold.procedure import Watcher, run_search
from petri.run.arguments import check_number
from petri.run.plan import check_function


def search(
    net: Source,
    *,
    find: str,
    between: Any,
    condition: str,
    resolution: Any = None,
    confidence: float = CONFIDENCE,
    max_replications: int = MOST_REPLICATIONS,
    growth: bool = True,
    engine: str = "auto",
    threads: int | None = None,
    watch: Watcher | None = None,
    progress: bool = False,
    time_limit: float | None = None,
    **runs: Any,
) -> SearchOutcome:
    """The last value of a parameter at which a condition holds, as `pnsim search` finds it.

    net: as of `Experiment`; find, between, condition, resolution, confidence, growth: as of `Search`. runs: until,
    warmup, seed, fixed, measures and others of `Experiment`; with a grid or points, a search at each. progress:
    whether to show a line that is rewritten, in a notebook or on a terminal. Raises ExperimentError or LanguageError if
    the search is invalid, and ExperimentError where a run stops with an error in the model.
    """
    if not isinstance(condition, str):
        raise TypeError(f"`condition` is a text, such as 'loss == 0', not {condition!r}")
    check_number("confidence", confidence, "0.95")
    check_function("watch", watch)
    defined = Search(
        Definition(net, **runs), find, between, condition, resolution, confidence, max_replications, growth
    )
    with watching(defined, watch, progress) as watcher:
        return run_search(defined, engine=engine, threads=threads, watch=watcher, time_limit=time_limit)
