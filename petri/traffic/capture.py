"""Packet captures, pcap and pcapng, read by the crate `petri/native/capture`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from petri.net import Net, Place
from petri.traffic.fields import Block, Column, ColumnFile, Field, match, native
from petri.traffic.problems import problem

COLUMNS = ("time", "size", "captured", "flow", "protocol", "number")
_UNITS = {"time": "ns", "size": "B", "captured": "B"}
_FLOW = COLUMNS.index("flow")
_FROM_HEADERS = (_FLOW, COLUMNS.index("protocol"))


def open_capture(net: Net, place: Place, path: Path) -> tuple[CaptureFile, tuple[Field, ...]]:
    """Return a capture, and the `COLUMNS` that fill the slots of a place. Raises LanguageError."""
    assert place.stream is not None
    name = place.stream.name
    fields = match(net, place, name, COLUMNS, _UNITS)
    return CaptureFile(path, name, any(field.index in _FROM_HEADERS for field in fields)), fields


class CaptureFile(ColumnFile):
    """An open capture."""

    headers, units = COLUMNS, _UNITS

    def __init__(self, path: Path, name: str, flows: bool) -> None:
        self.name = name
        reader = native(name)
        try:
            self._capture = reader.Capture(str(path), flows)
        except ValueError as error:
            raise self._told(error) from None
        self._read = 0
        self._counts: tuple[Mapping[str, int], tuple[int, ...]] = ({}, ())

    def close(self) -> None:
        del self._capture

    def counts(self) -> tuple[Mapping[str, int], tuple[int, ...]]:
        return self._counts

    def blocks(self, fields: Sequence[Field], most: int) -> Iterator[Block]:
        """Yield its packets. A flow's number is reduced modulo the size of its slot's range."""
        while True:
            try:
                columns = [np.frombuffer(column, dtype=np.int64) for column in self._capture.read(most)]
            except ValueError as error:
                raise self._told(error) from None
            finally:
                self._count()
            if not len(columns[0]):
                return
            first = self._read + 1
            columns.append(np.arange(first, first + len(columns[0]), dtype=np.int64))
            self._read += len(columns[0])
            yield Block([_fitting(field, columns[field.index]) for field in fields], _packet(first))

    def _count(self) -> None:
        """Keep the counts, which are asked for when the file is closed."""
        found = {name: count for name, count in self._capture.counts() if count}
        if found.get("interfaces") == 1:
            del found["interfaces"]
        self._counts = found, tuple(self._capture.unknown_types())

    def _told(self, error: ValueError) -> Exception:
        """Return the reader's (what, packet, detail) as a diagnostic."""
        kind, packet, detail = error.args
        return problem(kind, path=self.name, packet=packet, last=max(packet - 1, 1), detail=detail)


def _fitting(field: Field, column: Column) -> Column:
    low, high = field.slot.low, field.slot.high
    if field.index == _FLOW and low is not None and high is not None:
        return column % (int(high) - int(low) + 1) + int(low)
    return column


def _packet(first: int) -> Callable[[int], str]:
    return lambda row: f"packet {first + row:,}"
