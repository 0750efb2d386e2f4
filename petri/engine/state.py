"""The state of a replication at an instant: marking and firings in progress, and an engine that stands there."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from contextlib import suppress

from petri.engine.errors import ModelError
from petri.engine.expression import Context, arrival, destination, evaluate, number_of
from petri.engine.firings import TracedFiring
from petri.engine.interface import ClockState
from petri.engine.reference import Engine, Firing, Held
from petri.net import Net, OutputArc, Scalar, Token, operations
from petri.structs import Frozen, replace


class InProgress(Frozen):
    """A firing that has started and not ended, or tokens of an output with a delay that are on the way.

    Instants in ticks; tokens and variables as the engine keeps them. took: for each place the number of tokens that it
    holds. gives: for each output arc the place, and the tokens. part: 0 of the firing itself; of tokens on the way the
    number of their arc, from 1.
    """

    transition: int
    start: float
    end: float
    variables: tuple[Scalar, ...]
    took: tuple[tuple[int, int], ...]
    gives: tuple[tuple[int, tuple[Token, ...]], ...]
    part: int = 0


class State(Frozen):
    """Between two firings: `firings` have started. `marking` has the tokens of each place, with times in ticks.

    clocks: as `Session.clocks` tells of them.
    """

    now: float
    firings: int
    marking: Sequence[Sequence[Token]]
    in_progress: tuple[InProgress, ...] = ()
    clocks: tuple[ClockState, ...] = ()


def looks_at_marking(net: Net, transition: int) -> bool:
    """Return whether what a firing takes or gives depends on the number of tokens in a place (E8), or on a set's."""
    of = net.transitions[transition]
    if any(arc.each is not None for arc in of.outputs):
        return True
    counts = [arc.count for arc in of.inputs]
    given = [part for arc in of.outputs for part in (arc.condition, arc.count, arc.index, *arc.values)]
    sets = [part for arc in of.sets for part in (arc.most, arc.condition, *(total.value for total in arc.totals))]
    return any(part.op == "tokens" for part in operations(counts + given + sets))


def in_progress(net: Net, firing: TracedFiring, before: Engine) -> list[InProgress]:
    """Return what a traced firing holds and will give, and what is on the way after it has started.

    before: an engine with the marking just before it started; any other, unless the firing looks at its marking.
    """
    transition = net.transitions[firing.transition]
    sizes = before.marking
    context = Context(firing.variables, lambda place: len(sizes[place]), firing.start, firing.end, None, net.tables)
    sets = _sets(before, firing) if any(arc.each is not None for arc in transition.outputs) else []
    took: dict[int, int] = {}
    for arc in transition.inputs:
        for place in arc.takes_from:
            took[place] = took.get(place, 0) + number_of(arc.count, context)
    for taking in transition.sets:
        took[taking.place] = took.get(taking.place, 0) + int(firing.variables[taking.number])
    lasting = transition.outputs if firing.end > firing.start else ()
    given = tuple(_given(arc, context, sets) for arc in lasting if arc.delay is None)
    variables = tuple(firing.variables)
    found = [InProgress(firing.transition, firing.start, firing.end, variables, tuple(took.items()), given)]
    for part, output in enumerate(transition.outputs, 1):
        if output.delay is not None and (sent := _given(output, context, sets))[1]:
            instant = arrival(output.delay, context)
            found.append(InProgress(firing.transition, firing.start, instant, variables, (), (sent,), part))
    return [one for one in found if one.end > one.start]


def ends(net: Net, firing: TracedFiring) -> list[float]:
    """Return when a traced firing ends, and when each of its outputs with a delay arrives, if the condition holds.

    Of an output whose delay fails, the condition did not hold: otherwise the run would have stopped.
    """
    context = Context(firing.variables, now=firing.start, end=firing.end, tables=net.tables)
    found = [firing.end]
    for arc in net.transitions[firing.transition].outputs:
        if arc.delay is not None:
            with suppress(ModelError):
                found.append(arrival(arc.delay, context))
    return found


def _sets(before: Engine, firing: TracedFiring) -> list[list[Held]]:
    """Return the tokens of each set that a firing took: of its binding, which its values tell."""
    transition = before.net.transitions[firing.transition]
    bound = {match.bind for arc in transition.inputs for match in arc.pattern if match.bind is not None}
    bindings = before.ready(firing.transition)
    own = (binding for binding in bindings if all(binding.variables[at] == firing.variables[at] for at in bound))
    return before.sets(transition, next(own))


def _given(arc: OutputArc, context: Context, sets: Sequence[Sequence[Held]]) -> tuple[int, tuple[Token, ...]]:
    if arc.condition is not None and not evaluate(arc.condition, context):
        return arc.places[0], ()
    place, count = destination(arc, context)
    if arc.each is None:
        return place, (tuple(evaluate(value, context) for value in arc.values),) * count
    own = (replace(context, variables=[*context.variables, *token.value]) for token in sets[arc.each] if count)
    return place, tuple(tuple(evaluate(value, one) for value in arc.values) for one in own)


def seated(net: Net, state: State) -> Engine:
    """Return a reference engine in this state, to look at. Its random numbers are not those of the run."""
    engine = Engine(net, seed=1, replication=0)
    engine.now = state.now
    engine.firings = state.firings
    engine.marking = [[engine.hold(place, token) for token in tokens] for place, tokens in enumerate(state.marking)]
    for serial, firing in enumerate(state.in_progress):
        deposits: list[tuple[int, list[Held]]] = []
        for place, tokens in firing.gives:
            held = [engine.hold(place, token) for token in tokens]
            deposits.append((place, held))
            engine.reserve(place, held, 1)
            engine.deposits_due += len(held)
        insort(engine.in_progress, Firing(firing.end, serial, firing.part, firing.transition, deposits))
    return engine
