"""The turns of loops, in which arrays of instances, of transitions, of tokens and of measures are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from petri.language.flattening.instance import Instance
from petri.language.meaning.nodes import evaluate
from petri.language.meaning.templates import LoopTemplate
from petri.language.problems import CheckError
from petri.net import Span

Allow = Callable[[int, Span], None]
"""Called with the number of turns of a loop; raises CheckError if these are too many."""


def turns(
    loops: Sequence[LoopTemplate], instance: Instance, allow: Allow, given: Sequence[int | None] = ()
) -> Iterator[str]:
    """Run the loops, the last one fastest: sets their locals, and yields `[i][j]` for each iteration.

    given: for each loop the only value that it takes, None for all; without it all loops take all.
    """
    if not loops:
        yield ""
        return
    for outer, values in rows(loops, instance, allow, given):
        for value in values:
            yield outer + begin_turn(loops[-1], value, instance)


def rows(
    loops: Sequence[LoopTemplate], instance: Instance, allow: Allow, given: Sequence[int | None] = ()
) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield for each turn of all loops but the last, as of `turns`: its `[i]`, and the values that the last loop takes.

    There is at least one loop.
    """
    loop, only = loops[0], given[0] if given else None
    low, high = (int(evaluate(node, instance.locals)) for node in (loop.low, loop.high))
    if low > high + 1:
        raise CheckError("empty-range", loop.span, low=low, high=high)
    allow(high - low + 1, loop.span)
    values = range(low, high + 1) if only is None else [only] if low <= only <= high else []
    if len(loops) == 1:
        yield "", values
        return
    for value in values:
        shown = begin_turn(loop, value, instance)
        for outer, inner in rows(loops[1:], instance, allow, given[1:]):
            yield shown + outer, inner


def begin_turn(loop: LoopTemplate, value: int, instance: Instance) -> str:
    """Set the local of the loop; returns its `[i]`."""
    instance.locals[loop.local] = value
    return label(loop, value)


def label(loop: LoopTemplate, value: int) -> str:
    return f"[{loop.labels[value] if loop.labels else value}]"
