"""`--trace FILE`: every firing in a file, in the format of its suffix."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from petri.diagnostics import Diagnostic
from petri.net import Net
from petri.trace import SUFFIXES, TIMELINES, suffix_of, writer_of

from .console import tell
from .exits import STOPPED, Refusal, refusal

if TYPE_CHECKING:
    from petri.engine.firings import TracedFiring

Written = TypeVar("Written")


class TraceFile:
    """A trace file that stays open during the run. `until` and `replications` are those of the run."""

    def __init__(self, path: str, net: Net, until: float = math.inf, replications: int = 1) -> None:
        if not suffix_of(path):
            stem = path.removesuffix(".") if "." in path else path
            suggestion = f"{stem.rpartition('.')[0] or stem}.csv"
            raise refusal("output-suffix", path=path, suffixes=list(SUFFIXES), suggestion=suggestion)
        self._path = path
        self._net = net
        self._single = suffix_of(path) in TIMELINES and replications > 1
        _check_parquet(path)
        try:
            self._file = open(path, "wb")  # noqa: SIM115  (closed by __exit__)
        except OSError as error:
            raise refusal("output-unwritable", path=path, reason=error.strerror or str(error)) from error
        self._writer = self._guarded(lambda: writer_of(path, net, self._file, until))

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._guarded(self._close)
        if error is None:
            self._tell()

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        """Write the next firings of a replication."""
        self._guarded(lambda: self._writer(replication, firings))

    def _close(self) -> None:
        try:
            self._writer.close()
        finally:
            self._file.close()

    def _tell(self) -> None:
        """Report what the file does not contain."""
        if self._single:
            tell(Diagnostic("trace-first-only", severity="note", values={"path": self._path}))
        if self._writer.full_at is not None:
            from petri.report.quantities import Units
            from petri.trace.timeline import MOST_EVENTS

            time = Units(self._net.seconds).show(self._writer.full_at, "Time")
            values = {"path": self._path, "time": time, "count": f"{MOST_EVENTS:,}"}
            tell(Diagnostic("trace-full", severity="warning", values=values))

    def _guarded(self, write: Callable[[], Written]) -> Written:
        """Report errors of the disk, such as a full one, like any other error."""
        try:
            return write()
        except OSError as error:
            values = {"path": self._path, "reason": error.strerror or str(error)}
            raise Refusal(Diagnostic("output-unwritable", values=values), STOPPED) from error


def _check_parquet(path: str) -> None:
    """Check for pyarrow before the file is created."""
    if suffix_of(path) == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise refusal("trace-no-pyarrow") from error
