"""`place trace : Packet = stream("packets.csv")`: a place whose tokens are the rows of a file (S6)."""

from __future__ import annotations

from collections.abc import Iterator

from petri.language.checking.state import CheckState
from petri.language.meaning.scope import PlaceSymbol, Scope
from petri.language.meaning.types import Black, Unknown, layout
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.net import Span, Stream

WORD = "stream"


def stream_call(scope: Scope, d: tree.Place | tree.Port) -> tree.Call | None:
    """Return the call of `stream` among the initial tokens of a place, unless the net declares that name."""
    for item in d.initial:
        value = item.value
        if isinstance(value, tree.Call) and isinstance(value.function, tree.Name) and value.function.name == WORD:
            return value if scope.find(WORD) is None else None
    return None


def read_stream(checker: CheckState, call: tree.Call, d: tree.Place | tree.Port, symbol: PlaceSymbol) -> Stream:
    """Return the stream of a place. Raises CheckError if something is wrong with it."""
    kind = symbol.type
    if isinstance(kind, Unknown):
        raise Reported
    if isinstance(kind, Black):
        raise CheckError("stream-of-black", call.span, name=d.name)
    if d.discipline in ("lifo", "by"):
        raise CheckError("stream-discipline", d.name_span, name=d.name, discipline=d.discipline)
    if d.per is not None:
        raise CheckError("stream-per", d.per.span, name=d.name)
    if d.capacity is not None:
        raise CheckError("stream-capacity", d.capacity.span, name=d.name)
    if len(d.initial) > 1 or d.initial[0].loops:
        raise CheckError("stream-alone", d.initial[-1].span)
    names = [name for name, _ in layout(kind)]
    if any("[" in name for name in names):
        raise CheckError("stream-vector", call.span, name=d.name)
    return _arguments(checker, call, d, names)


def _arguments(checker: CheckState, call: tree.Call, d: tree.Place | tree.Port, fields: list[str]) -> Stream:
    """Return the file, then a record of the columns whose names differ from their fields."""
    problems = checker.problems
    name, path = "", ""
    columns: dict[str, str] = {}
    rest = call.arguments
    if rest and isinstance(written := rest[0], tree.Text):
        name, path = written.value, str(needed(checker.sources.stream(written)))
        rest = rest[1:]
    if rest and isinstance(record := rest[0], tree.Record):
        rest = rest[1:]
        for field, column, span in _entries(record):
            if column is None:
                raise CheckError("stream-argument", span, text=problems.text(span))
            if field not in fields:
                near = problems.meant(field, fields)
                raise CheckError("stream-no-field", span, field=field, name=d.name, names=fields, suggestion=near)
            columns[field] = column
    if rest:
        raise CheckError("stream-argument", rest[0].span, text=problems.text(rest[0].span))
    return Stream(name, path, tuple(columns.items()))


def _entries(record: tree.Record, prefix: str = "") -> Iterator[tuple[str, str | None, Span]]:
    """(field, column, where) of `{time: "t [s]", packet: {size: "len"}}`; no column if it is not a text."""
    for name, value, span in record.fields:
        if isinstance(value, tree.Record):
            yield from _entries(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value.value if isinstance(value, tree.Text) else None, span
