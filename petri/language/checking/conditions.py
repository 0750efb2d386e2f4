"""Conditions on the marking from outside the net, such as `tokens(buffer) == 8 and not dead` on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from petri.catalogue.operations import FUNCTIONS
from petri.diagnostics import LanguageError, did_you_mean
from petri.language.checking.checker import Checker
from petri.language.checking.expressions.reader import Reader, other_count
from petri.language.checking.given import parsed, wrong
from petri.language.checking.state import Sources, Value
from petri.language.meaning.nodes import PLACES, Constant, Node, build
from petri.language.meaning.types import BOOL, INT
from petri.language.problems import CheckError, Problems
from petri.language.syntax import tree
from petri.net import Expr, Net, Watched

CALLED = "the condition given"
DEAD = 0  # the variable that says whether no transition can fire


def condition(text: str, net: Net) -> Watched:
    """Return a condition on the marking of a net (M6), with the names of its flat net: `tokens(queue[2])`,
    `tokens(queue[*])`.

    Variable 0 of its value is `dead`, the next ones are the firings in progress. Raises LanguageError.
    """
    problems = Problems()
    only = parsed(text, "condition", CALLED, problems).value
    flat = _Flat(net)
    checker = Checker(Sources(problems), {})

    def counted(e: tree.Call, name: str) -> Value:
        if len(e.arguments) != 1:
            raise other_count(e, 1, FUNCTIONS[name])
        found = flat.find(name, problems.text(e.arguments[0].span), e.arguments[0])
        return Value(INT, (Node("counted", "int", (), found, e.span, PLACES),), e.span)

    dead = Node("truth", "bool", (Node("var", "int", (), DEAD, only.span, PLACES),), None, only.span, PLACES)
    reader = Reader(checker, checker.scope, "a condition", variables={"dead": (BOOL, (dead,))}, counted=counted)
    try:
        nodes = reader.read_as(only, BOOL)
        if nodes is not None:
            return Watched(build(nodes[0], flat), tuple(flat.firings))
    except CheckError as fault:
        problems.fault(fault)
    raise _helped(wrong(problems), net)


def _helped(error: LanguageError, net: Net) -> LanguageError:
    """Report it with another message where a place is named as if it were a number."""
    places = {place.name for place in net.places}
    for found in error.diagnostics:
        if found.id == "unknown-name" and found.values.get("name") in places:
            problems = Problems()
            problems.error("condition-bare", found.span, name=found.values["name"])
            return LanguageError(problems.found, error.sources)
    return error


class _Counted(NamedTuple):
    """kind: "tokens" or "firings". found: the places or transitions."""

    kind: str
    found: list[int]


class _Flat:
    """The environment of a condition: names are those of the flat net."""

    firing = None

    def __init__(self, net: Net) -> None:
        self.net = net
        self.locals: list[Constant] = []
        self.firings: list[int] = []

    def place(self, use: object) -> int:
        raise NotImplementedError("conditions count tokens")

    def find(self, kind: str, text: str, at: tree.Expr) -> _Counted:
        """Return the places or transitions of a name; `[*]` are all of an array. Raises CheckError."""
        names = [one.name for one in (self.net.places if kind == "tokens" else self.net.transitions)]
        pattern = re.escape(_squeezed(text)).replace(r"\*", r"[^,\]]+")
        found = [number for number, name in enumerate(names) if re.fullmatch(pattern, _squeezed(name))]
        if not found:
            what = "place" if kind == "tokens" else "transition"
            raise CheckError("condition-name", at.span, kind=what, name=text, suggestion=did_you_mean(text, names))
        if kind == "firings" and any(self.net.transitions[number].clock is not None for number in found):
            raise CheckError("firings-of-clock", at.span, name=text)
        return _Counted(kind, found)

    @property
    def counted(self) -> Callable[[object], Sequence[Expr]]:
        return self._counted

    def _counted(self, target: object) -> Sequence[Expr]:
        assert isinstance(target, _Counted)
        kind, found = target
        if kind == "tokens":
            return [Expr("tokens", "int", (), place) for place in found]
        self.firings += [number for number in found if number not in self.firings]
        return [Expr("var", "int", (), 1 + self.firings.index(number)) for number in found]


def _squeezed(name: str) -> str:
    return "".join(name.split())
