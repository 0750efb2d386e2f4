"""Experiments: a net at many points of its parameters, with replications, intervals, and stored results.

    from petri.experiment import Experiment, Precision

    experiment = Experiment(net="mm1", points=[{"load": 0.5}, {"load": 0.8}], precision=Precision(0.02))
    outcome = experiment.run("mm1.db")
    print(outcome.point(load=0.8).interval("customers"))

`docs/experiments.md` has the details.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from petri.experiment.design.definition import Expected as Expected
    from petri.experiment.design.definition import Tolerance as Tolerance
    from petri.experiment.errors import ExperimentError as ExperimentError
    from petri.experiment.experiment import Experiment as Experiment
    from petri.experiment.procedure.campaign import sweep as sweep
    from petri.experiment.results.comparison import compare as compare
    from petri.experiment.results.outcome import Outcome as Outcome
    from petri.experiment.results.outcome import stored_outcome as stored_outcome
    from petri.experiment.results.summary import PointOutcome as PointOutcome
    from petri.experiment.results.tables import export as export
    from petri.experiment.store.database import Store as Store
    from petri.experiment.studies import calibrate as calibrate
    from petri.experiment.studies import rfc2544 as rfc2544
    from petri.experiment.studies import search as search
    from petri.experiment.studies import tune as tune
    from petri.experiment.threshold.outcome import SearchOutcome as SearchOutcome
    from petri.measure.selection import Best as Best
    from petri.measure.sequential import Precision as Precision

_HOMES = {
    "Best": "petri.measure.selection",
    "Expected": "petri.experiment.design.definition",
    "Experiment": "petri.experiment.experiment",
    "ExperimentError": "petri.experiment.errors",
    "Outcome": "petri.experiment.results.outcome",
    "PointOutcome": "petri.experiment.results.summary",
    "Precision": "petri.measure.sequential",
    "SearchOutcome": "petri.experiment.threshold.outcome",
    "Store": "petri.experiment.store.database",
    "Tolerance": "petri.experiment.design.definition",
    "calibrate": "petri.experiment.studies",
    "compare": "petri.experiment.results.comparison",
    "export": "petri.experiment.results.tables",
    "rfc2544": "petri.experiment.studies",
    "search": "petri.experiment.studies",
    "stored_outcome": "petri.experiment.results.outcome",
    "sweep": "petri.experiment.procedure.campaign",
    "tune": "petri.experiment.studies",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Return the public names, imported on first use."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'petri.experiment' has no attribute {name!r}")
