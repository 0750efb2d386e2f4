"""The arcs of a transition with black tokens, as most tools mean them.

Several arcs between one place and one transition are one condition: what they take adds up, of what they test the
greatest number counts, and of inhibitors the least. A test arc asks for a number of tokens whatever other arcs take,
while arcs of the language find distinct tokens (E1): `p, read 2 * p` asks for three.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from petri.interchange.reading.coloured import lacks, times
from petri.interchange.reading.foreign import Transition


@dataclass(slots=True)
class BlackArc:
    """All arcs between a place and a transition. limit: a number of tokens that disables the transition, if any."""

    place: str
    takes: int = 0
    tests: int = 0
    limit: int | None = None
    empties: bool = False
    gives: int = 0
    is_input: bool = False

    def inputs(self) -> Iterator[str]:
        if self.takes:
            yield times(self.takes, self.place)
        if self.tests > self.takes:
            yield f"read {times(self.tests - self.takes, self.place)}"
        if self.limit is not None:
            yield lacks(self.place, self.limit)
        if self.empties:
            yield f"reset {self.place}"

    @property
    def least(self) -> int:
        """How many tokens the place holds if the transition is enabled."""
        return max(self.takes, self.tests)


@dataclass(slots=True)
class Arcs:
    """The arcs of a transition, in the order in which their places come in the file; texts are arcs with values."""

    inputs: list[BlackArc | str] = field(default_factory=list)
    outputs: list[BlackArc | str] = field(default_factory=list)
    black: dict[str, BlackArc] = field(default_factory=dict)

    def at(self, place: str) -> BlackArc:
        return self.black.setdefault(place, BlackArc(place))

    def take(self, place: str, count: int) -> None:
        self._input(place).takes += count

    def test(self, place: str, count: int) -> None:
        arc = self._input(place)
        arc.tests = max(arc.tests, count)

    def inhibit(self, place: str, count: int) -> None:
        arc = self._input(place)
        arc.limit = count if arc.limit is None else min(arc.limit, count)

    def empty(self, place: str) -> None:
        self._input(place).empties = True

    def give(self, place: str, count: int) -> None:
        arc = self.at(place)
        self.outputs += [] if arc.gives else [arc]
        arc.gives += count

    def _input(self, place: str) -> BlackArc:
        arc = self.at(place)
        self.inputs += [] if arc.is_input else [arc]
        arc.is_input = True
        return arc

    def write(self, transition: Transition) -> None:
        for one in self.inputs:
            transition.inputs += [one] if isinstance(one, str) else one.inputs()
        transition.outputs += [
            output if isinstance(output, str) else times(output.gives, output.place) for output in self.outputs
        ]
