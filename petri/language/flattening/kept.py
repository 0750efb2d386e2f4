"""Places of which firings keep tokens (E10): each gets another place, with the tokens that no firing keeps.

Arcs that take and arcs that keep find their tokens among these free ones; arcs that read, and measures, see them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from petri import net
from petri.language.problems import CheckError
from petri.net import Expr
from petri.structs import replace


class KeptTokens:
    """Collects the arcs that keep while the net is made; `connected` then adds the places of free tokens."""

    def __init__(self) -> None:
        self._arcs: dict[int, set[int]] = {}  # the positions of such arcs in the inputs of a transition, by its number

    def add(self, transitions: Iterable[int], positions: set[int]) -> None:
        """Note that the arcs at these positions keep tokens, in each of these transitions."""
        self._arcs.update(dict.fromkeys(transitions, positions))

    def connected(self, places: list[net.Place], transitions: list[net.Transition]) -> list[net.Transition]:
        """The transitions, with arcs to and from the places of free tokens, which are added. Raises CheckError."""
        if not self._arcs:
            return transitions
        free: dict[int, int] = {}
        for place in self._kept(places, transitions):
            free[place] = len(places)
            whole = places[place]
            places.append(replace(whole, name=f"{whole.name}.free", free_of=place, doc=""))
            places[place] = replace(whole, capacity=None, weight=None, measured_in="")
        return [
            _connected(transition, self._arcs.get(number, set()), free, places)
            for number, transition in enumerate(transitions)
        ]

    def _kept(self, places: Sequence[net.Place], transitions: Sequence[net.Transition]) -> list[int]:
        """The places of which tokens are kept, and others that one arc may give to instead of them."""
        kept: set[int] = set()
        for number, positions in self._arcs.items():
            for arc in (transitions[number].inputs[position] for position in sorted(positions)):
                place = places[arc.place]
                if place.colour.slots and place.discipline != "bag":
                    raise CheckError("keep-discipline", arc.span, name=place.name)
                kept.add(arc.place)
        several = {arc.places for one in transitions for arc in one.outputs if len(arc.places) > 1}
        before = -1
        while len(kept) > before:
            before = len(kept)
            kept.update(place for chosen in several if not kept.isdisjoint(chosen) for place in chosen)
        return sorted(kept)


def _connected(
    transition: net.Transition, keeping: set[int], free: dict[int, int], places: Sequence[net.Place]
) -> net.Transition:
    """A transition that takes free tokens, reads all, and gives to both places."""
    taken = {arc.place for arc in transition.inputs if not arc.keep}
    for arc in transition.inputs:
        if arc.keep and arc.place in free and arc.place in taken:
            raise CheckError("keep-and-read", arc.span, name=places[arc.place].name)
    for place in transition.resets:
        if place in free:
            raise CheckError("keep-and-reset", transition.span, name=places[place].name)
    for arc_of_set in transition.sets:
        if arc_of_set.place in free:
            raise CheckError("keep-and-all", arc_of_set.span, name=places[arc_of_set.place].name)
    inputs: list[net.InputArc] = []
    back: list[net.OutputArc] = []
    for position, arc in enumerate(transition.inputs):
        if arc.keep or arc.place not in free:
            inputs.append(arc)
            continue
        place = free[arc.place]
        if position in keeping:
            inputs.append(replace(arc, place=place))
            back.append(net.OutputArc((place,), tuple(_values(arc, transition)), None, arc.count, span=arc.span))
        elif arc.pattern:
            inputs.append(replace(arc, place=place, twin=arc.place))
        else:
            inputs += [replace(arc, place=place), arc]
    outputs: list[net.OutputArc] = []
    for output in transition.outputs:
        outputs.append(output)
        if output.places and output.places[0] in free:
            outputs.append(replace(output, places=tuple(free[place] for place in output.places)))
    return replace(transition, inputs=tuple(inputs), outputs=(*outputs, *back))


def _values(arc: net.InputArc, transition: net.Transition) -> Iterator[Expr]:
    """The values of the token that the arc has found: each slot is bound, or equal to something (E2)."""
    for match in arc.pattern:
        if match.equal is not None:
            yield match.equal
        elif match.bind is not None:
            yield Expr("var", transition.variables[match.bind].kind, (), match.bind, arc.span)
