"""The transitions that look through the tokens of places at nearly every firing, so that large nets are slow."""

from __future__ import annotations

from petri.diagnostics import Diagnostic
from petri.engine.errors import ModelError
from petri.engine.native import searching
from petri.net import Net, Span


def searches(net: Net) -> dict[int, str]:
    """What each of these transitions looks through, in words; none where the places have few tokens.

    The native engine tells, which counts the bindings of most transitions instead. Where it is not built, nothing is
    known: the reference engine always searches.
    """
    try:
        found = searching(net)
    except ModelError:
        return {}
    return {transition: through(net, transition, *looks) for transition, looks in found.items()}


def through(net: Net, transition: int, arcs: list[int], combined: bool) -> str:
    """`all tokens of `a``, or all pairs or combinations of those of several places."""
    inputs = net.transitions[transition].inputs
    places = dict.fromkeys(f"`{net.places[inputs[arc].place].name}`" for arc in arcs)
    *first, last = places
    listed = f"{', '.join(first)} and {last}" if first else last
    if len(arcs) == 1 or not combined:
        return f"all tokens of {listed}"
    return f"all {'pairs' if len(arcs) == 2 else 'combinations'} of tokens of {listed}"


def notes(net: Net) -> list[Diagnostic]:
    """A note for each; one for all elements of an array."""
    told: dict[tuple[str, Span | None], Diagnostic] = {}
    for number, what in searches(net).items():
        transition = net.transitions[number]
        values = {"name": transition.name, "what": what}
        key = ("" if transition.span else transition.name, transition.span)
        told.setdefault(key, Diagnostic("looks-through", transition.span, values, severity="note"))
    return list(told.values())
