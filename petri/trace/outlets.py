"""What leaves a net through a port out, as a table that a port in can read."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import BinaryIO, Final

from petri.net import Net, Place, Scalar, Slot, Token
from petri.trace.rows import TextWriter

_UNITS: Final = {"Bytes": ("B", 0), "Rate": ("bps", 8), "Freq": ("Hz", 1)}  # and how many are one in seconds and bytes


class OutletWriter(TextWriter):
    """Writes a row for each token: the instant in the net's unit, and the fields."""

    def __init__(self, net: Net, place: Place, file: BinaryIO) -> None:
        super().__init__(file, newline="")
        self._net, self._slots = net, place.colour.slots
        self._writer = csv.writer(self._text, lineterminator="\n")
        unit = f" [{net.time_unit}]" if net.seconds is not None else ""
        self._writer.writerow([f"time{unit}", *map(self._title, self._slots)])

    def __call__(self, rows: Iterable[Token]) -> None:
        """Write tokens as `Session.outputs` returns them."""
        for time, *token in rows:
            values = (self._text_of(slot, value) for slot, value in zip(self._slots, token, strict=True))
            self._writer.writerow([repr(self._net.tick.time(float(time))), *values])

    def _title(self, slot: Slot) -> str:
        if slot.dimension == "Time" and self._net.seconds is not None:
            return f"{slot.name or 'value'} [{self._net.time_unit}]"
        unit = _UNITS.get(slot.dimension)
        return (slot.name or "value") + (f" [{unit[0]}]" if unit else "")

    def _text_of(self, slot: Slot, value: Scalar) -> str:
        if slot.labels:
            return slot.labels[int(value)]
        shown = self._net.tick.quantity(value, slot.dimension)
        per_second = _UNITS[slot.dimension][1] if slot.dimension in _UNITS else 0
        return repr(shown * per_second / (self._net.seconds or 1.0) if per_second else shown)
