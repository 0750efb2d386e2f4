"""What interrupts the steps of a `do` (T9): a transition at each place where they wait or last."""

from __future__ import annotations

from collections.abc import Sequence

from petri.diagnostics import Label
from petri.language.checking.threads.graph import Held, Output, State, Transition
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.structs import Struct, replace


class Interrupt(Struct):
    """An `unless` of a `do`: its transition `made`, which stands for those of all places `inside` the `do`.

    held: by the thread before the `do`.
    """

    block: tree.Step
    made: Transition
    inside: Sequence[State]
    held: Sequence[Held]


def interrupted(transitions: Sequence[Transition], found: Sequence[Interrupt]) -> list[Transition]:
    """Return the transitions with those of the interrupts. Raises CheckError."""
    result = list(transitions)
    for one in found:
        result.remove(one.made)
        # The first at a place that has a name of its own, if there is one: what ends a `use` has none.
        firsts: dict[int, Transition] = {}
        for other in sorted(result, key=lambda other: other.beside is not None):
            firsts.setdefault(id(other.source), other)
        waiting = [state for state in one.inside if id(state) in firsts]
        if not waiting:
            raise CheckError("do-never-waits", one.block.name_span)
        result += [_at(state, firsts[id(state)], one) for state in waiting]
    return result


def _at(state: State, waits: Transition, one: Interrupt) -> Transition:
    """Return the transition that interrupts what waits at a place.

    It gives back what has been held since the `do` began.
    """
    made = one.made
    assert made.source is not None
    within = {name: known for name, known in state.scope.items() if name not in made.source.scope}
    for name, span in ((one.name, one.name_span) for part in (made.lets, made.draws) for one in part):
        if name in within:
            raise CheckError("unless-binds-again", span, Label(within[name].span, "bound-here"), name=name)
    back = [Output(None, held.term, held.span) for held in state.held if held not in one.held]
    return replace(made, source=state, outputs=back + made.outputs, beside=waits, suffix="_interrupted")
