"""What a name denotes."""

from __future__ import annotations

from petri.language.meaning.scope import Symbol, UnitSymbol
from petri.language.meaning.types import Type
from petri.net import Span
from petri.structs import Struct


class Meant(Struct):
    """`kind` is as in messages, `a place`; `span` is the name where it is declared; `owner` is the type of a field."""

    name: str
    kind: str
    span: Span
    doc: str = ""
    type: Type | None = None
    symbol: Symbol | UnitSymbol | None = None
    owner: str = ""

    @property
    def key(self) -> tuple[str, int, int]:
        """The same for the same declaration, in every check of it."""
        return (self.span.file, self.span.line, self.span.column)
