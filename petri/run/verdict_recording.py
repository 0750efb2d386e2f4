"""Records after each event of a run what stands against each transition, so that a viewer need not know the rules."""

from __future__ import annotations

from typing import Final

from petri.engine.candidates import Candidate, Search, Unmet
from petri.engine.reference import Engine
from petri.net import Scalar, Token

MOST: Final = 200  # candidates of a transition

Judged = tuple[tuple[Scalar | None, ...], int, tuple[str, ...], tuple[Token, ...]]
"""A candidate: its variables as far as they are known, how many input arcs have found tokens, what it does not meet
("inhibitor 0", "guard 1", "room 3" of a place, "error no-weight"), and its tokens if its transition has clocks."""
Verdict = tuple[int, int, tuple[Judged, ...]]
"""The number of events after which it holds, the transition, its candidates."""


class VerdictRecorder:
    """Looks at the transitions of an engine that depend on what has changed."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.record: list[Verdict] = []
        self.events = -1
        self._latest: dict[int, tuple[Judged, ...]] = {}
        self._changed = set(range(len(engine.net.transitions)))
        self.happened()

    def forget(self, place: int) -> None:
        self._changed.update(self.engine.watchers[place])

    def happened(self) -> None:
        """Look, after an event."""
        self.events += 1
        attempt = self.engine.attempt
        for index in sorted(self._changed):
            raced = self.engine.net.transitions[index].clock is not None
            found = tuple(_judged(one, raced) for one in Search(self.engine, index, MOST).candidates)
            if self._latest.get(index) != found:
                self._latest[index] = found
                self.record.append((self.events, index, found))
        self._changed = set(self.engine.clock_watchers)
        self.engine.attempt = attempt


def _judged(one: Candidate, raced: bool) -> Judged:
    tokens = tuple(token for tokens in one.found for token in tokens if token) if raced else ()
    return one.variables, len(one.found), tuple(filter(None, map(_told, one.unmet))), tokens


def _told(unmet: Unmet) -> str:
    """Return what a candidate does not meet; "" of an arc that finds nothing, which the number of arcs says."""
    told = {"inhibited": f"inhibitor {unmet.number}", "guard": f"guard {unmet.number}", "room": f"room {unmet.place}"}
    return f"error {unmet.error}" if unmet.kind == "error" else told.get(unmet.kind, "")
