"""The times between successive firings of a transition, in their order.

A run keeps the distribution of a measure such as `time(send -> send)`, but not its values. This collects the first of
them while the run is traced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from petri.engine.firings import Firings, TracedFiring
from petri.measure.arrays import Floats
from petri.net import Net, Passage

MOST: Final = 10_000  # values of each measure


def gap_measures(net: Net) -> dict[str, int]:
    """Return the measures of the form `time(t -> t)`, without a key, with the index of their transition."""
    found = {}
    for measure in net.measures:
        probe = None if measure.probe is None else net.probes[measure.probe]
        if not isinstance(probe, Passage) or probe.start != probe.end or probe.start.key:
            continue
        if probe.start.transition is not None:
            found[measure.name] = probe.start.transition
    return found


class GapCollector:
    """A trace of one replication that keeps the first `MOST` values of each such measure after the warm-up.

    begun: end of the warm-up, in the net's unit.
    """

    def __init__(self, net: Net, begun: float) -> None:
        self._net = net
        self._begun = begun
        self._measures = gap_measures(net)
        self._starts: dict[int, list[float]] = {transition: [] for transition in self._measures.values()}

    def __call__(self, replication: int, firings: Iterable[TracedFiring]) -> None:
        found = Firings.of(self._net, firings)
        starts = found.starts
        for transition, kept in self._starts.items():
            if len(kept) <= MOST:
                mine = starts[(found.transitions == transition) & (starts >= self._begun)]
                kept += mine[: MOST + 1 - len(kept)].tolist()

    @property
    def gaps(self) -> Mapping[str, Floats]:
        """The values by measure, in the net's unit of time."""
        return {name: np.diff(np.array(self._starts[transition])) for name, transition in self._measures.items()}
