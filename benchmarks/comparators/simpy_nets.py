"""The benchmark nets as SimPy processes.

Queues are counters and deques of the program itself, since SimPy's own resources cost further events. No statistics are
kept, which spares SimPy work that pnsim does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from random import Random
from typing import Any

import simpy

from benchmarks.comparators import simpy_pairs, simpy_scale
from benchmarks.comparators.simpy_ixp2400 import Ixp2400

Process = Generator[Any, Any, None]
Count = Callable[[], int]


def ring(environment: Any, random: Random, stations: int = 16, share: int = 4) -> Count:
    """B1; counts service completions."""
    waiting = [share] * stations
    wake = [environment.event() for _ in range(stations)]
    served = 0

    def station(here: int) -> Process:
        nonlocal served
        there = (here + 1) % stations
        while True:
            if not waiting[here]:
                wake[here] = environment.event()
                yield wake[here]
            yield environment.timeout(random.expovariate(1.0))
            waiting[here] -= 1
            waiting[there] += 1
            served += 1
            if waiting[there] == 1 and not wake[there].triggered:
                wake[there].succeed()

    for index in range(stations):
        environment.process(station(index))
    return lambda: served


def pipeline(environment: Any, random: Random, threads: int = 8) -> Count:
    """B2; counts packets that have been processed."""
    wire: deque[tuple[int, int]] = deque()
    idle: list[Any] = []
    processed = 0

    def source() -> Process:
        number = 0
        while True:
            yield environment.timeout(1.0)
            wire.append((number % 10, number))
            number += 1
            if idle:
                idle.pop().succeed()

    def thread() -> Process:
        nonlocal processed
        while True:
            if not wire:
                free = environment.event()
                idle.append(free)
                yield free
            wire.popleft()
            yield environment.timeout(random.expovariate(1.0 / 6.0))
            processed += 1

    environment.process(source())
    for _ in range(threads):
        environment.process(thread())
    return lambda: processed


def join(environment: Any, random: Random, flows: int = 10, length: int = 20) -> Count:
    """B3; counts joins that have ended."""
    left: set[tuple[int, int]] = set()
    right: set[tuple[int, int]] = set()
    joined = 0

    def deposit(event: Any) -> None:
        nonlocal joined
        joined += 1
        flow, number = event.value
        for token, own, other in (
            ((flow, (7 * number + 3) % length), left, right),
            ((flow, (3 * number + 1) % length), right, left),
        ):
            if token in other:
                other.remove(token)
                start(token)
            else:
                own.add(token)

    def start(token: tuple[int, int]) -> None:
        environment.timeout(1.0, token).callbacks.append(deposit)

    for flow in range(flows):
        for number in range(length):
            start((flow, number))
    return lambda: joined


def ixp2400(environment: Any, random: Random) -> Count:
    """B4; counts the net's firings."""
    model = Ixp2400(environment, random)
    return lambda: model.firings


NETS: dict[str, Callable[..., Count]] = {
    "ring": ring,
    "pipeline": pipeline,
    "join": join,
    "ixp2400": ixp2400,
    **simpy_pairs.NETS,
    **simpy_scale.NETS,
}


class Simulation:
    """A net of some size that is simulated piece by piece."""

    def __init__(self, net: str, seed: int, **sizes: int) -> None:
        self.environment = simpy.Environment()
        self.count = NETS[net](self.environment, Random(seed), **sizes)

    def advance(self, units: int) -> int:
        """Go on until about this many more units are counted. Returns how many were counted."""
        before, count, step = self.count(), self.count, self.environment.step
        while count() < before + units:
            for _ in range(64):
                step()
        return count() - before


def simulate(net: str, units: int, seed: int) -> tuple[int, float]:
    """Run until about so many units are counted; returns the count and the model time."""
    simulation = Simulation(net, seed)
    return simulation.advance(units), float(simulation.environment.now)
