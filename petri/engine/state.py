"""The state of a replication at an instant: marking and firings in progress, and an engine that stands there."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

from petri.engine.expression import Context, destination, evaluate, number_of
from petri.engine.firings import TracedFiring
from petri.engine.interface import ClockState
from petri.engine.reference import Engine, Firing, Held
from petri.net import Net, OutputArc, Scalar, Token, operations
from petri.structs import Frozen


class InProgress(Frozen):
    """A firing that has started and not ended. Instants in ticks; tokens and variables as the engine keeps them.

    took: for each place the number of tokens that it holds. gives: for each output arc the place, and the tokens.
    """

    transition: int
    start: float
    end: float
    variables: tuple[Scalar, ...]
    took: tuple[tuple[int, int], ...]
    gives: tuple[tuple[int, tuple[Token, ...]], ...]


class State(Frozen):
    """Between two firings: `firings` have started. `marking` has the tokens of each place, with times in ticks.

    clocks: as `Session.clocks` tells of them.
    """

    now: float
    firings: int
    marking: Sequence[Sequence[Token]]
    in_progress: tuple[InProgress, ...] = ()
    clocks: tuple[ClockState, ...] = ()


def looks_at_tokens(net: Net, transition: int) -> bool:
    """Whether what a firing takes or gives depends on the number of tokens in some place (E8)."""
    of = net.transitions[transition]
    counts = [arc.count for arc in of.inputs]
    given = [part for arc in of.outputs for part in (arc.condition, arc.count, arc.index, *arc.values)]
    return any(part.op == "tokens" for part in operations(counts + given))


def in_progress(net: Net, firing: TracedFiring, sizes: Sequence[int]) -> InProgress:
    """What a traced firing holds and will give. `sizes`: the number of tokens of each place just before it started."""
    transition = net.transitions[firing.transition]
    context = Context(firing.variables, lambda place: sizes[place], firing.start, firing.end, None, net.tables)
    took: dict[int, int] = {}
    for arc in transition.inputs:
        if not arc.keep:
            took[arc.place] = took.get(arc.place, 0) + number_of(arc.count, context)
    given = [_given(arc, context) for arc in transition.outputs]
    return InProgress(
        firing.transition, firing.start, firing.end, tuple(firing.variables), tuple(took.items()), tuple(given)
    )


def _given(arc: OutputArc, context: Context) -> tuple[int, tuple[Token, ...]]:
    if arc.condition is not None and not evaluate(arc.condition, context):
        return arc.places[0], ()
    place, count = destination(arc, context)
    return place, (tuple(evaluate(value, context) for value in arc.values),) * count


def seated(net: Net, state: State) -> Engine:
    """A reference engine in this state, to look at. Its random numbers are not those of the run."""
    engine = Engine(net, seed=1, replication=0)
    engine.now = state.now
    engine.firings = state.firings
    engine.marking = [[engine.hold(place, token) for token in tokens] for place, tokens in enumerate(state.marking)]
    for serial, firing in enumerate(state.in_progress):
        deposits: list[tuple[int, list[Held]]] = []
        for place, tokens in firing.gives:
            held = [engine.hold(place, token) for token in tokens]
            deposits.append((place, held))
            engine.reserved[place] += sum(token.weight for token in held)
            engine.deposits_due += len(held)
        insort(engine.in_progress, Firing(firing.end, serial, firing.transition, deposits))
    return engine
