"""What is saved of a run, so that it can go on: the state of each replication, and how far its driver has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from petri.engine.checkpoint import SavedEngine
from petri.measure.observation import COUNTS, PER_NODE, TIMES, Observation
from petri.structs import Frozen

Number = int | float
Columns = dict[str, Number | list[Number]]


class SavedObservation(Frozen, array_like=True):
    """Keep a `petri.measure.observation.Observation`."""

    elapsed: float
    columns: dict[str, list[Number]]
    probes: tuple[Columns, ...]

    @classmethod
    def of(cls, seen: Observation) -> SavedObservation:
        columns = {name: getattr(seen, name).tolist() for name in PER_NODE}
        return cls(float(seen.elapsed), columns, tuple(_columns(probe) for probe in seen.probes))

    def observation(self) -> Observation:
        """Raise KeyError or ValueError where columns are missing, or are not numbers."""
        reals: dict[str, Any] = {name: np.array(self.columns[name], dtype=np.float64) for name in TIMES}
        whole: dict[str, Any] = {name: np.array(self.columns[name], dtype=np.int64) for name in COUNTS}
        probes = tuple({name: _array(name, value) for name, value in probe.items()} for probe in self.probes)
        return Observation(elapsed=self.elapsed, **reals, **whole, probes=probes)


def _columns(probe: Mapping[str, Any]) -> Columns:
    return {
        name: value if isinstance(value, (int, float)) else np.asarray(value).tolist() for name, value in probe.items()
    }


def _array(name: str, value: Number | list[Number]) -> Any:
    if not isinstance(value, list):
        return value
    return np.array(value, dtype=np.float64 if name == "excesses" else np.int64)


class SavedSeries(Frozen, array_like=True):
    """Keep a measure in windows: its values so far, and where the window under way began; last: None in the warm-up."""

    values: tuple[float, ...]
    start: float
    last: SavedObservation | None


class SavedReplication(Frozen, array_like=True):
    """A replication that stands between two instants.

    branch: how often it has gone on with random numbers of its own. batch: the length of a batch, 0 if none has begun,
    and batch_left: what is left of the one under way [firings]. looked: the firings at which the condition of
    `run until` is looked at. died: when the net was dead, nan if it was not.
    """

    index: int
    branch: int
    engine: SavedEngine
    warm: bool
    batches: tuple[SavedObservation, ...]
    batch: int
    batch_left: int
    series: tuple[SavedSeries, ...]
    looked: int
    died: float
