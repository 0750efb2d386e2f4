"""How many places, transitions and instances a net will have, counted before any of them is made."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator

from petri.language.flattening.instance import Instance, in_net, set_parameter
from petri.language.flattening.loops import rows, turns
from petri.language.meaning.nodes import evaluate
from petri.language.meaning.templates import Body, InstanceTemplate
from petri.language.meaning.traced import known_as
from petri.language.problems import CheckError
from petri.net import Span

MOST_ELEMENTS = 2_000_000  # places, transitions and instances of a flat net
INSTANCE = 10  # elements as which an instance counts: making it takes as long
DEEPEST_INSTANCE = 64


class ElementCounter:
    """Counts each module once for each list of arguments, however many instances there are of it.

    What else is wrong with a net is not told here: a part that cannot be evaluated counts as far as it was understood.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, tuple[Hashable, ...]], int] = {}

    def count(self, body: Body, instance: Instance, depth: int = 0) -> int:
        """Return the elements of an instance with all that it contains; its locals hold the values of the parameters.

        Raises CheckError where they are more than MOST_ELEMENTS, and where instances nest deeper than DEEPEST_INSTANCE.
        """
        key = (id(body), depth, tuple(map(known_as, instance.locals)))
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
                    ends = ((evaluate(i.low, values), evaluate(i.high, values)) for i in place.symbol.indices)
                    yield place.span, math.prod(max(0, int(high) - int(low) + 1) for low, high in ends)
            for transition in body.transitions:
                if transition.loops:
                    for _, turn in rows(transition.loops, instance, _allow):
                        yield transition.span, len(turn)
                elif in_net(transition.condition, instance):
                    yield transition.span, 1
            for inner in body.instances:
                yield from self._instances(inner, instance, depth)
        except CheckError as fault:
            if fault.identifier in ("net-too-large", "instance-too-deep"):
                raise

    def _instances(self, t: InstanceTemplate, outer: Instance, depth: int) -> Iterator[tuple[Span, int]]:
        if depth >= DEEPEST_INSTANCE:
            raise CheckError("instance-too-deep", t.span, module=t.body.name, limit=DEEPEST_INSTANCE)
        for _ in turns(t.loops, outer, _allow):
            if in_net(t.condition, outer):
                instance = Instance(t.body, "")
                for parameter in t.parameters:
                    set_parameter(t.body, parameter, outer, instance)
                yield t.span, INSTANCE + self.count(t.body, instance, depth + 1)


def _allow(turns: int, span: Span) -> None:
    _sum(0, turns, span)


def _sum(found: int, more: int, span: Span) -> int:
    if found + more > MOST_ELEMENTS:
        raise CheckError("net-too-large", span, wanted=found + more, limit=MOST_ELEMENTS)
    return found + more
