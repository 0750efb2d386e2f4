"""Expressions of the marking in measures: `tokens(up) >= 2 and tokens(engine[*].alu) > 0` (M6)."""

from __future__ import annotations

from petri.catalogue.operations import FUNCTIONS
from petri.language.checking.expressions.names import names_in, nodes_in
from petri.language.checking.expressions.reader import Reader, other_count
from petri.language.checking.nets.targets import Loops, find_target
from petri.language.checking.state import CheckState, Value
from petri.language.meaning.nodes import PLACES, Node
from petri.language.meaning.scope import ScheduleSymbol, Scope
from petri.language.meaning.types import INT
from petri.language.syntax import tree

COUNTS = {"tokens": "a place", "firings": "a transition"}


def reads_marking(e: tree.Expr, scope: Scope) -> bool:
    """Return whether an expression asks for numbers of tokens or firings, or for the value of a schedule."""
    calls = (part.function for part in nodes_in(e) if isinstance(part, tree.Call))
    asks = any(isinstance(function, tree.Name) and function.name in COUNTS for function in calls)
    return asks or any(isinstance(scope.find(name), ScheduleSymbol) for name in names_in(e))


def marking_reader(checker: CheckState, scope: Scope, loops: Loops) -> Reader:
    """Read expressions in which `tokens(…)` and `firings(…)` count what a path leads to, also all of an array."""

    def counted(e: tree.Call, name: str) -> Value:
        if len(e.arguments) != 1:
            raise other_count(e, 1, FUNCTIONS[name])
        target = find_target(checker, scope, e.arguments[0], COUNTS[name], loops)
        return Value(INT, (Node("counted", "int", (), target, e.span, PLACES),), e.span)

    return Reader(checker, scope, "a measure", loops=loops, counted=counted)
