"""One instance of a body: the values of its names."""

from __future__ import annotations

from collections.abc import Sequence

from petri.language.meaning.nodes import Constant, Node, evaluate
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import Body, PlaceUse
from petri.language.problems import CheckError
from petri.net import Span


class Instance:
    """The net or one instance of a module: the values of its locals, and the flat places of each place and port."""

    __slots__ = ("locals", "lows", "places", "prefix")

    def __init__(self, body: Body, prefix: str) -> None:
        self.prefix = prefix
        self.locals: list[Constant] = [0] * body.scope.local_count
        self.places: list[Sequence[int]] = [()] * body.scope.place_count
        self.lows: list[int] = [0] * body.scope.place_count

    def place(self, use: object) -> int:
        """The flat place that is meant; raises CheckError when the index is outside the array."""
        assert isinstance(use, PlaceUse)
        return self.element(use.symbol, use.index, use.span)

    def element(self, symbol: PlaceSymbol, index: Node | None, span: Span) -> int:
        places = self.places[symbol.number]
        if index is None:
            if not places:
                raise CheckError("place-missing", span, name=symbol.name)
            return places[0]
        value = evaluate(index, self.locals)
        assert isinstance(value, int)
        low = self.lows[symbol.number]
        if not 0 <= value - low < len(places):
            high = low + len(places) - 1
            raise CheckError("index-outside", span, name=symbol.name, index=value, low=low, high=high)
        return places[value - low]
