"""Arcs that take a set of tokens, `all cache({p: q, s}) when q != p`: who belongs to it, and what is counted of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from petri.language.checking.expressions.names import names_in
from petri.language.checking.expressions.reader import Reader, numeric_kind, stored
from petri.language.checking.nets.patterns import PatternReader
from petri.language.checking.nets.terms import split_term
from petri.language.checking.state import Value
from petri.language.meaning.nodes import CHANCE, TAKEN, Node, both, constant, operation
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import TOKEN, PlaceUse, SetTemplate
from petri.language.meaning.types import BOOL, INT, Scalar, Type, layout
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import replace

Own = dict[str, tuple[Type, tuple[Node, ...]]]


class SetReader:
    """The set arcs of a transition. fresh: makes a variable of this name and type, and returns its number.

    `closed`: it is not known yet what they take, as in a guard. `written`: there is a set arc, perhaps a wrong one.
    """

    def __init__(self, patterns: PatternReader, fresh: Callable[[str, Scalar], int]) -> None:
        self.patterns = patterns
        self.reader = patterns.reader
        self.fresh = fresh
        self.closed = True
        self.written = False
        self.found: list[SetTemplate] = []
        self.own: list[Own] = []  # the names of each set's pattern, for one of its tokens

    # ------------------------------------------------------------ the arcs

    def read(
        self, arc: tree.Arc, use: PlaceUse, pattern: tree.Expr | None, most: Node | None, least: Node | None
    ) -> None:
        """Check a set arc on a place. Raises CheckError."""
        self.written = True
        own: Own = {}
        equal: list[tuple[Value, tree.Expr | Value]] = []
        for part in self.patterns.parts(pattern, use.symbol.type):
            token = Value(part.type, _slots(part.type, part.span, part.start), part.span)
            if part.name is None:
                equal.append((token, part.value))
            elif part.name in self.reader.variables:
                equal.append((token, Value(*self.reader.variables[part.name], part.span)))
            elif part.name in self.reader.awaited:
                self.reader.tell_awaited(part.name, part.span)
            elif part.name in own:
                equal.append((token, Value(*own[part.name], part.span)))
            else:
                own[part.name] = part.type, token.nodes
        reader = replace(self.reader.allowing("a condition of tokens", "tokens"), elements=own)
        conditions = [node for token, value in equal for node in _equal(reader, token, value)]
        if arc.condition is not None:
            conditions.append(needed(reader.read_as(arc.condition, BOOL))[0])
        condition = None
        for one in conditions:
            condition = both(condition, one, arc.span)
        if least is not None and condition is not None:
            raise CheckError("least-of-some", arc.span, name=use.symbol.name)
        number = self.fresh(f"{use.symbol.name}.taken", INT)
        self.found.append(SetTemplate(use, number, condition, [], arc.span, most, least))
        self.own.append(own)

    def binds(self, name: str) -> bool:
        """Return whether a name is one of the values of the tokens of a set."""
        return any(name in own for own in self.own)

    # ------------------------------------------------------------ what is counted of them

    def of(self, e: tree.Expr, reader: Reader) -> SetTemplate | None:
        """Return the set that `cache` in `count(x in cache: …)` means, if it means one."""
        if not isinstance(e, tree.Name) or e.name in reader.elements or e.name in reader.variables:
            return None
        symbol = reader.scope.find(e.name)
        return next((one for one in self.found if one.place.symbol is symbol), None)

    def fold(self, reader: Reader, name: str, each: tree.Each, of: SetTemplate, span: Span) -> Value:
        """`count(x in cache: …)`, `sum`, `any` or `all` over the tokens of a set. Raises CheckError."""
        if self.closed:
            raise CheckError("set-not-known", span, where=reader.where, name=of.place.symbol.name)
        inner = self._of_token(reader, each, of.place.symbol)
        value = inner.read(each.value)
        if name == "sum":
            inner.require_number(value, "sum")
        kind = inner.bare(value.type) if name == "sum" else INT
        asked = value.nodes if name == "sum" else needed(inner.fit(value, BOOL))
        if any(node.flags & (CHANCE | TAKEN) for node in asked):
            raise CheckError("set-of-later", each.value.span)
        assert isinstance(kind, Scalar)
        number = self.fresh(self.reader.problems.text(span), kind)
        before = stored(number, kind, span)
        numeric = numeric_kind(kind)
        if name == "sum":
            of.totals.append((number, operation("add", numeric, (before, asked[0]), span)))
        else:
            one = constant(1, "int", span)
            more = operation("add", "int", (before, one), span)
            branches = (before, more) if name == "all" else (more, before)
            of.totals.append((number, operation("if", "int", (asked[0], *branches), span)))
        total = stored(number, kind, span, TAKEN)
        if name in ("count", "sum"):
            return Value(kind, (total,), span)
        compared = operation("gt" if name == "any" else "eq", "bool", (total, constant(0, "int", span)), span)
        return Value(BOOL, (compared,), span)

    def _of_token(self, reader: Reader, each: tree.Each, symbol: PlaceSymbol) -> Reader:
        """Return a reader that knows one token of the set by a name."""
        elements = {name: one for name, one in reader.elements.items() if not _is_of_token(one[1])}
        if layout(symbol.type):
            elements[each.over.variable] = symbol.type, _slots(symbol.type, each.over.span)
        return replace(reader.allowing("what is counted of tokens", "tokens", "now"), elements=elements)

    # ------------------------------------------------------------ what is given for each

    def for_each(self, output: tree.ForEach) -> tuple[int, Own]:
        """Return the set of an output with `each`, and the names of its tokens' values. Raises CheckError."""
        if not self.found:
            raise Reported if self.written else CheckError("each-of-nothing", output.span)
        mentioned = set(names_in(split_term(output.output)[2]))
        meant = [number for number, own in enumerate(self.own) if mentioned & own.keys()]
        if len(self.found) > 1 and len(meant) != 1:
            places = [one.place.symbol.name for one in self.found]
            values = {"others": "other" if len(places) == 2 else "others"} if meant else {}
            raise CheckError("each-of-several", output.span, places=places, **values)
        number = meant[0] if meant else 0
        return number, self.own[number]


def _slots(kind: Type, span: Span, start: int = 0) -> tuple[Node, ...]:
    """Return the values of a token of a set, or of a part of one."""
    return tuple([stored(TOKEN + start + offset, one, span) for offset, (_, one) in enumerate(layout(kind))])


def _is_of_token(nodes: Sequence[Node]) -> bool:
    """Return whether a name stands for values of a token of a set."""
    parts = [part for node in nodes for part in (node, *node.args)]
    return any(part.op == "var" and isinstance(part.value, int) and part.value >= TOKEN for part in parts)


def _equal(reader: Reader, token: Value, value: tree.Expr | Value) -> Iterator[Node]:
    wanted = value if isinstance(value, Value) else reader.read(value, token.type)
    for left, right in zip(token.nodes, needed(reader.fit(wanted, token.type)), strict=True):
        yield operation("eq", "bool", (left, right), token.span)
