"""Priorities: a transition waits while one of a higher priority could fire.

A priority of the language orders what fires at one instant. Between transitions that may fire at any time, as those of
nets without times, the one of the lower priority gets a guard: that the other is not enabled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Final

from petri.interchange.reading.arcs import Arcs
from petri.interchange.reading.foreign import Foreign
from petri.interchange.reading.timing import guard
from petri.net import Span

MOST_CONDITIONS: Final = 100_000  # of all guards
_AT_ANY_TIME: Final = ("exp(", "uniform(0.0..")


class Priorities:
    """arcs: of each transition by its name. at: where the file gives a transition its priority."""

    def __init__(self, foreign: Foreign, arcs: Mapping[str, Arcs], at: Callable[[str], Span]) -> None:
        self.foreign, self.arcs, self.at = foreign, arcs, at
        self.transitions = {transition.name: transition for transition in foreign.transitions}
        self.capacities = {place.name: int(place.capacity) for place in foreign.places if place.capacity}
        self.order = {name: at for at, name in enumerate(self.transitions)}
        self.left = MOST_CONDITIONS

    def of_levels(self, levels: Mapping[str, int]) -> None:
        """Set a number for each transition; the highest fires first."""
        if len(set(levels.values())) < 2:
            return
        if not any("after" in self.transitions[name].clauses for name in levels):
            for name, level in levels.items():
                self.transitions[name].clauses["priority"] = str(level)
            return
        for name, level in levels.items():
            self._wait(name, {other for other, of in levels.items() if of > level})

    def of_pairs(self, above: Mapping[str, Set[str]]) -> None:
        """For each transition, those that come before it."""
        for name, others in above.items():
            self._wait(name, others)

    def _wait(self, name: str, others: Set[str]) -> None:
        for other in sorted(others, key=self.order.__getitem__):
            first = self.transitions[other].clauses.get("after")
            if first is not None and not first.startswith(_AT_ANY_TIME):
                what = f"the priority of `{other}`, which cannot fire at once,"
                self.foreign.refuse("foreign-construct", self.at(other), what=what)
            condition = self._disabled(other, name)
            if condition == "false":
                self.transitions[name].clauses["when"] = condition
                return
            if condition:
                guard(self.transitions[name], condition)

    def _disabled(self, name: str, where: str) -> str:
        """Return the condition that a transition is not enabled, where another one is; empty if it never is."""
        own, conditions = self.arcs[where].black, list[str]()
        if any(isinstance(one, str) for one in self.arcs[name].inputs) or "when" in self.transitions[name].clauses:
            what = "a priority over transitions, of one that coloured tokens or a guard enable,"
            self.foreign.refuse("foreign-construct", self.at(name), what=what)
        for place, arc in self.arcs[name].black.items():
            at_least = own[place].least if place in own else 0
            below = own[place].limit if place in own else None
            limit, room = arc.limit, self.capacities.get(place)
            if room is not None and arc.gives > arc.takes:
                most = max(room - arc.gives + arc.takes + 1, 0)
                limit = most if limit is None else min(limit, most)
            if (below is not None and below <= arc.least) or (limit is not None and limit <= at_least):
                return ""
            conditions += [f"tokens({place}) < {arc.least}"] if arc.least > at_least else []
            if limit is not None and (below is None or below > limit):
                conditions.append(f"tokens({place}) >= {limit}")
        self.left -= len(conditions) + 1
        if self.left < 0:
            self.foreign.refuse(
                "foreign-too-large", self.at(name), what="conditions of priorities", most=MOST_CONDITIONS
            )
        return f"({' or '.join(conditions)})" if len(conditions) > 1 else "".join(conditions) or "false"
