"""Transitions of a thread that only pass an activation on are left out, and the others get their names."""

from __future__ import annotations

from collections.abc import Sequence

from petri.language.checking.threads.graph import State, Target, Transition
from petri.language.checking.threads.terms import both, names, put_in

_INSTANTS = frozenset(("now", "end"))


def simplified(
    transitions: Sequence[Transition], states: Sequence[State]
) -> tuple[list[Transition], list[State]]:
    """The graph without transitions that take an activation from a place only to decide where it goes on.

    Those that put it there decide instead: a request says already when it is made where its caller will go on.
    """
    kept, places = list(transitions), list(states)
    changed = True
    while changed:
        changed = False
        for transition in list(kept):
            if _passes(transition, kept) and _take_out(transition, kept):
                kept.remove(transition)
                places.remove(transition.source)  # type: ignore[arg-type]
                changed = True
    return kept, places


def _passes(t: Transition, transitions: Sequence[Transition]) -> bool:
    """Whether a transition only decides where the activations of its place go on."""
    state = t.source
    if state is None or state.reply is not None or t.label or t.arcs or t.draws or t.time is not None:
        return False
    if t.guard is not None or t.priority is not None or t.weight is not None or len(t.outputs) != 1:
        return False
    (output,) = t.outputs
    if output.condition is not None or output.term is not None or not output.targets:
        return False
    if any(target.state is state for target in output.targets):
        return False
    mentioned = {name for target in output.targets for name in names((target.condition, *target.values.values()))}
    return not mentioned & _INSTANTS and all(other is t or other.source is not state for other in transitions)


def _take_out(t: Transition, transitions: Sequence[Transition]) -> bool:
    """Lets those that lead to the transition's place decide; False if a place would get replies of two services."""
    state, targets = t.source, t.outputs[0].targets
    assert state is not None
    for target in targets:
        wanted, there = state.request, target.state.request
        if wanted is not None and there not in (None, wanted):
            return False
    for target in targets:
        target.state.request = target.state.request or state.request
    for other in transitions:
        for output in other.outputs:
            output.targets = [found for target in output.targets for found in _replaced(target, state, targets)]
    return True


def _replaced(target: Target, state: State, targets: Sequence[Target]) -> list[Target]:
    if target.state is not state:
        return [target]
    found = []
    for one in targets:
        condition = both(target.condition, put_in(one.condition, target.values))
        values = {name: put_in(value, target.values) for name, value in one.values.items()}
        found.append(Target(condition, one.state, {**target.values, **values}))
    return found


def name_all(transitions: Sequence[Transition]) -> None:
    """Names for transitions without a label, which several may share but for a number, and for their places."""
    used = {transition.label for transition in transitions if transition.label}
    for transition in transitions:
        name, number = transition.label or transition.word, 2
        while not transition.label and name in used:
            name, number = f"{transition.word}_{number}", number + 1
        used.add(name)
        transition.name = name
        if transition.source is not None and not transition.source.name:
            transition.source.name = f"at_{name}"


