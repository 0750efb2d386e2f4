"""Coloured timed Petri nets: the language, two engines, and their measures.

    import petri

    model = petri.load("patterns/mm1", load=0.8)
    result = model.run(until=1e5, seed=1)
    print(result.measure("customers"))

`load` and `loads` read nets; a `Model` runs them; a `Result` holds the figures. Nets can also be built from the classes
of the flat net in `petri.net`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from petri.display import show_with
from petri.version import VERSION as __version__

if TYPE_CHECKING:
    from petri.builder import NetBuilder
    from petri.diagnostics import Diagnostic, LanguageError, UnknownName
    from petri.engine.interface import Limits
    from petri.experiment import Experiment, Outcome, Precision, calibrate, compare, rfc2544, search, sweep, tune
    from petri.language import check
    from petri.model import Model, load, loads
    from petri.result import MeasureResult, Result

_HOMES = {
    "Diagnostic": "petri.diagnostics",
    "Experiment": "petri.experiment",
    "LanguageError": "petri.diagnostics",
    "Limits": "petri.engine.interface",
    "MeasureResult": "petri.result",
    "Model": "petri.model",
    "NetBuilder": "petri.builder",
    "Outcome": "petri.experiment",
    "Precision": "petri.experiment",
    "Result": "petri.result",
    "UnknownName": "petri.diagnostics",
    "calibrate": "petri.experiment",
    "check": "petri.language",
    "compare": "petri.experiment",
    "load": "petri.model",
    "loads": "petri.model",
    "rfc2544": "petri.experiment",
    "search": "petri.experiment",
    "sweep": "petri.experiment",
    "tune": "petri.experiment",
}

__all__ = [
    "Diagnostic",
    "Experiment",
    "LanguageError",
    "Limits",
    "MeasureResult",
    "Model",
    "NetBuilder",
    "Outcome",
    "Precision",
    "Result",
    "UnknownName",
    "__version__",
    "calibrate",
    "check",
    "compare",
    "load",
    "loads",
    "rfc2544",
    "search",
    "sweep",
    "tune",
]


show_with(
    lambda: import_module("petri.report.notebook"),
    lambda: import_module("petri.live.notebook"),
    lambda: import_module("petri.experiment.sensitivity.study"),
)


def __getattr__(name: str) -> Any:
    """Return the public names, imported on first use, so that a command that only parses does not import numpy."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'petri' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return what completion offers: the public names, whether they are imported yet or not."""
    return sorted(__all__)
