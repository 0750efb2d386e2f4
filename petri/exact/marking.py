"""Values of the marking in many states at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from petri.engine.expression import Context, evaluate
from petri.exact.chain import Floats, Integers
from petri.net import Expr, Net, operations


def values(
    net: Net, expression: Expr, variables: Sequence[Integers], counts: Callable[[int], Integers], states: int
) -> Floats:
    """The value of an expression in each state, read once for each different marking of the places that it counts.

    variables: a column for each. counts: the tokens of a place in each state.
    """
    counted = sorted({int(part.value or 0) for part in operations([expression]) if part.op == "tokens"})
    nothing = np.zeros(states, dtype=np.int64)
    columns = np.stack([nothing, *variables, *(counts(place) for place in counted)], axis=1)
    markings, numbers = np.unique(columns, axis=0, return_inverse=True)
    found = []
    for _, *marking in markings.tolist():
        tokens = dict(zip(counted, marking[len(variables) :], strict=True))
        context = Context(marking[: len(variables)], tokens.__getitem__, tables=net.tables)
        found.append(float(evaluate(expression, context)))
    each: Floats = np.array(found)[numbers.reshape(-1)]
    return each
