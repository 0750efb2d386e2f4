"""Errors that prevent an experiment from running, as data; `petri/wording/experiment.txt` words them."""

from __future__ import annotations

from petri.diagnostics import Diagnostic, Value, render


class ExperimentError(Exception):
    """An experiment cannot be run, or its store cannot be used; the diagnostic says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic

    def __str__(self) -> str:
        return render(self.diagnostic)


def problem(identifier: str, **values: Value) -> ExperimentError:
    return ExperimentError(Diagnostic(identifier, values=values))
