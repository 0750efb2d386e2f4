"""Exact answers: `python -m benchmarks.exact [CARDS]` solves nets of equal workers and of kanban cells, all figures."""

from __future__ import annotations

import resource
from time import process_time

import petri
from benchmarks.asked import command
from petri.exact.native import NativeSpace
from petri.exact.solution import solve
from tests.exact.test_published import kanban


def measure(cards: int) -> str:
    net = kanban(cards)
    start = process_time()
    arcs = NativeSpace(net).arcs
    explored = process_time() - start
    solution = solve(net)
    solved = process_time() - start - explored
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    throughput = solution.exact("enter.rate")
    figures = [one for one in (*solution.places, *solution.transitions) if one.value]
    worst = max(one.error / abs(one.value) for one in figures)
    return (
        f"kanban {cards}: {solution.states:,} states, {arcs:,} arcs explored in {explored:.2f} s of the processor "
        f"({solution.states / explored / 1e6:.2f} million states/s); {len(figures)} figures in {solved:.2f} s, "
        f"throughput {throughput.value:.11f} ± {throughput.error:.1e}, all to {worst:.0e}; {memory:.0f} MB"
    )


CREW = """net crew
place idle[1..10] = token
place preparing[1..10]
place busy[1..10]
place tools = 5 * token
transition start[i in 1..10]: idle[i], tools -> preparing[i]  after exp(2)
transition begin[i in 1..10]: preparing[i] -> busy[i]         takes erlang(2, 1)
transition stop[i in 1..10]:  busy[i] -> idle[i], tools       after exp(1)
"""


def exchange() -> str:
    """Return the same figures with all states, and with one of those that differ by an exchange of workers."""
    model, told = petri.loads(CREW), []
    for symmetry in (True, False):
        start = process_time()
        solution = model.solve(symmetry=symmetry)
        told.append(f"{solution.states:,} states in {process_time() - start:.2f} s, {solution.exact('start[1].rate')}")
    return f"ten equal workers: {told[0]}; without exchanges {told[1]}"


def main(words: list[str] | None = None) -> None:
    parser = command(__doc__)
    parser.add_argument("cards", nargs="*", type=int, help="in each cell (default 5)")
    options = parser.parse_args(words)
    print(exchange())
    for cards in options.cards or [5]:
        print(measure(cards))


if __name__ == "__main__":
    main()
