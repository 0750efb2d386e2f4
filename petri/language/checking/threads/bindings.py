"""What the patterns of steps bind, and how the tokens that a step takes are written to give them back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from petri.language.checking.expressions.names import nodes_in
from petri.language.checking.expressions.reader import Permission, Reader, slots_of
from petri.language.checking.nets.patterns import PatternReader
from petri.language.checking.nets.terms import array_of, split_term
from petri.language.checking.state import CheckState
from petri.language.checking.threads.graph import Scope, Variable
from petri.language.meaning.scope import ConstantSymbol, PlaceSymbol
from petri.language.meaning.scope import Scope as Names
from petri.language.meaning.types import UNKNOWN, Record, Type, Unknown, layout
from petri.language.problems import Problems
from petri.language.syntax import tree
from petri.structs import replace


class Bindings:
    """Types of the values in a thread. Errors are left to the check of the transitions that the thread becomes."""

    def __init__(self, checker: CheckState, scope: Names, loops: Mapping[str, ConstantSymbol]) -> None:
        self.checker = checker
        self.names = scope
        self.loops = loops
        self._fresh: dict[str, int] = {}

    def _reader(self, scope: Scope) -> Reader:
        variables = {name: (known.type, slots_of(known.type, None)) for name, known in scope.items()}
        allowed: frozenset[Permission] = frozenset(("tokens", "now", "end", "draw"))
        step = Reader(self.checker, self.names, "a step", allowed, variables, self.loops, binds=True)
        return replace(step, own_problems=Problems())

    def type_of(self, e: tree.Expr, scope: Scope) -> Type:
        return self._reader(scope).read(e).type

    def misfit(self, e: tree.Expr, wanted: Type, scope: Scope) -> Type | None:
        """Return the type of a value that is not of the type wanted; None if it is, or has an error of its own."""
        reader = self._reader(scope)
        value = reader.read(e, wanted)
        fits = isinstance(value.type, Unknown) or isinstance(wanted, Unknown) or reader.fit(value, wanted) is not None
        return None if fits else value.type

    def place(self, e: tree.Expr) -> PlaceSymbol | None:
        """Return the place, or array of places, of an arc's term."""
        _, place, _ = split_term(e)
        base = array_of(place)
        symbol = self.names.find(base.name) if isinstance(base, tree.Name) else None
        return symbol if isinstance(symbol, PlaceSymbol) else None

    def given(self, output: tree.Expr) -> Iterator[PlaceSymbol]:
        """Yield the places, or arrays of places, to which an output may give."""
        if isinstance(output, tree.Delayed):
            yield from self.given(output.output)
        elif isinstance(output, tree.If):
            yield from self.given(output.then)
            yield from () if output.otherwise is None else self.given(output.otherwise)
        elif (symbol := self.place(output)) is not None:
            yield symbol

    def asked(self, e: object) -> list[PlaceSymbol]:
        """Return the places, or arrays of places, whose numbers of tokens an expression asks for."""
        calls = (part for part in nodes_in(e) if isinstance(part, tree.Call))
        asked = (call for call in calls if isinstance(call.function, tree.Name) and call.function.name == "tokens")
        places = (self.place(argument) for call in asked for argument in call.arguments)
        return [place for place in places if place is not None]

    def of_arc(self, arc: tree.Arc, scope: Scope) -> Scope:
        """Return the values that an arc binds."""
        symbol = self.place(arc.term)
        arguments = split_term(arc.term)[2]
        if arc.mode not in ("take", "read") or len(arguments) != 1:
            return {}
        return self.of_pattern(arguments[0], symbol.type if symbol else UNKNOWN, scope)

    def of_pattern(self, pattern: tree.Expr, kind: Type, scope: Scope) -> Scope:
        patterns = PatternReader(self._reader(scope))
        if isinstance(kind, Unknown):
            found = pattern.name if isinstance(pattern, tree.Name) else ""
            new = found not in ("", "_") and patterns.constant(found) is None and found not in scope
            return {found: Variable(UNKNOWN, pattern.span)} if new else {}
        parts = patterns.parts(pattern, kind)
        return {p.name: Variable(p.type, p.span) for p in parts if p.name is not None and p.name not in scope}

    # ------------------------------------------------------------ giving back

    def given_back(self, arc: tree.Arc) -> tuple[tree.Arc, tree.Expr | None]:
        """Return the arc with a name for every part of its tokens, and the output that gives the same tokens back."""
        symbol = self.place(arc.term)
        count, place, arguments = split_term(arc.term)
        if arc.mode != "take" or symbol is None:
            return arc, None
        if not layout(symbol.type) or count is not None or len(arguments) > 1:
            return arc, arc.term
        pattern = arguments[0] if arguments else tree.Name("_", arc.span)
        complete = self._complete(pattern, symbol.type, symbol.name)
        term = tree.Call(place, (complete,), arc.term.span)
        return replace(arc, term=term), term

    def _complete(self, e: tree.Expr, kind: Type, name: str) -> tree.Expr:
        """Return a pattern that names every value of the token, so that it is the token's value as well."""
        if isinstance(e, tree.Name) and e.name == "_":
            return tree.Name(self.fresh(name), e.span)
        if isinstance(e, tree.Record) and isinstance(kind, Record):
            given = {field: (value, span) for field, value, span in e.fields}
            fields = []
            for field, part in kind.fields.items():
                value, span = given.get(field, (tree.Name("_", e.span), e.span))
                whole = tree.Name(field, span) if value is None else value
                fields.append((field, self._complete(whole, part, field), span))
            known = [one for one in e.fields if one[0] not in kind.fields]
            return replace(e, fields=(*fields, *known))
        if isinstance(e, tree.Call) and isinstance(kind, Record) and len(e.arguments) == len(kind.fields):
            parts = zip(e.arguments, kind.fields.items(), strict=True)
            return replace(e, arguments=tuple(self._complete(a, part, field) for a, (field, part) in parts))
        return e

    def fresh(self, name: str) -> str:
        """Return a name that no text can contain."""
        self._fresh[name] = self._fresh.get(name, 0) + 1
        number = self._fresh[name]
        return f"{name}'" if number == 1 else f"{name}'{number}"


def may_be_one(one: PlaceSymbol, other: PlaceSymbol) -> bool:
    """Return whether two names may be those of one place: two ports may be connected to the same one."""
    return one is other or (one.port and other.port)
