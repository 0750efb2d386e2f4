"""Lays out items in columns from left to right, with arcs between them, so that nothing lies upon anything else.

The method is that of Sugiyama, Tagawa and Toda (1981): columns by the longest path; what passes a column on its way
has a place of its own in it; the order within columns is improved until it has few crossings; then heights are chosen
that keep this order and hold arcs straight. What follows from it, and is tested:

C1 items of a column do not overlap, and an arc that passes a column passes between its items;
C2 between two columns there are only arcs, and each stays within the gap;
C3 the text of an arc has a place of its own in a column between those of its ends.

What is too wide is broken into rows (`rows`); C1 to C3 then hold for each row, and arcs between rows run outside them.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

from petri.report.picture.rows import BESIDE, LANE, best_cuts, fit

Point = tuple[float, float]
Run = tuple[float, float, float]
"""A level piece of an arc: from x to x, at y. Between two runs the arc swings from one height to the other; between one
to the right and one to the left it turns round."""

PASSING: Final = 7.0  # height that an arc has in a column which it passes
UNDER: Final = 2.25  # how far above the end of its text's room an arc runs
GAP: Final = 20.0  # between columns, at least
APART: Final = 12.0  # between items of a column; between arcs it is less
NEAR: Final = 3.0
ASIDE: Final = 14.0  # between arcs that end at an item, where there is room
_SWEEPS: Final = 24
_LARGE: Final = 3_000  # elements from which fewer sweeps are made


@dataclass(slots=True)
class Item:
    """What stands in a column. rim: half its width at a height from its middle, where arcs begin and end.

    spread: over how much of its height arcs end. ends: heights from its middle that are given, by link. pin: in the
    first column, or in the last, for the ends of arcs that come from outside.
    """

    width: float
    height: float
    rim: Callable[[float], float]
    spread: float = 0.0
    ends: dict[int, float] = field(default_factory=dict)
    shape: float = 0.0  # how far below its middle that of its shape is, to which `rim` and `spread` belong
    pin: Literal["", "first", "last"] = ""


@dataclass(slots=True)
class Link:
    """An arc from an item to one further right. label: width and height of its text, which is nearer to its `near`."""

    start: int
    end: int
    label: Point | None = None
    near: Literal["start", "end"] = "start"


@dataclass(slots=True)
class Arranged:
    """Middles of the items, the runs of each link, the middle of its label, and the size of all."""

    middles: list[Point]
    runs: list[list[Run]]
    labels: list[Point | None]
    width: float
    height: float


def arrange(items: Sequence[Item], links: Sequence[Link], least_width: float = 0.0, rows: bool = False) -> Arranged:
    """Lay out; links go from left to right and are in no circle. rows: in several rows, where it is too wide."""
    grid = _Grid(items, links)
    grid.improve()
    grid.settle()
    whole = grid.result(least_width)
    if not rows or not grid.cut():
        return whole
    grid.settle()
    cut = grid.result(least_width)
    return cut if fit(cut.width, cut.height) > fit(whole.width, whole.height) else whole


def _columns(items: Sequence[Item], links: Sequence[Link]) -> list[int]:
    """Return the column of each item: even numbers, as texts stand in the odd ones."""
    order, column = _topological(len(items), links), [0] * len(items)
    after: list[list[int]] = [[] for _ in items]
    before: list[list[int]] = [[] for _ in items]
    for link in links:
        after[link.start].append(link.end)
        before[link.end].append(link.start)
    first = any(item.pin == "first" for item in items)
    for item in order:
        column[item] = max(
            [column[one] + 2 for one in before[item]], default=0 if items[item].pin == "first" else 2 * first
        )
    for _ in range(8):  # shorten arcs: to the middle of the room that an item has
        for item in [*reversed(order), *order]:
            if items[item].pin:
                continue
            low = max([column[one] + 2 for one in before[item]], default=None)
            high = min([column[one] - 2 for one in after[item]], default=None)
            pull = len(after[item]) - len(before[item])
            if high is not None and (low is None or pull > 0):
                column[item] = high
            elif low is not None and pull < 0:
                column[item] = low
    least = min([column[i] for i, item in enumerate(items) if item.pin != "first"], default=0) - 2 * first
    last = max([column[i] for i, item in enumerate(items) if item.pin != "last"], default=0) + 2
    return [
        0 if item.pin == "first" else (last - least if item.pin == "last" else column[i] - least)
        for i, item in enumerate(items)
    ]


def _topological(count: int, links: Sequence[Link]) -> list[int]:
    waiting = [0] * count
    after: list[list[int]] = [[] for _ in range(count)]
    for link in links:
        after[link.start].append(link.end)
        waiting[link.end] += 1
    ready = [item for item in range(count) if not waiting[item]]
    for item in ready:
        for other in after[item]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return ready


class _Grid:
    """The elements of all columns: the items first, then what passes, then texts."""

    def __init__(self, items: Sequence[Item], links: Sequence[Link]) -> None:
        self.items = items
        self.links = links
        self.column = _columns(items, links)
        self.heights = [item.height for item in items]
        self.widths = [item.width for item in items]
        self.runs_at = [0.0] * len(items)  # how far below its middle an arc passes an element
        self.passes = [False] * len(items)
        self.chains = [self._chain(link) for link in links]
        count = max(self.column, default=0) + 1
        self.columns: list[list[int]] = [[] for _ in range(count)]
        for element in self._first_order():
            self.columns[self.column[element]].append(element)
        self.left: list[list[tuple[int, int]]] = [[] for _ in self.heights]  # (neighbour, link)
        self.right: list[list[tuple[int, int]]] = [[] for _ in self.heights]
        for number, chain in enumerate(self.chains):
            for one, other in pairwise(chain):
                self.right[one].append((other, number))
                self.left[other].append((one, number))
        self.seat = [0] * len(self.heights)
        self._seat_all()
        self.middle = [0.0] * len(self.heights)
        self.start_at = [0.0] * len(links)  # where an arc ends at its items, from their middles
        self.end_at = [0.0] * len(links)
        self.cuts: tuple[int, ...] = ()  # columns after which a new row starts

    def _chain(self, link: Link) -> list[int]:
        """Return the elements that an arc goes through, from item to item."""
        first, last = self.column[link.start], self.column[link.end]
        text = first + 1 if link.near == "start" else last - 1
        inner = []
        for column in range(first + 1, last):
            labelled = link.label is not None and column == text
            self.column.append(column)
            self.heights.append(link.label[1] + 2 if labelled and link.label else PASSING)
            self.widths.append(link.label[0] if labelled and link.label else 0.0)
            self.runs_at.append(self.heights[-1] / 2 - UNDER if labelled else 0.0)
            self.passes.append(True)
            inner.append(len(self.heights) - 1)
        return [link.start, *inner, link.end]

    def _first_order(self) -> list[int]:
        rank = [float(item) for item in range(len(self.items))] + [0.0] * (len(self.heights) - len(self.items))
        for chain in self.chains:
            for step, element in enumerate(chain[1:-1], 1):
                rank[element] = chain[0] + (chain[-1] - chain[0]) * step / (len(chain) - 1)
        return sorted(range(len(rank)), key=lambda element: rank[element])

    def _seat_all(self) -> None:
        for column in self.columns:
            for seat, element in enumerate(column):
                self.seat[element] = seat

    # ------------------------------------------------------------ few crossings

    def improve(self) -> None:
        """Order each column by the seats of its neighbours, to and fro; keep the best."""
        best, order = self._crossings(), [list(column) for column in self.columns]
        sweeps = _SWEEPS if len(self.heights) < _LARGE else 6
        for sweep in range(sweeps):
            if not best:
                break
            columns = self.columns if sweep % 2 == 0 else self.columns[::-1]
            for column in columns:
                self._sort(column, self.left if sweep % 2 == 0 else self.right)
            self._swap_neighbours()
            found = self._crossings()
            if found < best:
                best, order = found, [list(column) for column in self.columns]
        self.columns = order
        self._seat_all()

    def _end_seat(self, element: int, link: int) -> float:
        """Return the seat of an element, and within it of the end of a link, if that is given."""
        if element < len(self.items) and link in self.items[element].ends:
            return self.seat[element] + 0.9 * self.items[element].ends[link] / max(self.items[element].height, 1.0)
        return float(self.seat[element])

    def _sort(self, column: list[int], neighbours: list[list[tuple[int, int]]]) -> None:
        wanted = {}
        for element in column:
            seats = [self._end_seat(other, link) for other, link in neighbours[element]]
            wanted[element] = sum(seats) / len(seats) if seats else float(self.seat[element])
        column.sort(key=wanted.__getitem__)
        for seat, element in enumerate(column):
            self.seat[element] = seat

    def _swap_neighbours(self) -> None:
        for column in self.columns:
            for seat in range(len(column) - 1):
                one, other = column[seat], column[seat + 1]
                if self._crossed(one, other) > self._crossed(other, one):
                    column[seat], column[seat + 1] = other, one
                    self.seat[one], self.seat[other] = seat + 1, seat

    def _crossed(self, upper: int, lower: int) -> int:
        """Crossings of the arcs of two elements of a column, if the first is above."""
        count = 0
        for neighbours in (self.left, self.right):
            for one, link in neighbours[upper]:
                seat = self._end_seat(one, link)
                count += sum(self._end_seat(other, second) < seat for other, second in neighbours[lower])
        return count

    def _crossings(self) -> int:
        total = 0
        for column in self.columns[:-1]:
            pairs = [
                (self._end_seat(element, link), self._end_seat(other, link))
                for element in column
                for other, link in self.right[element]
            ]
            seen: list[float] = []
            for _, seat in sorted(pairs):
                total += len(seen) - bisect_right(seen, seat)
                insort(seen, seat)
        return total

    # ------------------------------------------------------------ heights

    def settle(self) -> None:
        """Find where arcs end at their items, and then the heights of all elements."""
        self._place_ends()
        for column in self.columns:
            self._fit(column, dict.fromkeys(column, 0.0), {})
        sweeps = 80 if len(self.heights) < _LARGE else 24
        for sweep in range(sweeps):
            last = sweep >= sweeps // 4
            order = self.columns if sweep % 2 == 0 else self.columns[::-1]
            for column in order:
                sides = (self.left, self.right) if last else (self.left if sweep % 2 == 0 else self.right,)
                self._pull(column, sides)

    def _place_ends(self) -> None:
        for number, item in enumerate(self.items):
            for neighbours, at in ((self.left, self.end_at), (self.right, self.start_at)):
                ordered = sorted(neighbours[number], key=lambda one: (self._end_seat(*one), one[1]))
                step = min(ASIDE, item.spread / max(len(ordered) - 1, 1))
                for place, (_, link) in enumerate(ordered):
                    at[link] = item.ends.get(link, item.shape + (place - (len(ordered) - 1) / 2) * step)

    def _end(self, element: int, link: int) -> float:
        """Return how far below the middle of an element an arc runs."""
        if element >= len(self.items):
            return self.runs_at[element]
        return self.start_at[link] if self.links[link].start == element else self.end_at[link]

    def _pull(self, column: list[int], sides: tuple[list[list[tuple[int, int]]], ...]) -> None:
        """Move the elements of a column to where their arcs are straight, as far as they have room."""
        wanted, weights = {}, {}
        for element in column:
            total = weight = 0.0
            for neighbours in sides:
                for other, link in neighbours[element]:
                    if min(self.column[element], self.column[other]) in self.cuts:
                        continue
                    share = 40.0 if self.passes[element] and self.passes[other] else 2.0
                    total += share * (self.middle[other] + self._end(other, link) - self._end(element, link))
                    weight += share
            wanted[element] = total / weight if weight else self.middle[element]
            weights[element] = weight or 0.01
        self._fit(column, wanted, weights)

    def _fit(self, column: list[int], wanted: dict[int, float], weights: dict[int, float]) -> None:
        """Find the heights nearest to the wanted ones that keep the order and the distances (isotonic regression)."""
        shift, offsets = 0.0, []
        for seat, element in enumerate(column):
            if seat:
                above = column[seat - 1]
                both = self.passes[element] and self.passes[above]
                shift += (self.heights[above] + self.heights[element]) / 2 + (NEAR if both else APART)
            offsets.append(shift)
        blocks: list[list[float]] = []  # sum, weight, length
        for element, offset in zip(column, offsets, strict=True):
            weight = weights.get(element, 1.0)
            blocks.append([weight * (wanted[element] - offset), weight, 1])
            while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
                upper = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], upper, strict=True)]
        seat = 0
        for total, weight, length in blocks:
            for _ in range(int(length)):
                self.middle[column[seat]] = total / weight + offsets[seat]
                seat += 1

    # ------------------------------------------------------------ rows

    def cut(self) -> bool:
        """Return whether it is better in rows; then what follows is laid out so."""
        extents = [self._extent(column) for column in self.columns]
        self.cuts = best_cuts(*self._abscissas(0.0), extents, lambda column: len(self._passing(column)))
        return bool(self.cuts)

    def _extent(self, elements: Sequence[int]) -> tuple[float, float]:
        top = min((self.middle[e] - self.heights[e] / 2 for e in elements), default=0.0)
        return top, max((self.middle[e] + self.heights[e] / 2 for e in elements), default=0.0)

    def _passing(self, column: int) -> list[tuple[int, int, int]]:
        """Return the arcs that go on after a column: elements before and after it, and link."""
        return [(e, other, link) for e in self.columns[column] for other, link in self.right[e]]

    def _rows(self) -> list[range]:
        return [range(before + 1, last + 1) for before, last in pairwise((-1, *self.cuts, len(self.columns) - 1))]

    def _stack(self) -> float:
        """Put the rows below each other, with room for the arcs between them; the height of all."""
        y = 0.0
        for row in self._rows():
            elements = [e for column in row for e in self.columns[column]]
            y += self._close_up(elements, y)
            if row.stop - 1 in self.cuts:
                y += 2 * BESIDE + LANE * len(self._passing(row.stop - 1))
        return y

    def _close_up(self, elements: list[int], top: float) -> float:
        """Put elements of a row below `top` without bands in which there is none; the height of all.

        Where all below is moved by the same, what is level stays level.
        """
        bottom, shift = -math.inf, 0.0
        for element in sorted(elements, key=lambda e: self.middle[e] - self.heights[e] / 2):
            upper = self.middle[element] - self.heights[element] / 2
            if bottom == -math.inf:
                bottom, shift = upper, top - upper
            shift -= max(0.0, upper - bottom - APART)
            bottom = max(bottom, upper + self.heights[element])
            self.middle[element] += shift
        return bottom + shift - top if elements else 0.0

    def _lanes(self, rights: list[float]) -> dict[tuple[int, int], Run]:
        """Return for each cut and link that passes it: where the arc returns to the left, which it does below its row.

        The highest arc turns outermost at the right, lowest below, and innermost at the left, so that few cross.
        """
        found: dict[tuple[int, int], Run] = {}
        for row in self._rows()[:-1]:
            column = row.stop - 1
            bottom = self._extent([e for one in row for e in self.columns[one]])[1]
            passing = self._passing(column)
            leaving = sorted(passing, key=lambda arc: self.middle[arc[0]] + self._end(arc[0], arc[2]), reverse=True)
            entering = sorted(passing, key=lambda arc: self.middle[arc[1]] + self._end(arc[1], arc[2]))
            for place, arc in enumerate(leaving):
                out, back = BESIDE + LANE * place, BESIDE + LANE * entering.index(arc)
                found[column, arc[2]] = (rights[column] + out, -back, bottom + out)
        return found

    # ------------------------------------------------------------ the result

    def result(self, least_width: float) -> Arranged:
        height = self._stack()
        lefts, rights = self._abscissas(least_width)
        lanes = self._lanes(rights)
        aside = max((LANE - run[1] for run in lanes.values()), default=0.0)
        lefts, rights = [x + aside for x in lefts], [x + aside for x in rights]
        lanes = {key: (start + aside, end + aside, y) for key, (start, end, y) in lanes.items()}
        across = [(left + right) / 2 for left, right in zip(lefts, rights, strict=True)]
        middles = [(across[self.column[item]], self.middle[item]) for item in range(len(self.items))]
        labels: list[Point | None] = []
        for link, chain in zip(self.links, self.chains, strict=True):
            text = None if link.label is None else chain[1] if link.near == "start" else chain[-2]
            labels.append(None if text is None else (across[self.column[text]], self.middle[text] - 2.0))
        runs = [self._runs(number, lefts, rights, middles, lanes) for number in range(len(self.links))]
        width = max([*rights, *(run[0] + LANE for run in lanes.values())], default=0.0)
        return Arranged(middles, runs, labels, width, height)

    def _abscissas(self, least_width: float) -> tuple[list[float], list[float]]:
        """Left and right of each column; gaps are wider where arcs have to swing far."""
        lefts, rights, x = [], [], 0.0
        for number, column in enumerate(self.columns):
            lefts.append(x)
            x += max((self.widths[element] for element in column), default=0.0)
            rights.append(x)
            swings = [
                abs(self.middle[e] + self._end(e, link) - self.middle[other] - self._end(other, link))
                for e in column
                for other, link in self.right[e]
            ]
            if number in self.cuts:
                x = 0.0
            elif number < len(self.columns) - 1:
                x += GAP / 2 + min(0.16 * max(swings, default=0.0) + 0.5 * math.sqrt(len(swings)), 40.0)
        more = least_width - x
        if more > 0 and len(lefts) > 1:
            lefts[-1] += more
            rights[-1] += more
        elif more > 0 and lefts:
            rights[-1] += more
        return lefts, rights

    def _rim(self, number: int, end: float) -> float:
        item = self.items[number]
        return item.rim(end - item.shape)

    def _runs(
        self,
        number: int,
        lefts: list[float],
        rights: list[float],
        middles: list[Point],
        lanes: dict[tuple[int, int], Run],
    ) -> list[Run]:
        link, chain = self.links[number], self.chains[number]
        start, end = self.start_at[number], self.end_at[number]
        first, last = middles[link.start], middles[link.end]
        runs = [(first[0] + self._rim(link.start, start), rights[self.column[link.start]], first[1] + start)]
        for element in chain[1:]:
            column = self.column[element]
            if (column - 1, number) in lanes:
                runs.append(lanes[column - 1, number])
            if element == chain[-1]:
                break
            if lefts[column] == rights[column]:  # a column for texts without one is a part of the gap
                continue
            runs.append((lefts[column], rights[column], self.middle[element] + self.runs_at[element]))
        runs.append((lefts[self.column[link.end]], last[0] - self._rim(link.end, end), last[1] + end))
        return runs
