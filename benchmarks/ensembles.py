"""What many short runs cost: `python -m benchmarks.ensembles [TURNS]`.

Each row runs replications of one net with all figures and intervals, on one thread and on two. Shown is the median of
some turns: processor time for a replication and for a firing, and how many times as fast two threads are by the clock.
The last row is a sweep: points, their replications, and a row in a store for each.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import petri

EMPTY = "place a = token\nplace b\ntransition t: a -> b takes 5\nmeasure held = mean(a)\nrun until 1"
SIR = """
place healthy = 999 * token
place infected = 10 * token
place recovered
transition infect: healthy, read infected -> infected  after exp(2522.5)  servers all  speed tokens(infected)
transition recover: infected -> recovered  after exp(10)  servers all
measure ill = mean(infected)
measure peak = max(infected)
run until 250
"""
NETS = {
    "empty": (petri.loads(EMPTY), 20_000, None),
    "SIR of 1,009 people": (petri.loads(SIR), 4_000, None),
    "mm1 until 1,000": (petri.load("mm1"), 20_000, 1_000.0),
}
POINTS, EACH = 10, 1_000


def took(work: Callable[[], object], turns: int) -> tuple[float, float]:
    """Return the medians of seconds by the clock and of the processor."""
    found = []
    for _ in range(turns):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - wall, time.process_time() - processor))
    walls, processors = zip(*found, strict=True)
    return statistics.median(walls), statistics.median(processors)


def ran(model: petri.Model, count: int, until: float | None, threads: int) -> petri.Result:
    result = model.run(replications=count, until=until, threads=threads)
    assert result.measures
    assert result.places.mean.n == result.transitions.rate.n == count
    return result


def swept() -> None:
    with tempfile.TemporaryDirectory() as folder:
        points = [{"load": 0.1 + 0.8 * point / POINTS} for point in range(POINTS)]
        experiment = petri.Experiment("mm1", points=points, until=1_000, warmup=0, replications=EACH)
        experiment.run(Path(folder) / "s.db")


def row(name: str, turns: int) -> str:
    model, count, until = NETS[name]
    firings = ran(model, count, until, 1).replications.firings
    one, processor = took(lambda: ran(model, count, until, 1), turns)
    two, _ = took(lambda: ran(model, count, until, 2), turns)
    of_firing = f"{processor / firings * 1e9:.0f}" if firings > count else ""
    return f"{name:24}{count:14,}{processor / count * 1e6:10.1f}{of_firing:>13}{one / two:13.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ensembles", description=__doc__)
    parser.add_argument("turns", type=int, nargs="?", default=5, help="of which the medians are shown")
    turns = parser.parse_args().turns
    print(f"{'':24}{'replications':>14}{'µs each':>10}{'ns a firing':>13}{'two threads':>13}")
    for name in NETS:
        print(row(name, turns))
    print(f"{'sweep of mm1, stored':24}{POINTS * EACH:14,}{took(swept, turns)[1] / POINTS / EACH * 1e6:10.0f}")


if __name__ == "__main__":
    main()
