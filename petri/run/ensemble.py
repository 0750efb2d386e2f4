"""The replications of a run, as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from typing import Any, Final, get_args, overload

import numpy as np

from petri.engine.errors import STOPPED, Fault
from petri.engine.interface import Levels
from petri.engine.marking import Marking
from petri.engine.native import EnsembleColumns
from petri.file_read import FileRead
from petri.measure.arrays import Integers
from petri.measure.observation import OF_PLACES, PER_NODE, Observation
from petri.measure.tally import Tally
from petri.measure.windows import Column, Ragged, Rows, Windows, joined_columns, taken
from petri.net import Net
from petri.run.checkpoint import SavedReplication
from petri.run.plan import Ending
from petri.structs import Frozen, replace

ENDINGS: Final[tuple[Ending, ...]] = get_args(Ending)


class Special(Frozen):
    """What few replications have. saved: at the instant `Plan.save_at`, if it came so far."""

    fault: Fault | None = None
    saved: SavedReplication | None = None
    files: tuple[FileRead, ...] = ()  # what was read of the net's recordings


NOTHING: Final = Special()


class Ensemble(Sequence["Replication"]):
    """n replications of one net that have ended, or were interrupted, in the order of their numbers.

    Each is a row of all columns, `numbers`: [n] for each name below, and `windows`, since the warm-up. The row i of
    `batches`, cumulative snapshots on the way of all replications, ends at `batch_ends[i]`. levels: time by place and
    number of tokens, [n, p, LEVELS], if requested. tokens: for each place the number of black tokens of each row, or
    the words of coloured ones. special: of some rows.

    index       number of the replication
    ended       its `Ending`, by its number in `ENDINGS`
    time        model time [net's unit] at its end
    firings, hash
    seconds     of wall-clock time
    warm        whether its warm-up was over
    died        when the net was dead, nan if it was not: its state lasts until the end of the run, if that is an
                instant (I10)
    drew        whether any random number was drawn: otherwise it is the same with any seed
    """

    def __init__(
        self,
        net: Net,
        numbers: dict[str, Any],
        windows: Windows,
        batches: Windows,
        batch_ends: Integers,
        tokens: Sequence[Column],
        levels: Levels | None = None,
        special: dict[int, Special] | None = None,
    ) -> None:
        self.net, self.numbers, self.windows = net, numbers, windows
        self.batches, self.batch_ends = batches, batch_ends
        self.tokens, self.levels = tokens, levels
        self.special: dict[int, Special] = special or {}

    @classmethod
    def none(cls, net: Net) -> Ensemble:
        """Return an ensemble of no replications."""
        rows = {name: np.zeros((0, len(net.places if name in OF_PLACES else net.transitions))) for name in PER_NODE}
        windows, no_ends = Windows(np.zeros(0), rows, ()), np.zeros(0, np.int64)
        one = numbers_of(
            index=0, ended="until", time=0.0, firings=0, hash=0, seconds=0.0, warm=True, died=0.0, drew=True
        )
        tokens: list[Column] = [Ragged(no_ends, no_ends) if p.colour.slots else no_ends for p in net.places]
        return cls(net, {name: of[:0] for name, of in one.items()}, windows, windows, no_ends, tokens)

    @classmethod
    def of_engine(cls, net: Net, found: EnsembleColumns) -> Ensemble:
        numbers = {**found.numbers, "ended": np.array([ENDINGS.index(one) for one in found.ended])}
        special = {row: Special(fault=fault) for row, fault in found.faults.items()}
        return cls(net, numbers, found.windows, found.batches, found.batch_ends, found.tokens, found.levels, special)

    @classmethod
    def joined(cls, parts: Sequence[Ensemble]) -> Ensemble:
        """Join ensembles, one after the other; at least one."""
        parts = [part for part in parts if len(part)] or parts[:1]
        first = parts[0]
        if len(parts) == 1:
            return first
        before, after = 0, 0
        special: dict[int, Special] = {}
        ends = []
        for part in parts:
            special |= {before + row: one for row, one in part.special.items()}
            ends.append(part.batch_ends + after)
            before, after = before + len(part), after + len(part.batches)
        return cls(
            first.net,
            {name: np.concatenate([part.numbers[name] for part in parts]) for name in first.numbers},
            Windows.joined([part.windows for part in parts]),
            Windows.joined([part.batches for part in parts]),
            np.concatenate(ends),
            [joined_columns(columns) for columns in zip(*(part.tokens for part in parts), strict=True)],
            None if first.levels is None else np.concatenate([part.levels for part in parts]),
            special,
        )

    def add_trials(self, row: int, chances: tuple[Tally, ...], fault: Fault | None, seconds: float) -> None:
        """Add what the trials of a replication have found in as many seconds, and why they ended early."""
        self.windows.more = {**self.windows.more, row: {**self.windows.more.get(row, {}), "chances": chances}}
        self.numbers["seconds"] = self.numbers["seconds"] + seconds * (np.arange(len(self)) == row)
        if fault is not None:
            stopped = fault.id == STOPPED
            self.numbers["ended"][row] = ENDINGS.index("interrupted" if stopped else "error")
            if not stopped:
                self.special[row] = replace(self.special.get(row, NOTHING), fault=fault)

    def __len__(self) -> int:
        return len(self.windows)

    @overload
    def __getitem__(self, which: int) -> Replication: ...
    @overload
    def __getitem__(self, which: slice) -> Ensemble: ...
    def __getitem__(self, which: int | slice) -> Replication | Ensemble:
        if isinstance(which, slice):
            return self.take(which)
        return Replication(self, range(len(self))[which])

    def __iter__(self) -> Iterator[Replication]:
        return (Replication(self, row) for row in range(len(self)))

    def take(self, rows: Rows) -> Ensemble:
        """Return some of the replications."""
        numbers = np.arange(len(self))[rows].tolist()
        spans = [range(*self.span(row)) for row in numbers]
        return Ensemble(
            self.net,
            {name: column[rows] for name, column in self.numbers.items()},
            self.windows.take(rows),
            self.batches.take(np.array([at for span in spans for at in span], dtype=np.int64)),
            np.cumsum([len(span) for span in spans], dtype=np.int64),
            [taken(column, rows) for column in self.tokens],
            None if self.levels is None else self.levels[rows],
            {new: self.special[old] for new, old in enumerate(numbers) if old in self.special},
        )

    def span(self, row: int) -> tuple[int, int]:
        """Return where the batches of a row begin and end."""
        return int(self.batch_ends[row - 1]) if row else 0, int(self.batch_ends[row])

    def is_ended(self, *how: Ending) -> Any:
        """[n]: whether each ended in one of these ways."""
        return reduce(np.logical_or, (self.numbers["ended"] == ENDINGS.index(one) for one in how))

    @cached_property
    def complete(self) -> Any:
        """[n]: whether each ended as planned."""
        return self.is_ended("until", "dead")

    @property
    def warm(self) -> Any:
        return self.numbers["warm"]

    @property
    def faults(self) -> list[Fault]:
        """Return the windows of all replications, in order."""
        return [one.fault for _, one in sorted(self.special.items()) if one.fault is not None]

    @property
    def firings(self) -> int:
        """Return the window of all together."""
        return sum(self.numbers["firings"].tolist())

    def without_batches(self) -> Ensemble:
        none, ends = self.batches[:0], np.zeros_like(self.batch_ends)
        return Ensemble(self.net, self.numbers, self.windows, none, ends, self.tokens, self.levels, self.special)

    def without_levels(self) -> Ensemble:
        return Ensemble(
            self.net, self.numbers, self.windows, self.batches, self.batch_ends, self.tokens, None, self.special
        )


class Replication:
    """One row of an ensemble: a finished, or interrupted, replication.

    One that was stopped before its warm-up was over has no meaningful window; `complete` is then False.
    """

    __slots__ = ("ensemble", "row")

    def __init__(self, ensemble: Ensemble, row: int) -> None:
        self.ensemble, self.row = ensemble, row

    def _number(self, name: str) -> Any:
        return self.ensemble.numbers[name][self.row].item()

    @property
    def index(self) -> int:
        return int(self._number("index"))

    @property
    def ended(self) -> Ending:
        return ENDINGS[int(self._number("ended"))]

    @property
    def time(self) -> float:
        return float(self._number("time"))

    @property
    def firings(self) -> int:
        return int(self._number("firings"))

    @property
    def hash(self) -> int:
        return int(self._number("hash"))

    @property
    def seconds(self) -> float:
        return float(self._number("seconds"))

    @property
    def warm(self) -> bool:
        return bool(self._number("warm"))

    @property
    def died(self) -> float:
        return float(self._number("died"))

    @property
    def drew(self) -> bool:
        return bool(self._number("drew"))

    @property
    def complete(self) -> bool:
        """Whether it ended as planned."""
        return self.ended in ("until", "dead")

    @property
    def window(self) -> Observation:
        return self.ensemble.windows[self.row]

    @property
    def batches(self) -> Windows:
        return self.ensemble.batches[slice(*self.ensemble.span(self.row))]

    @property
    def marking(self) -> Marking:
        rows = (column[self.row] for column in self.ensemble.tokens)
        return Marking(self.ensemble.net, [row.tobytes() if isinstance(row, np.ndarray) else int(row) for row in rows])

    @property
    def levels(self) -> Levels | None:
        return None if self.ensemble.levels is None else self.ensemble.levels[self.row]

    @property
    def _special(self) -> Special:
        return self.ensemble.special.get(self.row, NOTHING)

    @property
    def fault(self) -> Fault | None:
        return self._special.fault

    @property
    def series(self) -> Mapping[int, Sequence[float]]:
        """For each measure, its value in each window."""
        series: Mapping[int, Sequence[float]] = self.ensemble.windows.more.get(self.row, {}).get("series", {})
        return series

    @property
    def saved(self) -> SavedReplication | None:
        return self._special.saved

    @property
    def files(self) -> tuple[FileRead, ...]:
        return self._special.files


def tokens_of(marking: Marking) -> list[Column]:
    """Return a marking as the columns of one row."""
    words = [row if isinstance(row, int) else np.frombuffer(row, dtype=np.int64) for row in marking.rows]
    return [np.array([row]) if isinstance(row, int) else Ragged(row, np.array([len(row)])) for row in words]


def numbers_of(
    *,
    index: int,
    ended: Ending,
    time: float,
    firings: int,
    hash: int,
    seconds: float,
    warm: bool,
    died: float,
    drew: bool,
) -> dict[str, Any]:
    """Return the columns of one row."""
    ending, hashed = np.array([ENDINGS.index(ended)]), np.array([hash], np.uint64)
    others = {
        "index": index,
        "time": time,
        "firings": firings,
        "seconds": seconds,
        "warm": warm,
        "died": died,
        "drew": drew,
    }
    return {"ended": ending, "hash": hashed, **{name: np.array([value]) for name, value in others.items()}}
