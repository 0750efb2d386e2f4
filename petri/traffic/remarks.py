"""What is to be said of recordings that were read: packets that are missing, or not as they were on the wire."""

from __future__ import annotations

from collections.abc import Iterable

from petri.diagnostics import Diagnostic
from petri.engine.interface import FileRead

_MISSING = ("unknown-blocks", "dropped", "missing-bytes")
"""What means that packets are missing: a warning."""


def furthest(replications: Iterable[tuple[FileRead, ...]]) -> tuple[FileRead, ...]:
    """Of each place, what the replication that read most of its file has read."""
    found: dict[str, FileRead] = {}
    for files in replications:
        for one in files:
            known = found.get(one.place)
            if known is None or (one.rows, one.complete) > (known.rows, known.complete):
                found[one.place] = one
    return tuple(found.values())


def remarks(read: FileRead) -> tuple[Diagnostic, ...]:
    """Warnings, then notes."""
    ordered = sorted(read.counts, key=lambda name: name not in _MISSING)
    return tuple(
        Diagnostic(
            f"capture-{name}",
            values={"path": read.file, "count": read.counts[name], "types": _types(name, read)},
            severity="warning" if name in _MISSING else "note",
        )
        for name in ordered
    )


def _types(name: str, read: FileRead) -> tuple[str, ...]:
    return tuple(f"0x{kind:08X}" for kind in read.unknown) if name == "unknown-blocks" else ()
