"""Arcs and markings of coloured nets, from multisets of values, as the language writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from petri.interchange.reading import bags
from petri.interchange.reading.bags import BagError
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.infix import bare, factor
from petri.interchange.reading.sorts import Sort


@dataclass(slots=True)
class Variables:
    """The variables of a transition: those that its input arcs bind, and all."""

    bound: set[str] = field(default_factory=set)
    used: dict[str, Sort] = field(default_factory=dict)


class Coloured:
    """Writes arcs; `bind_rest` is called at last, for variables that no input arc binds."""

    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.values: dict[str, str] = {}  # the place with all values of a sort, by the sort's name
        self._of: dict[str, Variables] = {}

    def variables(self, transition: Transition) -> Variables:
        return self._of.setdefault(transition.name, Variables())

    def marking(self, items: list[bags.Item], sort: Sort) -> str:
        """Return the initial tokens of a place. Raises BagError."""
        if not sort.black and not sort.parts and len(items) == 1 and _whole_set(items[0]):
            return "all"
        arcs = bags.outputs(items)
        if sort.black:
            return black(sum(arc.count for arc in arcs))
        return ", ".join(_token(arc, sort) for arc in arcs)

    def take(self, transition: Transition, place: str, sort: Sort, items: list[bags.Item], word: str = "") -> None:
        """Input arcs; word: `read ` or none. Raises BagError."""
        arcs = bags.inputs(items)
        self.variables(transition).bound |= {one.text for item in items for one in item.token if one.variable}
        if sort.black:
            transition.inputs += [word + one for one in _counted(arcs, place)]
        else:
            transition.inputs += [f"{word}{place}({value(arc, sort)})" for arc in arcs for _ in range(arc.count)]

    def give(self, transition: Transition, place: str, sort: Sort, items: list[bags.Item], condition: str = "") -> None:
        """Output arcs, perhaps only if a condition holds. Raises BagError."""
        arcs = bags.outputs(items)
        if sort.black:
            transition.outputs += _counted(arcs, place)
            return
        for arc in arcs:
            written = times(arc.count, f"{place}({value(arc, sort)})")
            holds = " and ".join(filter(None, (condition, arc.condition)))
            transition.outputs.append(f"if {holds} then {written}" if holds else written)

    def inhibitor(self, place: str, sort: Sort, items: list[bags.Item]) -> list[str]:
        """Inhibitor arcs for tokens of one form. Raises BagError."""
        if len(items) != 1 or items[0].without:
            raise BagError("foreign-inhibitor")
        return [lacks(f"{place}({value(arc, sort)})", arc.count) for arc in bags.outputs(items)]

    def bind_rest(self, transitions: Iterable[Transition]) -> None:
        """Let a variable that no input arc binds have any value: a place with all values is read."""
        for transition in transitions:
            variables = self.variables(transition)
            for name, sort in variables.used.items():
                if name not in variables.bound:
                    transition.inputs.append(f"read {self._values_of(sort)}({name})")

    def _values_of(self, sort: Sort) -> str:
        if sort.name not in self.values:
            self.values[sort.name] = made = self.foreign.names.fresh(f"values_of_{sort.name}")
            doc = "every value once, for variables that no arc binds"
            self.foreign.places.append(Place(made, sort.name, "all", doc=doc))
        return self.values[sort.name]


def value(arc: bags.Arc, sort: Sort) -> str:
    inside = ", ".join(map(bare, arc.values))
    return f"{sort.name}({inside})" if sort.parts else inside


def black(count: int | str) -> str:
    """Return an initial marking of black tokens; the number may be an expression."""
    return times(count, "token") if str(count) != "0" else ""


def times(count: int | str, what: str) -> str:
    """Return an arc with a number, or the expression of one."""
    return what if str(count) == "1" else f"{factor(str(count))} * {what}"


def lacks(what: str, count: int | str) -> str:
    """Return an inhibitor arc, which is violated by `count` tokens."""
    return f"no {what}" if str(count) == "1" else f"no {what} >= {count}"


def _counted(arcs: Iterable[bags.Arc], place: str) -> list[str]:
    total = sum(arc.count for arc in arcs)
    return [times(total, place)] if total else []


def _whole_set(item: bags.Item) -> bool:
    return item.count == 1 and not item.without and all(component.all for component in item.token)


def _token(arc: bags.Arc, sort: Sort) -> str:
    """Write initial tokens; a number of numbers needs parentheses."""
    return value(arc, sort) if arc.count == 1 else f"{arc.count} * ({value(arc, sort)})"
