"""A number that each token of a place has: its key, its weight, or what a measure sums over the tokens."""

from __future__ import annotations

from petri.language.checking.expressions.names import fields_in
from petri.language.checking.expressions.reader import Reader, variable
from petri.language.checking.nets.targets import Loops
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node, truth
from petri.language.meaning.scope import Scope
from petri.language.meaning.types import Black, Record, Scalar, Type, Unknown, layout, plainly
from petri.language.syntax import tree

Names = dict[str, tuple[Type, tuple[Node, ...]]]


def token_value(
    checker: CheckState,
    scope: Scope,
    place: str,
    kind: Type,
    e: tree.Expr | None,
    what: str,
    loops: Loops | None = None,
) -> tuple[Scalar, Node] | None:
    """The type of an expression of a token's fields, and the expression; None if there is none, or it is wrong.

    The fields of records are names in it; a scalar is called `value`. kind: of the tokens of the place; what: for
    messages.
    """
    if e is None or isinstance(kind, Unknown):
        return None
    if isinstance(kind, Black):
        checker.problems.error("key-of-black", e.span, name=place, what=what)
        return None
    names = _names(kind, e)
    if not names or _named_token(checker, scope, names, e, what):
        return None
    value = Reader(checker, scope, what, variables=names, loops=loops or {}).read(e)
    if isinstance(value.type, Unknown):
        return None
    if not isinstance(value.type, Scalar) or value.type.kind == "bool":
        checker.problems.error("key-not-number", e.span, kind=plainly(value.type), what=what)
        return None
    return value.type, value.node


def _names(kind: Type, e: tree.Expr) -> Names:
    nodes = []
    for number, (_, scalar) in enumerate(layout(kind)):
        node = variable(number, scalar, e.span)
        nodes.append(truth(node) if scalar.kind == "bool" else node)
    if isinstance(kind, Record):
        return {name: (field, tuple(nodes[kind.part(name)])) for name, field in kind.fields.items()}
    return {"value": (kind, tuple(nodes))} if isinstance(kind, Scalar) else {}


def _named_token(checker: CheckState, scope: Scope, names: Names, e: tree.Expr, what: str) -> bool:
    """Whether a name is used for the token itself, as in `p.size`; then it is reported."""
    for part in fields_in(e):
        if part.name in names and isinstance(part.base, tree.Name):
            name = part.base.name
            if name not in names and scope.find(name) is None:
                checker.problems.error("token-has-no-name", part.span, name=name, field=part.name, what=what)
                return True
    return False
