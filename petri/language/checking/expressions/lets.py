"""The values that a transition names: `let x = p.size + header`.

A `let` names an expression and may be used wherever that expression may be used. It is read when it is first needed,
so the order of the names does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from petri.language.checking.expressions.names import names_in
from petri.language.checking.expressions.reader import Permission, Reader
from petri.language.checking.state import Value
from petri.language.meaning.nodes import CHANCE, END, NOW, PLACES, TAKEN, VARIABLE
from petri.language.problems import Reported
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
                self.reader.problems.twice(let.name, let.name_span, self.declared[let.name].name_span, "a `let`")
            self.declared.setdefault(let.name, let)
        self._named = {name: frozenset(names_in(let.value)) for name, let in self.declared.items()}
        self._needing_draws: dict[str, frozenset[str]] = {}
        self._values: dict[str, Value | None] = {}  # None while it is being read

    def __contains__(self, name: str) -> bool:
        return name in self.declared

    def expanded(self, names: Iterable[str]) -> set[str]:
        """Return the names, and those in the expressions that they stand for."""
        return _reached(names, self._named)

    def _needing(self, draw: str) -> frozenset[str]:
        """Return the lets that stand for something with this draw."""
        if draw not in self._needing_draws:
            users: dict[str, list[str]] = {}
            for name, inner in self._named.items():
                for one in inner:
                    users.setdefault(one, []).append(name)
            self._needing_draws[draw] = frozenset(_reached([draw], users))
        return self._needing_draws[draw]

    def use(self, name: str, reader: Reader, span: Span) -> Value:
        """Return the value where `reader` reads; an error where its expression could not be written there."""
        early = next((draw for draw in self.reader.awaited if name in self._needing(draw)), None)
        if early is not None:
            reader.tell_awaited(early, span, name)
            raise Reported
        value = self._value(name)
        flags = 0
        for node in value.nodes:
            flags |= node.flags
        if flags & (VARIABLE | CHANCE | TAKEN) and reader.variables is not self.reader.variables:
            reader.tell_barred(name, span)
            raise Reported
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
        """Return all values, after everything else of the transition has been read."""
        return {name: self._value(name) for name in self.declared}


def _reached(names: Iterable[str], leads: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the names, and all to which they lead, directly or through others."""
    found = set(names)
    waiting = list(found)
    while waiting:
        new = set(leads.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
