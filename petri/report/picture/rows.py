"""Breaks a drawing that is too wide for a page into rows, as text is broken into lines.

An arc that goes on in the next row leaves its row at the right, returns below it and enters the next at the left. The
rows are chosen for the largest letters on a page of A4, landscape (Rüegg and von Hanxleden, Wrapping layered graphs,
2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import Final

PAGE: Final = (785.0, 539.0)  # points of A4 landscape within margins of 1 cm
LANE: Final = 9.0  # between arcs beside a row and below it
BESIDE: Final = 14.0  # between a row and the first of these arcs
_MOST_ARCS: Final = 8  # that go from one row to the next
_MOST_ROWS: Final = 4
_MOST_PLACES: Final = 40  # for a new row that are tried
_WORTH: Final = 1.15  # how much larger the letters must become
_EACH_ARC: Final = 0.02  # by how much smaller letters may be for one arc less from row to row


def fit(width: float, height: float) -> float:
    """Return by which factor a drawing is shown on the page, at most 1."""
    return min(1.0, PAGE[0] / max(width, 1.0), PAGE[1] / max(height, 1.0))


def best_cuts(
    lefts: Sequence[float],
    rights: Sequence[float],
    extents: Sequence[tuple[float, float]],
    arcs: Callable[[int], int],
) -> tuple[int, ...]:
    """Return the columns after which a new row starts. extents: top and bottom of each column; arcs: how many pass
    it.
    """
    count = len(lefts)
    whole = fit(rights[-1] - lefts[0], _height(extents)) if count else 1.0
    if whole == 1.0:
        return ()
    passing = {column: arcs(column) for column in range(count - 1)}
    possible = [column for column, number in passing.items() if number <= _MOST_ARCS]
    possible = possible[:: len(possible) // _MOST_PLACES + 1]

    @cache
    def row(first: int, last: int) -> tuple[float, float]:
        return rights[last] - lefts[first], _height(extents[first : last + 1])

    best, found = whole * _WORTH, tuple[int, ...]()
    for cuts in (cuts for number in range(1, _MOST_ROWS) for cuts in combinations(possible, number)):
        ends = pairwise((-1, *cuts, count - 1))
        sizes = [row(before + 1, last) for before, last in ends]
        width = max(size[0] for size in sizes) + sum(passing[cut] for cut in cuts) * LANE
        height = sum(size[1] for size in sizes) + sum(2 * BESIDE + passing[cut] * LANE for cut in cuts)
        scale = fit(width, height) * (1 - _EACH_ARC * sum(passing[cut] for cut in cuts))
        if scale > best:
            best, found = scale, cuts
    return found


def _height(extents: Sequence[tuple[float, float]]) -> float:
    return max(bottom for _, bottom in extents) - min(top for top, _ in extents)
