"""Initial markings: the tokens of a place when a run starts."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence

from petri import net
from petri.language.flattening.instance import Instance
from petri.language.meaning.nodes import LOCAL, Node, evaluate, number
from petri.language.meaning.templates import InitialTemplate, LoopTemplate, PlaceTemplate
from petri.language.meaning.traced import apply
from petri.language.problems import CheckError
from petri.net import MOST_TOKENS
from petri.tokens import Column, TokenList

MOST_VALUES = 1_000_000  # different tokens of one place

Turns = Callable[[Sequence[LoopTemplate], Instance], Iterator[str]]


def initial_marking(
    template: PlaceTemplate, kind: net.Colour, instance: Instance, turns: Turns
) -> Sequence[tuple[int, net.Token]]:
    """(how many, of which value), in the order written; raises CheckError."""
    marking = TokenList([slot.kind for slot in kind.slots])
    total = 0

    def count(item: InitialTemplate, values: int) -> int:
        """Return the count of each of `values` values, checked against the limits of the marking."""
        nonlocal total
        each = 1 if item.count is None else apply(int, evaluate(item.count, instance.locals))
        if each < 0:
            raise CheckError("count-negative", item.count.span if item.count is not None else item.span, value=each)
        total += each * values
        if total > MOST_TOKENS or len(marking) + values - 1 > MOST_VALUES:
            raise CheckError("too-many-tokens", item.span, name=template.symbol.name, limit=MOST_TOKENS)
        return each

    if not kind.slots:
        for item in template.initial:
            for _ in turns(item.loops, instance):
                count(item, 1)
        return ((total, ()),) if total else ()
    for item in template.initial:
        ranges = _ranges(item, kind) if item.every else ()
        columns = _columns(item, kind, instance)
        if columns is not None:
            marking.extend(count(item, len(columns[0])), columns)
            continue
        for _ in turns(item.loops, instance):
            if item.every:
                marking.every(count(item, math.prod(map(len, ranges))), ranges)
            else:
                marking.append(count(item, 1), _token(item, kind, instance))
    return marking.marking()


def _columns(item: InitialTemplate, kind: net.Colour, instance: Instance) -> list[Column] | None:
    """Return the values of a loop whose tokens contain its variable or constants, if all are in their ranges."""
    if item.every or len(item.loops) != 1 or (item.count is not None and item.count.flags & LOCAL):
        return None
    loop = item.loops[0]
    low, high = (int(evaluate(node, instance.locals)) for node in (loop.low, loop.high))
    if not 0 <= high - low < MOST_VALUES or not any(_is_local(node, loop.local) for node in item.values):
        return None
    columns: list[Column] = []
    for node, slot in zip(item.values, kind.slots, strict=True):
        if _is_local(node, loop.local):
            values: Column = array("q", range(low, high + 1))
        elif node.flags & LOCAL:
            return None
        else:
            values = array("d" if slot.kind == "real" else "q", [number(node, instance)]) * (high + 1 - low)
        if (slot.low is not None and values[0] < slot.low) or (slot.high is not None and values[-1] > slot.high):
            return None
        columns.append(values)
    return columns


def _is_local(node: Node, local: int) -> bool:
    return node.op == "local" and node.value == local


def _ranges(item: InitialTemplate, kind: net.Colour) -> Sequence[range]:
    """Return the values of each slot of a finite colour set."""
    ranges = []
    values = 1
    for slot in kind.slots:
        assert slot.low is not None
        assert slot.high is not None
        low, high = int(slot.low), int(slot.high)
        ranges.append(range(low, high + 1))
        values *= high + 1 - low
    if values > MOST_VALUES:
        raise CheckError("all-too-many", item.span, values=values, limit=MOST_VALUES)
    return ranges


def _token(item: InitialTemplate, kind: net.Colour, instance: Instance) -> net.Token:
    token = tuple([number(node, instance) for node in item.values])
    for value, slot, node in zip(token, kind.slots, item.values, strict=True):
        low, high = slot.low, slot.high
        if (low is not None and value < low) or (high is not None and value > high):
            span = node.span if item.loops == () else item.span
            told = {"value": value, "low": low, "high": high, "name": None, "field": slot.name}
            raise CheckError("value-outside", span or item.span, **told)
    return token
