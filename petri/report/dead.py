"""Why a net is dead: for each transition, the first thing that it lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from petri.engine.expression import evaluate
from petri.engine.reference import Engine, Held
from petri.net import InputArc, Net, Token, Transition
from petri.report.expressions import ExpressionText
from petri.structs import Frozen

MOST_BINDINGS = 2_000  # partial bindings tried for one transition
_INDEX = re.compile(r"\[\d+\]")


class Lack(Frozen):
    """What a transition lacks, as a clause: `needs a token in mac, which is empty`. `copies` counts equal elements."""

    transition: str
    reason: str
    copies: int = 1


def why_dead(net: Net, marking: Sequence[Sequence[Token]], *, fold: bool = True) -> list[Lack]:
    """For each transition, in the net's order, why it is not enabled in a marking without firings in progress.

    With `fold`, elements of an array that lack the same are listed once. Enabled transitions are left out.
    """
    engine = Engine(net, seed=1, replication=0)
    engine.marking = [[engine.hold(place, token) for token in tokens] for place, tokens in enumerate(marking)]
    engine.reserved = [0] * len(net.places)
    reader = _Reader(engine)
    lacks = []
    for transition in net.transitions:
        reason = reader.reason(transition)
        if reason is not None:
            lacks.append(Lack(transition.name, reason))
    return _folded(lacks) if fold else lacks


def _folded(lacks: list[Lack]) -> list[Lack]:
    groups: dict[tuple[str, str], list[Lack]] = {}
    for lack in lacks:
        groups.setdefault((_INDEX.sub("[*]", lack.transition), _INDEX.sub("[*]", lack.reason)), []).append(lack)
    return [
        Lack(name, reason, len(members)) if len(members) > 1 else members[0]
        for (name, reason), members in groups.items()
    ]


class _Reader:
    """Finds the first unmet condition of a transition, trying its arcs in the order of its bindings (E1 to E6)."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.net = engine.net
        self.text = ExpressionText(engine.net)

    def reason(self, transition: Transition) -> str | None:
        partial: list[tuple[list[int | float], list[list[Held]]]] = [([0] * len(transition.variables), [])]
        for arc in transition.inputs:
            extended = []
            for variables, found in partial:
                for tokens in self.engine.choices(transition, arc, variables, found):
                    bound = list(variables)
                    for slot, match in enumerate(arc.pattern):
                        if match.bind is not None:
                            bound[match.bind] = tokens[0].value[slot]
                    extended.append((bound, [*found, tokens]))
            if not extended:
                return self._arc_reason(transition, arc, *partial[0])
            partial = list(islice(extended, MOST_BINDINGS))
        reasons = [self._last_reason(transition, variables, found) for variables, found in partial]
        return None if None in reasons else reasons[0]

    def _arc_reason(
        self, transition: Transition, arc: InputArc, variables: list[int | float], found: list[list[Held]]
    ) -> str:
        place = self.net.places[arc.place]
        here = len(self.engine.marking[arc.place])
        taken = sum(
            len(tokens) for other, tokens in zip(transition.inputs, found, strict=False) if other.place == arc.place
        )
        if not place.colour.slots:
            needed = self.engine.count(arc.count, self.engine.context(variables)) + taken
            holds = f"holds {here}" if here else "is empty"
            return f"needs {_tokens(needed)} in {place.name}, which {holds}"
        if here <= taken:
            more = "one more token" if here else "a token"
            empty = ", which is empty" if place.stream is None else ", whose file has no more rows"
            return f"needs {more} in {place.name}" + ("" if here else empty)
        wanted = self.text.pattern(arc, transition)
        which = {"fifo": "its oldest token", "lifo": "its newest token", "key": "its first token"}
        seen = which.get(place.discipline, f"none of its {here} tokens" if here > 1 else "its token")
        verb = "matches" if place.discipline == "bag" and here > 1 else "does not match"
        return f"needs a token ({wanted}) in {place.name}: {seen} {verb}"

    def _last_reason(self, transition: Transition, variables: list[int | float], found: list[list[Held]]) -> str | None:
        context = self.engine.context(variables)
        for arc in transition.inhibitors:
            if self.engine.inhibits(arc, context):
                place = self.net.places[arc.place]
                allowed = self.engine.count(arc.threshold, context)
                here = len(self.engine.marking[arc.place])
                return f"needs fewer than {_tokens(allowed)} in {place.name}, which holds {here}"
        if transition.guard is not None and not evaluate(transition.guard, context):
            return f"its guard `{self.text.of(transition.guard, transition.variables)}` is false"
        if not self.engine.has_room(transition, context, found):
            full = [
                f"{self.net.places[p].name} (cap {self.net.places[p].capacity})"
                for p in dict.fromkeys(p for arc in transition.outputs for p in arc.places)
                if self.net.places[p].capacity is not None
            ]
            return f"needs room in {' or '.join(full)}"
        return None


def _tokens(count: int) -> str:
    return "a token" if count == 1 else f"{count} tokens"
