"""Tokens that multiply: a place whose every token comes back as two or more, whatever happens.

This is a search in the structure of the flat net. It follows a token through transitions that take nothing else, or
give back what else they take, and counts what surely returns. Conditions, guards and patterns count as obstacles.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from petri import net
from petri.net import constant_count

MOST_STEPS = 1_000_000  # arcs looked at in one net
DEEPEST = 200  # transitions one behind the other


def multiplied(flat: net.Net, marked: Set[int]) -> Iterator[tuple[net.Transition, int, int]]:
    """Yield a transition that multiplies tokens, the place of these, and how many come back for each: once for a cycle.

    marked: places that can ever hold a token.
    """
    growth = _Growth(flat, marked)
    tried: set[int] = set()
    for number in growth.alive:
        given = growth.given[number]
        if sum(count for _, count in given) < 2:
            continue
        for place in {place: None for place, _ in given if place not in tried}:
            tried.add(place)
            growth.reached.clear()
            count = growth.returned(place, place, 0)
            if count > 1:
                tried |= growth.reached
                # Places that the text names come before those of threads and modules.
                around = sorted(growth.reached, key=lambda one: (flat.places[one].name.count("."), one))
                counts = ((one, growth.returned(one, one, 0)) for one in around)
                yield flat.transitions[number], *next((one for one in counts if one[1] > 1), (place, count))
                break


class _Growth:
    """Which transitions move the tokens of each place of a net, and what each surely gives; `reached`: by a search."""

    def __init__(self, flat: net.Net, marked: Set[int]) -> None:
        self.flat = flat
        self.takers: dict[int, list[int]] = {}
        self.given = [list(self._given(transition)) for transition in flat.transitions]
        self.alive = [n for n, one in enumerate(flat.transitions) if all(arc.place in marked for arc in one.inputs)]
        self.steps = 0
        self.reached: set[int] = set()
        for number in self.alive:
            transition = flat.transitions[number]
            for place in {place for arc in transition.inputs for place in arc.takes_from} | set(transition.emptied):
                self.takers.setdefault(place, []).append(number)

    def _given(self, transition: net.Transition) -> Iterator[tuple[int, int]]:
        """Yield the places that each firing gives to, and how many tokens at least."""
        for arc in transition.outputs:
            count = constant_count(arc.count)
            if arc.condition is None and len(arc.places) == 1 and arc.each is None and count:
                yield arc.places[0], count

    def returned(self, place: int, goal: int, depth: int) -> int:
        """Return how many tokens surely come to `goal` for one in another place, or for one that has just come."""
        self.reached.add(place)
        takers = self.takers.get(place, [])
        if not takers or depth == DEEPEST or self.steps > MOST_STEPS or self.flat.places[place].capacity is not None:
            return 0
        return min(self._by(number, place, goal, depth) for number in takers)

    def _by(self, number: int, place: int, goal: int, depth: int) -> int:
        transition = self.flat.transitions[number]
        self.steps += len(transition.inputs) + len(self.given[number])
        if self.steps > MOST_STEPS:
            return 0
        back = [other for other, _ in self.given[number]]
        own = [arc for arc in transition.inputs if arc.place == place]
        others = [arc.place for arc in transition.inputs if arc.place != place]
        asks = transition.guard is not None or transition.inhibitors or transition.emptied
        if asks or len(own) != 1 or constant_count(own[0].count) != 1 or any(one.equal for one in own[0].pattern):
            return 0
        if any(arc.keep for arc in transition.inputs) or not set(others) <= set(back):
            return 0
        found = 0
        for other, count in self.given[number]:
            if other in others:
                others.remove(other)
            elif other == goal:
                found += count
            else:
                found += count * self.returned(other, goal, depth + 1)
        return found
