"""Multisets of coloured tokens, as arcs and markings of symmetric nets have them, as arcs of the language.

A bag is read as items with a number: components are texts of the language, or `ALL`, every value of a set. What is
subtracted must be in the bag: the same item, or values that `ALL` has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product as combinations
from typing import Final

from petri.interchange.reading.sorts import Sort

MOST_ITEMS: Final = 100_000  # tokens that an `all` may stand for


class BagError(Exception):
    """Something is subtracted that is perhaps not there, or a bag is too large; the message names a wording."""


@dataclass(frozen=True, slots=True)
class Component:
    """text: the value; empty for every value of the set. variable: the text is a name that an arc can bind."""

    sort: Sort
    text: str = ""
    variable: bool = False

    @property
    def all(self) -> bool:
        return not self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Component) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


Token = tuple[Component, ...]


@dataclass(slots=True)
class Item:
    """So many of a token, except those that are taken from an `ALL` of it."""

    count: int
    token: Token
    without: list[Token]


@dataclass(frozen=True, slots=True)
class Arc:
    """count tokens of these values, which are only there if the condition (perhaps empty) holds."""

    count: int
    values: tuple[str, ...]
    condition: str = ""


def difference(added: Iterable[tuple[int, Token]], subtracted: Sequence[tuple[int, Token]]) -> list[Item]:
    items: list[Item] = []
    for count, token in added:
        same = next((item for item in items if item.token == token), None)
        if same is not None:
            same.count += count
        else:
            items.append(Item(count, token, []))
    if subtracted:
        items = _folded(items)
    for count, token in subtracted:
        _subtract(items, count, token)
    return [item for item in items if item.count]


def _folded(items: list[Item]) -> list[Item]:
    """Return the items, with `ALL` for those that differ in one component only, and have all of its values."""
    for place in range(max((len(item.token) for item in items), default=0)):
        groups: dict[tuple[int, Token], list[Item]] = {}
        for item in items:
            rest = item.token[:place] + item.token[place + 1 :]
            groups.setdefault((item.count, rest), []).append(item)
        items = [one for group in groups.values() for one in _one_of_all(group, place)]
    return items


def _one_of_all(group: list[Item], place: int) -> list[Item]:
    token = group[0].token
    sort = token[place].sort
    if {item.token[place].text for item in group} != set(sort.values):
        return group
    return [Item(group[0].count, (*token[:place], Component(sort), *token[place + 1 :]), [])]


def _subtract(items: list[Item], count: int, token: Token) -> None:
    for item in items:
        if item.token == token and item.count >= count:
            item.count -= count
            return
    for item in items:
        pairs = list(zip(item.token, token, strict=True))
        if item.count == count and all(mine.all or mine == other for mine, other in pairs):
            item.without.append(token)
            return
    raise BagError("foreign-subtraction")


def outputs(items: Iterable[Item]) -> list[Arc]:
    """Return what an output arc gives: a token that is perhaps subtracted has a condition."""
    return [Arc(item.count, *part) for item in items for part in _expanded(item)]


def inputs(items: Iterable[Item]) -> list[Arc]:
    """Return what an input arc takes; only one variable may be subtracted from an `ALL`."""
    found: list[Arc] = []
    for item in items:
        variable = [token for token in item.without if not _constant(item, token)]
        if not variable:
            found += [Arc(item.count, *part) for part in _expanded(item)]
        elif len(item.without) > 1:
            raise BagError("foreign-subtractions")
        else:
            found += [Arc(item.count, values) for values in _others(item.token, variable[0])]
    return found


def _places_of_all(token: Token) -> list[int]:
    return [place for place, component in enumerate(token) if component.all]


def _constant(item: Item, token: Token) -> bool:
    return all(token[place].text in token[place].sort.values for place in _places_of_all(item.token))


def _values(token: Token) -> Iterator[tuple[str, ...]]:
    """Yield the tokens that one with `ALL` stands for."""
    size = 1
    for place in _places_of_all(token):
        size *= len(token[place].sort.values)
    if size > MOST_ITEMS:
        raise BagError("foreign-bag-too-large")
    return combinations(*((part.text,) if not part.all else part.sort.values for part in token))


def _expanded(item: Item) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each token that an item stands for, with the condition under which it is there."""
    free = _places_of_all(item.token)
    for values in _values(item.token):
        conditions = [_differs(values, token, free) for token in item.without]
        if "false" not in conditions:
            yield values, " and ".join(condition for condition in conditions if condition)


def _differs(values: Sequence[str], token: Token, places: Sequence[int]) -> str:
    """Return the condition that a token is another one: "false" if it is the same, empty if it cannot be."""
    parts: list[str] = []
    for place in places:
        mine, other = values[place], token[place].text
        if other in token[place].sort.values:
            if mine != other:
                return ""
        else:
            parts.append(f"{other} != {mine}")
    return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})" if parts else "false"


def _others(token: Token, without: Token) -> Iterator[tuple[str, ...]]:
    """Yield all tokens but one: those whose value follows, in a circle, 1, 2, … after that of the one."""
    free = _places_of_all(token)
    if len(free) != 1:
        raise BagError("foreign-subtractions")
    (place,) = free
    sort = token[place].sort
    for by in range(1, len(sort.values)):
        yield tuple(sort.shifted(without[place].text, by) if at == place else one.text for at, one in enumerate(token))
