"""Output arcs: `done(p)`, `3 * q(x)`, `out[p.port](p)`, `if c then hi(p) else lo(p)`, `nothing`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from petri.language.checking.expressions.places import is_element, place_use
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.nets.terms import is_place_term, split_term
from petri.language.meaning.nodes import Node, operation, to_slot
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import OutputTemplate, PlaceUse, ReplyTemplate
from petri.language.meaning.types import BOOL, INT, Black, Record, Request, Unknown, describe
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Span


class OutputReader:
    """Reads the outputs of a transition; alternatives become arcs with complementary conditions."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.problems = reader.problems

    def read(self, outputs: Sequence[tree.Expr]) -> list[OutputTemplate | ReplyTemplate]:
        return [arc for output in outputs for arc in self._terms(output, None)]

    def _terms(self, e: tree.Expr, condition: Node | None) -> Iterator[OutputTemplate | ReplyTemplate]:
        while isinstance(e, tree.Paren):
            e = e.inner
        if isinstance(e, tree.Name) and e.name == "nothing":
            return
        if isinstance(e, tree.If):
            yield from self._alternatives(e, condition)
            return
        if self._is_reply(e):
            assert isinstance(e, tree.Call)
            reply = self._reply(e, condition)
            if reply is not None:
                yield reply
            return
        arc = self._arc(e, condition)
        if arc is not None:
            yield arc

    def _alternatives(self, e: tree.If, condition: Node | None) -> Iterator[OutputTemplate | ReplyTemplate]:
        nodes = self.reader.read_as(e.condition, BOOL)
        if nodes is None:
            yield from self._terms(e.then, None)
            if e.otherwise is not None:
                yield from self._terms(e.otherwise, None)
            return
        span = e.condition.span
        try:
            otherwise = operation("not", "bool", nodes, span)
            yield from self._terms(e.then, _both(condition, nodes[0], span))
            if e.otherwise is not None:
                yield from self._terms(e.otherwise, _both(condition, otherwise, span))
        except CheckError as fault:
            self.problems.fault(fault)

    def _is_reply(self, e: tree.Expr) -> bool:
        """`reply(r)`, unless a place has that name."""
        named = isinstance(e, tree.Call) and isinstance(e.function, tree.Name) and e.function.name == "reply"
        return named and not isinstance(self.reader.scope.find("reply"), PlaceSymbol)

    def _reply(self, e: tree.Call, condition: Node | None) -> ReplyTemplate | None:
        """The arc that gives a request back to its caller."""
        value = self.reader.read(e.arguments[0]) if len(e.arguments) == 1 else None
        if value is not None and isinstance(value.type, Unknown):
            return None
        if value is None or not isinstance(value.type, Request):
            self.problems.error("reply-not-request", e.span, text=self.problems.text(e.span))
            return None
        nodes = tuple(to_slot(node) for node in value.nodes)
        value.type.answered = True
        return ReplyTemplate(value.type, nodes[value.type.site_slot], nodes, condition, e.span)

    def _arc(self, e: tree.Expr, condition: Node | None) -> OutputTemplate | None:
        count, place, arguments = split_term(e)
        if isinstance(e, tree.Binary) and e.operator == "*" and not is_place_term(e.right):
            self.problems.error("count-after-place", e.span, text=self.problems.text(e.span))
            return None
        use = place_use(self.reader, place)
        if use is None:
            for argument in arguments:
                if not isinstance(argument, tree.Record):
                    self.reader.read(argument)
            return None
        use.symbol.given = True
        if use.symbol.direction == "in":
            self.problems.error("port-direction", place.span, name=use.symbol.name, direction="in", action="given to")
        if not is_element(self.reader, use, place.span):
            return None
        number = self.reader.read_scalar(count, INT) if count is not None else None
        values = self._values(use, arguments, e.span)
        if values is None:
            return None
        return OutputTemplate(use, () if use.fixed else use.indices, values, number, condition, e.span)

    def _values(self, use: PlaceUse, arguments: Sequence[tree.Expr], span: Span) -> tuple[Node, ...] | None:
        """The values of the token's slots."""
        kind, name = use.symbol.type, use.symbol.name
        if isinstance(kind, Black):
            if arguments:
                self.problems.error("pattern-on-black", span, name=name)
            return ()
        if isinstance(kind, Unknown):
            for argument in arguments:
                if not isinstance(argument, tree.Record):
                    self.reader.read(argument)
            return None
        if not arguments:
            self.problems.error("value-missing", span, name=name, kind=describe(kind))
            return None
        if len(arguments) > 1:
            listed = ", ".join(self.problems.text(argument.span) for argument in arguments)
            inner = kind.name if isinstance(kind, Record) else ""
            suggestion = f"{self.problems.text(use.span)}({inner}({listed}))" if inner else None
            self.problems.error("one-pattern", span, name=name, suggestion=suggestion)
            return None
        if isinstance(arguments[0], tree.Name) and arguments[0].name == "_":
            self.problems.error("ignored-in-output", arguments[0].span, name=name)
            return None
        nodes = self.reader.read_as(arguments[0], kind)
        return None if nodes is None else tuple(to_slot(node) for node in nodes)


def _both(first: Node | None, second: Node, span: Span) -> Node:
    return second if first is None else operation("and", "bool", (first, second), span)
