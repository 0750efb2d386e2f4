"""Keys by which tokens and bindings are ordered: `by class`, `prefer least (class, came)`."""

from __future__ import annotations

from collections.abc import Sequence

from petri.diagnostics import Label
from petri.language.meaning.nodes import Node, constant, evaluate, operation, to_slot
from petri.language.meaning.types import INT, Scalar
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import Span

MOST_TOGETHER = 2**53  # values of keys that become one number

Key = tuple[Node, Node | None]
"""What tokens are ordered by: a key, and another for those in which it is equal."""


def parts_of(e: tree.Expr | tree.Keys) -> Sequence[tree.Expr]:
    return e.parts if isinstance(e, tree.Keys) else (e,)


def one_or_two(values: Sequence[tuple[Scalar, Node]], span: Span) -> Key:
    """Return the keys, as few as engines know: neighbours that have a few values each become one number.

    Raises CheckError if more than two are left.
    """
    found: list[tuple[Scalar, Node]] = []
    for kind, node in values:
        sizes = (_size(kind), _size(found[-1][0])) if found else (None, None)
        if sizes[0] is not None and sizes[1] is not None and sizes[0] * sizes[1] <= MOST_TOGETHER:
            found[-1] = _both(found[-1], (kind, node), span)
        else:
            found.append((kind, node))
    if len(found) > 2:
        found = _fewer(found, span)
    if len(found) > 2:
        labels = [Label(node.span, "one-number") for _, node in found if node.span is not None]
        raise CheckError("too-many-keys", span, *labels, count=len(found))
    nodes = [to_slot(node) for _, node in found]
    return nodes[0], nodes[1] if len(nodes) > 1 else None


def _fewer(values: Sequence[tuple[Scalar, Node]], span: Span) -> list[tuple[Scalar, Node]]:
    """Make an int without bounds and a key with a few values one number, too, if that fits into 64 bits."""
    found: list[tuple[Scalar, Node]] = []
    for kind, node in values:
        if found and found[-1][0].kind == "int" and _size(kind) is not None:
            found[-1] = (INT, _joined(found[-1], (kind, node), span))
        else:
            found.append((kind, node))
    return found


def _size(kind: Scalar) -> int | None:
    """Return how many values there are, if that is known before the net is flat."""
    if kind.kind in ("bool", "enum"):
        return len(kind.labels)
    bounds = (kind.low, kind.high)
    if kind.kind != "int" or any(bound is None or not bound.fixed or bound.flags for bound in bounds):
        return None
    low, high = (int(evaluate(needed(bound), ())) for bound in bounds)
    return high - low + 1


def _both(one: tuple[Scalar, Node], other: tuple[Scalar, Node], span: Span) -> tuple[Scalar, Node]:
    """Return two keys of a few values each as one."""
    size = needed(_size(other[0]))
    low, count = _least(one[0]) * size, needed(_size(one[0])) * size
    ends = constant(low, "int", span), constant(low + count - 1, "int", span)
    return Scalar("int", low=ends[0], high=ends[1]), _joined(one, other, span)


def _joined(one: tuple[Scalar, Node], other: tuple[Scalar, Node], span: Span) -> Node:
    """Return one number in the order of two: the first, times the number of values of the second, and the second."""

    def of(op: str, left: Node, right: int) -> Node:
        return operation(op, "int", (left, constant(right, "int", span)), span)

    first = of("mul", to_slot(one[1]), needed(_size(other[0])))
    return operation("add", "int", (first, of("sub", to_slot(other[1]), _least(other[0]))), span)


def _least(kind: Scalar) -> int:
    return 0 if kind.kind != "int" else int(evaluate(needed(kind.low), ()))
