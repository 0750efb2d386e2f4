"""The results of the study: a row for each frame size, and all points that were run for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petri.display import Shown
from petri.experiment.design.sampling import Value
from petri.experiment.forwarding.definition import SHARES, USUAL, Roles
from petri.experiment.results.summary import PointOutcome
from petri.experiment.results.tables import refused_export, write_csv
from petri.experiment.threshold.outcome import Found, SearchOutcome
from petri.measure.figures import Figure, figures
from petri.measure.intervals import Interval, student_interval
from petri.net import Net, split_unit
from petri.result.export import interval_dict, number
from petri.result.units import unit_of, with_unit
from petri.structs import replace


@dataclass(frozen=True)
class Bursts:
    """How long the greatest load was forwarded from an empty start [net's time unit], in each replication.

    complete: whether each replication came to its first loss; otherwise the burst is at least as long. frames: how many
    they were, where the loss counts them.
    """

    times: tuple[float, ...]
    complete: bool
    frames: tuple[float, ...] = ()

    @property
    def interval(self) -> Interval:
        return student_interval(self.times)


@dataclass(frozen=True)
class SizeResult:
    """One frame size. delays: by the share of the throughput; losses: at loads above it, the greatest first.

    bytes: of a frame, None if the net has no parameter for it. full: the greatest load, as a multiple of that found.
    """

    size: Value | None
    bytes: float | None
    found: Found
    full: float = math.nan
    delays: Mapping[float, PointOutcome] = field(default_factory=dict)
    losses: Sequence[tuple[Value, PointOutcome]] = ()
    bursts: Bursts | None = None

    @property
    def carried(self) -> PointOutcome | None:
        """The point of the load found."""
        return self.found.last.point if self.found.value is not None and self.found.last is not None else None


@dataclass(frozen=True, repr=False)
class ForwardingOutcome(Shown):
    """A study of RFC 2544."""

    title: str
    roles: Roles
    net: Net
    search: SearchOutcome
    rows: tuple[SizeResult, ...]
    interrupted: bool = False

    @property
    def done(self) -> bool:
        """Whether something is forwarded of each size."""
        return all(row.found.value is not None for row in self.rows)

    @property
    def others(self) -> list[str]:
        """The parameters of the points besides the frame size: those of a grid, and `case`."""
        names = dict.fromkeys(name for row in self.rows for name in row.found.parameters)
        return [name for name in names if name != self.roles.size]

    def figure(self, role: str) -> Figure | None:
        """Return the measure that has a role, if the net has it."""
        name = getattr(self.roles, role)
        return next(iter(figures(self.net, [name]))) if name else None

    def throughput(self, row: SizeResult) -> Interval | None:
        """Return the throughput at the load found, in the net's units."""
        at = row.carried
        return None if at is None or not self.roles.throughput else at.intervals[self.roles.throughput]

    def frame_rate(self, row: SizeResult) -> Interval | None:
        """Frames per time unit at the load found, from the throughput and the size of a frame."""
        found, one = self.throughput(row), self.figure("throughput")
        if found is None or one is None or (split_unit(one.dimension)[0] == "Rate" and not row.bytes):
            return None
        divisor = row.bytes if split_unit(one.dimension)[0] == "Rate" and row.bytes else 1.0
        return replace(found, mean=found.mean / divisor, half_width=found.half_width / divisor)

    def delay(self, row: SizeResult, share: float) -> Interval | None:
        point = row.delays.get(share)
        return None if point is None or not self.roles.delay else point.intervals[self.roles.delay]

    def full_loss(self, row: SizeResult) -> Interval | None:
        """Return the loss at the greatest load."""
        return row.losses[0][1].intervals[self.roles.loss] if row.losses else None

    def counts_frames(self, row: SizeResult) -> bool:
        """Return whether `burst` is a number of frames, and not a time."""
        return row.bursts is not None and (bool(row.bursts.frames) or self.frame_rate(row) is not None)

    def burst(self, row: SizeResult) -> Interval | None:
        """Frames at the greatest load before the first loss: counted, or from the frame rate; without one, the time."""
        if row.bursts is None:
            return None
        if row.bursts.frames:
            return student_interval(row.bursts.frames)
        rate = self.frame_rate(row)
        factor = 1.0 if rate is None else rate.mean * row.full
        found = row.bursts.interval
        return replace(found, mean=found.mean * factor, half_width=found.half_width * factor)

    def table(self) -> dict[str, list[Any]]:
        """Return a row for each size, in the net's units; None where there is nothing."""
        columns: dict[str, list[Any]] = {
            name: [row.found.parameters.get(name) for row in self.rows] for name in self.others
        }
        if self.roles.size:
            columns["size"] = [row.size for row in self.rows]
        columns[self.roles.load] = [row.found.value for row in self.rows]
        columns["probability"] = [row.found.probability for row in self.rows]
        known = [
            ("throughput", self.throughput),
            ("frame_rate", self.frame_rate),
            ("loss_at_full_load", self.full_loss),
        ]
        for name, get in known:
            _put(columns, name, [get(row) for row in self.rows])
        for share in SHARES:
            _put(columns, f"delay_at_{share:.0%}", [self.delay(row, share) for row in self.rows])
        _put(columns, "burst", [self.burst(row) for row in self.rows])
        return {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}

    def units(self) -> dict[str, str]:
        """Return the units of the columns of `table`, for those that have one."""
        net = self.net
        throughput, delay = self.figure("throughput"), self.figure("delay")
        units = {
            "throughput": unit_of(net, throughput.dimension) if throughput else "",
            "frame_rate": unit_of(net, "events"),
        }
        units |= {f"delay_at_{share:.0%}": unit_of(net, delay.dimension) if delay else "" for share in SHARES}
        return {f"{name}{end}": unit for name, unit in units.items() for end in ("", "_half_width") if unit}

    def to_csv(self, path: str | Path) -> None:
        """`table` with units in the names of columns. Raises ExperimentError if it cannot be written."""
        units = self.units()
        with refused_export(path):
            write_csv({with_unit(name, units.get(name, "")): cells for name, cells in self.table().items()}, path)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON types."""
        return {
            "title": self.title,
            "net": self.net.name,
            "time_unit": self.net.time_unit,
            "roles": {name: getattr(self.roles, name) or None for name in USUAL},
            "interrupted": self.interrupted,
            "units": self.units(),
            "sizes": [self._row_dict(row) for row in self.rows],
            "search": self.search.to_dict(),
        }

    def _row_dict(self, row: SizeResult) -> dict[str, Any]:
        def shown(one: Interval | None) -> dict[str, Any] | None:
            return None if one is None else interval_dict(one)

        return {
            **({"parameters": {name: row.found.parameters.get(name) for name in self.others}} if self.others else {}),
            "size": row.size,
            "status": row.found.status,
            "load": row.found.value,
            "probability": row.found.probability,
            "throughput": shown(self.throughput(row)),
            "frame_rate": shown(self.frame_rate(row)),
            "delay": {f"{share:.0%}": shown(self.delay(row, share)) for share in row.delays},
            "loss": [{"load": load, **interval_dict(point.intervals[self.roles.loss])} for load, point in row.losses],
            "burst": shown(self.burst(row)),
            "burst_time": None if row.bursts is None else interval_dict(row.bursts.interval),
            "burst_complete": None if row.bursts is None else row.bursts.complete,
        }


def _put(columns: dict[str, list[Any]], name: str, found: Sequence[Interval | None]) -> None:
    columns[name] = [None if one is None else number(one.mean) for one in found]
    columns[f"{name}_half_width"] = [None if one is None else number(one.half_width) for one in found]
