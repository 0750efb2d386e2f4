"""How the native engine runs each transition, and which ones make a net slow: they look through many tokens, or are
interpreted.
"""

from __future__ import annotations

from typing import Final, Literal

from petri.diagnostics import Diagnostic
from petri.engine import native
from petri.engine.errors import ModelError
from petri.net import Net, Span
from petri.structs import Frozen

# Why a transition is interpreted. `{place}` is the place that is why.
_WHOLE: Final = {
    "weight": "the weight of tokens of {place} may raise an error",
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
    looks: what it looks through at nearly every firing, in words, where that may be much. why: the reasons why it is
    interpreted, in words.
    """

    code: Literal["compiled", "look interpreted", "interpreted"]
    choice: Literal["one", "any", "counted", "ranked", "searched"]
    looks: str = ""
    why: tuple[str, ...] = ()


def speeds(net: Net) -> list[Speed]:
    """Say for each transition how it is run.

    Empty where the native engine is not built, or cannot run the net: nothing is known then.
    """
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
    return Speed(
        code="interpreted" if whole else "look interpreted" if look else "compiled",
        choice=choice,  # type: ignore[arg-type]
        looks=through(net, number, *looks) if looks else "",
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


def notes(net: Net) -> list[Diagnostic]:
    """Return a note for each that looks through many tokens; one for all elements of an array."""
    told: dict[tuple[str, Span | None], Diagnostic] = {}
    for transition, speed in zip(net.transitions, speeds(net), strict=False):
        key = ("" if transition.span else transition.name, transition.span)
        if speed.looks and key not in told:
            values = {"name": transition.name, "what": speed.looks}
            told[key] = Diagnostic("looks-through", transition.span, values, severity="note")
    return list(told.values())
