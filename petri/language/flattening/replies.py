"""Replies: each goes to the place where the caller of its request waits.

These places are numbered, for each type of request; a request carries the number of its caller's. Which callers a
request can have follows from the net: from the places to which they give requests, and the transitions that pass them
on. So a transition that replies has an arc only to the places of the callers that it can serve.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from petri import net
from petri.language.meaning.types import Request
from petri.net import Expr
from petri.structs import replace


class Replies:
    """Collects the places of requests and the arcs of replies while the net is made; `connected` completes the arcs."""

    def __init__(self) -> None:
        self._waiting: dict[int, list[int]] = {}  # the places where callers wait, by the identity of the request's type
        self._holding: dict[int, Request] = {}  # the type of the requests in a place, where callers do not wait
        self._arcs: dict[int, tuple[net.OutputArc, Request]] = {}

    def places(self, request: Request, places: Sequence[int], *, waiting: bool) -> int:
        """Note places of requests; return the number of the first where callers wait."""
        numbers = self._waiting.setdefault(id(request), [])
        first = len(numbers)
        if waiting:
            numbers += places
        else:
            self._holding.update(dict.fromkeys(places, request))
        return first

    def add(self, arc: net.OutputArc, request: Request) -> None:
        """Keep an arc of a reply to be completed."""
        self._arcs[id(arc)] = (arc, request)

    def connected(self, transitions: list[net.Transition]) -> list[net.Transition]:
        """Return the transitions with the places of their replies."""
        if not self._arcs:
            return transitions
        callers = self._callers(transitions)
        return [
            self._complete(t, callers) if any(id(arc) in self._arcs for arc in t.outputs) else t for t in transitions
        ]

    def _complete(self, t: net.Transition, callers: dict[int, set[int]]) -> net.Transition:
        outputs = []
        for arc in t.outputs:
            if id(arc) not in self._arcs:
                outputs.append(arc)
                continue
            _, request = self._arcs[id(arc)]
            taken = [callers[a.place] for a in t.inputs if self._holding.get(a.place) is request]
            numbers = sorted(set().union(*taken))
            if numbers:
                outputs.append(self._to(arc, self._waiting[id(request)], numbers[0], numbers[-1]))
        return replace(t, outputs=tuple(outputs))

    @staticmethod
    def _to(arc: net.OutputArc, places: Sequence[int], first: int, last: int) -> net.OutputArc:
        """Return the arc to the places of the callers `first` to `last`."""
        index = arc.index
        if first == last:
            index = None
        elif first and index is not None:
            index = Expr("sub", "int", (index, Expr("const", "int", (), first, arc.span)), None, arc.span)
        return replace(arc, places=tuple(places[first : last + 1]), index=index)

    def _callers(self, transitions: Iterable[net.Transition]) -> dict[int, set[int]]:
        """Return the numbers of the callers whose requests each place can hold."""
        found: dict[int, set[int]] = {place: set() for place in self._holding}
        passes: list[tuple[list[int], list[int]]] = []
        for t in transitions:
            taken = [arc.place for arc in t.inputs if arc.place in found]
            for arc in t.outputs:
                given = [place for place in arc.places if place in found]
                if not given:
                    continue
                for number in _alternatives(arc.values[self._holding[given[0]].site_slot]):
                    if number.op != "const":
                        passes.append((taken, given))
                        continue
                    for place in given:
                        found[place].add(int(number.value or 0))
        changed = True
        while changed:
            changed = False
            for taken, given in passes:
                callers = set().union(*(found[place] for place in taken))
                for place in given:
                    changed = changed or not callers <= found[place]
                    found[place] |= callers
        return found


def _alternatives(e: Expr) -> Iterator[Expr]:
    """Yield the values that an expression can have: those of all branches of an `if`."""
    if e.op == "if":
        yield from _alternatives(e.args[1])
        yield from _alternatives(e.args[2])
    else:
        yield e
