"""Traces as tables: a row for each firing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any, BinaryIO, Final

from petri.engine.session import TracedFiring
from petri.net import Net, Scalar, Variable
from petri.version import VERSION

COLUMNS: Final = ("replication", "start", "end", "transition", "binding")
ROWS: Final = 65_536  # of a row group: what is held in memory


class CsvWriter:
    """Start and end are in the net's time unit, `binding` is `name=value` pairs set apart by blanks."""

    full_at: float | None = None

    def __init__(self, net: Net, file: BinaryIO) -> None:
        self._net = net
        self._text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=False)
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(COLUMNS)

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        self._writer.writerows(self._row(replication, firing) for firing in firings)

    def close(self) -> None:
        self._text.flush()
        self._text.detach()

    def _row(self, replication: int, firing: TracedFiring) -> tuple[int | float | str, ...]:
        transition = self._net.transitions[firing.transition]
        pairs = zip(transition.variables, firing.variables, strict=True)
        binding = " ".join(f"{variable.name}={shown(variable, value)}" for variable, value in pairs)
        return replication, firing.start, firing.end, transition.name, binding


def shown(variable: Variable, value: Scalar) -> str:
    """A value as it is written in traces: exact, an enumeration's by its name."""
    if variable.labels and 0 <= value < len(variable.labels):
        return variable.labels[int(value)]
    return repr(value)


class ParquetWriter:
    """Columns replication, start, end [net's time unit], transition, and one for each variable's name.

    A variable's column is null where the transition has no variable of the name. It holds integers, reals, or (for
    enumerations, and where transitions disagree on that) texts. A variable of the name of one of the first four
    columns stands in "variable.NAME". Raises ImportError without pyarrow.
    """

    full_at: float | None = None

    def __init__(self, net: Net, file: BinaryIO) -> None:
        import pyarrow
        import pyarrow.parquet

        self._arrow: Any = pyarrow
        self._net = net
        self._kinds = variable_kinds(net)
        self._places = [[self._titled(v.name) for v in transition.variables] for transition in net.transitions]
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
        self._rows: list[tuple[int, TracedFiring]] = []

    @staticmethod
    def _titled(name: str) -> str:
        return f"variable.{name}" if name in COLUMNS else name

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        for firing in firings:
            self._rows.append((replication, firing))
            if len(self._rows) == ROWS:
                self._write()

    def close(self) -> None:
        if self._rows:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        rows, self._rows = self._rows, []
        columns: dict[str, list[Any]] = {self._titled(name): [None] * len(rows) for name in self._kinds}
        columns["replication"] = [replication for replication, _ in rows]
        columns["start"] = [firing.start for _, firing in rows]
        columns["end"] = [firing.end for _, firing in rows]
        columns["transition"] = [self._names[firing.transition] for _, firing in rows]
        for number, (_, firing) in enumerate(rows):
            variables = self._net.transitions[firing.transition].variables
            for variable, title, value in zip(
                variables, self._places[firing.transition], firing.variables, strict=True
            ):
                kind = self._kinds[variable.name]
                columns[title][number] = shown(variable, value) if kind == "text" else value
        arrays = [self._arrow.array(columns[one.name], type=self._plain(one.type)) for one in self._schema]
        encoded = [array.cast(one.type) for array, one in zip(arrays, self._schema, strict=True)]
        self._writer.write_table(self._arrow.Table.from_arrays(encoded, schema=self._schema))

    def _plain(self, kind: Any) -> Any:
        """Texts become a dictionary after they have been read."""
        return self._arrow.string() if self._arrow.types.is_dictionary(kind) else kind


def variable_kinds(net: Net) -> dict[str, str]:
    """By name of variable "int", "real" or "text": what all transitions that have one of the name can agree on."""
    kinds: dict[str, str] = {}
    for transition in net.transitions:
        for variable in transition.variables:
            kind = "text" if variable.labels else variable.kind
            known = kinds.get(variable.name, kind)
            kinds[variable.name] = kind if known == kind else "text" if "text" in (kind, known) else "real"
    return kinds
