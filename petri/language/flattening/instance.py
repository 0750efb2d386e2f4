"""One instance of a body: the values of its names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from petri.diagnostics import Label
from petri.language.meaning.nodes import Constant, Node, evaluate
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import Body, ParameterTemplate, PlaceUse
from petri.language.problems import CheckError
from petri.net import Expr, Span


class Instance:
    """The net or one instance of a module: the values of its locals, and the flat places of each place and port."""

    __slots__ = (
        "absent", "body", "children", "counted", "firing", "locals", "own_places", "own_transitions", "places",
        "prefix", "shapes",
    )  # fmt: skip

    def __init__(self, body: Body, prefix: str) -> None:
        self.body = body
        self.prefix = prefix
        self.locals: list[Constant] = [0] * body.scope.local_count
        self.places: list[Sequence[int]] = [()] * body.scope.place_count
        self.shapes: list[tuple[range, ...]] = [()] * body.scope.place_count  # the values of the indices
        self.absent: dict[int, Span | None] = {}  # places that are not in the net: their conditions
        self.firing: Instance | None = None  # while a measure is built: the instance of its transition
        self.counted: Callable[[object], Sequence[Expr]] = lambda target: ()  # while a measure is built: what it counts
        self.children: dict[str, dict[str, Instance]] = {}  # those with measures, by name and by indices, `[0][1]`
        self.own_places = self.own_transitions = range(0)  # in the flat net, with those of the instances in it

    def now(self) -> Instance:
        """Return the same with the locals as they are now, in this iteration of its loops."""
        kept = Instance(self.body, self.prefix)  # `copy` is slow to load
        for name in self.__slots__:
            setattr(kept, name, getattr(self, name))
        kept.locals = list(self.locals)
        return kept

    def place(self, use: object) -> int:
        """Return the flat place that is meant; raises CheckError when the index is outside the array."""
        assert isinstance(use, PlaceUse)
        places = self.present(use.symbol, use.span)
        position = self.position(use.symbol, use.indices, use.span)
        if not places:
            raise CheckError("place-missing", use.span, name=use.symbol.name)
        return places[position]

    def present(self, symbol: PlaceSymbol, span: Span, output: bool = False) -> Sequence[int]:
        """Return the flat places of a place; raises CheckError when its condition leaves it out of the net."""
        if symbol.number in self.absent:
            condition = self.absent[symbol.number]
            labels = () if condition is None else (Label(condition, "condition"),)
            place = symbol.name if output else None
            raise CheckError("switched-off", span, *labels, name=symbol.name, place=place)
        return self.places[symbol.number]

    def part(self, symbol: PlaceSymbol, indices: Sequence[Node], span: Span) -> Sequence[int]:
        """Return the flat places whose first indices are these, in the order of the others."""
        places, position = self.present(symbol, span), self.position(symbol, indices, span)
        size = math.prod(map(len, self.shapes[symbol.number][len(indices) :]))
        return places[position * size : (position + 1) * size]

    def position(self, symbol: PlaceSymbol, indices: Sequence[Node], span: Span) -> int:
        """Return the number of an element, the last index counting fastest, or that of a part of an array."""
        position = 0
        for index, values in zip(indices, self.shapes[symbol.number], strict=False):
            position *= len(values)
            position += position_of(symbol, int(evaluate(index, self.locals)), values, span)
        return position


def position_of(symbol: PlaceSymbol, value: int, values: range, span: Span) -> int:
    """Return the position of an index among its values; raises CheckError when it is not one of them."""
    if value not in values:
        low, high = values.start, values.stop - 1
        raise CheckError("index-outside", span, name=symbol.name, index=value, low=low, high=high)
    return value - values.start


def shape(symbol: PlaceSymbol, values: Sequence[Constant]) -> tuple[range, ...]:
    """Return the values of the indices of a place or port; raises CheckError for a range that ends before it starts."""
    ranges = []
    for index in symbol.indices:
        low, high = int(evaluate(index.low, values)), int(evaluate(index.high, values))
        if low > high + 1:
            raise CheckError("empty-range", index.low.span or symbol.span, low=low, high=high)
        ranges.append(range(low, high + 1))
    return tuple(ranges)


def in_net(condition: Node | None, instance: Instance) -> bool:
    """Return whether the condition of a declaration holds; raises CheckError."""
    return condition is None or bool(evaluate(condition, instance.locals))


def set_parameter(body: Body, template: ParameterTemplate, outer: Instance, instance: Instance) -> None:
    """Give an instance the value of a parameter; raises CheckError."""
    symbol = template.symbol
    assert symbol.local is not None
    if template.value is not None:
        value = evaluate(template.value, outer.locals)
    else:
        default = body.defaults.get(symbol.name)
        if default is None:
            return
        value = evaluate(default, instance.locals)
    instance.locals[symbol.local] = value
    bounds = body.bounds.get(symbol.name)
    if bounds is not None:
        low, high = (evaluate(node, instance.locals) for node in bounds)
        if value < low or value > high:
            ends = {"value": value, "low": low, "high": high}
            shown = {name: int(x) if isinstance(x, int) else float(x) for name, x in ends.items()}
            raise CheckError("argument-out-of-bounds", template.span, name=symbol.name, **shown)
