"""Why a transition is enabled or not in a state: each candidate binding, and what every condition says of it.

A candidate is a choice of tokens, arc by arc in the order of rule E1, up to the first arc that finds none. Of those
that find tokens for all arcs, the inhibitors, the parts of the guard and the capacities are all looked at (E4 to E6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from petri.analysis.dead import Lack, first_lack
from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.engine.reference import Engine, Held
from petri.engine.state import State, seated
from petri.net import Expr, Net, Scalar, Token, Transition
from petri.structs import Frozen, field

MOST_CANDIDATES: Final = 2_000
MOST_GIVERS: Final = 4  # transitions that could help with one thing, that are looked at

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


class Helper(Frozen):
    """What could bring about what is missing, one condition `unmet`.

    firings: numbers of firings in progress that give it, the first to end first. lacks: the transitions that could,
    each with what it lacks itself; None if it is enabled.
    """

    unmet: Unmet
    firings: tuple[int, ...] = ()
    lacks: tuple[tuple[int, Lack | None], ...] = ()


class Explanation(Frozen):
    """What `explain` finds. `rivals`: every enabled transition, with its number of bindings (I2 to I4)."""

    net: Net
    transition: int
    state: State
    candidates: tuple[Candidate, ...]
    more: bool  # there are others, which were not looked at
    helpers: tuple[Helper, ...]
    rivals: tuple[tuple[int, int], ...]

    @property
    def bindings(self) -> list[Candidate]:
        """The candidates that meet every condition."""
        return [candidate for candidate in self.candidates if not candidate.unmet]

    @property
    def enabled(self) -> bool:
        return bool(self.bindings)


def explain(net: Net, state: State, transition: int) -> Explanation:
    """Why the transition is enabled, or not, in this state."""
    engine = seated(net, state)
    search = _Search(engine, transition)
    search.extend([None] * len(net.transitions[transition].variables), [])
    helpers = () if any(not c.unmet for c in search.candidates) else _helpers(engine, state, search.candidates)
    return Explanation(net, transition, state, tuple(search.candidates), search.more, helpers, _rivals(engine))


def why_each(net: Net, state: State) -> list[Lack | None]:
    """For each transition the first thing that it lacks; None if it is enabled."""
    engine = seated(net, state)
    return [_lack(engine, number) for number in range(len(net.transitions))]


def guard_parts(transition: Transition) -> list[Expr]:
    """The conditions that a guard joins by `and`, in order."""
    parts: list[Expr] = []
    pending = [] if transition.guard is None else [transition.guard]
    while pending:
        e = pending.pop()
        if e.op == "and":
            pending.extend(reversed(e.args))
        else:
            parts.append(e)
    return parts


class _Search:
    """Lists the candidates of one transition, depth first, in the order of its bindings."""

    def __init__(self, engine: Engine, number: int) -> None:
        self.engine = engine
        self.net = engine.net
        self.transition = self.net.transitions[number]
        self.candidates: list[Candidate] = []
        self.more = False

    def extend(self, variables: list[Scalar | None], found: list[list[Held]]) -> None:
        """Complete a candidate whose first `len(found)` arcs have their tokens."""
        if len(self.candidates) >= MOST_CANDIDATES:
            self.more = True
            return
        if len(found) == len(self.transition.inputs):
            self._add(variables, found, self._unmet(_values(variables), found))
            return
        arc = self.transition.inputs[len(found)]
        try:
            choices = self.engine.choices(self.transition, arc, _values(variables), found)
        except ModelError as error:
            self._add(variables, found, [Unmet("error", error=error.id)])
            return
        if not choices:
            self._add(variables, found, [self._of_arc(_values(variables), found)])
        for tokens in choices:
            bound = list(variables)
            for slot, match in enumerate(arc.pattern):
                if match.bind is not None:
                    bound[match.bind] = tokens[0].value[slot]
            self.extend(bound, [*found, tokens])

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
        engine, given = self.engine, dict[int, int]()
        if engine.has_room(self.transition, context, found):
            return []
        for arc in self.transition.outputs:
            place, count = engine.destination(arc, context)
            if self.net.places[place].capacity is not None and count:
                given[place] = given.get(place, 0) + count * engine.weight_to_be(place, arc, context)
        left = {place: engine.left_in(place, self.transition, found) for place in given}
        return [
            Unmet("room", place=place, here=left[place], needed=left[place] + weight)
            for place, weight in given.items()
            if left[place] + weight > engine.capacity(place)
        ]


def _values(variables: Sequence[Scalar | None]) -> list[Scalar]:
    return [0 if value is None else value for value in variables]


def _rivals(engine: Engine) -> tuple[tuple[int, int], ...]:
    try:
        listed = [(number, len(engine.bindings(number))) for number in range(len(engine.net.transitions))]
    except ModelError:
        return ()
    return tuple((number, count) for number, count in listed if count)


def _lack(engine: Engine, number: int) -> Lack | None:
    try:
        return first_lack(engine, number)
    except ModelError:
        return Lack(number, "guard")


# ---------------------------------------------------------------- what would help


def _helpers(engine: Engine, state: State, candidates: Sequence[Candidate]) -> tuple[Helper, ...]:
    """For each thing that is missing, once: what could bring it about."""
    found: dict[tuple[object, ...], Helper] = {}
    for candidate in candidates:
        for unmet in candidate.unmet:
            key = (unmet.kind in ("room", "inhibited"), unmet.place, tuple(unmet.wanted.items()))
            if unmet.place >= 0 and key not in found:
                found[key] = _helper(engine, state, unmet)
    return tuple(found.values())


def _helper(engine: Engine, state: State, unmet: Unmet) -> Helper:
    """Firings in progress that give what is missing; else transitions that could, or could take what is too much."""
    net, place = engine.net, unmet.place
    if unmet.kind in ("room", "inhibited"):
        able = [
            number
            for number, transition in enumerate(net.transitions)
            if place in transition.resets or any(arc.place == place and not arc.keep for arc in transition.inputs)
        ]
        return Helper(unmet, (), tuple((number, _lack(engine, number)) for number in able[:MOST_GIVERS]))
    firings = tuple(
        number
        for number, firing in enumerate(state.in_progress)
        if any(to == place and _fits(token, unmet) for to, tokens in firing.gives for token in tokens)
    )
    if firings:
        return Helper(unmet, firings)
    able = [n for n, one in enumerate(net.transitions) if any(place in arc.places for arc in one.outputs)]
    return Helper(unmet, (), tuple((number, _lack(engine, number)) for number in able[:MOST_GIVERS]))


def _fits(token: Token, unmet: Unmet) -> bool:
    return all(token[slot] == value for slot, value in unmet.wanted.items())
