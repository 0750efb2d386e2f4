"""Transitions that fire for ever at one instant, once they are enabled: they give back at once what they take."""

from __future__ import annotations

from collections.abc import Iterator

from petri import net


def endless(flat: net.Net) -> Iterator[list[net.Transition]]:
    """Single transitions, and groups that pass tokens round; only those of which it is certain."""
    takers: dict[int, list[net.Transition]] = {}
    for transition in flat.transitions:
        for place in {*(one for arc in transition.inputs for one in arc.takes_from), *transition.emptied}:
            takers.setdefault(place, []).append(transition)
    alone = [one for one in flat.transitions if _goes_on(flat, one, takers)]
    yield from ([one] for one in alone)
    kept = _cycle(flat, takers)
    yield from (group for group in _groups(kept, takers) if len(group) > 1)


def _goes_on(flat: net.Net, transition: net.Transition, takers: dict[int, list[net.Transition]]) -> bool:
    """Return whether a transition enables itself again at the same instant, and nothing else can take its tokens."""
    if not _is_free(flat, transition) or not any(not arc.keep for arc in transition.inputs):
        return False
    back = dict(_given_back(transition))
    for arc in transition.inputs:
        number = net.constant_count(arc.count)
        if number is None or (not arc.keep and back.get(arc.place, 0) < number):
            return False
        others = [one for one in takers.get(arc.place, ()) if one is not transition]
        if any(one.priority >= transition.priority for one in others):
            return False
        back[arc.place] = back.get(arc.place, 0) - (0 if arc.keep else number)
    return True


def _is_free(flat: net.Net, transition: net.Transition) -> bool:
    """Return whether any tokens in its input places enable it at once, and nothing gets too full or out of range."""
    clock = transition.clock
    time = net.time_of(transition)
    return (
        time.op == "const"
        and time.value == 0
        and (clock is None or clock.speed is None)
        and transition.guard is None
        and not transition.inhibitors
        and not transition.emptied
        and net.constant_weight(transition) is not None
        and all(match.equal is None for arc in transition.inputs for match in arc.pattern)
        and all(
            flat.places[arc.place].stream is None and flat.places[arc.place].port != "in" for arc in transition.inputs
        )
        and all(_always_fits(flat.places[place]) for arc in transition.outputs for place in arc.places)
    )


def _always_fits(place: net.Place) -> bool:
    return place.capacity is None and all(slot.low is None and slot.high is None for slot in place.colour.slots)


def _given_back(transition: net.Transition) -> Iterator[tuple[int, int]]:
    """Yield the places that certainly get tokens when a firing ends, and how many."""
    found: dict[int, int] = {}
    for arc in transition.outputs:
        if len(arc.places) == 1 and arc.condition is None and arc.delay is None and arc.each is None:
            found[arc.places[0]] = found.get(arc.places[0], 0) + (net.constant_count(arc.count) or 0)
    yield from found.items()


def _cycle(flat: net.Net, takers: dict[int, list[net.Transition]]) -> set[int]:
    """Return the places whose tokens always go on at once, to places of this set."""
    kept = {place for place, own in takers.items() if all(_moves_one(flat, one) for one in own)}
    while True:
        left = {
            place
            for place in kept
            if not all(any(to in kept and number for to, number in _given_back(one)) for one in takers[place])
        }
        if not left:
            return kept
        kept -= left


def _moves_one(flat: net.Net, transition: net.Transition) -> bool:
    arcs = transition.inputs
    return len(arcs) == 1 and not arcs[0].keep and net.constant_count(arcs[0].count) == 1 and _is_free(flat, transition)


def _groups(kept: set[int], takers: dict[int, list[net.Transition]]) -> Iterator[list[net.Transition]]:
    """Yield the transitions that pass on the tokens of connected places."""
    left = set(kept)
    while left:
        group: dict[str, net.Transition] = {}
        waiting = [min(left)]
        left.discard(waiting[0])
        while waiting:
            for transition in takers[waiting.pop()]:
                group[transition.name] = transition
                found = {place for place, _ in _given_back(transition) if place in left}
                left -= found
                waiting += found
        yield list(group.values())
