"""What can go wrong inside a model, as data; `petri.diagnostics` words it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from petri.net import Expr, Match, Scalar, Span, Transition
from petri.structs import Frozen, field
from petri.ticks import Tick


class ModelError(Exception):
    """Raised where an expression or a firing breaks a rule (X1–X3); the engine adds where in the run it was."""

    def __init__(self, error: str, span: Span | None = None, **values: object) -> None:
        super().__init__(error)
        self.id = error
        self.span = span
        self.values = values


class Fault(Frozen):
    """Why a run stopped inside the model, as the engine saw it.

    id: int-overflow, division-by-zero, not-finite, domain, bad-parameter (of a distribution), negative-time,
    beyond-horizon, negative-count, index-range, colour-range, instant-limit, token-limit.
    `binding` names the variables that were known; `transition` is its index. It is None where a row of a stream was
    wrong: then id and values are those of the diagnostic.
    """

    id: str
    transition: int | None
    binding: Mapping[str, Scalar]
    time: float
    span: Span | None = None
    values: Mapping[str, object] = field(default_factory=dict)


def known(
    transition: Transition, values: Sequence[Scalar], error: str, span: Span | None, tick: Tick
) -> dict[str, Scalar]:
    """The variables that had their values when an expression of a firing failed (X4), by name, in the net's unit.

    Arcs bind one after the other (E1), then come inhibitors and the guard, then the draws (I5), before which firings
    at one instant are counted (X3).
    """
    variables: set[int] = set()
    for expressions, given in _steps(transition):
        if span is not None and any(span == part.span for e in expressions if e is not None for part in _parts(e)):
            break
        variables.update(given)
    if error == "instant-limit":
        variables.difference_update(draw.variable for draw in transition.draws)
    named = [(transition.variables[index], values[index]) for index in sorted(variables)]
    return {variable.name: tick.quantity(value, variable.dimension) for variable, value in named}


def _steps(transition: Transition) -> Iterator[tuple[Sequence[Expr | None], Iterable[int]]]:
    """What is evaluated before all variables have their values, and the variables that have theirs then."""
    for arc in transition.inputs:
        yield [*_wanted(arc.pattern), arc.count], (match.bind for match in arc.pattern if match.bind is not None)
    for inhibitor in transition.inhibitors:
        yield [*_wanted(inhibitor.pattern), inhibitor.threshold], ()
    yield [transition.guard], ()
    for draw in transition.draws:
        yield [draw.expression], [draw.variable]


def _wanted(pattern: Sequence[Match]) -> list[Expr | None]:
    return [match.equal for match in pattern]


def _parts(e: Expr) -> Iterator[Expr]:
    """An expression and all within it."""
    left = [e]
    while left:
        part = left.pop()
        yield part
        left.extend(part.args)
