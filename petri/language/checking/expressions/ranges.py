"""Ranges of constants, and loops over them."""

from __future__ import annotations

from collections.abc import Container, Sequence

from petri.diagnostics import Label
from petri.language.checking.expressions.reader import Reader, local
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node, constant, evaluate
from petri.language.meaning.scope import ConstantSymbol, IndexRange, Scope, TypeSymbol, kind_of
from petri.language.meaning.templates import LoopTemplate
from petri.language.meaning.types import BOOL, INT, UNKNOWN, Scalar, Unknown, plainly
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Span


def read_range(reader: Reader, e: tree.Range) -> tuple[Scalar, Node, Node] | None:
    """The constant bounds of a range of numbers; reports an error and returns None if there are none."""
    low, high = reader.read(e.low), reader.read(e.high)
    if isinstance(low.type, Unknown) or isinstance(high.type, Unknown):
        return None
    if not reader.is_number(low, "..") or not reader.is_number(high, ".."):
        return None
    common = reader.common(low, high, e.span)
    if common is None:
        return None
    kind, (first, last) = common
    try:
        return kind, folded(first), folded(last)
    except CheckError as fault:
        reader.problems.fault(fault)
        return None


def read_whole_range(reader: Reader, e: tree.Range) -> tuple[Node, Node] | None:
    """The constant bounds of an array's or a loop's indices."""
    bounds = read_range(reader, e)
    if bounds is None:
        return None
    if bounds[0] is not INT:
        reader.problems.error("index-not-int", e.span, kind=plainly(bounds[0]))
        return None
    return bounds[1], bounds[2]


def read_index_range(reader: Reader, e: tree.Range | tree.Name) -> IndexRange | None:
    """The values of an index, from a range or a type; reports an error and returns None if it has none."""
    if isinstance(e, tree.Range):
        bounds = read_whole_range(reader, e)
        return None if bounds is None else IndexRange(INT, *bounds)
    symbol = reader.scope.find(e.name)
    if not isinstance(symbol, TypeSymbol):
        if symbol is not None:
            reader.problems.error("not-a-type", e.span, name=e.name, kind=kind_of(symbol))
        elif not reader.checker.excused(e.name):
            known = (name for name, found in reader.scope.visible() if isinstance(found, TypeSymbol))
            reader.problems.error("unknown-type", e.span, name=e.name, suggestion=reader.problems.meant(e.name, known))
        return None
    kind = reader.checker.resolve_type(symbol)
    if isinstance(kind, Scalar) and kind.kind == "enum":
        low, high = (constant(value, "int", e.span) for value in (0, len(kind.labels) - 1))
        return IndexRange(kind, low, high)
    if isinstance(kind, Scalar) and kind.kind == "int" and kind.low is not None and kind.high is not None:
        return IndexRange(INT, kind.low, kind.high)
    if not isinstance(kind, Unknown):
        reader.problems.error("index-of-no-type", e.span, name=e.name)
    return None


def folded(node: Node) -> Node:
    """The value of a constant that does not depend on an instance. Raises CheckError if it has none."""
    if node.op != "const" and node.fixed and not node.flags:
        return constant(evaluate(node, ()), node.kind, node.span, node.power)
    return node


def read_loops(
    checker: CheckState, scope: Scope, loops: Sequence[tree.Loop]
) -> tuple[dict[str, ConstantSymbol], tuple[LoopTemplate, ...]]:
    """Loop variables, each with its own local. Later ranges may use earlier variables."""
    names: dict[str, ConstantSymbol] = {}
    templates = []
    for loop in loops:
        taken = names.get(loop.variable) or scope.find(loop.variable)
        if isinstance(taken, ConstantSymbol):
            shadows(checker, loop.variable, loop.span, taken.span)
        reader = Reader(checker, scope, "the range of a loop", loops=names)
        found = read_index_range(reader, loop.range)
        number = scope.new_local()
        kind = INT if found is None else found.kind
        variable = loop_variable(loop, kind, local(number, kind, loop.span))
        if found is None:
            variable.type = UNKNOWN  # so that the error is reported only once
        else:
            templates.append(LoopTemplate(number, found.low, found.high, loop.range.span, kind.labels))
        names = {**names, loop.variable: variable}
    return names, tuple(templates)


def loop_variable(loop: tree.Loop, kind: Scalar, node: Node) -> ConstantSymbol:
    return ConstantSymbol(loop.variable, "loop variable", loop.span, type=kind, node=node, state="done", used=True)


def read_condition(reader: Reader, e: tree.Expr | None, barred: Container[str] = ()) -> Node | None:
    """The condition under which a declaration is in the net. barred: variables, whose values no declaration knows."""
    if e is None:
        return None
    constants = Reader(reader.checker, reader.scope, "the condition of a declaration", loops=reader.loops)
    constants.barred = barred
    return constants.read_fixed(e, BOOL)


def shadows(checker: CheckState, name: str, span: Span, first: Span) -> None:
    checker.problems.error("name-shadows", span, Label(first, "first-declared"), name=name)
