"""Ranges of constants, and loops over them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from petri.diagnostics import Label
from petri.language.checking.expressions.reader import Reader, local
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node, constant, evaluate
from petri.language.meaning.scope import ConstantSymbol, IndexRange, PlaceSymbol, Scope
from petri.language.meaning.templates import LoopTemplate
from petri.language.meaning.types import BOOL, INT, UNKNOWN, Scalar, Unknown, plainly
from petri.language.problems import CheckError, Reported
from petri.language.syntax import tree
from petri.net import Span


def read_range(reader: Reader, e: tree.Range) -> tuple[Scalar, Node, Node]:
    """Return the constant bounds of a range of numbers. Raises CheckError if there are none."""
    kind, (first, last) = reader.common_ends(e, "..")
    return kind, folded(first), folded(last)


def read_whole_range(reader: Reader, e: tree.Range) -> tuple[Node, Node]:
    """Return the constant bounds of an array's or a loop's indices."""
    kind, low, high = read_range(reader, e)
    if kind is not INT:
        raise CheckError("index-not-int", e.span, kind=plainly(kind))
    return low, high


def read_index_range(reader: Reader, e: tree.Range | tree.Name) -> IndexRange:
    """Return the values of an index, from a range or a type. Raises CheckError if it has none."""
    if isinstance(e, tree.Range):
        return IndexRange(INT, *read_whole_range(reader, e))
    kind = reader.checker.resolve_type(reader.checker.type_named(e.name, e.span, reader.scope))
    if isinstance(kind, Scalar) and kind.kind == "enum":
        low, high = (constant(value, "int", e.span) for value in (0, len(kind.labels) - 1))
        return IndexRange(kind, low, high)
    if isinstance(kind, Scalar) and kind.kind == "int" and kind.low is not None and kind.high is not None:
        return IndexRange(INT, kind.low, kind.high)
    raise Reported if isinstance(kind, Unknown) else CheckError("index-of-no-type", e.span, name=e.name)


def index_ranges(reader: Reader, written: Iterable[tree.Range | tree.Name]) -> tuple[IndexRange, ...]:
    """Return the values of the indices of an array; of one whose range is wrong, which is reported, a single value."""
    found = [reader.problems.attempt(read_index_range, reader, one) for one in written]
    return tuple([one or _ONE for one in found])


_ZERO = Node("const", "int", value=0)
_ONE = IndexRange(INT, _ZERO, _ZERO)


def folded(node: Node) -> Node:
    """Return the value of a constant that does not depend on an instance. Raises CheckError if it has none."""
    if node.op != "const" and node.fixed and not node.flags:
        return constant(evaluate(node, ()), node.kind, node.span, node.power)
    return node


def read_loops(
    checker: CheckState, scope: Scope, loops: Sequence[tree.Loop], outer: Mapping[str, ConstantSymbol] | None = None
) -> tuple[dict[str, ConstantSymbol], tuple[LoopTemplate, ...]]:
    """Loop variables, each with its own local, and those outside. Later ranges may use earlier variables."""
    names: dict[str, ConstantSymbol] = dict(outer or {})
    templates = []
    for loop in loops:
        taken = names.get(loop.variable) or scope.find(loop.variable)
        if isinstance(taken, ConstantSymbol):
            shadows(checker, loop.variable, loop.span, taken.span)
        reader = Reader(checker, scope, "the range of a loop", loops=names)
        found = checker.problems.attempt(read_index_range, reader, loop.range)
        number = scope.new_local()
        kind = INT if found is None else found.kind
        variable = loop_variable(loop, kind, local(number, kind, loop.span))
        if found is None:
            variable.type = UNKNOWN  # so that the error is reported only once
        else:
            templates.append(LoopTemplate(number, found.low, found.high, loop.range.span, kind.labels))
        names = {**names, loop.variable: variable}
    return names, tuple(templates)


def named_indices(
    checker: CheckState, scope: Scope, d: tree.Place | tree.Port, symbol: PlaceSymbol
) -> tuple[dict[str, ConstantSymbol], tuple[int | None, ...]]:
    """Return the named indices of an array of places, `up[k in Kind]`; for each index its local, or None."""
    names: dict[str, ConstantSymbol] = {}
    numbers: list[int | None] = []
    for written, index in zip(d.size, symbol.indices, strict=True):
        if not isinstance(written, tree.Loop):
            numbers.append(None)
            continue
        taken = names.get(written.variable) or scope.find(written.variable)
        if isinstance(taken, ConstantSymbol):
            shadows(checker, written.variable, written.span, taken.span)
        number = scope.new_local()
        numbers.append(number)
        names[written.variable] = loop_variable(written, index.kind, local(number, index.kind, written.span))
    return names, tuple(numbers)


def loop_variable(loop: tree.Loop, kind: Scalar, node: Node) -> ConstantSymbol:
    return ConstantSymbol(loop.variable, "loop variable", loop.span, type=kind, node=node, state="done", used=True)


def read_condition(reader: Reader, e: tree.Expr | None, barred: Container[str] = ()) -> Node | None:
    """Return the condition under which a declaration is in the net. barred: variables that it cannot read."""
    if e is None:
        return None
    constants = Reader(reader.checker, reader.scope, "the condition of a declaration", loops=reader.loops)
    constants.barred = barred
    return constants.read_fixed(e, BOOL)


def shadows(checker: CheckState, name: str, span: Span, first: Span) -> None:
    checker.problems.error("name-shadows", span, Label(first, "first-declared"), name=name)
