"""The rows of a net's streams for one replication."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from petri.file_read import FileRead
from petri.net import Net, Place, Token
from petri.traffic.fields import Recording, with_instants
from petri.traffic.formats import open_recording
from petri.traffic.problems import problem

BLOCK = 16_384  # rows read at a time: so few that they stay in the cache


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
        slots = self._reading[place].slots
        table = np.frombuffer(self.words(place), np.int64).reshape(-1, len(slots))
        reals = table.view(np.float64)
        columns = (reals if slot.kind == "real" else table for slot in slots)
        return list(zip(*(column[:, number].tolist() for number, column in enumerate(columns)), strict=True))

    def words(self, place: int) -> bytes:
        """Return the same as native 64-bit words, slot after slot."""
        return self._reading[place].next()

    def count(self, place: int) -> int:
        """Return how many the next rows are."""
        reading = self._reading[place]
        return len(reading.next()) // reading.width

    def read(self) -> tuple[FileRead, ...]:
        return tuple(reading.read() for reading in self._reading.values())


class Reading:
    """The file of one place, which is opened when its first rows are wanted."""

    def __init__(self, net: Net, place: Place, most: int) -> None:
        self._net = net
        self._place = place = with_instants(place)
        self._most = most
        self.slots = place.colour.slots
        self.width = 8 * len(self.slots)  # bytes of a row
        self._blocks = self._rows()
        self._recording: Recording | None = None
        self._count = 0
        self._complete = False
        self.left_out = 0

    def next(self) -> bytes:
        """Return the words of the next rows; none at the end. Raises LanguageError for an invalid file."""
        while True:
            words = next(self._blocks, b"")
            self._complete = not words
            rows = len(words) // self.width
            before = min(self.left_out, rows)
            self._count += rows
            self.left_out -= before
            if before < rows or not words:
                return words[before * self.width :] if before else words

    def read(self) -> FileRead:
        assert self._place.stream is not None
        counts, unknown = ({}, ()) if self._recording is None else self._recording.counts()
        return FileRead(self._place.name, self._place.stream.name, self._count, self._complete, counts, unknown)

    def _rows(self) -> Iterator[bytes]:
        assert self._place.stream is not None
        self._recording, fields = open_recording(self._net, self._place)
        with self._recording as recording:
            yield from recording.words(fields, self._most)
        if not self._count and not self._place.port:
            raise problem("stream-empty", path=self._place.stream.name)
