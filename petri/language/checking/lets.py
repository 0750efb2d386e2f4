"""The values that a transition names: `let x = p.size + header`.

A `let` names an expression and may be used wherever that expression may be used. It is read when it is first needed,
so the order of the names does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from petri.diagnostics import Label
from petri.language.checking.expressions import Permission, Reader
from petri.language.checking.names import names_in
from petri.language.checking.state import Value
from petri.language.meaning.nodes import CHANCE, END, NOW, PLACES, VARIABLE
from petri.language.syntax import tree
from petri.net import Span

_NEEDS: tuple[tuple[int, Permission], ...] = ((PLACES, "tokens"), (NOW, "now"), (END, "end"))


class Lets:
    """The names of one transition, and their values as far as they have been read."""

    def __init__(self, declared: Sequence[tree.Let], reader: Reader) -> None:
        """reader: knows the variables of the transition."""
        self.reader = reader.allowing("a `let`", "tokens", "now", "end")
        self.reader.lets = self
        self.declared: dict[str, tree.Let] = {}
        for let in declared:
            if let.name in self.declared:
                label = Label(self.declared[let.name].name_span, "first-declared")
                self.reader.problems.error("name-twice", let.name_span, label, name=let.name, kind="a `let`")
            self.declared.setdefault(let.name, let)
        self._meant = {name: self._all_names(name) for name in self.declared}
        self._values: dict[str, Value | None] = {}  # None while it is being read

    def __contains__(self, name: str) -> bool:
        return name in self.declared

    def _all_names(self, name: str) -> frozenset[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for inner in names_in(self.declared[waiting.pop()].value):
                if inner not in found:
                    found.add(inner)
                    if inner in self.declared:
                        waiting.append(inner)
        return frozenset(found)

    def expanded(self, names: Iterable[str]) -> set[str]:
        """The names, and those in the expressions that they stand for."""
        listed = set(names)
        return listed.union(*(self._meant[name] for name in listed if name in self._meant))

    def use(self, name: str, reader: Reader, span: Span) -> Value:
        """The value at a place where `reader` reads; an error where its expression could not be written there."""
        awaited = self.reader.awaited
        early = next((draw for draw in awaited if draw in self._meant[name]), None)
        if early is not None:
            reader.tell_awaited(early, span, name)
            return Value.unknown(span)
        value = self._value(name)
        flags = 0
        for node in value.nodes:
            flags |= node.flags
        if flags & (VARIABLE | CHANCE) and reader.variables is not self.reader.variables:
            reader.tell_barred(name, span)
            return Value.unknown(span)
        for flag, word in _NEEDS:
            if flags & flag:
                reader.permit(word, span)
        return Value(value.type, value.nodes, span, value.zero)

    def _value(self, name: str) -> Value:
        let = self.declared[name]
        if name not in self._values:
            self._values[name] = None
            self._values[name] = self.reader.read(let.value)
        found = self._values[name]
        if found is None:
            self.reader.problems.error("circular-definition", let.name_span, name=name)
            return Value.unknown(let.span)
        return found

    def finish(self) -> dict[str, Value]:
        """All values, after everything else of the transition has been read."""
        return {name: self._value(name) for name in self.declared}
