"""Why a net is dead: for each transition, the first thing that it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, Literal

from petri.engine.expression import evaluate
from petri.engine.reference import Engine, Held
from petri.engine.state import State, seated
from petri.net import InputArc, Net, Token, Transition
from petri.structs import Frozen

MOST_BINDINGS: Final = 2_000  # partial bindings tried for one transition


class Lack(Frozen):
    """What a transition, by its number, lacks; `petri/report/lacks.py` words it.

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
    """For each transition, in the net's order, why it is not enabled in a marking without firings in progress.

    Times in tokens are in ticks. Transitions that are enabled are left out.
    """
    engine = seated(net, State(0.0, 0, marking))
    lacks = (first_lack(engine, number) for number in range(len(net.transitions)))
    return [lack for lack in lacks if lack is not None]


def first_lack(engine: Engine, number: int) -> Lack | None:
    """What a transition lacks in the engine's state; None if it is enabled. Raises ModelError."""
    return _Search(engine).lack(number, engine.net.transitions[number])


class _Search:
    """Finds the first unmet condition of a transition, trying its arcs in the order of its bindings (E1 to E6)."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.net = engine.net

    def lack(self, number: int, transition: Transition) -> Lack | None:
        partial: list[tuple[list[int | float], list[list[Held]]]] = [([0] * len(transition.variables), [])]
        for position, arc in enumerate(transition.inputs):
            extended = []
            for variables, found in partial:
                for tokens in self.engine.choices(transition, arc, variables, found):
                    bound = list(variables)
                    for slot, match in enumerate(arc.pattern):
                        if match.bind is not None:
                            bound[match.bind] = tokens[0].value[slot]
                    extended.append((bound, [*found, tokens]))
            if not extended:
                return self._of_arc(number, position, arc, *partial[0])
            partial = list(islice(extended, MOST_BINDINGS))
        lacks = [self._of_binding(number, transition, variables, found) for variables, found in partial]
        return None if None in lacks else lacks[0]

    def _of_arc(
        self, number: int, position: int, arc: InputArc, variables: list[int | float], found: list[list[Held]]
    ) -> Lack:
        here = len(self.engine.marking[arc.place])
        inputs = self.net.transitions[number].inputs
        taken = sum(len(tokens) for other, tokens in zip(inputs, found, strict=False) if other.place == arc.place)
        if not self.net.places[arc.place].colour.slots:
            needed = self.engine.count(arc.count, self.engine.context(variables)) + taken
            return Lack(number, "tokens", (arc.place,), here, needed)
        if here <= taken:
            return Lack(number, "token", (arc.place,), here, taken + 1)
        return Lack(number, "match", (arc.place,), here, arc=position)

    def _of_binding(
        self, number: int, transition: Transition, variables: list[int | float], found: list[list[Held]]
    ) -> Lack | None:
        context = self.engine.context(variables)
        for arc in transition.inhibitors:
            if self.engine.inhibits(arc, context):
                allowed = self.engine.count(arc.threshold, context)
                return Lack(number, "inhibited", (arc.place,), len(self.engine.marking[arc.place]), allowed)
        if transition.guard is not None and not evaluate(transition.guard, context):
            return Lack(number, "guard")
        if not self.engine.has_room(transition, context, found):
            places = dict.fromkeys(place for arc in transition.outputs for place in arc.places)
            full = tuple(place for place in places if self.net.places[place].capacity is not None)
            return Lack(number, "room", full)
        return None
