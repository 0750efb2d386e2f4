"""Values that are drawn from each distribution of the language, by the reference engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from petri.engine.distributions import DRAWS
from petri.engine.random import RandomStream
from petri.fit.column import Column
from petri.measure.arrays import Floats

# One set of parameters of each distribution, which no simpler one contains.
PARAMETERS: dict[str, Sequence[float]] = {
    "exp": (12.0,),
    "uniform": (3.0, 11.0),
    "uniform_int": (2, 40),
    "erlang": (3, 20.0),
    "lognormal": (10.0, 0.8),
    "pareto": (2.5, 4.0),
    "gamma": (2.4, 30.0),
    "weibull": (1.7, 8.0),
    "loglogistic": (3.0, 5.0),
    "hyperexponential": (10.0, 3.0),
    "normal": (50.0, 6.0),
    "truncated_normal": (5.0, 4.0, 0.0, 12.0),
    "triangular": (2.0, 5.0, 14.0),
    "beta": (2.0, 5.0),
    "bernoulli": (0.3,),
    "geometric": (0.2,),
    "binomial": (20, 0.4),
    "poisson": (6.5,),
}


def drawn(name: str, parameters: Sequence[float], count: int, seed: int) -> Floats:
    """Return values of a distribution."""
    stream = RandomStream(seed)
    return np.array([DRAWS[name](stream, *parameters) for _ in range(count)])


def column_of(values: Floats, unit: str = "", **more: object) -> Column:
    return Column("values.csv", "service", unit, values, values.copy(), **more)  # type: ignore[arg-type]
