"""Records which event follows which, and what each changes in the places, so that a viewer need not know the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from petri.engine.reference import Engine, Held
from petri.net import Token
from petri.structs import Struct, field

Run = tuple[int, int]
"""So many tokens that follow one another in the row before the event, from this seat on; or, from -1 - k on, of those
that the event gives to the place, from number k on."""
Change = tuple[int, int | tuple[Run, ...]]
"""A place, and the number of its tokens after the event if it is black, else its row then as runs."""


class RowRecord(Struct):
    """initial: for each place the number of its tokens at the start, or its row. events: i if happening i starts, or ~i
    if it ends. changes: of each event.
    """

    initial: list[int | tuple[Token, ...]] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    changes: list[list[Change]] = field(default_factory=list)


class RowRecorder:
    """Compares the places that an event touches with what they were before it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._coloured = [bool(place.colour.slots) for place in engine.net.places]
        rows = zip(engine.marking, self._coloured, strict=True)
        self.record = RowRecord([tuple(one.value for one in row) if coloured else len(row) for row, coloured in rows])
        self._before: dict[int, list[Held]] = {}  # the rows of the places that are touched; of black ones, none
        self._given: dict[int, dict[int, int]] = {}  # the number of each token that is given to a place

    def touch(self, place: int) -> None:
        """Look at a place, before it changes."""
        if place not in self._before:
            self._before[place] = list(self.engine.marking[place]) if self._coloured[place] else []

    def give(self, place: int, tokens: Sequence[Held]) -> None:
        """Look at a place, before it gets these tokens."""
        self.touch(place)
        given = self._given.setdefault(place, {})
        given.update((id(token), number) for number, token in enumerate(tokens, len(given)))

    def seat(self, place: int, token: Held) -> int:
        """Return where a token was before the event; 0 of a black one."""
        self.touch(place)
        return self._before[place].index(token) if self._coloured[place] else 0

    def happened(self, event: int) -> None:
        """Look, after an event."""
        self.record.events.append(event)
        self.record.changes.append([(place, self._change(place)) for place in self._before])
        self._before, self._given = {}, {}

    def _change(self, place: int) -> int | tuple[Run, ...]:
        row = self.engine.marking[place]
        if not self._coloured[place]:
            return len(row)
        before, given = self._before[place], self._given.get(place, {})
        start = _common(before, row)
        rest = min(len(before), len(row)) - start
        end = _common(before[: -rest - 1 : -1], row[: -rest - 1 : -1]) if rest else 0
        seats = {id(token): seat for seat, token in enumerate(before[start : len(before) - end], start)}
        middle = row[start : len(row) - end]
        sources = [-1 - given[id(token)] if id(token) in given else seats[id(token)] for token in middle]
        ends = [(0, start)] if start else [], [(len(before) - end, end)] if end else []
        return (*ends[0], *_runs(sources), *ends[1])


def _common(first: Sequence[Held], second: Sequence[Held]) -> int:
    """Return how many tokens at their beginning are the same ones. Comparing slices is quick in long rows."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _runs(sources: Sequence[int]) -> Iterator[Run]:
    """Yield sources that follow one another as runs."""
    start = count = 0
    for source in sources:
        if count and source == (start + count if start >= 0 else start - count):
            count += 1
            continue
        if count:
            yield start, count
        start, count = source, 1
    if count:
        yield start, count
