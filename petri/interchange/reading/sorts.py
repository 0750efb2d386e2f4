"""Finite sets of values, as symmetric nets and coloured nets of other tools have them, and their values as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from petri.interchange.reading.foreign import Constant, Foreign, Type

MOST_VALUES = 10_000  # of a set
TRUTH = "bool"  # the type of the language


@dataclass(slots=True)
class Sort:
    """A finite set. A product has `parts`; numbers without gaps have a `first`; the black tokens have no `name`.

    values: as the language writes them, in their order.
    """

    foreign: Foreign
    name: str = ""
    values: tuple[str, ...] = ()
    first: int | None = None
    parts: tuple[Sort, ...] = ()
    _helpers: dict[str, str] = field(default_factory=dict)

    @property
    def black(self) -> bool:
        return not self.name

    def successor(self, value: str) -> str:
        """Return the next value; the first follows the last."""
        if self.name == TRUTH:
            return f"(not {value})"
        if self.first is None:
            return self.listed("next", (*self.values[1:], *self.values[:1]), value)
        return f"(if {value} == {self.values[-1]} then {self.values[0]} else {value} + 1)"

    def predecessor(self, value: str) -> str:
        if self.name == TRUTH:
            return f"(not {value})"
        if self.first is None:
            return self.listed("previous", (*self.values[-1:], *self.values[:-1]), value)
        return f"(if {value} == {self.values[0]} then {self.values[-1]} else {value} - 1)"

    def shifted(self, value: str, by: int) -> str:
        """Return the value `by` places further on, from the first again after the last."""
        if self.first is None:
            for _ in range(by):
                value = self.successor(value)
            return value
        moved = by - self.first
        value = f"({value} {'+' if moved > 0 else '-'} {abs(moved)})" if moved else value
        return f"({value} mod {len(self.values)}{f' + {self.first}' if self.first else ''})"

    def rank(self, value: str) -> str:
        """Something by which values can be compared."""
        if self.name == TRUTH:
            return f"(if {value} then 1 else 0)"
        return value if self.first is not None else self.listed("rank", range(len(self.values)), value)

    def ordinal(self, value: str) -> str:
        """Return the position of a value in its set, from 1."""
        if self.first is None:
            rank = self.rank(value)
            return f"({rank} + 1)"
        return value if self.first == 1 else f"({value} {'+' if self.first < 1 else '-'} {abs(self.first - 1)})"

    def listed(self, word: str, values: Sequence[object], value: str) -> str:
        """Return what a list over the values of the set has for one of them. Its list becomes part of the net."""
        if self.name == TRUTH:
            return f"(if {value} then {values[1]} else {values[0]})"
        place = f"{value} - {self.first}" if self.first else value
        return f"{self._helper(word, values)}[{place}]"

    def _helper(self, word: str, values: Sequence[object]) -> str:
        if word not in self._helpers:
            self._helpers[word] = name = self.foreign.names.fresh(f"{word}_{self.name}")
            self.foreign.constants.append(Constant(name, f"[{', '.join(map(str, values))}]", "const"))
        return self._helpers[word]


def enumeration(foreign: Foreign, key: str, name: str, values: Sequence[tuple[str, str]]) -> Sort:
    """Return a set of (key, name) values, declared in the net: as numbers, if the names are numbers without gaps."""
    if [text.lower() for _, text in values] == ["false", "true"]:
        return truth(foreign)
    made = foreign.names.give("sort", key, name)
    numbers = [int(text) for _, text in values if text.isascii() and text.isdigit() and len(text) < 10]
    if len(numbers) == len(values) and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return numbered(foreign, made, numbers[0], numbers[-1])
    written = tuple(foreign.names.give("value", value, text) for value, text in values)
    if len(written) == 1:  # an enumeration of one value is written as a number of one value
        return numbered(foreign, made, 0, 0)
    foreign.types.append(Type(made, " | ".join(written), foreign.names.original(made)))
    return Sort(foreign, made, written)


def truth(foreign: Foreign) -> Sort:
    return Sort(foreign, TRUTH, ("false", "true"))


def numbered(foreign: Foreign, made: str, first: int, last: int) -> Sort:
    """Return the numbers from first to last, declared in the net under this name."""
    foreign.types.append(Type(made, f"{first}..{last}", foreign.names.original(made)))
    return Sort(foreign, made, tuple(map(str, range(first, last + 1))), first)


def product(foreign: Foreign, key: str, name: str, parts: Sequence[Sort], fields: Sequence[str] = ()) -> Sort:
    """Return a record of values of these sets, declared in the net."""
    made = foreign.names.give("sort", key, name)
    named = fields or [f"x{number}" for number in range(1, len(parts) + 1)]
    inside = ", ".join(f"{one}: {part.name}" for one, part in zip(named, parts, strict=True))
    foreign.types.append(Type(made, f"{{ {inside} }}"))
    return Sort(foreign, made, parts=tuple(parts))
