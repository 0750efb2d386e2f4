"""A linear programme: variables that are at least 0, rows of bounds, and the greatest value of a quotient."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from petri.exact.libraries import library
from petri.structs import Frozen

Linear = dict[int, float]  # coefficients by variable; with the key ONE, a constant
ONE = -1
NOTHING = 1e-12  # of the largest coefficient of a row
Because = tuple[str, int]  # what a row says: its kind, and the number of the place or transition


class Optimum(Frozen):
    """The greatest value, and how much of it each row with a constant allows, the largest part first.

    value: inf if nothing bounds it; nan if it cannot be said. positive: the variables that are not 0 there.
    """

    value: float
    parts: tuple[tuple[Because, float], ...] = ()
    positive: frozenset[int] = frozenset()


ZERO = 1e-9  # tokens of a place that is empty, as the solver finds them
NOT_FOUND = Optimum(math.nan)
FOUND, UNBOUNDED, FAILED = 0, 3, 4  # statuses of scipy


def plus(*terms: tuple[float, Linear]) -> Linear:
    """Return a weighted sum."""
    total: Linear = {}
    for weight, linear in terms:
        for variable, coefficient in linear.items():
            total[variable] = total.get(variable, 0.0) + weight * coefficient
    return {variable: coefficient for variable, coefficient in total.items() if coefficient}


def total(parts: Iterable[Linear]) -> Linear:
    """Return a sum."""
    return plus(*((1.0, part) for part in parts))


def _even(linear: Linear) -> Linear:
    """Return a row whose largest coefficient is 1, without those that are nothing beside it."""
    most = max(map(abs, linear.values()), default=1.0)
    return {
        variable: coefficient / most for variable, coefficient in linear.items() if abs(coefficient) > NOTHING * most
    }


class Programme:
    """Rows say `linear >= 0` or `linear == 0`.

    Invariant: with the constants of all rows multiplied by the variable `scale`, every solution may be multiplied by a
    number. A quotient of two linear terms is then greatest where the lower one is 1 (Charnes and Cooper 1962).
    """

    def __init__(self) -> None:
        self.variables = 0
        self._rows: dict[bool, list[tuple[Linear, Because | None]]] = {False: [], True: []}
        self._matrices: list[Any] | None = None

    def variable(self) -> int:
        """Return a new variable, which is at least 0."""
        self.variables += 1
        self._matrices = None
        return self.variables - 1

    def free(self) -> Linear:
        """Return a new quantity of either sign."""
        return {self.variable(): 1.0, self.variable(): -1.0}

    def equal(self, linear: Linear, because: Because | None = None) -> None:
        """Let a sum be 0."""
        self._matrices = None
        self._rows[True].append((_even(linear), because))

    def at_least(self, linear: Linear, because: Because | None = None) -> None:
        """Let a sum be at least 0."""
        self._matrices = None
        self._rows[False].append((_even(linear), because))

    def greatest(self, above: Linear, below: Linear) -> Optimum:
        """Return the greatest value of a quotient, whose divisor is positive."""
        optimize = library("scipy.optimize")
        if self._matrices is None:
            self._matrices = [self._matrix(equal) for equal in (False, True)]
        inequalities, equalities = self._matrices
        sparse = library("scipy.sparse")
        divided = sparse.vstack([equalities, sparse.csr_matrix(self._dense(below))], format="csr")
        for presolve in (True, False):  # which fails seldom, where no bound exists
            found = optimize.linprog(
                -self._dense(above), A_ub=-inequalities, b_ub=np.zeros(inequalities.shape[0]), A_eq=divided,
                b_eq=np.append(np.zeros(equalities.shape[0]), 1.0), method="highs", options={"presolve": presolve},
            )  # fmt: skip
            if found.status != FAILED:
                break
        if found.status == UNBOUNDED:
            return Optimum(math.inf)
        if found.status != FOUND:
            return NOT_FOUND
        parts: dict[Because, float] = {}
        for equal, marginals in ((False, found.ineqlin.marginals), (True, found.eqlin.marginals)):
            for (linear, because), marginal in zip(self._rows[equal], marginals, strict=False):
                part = abs(marginal * linear.get(ONE, 0.0))
                if because is not None and part > 1e-7 * abs(found.fun):
                    parts[because] = parts.get(because, 0.0) + part
        positive = frozenset(np.flatnonzero(found.x > ZERO * max(abs(found.x[-1]), 1e-300)).tolist())
        return Optimum(-float(found.fun), tuple(sorted(parts.items(), key=lambda part: -part[1])), positive)

    def _dense(self, linear: Linear) -> Any:
        dense = np.zeros(self.variables + 1)  # the last one, which the index ONE means, is the scale
        for variable, coefficient in linear.items():
            dense[variable] = coefficient
        return dense

    def _matrix(self, equal: bool) -> Any:
        rows = [linear for linear, _ in self._rows[equal]]
        return _sparse(rows, self.variables + 1)


def _sparse(rows: Sequence[Linear], width: int) -> Any:
    entries: Iterable[tuple[int, int, float]] = (
        (number, variable % width, coefficient)
        for number, row in enumerate(rows)
        for variable, coefficient in row.items()
    )
    numbers, variables, coefficients = zip(*entries, strict=True) if any(rows) else ((), (), ())
    return library("scipy.sparse").csr_matrix((coefficients, (numbers, variables)), shape=(len(rows), width))
