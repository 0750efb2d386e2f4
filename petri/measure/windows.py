"""Observations of many windows as columns: of the replications of a run, or of the batches of one.

No object is made for each window, and figures are computed of all windows at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from petri.measure import histogram
from petri.measure.arrays import Floats, Integers
from petri.measure.observation import PER_NODE, Observation, Snapshot, probe_figure
from petri.structs import Frozen, replace

Rows = Any
"""Which rows of a column: a slice, or an array of numbers or of booleans."""


class Ragged(Frozen, eq=False):
    """A column of arrays of different lengths: row i is `values[ends[i - 1]:ends[i]]`, and the first begins at 0."""

    values: NDArray[Any]
    ends: Integers

    @classmethod
    def of(cls, rows: Sequence[Any]) -> Ragged:
        return cls(np.concatenate(rows), np.cumsum([len(row) for row in rows]))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> NDArray[Any]:
        return self.values[self.ends[row - 1] if row else 0 : self.ends[row]]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        start = 0
        for end in self.ends.tolist():
            yield self.values[start:end]
            start = end

    def take(self, rows: Rows) -> Ragged:
        numbers = np.arange(len(self))[rows].tolist()
        taken = [self[number] for number in numbers]
        return Ragged.of(taken) if taken else Ragged(self.values[:0], self.ends[:0])


Column = NDArray[Any] | Ragged
"""One number, or one array, for each window."""


def column_of(values: Sequence[Any]) -> Column:
    return Ragged.of(values) if isinstance(values[0], Sequence | np.ndarray) else np.array(values)


def taken(column: Column, rows: Rows) -> Column:
    return column.take(rows) if isinstance(column, Ragged) else column[rows]


def joined_columns(parts: Sequence[Column]) -> Column:
    """Return the columns one below the other."""
    first = parts[0]
    if not isinstance(first, Ragged):
        return np.concatenate(parts)  # type: ignore[arg-type]
    before, ends = 0, []
    for part in parts:
        ends.append(part.ends + before)  # type: ignore[union-attr]
        before += len(part.values)  # type: ignore[union-attr]
    return Ragged(np.concatenate([part.values for part in parts]), np.concatenate(ends))  # type: ignore[union-attr]


class Windows(Sequence[Observation]):
    """n windows of one net, of p places and t transitions.

    elapsed: [n], in the net's unit. rows: for each name of `PER_NODE` an array [n, p] or [n, t], in the order of C.
    probes: for each probe of the net its `Snapshot`, with a column of n rows for each name; empty if n is 0. more: of
    some windows, by number, the fields that few have, `series` and `chances`.
    """

    def __init__(
        self,
        elapsed: Floats,
        rows: Mapping[str, NDArray[Any]],
        probes: Sequence[Mapping[str, Column]],
        more: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> None:
        self.elapsed, self.rows, self.probes, self.more = elapsed, rows, probes, more or {}

    @classmethod
    def of(cls, windows: Sequence[Observation], like: Observation | None = None) -> Windows:
        """Make one of windows one by one. like: one of the same net, where there may be none."""
        if isinstance(windows, Windows):
            return windows
        some = windows or [] if like is None else windows or [like]
        rows = {name: np.array([getattr(one, name) for one in some])[: len(windows)] for name in PER_NODE}
        probes = [
            {name: column_of([window.probes[number][name] for window in windows]) for name in snapshot}
            for number, snapshot in enumerate(windows[0].probes if windows else ())
        ]
        each = [
            {name: getattr(window, name) for name in ("series", "chances") if getattr(window, name)}
            for window in windows
        ]
        more = {number: of for number, of in enumerate(each) if of}
        return cls(np.array([window.elapsed for window in windows], dtype=np.float64), rows, probes, more)

    @classmethod
    def joined(cls, parts: Sequence[Windows]) -> Windows:
        """Join windows, one after the other; at least one."""
        some = [part for part in parts if len(part)] or parts[:1]
        if len(some) == 1:
            return some[0]
        starts = np.cumsum([0, *map(len, some)]).tolist()[:-1]
        return cls(
            np.concatenate([part.elapsed for part in some]),
            {name: np.concatenate([part.rows[name] for part in some]) for name in PER_NODE},
            [
                {name: joined_columns([part.probes[number][name] for part in some]) for name in columns}
                for number, columns in enumerate(some[0].probes)
            ],
            {start + number: of for part, start in zip(some, starts, strict=True) for number, of in part.more.items()},
        )

    def __len__(self) -> int:
        return len(self.elapsed)

    @overload
    def __getitem__(self, which: int) -> Observation: ...
    @overload
    def __getitem__(self, which: slice) -> Windows: ...
    def __getitem__(self, which: int | slice) -> Observation | Windows:
        if isinstance(which, slice):
            return self.take(which)
        number = range(len(self))[which]
        rows = {name: row[number] for name, row in self.rows.items()}
        probes = tuple(self.probe(index, number) for index in range(len(self.probes)))
        more = self.more.get(number, {})
        return Observation(elapsed=float(self.elapsed[number]), probes=probes, **rows, **more)

    def __iter__(self) -> Iterator[Observation]:
        probes = zip(*map(self.snapshots, range(len(self.probes))), strict=True) if self.probes else repeat(())
        rows = zip(*self.rows.values(), strict=True)
        for number, (elapsed, of_row, of_probes) in enumerate(zip(self.elapsed.tolist(), rows, probes, strict=False)):
            named, more = dict(zip(self.rows, of_row, strict=True)), self.more.get(number, {})
            yield Observation(elapsed=elapsed, probes=tuple(of_probes), **named, **more)

    def take(self, rows: Rows) -> Windows:
        """Return these windows alone."""
        probes = [{name: taken(column, rows) for name, column in columns.items()} for columns in self.probes]
        more = self.more
        if more:
            numbers = np.arange(len(self))[rows].tolist()
            more = {new: more[old] for new, old in enumerate(numbers) if old in more}
        return Windows(self.elapsed[rows], {name: row[rows] for name, row in self.rows.items()}, probes, more)

    def probe(self, index: int, number: int) -> Snapshot:
        """Return what a probe has seen in one of the windows."""
        columns = self.probes[index].items()
        return {name: one[number] if isinstance(one, Ragged) else one[number].item() for name, one in columns}

    def snapshots(self, index: int) -> list[Snapshot]:
        """Return what a probe has seen in each window."""
        columns = self.probes[index]
        listed = ([*column] if isinstance(column, Ragged) else column.tolist() for column in columns.values())
        return [dict(zip(columns, of, strict=True)) for of in zip(*listed, strict=True)]

    @cached_property
    def together(self) -> Observation:
        """All as one, in which each number is an array with a row for each window: for figures of all places at once.

        Its `elapsed` is a column, and it has no probes.
        """
        return Observation(elapsed=self.elapsed[:, None], **self.rows)  # type: ignore[arg-type]

    @cached_property
    def across(self) -> Observation:
        """Do what `across` does, with the columns of the probes."""
        return replace(across(self.together), probes=tuple(self.probes))

    def pieces(self) -> Observation:
        """Return what happened in each batch, together: the windows are cumulative snapshots, in order."""
        earlier = {name: np.concatenate([np.zeros_like(row[:1]), row[:-1]]) for name, row in self.rows.items()}
        elapsed = np.concatenate([[0.0], self.elapsed[:-1]])[:, None]
        return self.together.minus(Observation(elapsed=elapsed, **earlier))  # type: ignore[arg-type]

    def between(self, earlier: Rows, later: Rows, probed: bool) -> Windows:
        """Return the changes between these cumulative snapshots, pair by pair. probed: with the probes."""
        first, last = self.take(earlier), self.take(later)
        if probed:
            return Windows.of([one.minus(before) for before, one in zip(first, last, strict=True)])
        seen = last.together.minus(first.together)
        return Windows(last.elapsed - first.elapsed, {name: getattr(seen, name) for name in PER_NODE}, ())

    def sums(self, name: str, index: int) -> float:
        """Return a number of a place or transition, added up over the windows in order."""
        return float(sum(self.rows[name][:, index].tolist()))


def across(together: Observation) -> Observation:
    """Return what `Windows.together` or `left_out_together` gives, with an array for each place or transition: a number
    for each window. So a formula has the values of all windows at once.
    """
    rows = {name: getattr(together, name).T for name in PER_NODE}
    return Observation(elapsed=together.elapsed.T[0], **rows)  # type: ignore[attr-defined]


def left_out_together(window: Observation, batches: Windows) -> Observation:
    """Return the windows of `petri.measure.estimate.left_out` together, which takes numpy no longer than one."""
    return replace(window, probes=(), series={}, chances=()).minus(batches.pieces())


def probe_figures(windows: Windows, index: int, field: str) -> Floats:
    """`probe_figure` of each window."""
    columns = windows.probes[index] if windows.probes else {}
    if "origin" in columns:
        found = histogram.figures(columns, field)
        if found is not None:
            return found
    elif field in columns and not isinstance(columns[field], Ragged):
        return np.asarray(columns[field], dtype=np.float64)
    return np.array([probe_figure(snapshot, field) for snapshot in windows.snapshots(index)], dtype=np.float64)
