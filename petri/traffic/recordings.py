"""The rows of a net's streams for one replication."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from petri.file_read import FileRead
from petri.net import Net, Place, Token
from petri.traffic.fields import Block, Column, Field, Recording
from petri.traffic.formats import open_recording
from petri.traffic.problems import longest, problem

BLOCK = 65_536  # rows read at a time

Words = npt.NDArray[np.uint64]


class Recordings:
    """Reads each file from its start, a block at a time.

    arrived: of each stream, how many rows to leave out at the start.
    """

    def __init__(self, net: Net, block: int | None = None, arrived: Sequence[int] = ()) -> None:
        most = BLOCK if block is None else block
        self._reading = {
            index: Reading(net, place, most) for index, place in enumerate(net.places) if place.stream is not None
        }
        for reading, rows in zip(self._reading.values(), arrived, strict=False):
            reading.left_out = rows

    def tokens(self, place: int) -> list[Token]:
        """Return the next rows of a place; no rows mark the end. Raises LanguageError for an invalid file."""
        block = self._reading[place].next()
        return [] if block is None else list(zip(*(column.tolist() for column in block), strict=True))

    def words(self, place: int) -> bytes:
        """Return the same as native 64-bit words, slot after slot."""
        block = self._reading[place].next()
        if block is None:
            return b""
        table = np.empty((len(block[0]), len(block)), dtype=np.uint64)
        for position, column in enumerate(block):
            table[:, position] = column.view(np.uint64)
        return table.tobytes()

    def count(self, place: int) -> int:
        """Return how many the next rows are."""
        block = self._reading[place].next()
        return 0 if block is None else len(block[0])

    def read(self) -> tuple[FileRead, ...]:
        return tuple(reading.read() for reading in self._reading.values())


class Reading:
    """The file of one place, which is opened when its first rows are wanted."""

    def __init__(self, net: Net, place: Place, most: int) -> None:
        self._net = net
        self._place = place
        self._most = most
        self._blocks = self._rows()
        self._recording: Recording | None = None
        self._count = 0
        self._complete = False
        self.left_out = 0

    def next(self) -> list[Column] | None:
        """Return the next rows as columns in the order of the slots; None at the end. See `rows`."""
        while True:
            block = next(self._blocks, None)
            self._complete = block is None
            if block is None:
                return None
            size, before = len(block[0]), min(self.left_out, len(block[0]))
            self._count += size
            self.left_out -= before
            if before < size:
                return [column[before:] for column in block] if before else block

    def read(self) -> FileRead:
        assert self._place.stream is not None
        counts, unknown = ({}, ()) if self._recording is None else self._recording.counts()
        return FileRead(self._place.name, self._place.stream.name, self._count, self._complete, counts, unknown)

    def _rows(self) -> Iterator[list[Column]]:
        self._recording, fields = open_recording(self._net, self._place)
        yield from rows(self._place, self._recording, fields, self._most)


def rows(place: Place, recording: Recording, fields: Sequence[Field], most: int) -> Iterator[list[Column]]:
    """Yield the rows of a place's open file as columns in the order of the slots, in blocks; every value is of the
    colour.

    Raises LanguageError for an invalid row, after the rows before it have been returned.
    """
    assert place.stream is not None
    last = 0.0
    empty = True
    with recording:
        for block in recording.blocks(fields, most):
            columns, wrong = longest(len(block), partial(checked, place, fields, block, last))
            if columns is not None:
                times = (column for field, column in zip(fields, columns, strict=True) if field.relative)
                last = next((float(column[-1]) for column in times), last)
                empty = False
                yield columns
            if wrong is not None:
                raise wrong
    if empty:
        raise problem("stream-empty", path=place.stream.name)


def checked(place: Place, fields: Sequence[Field], block: Block, last: float, count: int) -> list[Column]:
    """Return the first rows of a block in the net's units. The previous row was at time `last`."""
    columns = [field.scaled(column[:count]) + 0 for field, column in zip(fields, block.columns, strict=True)]
    for field, column in zip(fields, columns, strict=True):
        check(place, field, column, block)
        if field.relative:
            check_order(place, field, column, last, block)
    return columns


def check(place: Place, field: Field, column: Column, block: Block) -> None:
    """Values must be finite and within the slot's range."""
    slot = field.slot
    wrong = ~np.isfinite(column)
    if slot.low is not None:
        wrong |= column < slot.low
    if slot.high is not None:
        wrong |= column > slot.high
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    low, high = (None if bound is None else field.shown(bound) for bound in (slot.low, slot.high))
    raise problem(
        "stream-value",
        **_place_in(place, block, row),
        column=field.header,
        value=field.shown(column[row].item()),
        low=low if high is None else None,
        high=high if low is None else None,
        range=f"{low}..{high}" if low is not None and high is not None else None,
    )


def check_order(place: Place, field: Field, column: Column, last: float, block: Block) -> None:
    """Check that times do not decrease."""
    before = np.concatenate(([last], column[:-1]))
    back = column < before
    if back.any():
        row = int(np.argmax(back))
        by = field.shown(float(before[row] - column[row]), digits=6)
        raise problem("stream-time-back", **_place_in(place, block, row), by=by)


def _place_in(place: Place, block: Block, row: int) -> dict[str, Any]:
    assert place.stream is not None
    return {"path": place.stream.name, "where": block.where(row)}
