"""What of a net may be exchanged, so that of the states which differ by an exchange one is explored."""

from __future__ import annotations

from petri.net import Net
from petri.structs import Frozen


class Element(Frozen):
    """places, transitions: in the same order in each element; of transitions those whose firings last."""

    places: tuple[int, ...]
    transitions: tuple[int, ...]


class Symmetry(Frozen):
    """Elements that may be exchanged: any two, or, if it `rotates`, all together around a ring.

    names: of the arrays, such as "busy[…]".
    """

    rotates: bool
    elements: tuple[Element, ...]
    names: tuple[str, ...]

    def parts(self) -> tuple[bool, list[tuple[tuple[int, ...], tuple[int, ...]]]]:
        """Return it as the native engine takes it."""
        return self.rotates, [(element.places, element.transitions) for element in self.elements]


class ValueSymmetry(Frozen):
    """Values of tokens that may be exchanged: any two, or, if it `rotates`, all together around a ring.

    slots: where they are, as (place, slot). names: of the places, such as "hungry(…)". keeps_start: exchanges map the
    initial state to itself, so that only reachable states are left out.
    """

    rotates: bool
    values: tuple[int, ...]
    slots: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    keeps_start: bool

    def parts(self) -> tuple[bool, tuple[int, ...], tuple[tuple[int, int], ...]]:
        """Return it as the native engine takes it."""
        return self.rotates, self.values, self.slots


class Symmetries(Frozen):
    """Exchange elements and values; no place, and no firing in progress, has to do with two of them.

    places, transitions: for each, those with the same figures.
    """

    of_elements: tuple[Symmetry, ...]
    places: tuple[tuple[int, ...], ...]
    transitions: tuple[tuple[int, ...], ...]
    of_values: tuple[ValueSymmetry, ...] = ()


def none(net: Net, of_values: tuple[ValueSymmetry, ...] = ()) -> Symmetries:
    """Return no exchanges of elements."""
    places, transitions = range(len(net.places)), range(len(net.transitions))
    return Symmetries((), tuple((p,) for p in places), tuple((t,) for t in transitions), of_values)
