"""`--trace FILE`: every firing as a line of CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from petri.diagnostics import Diagnostic
from petri.net import Net, Scalar, Variable

from .exits import STOPPED, Refusal, refusal

if TYPE_CHECKING:
    from petri.engine.session import TracedFiring

COLUMNS = ("replication", "start", "end", "transition", "binding")


class TraceFile:
    """A CSV file; start and end are in the net's time unit, `binding` is `name=value` pairs set apart by blanks."""

    def __init__(self, path: str, net: Net) -> None:
        suffix = Path(path).suffix
        if suffix.lower() != ".csv":
            raise refusal("output-suffix", path=path, suffixes=[".csv"], suggestion=f"{path.removesuffix(suffix)}.csv")
        self._net = net
        self._path = path
        try:
            self._file = open(path, "w", encoding="utf-8", newline="")  # noqa: SIM115  (closed by __exit__)
        except OSError as error:
            raise refusal("output-unwritable", path=path, reason=error.strerror or str(error)) from error
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._guarded(lambda: self._writer.writerow(COLUMNS))

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._guarded(self._file.close)

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        """Write the next firings of a replication."""
        rows = (self._row(replication, firing) for firing in firings)
        self._guarded(lambda: self._writer.writerows(rows))

    def _row(self, replication: int, firing: TracedFiring) -> tuple[int | float | str, ...]:
        transition = self._net.transitions[firing.transition]
        pairs = zip(transition.variables, firing.variables, strict=True)
        binding = " ".join(f"{variable.name}={_shown(variable, value)}" for variable, value in pairs)
        return replication, firing.start, firing.end, transition.name, binding

    def _guarded(self, write: Callable[[], object]) -> None:
        """A disk that is full, say, is told like any other error."""
        try:
            write()
        except OSError as error:
            values = {"path": self._path, "reason": error.strerror or str(error)}
            raise Refusal(Diagnostic("output-unwritable", values=values), STOPPED) from error


def _shown(variable: Variable, value: Scalar) -> str:
    if variable.labels and 0 <= value < len(variable.labels):
        return variable.labels[int(value)]
    return repr(value)
