"""Run-time errors of a model, as data; `petri.diagnostics` words them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from petri.net import Content, Expr, Match, Net, Order, Passage, Sample, Scalar, Span, Transition, Watched, operations
from petri.structs import Frozen, field

STOPPED: Final = "stopped"  # the id of the fault that ends a search for bindings which is no longer wanted


class ModelError(Exception):
    """Raised if an expression or a firing breaks a rule (X1–X3); the engine adds the position in the run."""

    def __init__(self, error: str, span: Span | None = None, **values: object) -> None:
        super().__init__(error)
        self.id = error
        self.span = span
        self.values = values


class Fault(Frozen):
    """Why a run stopped with an error in the model, as data of the engine.

    id: int-overflow, division-by-zero, not-finite, domain, bad-parameter (of a distribution), negative-time,
    beyond-horizon, negative-count, index-range, list-range, colour-range, instant-limit, token-limit; or `STOPPED`.
    `binding` names the variables that were known; `transition` is its index. It is None if a row of a stream was wrong:
    then id and values are those of the diagnostic.
    """

    id: str
    transition: int | None
    binding: Mapping[str, Scalar]
    time: float
    span: Span | None = None
    values: Mapping[str, object] = field(default_factory=dict)


def known(net: Net, index: int, values: Sequence[Scalar], error: str, span: Span | None) -> dict[str, Scalar]:
    """Return the variables that had values when an expression of a firing failed (X4), by name, in the net's unit.

    Arcs bind one after the other (E1); then come inhibitors and the guard, the preference (I4), the count of firings at
    one instant (X3), and the draws (I5). None is known of a weight (I3) or the speed of clocks (C5), which are those of
    all bindings; at the horizon, where no expression fails; and where a measure looks at a token that arrives: the
    firing that brought it may have started long ago.
    """
    if error in ("beyond-horizon", "no-weight") or _is_of(_of_arrivals(net), span):
        return {}
    transition = net.transitions[index]
    variables: set[int] = set()
    for expressions, given in _steps(transition):
        if _is_of(expressions, span):
            break
        variables.update(given)
    if error == "instant-limit":
        variables.difference_update(draw.variable for draw in transition.draws)
        variables.difference_update(own for arc in transition.sets for own in arc.variables)
    named = [(transition.variables[index], values[index]) for index in sorted(variables)]
    return {variable.name: net.tick.quantity(value, variable.dimension) for variable, value in named}


def _of_arrivals(net: Net) -> Iterator[Expr]:
    """Yield what measures evaluate when a token arrives, or when an instant is over."""
    for probe in net.probes:
        if isinstance(probe, Order) and probe.event.place is not None:
            yield from (*probe.event.key, probe.sequence)
        elif isinstance(probe, Passage):
            events = (*probe.start.every, *probe.end.every)
            yield from (key for event in events if event.place is not None for key in event.key)
        elif isinstance(probe, Sample):
            samples = (one for one in (probe, *probe.others) if one.place is not None)
            yield from (e for sample in samples for e in (sample.value, sample.condition) if e is not None)
        elif isinstance(probe, Content | Watched):
            yield probe.value


def is_of_marking(net: Net, span: Span | None) -> bool:
    """Return whether an expression that failed is that of a measure of the marking, so that no firing is to blame."""
    return _is_of((probe.value for probe in net.probes if isinstance(probe, Watched)), span)


def _is_of(expressions: Iterable[Expr | None], span: Span | None) -> bool:
    """Return whether a position is that of one of the expressions, or of a part of one."""
    return span is not None and any(span == part.span for part in operations(expressions))


def _steps(transition: Transition) -> Iterator[tuple[Sequence[Expr | None], Iterable[int]]]:
    """Yield the expressions evaluated before all variables have values, each with the variables that have some."""
    yield [transition.weight, None if transition.clock is None else transition.clock.speed], ()
    for arc in transition.inputs:
        yield [*_wanted(arc.pattern), arc.count], (match.bind for match in arc.pattern if match.bind is not None)
    for inhibitor in transition.inhibitors:
        yield [*_wanted(inhibitor.pattern), inhibitor.threshold], ()
    yield [transition.guard], ()
    if transition.prefer is not None:
        yield [transition.prefer.key, transition.prefer.then], ()
    for taking in transition.sets:
        yield [taking.most, taking.condition], [taking.number]
        for total in taking.totals:
            yield [total.value], [total.variable]
    for draw in transition.draws:
        yield [draw.expression], [draw.variable]


def _wanted(pattern: Sequence[Match]) -> list[Expr | None]:
    return [match.equal for match in pattern]
