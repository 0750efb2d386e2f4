"""How many places, transitions and instances a net will have, counted before any of them is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from petri.language.flattening.instance import Instance, in_net, set_parameter
from petri.language.meaning.nodes import Constant, Node, evaluate
from petri.language.meaning.templates import Body, InstanceTemplate, LoopTemplate
from petri.language.problems import CheckError
from petri.net import Span

MOST_ELEMENTS = 2_000_000  # places, transitions and instances of a flat net
DEEPEST_INSTANCE = 64


class ElementCounter:
    """Counts each module once for each list of arguments, however many instances there are of it.

    What else is wrong with a net is not told here: a part that cannot be evaluated counts as far as it was understood.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, tuple[Constant, ...]], int] = {}

    def count(self, body: Body, instance: Instance, depth: int = 0) -> int:
        """The elements of an instance with all that it contains; its locals hold the values of the parameters.

        Raises CheckError where they are more than MOST_ELEMENTS, and where instances nest deeper than DEEPEST_INSTANCE.
        """
        key = (id(body), depth, tuple(instance.locals))
        if key not in self._known:
            found = 0
            for span, more in self._parts(body, instance, depth):
                found = _sum(found, more, span)
            self._known[key] = found
        return self._known[key]

    def _parts(self, body: Body, instance: Instance, depth: int) -> Iterator[tuple[Span, int]]:
        values = instance.locals
        try:
            for local, node in body.constants:
                values[local] = evaluate(node, values)
            for place in body.places:
                if in_net(place.condition, instance):
                    length = 1
                    for index in place.symbol.indices:
                        length *= _length(index.low, index.high, values)
                    yield place.span, length
            for transition in body.transitions:
                if transition.loops or in_net(transition.condition, instance):
                    for turns in _turns(transition.loops, values):
                        yield transition.span, turns
            for inner in body.instances:
                yield from self._instances(inner, instance, depth)
        except CheckError as fault:
            if fault.identifier in ("net-too-large", "instance-too-deep"):
                raise

    def _instances(self, t: InstanceTemplate, outer: Instance, depth: int) -> Iterator[tuple[Span, int]]:
        if depth >= DEEPEST_INSTANCE:
            raise CheckError("instance-too-deep", t.span, module=t.body.name, limit=DEEPEST_INSTANCE)
        for turns in _turns(t.loops, outer.locals):
            last = t.loops[-1] if t.loops else None
            first = 0 if last is None else int(evaluate(last.low, outer.locals))
            _sum(0, turns, t.span)
            for turn in range(turns):
                if last is not None:
                    outer.locals[last.local] = first + turn
                if not in_net(t.condition, outer):
                    continue
                instance = Instance(t.body, "")
                for parameter in t.parameters:
                    set_parameter(t.body, parameter, outer, instance)
                yield t.span, 1 + self.count(t.body, instance, depth + 1)


def _turns(loops: Sequence[LoopTemplate], values: list[Constant]) -> Iterator[int]:
    """For each turn of all loops but the last, which sets their locals: the number of turns of the last."""
    if not loops:
        yield 1
        return
    turns = _sum(0, _length(loops[0].low, loops[0].high, values), loops[0].span)
    if len(loops) == 1:
        yield turns
        return
    low = int(evaluate(loops[0].low, values))
    for value in range(low, low + turns):
        values[loops[0].local] = value
        yield from _turns(loops[1:], values)


def _length(low: Node, high: Node, values: list[Constant]) -> int:
    return max(0, int(evaluate(high, values)) - int(evaluate(low, values)) + 1)


def _sum(found: int, more: int, span: Span) -> int:
    if found + more > MOST_ELEMENTS:
        raise CheckError("net-too-large", span, wanted=found + more, limit=MOST_ELEMENTS)
    return found + more
