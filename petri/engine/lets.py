"""The values of the names of a transition (`let`), for people who look at its bindings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.net import Let, Net, Scalar, Transition, operations
from petri.structs import Struct


class Known(Struct):
    """What is known of the instant at which a binding is looked at, with times in ticks."""

    now: float | None = None
    end: float | None = None
    tokens: Callable[[int], int] | None = None


def readable(lets: Sequence[Let], known: Known) -> list[Let]:
    """Return those that need nothing else of the instant."""
    unknown = {word for word in ("now", "end", "tokens") if getattr(known, word) is None}
    return [let for let in lets if unknown.isdisjoint(part.op for part in operations([let.expression]))]


def in_traces(transition: Transition) -> list[Let]:
    """Return those that a firing alone determines, whose variables, start and end are known."""
    return readable(transition.lets, Known(0.0, 0.0))


def value_of(let: Let, net: Net, variables: Sequence[Scalar | None], known: Known) -> Scalar | None:
    """Return the value as the engine keeps it;

    None where it needs a variable that has no value, or cannot be computed.
    """
    if None in variables:
        used = [part.value for part in operations([let.expression]) if part.op == "var"]
        if any(number is None or variables[int(number)] is None for number in used):
            return None
    values = [0 if value is None else value for value in variables]
    tokens = known.tokens or (lambda place: 0)
    try:
        return evaluate(let.expression, Context(values, tokens, known.now or 0.0, known.end or 0.0, None, net.tables))
    except ModelError:
        return None
