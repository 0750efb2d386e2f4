"""The transitions that make a net slow: they look through many tokens, or must compute where room is needed."""

from __future__ import annotations

import re

from petri.diagnostics import Diagnostic
from petri.engine.errors import ModelError
from petri.engine.native import asking, searching
from petri.net import Net, Span, Transition

_INDEXES = re.compile(r"(\[[^]]*\])+$")


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


def asks(net: Net) -> dict[int, str]:
    """The places to which each of these transitions gives what it computes, in words, so that it must ask for room.

    Room in a place that always gets the same number of tokens is only watched. The weight of a token is left out: a net
    that is about bytes cannot do without it.
    """
    try:
        found = asking(net)
    except ModelError:
        return {}
    asked = {number: _computed(net, net.transitions[number], arcs) for number, arcs in found.items()}
    return {number: " or ".join(places) for number, places in asked.items() if places}


def _computed(net: Net, transition: Transition, arcs: list[int]) -> list[str]:
    """The places of the arcs that give what an index, a condition or an expression decides."""
    outputs = [transition.outputs[arc] for arc in arcs]
    computed = [arc for arc in outputs if any(e and e.op != "const" for e in (arc.index, arc.condition, arc.count))]
    return list(dict.fromkeys(_named(net, arc.places) for arc in computed))


def _named(net: Net, places: tuple[int, ...]) -> str:
    """`queue`, or `queue[…]` for one of an array."""
    name = net.places[places[0]].name
    return f"`{name}`" if len(places) == 1 else f"`{_INDEXES.sub('[…]', name)}`"


def notes(net: Net) -> list[Diagnostic]:
    """A note for each; one for all elements of an array."""
    told: dict[tuple[str, str, Span | None], Diagnostic] = {}
    for code, found in (("looks-through", searches(net)), ("asks-for-room", asks(net))):
        for number, what in found.items():
            transition = net.transitions[number]
            values = {"name": transition.name, "what": what}
            key = (code, "" if transition.span else transition.name, transition.span)
            told.setdefault(key, Diagnostic(code, transition.span, values, severity="note"))
    return list(told.values())
