"""Finds the arrays of a net with equal elements, so that a picture can draw them once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet

_INDEX = re.compile(r"\[-?\w+\]")

Link = tuple[str, str, Hashable]
"""An edge: its start, its end, its appearance."""


def array_of(name: str) -> tuple[str, str] | None:
    """Return the array in which a node is, and its index (`[3]`), by the last index of its name."""
    found = list(_INDEX.finditer(name))
    return (starred(name[: found[-1].start()]), found[-1].group()) if found and found[-1].end() == len(name) else None


def fold_names(
    looks: Mapping[str, Hashable], links: Sequence[Link], joined: AbstractSet[str] = frozenset()
) -> dict[str, str]:
    """Return a new name for each node; nodes that are drawn as one get the same, with `[*]` for their index.

    `looks` is the appearance of each node. An array is folded if all its elements are equal: the same nodes, with the
    same edges to the same nodes, where nodes of folded arrays count as the same. An array that cannot be folded may
    prevent others from being folded, so the test is repeated until nothing changes. The arrays `joined` are always
    folded.
    """
    foldable = {starred(name[: index.start()]) for name in looks for index in _INDEX.finditer(name)}
    while True:
        folded = {name: _fold(name, foldable) for name in looks}
        alike = foldable & (_uniform(folded, _shapes(looks, links, folded)) | joined)
        if alike == foldable:
            return folded
        foldable = alike


def _shapes(looks: Mapping[str, Hashable], links: Sequence[Link], folded: Mapping[str, str]) -> dict[str, Hashable]:
    """Return the appearance of each node and its edges."""
    edges: dict[str, set[Hashable]] = {name: set() for name in looks}
    for start, end, look in links:
        edges[start].add(("to", folded[end], look))
        edges[end].add(("from", folded[start], look))
    return {name: (look, frozenset(edges[name])) for name, look in looks.items()}


def _uniform(folded: Mapping[str, str], shapes: Mapping[str, Hashable]) -> set[str]:
    """Return the arrays whose elements consist of nodes of the same shapes."""
    elements: dict[str, dict[str, set[Hashable]]] = defaultdict(lambda: defaultdict(set))
    for name in folded:
        for index in _INDEX.finditer(name):
            rest = starred(name[index.end() :])
            elements[starred(name[: index.start()])][name[: index.end()]].add((rest, shapes[name]))
    return {array for array, parts in elements.items() if len(set(map(frozenset, parts.values()))) == 1}


def starred(name: str) -> str:
    """Return the name (or any text) with `[*]` for every index."""
    return _INDEX.sub("[*]", name)


def _fold(name: str, foldable: set[str]) -> str:
    def fold(index: re.Match[str]) -> str:
        return "[*]" if starred(name[: index.start()]) in foldable else index.group()

    return _INDEX.sub(fold, name)
