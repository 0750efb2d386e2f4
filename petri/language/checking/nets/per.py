"""`place queue : Packet fifo per flow`: a discipline for the tokens of each key (S7)."""

from __future__ import annotations

from petri.language.checking.expressions.keys import parts_of
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.nets.token_values import fields_of
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import to_slot
from petri.language.meaning.scope import PlaceSymbol, Scope
from petri.language.meaning.types import Black, Type, Unknown, layout
from petri.language.problems import CheckError, Reported
from petri.language.syntax import tree


def read_per(checker: CheckState, scope: Scope, d: tree.Place | tree.Port, symbol: PlaceSymbol) -> tuple[int, ...]:
    """Return the slots of the fields that `per` names. Raises CheckError."""
    assert d.per is not None
    kind = symbol.type
    if isinstance(kind, Unknown):
        raise Reported
    if isinstance(kind, Black):
        raise CheckError("key-of-black", d.per.span, name=d.name, what="the key of a place")
    if d.discipline == "bag":
        raise CheckError("per-of-bag", d.per.span, name=d.name, text=checker.problems.text(d.per.span))
    if d.weight is not None:
        raise CheckError("per-of-weight", d.weight.span, name=d.name)
    return tuple(slot for part in parts_of(d.per) for slot in _slots(checker, scope, kind, part))


def _slots(checker: CheckState, scope: Scope, kind: Type, part: tree.Expr) -> list[int]:
    names = fields_of(kind, part)
    (value,) = Reader(checker, scope, "the key of a place", variables=names).values(part)
    slots = [to_slot(node) for node in value.nodes]
    if any(node.op != "var" for node in slots):
        fields = [name or "value" for name, _ in layout(kind)]
        raise CheckError("per-not-field", part.span, text=checker.problems.text(part.span), names=fields)
    return [node.value for node in slots if isinstance(node.value, int)]
