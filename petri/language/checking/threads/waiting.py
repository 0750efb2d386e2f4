"""How activations wait at the places of a thread: in which order, and which of them are tokens of their own (T1)."""

from __future__ import annotations

from collections.abc import Sequence

from petri.language.checking.expressions.names import names_in
from petri.language.checking.threads.graph import State, Transition
from petri.language.syntax import tree


def arrange(states: Sequence[State], transitions: Sequence[Transition]) -> None:
    """Sets `distinct` and `discipline` of the states, whose live values are known."""
    for state in states:
        leading = [one for one in transitions if one.source is state]
        clocks = [one.clock for one in leading if one.clock is not None]
        coloured = bool(state.kept) or state.request is not None
        state.distinct = not coloured and not all(map(forgets, clocks))
        if state.order is not None:
            state.discipline = state.order.word
        elif state.request is not None or any(map(in_turn, leading)):
            state.discipline = "fifo"
        if not (coloured or state.distinct):
            state.discipline = "bag"


def in_turn(t: Transition) -> bool:
    """Whether a transition takes the activations of its place in their order, and not any of them.

    Which one an interrupt hits is a matter of chance, and of exponential times whose runs down first.
    """
    return not t.interrupts and not (t.clock is not None and forgets(t.clock))


def forgets(clock: tree.Expr) -> bool:
    """Whether it is an exponential time without a memory (C4): clocks of equal tokens need not be told apart."""
    while isinstance(clock, tree.Paren):
        clock = clock.inner
    called = clock.function if isinstance(clock, tree.Call) else None
    exponential = isinstance(called, tree.Name) and called.name == "exp"
    return exponential and not {"now", "end"} & set(names_in(clock))
