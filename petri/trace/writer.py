"""The writer of a trace, chosen by the file's suffix."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from petri.engine.firings import TracedFiring
from petri.net import Net
from petri.trace.event_log import EventLogWriter
from petri.trace.rows import CsvWriter, ParquetWriter
from petri.trace.timeline import TimelineWriter
from petri.trace.waves import WaveWriter

SUFFIXES: Final = (".csv", ".parquet", ".xes", ".vcd", ".json")
TIMELINES: Final = (".vcd", ".json")
"""Formats with one timeline: they contain only replication 0."""


class Writer(Protocol):
    """Receives firings in the order of their starts, replication after replication."""

    @property
    def full_at(self) -> float | None:
        """The model time at which it stopped writing because the file reached its limit; None if it did not."""

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        """Write the next firings of a replication."""

    def close(self) -> None:
        """Write everything buffered. The file itself stays open."""


def suffix_of(path: str | Path) -> str:
    """Return the suffix that selects the format, "" if it is unknown."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix in SUFFIXES else ""


def writer_of(path: str | Path, net: Net, file: BinaryIO, until: float = math.inf) -> Writer:
    """Return the writer for a file of this name.

    `until` is the end of the run: firings that would end later stay in progress.

    Raises ValueError for another suffix, and ImportError for Parquet without pyarrow.
    """
    match suffix_of(path):
        case ".csv":
            return CsvWriter(net, file)
        case ".parquet":
            return ParquetWriter(net, file)
        case ".xes":
            return EventLogWriter(net, file)
        case ".vcd":
            return WaveWriter(net, file, until)
        case ".json":
            return TimelineWriter(net, file, until)
    raise ValueError(f"{path} is not a trace: its name must end in one of {', '.join(SUFFIXES)}")
