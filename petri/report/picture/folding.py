"""Finds the arrays of a net whose elements look alike, so that a picture can draw them once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

_INDEX = re.compile(r"\[\d+\]")


def fold_names(looks: Mapping[str, Hashable], links: Sequence[tuple[str, str, Hashable]]) -> dict[str, str]:
    """A new name for each node; nodes that are drawn as one get the same, with `[*]` for their index.

    `looks` says of each node what it looks like; `links` are (start, end, look) of the edges. An array is folded when
    all its elements are alike: the same nodes, with the same edges to the same nodes, up to indices.
    """
    shapes = _shapes(looks, links)
    arrays: dict[str, dict[str, set[Hashable]]] = defaultdict(lambda: defaultdict(set))
    for name in looks:
        for index in _INDEX.finditer(name):
            array = _starred(name[: index.start()])
            rest = _starred(name[index.end() :])
            arrays[array][name[: index.end()]].add((rest, shapes[name]))
    foldable = {array for array, elements in arrays.items() if len(set(map(frozenset, elements.values()))) == 1}
    return {name: _fold(name, foldable) for name in looks}


def _shapes(looks: Mapping[str, Hashable], links: Sequence[tuple[str, str, Hashable]]) -> dict[str, Hashable]:
    """What a node and its edges look like when no index is told apart."""
    edges: dict[str, set[Hashable]] = {name: set() for name in looks}
    for start, end, look in links:
        edges[start].add(("to", _starred(end), look))
        edges[end].add(("from", _starred(start), look))
    return {name: (look, frozenset(edges[name])) for name, look in looks.items()}


def _starred(name: str) -> str:
    return _INDEX.sub("[*]", name)


def _fold(name: str, foldable: set[str]) -> str:
    def fold(index: re.Match[str]) -> str:
        return "[*]" if _starred(name[: index.start()]) in foldable else index.group()

    return _INDEX.sub(fold, name)
