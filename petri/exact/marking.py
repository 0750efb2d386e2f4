"""Values of the marking in many states at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from petri.engine.expression import Context, evaluate
from petri.exact.chain import Floats, Integers
from petri.net import Expr, Net, operations

MOST_CODES = 1_000_000


def values(
    net: Net, expression: Expr, variables: Sequence[Integers], counts: Callable[[int], Integers], states: int
) -> Floats:
    """Return the value of an expression in each state, read once for each different marking of the places that it
    counts.

    variables: a column for each. counts: the tokens of a place in each state.
    """
    counted = sorted({int(part.value or 0) for part in operations([expression]) if part.op == "tokens"})
    markings, numbers = _different([*variables, *(counts(place) for place in counted)], states)
    found = []
    for marking in markings:
        tokens = dict(zip(counted, marking[len(variables) :], strict=True))
        context = Context(marking[: len(variables)], tokens.__getitem__, tables=net.tables)
        found.append(float(evaluate(expression, context)))
    each: Floats = np.array(found)[numbers]
    return each


def _different(columns: Sequence[Integers], states: int) -> tuple[list[list[int]], Integers]:
    """Return the different rows of these columns, none of which is negative, and which of them each state has."""
    numbers: Integers = np.zeros(states, dtype=np.int64)
    rows: list[list[int]] = [[]]
    for column in columns:
        base = int(column.max(initial=0)) + 1
        codes = numbers * base + column
        if len(rows) * base <= max(states, MOST_CODES):  # counted instead of sorted, which takes ten times as long
            known = np.flatnonzero(np.bincount(codes, minlength=1))
            places = np.zeros(len(rows) * base, dtype=np.int64)
            places[known] = np.arange(len(known))
            numbers = places[codes]
        else:
            known, numbers = np.unique(codes, return_inverse=True)
        rows = [[*rows[code // base], code % base] for code in known.tolist()]
    return rows, numbers
