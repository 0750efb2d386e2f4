"""Several copies of a net side by side: transitions that differ only in the places they name, and share their code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from petri.net import Expr, Net
from petri.structs import Frozen, fields, replace

# Fields that hold numbers of places, and of transitions.
PLACES = {"place", "places", "resets"}
TRANSITIONS = {"transition", "firings"}


def several(net: Net, copies: int) -> Net:
    """Return so many copies, without measures."""
    return beside([net] * copies)


def beside(nets: Sequence[Net]) -> Net:
    """Put nets of as many places and transitions side by side, without measures. The rest is the first one's."""
    first = nets[0]
    copies = [
        (Shift(number * len(first.places), number * len(first.transitions)), f"[{number}]", net)
        for number, net in enumerate(nets)
    ]
    return replace(
        first,
        places=tuple(replace(place, name=place.name + suffix) for _, suffix, net in copies for place in net.places),
        transitions=tuple(
            replace(shift.part(transition), name=transition.name + suffix)
            for shift, suffix, net in copies
            for transition in net.transitions
        ),
        measures=(),
        expectations=(),
        probes=tuple(shift.part(probe) for shift, _, net in copies for probe in net.probes),
    )


@dataclass(frozen=True)
class Shift:
    """How much greater the numbers of places and of transitions become."""

    places: int
    transitions: int

    def part(self, part: Any) -> Any:
        """Return a part of a net with these numbers, in all that it contains."""
        if isinstance(part, tuple):
            return tuple(map(self.part, part))
        if not isinstance(part, Frozen):
            return part
        moved = {name: self.field(name, getattr(part, name)) for name in fields(type(part))}
        if isinstance(part, Expr) and part.op == "tokens":
            moved["value"] += self.places
        return replace(part, **moved)

    def field(self, name: str, value: Any) -> Any:
        more = self.places if name in PLACES else self.transitions if name in TRANSITIONS else None
        if more is None or value is None:
            return self.part(value)
        return tuple(number + more for number in value) if isinstance(value, tuple) else value + more
