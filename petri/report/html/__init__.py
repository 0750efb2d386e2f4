"""The HTML report of a run, a sweep or a search: one file that works offline.

text = run_report(result)              # a Result of `Model.run`
text = recorded_report(data)           # the output of `Result.to_dict`, read back from JSON
text = sweep_report(outcome)           # an Outcome of an experiment
text = search_report(outcome)          # a SearchOutcome
text = forwarding_report(outcome)      # a ForwardingOutcome, of RFC 2544
text = solution_report(solution)       # a Solution of `Model.solve`
text = sensitivity_report(found)       # a Sensitivity of `Model.sensitivity`
text = tuning_report(tuned)            # a Tuned of `petri.tune`
text = calibration_report(found)       # a Calibration of `petri.calibrate`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petri.exact.solution import Solution
from petri.experiment.forwarding.outcome import ForwardingOutcome
from petri.experiment.results.outcome import Outcome
from petri.experiment.sensitivity.study import Sensitivity
from petri.experiment.threshold.outcome import SearchOutcome
from petri.experiment.tuning.calibration import Calibration
from petri.experiment.tuning.procedure import Tuned
from petri.measure.arrays import Floats
from petri.report.html import (
    forwarding_page,
    run_page,
    search_page,
    sensitivity_page,
    solution_page,
    sweep_page,
    tune_page,
)
from petri.report.telling.record import of_result, of_stored
from petri.result import Result
from petri.result.stored import read

__all__ = [
    "calibration_report", "forwarding_report", "recorded_report", "run_report", "search_report", "sensitivity_report",
    "solution_report", "sweep_report", "tuning_report",
]  # fmt: skip


def run_report(
    result: Result, sources: Mapping[str, str] | None = None, gaps: Mapping[str, Floats] | None = None
) -> str:
    """Return the page of a run. With `sources` (`Model.sources`), the picture's inscriptions are as written.

    gaps: values of measures in the order of their events, by the measure's name, to be drawn beside its distribution.
    """
    return run_page.run_page(of_result(result), sources, gaps).html()


def recorded_report(data: Mapping[str, Any]) -> str:
    """Return the page of a run from its JSON. Raises KeyError, TypeError or ValueError if that is something else."""
    return run_page.run_page(of_stored(read(data))).html()


def sweep_report(outcome: Outcome) -> str:
    """Return the page of an experiment."""
    return sweep_page.sweep_page(outcome).html()


def search_report(outcome: SearchOutcome) -> str:
    """Return the page of a search."""
    return search_page.search_page(outcome).html()


def forwarding_report(outcome: ForwardingOutcome) -> str:
    """Return the page of a study of RFC 2544."""
    return forwarding_page.forwarding_page(outcome).html()


def solution_report(solution: Solution, result: Result | None = None, sources: Mapping[str, str] | None = None) -> str:
    """Return the page of an exact solution, beside a simulation if there is one."""
    return solution_page.solution_page(solution, result, sources).html()


def sensitivity_report(found: Sensitivity) -> str:
    """Return the page of sensitivities."""
    return sensitivity_page.sensitivity_page(found).html()


def tuning_report(tuned: Tuned) -> str:
    """Return the page of a search for the best setting."""
    return tune_page.tuning_page(tuned).html()


def calibration_report(found: Calibration) -> str:
    """Return the page of parameters of measured figures."""
    return tune_page.calibration_page(found).html()
