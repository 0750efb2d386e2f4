"""Patterns of input arcs: which names bind, which slots require equality, and in what order the arcs are tried.

A name on its own binds, unless it is a constant, a parameter, an enumeration value or a loop variable. An equality may
use variables bound by other arcs, in any written order: the arcs are sorted, as close to the written order as possible,
so that every variable is bound before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from petri.language.checking.expressions.lets import Lets
from petri.language.checking.expressions.names import names_in
from petri.language.checking.expressions.reader import Reader, other_fields
from petri.language.meaning.nodes import evaluate
from petri.language.meaning.scope import ConstantSymbol, TypeSymbol
from petri.language.meaning.templates import PlaceUse
from petri.language.meaning.types import Record, Scalar, Type, Unknown, Vector, describe, has_fields, layout, plainly
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct

WORDS = frozenset({"token", "all", "now", "end", "true", "false", "nothing"})


class Part(Struct):
    """What a pattern requires of some slots: bind `name` (if it is set), or equal `value`."""

    start: int
    type: Type
    name: str | None
    value: tree.Expr
    span: Span

    @property
    def width(self) -> int:
        return len(layout(self.type))


class ArcReading(Struct):
    """An input arc with its place resolved and its pattern split into slots."""

    arc: tree.Arc
    place: PlaceUse
    parts: list[Part]
    count: tree.Expr | None
    width: int
    lets: Lets

    def binds(self) -> set[str]:
        return {part.name for part in self.parts if part.name is not None}

    def needs(self) -> set[str]:
        """Return names in the expressions of equalities and of the count."""
        written = [part.value for part in self.parts if part.name is None]
        return self.lets.expanded(name for e in (*written, self.count) for name in names_in(e))


class PatternReader:
    """Splits patterns into slots. The reader knows which names are constants."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.problems = reader.problems

    def binds(self, name: str) -> bool:
        """Return whether a name on its own is a new variable."""
        known = name in WORDS or "." in name or name in (self.reader.lets or ())
        return not known and self.constant(name) is None

    def constant(self, name: str) -> ConstantSymbol | None:
        symbol = self.reader.loops.get(name) or self.reader.scope.find(name)
        return symbol if isinstance(symbol, ConstantSymbol) else None

    def parts(self, e: tree.Expr | None, kind: Type, start: int = 0) -> Iterator[Part]:
        """Yield what the pattern `e` requires of a token of type `kind`, whose slots start at `start`."""
        if e is None or isinstance(kind, Unknown):
            return
        self.reader.checker.note(e.span, kind)
        if isinstance(e, tree.Name):
            if e.name != "_":
                fresh = self.binds(e.name)
                if not fresh:
                    self._note_constant(e)
                elif (
                    isinstance(kind, Scalar)
                    and kind.kind == "enum"
                    and (near := self.problems.meant(e.name, kind.labels))
                ):
                    self.problems.warning("binds-like-a-value", e.span, name=e.name, suggestion=near)
                yield Part(start, kind, e.name if fresh else None, e, e.span)
        elif isinstance(e, tree.Record):
            yield from self._fields(e, kind, start)
        elif isinstance(e, tree.List) and isinstance(kind, Vector):
            yield from self._listed(e, kind, start)
        elif isinstance(e, tree.Call) and has_fields(kind) and self._is_type(e.function):
            yield from self._positional(e, kind, start)
        else:
            yield Part(start, kind, None, e, e.span)

    def _note_constant(self, e: tree.Name) -> None:
        """Report a parameter or a constant: perhaps a variable was meant."""
        symbol = self.constant(e.name)
        if symbol is not None and symbol.role in ("parameter", "constant"):
            self.problems.note("parameter-in-pattern", e.span, name=e.name, kind=symbol.role)

    def _is_type(self, e: tree.Expr) -> bool:
        return isinstance(e, tree.Name) and isinstance(self.reader.scope.find(e.name), TypeSymbol)

    def _fields(self, e: tree.Record, kind: Type, start: int) -> Iterator[Part]:
        if not has_fields(kind):
            self.problems.error("record-not-wanted", e.span, wanted=plainly(kind))
            return
        seen: set[str] = set()
        for name, value, span in e.fields:
            if name not in kind.fields:
                self.reader.unknown_field(name, span, kind)
            elif isinstance(value, tree.Element):
                yield from self._element(value, kind.fields[name], start + kind.part(name).start)
            elif name in seen:
                self.problems.error("field-twice", span, name=name)
            else:
                seen.add(name)
                inner = value if value is not None else tree.Name(name, span)
                yield from self.parts(inner, kind.fields[name], start + kind.part(name).start)

    def _listed(self, e: tree.List, kind: Vector, start: int) -> Iterator[Part]:
        """Check `[modified, _, s]`: a pattern for each element."""
        if len(e.items) != kind.length:
            given = len(e.items)
            self.problems.error("vector-length", e.span, kind=describe(kind), wanted=kind.length, given=given)
            return
        for item, name in zip(e.items, kind.fields, strict=True):
            yield from self.parts(item, kind.element, start + kind.part(name).start)

    def _element(self, e: tree.Element, kind: Type, start: int) -> Iterator[Part]:
        """`s[0]: shared`: a pattern for one element, whose index is a constant of the net."""
        if not isinstance(kind, Vector) or e.index is None:
            self.problems.error("element-of-no-vector", e.span, kind=plainly(kind))
            return
        if any(map(self.binds, names_in(e.index))):
            self.problems.error("element-not-constant", e.index.span)
            return
        number = self.reader.allowing("the index of a pattern").read_scalar(e.index, kind.index)
        if number is None:
            return
        if not number.fixed or number.flags:
            self.problems.error("element-not-constant", e.index.span)
            return
        index = int(evaluate(number, ()))
        if not 0 <= index < kind.length:
            self.problems.error("list-index", e.index.span, index=index, last=kind.length - 1)
            return
        inner = start + index * len(layout(kind.element))
        if isinstance(e.value, tree.Element):
            yield from self._element(e.value, kind.element, inner)
        else:
            yield from self.parts(e.value, kind.element, inner)

    def _positional(self, e: tree.Call, kind: Record, start: int) -> Iterator[Part]:
        assert isinstance(e.function, tree.Name)
        symbol = self.reader.scope.find(e.function.name)
        assert isinstance(symbol, TypeSymbol)
        found = self.reader.checker.resolve_type(symbol)
        if isinstance(found, Unknown):
            return
        if found is not kind and describe(found) != describe(kind):
            text = self.problems.text(e.span)
            self.problems.error("type-mismatch", e.span, text=text, found=describe(found), wanted=describe(kind))
            return
        if len(e.arguments) != len(kind.fields):
            self.problems.fault(other_fields(e, symbol, kind))
            return
        for argument, (name, field) in zip(e.arguments, kind.fields.items(), strict=True):
            yield from self.parts(argument, field, start + kind.part(name).start)


