"""What many short runs cost: `python -m benchmarks.ensembles [TURNS]`.

Each row runs replications of one net with all figures and intervals, on one thread and on two. Shown is the median of
some turns: processor time for a replication and for a firing, and how many times as fast two threads are by the clock.
Two rows are sweeps: points, their replications, and a row in a store for each. The last rows are the epidemic in other
simulators, which compute no figures; what happens once, such as compiling, is not in them. Each is left out where it is
not installed (`pip install gillespy2 rebop scons simpy`).
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import petri
from benchmarks.comparators.sir import INFECTED, RIVALS

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
SWEEPS = ((10, 1_000), (200, 10))  # points, and replications of each


def processor() -> float:
    """Return the processor time of this process and of those that it has waited for [s]."""
    return sum(sum(resource.getrusage(whose)[:2]) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def took(work: Callable[[], object], turns: int) -> tuple[float, float]:
    """Return the medians of seconds by the clock and of the processor."""
    found = []
    for _ in range(turns):
        wall, used = time.perf_counter(), processor()
        work()
        found.append((time.perf_counter() - wall, processor() - used))
    walls, processors = zip(*found, strict=True)
    return statistics.median(walls), statistics.median(processors)


def ran(model: petri.Model, count: int, until: float | None, threads: int) -> petri.Result:
    result = model.run(replications=count, until=until, threads=threads)
    assert result.measures
    assert result.places.mean.n == result.transitions.rate.n == count
    return result


def swept(points: int, each: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        loads = [{"load": 0.1 + 0.8 * point / points} for point in range(points)]
        experiment = petri.Experiment("mm1", points=loads, until=1_000, warmup=0, replications=each)
        experiment.run(Path(folder) / "s.db")


def row(name: str, turns: int) -> str:
    model, count, until = NETS[name]
    firings = ran(model, count, until, 1).replications.firings
    one, used = took(lambda: ran(model, count, until, 1), turns)
    two, _ = took(lambda: ran(model, count, until, 2), turns)
    return shown(name, count, used, firings if firings > count else 0) + f"{one / two:13.2f}"


def shown(name: str, count: int, used: float, firings: float = 0) -> str:
    of_firing = f"{used / firings * 1e9:.0f}" if firings else ""
    return f"{name:24}{count:14,}{used / count * 1e6:10.1f}{of_firing:>13}"


def rival(name: str, turns: int) -> str:
    """Return the row of another simulator of the epidemic; or why there is none."""
    simulate, count = RIVALS[name]
    if find_spec(name) is None:
        return f"{name} is not installed"
    try:
        simulate(2, 0)
    except Exception as error:  # of its compiler
        return f"{name} does not run: {str(error).splitlines()[0]}"
    recovered = sum(simulate(count, 1))
    firings = 2 * recovered - INFECTED * count  # but for those who are still ill at the end
    return shown(f"SIR in {name}", count, took(lambda: simulate(count, 1), turns)[1], firings)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ensembles", description=__doc__)
    parser.add_argument("turns", type=int, nargs="?", default=5, help="of which the medians are shown")
    turns = parser.parse_args().turns
    print(f"{'':24}{'replications':>14}{'µs each':>10}{'ns a firing':>13}{'two threads':>13}")
    for name in NETS:
        print(row(name, turns), flush=True)
    for points, each in SWEEPS:
        used = took(lambda points=points, each=each: swept(points, each), turns)[1]  # type: ignore[misc]
        print(shown(f"mm1, {points} points stored", points * each, used), flush=True)
    for name in RIVALS:
        print(rival(name, turns), flush=True)


if __name__ == "__main__":
    main()
