"""Exact answers: `python -m benchmarks.exact [CARDS]` solves the kanban net, all its figures."""

from __future__ import annotations

import resource
import sys
from time import process_time

from petri.exact.native import NativeSpace
from petri.exact.solution import solve
from tests.exact.published import kanban


def measure(cards: int) -> str:
    net = kanban(cards)
    start = process_time()
    arcs = NativeSpace(net).arcs
    explored = process_time() - start
    solution = solve(net)
    solved = process_time() - start - explored
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    throughput = solution.figure("enter.rate")
    figures = [one for one in (*solution.places, *solution.transitions) if one.value]
    worst = max(one.error / abs(one.value) for one in figures)
    return (
        f"kanban {cards}: {solution.states:,} states, {arcs:,} arcs explored in {explored:.2f} s of the processor "
        f"({solution.states / explored / 1e6:.2f} million states/s); {len(figures)} figures in {solved:.2f} s, "
        f"throughput {throughput.value:.11f} ± {throughput.error:.1e}, all to {worst:.0e}; {memory:.0f} MB"
    )


if __name__ == "__main__":
    for cards in map(int, sys.argv[1:] or ["5"]):
        print(measure(cards))
