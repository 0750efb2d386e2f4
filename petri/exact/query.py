"""Conditions on states, as text: `tokens(buffer) == 8 and not dead`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from petri.diagnostics import Diagnostic, LanguageError, did_you_mean
from petri.net import Net
from petri.structs import Frozen

_SIGNS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_PIECE: Final = re.compile(r"\s*(?:(\d+)|([A-Za-z_][\w.\[\]]*)|(==|!=|<=|>=|[-<>+*()]))")
MOST_DEEP: Final = 100  # brackets, one in the other

Columns = Mapping[str, Callable[[int], Any]]
"""What a condition asks of states, by the function's name: `tokens` of a place, `firing` of a transition."""
Found = Callable[[Columns], Any]
"""A part of a condition: its value in each state."""


class Query(Frozen):
    """A condition, as a function of what it asks for; `dead` is asked for with the number 0."""

    text: str
    find: Found

    def holds(self, columns: Columns, states: int) -> Any:
        """In which of the states it holds."""
        return np.broadcast_to(np.asarray(self.find(columns), dtype=bool), (states,))


def parse_query(text: str, net: Net) -> Query:
    """The condition of a text. Raises LanguageError."""
    return Query(text, _Parser(text, net).whole())


class _Parser:
    """By recursive descent: or, and, not, comparisons, sums, products."""

    def __init__(self, text: str, net: Net) -> None:
        self.text, self.net = text, net
        self.pieces: list[str] = []
        self.deep = 0
        position = 0
        while text[position:].strip():
            found = _PIECE.match(text, position)
            if found is None:
                raise self.wrong("exact-query", at=text[position:].strip().split()[0])
            self.pieces.append(found[1] or found[2] or found[3])
            position = found.end()
        self.pieces.append("")

    def wrong(self, reason: str, **values: Any) -> LanguageError:
        return LanguageError([Diagnostic(reason, values={"text": self.text, **values})])

    def whole(self) -> Found:
        found = self.either()
        if self.pieces[0]:
            raise self.wrong("exact-query", at=self.pieces[0])
        return found

    def take(self, *wanted: str) -> str | None:
        """The next piece if it is one of these."""
        return self.pieces.pop(0) if self.pieces[0] in wanted and self.pieces[0] else None

    def chain(self, signs: Mapping[str, Callable[[Any, Any], Any]], part: Callable[[], Found]) -> Found:
        """Parts with one of these signs between them, from left to right."""
        found = part()
        while sign := self.take(*signs):
            found = _joined(signs[sign], found, part())
        return found

    def either(self) -> Found:
        return self.chain({"or": np.logical_or}, self.both)

    def both(self) -> Found:
        return self.chain({"and": np.logical_and}, self.negated)

    def negated(self) -> Found:
        if self.take("not"):
            inner = self.nested(self.negated)
            return lambda columns: np.logical_not(inner(columns))
        return self.comparison()

    def comparison(self) -> Found:
        found = self.sum()
        if sign := self.take(*_SIGNS):
            return _joined(_SIGNS[sign], found, self.sum())
        return found

    def sum(self) -> Found:
        return self.chain({"+": operator.add, "-": operator.sub}, self.product)

    def product(self) -> Found:
        return self.chain({"*": operator.mul}, self.single)

    def nested(self, inner: Callable[[], Found]) -> Found:
        self.deep += 1
        if self.deep > MOST_DEEP:
            raise self.wrong("exact-query", at=self.pieces[0])
        found = inner()
        self.deep -= 1
        return found

    def single(self) -> Found:
        piece = self.pieces.pop(0) if self.pieces[0] else ""
        if piece.isdecimal():
            number = int(piece)
            if number > 2**62:
                raise self.wrong("exact-query", at=piece)
            return lambda columns: number
        if piece == "(":
            found = self.nested(self.either)
            if not self.take(")"):
                raise self.wrong("exact-query", at=self.pieces[0])
            return found
        if piece == "dead":
            return lambda columns: columns["dead"](0)
        if piece in ("tokens", "firing") and self.take("("):
            name = self.pieces.pop(0) if self.pieces[0] else ""
            index = self.index(piece, name)
            if not self.take(")"):
                raise self.wrong("exact-query", at=self.pieces[0])
            return lambda columns: columns[piece](index)
        known = [place.name for place in self.net.places]
        if piece in known:
            raise self.wrong("exact-query-bare", at=piece)
        raise self.wrong("exact-query", at=piece)

    def index(self, function: str, name: str) -> int:
        items = self.net.places if function == "tokens" else self.net.transitions
        names = [one.name for one in items]
        if name in names:
            return names.index(name)
        kind = "place" if function == "tokens" else "transition"
        raise self.wrong("exact-query-name", name=name, kind=kind, suggestion=did_you_mean(name, names))


def _joined(how: Callable[[Any, Any], Any], one: Found, other: Found) -> Found:
    return lambda columns: how(one(columns), other(columns))
