"""How many replications a grid with equal guarantees needs, next to those of a sweep that has found the best point.

    python validation/equal_numbers.py STORE

Both are computed from the first replications of the sweep. With the same random numbers for all points: an equal number
at each, so that the bound of Kim and Nelson (2001) decides every pair. With other random numbers for each point: the
second stage of Rinott (On two-stage selection procedures and related probability-inequalities, Communications in
Statistics A7, 1978).
"""

from __future__ import annotations

import json
import math
import sqlite3
import sys

import numpy as np
from scipy import optimize, stats

from petri.measure.selection import Choice, bounds_of, differences


def rinott(points: int, confidence: float, first: int) -> float:
    """Rinott's constant h: its double integral, over quantiles of the two chi-squared variables."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    quantiles, weights = stats.chi2.ppf((nodes + 1) / 2, first - 1), weights / 2
    scale = np.sqrt((first - 1) * (1 / quantiles[:, None] + 1 / quantiles[None, :]))

    def lacking(h: float) -> float:
        inner = (stats.norm.cdf(h / scale) * weights[:, None]).sum(axis=0)
        return float((inner ** (points - 1) * weights).sum()) - confidence

    return float(optimize.brentq(lacking, 0.1, 50.0))


def main(store: str) -> None:
    with sqlite3.connect(store) as database:
        rows = database.execute("SELECT point, measures FROM replications ORDER BY point, replication").fetchall()
        (about,) = database.execute("SELECT value FROM meta WHERE name = 'about'").fetchone()
    choice = Choice.from_dict(json.loads(about)["choice"])
    best, first = choice.best, choice.first
    values: dict[int, list[float]] = {}
    for point, measures in rows:
        values.setdefault(point, []).append(json.loads(measures)[best.figure])
    start = np.array([one[:first] for one in values.values()])
    ends = start.mean(axis=1)
    difference = best.within * (abs(ends.max() if best.greatest else ends.min()) if best.relative else 1.0)
    common = bounds_of(differences(start), first, difference, best.confidence).max() * 2 / difference
    factor = (rinott(len(start), best.confidence, first) / difference) ** 2
    independent = np.maximum(first, np.ceil(factor * start.var(axis=1, ddof=1)))
    print(f"the sweep:                                {len(rows):,}")
    print(f"equal numbers, common random numbers:     {len(start) * max(first, math.ceil(common)):,}")
    print(f"Rinott, independent random numbers:       {int(independent.sum()):,}")


if __name__ == "__main__":
    main(sys.argv[1])
