"""Why a transition is enabled or not in a state, and what would help it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from petri.analysis.dead import Lack, first_lack
from petri.engine.candidates import Candidate, Search, Unmet
from petri.engine.errors import ModelError
from petri.engine.reference import Engine
from petri.engine.state import State, seated
from petri.net import Net, Token
from petri.structs import Frozen

MOST_GIVERS: Final = 4  # transitions that could help with one thing, that are looked at


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
    """Return why the transition is enabled, or not, in this state."""
    engine = seated(net, state)
    search = Search(engine, transition)
    helpers = () if any(not c.unmet for c in search.candidates) else _helpers(engine, state, search.candidates)
    return Explanation(net, transition, state, tuple(search.candidates), search.more, helpers, _rivals(engine))


def why_each(net: Net, state: State) -> list[Lack | None]:
    """Return for each transition the first thing that it lacks; None if it is enabled."""
    engine = seated(net, state)
    return [first_lack(engine, number) for number in range(len(net.transitions))]


def _rivals(engine: Engine) -> tuple[tuple[int, int], ...]:
    try:
        listed = [(number, len(engine.bindings(number))) for number in range(len(engine.net.transitions))]
    except ModelError:
        return ()
    return tuple((number, count) for number, count in listed if count)


# ---------------------------------------------------------------- what would help


def _helpers(engine: Engine, state: State, candidates: Sequence[Candidate]) -> tuple[Helper, ...]:
    """Return for each thing that is missing, once: what could bring it about."""
    found: dict[tuple[object, ...], Helper] = {}
    for candidate in candidates:
        for unmet in candidate.unmet:
            key = (unmet.kind in ("room", "inhibited"), unmet.place, tuple(unmet.wanted.items()))
            if unmet.place >= 0 and key not in found:
                found[key] = _helper(engine, state, unmet)
    return tuple(found.values())


def _helper(engine: Engine, state: State, unmet: Unmet) -> Helper:
    """Return firings in progress that give what is missing; else transitions that could, or could take a surplus."""
    net, place = engine.net, unmet.place
    if unmet.kind in ("room", "inhibited"):
        able = [
            number
            for number, transition in enumerate(net.transitions)
            if place in transition.emptied or any(place in arc.takes_from for arc in transition.inputs)
        ]
        return Helper(unmet, (), tuple((number, first_lack(engine, number)) for number in able[:MOST_GIVERS]))
    firings = tuple(
        number
        for number, firing in enumerate(state.in_progress)
        if any(to == place and _fits(token, unmet) for to, tokens in firing.gives for token in tokens)
    )
    if firings:
        return Helper(unmet, firings)
    able = [n for n, one in enumerate(net.transitions) if any(place in arc.places for arc in one.outputs)]
    return Helper(unmet, (), tuple((number, first_lack(engine, number)) for number in able[:MOST_GIVERS]))


def _fits(token: Token, unmet: Unmet) -> bool:
    return all(token[slot] == value for slot, value in unmet.wanted.items())
