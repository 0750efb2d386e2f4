"""The turns of loops, in which arrays of instances, of transitions, of tokens and of measures are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from petri.language.flattening.instance import Instance
from petri.language.meaning.nodes import evaluate
from petri.language.meaning.templates import LoopTemplate
from petri.language.problems import CheckError
from petri.net import Span


def turns(
    loops: Sequence[LoopTemplate],
    instance: Instance,
    allow: Callable[[int, Span], None],
    given: Sequence[int | None] = (),
) -> Iterator[str]:
    """Run the loops, the last one fastest: sets their locals, and yields `[i][j]` for each iteration.

    allow: called with the number of turns of a loop, raises CheckError if these are too many. given: for each loop the
    only value that it takes, None for all; without it all loops take all.
    """
    if not loops:
        yield ""
        return
    loop, only = loops[0], given[0] if given else None
    low, high = (int(evaluate(node, instance.locals)) for node in (loop.low, loop.high))
    if low > high + 1:
        raise CheckError("empty-range", loop.span, low=low, high=high)
    allow(max(0, high - low + 1), loop.span)
    inner = loops[1:]
    for value in range(low, high + 1) if only is None else [only] if low <= only <= high else []:
        instance.locals[loop.local] = value
        shown = loop.labels[value] if loop.labels else value
        if not inner:
            yield f"[{shown}]"
            continue
        for suffix in turns(inner, instance, allow, given[1:]):
            yield f"[{shown}]{suffix}"
