"""Exact answers: `python -m benchmarks.exact [CARDS]` explores the kanban net and bounds its throughput."""

from __future__ import annotations

import resource
import sys
from time import perf_counter

from petri.exact.native import NativeSpace
from tests.exact.published import kanban

CLOSE = 2e-9  # the distance of the bounds


def measure(cards: int) -> str:
    start = perf_counter()
    space = NativeSpace(kanban(cards))
    explored = perf_counter() - start
    bounds = space.long_run(space.own_rates(0), CLOSE)
    solved = perf_counter() - start - explored
    assert bounds is not None
    low, high = bounds
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    value, error = (low + high) / 2, (high - low) / 2
    return (
        f"kanban {cards}: {len(space):,} states, {space.explored.arcs:,} arcs in {explored:.2f} s "
        f"({len(space) / explored / 1e6:.2f} million states/s); throughput {value:.11f} ± {error:.1e} "
        f"in {solved:.2f} s; {memory:.0f} MB"
    )


if __name__ == "__main__":
    for cards in map(int, sys.argv[1:] or ["5"]):
        print(measure(cards))
