"""How much of a recording was read, and what in it is missing, or not as it was on the wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from petri.diagnostics import Diagnostic, Value
from petri.structs import Frozen, as_dict, field

_MISSING = ("capture-unknown-blocks", "capture-dropped", "capture-missing-bytes")
"""Warnings: packets are missing."""

_CHANGED = (
    "capture-cut",
    "capture-longer",
    "capture-empty",
    "capture-not-internet",
    "capture-fragments",
    "capture-no-ports",
    "capture-shared-flows",
    "capture-interfaces",
)
"""Notes: packets are not as they were on the wire."""


class FileRead(Frozen):
    """How much of the file of a stream was read.

    counts: what in it is not a row, or not as it was on the wire, by the name of its diagnostic without `capture-`.
    unknown: the types of blocks that are not known.
    """

    place: str
    file: str
    rows: int
    complete: bool  # to its end
    counts: Mapping[str, int] = field(default_factory=dict)
    unknown: tuple[int, ...] = ()

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """Warnings, then notes."""
        counted = {f"capture-{name}": count for name, count in self.counts.items()}
        return tuple(self._remark(one, counted[one]) for one in (*_MISSING, *_CHANGED) if one in counted)

    def _remark(self, identifier: str, count: int) -> Diagnostic:
        types = tuple(f"0x{kind:08X}" for kind in self.unknown) if identifier == _MISSING[0] else ()
        values: dict[str, Value] = {"path": self.file, "count": count, "types": types}
        return Diagnostic(identifier, values=values, severity="warning" if identifier in _MISSING else "note")

    def to_dict(self) -> dict[str, Any]:
        """Return it as results have it: JSON types, with the remarks worded."""
        return {
            "place": self.place,
            "file": self.file,
            "rows": self.rows,
            "complete": self.complete,
            "remarks": [
                {
                    "id": remark.id,
                    "severity": remark.severity,
                    "message": remark.message,
                    "count": remark.values["count"],
                }
                for remark in self.remarks
            ],
        }


def packed(files: Iterable[FileRead]) -> dict[str, Any]:
    """Return it as JSON types, by place, for `unpacked`."""
    return {file.place: as_dict(file) for file in files}


def unpacked(kept: Mapping[str, Any]) -> tuple[FileRead, ...]:
    """Return what `packed` made. Raises TypeError where it is nothing of the kind."""
    return tuple(FileRead(**{**one, "unknown": tuple(one["unknown"])}) for one in kept.values())


def furthest(replications: Iterable[Iterable[FileRead]]) -> tuple[FileRead, ...]:
    """Return for each place what the replication that read most of its file has read."""
    found: dict[str, FileRead] = {}
    for files in replications:
        for file in files:
            known = found.get(file.place)
            if known is None or (file.rows, file.complete) > (known.rows, known.complete):
                found[file.place] = file
    return tuple(found.values())
