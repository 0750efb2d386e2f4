"""Stands in for lsprotocol, of which completion needs the names of a few records."""

from __future__ import annotations

from types import SimpleNamespace


class _Record(SimpleNamespace):
    def __init__(self, *places: object, **fields: object) -> None:
        super().__init__(places=places, **fields)


class _Names:
    def __getattr__(self, name: str) -> str:
        return name


types = SimpleNamespace(CompletionItem=_Record, CompletionItemKind=_Names(), Position=_Record, Range=_Record)
