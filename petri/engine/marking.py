"""The marking at the end of a run, stored as compactly as in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from petri.net import Colour, Net, Scalar, Slot, Token


class Marking(Sequence[list[Token]]):
    """The tokens of each place: by position in a bag, otherwise in order of arrival, created on request.

    Values are in the net's unit. rows: for each place the 64-bit words of its tokens, slot after slot, as the engine
    keeps them; for a black place the number of its tokens.
    """

    def __init__(self, net: Net, rows: Sequence[int | bytes]) -> None:
        self._net = net
        self.rows = rows

    @classmethod
    def of(cls, net: Net, tokens: Sequence[Sequence[Token]]) -> Marking:
        """Return the marking of tokens as the engine keeps them."""
        return cls(net, [_row(place.colour, row) for place, row in zip(net.places, tokens, strict=True)])

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        return self._tokens(place, in_ticks=False)

    def in_ticks(self) -> list[list[Token]]:
        """Return the same tokens as the engine keeps them, with times in ticks."""
        return [self._tokens(place, in_ticks=True) for place in range(len(self))]

    def _tokens(self, place: int, in_ticks: bool) -> list[Token]:
        row = self.rows[place]
        if isinstance(row, int):
            return [()] * row
        slots = self._net.places[place].colour.slots
        words = np.frombuffer(row, dtype=np.int64).reshape(-1, len(slots)).T
        columns = [self._values(column, slot, in_ticks) for column, slot in zip(words, slots, strict=True)]
        return list(zip(*columns, strict=True))

    def _values(self, column: Any, slot: Slot, in_ticks: bool) -> list[Scalar]:
        values = np.ascontiguousarray(column).view(np.float64) if slot.kind == "real" else column
        shown: list[Scalar] = (values if in_ticks else self._net.tick.quantity(values, slot.dimension)).tolist()
        return shown

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Marking, list)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _row(colour: Colour, tokens: Sequence[Token]) -> int | bytes:
    """Return the tokens of a place as 64-bit words; of a black place, their number."""
    if not colour.slots:
        return len(tokens)
    words = np.empty((len(tokens), len(colour.slots)), dtype=np.int64)
    for number, slot in enumerate(colour.slots):
        real = slot.kind == "real"
        column = np.array([token[number] for token in tokens], dtype=np.float64 if real else np.int64)
        words[:, number] = column.view(np.int64)
    return words.tobytes()
