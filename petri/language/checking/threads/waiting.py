"""How activations wait at the places of a thread: in which order (T10), and which are tokens of their own (T1)."""

from __future__ import annotations

from collections.abc import Sequence

from petri.language.checking.expressions.keys import parts_of
from petri.language.checking.expressions.names import names_in
from petri.language.checking.threads.bindings import Bindings
from petri.language.checking.threads.graph import State, Transition
from petri.language.checking.threads.terms import closed
from petri.language.meaning.types import Scalar
from petri.language.syntax import tree


def arrange(states: Sequence[State], transitions: Sequence[Transition], bindings: Bindings) -> None:
    """Set `distinct` and `discipline` of the states, whose live values are known."""
    for state in states:
        leading = [transition for transition in transitions if transition.source is state]
        _prefer_by_order(state, [one for one in leading if in_turn(one) and one.clock is None], bindings)
        clocks = [one.clock for one in leading if one.clock is not None]
        coloured = bool(state.kept) or state.request is not None
        state.distinct = not coloured and not all(map(forgets, clocks))
        if state.order is not None:
            state.discipline = state.order.word
        elif state.request is not None or any(map(in_turn, leading)):
            state.discipline = "fifo"
        if not (coloured or state.distinct):
            state.discipline = "bag"


def _prefer_by_order(state: State, leading: Sequence[Transition], bindings: Bindings) -> None:
    """If the only step that waits for tokens prefers activations by their values, that is an order, which is faster."""
    if len(leading) != 1 or state.order is not None or state.request is not None or leading[0].prefer is None:
        return
    prefer = leading[0].prefer
    names = set(names_in(prefer.key))
    kinds = [bindings.type_of(part, state.scope) for part in parts_of(prefer.key)]
    numbers = all(isinstance(kind, Scalar) and kind.kind in ("int", "real") for kind in kinds)
    if not names or not names <= set(state.kept) or bindings.asked(prefer.key) or not numbers:
        return
    parts: Sequence[tree.Expr] = parts_of(prefer.key)
    if prefer.word == "most":
        parts = [tree.Unary("-", closed(part), part.span) for part in parts]
    key = parts[0] if len(parts) == 1 else tree.Keys(tuple(parts), prefer.key.span)
    state.order, leading[0].prefer = tree.Discipline("by", key, prefer.span), None


def in_turn(t: Transition) -> bool:
    """Return whether a transition takes the activations of its place in their order, and not any of them.

    Which one an interrupt hits is a matter of chance, and of exponential times whose runs down first.
    """
    return not t.interrupts and not (t.clock is not None and forgets(t.clock))


def forgets(clock: tree.Expr) -> bool:
    """Return whether it is an exponential time without a memory (C4): clocks of equal tokens need not be told apart."""
    while isinstance(clock, tree.Paren):
        clock = clock.inner
    called = clock.function if isinstance(clock, tree.Call) else None
    exponential = isinstance(called, tree.Name) and called.name == "exp"
    return exponential and not {"now", "end"} & set(names_in(clock))
