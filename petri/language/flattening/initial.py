"""Initial markings: which tokens a place holds when a run begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from petri import net
from petri.language.meaning.nodes import evaluate, number
from petri.language.meaning.templates import InitialTemplate, LoopTemplate, PlaceTemplate
from petri.language.problems import Fault

if TYPE_CHECKING:
    from petri.language.flattening.flatten import Instance

MOST_TOKENS = 10_000_000  # of all places, as a run allows (X3)
MOST_VALUES = 1_000_000  # different tokens of one place

Turns = Callable[[Sequence[LoopTemplate], "Instance"], Iterator[str]]


def initial_marking(
    template: PlaceTemplate, kind: net.Colour, instance: Instance, turns: Turns
) -> tuple[tuple[int, net.Token], ...]:
    """(how many, of which value), in the order written; raises Fault."""
    marking: list[tuple[int, net.Token]] = []
    total = 0
    for item in template.initial:
        for count, token in _tokens(item, kind, instance, turns):
            total += count
            if total > MOST_TOKENS or len(marking) > MOST_VALUES:
                raise Fault("too-many-tokens", item.span, name=template.symbol.name, limit=MOST_TOKENS)
            if marking and marking[-1][1] == token and _same_kinds(marking[-1][1], token):
                marking[-1] = (marking[-1][0] + count, token)
            elif count:
                marking.append((count, token))
    return tuple(marking)


def _same_kinds(left: net.Token, right: net.Token) -> bool:
    return all(type(a) is type(b) for a, b in zip(left, right, strict=True))


def _tokens(
    item: InitialTemplate, kind: net.Colour, instance: Instance, turns: Turns
) -> Iterator[tuple[int, net.Token]]:
    for _ in turns(item.loops, instance):
        count = 1 if item.count is None else int(evaluate(item.count, instance.locals))
        if count < 0:
            raise Fault("count-negative", item.count.span if item.count is not None else item.span, value=count)
        if item.every:
            for token in _every(item, kind):
                yield count, token
        else:
            yield count, _token(item, kind, instance)


def _every(item: InitialTemplate, kind: net.Colour) -> Iterator[net.Token]:
    """Each value of a finite colour set once, the last slot changing fastest."""
    ranges = []
    values = 1
    for slot in kind.slots:
        assert slot.low is not None
        assert slot.high is not None
        ranges.append(range(int(slot.low), int(slot.high) + 1))
        values *= len(ranges[-1])
    if values > MOST_VALUES:
        raise Fault("all-too-many", item.span, values=values, limit=MOST_VALUES)
    yield from product(*ranges)


def _token(item: InitialTemplate, kind: net.Colour, instance: Instance) -> net.Token:
    token = tuple(number(node, instance) for node in item.values)
    for value, slot, node in zip(token, kind.slots, item.values, strict=True):
        if (slot.low is not None and value < slot.low) or (slot.high is not None and value > slot.high):
            span = node.span if item.loops == () else item.span
            raise Fault(
                "value-outside",
                span or item.span,
                value=value,
                low=slot.low,
                high=slot.high,
                name=None,
                field=slot.name,
            )
    return token
