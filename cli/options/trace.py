"""`--trace FILE`: every firing in a file, in the format of its suffix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType

from petri.atomic_file import replacing
from petri.diagnostics import Diagnostic
from petri.engine.firings import TracedFiring
from petri.net import Net
from petri.report.telling.quantities import Units
from petri.run.stop import TimeLimit
from petri.trace import SUFFIXES, TIMELINES, suffix_of, writer_of
from petri.trace.timeline import MOST_EVENTS

from ..terminal.console import tell
from ..terminal.exits import STOPPED, Refusal, refusal, writing


class TraceFile:
    """A trace file that is complete when the run has ended. `until` and `replications` are those of the run.

    Errors of the disk, such as a full one, stop the run by letting `limit` be over. What there is of figures is to be
    shown before `failure` is raised.
    """

    failure: Refusal | None = None

    def __init__(self, path: str, net: Net, until: float, replications: int, limit: TimeLimit) -> None:
        if not suffix_of(path):
            stem = path.removesuffix(".") if "." in path else path
            suggestion = f"{stem.rpartition('.')[0] or stem}.csv"
            raise refusal("output-suffix", path=path, suffixes=list(SUFFIXES), suggestion=suggestion)
        self._path = path
        self._net = net
        self._single = suffix_of(path) in TIMELINES and replications > 1
        _check_parquet(path)
        self._until = until
        self._limit = limit
        self._replacing = replacing(path)

    def __enter__(self) -> TraceFile:
        with writing(self._path):
            file = self._replacing.__enter__()
        try:
            with writing(self._path, STOPPED):
                self._writer = writer_of(self._path, self._net, file, self._until)
        except BaseException as error:
            self._replacing.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        failure = error or self.failure
        if failure is not None:
            self._replacing.__exit__(type(failure), failure, failure.__traceback__)
            return
        with self._guarded(), ExitStack() as stack:
            stack.push(self._replacing)
            self._writer.close()
        if self.failure is None:
            self._tell()

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        """Write the next firings of a replication."""
        if self.failure is None:
            with self._guarded():
                self._writer(replication, firings)

    def _tell(self) -> None:
        """Report what the file does not contain."""
        if self._single:
            tell(Diagnostic("trace-first-only", severity="warning", values={"path": self._path}))
        if self._writer.full_at is not None:
            time = Units.of(self._net).show(self._writer.full_at, "Time")
            values = {"path": self._path, "time": time, "count": f"{MOST_EVENTS:,}"}
            tell(Diagnostic("trace-full", severity="warning", values=values))

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            with writing(self._path, STOPPED):
                yield
        except Refusal as error:
            self.failure = error
            self._limit.end_now()


def _check_parquet(path: str) -> None:
    """Check for pyarrow before the file is created."""
    if suffix_of(path) == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise refusal("trace-no-pyarrow") from error
