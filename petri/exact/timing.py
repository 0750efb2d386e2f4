"""Draws that have no list of outcomes, and times that are made of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from petri.catalogue.operations import OPERATIONS
from petri.net import Expr, operations

ENDLESS: Final = frozenset(
    "exp uniform erlang lognormal pareto gamma weibull loglogistic normal truncated_normal triangular "
    "hyperexponential beta empirical geometric binomial poisson".split()
)
"""The draws whose outcomes are not enumerated."""
IN_STAGES: Final = frozenset("exp erlang hyperexponential geometric".split())
"""Distributions of which a state can hold the rest."""


def without_stages(times: Iterable[Expr | None]) -> str:
    """Return the word of the first draw in these times of which a state cannot hold the rest."""
    draws = [part.op for part in operations(times) if part.op in ENDLESS]
    found = next((op for op in draws if op not in IN_STAGES), draws[0] if draws else "exp")
    return OPERATIONS[found].word or found
