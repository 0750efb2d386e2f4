"""The elements of an array of transitions after its first one, where they differ in their names and places alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TypeVar

from petri import net
from petri.language.flattening.instance import Instance, position_of
from petri.language.flattening.loops import label
from petri.language.meaning.nodes import LOCAL, PLACES, evaluate_each
from petri.language.meaning.templates import PlaceUse, TransitionTemplate
from petri.language.meaning.types import Request
from petri.structs import replace

Arc = TypeVar("Arc", net.InputArc, net.InhibitorArc)
Item = TypeVar("Item")
Find = Callable[[Sequence[int]], Sequence[int]]
"""The places that are meant in these turns of the last loop, at least one, while the other loops stand still."""


class Further:
    """Makes transitions of one declaration in one instance from its first one, for many turns of the last loop at once.

    What is said of the first, and what may be wrong with it, holds for all: the elements of an array of places have one
    type, one discipline, and a capacity or none. Only an index may be outside.
    """

    def __init__(
        self, first: net.Transition, t: TransitionTemplate, instance: Instance, numbers: Sequence[int]
    ) -> None:
        self.first, self.numbers = first, numbers
        self.loop, self.step = t.loops[-1], t.step
        self.instance = instance
        self.inputs = [(arc, self._find(one.place)) for arc, one in zip(first.inputs, t.inputs, strict=True)]
        self.inhibitors = [
            (arc, self._find(one.place)) for arc, one in zip(first.inhibitors, t.inhibitors, strict=True)
        ]
        self.resets = [(place, self._find(use)) for place, use in zip(first.resets, t.resets, strict=True)]
        chosen = [None if output.indices else output.place for output in t.outputs]
        self.outputs = [(arc, self._find(use)) for arc, use in zip(first.outputs, chosen, strict=True)]

    @classmethod
    def of(
        cls, first: net.Transition, t: TransitionTemplate, instance: Instance, numbers: Sequence[int]
    ) -> Further | None:
        """Compare the first with its template; None where other things can differ, or are not in the net.

        numbers: of all places. All arcs have the same objects: a large net would have a million equal ones.
        """
        varies = any(node is not None and node.flags & (LOCAL | PLACES) for node in (t.priority, t.condition))
        replies = any(isinstance(output.place, Request) for output in t.outputs)
        left_out = len(first.outputs) < len(t.outputs)
        uses = *(a.place for a in (*t.inputs, *t.inhibitors)), *(output.place for output in t.outputs), *t.resets
        places = [instance.places[use.symbol.number] for use in uses if isinstance(use, PlaceUse)]
        mixed = any(isinstance(one, tuple) for one in places)  # of a port, which may be of different kinds
        if t.seen or varies or replies or left_out or mixed or t.sets:
            return None
        return cls(first, t, instance, numbers)

    def transitions(self, name: str, turns: Sequence[int]) -> Iterator[net.Transition]:
        """Yield those of these turns. name: with the indices of the other loops. Raises CheckError."""
        columns = (
            _rows([_arcs(arc, find, turns) for arc, find in self.inputs], turns),
            _rows([_arcs(arc, find, turns) for arc, find in self.inhibitors], turns),
            _rows([repeat(place, len(turns)) if find is None else find(turns) for place, find in self.resets], turns),
            _rows([_outputs(arc, find, turns) for arc, find in self.outputs], turns),
        )
        for turn, inputs, inhibitors, resets, outputs in zip(turns, *columns, strict=True):
            yield replace(
                self.first,
                name=f"{name}{label(self.loop, turn)}{self.step}",
                inputs=inputs,
                inhibitors=inhibitors,
                resets=resets,
                outputs=outputs,
            )

    def _find(self, use: PlaceUse | Request | None) -> Find | None:
        """Return how a place is found in each turn; None if it is the same in all turns of all loops."""
        if not isinstance(use, PlaceUse) or not any(index.flags & LOCAL for index in use.indices):
            return None
        symbol, indices, instance, numbers = use.symbol, use.indices, self.instance, self.numbers
        places, shape = instance.present(symbol, use.span), instance.shapes[symbol.number]

        def find(turns: Sequence[int]) -> list[int]:
            positions = [0] * len(turns)
            for index, values in zip(indices, shape, strict=True):
                found = evaluate_each(index, instance.locals, self.loop.local, turns)
                for end in (min(found), max(found)):
                    position_of(symbol, end, values, use.span)
                first, size = values.start, len(values)
                positions = [before * size + value - first for before, value in zip(positions, found, strict=True)]
            return [numbers[places[position]] for position in positions]

        return find


def _arcs(arc: Arc, find: Find | None, turns: Sequence[int]) -> Iterable[Arc]:
    return repeat(arc, len(turns)) if find is None else [replace(arc, place=place) for place in find(turns)]


def _outputs(arc: net.OutputArc, find: Find | None, turns: Sequence[int]) -> Iterable[net.OutputArc]:
    return repeat(arc, len(turns)) if find is None else [replace(arc, places=(place,)) for place in find(turns)]


def _rows(columns: Sequence[Iterable[Item]], turns: Sequence[int]) -> Iterable[tuple[Item, ...]]:
    """Return what each turn has of the columns; there may be none."""
    return zip(*columns, strict=True) if columns else repeat((), len(turns))
