"""Transitions of a thread that neither wait nor last become part of those before them (T2); the others get names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from petri.language.checking.expressions.names import names_in
from petri.language.checking.threads.graph import Output, State, Target, Transition
from petri.language.checking.threads.terms import asks, both, negated, put_in
from petri.language.syntax import tree

_INSTANTS = frozenset(("now", "end"))
Misses = Callable[[object, Transition], bool]


def simplified(
    transitions: Sequence[Transition], states: Sequence[State], misses: Misses
) -> tuple[list[Transition], list[State]]:
    """Return the graph without transitions that take an activation from a place only to decide where it goes on.

    Those that put it there decide instead: a request says already when it is made where its caller will go on.
    misses: whether an expression that is read when a transition starts misses what this one does.
    """
    kept, places = list(transitions), list(states)
    changed = True
    while changed:
        changed = False
        for transition in list(kept):
            if _passes(transition, kept, misses) and _take_out(transition, kept):
                kept.remove(transition)
                places.remove(transition.source)  # type: ignore[arg-type]
                changed = True
    for transition in list(kept):
        if _melts(transition, kept, misses):
            for other in kept:
                other.outputs = [found for output in other.outputs for found in _melted(output, transition, other)]
            kept.remove(transition)
            places.remove(transition.source)  # type: ignore[arg-type]
    return kept, places


def _is_bare(t: Transition, transitions: Sequence[Transition]) -> bool:
    """Return whether a transition waits only for an activation at a place of its own, and takes no time."""
    if t.source is None or t.source.reply is not None or t.label or t.arcs or t.draws or t.lets or t.time is not None:
        return False
    if (
        t.clock is not None
        or t.guard is not None
        or t.priority is not None
        or t.weight is not None
        or t.prefer is not None
    ):
        return False
    return all(other is t or other.source is not t.source for other in transitions)


def _reads_too_early(e: object, t: Transition, transitions: Sequence[Transition], misses: Misses) -> bool:
    """Return whether an expression of a transition would miss something where those that lead to its place read it."""
    assert t.source is not None
    before = [other for other in transitions for output in other.outputs if _leads(output, t.source)]
    return any(misses(e, other) or (t.source.request is not None and asks(e, "tokens")) for other in before)


def _leads(output: Output, state: State) -> bool:
    return any(target.state is state for target in output.targets)


def _passes(t: Transition, transitions: Sequence[Transition], misses: Misses) -> bool:
    """Return whether a transition only decides where the activations of its place go on."""
    if len(t.outputs) != 1 or not _is_bare(t, transitions):
        return False
    (output,) = t.outputs
    if output.condition is not None or output.term is not None or not output.targets:
        return False
    if t.source is None or _leads(output, t.source):
        return False
    deciding = [(target.condition, *target.values.values()) for target in output.targets]
    mentioned = {name for one in deciding for name in names_in(one)}
    return not mentioned & _INSTANTS and not any(_reads_too_early(one, t, transitions, misses) for one in deciding)


def _take_out(t: Transition, transitions: Sequence[Transition]) -> bool:
    """Lets those that lead to the transition's place decide; False if a place would get replies of two services."""
    state, targets = t.source, t.outputs[0].targets
    assert state is not None
    for target in targets:
        wanted, there = state.request, target.state.request
        keyed = target.state.order is not None and target.state.order.key is not None
        if wanted is not None and (target.state.late or keyed or there not in (None, wanted)):
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


def _melts(t: Transition, transitions: Sequence[Transition], misses: Misses) -> bool:
    """Return whether the outputs of a transition can be those of all transitions that lead to its place."""
    if t.own or t.source is None or t.source.request is not None or not _is_bare(t, transitions):
        return False
    if any(_leads(output, t.source) for output in t.outputs):
        return False
    deciding = [(target.condition, *target.values.values()) for output in t.outputs for target in output.targets]
    deciding += [(output.condition, output.term) for output in t.outputs]
    return not any(_reads_too_early(one, t, transitions, misses) for one in deciding)


def _melted(output: Output, t: Transition, other: Transition) -> list[Output]:
    """Return an output that may lead to the place of `t`, with the outputs of `t` where it does."""
    if all(target.state is not t.source for target in output.targets):
        return [output]
    found, condition = [], output.condition
    for target in output.targets:
        here = both(condition, target.condition)
        condition = condition if target.condition is None else both(condition, negated(target.condition))
        if target.state is not t.source:
            found.append(Output(here, None, output.span, [Target(None, target.state, target.values)]))
            continue
        values = target.values
        if other.time is not None:
            values = {**values, "now": tree.Name("end", output.span)}
        for own in t.outputs:
            targets = []
            for one in own.targets:
                later = {name: put_in(value, values) for name, value in one.values.items()}
                targets.append(Target(put_in(one.condition, values), one.state, {**target.values, **later}))
            found.append(Output(both(here, put_in(own.condition, values)), put_in(own.term, values), own.span, targets))
    return found


def name_all(transitions: Sequence[Transition]) -> None:
    """Names for transitions without a label, which several may share but for a number, and for their places."""
    used = {transition.label for transition in transitions if transition.label}
    for transition in sorted(transitions, key=lambda one: one.beside is not None):
        if transition.beside is not None:
            transition.word = f"{transition.beside.name}{transition.suffix}"
        name, number = transition.label or transition.word, 2
        while not transition.label and name in used:
            name, number = f"{transition.word}_{number}", number + 1
        used.add(name)
        transition.name = name
        if transition.source is not None and not transition.source.name:
            transition.source.name = f"at_{name}"
