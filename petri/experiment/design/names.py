"""Figures and parameters by their names: errors for those that a net does not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from petri.diagnostics import did_you_mean
from petri.experiment.errors import ExperimentError, problem
from petri.measure.figures import Figure, UnknownFigure, figures
from petri.net import Net


def known_figures(net: Net, names: Sequence[str] | None) -> tuple[Figure, ...]:
    """Return the figures of these names, all declared ones for None. Raises ExperimentError."""
    try:
        return figures(net, names)
    except UnknownFigure as error:
        raise ExperimentError(error.diagnostic) from error


def unknown_parameter(name: str, known: Iterable[str]) -> ExperimentError:
    """Return the error of a parameter that a net does not have."""
    names = list(known)
    near = did_you_mean(name, names)
    return problem("unknown-parameter", name=name, suggestion=near, known=names or None,
                   none=None if names else "no parameters")  # fmt: skip
