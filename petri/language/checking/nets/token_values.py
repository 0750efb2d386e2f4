"""A number that each token of a place has: its key, its weight, or what a measure sums over the tokens."""

from __future__ import annotations

from petri.language.checking.expressions.keys import Key, one_or_two, parts_of
from petri.language.checking.expressions.names import nodes_in
from petri.language.checking.expressions.reader import Reader, slots_of
from petri.language.checking.nets.targets import Loops
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node
from petri.language.meaning.scope import Scope
from petri.language.meaning.types import Black, Record, Scalar, Type, Unknown, Vector, plainly
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree

Names = dict[str, tuple[Type, tuple[Node, ...]]]


def token_value(
    checker: CheckState, scope: Scope, place: str, kind: Type, e: tree.Expr, what: str, loops: Loops | None = None
) -> tuple[Scalar, Node]:
    """Return the type of an expression of a token's fields, and the expression. Raises CheckError.

    The fields of records are names in it; a scalar is called `value`. kind: of the tokens of the place; what: for
    messages.
    """
    if isinstance(kind, Unknown):
        raise Reported
    if isinstance(kind, Black):
        raise CheckError("key-of-black", e.span, name=place, what=what)
    names = fields_of(kind, e)
    if not names:
        raise Reported
    _refuse_named_token(scope, names, e, what)
    (value,) = Reader(checker, scope, what, variables=names, loops=loops or {}).values(e)
    if not isinstance(value.type, Scalar) or value.type.kind == "bool":
        raise CheckError("key-not-number", e.span, kind=plainly(value.type), what=what)
    return value.type, value.node


def token_key(
    checker: CheckState, scope: Scope, place: str, kind: Type, e: tree.Expr | tree.Keys, what: str, loops: Loops
) -> Key:
    """Return what a place orders its tokens by. Raises CheckError."""

    def of_token(part: tree.Expr) -> tuple[Scalar, Node] | None:
        return checker.problems.attempt(token_value, checker, scope, place, kind, part, what, loops)

    return one_or_two([needed(value) for value in list(map(of_token, parts_of(e)))], e.span)


def fields_of(kind: Type, e: tree.Expr) -> Names:
    """Return what may be named in an expression of a token: its fields, or `value` of a scalar."""
    nodes = slots_of(kind, e.span)
    if isinstance(kind, Vector):
        return {"value": (kind, nodes)}
    if isinstance(kind, Record):
        return {name: (field, nodes[kind.part(name)]) for name, field in kind.fields.items()}
    return {"value": (kind, nodes)} if isinstance(kind, Scalar) else {}


def _refuse_named_token(scope: Scope, names: Names, e: tree.Expr, what: str) -> None:
    """Raise CheckError if a name is used for the token itself, as in `p.size`."""
    for part in nodes_in(e):
        if isinstance(part, tree.Field) and part.name in names and isinstance(part.base, tree.Name):
            name = part.base.name
            if name not in names and scope.find(name) is None:
                raise CheckError("token-has-no-name", part.span, name=name, field=part.name, what=what)
