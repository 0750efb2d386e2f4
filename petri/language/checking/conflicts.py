"""Transitions that compete for a token by chance where one of them was meant to wait for the other, or to go first.

Such a pair is found in the flat net: whenever one transition (`blocked`) can fire, the other (`free`) can as well, and
often only the other. So `free` looks like what happens to tokens for which `blocked` is not ready: the loss beside a
full buffer, the patience beside a busy server. With equal priorities a coin decides instead, whenever both can fire.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Literal

from petri import net
from petri.structs import Frozen

MOST_TAKERS = 50  # declarations that take from one place; of more, a file that a program made, none is looked at


class Conflict(Frozen):
    """kind: `coin` if `free` is immediate, or competes for the same places; `patience` if it holds the token for a time
    that a server would need; `even` if both are immediate and need the same.
    """

    blocked: net.Transition
    free: net.Transition
    kind: Literal["coin", "patience", "even"]


def conflicts(flat: net.Net, decided: Container[net.Span | None] = ()) -> Iterator[Conflict]:
    """Yield the pairs, each once for all elements of arrays. decided: the spans of transitions whose weight or priority
    is written, which says that the choice is meant.
    """
    steady = _Steady(flat)
    told = set()
    for takers in _takers(flat):
        for free in takers:
            if free.span in told or free.span in decided or not _is_plain(free):
                continue
            for blocked in takers:
                if blocked.span in decided or blocked.priority != free.priority or blocked.clock is not None:
                    continue
                more = None if blocked is free else _needs_more(flat, blocked, free, steady)
                if more is not None:
                    told.add(free.span)
                    yield Conflict(blocked, free, "patience" if more == "place" and net.lasts(free) else "coin")
                    break
                if blocked is not free and _are_even(flat, blocked, free):
                    told |= {free.span, blocked.span}
                    yield Conflict(blocked, free, "even")
                    break


def _takers(flat: net.Net) -> Iterator[list[net.Transition]]:
    """Yield for each place the transitions that take from it, one of each declaration."""
    found: dict[int, dict[object, net.Transition]] = {}
    for transition in flat.transitions:
        for arc in transition.inputs:
            if not arc.keep:
                found.setdefault(arc.place, {}).setdefault(transition.span or transition.name, transition)
    return (list(takers.values()) for takers in found.values() if 1 < len(takers) <= MOST_TAKERS)


def _is_plain(transition: net.Transition) -> bool:
    """Return whether any tokens in its input places enable a transition, and it is chosen by chance."""
    return (
        transition.clock is None
        and transition.guard is None
        and not transition.inhibitors
        and transition.weight == net.ONE
        and all(_takes_any(arc) for arc in transition.inputs)
    )


def _takes_any(arc: net.InputArc) -> bool:
    return all(match.equal is None for match in arc.pattern) and net.constant_count(arc.count) is not None


def _are_even(flat: net.Net, one: net.Transition, other: net.Transition) -> bool:
    """Return whether both are immediate and need the same tokens and nothing else, so that a coin always decides."""
    needs = ([(arc.place, arc.keep, net.constant_count(arc.count)) for arc in each.inputs] for each in (one, other))
    alike = all(_is_plain(each) and not net.lasts(each) for each in (one, other))
    return alike and all(not _gained(flat, each) for each in (one, other)) and next(needs) == next(needs)


def _needs_more(
    flat: net.Net, blocked: net.Transition, free: net.Transition, steady: _Steady
) -> Literal["place", "other"] | None:
    """Return what `blocked` needs besides all that `free` needs: a token of another place, or something else; None if
    nothing.

    None as well if `free` needs something that `blocked` does not need.
    """
    if blocked.weight != net.ONE or (blocked.guard is not None and blocked.guard.op == "const"):
        return None  # a constant guard is never true
    rest = list(blocked.inputs)
    more: Literal["place", "other"] | None = None
    for arc in free.inputs:
        found = next((one for one in rest if one.place == arc.place and one.keep == arc.keep), None)
        needed, there = (1, 1) if found is None else (net.constant_count(arc.count), net.constant_count(found.count))
        if found is None or needed is None or there is None or there < needed:
            return None
        rest.remove(found)
        if there > needed or not _takes_any(found):
            more = "other"
    least, most, others = _gained(flat, blocked, sure=True), _gained(flat, blocked), _gained(flat, free)
    if any(number > max(least.get(place, 0), 0) for place, number in others.items()):
        return None
    if any(number > max(others.get(place, 0), 0) for place, number in most.items()):
        more = "other"
    if blocked.guard is not None or blocked.inhibitors:
        more = "other"
    return "place" if any(not steady.holds(arc) for arc in rest) else more


def _gained(flat: net.Net, transition: net.Transition, *, sure: bool = False) -> dict[int, int]:
    """Return how many more tokens places with a capacity have after a firing: at least (`sure`) or at most."""
    found: dict[int, int] = {}
    for arc in transition.outputs:
        number = net.constant_count(arc.count)
        certain = number is not None and len(arc.places) == 1 and arc.condition is None and arc.each is None
        for place in arc.places:
            one = flat.places[place]
            if one.capacity is not None and (certain or not sure):
                given = number if number is not None and one.weight is None else 0 if sure else net.MOST_TOKENS
                found[place] = found.get(place, 0) + given
    for taken in transition.inputs:
        for place in taken.takes_from:
            if place in found:
                found[place] -= net.constant_count(taken.count) or 0
    return found


class _Steady:
    """The places that always hold their initial tokens, such as that of a counter: who takes one gives one at once."""

    def __init__(self, flat: net.Net) -> None:
        self.flat = flat
        self.changed: set[int] | None = None

    def holds(self, arc: net.InputArc) -> bool:
        if not _takes_any(arc) or (net.constant_count(arc.count) or 0) > self.flat.places[arc.place].held:
            return False
        if self.changed is None:
            self.changed = {place for transition in self.flat.transitions for place in _lost(transition)}
        return arc.place not in self.changed


def _lost(transition: net.Transition) -> Iterator[int]:
    """Yield the places from which a transition takes tokens that it does not give back at once."""
    back: dict[int, int] = {}
    if not net.lasts(transition):
        for arc in transition.outputs:
            if len(arc.places) == 1 and arc.condition is None and arc.delay is None:
                back[arc.places[0]] = back.get(arc.places[0], 0) + (net.constant_count(arc.count) or 0)
    for taken in transition.inputs:
        for place in taken.takes_from:
            back[place] = back.get(place, 0) - (net.constant_count(taken.count) or net.MOST_TOKENS)
    yield from (place for place, left in back.items() if left < 0)
    yield from transition.emptied