def in_binding_order(
    arcs: list[ArcReading], first: ArcReading | None = None
) -> tuple[list[ArcReading], list[ArcReading]]:
    """Return the arcs in an order in which every variable is bound before it is used, and the arcs without such an
    order.

    Of the arcs that can be tried next, the one written first is tried first. If an arc is to be the first, then after
    it those that share a variable with the arcs before them.
    """
    waiting = list(arcs) if first is None else [first, *(arc for arc in arcs if arc is not first)]
    binds = [arc.binds() for arc in waiting]
    bindable: set[str] = set().union(*binds)
    needs = [arc.needs() & bindable for arc in waiting]
    lacking = [need - own for need, own in zip(needs, binds, strict=True)]
    users: dict[str, list[int]] = {}  # the arcs that bind or need a name
    for at, names in enumerate(zip(binds, needs, strict=True)):
        for name in set().union(*names):
            users.setdefault(name, []).append(at)
    ready = [at for at, names in enumerate(lacking) if not names]  # both in the order written
    joined: list[int] = []  # those that share a name with the arcs before, if that matters
    bound: set[str] = set()
    done = [False] * len(waiting)
    ordered: list[ArcReading] = []
    while ready or joined:
        at = heappop(joined or ready)
        if done[at]:
            continue
        done[at] = True
        ordered.append(waiting[at])
        for name in binds[at] - bound:
            bound.add(name)
            for user in users[name]:
                if name in lacking[user]:
                    lacking[user].remove(name)
                    if not lacking[user]:
                        heappush(ready, user)
                if first is not None and not lacking[user] and not done[user]:
                    heappush(joined, user)
    return ordered, [arc for arc, is_done in zip(waiting, done, strict=True) if not is_done]


def in_join_order(arcs: list[ArcReading]) -> tuple[list[ArcReading], list[ArcReading]]:
    """Return the same where the order is not seen: each arc shares a variable with those before it, if there is such an
    order.

    `susceptible(i), read infected(j), read edge(j, i)` pairs each i with each j before an edge is asked for. As edge,
    susceptible, infected, each arc but the first has only the tokens that match (C1).
    """
    written = in_binding_order(arcs)
    if not written[1] and _is_joined(written[0]):
        return written
    # An arc that knows the variables of many others leads to bindings in the fewest steps.
    by_worth = sorted(arcs, key=lambda arc: -sum(bool(arc.binds() & (one.binds() | one.needs())) for one in arcs))
    orders = (in_binding_order(arcs, first) for first in by_worth)
    return next((order for order in orders if not order[1] and _is_joined(order[0])), written)


def _is_joined(arcs: list[ArcReading]) -> bool:
    """Return whether each arc with variables, but the first, shares one with those before it."""
    bound: set[str] = set()
    for arc in arcs:
        binds = arc.binds()
        if bound and binds and not bound & (binds | arc.needs()):
            return False
        bound |= binds
    return True
