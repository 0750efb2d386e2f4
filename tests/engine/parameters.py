"""Parameters of every distribution: for each of its algorithms, at the borders of its domain, and beyond them."""

from __future__ import annotations

import math
from typing import Final

from petri.net import Scalar
from tests.engine.drawing import LEAST


def above(value: float) -> float:
    return math.nextafter(value, math.inf)


def below(value: float) -> float:
    return math.nextafter(value, -math.inf)


INSIDE: Final[dict[str, list[tuple[Scalar, ...]]]] = {
    "exp": [(0.0,), (0.5,), (3.0,)],
    "uniform": [(1.0, 1.0), (1.0, 3.0), (-2.5, 1.5)],
    "uniform_int": [(4, 4), (4, 5), (2, 9), (-7, -3), (1, 2**53)],
    "erlang": [(1, 2.0), (3, 0.5), (10_000, 1.0), (2, 0.0)],
    "lognormal": [(3.0, 0.0), (3.0, 0.5), (LEAST, 0.5), (2.0, 2.0)],
    "pareto": [(1.5, 3.0), (above(1.0), 3.0), (2.5, 0.5), (2.0, 0.0)],
    "gamma": [(1e-6, 1.0), (0.3, 2.0), (below(1.0), 2.0), (1.0, 2.0), (4.5, 3.0), (1e12, 3.0), (2.0, 0.0)],
    "weibull": [(0.5, 1.0), (2.0, 3.0), (1e12, 1.0), (1.0, 0.0)],
    "loglogistic": [(0.5, 1.0), (2.0, 3.0), (1e12, 1.0), (1.0, 0.0)],
    "normal": [(5.0, 0.0), (5.0, 0.25), (-1.0, 2.0)],
    "truncated_normal": [
        (1.0, 2.0, 0.0, 9.0),
        (1.0, 2.0, 0.5, 1.0),
        (1.0, 0.5, 2.0, 1e300),
        (1.0, 0.5, 2.0, 2.1),
        (3.0, 0.5, 0.0, 1.0),
        (0.0, 1.0, -1.0, 1.5),  # as wide as normal candidates need
        (0.0, 1.0, -1.0, 1.4375),
        (0.0, 1.0, -1.0, 0.0),
        (0.0, 1.0, -2.0, 0.0),
        (0.0, 1.0, 0.0, 1.0),
        (0.0, 1.0, 0.0, 2.25),
        (0.0, 1.0, 1.5, 2.0),  # as wide as exponential candidates need
        (0.0, 1.0, 1.5, 1.984375),
        (0.0, 1.0, LEAST, 1.0),  # the same, where the tail begins at the mean
        (0.0, 1.0, LEAST, 0.984375),
        (0.0, 1.0, 30.0, 31.0),
        (0.0, 1.0, -31.0, -30.0),
        (2.0, 0.5, 2.5, 3.0),
    ],
    "triangular": [(1.0, 1.0, 1.0), (1.0, 2.0, 4.0), (1.0, 1.0, 4.0), (1.0, 4.0, 4.0), (-3.0, -1.0, 2.0)],
    "hyperexponential": [(2.0, 1.0), (2.0, 3.0), (2.0, 1e6), (0.0, 2.0)],
    "beta": [
        (1.0, 1.0), (2.0, 3.0), (0.5, 0.5), (0.5, 2.0), (2.0, 0.5), (1.0, 0.5), (0.5, 1.0), (1e-6, 1e-6),
        (1e12, 1e12),
    ],
    "bernoulli": [(0.0,), (0.3,), (1.0,)],
    "geometric": [(0.4,), (1.0,), (below(1.0),), (1e-6,), (1e-17,)],
    "binomial": [(0, 0.5), (7, 0.3), (16, 0.5), (17, 0.5), (18, 0.25), (100, 0.9), (7, 0.0), (7, 1.0), (40, 0.0),
                 (40, 1.0), (10**9, 1e-6), (10**15, 0.5)],
    "poisson": [(0.0,), (2.5,), (below(16.0),), (16.0,), (18.0,), (40.0,), (1e9,), (1e15,)],
}  # fmt: skip
OUTSIDE: Final[dict[str, list[tuple[Scalar, ...]]]] = {
    "exp": [(-LEAST,)],
    "uniform": [(above(1.0), 1.0)],
    "uniform_int": [(5, 4), (0, 2**53)],
    "erlang": [(0, 1.0), (10_001, 1.0), (2, -LEAST)],
    "lognormal": [(0.0, 1.0), (1.0, -LEAST)],
    "pareto": [(1.0, 3.0), (2.0, -LEAST)],
    "gamma": [(below(1e-6), 1.0), (above(1e12), 1.0), (1.0, -LEAST)],
    "weibull": [(below(1e-6), 1.0), (above(1e12), 1.0), (1.0, -LEAST)],
    "loglogistic": [(below(1e-6), 1.0), (above(1e12), 1.0), (1.0, -LEAST)],
    "normal": [(5.0, -LEAST)],
    "truncated_normal": [
        (0.0, 0.0, -1.0, 1.0), (0.0, 1.0, 1.0, 1.0), (0.0, 1.0, 2.0, 1.0), (0.0, 1.0, above(30.0), 40.0),
        (0.0, 1.0, -40.0, -above(30.0)), (5.0, 1.0, 36.0, 40.0), (5.0, 1.0, -40.0, -26.0),
    ],
    "triangular": [(2.0, 1.0, 3.0), (1.0, 4.0, 3.0)],
    "hyperexponential": [(-LEAST, 2.0), (1.0, below(1.0)), (1.0, above(1e6))],
    "beta": [(below(1e-6), 1.0), (1.0, below(1e-6)), (above(1e12), 1.0), (1.0, above(1e12))],
    "bernoulli": [(-LEAST,), (above(1.0),)],
    "geometric": [(0.0,), (above(1.0),)],
    "binomial": [(-1, 0.5), (10**15 + 1, 0.5), (4, -LEAST), (4, above(1.0))],
    "poisson": [(-LEAST,), (above(1e15),)],
}  # fmt: skip
