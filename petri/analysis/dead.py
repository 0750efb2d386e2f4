"""Why a net is dead: for each transition, the first thing that it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from petri.engine.candidates import Search
from petri.engine.reference import Engine
from petri.engine.state import State, seated
from petri.net import Net, Token
from petri.structs import Frozen


class Lack(Frozen):
    """What a transition, by its number, lacks; `petri/report/telling/lacks.py` words it.

    "tokens": `places[0]`, of black tokens, holds `here` and not the `needed`. "token": so does a place of values, where
    nothing is left to take. "match": none of the `here` tokens that arc number `arc` may take from `places[0]` fits it.
    "inhibited": `places[0]` holds `here` tokens, which is not less than the `needed`. "guard": it holds for no binding.
    "room": some of `places` are full.
    """

    transition: int
    kind: Literal["tokens", "token", "match", "inhibited", "guard", "room"]
    places: tuple[int, ...] = ()
    here: int = 0
    needed: int = 0
    arc: int = 0


def why_dead(net: Net, marking: Sequence[Sequence[Token]]) -> list[Lack]:
    """Return for each transition, in the net's order, why it is not enabled in a marking without firings in progress.

    Times in tokens are in ticks. Transitions that are enabled are left out.
    """
    engine = seated(net, State(0.0, 0, marking))
    lacks = (first_lack(engine, number) for number in range(len(net.transitions)))
    return [lack for lack in lacks if lack is not None]


def first_lack(engine: Engine, number: int) -> Lack | None:
    """Return what a transition lacks in the engine's state; None if it is enabled.

    That is what the first of the candidates lacks for which the most arcs find tokens.
    """
    candidates = Search(engine, number).candidates
    if not all(candidate.unmet for candidate in candidates):
        return None
    unmet = max(candidates, key=lambda candidate: len(candidate.found)).unmet[0]
    if unmet.kind == "guard" or unmet.kind == "error":
        return Lack(number, "guard")
    if unmet.kind == "room":
        outputs = engine.net.transitions[number].outputs
        places = dict.fromkeys(place for arc in outputs for place in arc.places)
        return Lack(number, "room", tuple(place for place in places if engine.net.places[place].capacity is not None))
    here = len(engine.marking[unmet.place])
    if unmet.kind == "match":
        return Lack(number, "match", (unmet.place,), here, arc=unmet.number)
    return Lack(number, unmet.kind, (unmet.place,), here, unmet.needed)
