"""How the native engine runs each transition, and which ones make a net slow: they look through many tokens, or are
interpreted.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from petri.diagnostics import Diagnostic
from petri.engine import native
from petri.engine.errors import ModelError
from petri.net import Net, Span, Transition
from petri.structs import Frozen

_INDEXES = re.compile(r"(\[[^]]*\])+$")

# Why a transition is interpreted. `{place}` is the place that is why.
_WHOLE: Final = {
    "weight": "the capacity of {place} is one of weight",
    "key": "the key that orders {place} may raise an error",
    "ranges": "the range of {place} is not of whole numbers, or differs between the places that a token may go to",
}
_LOOK: Final = {
    "clocks": "each of its bindings has a clock",
    "queue": "it sees all tokens of {place}, which has an order",
    "loops": "it combines tokens of too many places",
}


class Speed(Frozen):
    """How the native engine runs a transition once it has made machine code.

    code: what of it is interpreted (a `look` is the test whether it is enabled). choice: how a binding is found: there
    is one, any token will do, their numbers are counted, tokens are ranked, or bindings are searched through.
    looks: what it looks through at nearly every firing, in words, where that may be much. asks: the places of which it
    asks whether there is room for what it computes, in words. why: the reasons why it is interpreted, in words.
    """

    code: Literal["compiled", "look interpreted", "interpreted"]
    choice: Literal["one", "any", "counted", "ranked", "searched"]
    looks: str = ""
    asks: str = ""
    why: tuple[str, ...] = ()


def speeds(net: Net) -> list[Speed]:
    """For each transition. Empty where the native engine is not built, or cannot run the net: nothing is known then."""
    try:
        return [_speed(net, number, *told) for number, told in enumerate(native.speed(net))]
    except ModelError:
        return []


def _speed(
    net: Net, number: int, choice: str, looks: tuple[list[int], bool] | None, interpreted: list[tuple[str, int]]
) -> Speed:
    whole, look = (
        [reasons[why].format(place=f"`{net.places[of].name}`") for why, of in interpreted if why in reasons]
        for reasons in (_WHOLE, _LOOK)
    )
    room = [arc for why, arc in interpreted if why == "room"]
    if room:
        look.append(
            f"it asks for room in {' or '.join(_named(net, net.transitions[number].outputs[a].places) for a in room)}"
        )
    return Speed(
        code="interpreted" if whole else "look interpreted" if look else "compiled",
        choice=choice,  # type: ignore[arg-type]
        looks=through(net, number, *looks) if looks else "",
        asks=" or ".join(_computed(net, net.transitions[number], room)),
        why=tuple(dict.fromkeys(whole + look)),
    )


def through(net: Net, transition: int, arcs: list[int], combined: bool) -> str:
    """`all tokens of `a``, or all pairs or combinations of those of several places."""
    inputs = net.transitions[transition].inputs
    places = dict.fromkeys(f"`{net.places[inputs[arc].place].name}`" for arc in arcs)
    *first, last = places
    listed = f"{', '.join(first)} and {last}" if first else last
    if len(arcs) == 1 or not combined:
        return f"all tokens of {listed}"
    return f"all {'pairs' if len(arcs) == 2 else 'combinations'} of tokens of {listed}"


def _computed(net: Net, transition: Transition, arcs: list[int]) -> list[str]:
    """The places of the arcs that give what an index, a condition or an expression decides.

    Room in a place that always gets the same number of tokens is only watched. The weight of a token is left out: a net
    that is about bytes cannot do without it.
    """
    outputs = [transition.outputs[arc] for arc in arcs]
    computed = [arc for arc in outputs if any(e and e.op != "const" for e in (arc.index, arc.condition, arc.count))]
    return list(dict.fromkeys(_named(net, arc.places) for arc in computed))


def _named(net: Net, places: tuple[int, ...]) -> str:
    """`queue`, or `queue[…]` for one of an array."""
    name = net.places[places[0]].name
    return f"`{name}`" if len(places) == 1 else f"`{_INDEXES.sub('[…]', name)}`"


def notes(net: Net) -> list[Diagnostic]:
    """A note for each that looks through many tokens or asks for room; one for all elements of an array."""
    told: dict[tuple[str, str, Span | None], Diagnostic] = {}
    for transition, speed in zip(net.transitions, speeds(net), strict=False):
        for code, what in (("looks-through", speed.looks), ("asks-for-room", speed.asks)):
            key = (code, "" if transition.span else transition.name, transition.span)
            if what and key not in told:
                values = {"name": transition.name, "what": what}
                told[key] = Diagnostic(code, transition.span, values, severity="note")
    return sorted(told.values(), key=lambda note: note.id != "looks-through")
