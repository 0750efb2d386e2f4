"""The marking at the end of a run, stored as compactly as in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from petri.net import Net, Token


class Marking(Sequence[list[Token]]):
    """The tokens of each place: by position in a bag, otherwise in order of arrival, created on request.

    rows: for each place the 64-bit words of its tokens, slot after slot; for a black place the number of its tokens.
    """

    def __init__(self, net: Net, rows: Sequence[int | bytes]) -> None:
        self._net = net
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        row = self._rows[place]
        if isinstance(row, int):
            return [()] * row
        slots = self._net.places[place].colour.slots
        words = np.frombuffer(row, dtype=np.int64).reshape(-1, len(slots)).T
        columns = [
            (np.ascontiguousarray(column).view(np.float64) if slot.kind == "real" else column).tolist()
            for column, slot in zip(words, slots, strict=True)
        ]
        return list(zip(*columns, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Marking, list)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
