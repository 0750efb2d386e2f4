"""The nets whose size grows, B14 to B18, as SimPy processes and callbacks. Each counts the firings of the net."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from random import Random
from typing import Any

Process = Generator[Any, Any, None]
Count = Callable[[], int]


class Stations:
    """Single servers with exponential service of mean 1. `leave(station, job)` tells where a job goes, and as what."""

    def __init__(self, environment: Any, random: Random, leave: Callable[[int, int], tuple[int, int]]) -> None:
        self.environment = environment
        self.random = random
        self.leave = leave
        self.waiting: list[deque[int]] = []
        self.served = 0

    def open(self, jobs: list[list[int]]) -> None:
        """Begin with these jobs at each station."""
        self.waiting = [deque(at) for at in jobs]
        for station in range(len(jobs)):
            self.serve(station)

    def serve(self, station: int) -> None:
        timeout = self.environment.timeout(self.random.expovariate(1.0), station)
        timeout.callbacks.append(self.served_one)

    def served_one(self, event: Any) -> None:
        station = event.value
        there, job = self.leave(station, self.waiting[station].popleft())
        self.served += 1
        begins = not self.waiting[there] and there != station
        self.waiting[there].append(job)
        if self.waiting[station]:
            self.serve(station)
        if begins:
            self.serve(there)


def jackson(environment: Any, random: Random, stations: int = 100) -> Count:
    """B14; counts service completions."""
    network = Stations(environment, random, lambda _, job: (random.randrange(stations), job))
    network.open([[0] * 4 for _ in range(stations)])
    return lambda: network.served


def workflow(environment: Any, random: Random, open: int = 100) -> Count:
    """B15; counts arrivals, ends of tasks, and cases that are closed. Keeps their durations."""
    begun: dict[int, float] = {}
    done: set[int] = set()
    fired, total = 0, 0.0

    def end(event: Any) -> None:
        nonlocal fired, total
        case = event.value
        fired += 1
        if case in done:
            done.remove(case)
            total += environment.now - begun.pop(case)
            fired += 1
        else:
            done.add(case)

    def source() -> Process:
        nonlocal fired
        case = 0
        while True:
            yield environment.timeout(1.0)
            begun[case] = environment.now
            for _ in range(2):
                environment.timeout(random.expovariate(1.0 / open), case).callbacks.append(end)
            case += 1
            fired += 1

    environment.process(source())
    return lambda: fired


class Crossbar:
    """B16: each input picks at random one of its packets whose output is free."""

    def __init__(self, environment: Any, random: Random, ports: int) -> None:
        self.environment, self.random, self.ports = environment, random, ports
        self.queue = [[0] * ports for _ in range(ports)]
        self.room = [[8] * ports for _ in range(ports)]
        self.inputs, self.outputs = [True] * ports, [True] * ports
        self.blocked = [False] * ports
        self.fired = 0
        for port in range(ports):
            self.expect(port)

    def expect(self, port: int) -> None:
        """The next packet of a line: its output is known, and keeps room, when it begins to arrive."""
        free = [there for there in range(self.ports) if self.room[port][there]]
        if not free:
            self.blocked[port] = True
            return
        there = self.random.choice(free)
        self.room[port][there] -= 1
        timeout = self.environment.timeout(self.random.expovariate(1 / 1.25), (port, there))
        timeout.callbacks.append(self.arrive)

    def arrive(self, event: Any) -> None:
        port, there = event.value
        self.fired += 1
        self.queue[port][there] += 1
        self.expect(port)
        self.start(port, there)

    def start(self, port: int, there: int) -> None:
        if self.queue[port][there] and self.inputs[port] and self.outputs[there]:
            self.inputs[port] = self.outputs[there] = False
            self.queue[port][there] -= 1
            self.room[port][there] += 1
            if self.blocked[port]:
                self.blocked[port] = False
                self.expect(port)
            self.environment.timeout(1.0, (port, there)).callbacks.append(self.end)

    def end(self, event: Any) -> None:
        port, there = event.value
        self.fired += 1
        self.inputs[port] = self.outputs[there] = True
        pairs = [(port, other) for other in range(self.ports)] + [(other, there) for other in range(self.ports)]
        self.random.shuffle(pairs)
        for pair in pairs:
            self.start(*pair)


def crossbar(environment: Any, random: Random, ports: int = 16) -> Count:
    """B16; counts packets that have arrived, and those that have gone through."""
    switch = Crossbar(environment, random, ports)
    return lambda: switch.fired


def individuals(environment: Any, random: Random, people: int = 1000) -> Count:
    """B17; counts those who have left home, and those who have come back."""
    fired = 0
    visits = [0] * people

    def person(number: int) -> Process:
        nonlocal fired
        while True:
            yield environment.timeout(random.expovariate(1.0 / 3.0))
            yield environment.timeout(random.uniform(0.5, 1.5))
            visits[number] += 1
            fired += 2

    for number in range(people):
        environment.process(person(number))
    return lambda: fired


def unlike(environment: Any, random: Random, stations: int = 3000) -> Count:
    """B18; counts service completions."""
    from benchmarks.unlike import MODULUS, expression

    functions = [eval("lambda x: " + expression(i).replace("mod", "%")) for i in range(stations)]
    network = Stations(environment, random, lambda here, job: ((here + 1) % stations, functions[here](job)))
    network.open([[i % MODULUS] * 4 for i in range(stations)])
    return lambda: network.served


NETS: dict[str, Callable[..., Count]] = {
    "jackson": jackson,
    "workflow": workflow,
    "crossbar": crossbar,
    "individuals": individuals,
    "unlike": unlike,
}
