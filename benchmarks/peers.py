"""Cimba and batss on examples of their own kind, beside pnsim: `python -m benchmarks.peers [NAME …]`.

Medians of whole runs in turns, each with another seed, by processor time. What happens once is not in them: the code
generation of pnsim, and the compilation of a model of Cimba by numba, which takes seconds. Each is left out where it is
not installed (`pip install cimba batss`).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from time import process_time

import petri
from benchmarks.asked import show
from petri.model import Model
from petri.result import Result

TURNS = 5


@dataclass(frozen=True)
class Queue:
    """A queue as a net of the library or as text. unit: the transition that fires once for each `of`.

    time: of a run of pnsim; Cimba, which is slower, runs an eighth of it. figure: the measure that Cimba's model gives.
    """

    net: str
    parameters: Mapping[str, float]
    of: str
    unit: str
    time: float
    figure: str

    def model(self) -> Model:
        return (petri.loads if "\n" in self.net else petri.load)(self.net, **self.parameters)


RENEGING = """net reneging
place door = token
place line : Time fifo  ## since when each has waited
place desk = token
transition arrive: door -> door, line(end)        takes exp(4)
transition serve:  line(since), desk -> desk      takes exp(3)
transition leave:  any line(since) -> nothing     after exp(6)
measure lost = count(leave) / count(arrive)
run until 1
"""
QUEUES = {
    "mm1": Queue("mm1", {"load": 0.75}, "customer", "arrive", 4e6, "waiting"),
    "reneging": Queue(RENEGING, {}, "customer", "arrive", 4e6, "lost"),
    "shop": Queue("repairman", {"machines": 20, "repairmen": 2}, "repair", "repair", 1e6, "utilisation"),
}
MOLECULES = (10_000, 100_000, 1_000_000)  # of prey and of predators, at the start


def queue(name: str) -> str:
    """Nanoseconds of a customer or a repair."""
    one, model = QUEUES[name], QUEUES[name].model()
    rates: list[float] = []

    def ours(seed: int) -> float:
        start = process_time()
        result = model.run(until=one.time, warmup=0, seed=seed)
        seconds = process_time() - start
        rates.append(units(result, one) / one.time)
        return seconds / units(result, one)

    if find_spec("cimba") is None:
        return f"{name}: {1e9 * statistics.median(map(ours, range(TURNS))):.0f} ns a {one.of}; cimba is not installed"
    simulate = import_module("benchmarks.comparators.cimba_nets").simulate
    simulate(name, 10.0, 0)  # which compiles it

    def theirs(seed: int) -> float:
        start = process_time()
        simulate(name, one.time / 8, seed)
        return (process_time() - start) / (rates[-1] * one.time / 8)

    mine, other = in_turns(ours, theirs)
    return f"{name}: {1e9 * mine:.0f} ns a {one.of}, cimba {1e9 * other:.0f} ns: {other / mine:.1f} times"


def units(result: Result, one: Queue) -> int:
    index = result.transitions.names.index(one.unit)
    return int(result.replications[0].window.firings[index])


def predators(molecules: int) -> str:
    """Return the example of the page of batss, in seconds for ten units of time."""
    model = petri.loads(predator_net(molecules))

    def ours(seed: int) -> float:
        start = process_time()
        model.run(seed=seed)
        return process_time() - start

    name = f"predators, {molecules:,} of each"
    if find_spec("batss") is None:
        return f"{name}: {statistics.median(map(ours, range(TURNS))):.2f} s; batss is not installed"
    from benchmarks.comparators.batss_nets import begin

    def theirs(seed: int) -> float:
        simulation = begin(molecules, seed)
        start = process_time()
        simulation.run(10.0, 10.0, timer=False)
        return process_time() - start

    mine, other = in_turns(ours, theirs)
    return f"{name}: {mine:.2f} s, batss {other:.2f} s: {other / mine:.2f} times"


def predator_net(molecules: int) -> str:
    """Return the reactions R → 2 R, R + F → 2 F and F → nothing in a volume of as many units as there are molecules."""
    volume = 2 * molecules
    return f"""net predators
place R = {molecules} * token
place F = {molecules} * token
transition breed: R -> 2 * R      after exp(1) servers all
transition eat:   R, F -> 2 * F   after exp({volume} / (tokens(R) * tokens(F)))
transition die:   F -> nothing    after exp(1) servers all
measure prey = mean(R)
measure hunters = mean(F)
run until 10
"""


def in_turns(ours: Callable[[int], float], theirs: Callable[[int], float]) -> tuple[float, float]:
    """Return the medians of two measurements that take turns."""
    found = [(ours(seed), theirs(seed)) for seed in range(1, TURNS + 1)]
    return statistics.median(one for one, _ in found), statistics.median(other for _, other in found)


MEASURED: dict[str, Callable[[], str]] = {
    **{name: partial(queue, name) for name in QUEUES},
    **{f"predators{number}": partial(predators, number) for number in MOLECULES},
}


def main(words: list[str] | None = None) -> None:
    show(MEASURED, __doc__, words)


if __name__ == "__main__":
    main()
