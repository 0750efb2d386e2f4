"""Traces as texts, and as tables: a row for each firing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, BinaryIO, Final

from petri.engine.firings import Firings, TracedFiring
from petri.engine.lets import in_traces
from petri.net import Let, Net, Scalar, Transition, Variable
from petri.version import VERSION

COLUMNS: Final = ("replication", "start", "end", "transition", "binding")
ROWS: Final = 65_536  # of a row group, which is kept in memory


class TextWriter:
    """Writes UTF-8 into a file, which stays open. Without `newline`, a format ends its lines itself."""

    full_at: float | None = None

    def __init__(self, file: BinaryIO, newline: str = "\n") -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8", newline=newline, write_through=False)

    def close(self) -> None:
        self._text.flush()
        self._text.detach()


class CsvWriter(TextWriter):
    """Start and end are in the net's time unit, `binding` is `name=value` pairs separated by blanks."""

    def __init__(self, net: Net, file: BinaryIO) -> None:
        super().__init__(file, newline="")
        self._net = net
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(COLUMNS)

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        found = Firings.of(self._net, firings)
        names = [self._net.transitions[transition].name for transition in found.transitions.tolist()]
        columns = (found.starts.tolist(), found.ends.tolist(), names, self._bindings(found))
        self._writer.writerows(zip(repeat(replication, len(found)), *columns, strict=True))

    def _bindings(self, firings: Firings) -> list[str]:
        bindings = [""] * len(firings)
        for transition, rows in firings.by_transition():
            named = told(self._net.transitions[transition])
            if not named:
                continue
            columns = [*firings.variables(transition, rows), *firings.lets(transition, rows)]
            texts = [texts_of(one, column) for one, column in zip(named, columns, strict=True)]
            form = " ".join(one.name.replace("%", "%%") + "=%s" for one in named)
            for row, values in zip(rows.tolist(), zip(*texts, strict=True), strict=True):
                bindings[row] = form % values
        return bindings


def told(transition: Transition) -> list[Variable | Let]:
    """Return what a trace has values of: a firing's variables, and the names that the transition gives to values."""
    return [*transition.variables, *in_traces(transition)]


def texts_of(named: Variable | Let, values: Iterable[Scalar | None]) -> Iterable[str]:
    """Return values as they are written in traces."""
    if isinstance(named, Variable) and not named.labels:
        return map(repr, values)
    return (shown(named, value) for value in values)


def shown(named: Variable | Let, value: Scalar | None) -> str:
    """Return a value as it is written in traces: exact; for an enumeration its name. Nothing where it has none."""
    if value is None:
        return ""
    if named.labels and 0 <= value < len(named.labels):
        return named.labels[int(value)]
    return repr(value)


class ParquetWriter:
    """Columns replication, start, end [net's time unit], transition, and one for each variable's and `let`'s name.

    A variable's column is null if the transition has no variable of the name. It contains integers, reals, or (for
    enumerations, and if transitions disagree on the type) texts. A variable with the name of one of the first four
    columns is in "variable.NAME". Raises ImportError without pyarrow.
    """

    full_at: float | None = None

    def __init__(self, net: Net, file: BinaryIO) -> None:
        import pyarrow
        import pyarrow.parquet

        self._arrow: Any = pyarrow
        self._net = net
        self._kinds = variable_kinds(net)
        self._places = [[self._titled(one.name) for one in told(transition)] for transition in net.transitions]
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        types = {"int": pyarrow.int64(), "real": pyarrow.float64(), "text": text}
        about = {"pnsim.version": VERSION, "pnsim.net": net.name, "pnsim.time_unit": net.time_unit}
        self._schema = pyarrow.schema(
            [
                ("replication", pyarrow.int32()),
                ("start", pyarrow.float64()),
                ("end", pyarrow.float64()),
                ("transition", text),
                *((self._titled(name), types[kind]) for name, kind in self._kinds.items()),
            ],
            metadata={key: value.encode() for key, value in about.items()},
        )
        self._names = [transition.name for transition in net.transitions]
        self._writer: Any = pyarrow.parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._held: list[tuple[int, Firings]] = []
        self._rows = 0

    @staticmethod
    def _titled(name: str) -> str:
        return f"variable.{name}" if name in COLUMNS else name

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        found = Firings.of(self._net, firings)
        while self._rows + len(found) >= ROWS:
            full = ROWS - self._rows
            self._hold(replication, found[:full])
            self._write()
            found = found[full:]
        self._hold(replication, found)

    def close(self) -> None:
        if self._rows:
            self._write()
        self._writer.close()

    def _hold(self, replication: int, firings: Firings) -> None:
        self._held.append((replication, firings))
        self._rows += len(firings)

    def _write(self) -> None:
        """Write a row group of the buffered firings."""
        held, rows = self._held, self._rows
        self._held, self._rows = [], 0
        columns: dict[str, list[Any]] = {self._titled(name): [None] * rows for name in self._kinds}
        columns["replication"] = [replication for replication, firings in held for _ in range(len(firings))]
        columns["start"] = [start for _, firings in held for start in firings.starts.tolist()]
        columns["end"] = [end for _, firings in held for end in firings.ends.tolist()]
        columns["transition"] = [self._names[one] for _, firings in held for one in firings.transitions.tolist()]
        first = 0
        for _, firings in held:
            for transition, positions in firings.by_transition():
                values = [*firings.variables(transition, positions), *firings.lets(transition, positions)]
                self._fill(columns, transition, (positions + first).tolist(), values)
            first += len(firings)
        arrays = [self._arrow.array(columns[one.name], type=self._plain(one.type)) for one in self._schema]
        encoded = [array.cast(one.type) for array, one in zip(arrays, self._schema, strict=True)]
        self._writer.write_table(self._arrow.Table.from_arrays(encoded, schema=self._schema))

    def _fill(
        self,
        columns: dict[str, list[Any]],
        transition: int,
        rows: Sequence[int],
        found: Sequence[Sequence[Scalar | None]],
    ) -> None:
        """Write what the firings of one transition have bound into their rows."""
        named = told(self._net.transitions[transition])
        for one, title, values in zip(named, self._places[transition], found, strict=True):
            text = self._kinds[one.name] == "text"
            column = columns[title]
            for row, value in zip(rows, values, strict=True):
                column[row] = shown(one, value) if text and value is not None else value

    def _plain(self, kind: Any) -> Any:
        """Texts become dictionary-encoded after they have been collected."""
        return self._arrow.string() if self._arrow.types.is_dictionary(kind) else kind


def variable_kinds(net: Net) -> dict[str, str]:
    """Return "int", "real" or "text" for each name: the type that suits all transitions with a value of it."""
    kinds: dict[str, str] = {}
    for transition in net.transitions:
        for one in told(transition):
            kind = "text" if one.labels else str(one.kind)
            known = kinds.get(one.name, kind)
            kinds[one.name] = kind if known == kind else "text" if "text" in (kind, known) else "real"
    return kinds
