"""The candidates for the bindings of a transition, and what every condition says of each.

A candidate is a choice of tokens, arc by arc in order (E1), up to the first arc that finds none. Of those
that find tokens for all arcs, the inhibitors, the parts of the guard and the capacities are all looked at (E4 to E6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.engine.reference import Engine, Held
from petri.net import Expr, Scalar, Token, Transition
from petri.structs import Frozen, field

MOST_CANDIDATES: Final = 2_000

Kind = Literal["tokens", "token", "match", "inhibited", "guard", "room", "error"]


class Unmet(Frozen):
    """A condition that a candidate does not meet. Values as the engine keeps them, with times in ticks.

    tokens: `place`, of black tokens, holds `here` of the `needed`. token: nothing is left to take. match: input arc
    `number` needs the values `wanted`, by slot. inhibited: by inhibitor `number`, `here` must be below `needed`. guard:
    its part `number` is false. room: `place` would hold `needed` of its capacity, now `here` [tokens, or weight as
    `petri.net.whole_weight` has it]. error: the evaluation of the net stops there, with the id `error`.
    """

    kind: Kind
    number: int = 0
    place: int = -1
    here: int = 0
    needed: int = 0
    wanted: Mapping[int, Scalar] = field(default_factory=dict)
    error: str = ""


class Candidate(Frozen):
    """The tokens that the first arcs have found, one for each, and what stands against the rest. None: enabled.

    variables: as far as the tokens give them values; the others are None.
    """

    variables: tuple[Scalar | None, ...]
    found: tuple[tuple[Token, ...], ...]
    unmet: tuple[Unmet, ...] = ()


def guard_parts(transition: Transition) -> list[Expr]:
    """Return the conditions that a guard joins by `and`, in order."""
    parts: list[Expr] = []
    pending = [] if transition.guard is None else [transition.guard]
    while pending:
        e = pending.pop()
        if e.op == "and":
            pending.extend(reversed(e.args))
        else:
            parts.append(e)
    return parts


class Search:
    """Lists the candidates of one transition, depth first, in the order of its bindings."""

    def __init__(self, engine: Engine, number: int, most: int = MOST_CANDIDATES) -> None:
        self.engine = engine
        self.most = most
        self.net = engine.net
        self.transition = self.net.transitions[number]
        self.candidates: list[Candidate] = []
        self.more = False
        self._run()

    def _run(self) -> None:
        """Complete the candidates, from the first arcs on."""
        waiting: list[tuple[list[Scalar | None], list[list[Held]]]] = [([None] * len(self.transition.variables), [])]
        while waiting:
            if len(self.candidates) >= self.most:
                self.more = True
                return
            variables, found = waiting.pop()
            if len(found) == len(self.transition.inputs):
                self._add(variables, found, self._unmet(_values(variables), found))
            else:
                waiting += reversed(self._extended(variables, found))

    def _extended(
        self, variables: list[Scalar | None], found: list[list[Held]]
    ) -> list[tuple[list[Scalar | None], list[list[Held]]]]:
        """Return a candidate with each choice of tokens for its next arc."""
        arc = self.transition.inputs[len(found)]
        try:
            choices = self.engine.choices(self.transition, arc, _values(variables), found)
        except ModelError as error:
            self._add(variables, found, [Unmet("error", error=error.id)])
            return []
        if not choices:
            self._add(variables, found, [self._of_arc(_values(variables), found)])
        extended = []
        for tokens in choices:
            bound = list(variables)
            for slot, match in enumerate(arc.pattern):
                if match.bind is not None:
                    bound[match.bind] = tokens[0].value[slot]
            extended.append((bound, [*found, tokens]))
        return extended

    def _add(self, variables: Sequence[Scalar | None], found: list[list[Held]], unmet: Sequence[Unmet]) -> None:
        values = tuple(tuple(token.value for token in tokens) for tokens in found)
        self.candidates.append(Candidate(tuple(variables), values, tuple(unmet)))

    def _of_arc(self, variables: list[Scalar], found: list[list[Held]]) -> Unmet:
        number = len(found)
        arc = self.transition.inputs[number]
        here = len(self.engine.marking[arc.place])
        earlier = zip(self.transition.inputs, found, strict=False)
        used = sum(len(tokens) for other, tokens in earlier if other.place == arc.place)
        if not self.net.places[arc.place].colour.slots:
            needed = self.engine.count(arc.count, self.engine.context(variables)) + used
            return Unmet("tokens", number, arc.place, here, needed)
        wanted = self.engine.equalities(arc.pattern, variables)
        return Unmet("token" if here <= used else "match", number, arc.place, here, used + 1, wanted)

    def _unmet(self, variables: list[Scalar], found: list[list[Held]]) -> list[Unmet]:
        context = self.engine.context(variables)
        try:
            return [*self._inhibited(context), *self._guarded(context), *self._crowded(context, found)]
        except ModelError as error:
            return [Unmet("error", error=error.id)]

    def _inhibited(self, context: Context) -> list[Unmet]:
        unmet = []
        for number, arc in enumerate(self.transition.inhibitors):
            wanted = self.engine.equalities(arc.pattern, context.variables)
            here = len(self.engine.matching(self.engine.marking[arc.place], wanted))
            needed = self.engine.count(arc.threshold, context)
            if here >= needed:
                unmet.append(Unmet("inhibited", number, arc.place, here, needed, wanted))
        return unmet

    def _guarded(self, context: Context) -> list[Unmet]:
        for number, part in enumerate(guard_parts(self.transition)):
            if not evaluate(part, context):  # parts behind it are not evaluated, and may have no value
                return [Unmet("guard", number)]
        return []

    def _crowded(self, context: Context, found: list[list[Held]]) -> list[Unmet]:
        engine = self.engine
        if engine.has_room(self.transition, context, found):
            return []
        given = engine.given(self.transition, context)
        left = {of: engine.left_in(*of, self.transition, found) for of in given}
        return [
            Unmet("room", place=of[0], here=left[of], needed=left[of] + weight)
            for of, weight in given.items()
            if left[of] + weight > engine.capacity(of[0])
        ]


def _values(variables: Sequence[Scalar | None]) -> list[Scalar]:
    return [0 if value is None else value for value in variables]
