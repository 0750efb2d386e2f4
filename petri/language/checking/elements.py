"""The elements of an array of measures: the names of its indices with their values, for one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from petri.language.checking.expressions import Reader
from petri.language.checking.ranges import loop_variable, read_index_range
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import constant, evaluate
from petri.language.meaning.scope import ConstantSymbol
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.structs import Frozen

MOST_MEASURES = 10_000  # of an array


class Element(Frozen):
    """`suffix` is what follows the name of the array, `[gold][2]`; `numbers` are the values of its indices."""

    suffix: str = ""
    numbers: tuple[int, ...] = ()
    names: Mapping[str, ConstantSymbol] = {}


ALONE = Element()
"""The only element of a measure without indices."""


def elements(checker: CheckState, loops: Sequence[tree.Loop]) -> list[Element]:
    """All elements; one without a suffix if there are no indices. Raises CheckError if there are too many."""
    found = [ALONE]
    for loop in loops:
        found = [inner for outer in found for inner in _turns(checker, loop, outer)]
        if len(found) > MOST_MEASURES:
            raise CheckError("too-many-measures", loop.span, limit=MOST_MEASURES)
    return found


def _turns(checker: CheckState, loop: tree.Loop, outer: Element) -> Iterator[Element]:
    """Later ranges may use earlier indices."""
    found = read_index_range(Reader(checker, checker.scope, "the range of a loop", loops=outer.names), loop.range)
    if found is None:
        return
    low, high = (int(evaluate(node, ())) for node in (found.low, found.high))
    if low > high + 1:
        raise CheckError("empty-range", loop.span, low=low, high=high)
    if high - low >= MOST_MEASURES:
        raise CheckError("too-many-measures", loop.span, limit=MOST_MEASURES)
    for number in range(low, high + 1):
        symbol = loop_variable(loop, found.kind, constant(number, "int", loop.span))
        shown = found.kind.labels[number] if found.kind.labels else number
        yield Element(f"{outer.suffix}[{shown}]", (*outer.numbers, number), {**outer.names, loop.variable: symbol})
