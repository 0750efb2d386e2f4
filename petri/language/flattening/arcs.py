"""Arc templates to the arcs of a flat net."""

from __future__ import annotations

from collections.abc import Sequence

from petri import net
from petri.language.flattening.instance import Instance, position_of
from petri.language.meaning.nodes import CHANCE, END, LOCAL, NOW, PLACES, TAKEN, Node, build
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import TOKEN, InputTemplate, OutputTemplate, SetTemplate
from petri.language.meaning.types import Request
from petri.language.problems import CheckError, Problems
from petri.net import Expr, Span, weighing_slots
from petri.structs import replace

_IGNORE = net.Match()


def _number(value: int, span: Span | None) -> Expr:
    return Expr("const", "int", (), value, span)


def _from_zero(index: Expr, low: int) -> Expr:
    return index if low == 0 else Expr("sub", "int", (index, _number(low, index.span)), None, index.span)


def _outside(e: Expr, slot: net.Slot) -> dict[str, net.Scalar]:
    """Return a constant that a slot cannot hold, and the bounds of the slot, for a message; otherwise nothing."""
    if e.op != "const" or e.value is None or slot.low is None or slot.high is None:
        return {}
    return {} if slot.low <= e.value <= slot.high else {"value": e.value, "low": slot.low, "high": slot.high}


def not_negative(node: Node, instance: Instance, identifier: str) -> Expr:
    """Return the expression; raises CheckError if it is a constant below 0."""
    built = build(node, instance)
    if built.op == "const" and built.value is not None and built.value < 0:
        raise CheckError(identifier, node.span, value=built.value)
    return built


def of_token(e: Expr, variables: int) -> Expr:
    """Return an expression of a token of a set, for a transition with so many variables."""
    if e.op == "var" and isinstance(e.value, int) and e.value >= TOKEN:
        return replace(e, value=e.value - TOKEN + variables)
    return replace(e, args=tuple([of_token(part, variables) for part in e.args])) if e.args else e


