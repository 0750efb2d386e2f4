"""Output arcs: `done(p)`, `3 * q(x)`, `out[p.port](p)`, `if c then hi(p) else lo(p)`, `q(x) in 5 ns`, `nothing`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from petri.language.checking.expressions.names import nodes_in
from petri.language.checking.expressions.places import place_use, require_element
from petri.language.checking.expressions.reader import Reader, stored
from petri.language.checking.nets.sets import SetReader
from petri.language.checking.nets.terms import (
    is_place_term,
    refuse_other_terms,
    refuse_shares,
    require_no_call,
    split_term,
)
from petri.language.meaning.nodes import TAKEN, Node, both, operation, to_slot
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import OutputTemplate, PlaceUse
from petri.language.meaning.types import BOOL, INT, Black, Record, Request, Scalar, Unknown, describe
from petri.language.problems import CheckError, Problems, Reported, needed
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace


class OutputReader:
    """Reads the outputs of a transition; alternatives become arcs with complementary conditions."""

    def __init__(self, reader: Reader, sets: SetReader) -> None:
        self.reader = reader
        self.sets = sets
        self.problems = reader.problems

    def read(self, outputs: Sequence[tree.Expr]) -> list[OutputTemplate]:
        try:
            refuse_shares(self.reader, outputs)
        except CheckError as fault:
            self.problems.fault(fault)
            return []
        return [arc for output in outputs for arc in self._terms(output, None)]

    def _terms(self, e: tree.Expr, condition: Node | None) -> Iterator[OutputTemplate]:
        while isinstance(e, tree.Paren):
            e = e.inner
        if isinstance(e, tree.Name) and e.name == "nothing":
            return
        if isinstance(e, tree.If):
            yield from self._alternatives(e, condition)
            return
        if isinstance(e, tree.ForEach):
            arc = self.problems.attempt(self._for_each, e, condition)
            if arc is not None:
                yield arc
            return
        if isinstance(e, tree.Delayed):
            yield from self._delayed(e, condition)
            return
        arc = self.problems.attempt(self._reply if self._is_reply(e) else self._arc, e, condition)
        if arc is not None:
            yield arc

    def _alternatives(self, e: tree.If, condition: Node | None) -> Iterator[OutputTemplate]:
        nodes = self.reader.read_as(e.condition, BOOL)
        if nodes is None:
            yield from self._terms(e.then, None)
            if e.otherwise is not None:
                yield from self._terms(e.otherwise, None)
            return
        span = e.condition.span
        try:
            otherwise = operation("not", "bool", nodes, span)
            yield from self._terms(e.then, both(condition, nodes[0], span))
            if e.otherwise is not None:
                yield from self._terms(e.otherwise, both(condition, otherwise, span))
        except CheckError as fault:
            self.problems.fault(fault)

    def _delayed(self, e: tree.Delayed, condition: Node | None) -> Iterator[OutputTemplate]:
        """Yield tokens that arrive a time after the start.

        The time is one expression of all arcs that it is written for.
        """
        if isinstance(e.output, tree.Name) and e.output.name == "nothing":
            self.problems.error("delay-of-nothing", e.span)
        reader = self.reader.allowing("the delay of an output", "now", "end")
        delay = reader.read_scalar(e.delay, reader.checker.units.time_type)
        for part in nodes_in(e.output):
            if isinstance(part, tree.Name) and part.name == "end" == self.problems.text(part.span):
                self.problems.warning("end-of-delayed", part.span, delay=self.problems.text(e.delay.span))
        for arc in self._terms(e.output, condition):
            arc.delay = delay
            yield arc

    def _for_each(self, e: tree.ForEach, condition: Node | None) -> OutputTemplate:
        """Return one token for each token of a set."""
        number, own = self.sets.for_each(e)
        arc = self._arc(e.output, condition, replace(self.reader, elements=own))
        taken = self.sets.found[number]
        arc.each, arc.count = number, stored(taken.number, INT, e.span, TAKEN)
        return arc

    def _is_reply(self, e: tree.Expr) -> bool:
        """`reply(r)`, unless a place has that name."""
        named = isinstance(e, tree.Call) and isinstance(e.function, tree.Name) and e.function.name == "reply"
        return named and not isinstance(self.reader.scope.find("reply"), PlaceSymbol)

    def _reply(self, e: tree.Expr, condition: Node | None) -> OutputTemplate:
        """Return the arc that gives a request back to its caller."""
        assert isinstance(e, tree.Call)
        (value,) = self.reader.values(*e.arguments) if len(e.arguments) == 1 else (None,)
        if value is None or not isinstance(value.type, Request):
            raise CheckError("reply-not-request", e.span, text=self.problems.text(e.span))
        nodes = tuple(to_slot(node) for node in value.nodes)
        value.type.answered = True
        return OutputTemplate(value.type, (nodes[value.type.site_slot],), nodes, None, condition, e.span)

    def _arc(self, e: tree.Expr, condition: Node | None, of_token: Reader | None = None) -> OutputTemplate:
        """of_token: reads the values, if it is not the reader of the arc."""
        count, place, arguments = split_term(e)
        if isinstance(e, tree.Binary) and e.operator == "*" and not is_place_term(e.right):
            raise CheckError("count-after-place", e.span, text=self.problems.text(e.span))
        require_no_call(self.reader, place, arguments, e)
        refuse_other_terms(self.reader, e)
        use = self.problems.attempt(place_use, self.reader, place)
        if use is None:
            raise self._of_unknown(arguments)
        use.symbol.given = True
        if use.symbol.direction == "in":
            self.problems.error("port-direction", place.span, name=use.symbol.name, direction="in", action="given to")
        require_element(use, place.span)
        number = self.reader.read_scalar(count, INT) if count is not None else None
        values = self._values(use, arguments, e.span, of_token or self.reader)
        return OutputTemplate(use, () if use.fixed else use.indices, values, number, condition, e.span)

    def _values(self, use: PlaceUse, arguments: Sequence[tree.Expr], span: Span, reader: Reader) -> tuple[Node, ...]:
        """Return the values of the token's slots."""
        kind, name = use.symbol.type, use.symbol.name
        if isinstance(kind, Black):
            if arguments:
                value = reader.read(arguments[0])
                kinds = [describe(value.type)] if isinstance(value.type, (Scalar, Record)) else ["int"]
                self.problems.error("pattern-on-black", span, name=name, type=kinds[0])
            return ()
        if isinstance(kind, Unknown):
            raise self._of_unknown(arguments)
        if not arguments:
            raise CheckError("value-missing", span, name=name, kind=describe(kind))
        if len(arguments) > 1:
            raise several_patterns(self.problems, use, arguments, span)
        if isinstance(arguments[0], tree.Name) and arguments[0].name == "_":
            raise CheckError("ignored-in-output", arguments[0].span, name=name)
        return tuple(map(to_slot, needed(reader.read_as(arguments[0], kind))))

    def _of_unknown(self, arguments: Sequence[tree.Expr]) -> Reported:
        """Report what is wrong with the values of a token whose type is not known."""
        for argument in arguments:
            if not isinstance(argument, tree.Record):
                self.reader.read(argument)
        return Reported()


def several_patterns(problems: Problems, use: PlaceUse, arguments: Sequence[tree.Expr], span: Span) -> CheckError:
    """Return the error that an arc has several patterns, `q(a, b)`."""
    listed = ", ".join(problems.text(argument.span) for argument in arguments)
    kind = use.symbol.type
    name = kind.name if isinstance(kind, Record) else ""
    named = all(isinstance(argument, tree.Weighted) and isinstance(argument.value, tree.Name) for argument in arguments)
    inside = f"{{{listed}}}" if named else f"{name}({listed})"
    suggestion = f"{problems.text(use.span)}({inside})" if name else None
    return CheckError("one-pattern", span, name=use.symbol.name, suggestion=suggestion)
