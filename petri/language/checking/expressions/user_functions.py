"""Functions that a net declares: `fn blocks(s: Bytes): int = ceil(s / 128 B)`.

The expression of a function is read and typed once, with an `argument` node for each slot of its parameters. A call
puts the values of its arguments in their place, so an engine never meets a function.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri.diagnostics import Label
from petri.language.checking.expressions.reader import Reader, numeric_kind, other_count
from petri.language.checking.state import CheckState, Value
from petri.language.meaning.nodes import VARIABLE, Node, operation
from petri.language.meaning.scope import FnSymbol, Scope
from petri.language.meaning.types import Black, Type, Unknown, layout
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.net import Span

MOST_EXPANDED = 2_000_000  # operations that all calls of functions together become


def read_fn(checker: CheckState, symbol: FnSymbol, scope: Scope) -> None:
    """Read the types and the expression of a function; `nodes` stay () on an error."""
    d = symbol.declaration
    names: dict[str, tuple[Type, tuple[Node, ...]]] = {}
    spans: dict[str, Span] = {}
    number = 0
    for name, written, span in d.parameters:
        if name in names:
            checker.problems.twice(name, span, spans[name], "a parameter")
        kind = checker.read_type(written, scope)
        nodes = []
        for _, scalar in layout(kind):
            power = scalar.dimension.time
            nodes.append(Node("argument", numeric_kind(scalar), (), number, span, VARIABLE, power=power))
            number += 1
        names[name], spans[name] = (kind, tuple(nodes)), span
        symbol.parameters.append(kind)
    reader = Reader(checker, scope, "a function", variables=names)
    wanted = checker.read_type(d.type, scope) if d.type is not None else None
    value = reader.read(d.value, wanted)
    found = value.nodes if wanted is None else reader.fit(value, wanted)
    kind = value.type if wanted is None else wanted
    if found and not isinstance(kind, (Black, Unknown)):
        symbol.type, symbol.nodes = kind, tuple(found)


def prepare_call(checker: CheckState, e: tree.Call, symbol: FnSymbol) -> None:
    """Raise CheckError unless the function is known and has as many parameters as the call has arguments."""
    symbol.used = True
    if symbol.state == "busy":
        raise CheckError("function-recursive", e.span, Label(symbol.span, "function-here"), name=symbol.name)
    checker.resolve(symbol)
    names = [name for name, _, _ in symbol.declaration.parameters]
    if len(e.arguments) != len(names):
        raise other_count(e, len(names), f"{symbol.name}({', '.join(names)})")


def call_fn(reader: Reader, e: tree.Call, symbol: FnSymbol) -> Value:
    """Return the expression of a function with the arguments of a call in the place of its parameters."""
    checker = reader.checker
    prepare_call(checker, e, symbol)
    given = [reader.read_as(argument, kind) for argument, kind in zip(e.arguments, symbol.parameters, strict=True)]
    arguments = [node for nodes in given for node in needed(nodes)]
    if not symbol.nodes or checker.expanded > MOST_EXPANDED:
        raise Reported
    known: dict[int, Node] = {}
    nodes = tuple([_with_arguments(node, arguments, known) for node in symbol.nodes])
    checker.expanded += sum(node.size for node in nodes)
    if checker.expanded > MOST_EXPANDED:
        raise CheckError("functions-too-large", e.span, limit=MOST_EXPANDED)
    return Value(symbol.type, nodes, e.span)


def _with_arguments(node: Node, arguments: Sequence[Node], known: dict[int, Node]) -> Node:
    """Return a node with its arguments filled in. known: by the identity of nodes, since parts are shared."""
    if not node.flags & VARIABLE:
        return node
    if node.op == "argument":
        assert isinstance(node.value, int)
        return arguments[node.value]
    if id(node) not in known:
        args = [_with_arguments(arg, arguments, known) for arg in node.args]
        known[id(node)] = operation(node.op, node.kind, args, node.span, value=node.value)
    return known[id(node)]