class ArcBuilder:
    """Builds arcs; `places` are those of the flat net so far."""

    def __init__(self, problems: Problems, places: Sequence[net.Place]) -> None:
        self.problems = problems
        self.places = places
        self._lists: dict[Sequence[int], tuple[int, ...]] = {}  # those that arcs with an index share

    def input(self, arc: InputTemplate, instance: Instance) -> net.InputArc:
        index = instance.place(arc.place)
        return net.InputArc(
            index,
            self._pattern(arc, index, instance),
            None if arc.count is None else self._count(arc.count, instance),
            arc.keep,
            arc.any and self._hides_tokens(index, arc),
            arc.span,
            in_turn=arc.in_turn,
        )

    def _hides_tokens(self, index: int, arc: InputTemplate) -> bool:
        """Return whether `any` shows more of a place than the discipline does (E9).

        A port may be connected to any place.
        """
        place = self.places[index]
        if place.stream is not None:
            raise CheckError("any-on-stream", arc.span, name=place.name)
        if place.per:
            raise CheckError("any-on-per", arc.span, name=place.name)
        if place.discipline == "bag" and not arc.place.symbol.port:
            raise CheckError("any-on-bag", arc.span, name=place.name)
        return place.discipline != "bag"

    def inhibitor(self, arc: InputTemplate, instance: Instance) -> net.InhibitorArc:
        index = instance.place(arc.place)
        threshold = None if arc.count is None else self._count(arc.count, instance)
        return net.InhibitorArc(index, self._pattern(arc, index, instance), threshold, arc.span)

    def _pattern(self, arc: InputTemplate, index: int, instance: Instance) -> tuple[net.Match, ...]:
        """Return the matches; shared by all instances if nothing in them depends on the instance."""
        if arc.shared is not None:
            return arc.shared
        matches = []
        fixed = True
        for wanted in arc.pattern:
            if isinstance(wanted, Node):
                matches.append(net.Match(equal=build(wanted, instance)))
                fixed = fixed and not wanted.flags & (LOCAL | PLACES)
            else:
                matches.append(_IGNORE if wanted is None else net.Match(bind=wanted))
        pattern = tuple(matches)
        self._warn_hopeless(pattern, index)
        if fixed:
            arc.shared = pattern
        return pattern

    def _warn_hopeless(self, pattern: tuple[net.Match, ...], index: int) -> None:
        """Report a constant that no token of the place can equal."""
        for match, slot in zip(pattern, self.places[index].colour.slots, strict=True):
            wanted = match.equal
            if wanted is not None and (values := _outside(wanted, slot)):
                self.problems.warning("pattern-never-matches", wanted.span, **values, name=self.places[index].name)

    @staticmethod
    def _count(node: Node, instance: Instance) -> Expr | None:
        """Return a number of tokens; None for the constant 1."""
        count = build(node, instance)
        if count.op == "const" and count.value is not None:
            if count.value < 0:
                raise CheckError("count-negative", node.span, value=count.value)
            if count.value == 1:
                return None
        return count

    @staticmethod
    def _condition(node: Node | None, instance: Instance) -> tuple[bool, Expr | None]:
        """Return whether an arc can ever give its tokens, and when; no condition if it always does."""
        if node is None:
            return True, None
        condition = build(node, instance)
        return (bool(condition.value), None) if condition.op == "const" else (True, condition)

    def set(self, arc: SetTemplate, instance: Instance, variables: int) -> net.SetArc:
        """variables: how many the transition has."""

        def built(node: Node) -> Expr:
            return of_token(build(node, instance), variables)

        index = instance.place(arc.place)
        if self.places[index].per:
            raise CheckError("set-on-per", arc.span, name=self.places[index].name)
        if arc.most is not None and self.places[index].colour.slots and self.places[index].discipline == "bag":
            raise CheckError("first-of-bag", arc.span, name=self.places[index].name)
        totals = tuple([net.Total(number, built(value)) for number, value in arc.totals])
        condition = None if arc.condition is None else built(arc.condition)
        most = None if arc.most is None else not_negative(arc.most, instance, "count-negative")
        return net.SetArc(index, arc.number, condition, totals, arc.span, most)

    def output(
        self, arc: OutputTemplate, instance: Instance, variables: int, taken: int | None
    ) -> net.OutputArc | None:
        """Return the arc; None if its condition is known to be false. variables: how many the transition has.

        taken: the place of the set for each of whose tokens it gives one; None if another arc has given back to it.
        """
        possible, condition = self._condition(arc.condition, instance)
        if not possible:
            return None
        places, index = self._destination(arc, instance)
        values = tuple([build(node, instance) for node in arc.values])
        if places:
            self._check_capacity(arc, places, taken)
            self._check_values(arc, values, places[0])
        count = None if arc.count is None else self._count(arc.count, instance)
        delay = None if arc.delay is None else not_negative(arc.delay, instance, "delay-negative")
        if arc.each is not None:
            values = tuple([of_token(value, variables) for value in values])
        return net.OutputArc(places, values, index, count, condition, delay, arc.span, arc.each)

    def _destination(self, arc: OutputTemplate, instance: Instance) -> tuple[tuple[int, ...], Expr | None]:
        """Return the places, and which of them is meant; a reply has no places yet, and the number of its caller's."""
        if isinstance(arc.place, Request):
            return (), build(arc.indices[0], instance)
        symbol = arc.place.symbol
        places = instance.present(symbol, arc.span, output=True)
        if not arc.indices:
            return (instance.place(arc.place),), None
        if not places:
            raise CheckError("place-missing", arc.span, name=symbol.name)
        return self._list(places), self._index(arc, symbol, instance)

    def _list(self, places: Sequence[int]) -> tuple[int, ...]:
        """Return the places of an array, once for all arcs that choose among them."""
        if not isinstance(places, range):
            return tuple(places)
        if places not in self._lists:
            self._lists[places] = tuple(places)
        return self._lists[places]

    @staticmethod
    def _index(arc: OutputTemplate, symbol: PlaceSymbol, instance: Instance) -> Expr:
        """Return the position within the array, from 0, the last index counting fastest."""
        shape = instance.shapes[symbol.number]
        if len(shape) == 1:
            return _from_zero(build(arc.indices[0], instance), shape[0].start)
        position: Expr | None = None
        for node, values in zip(arc.indices, shape, strict=True):
            size = _number(len(values), node.span)
            index = build(node, instance)
            if index.op == "const":
                index = _number(position_of(symbol, int(index.value or 0), values, arc.span), node.span)
            else:
                index = Expr("within", "int", (_from_zero(index, values.start), size), None, node.span)
            if position is not None:
                index = Expr(
                    "add", "int", (Expr("mul", "int", (position, size), None, node.span), index), None, node.span
                )
            position = index
        assert position is not None
        return position

    def _check_capacity(self, arc: OutputTemplate, places: tuple[int, ...], taken: int | None) -> None:
        """Check that room is known before the firing starts (E6). What comes back for a set has room."""
        given = [one for place in places if (one := self.places[place]).capacity is not None]
        if not given:
            return
        if places == (taken,) and given[0].weight is None and not given[0].per:
            return
        weighing = sorted({slot for place in given for slot in weighing_slots(place)})
        keys = sorted({slot for place in given for slot in place.per})
        parts = [("condition", arc.condition), ("number", arc.count), *(("index", index) for index in arc.indices)]
        parts += [("weight of a token", arc.values[slot]) for slot in weighing]
        parts += [("key of a token", arc.values[slot]) for slot in keys]
        for what, node in parts:
            if node is not None and node.flags & (CHANCE | NOW | END | TAKEN):
                word = (
                    "a draw" if node.flags & CHANCE else "what `all` takes" if node.flags & TAKEN else "`now` or `end`"
                )
                name = self.places[places[0]].name
                raise CheckError("capacity-uncertain", node.span or arc.span, name=name, what=what, word=word)

    def _check_values(self, arc: OutputTemplate, values: tuple[Expr, ...], index: int) -> None:
        if not values:
            return
        place = self.places[index]
        for value, slot in zip(values, place.colour.slots, strict=True):
            if found := _outside(value, slot):
                field = slot.name or None
                raise CheckError("value-outside", value.span or arc.span, **found, name=place.name, field=field)
