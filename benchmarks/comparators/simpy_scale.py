"""Most nets whose size grows, B6 to B20, as SimPy processes and callbacks. Each counts the firings of the net."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from heapq import heapify, heappop, heappush, heapreplace
from math import log, sqrt
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


def keyed_bag(environment: Any, random: Random, waiting: int = 100) -> Count:
    """B6; counts the tokens that have been found by their keys."""
    visits = dict.fromkeys(range(waiting), 0)
    fired = 0

    def server() -> Process:
        nonlocal fired
        while True:
            yield environment.timeout(1.0)
            visits[random.randrange(waiting)] += 1
            fired += 1

    environment.process(server())
    return lambda: fired


def in_progress(environment: Any, random: Random, firings: int = 100) -> Count:
    """B6; counts the delays that have ended."""
    ended = 0

    def again(event: Any) -> None:
        nonlocal ended
        ended += 1
        environment.timeout(random.expovariate(1.0)).callbacks.append(again)

    for _ in range(firings):
        environment.timeout(random.expovariate(1.0)).callbacks.append(again)
    return lambda: ended


class Philosophers:
    """B7: neighbours look at their forks when a philosopher has eaten."""

    def __init__(self, environment: Any, random: Random, seats: int) -> None:
        self.environment, self.random, self.seats = environment, random, seats
        self.hungry = [False] * seats
        self.free = [True] * seats
        self.fired = 0
        for seat in range(seats):
            self.think(seat)

    def think(self, seat: int) -> None:
        self.environment.timeout(self.random.expovariate(0.1), seat).callbacks.append(self.become_hungry)

    def become_hungry(self, event: Any) -> None:
        self.fired += 1
        self.hungry[event.value] = True
        self.take(event.value)

    def take(self, seat: int) -> None:
        right = (seat + 1) % self.seats
        if self.hungry[seat] and self.free[seat] and self.free[right]:
            self.fired += 1
            self.hungry[seat] = self.free[seat] = self.free[right] = False
            self.environment.timeout(self.random.expovariate(1.0), seat).callbacks.append(self.leave)

    def leave(self, event: Any) -> None:
        seat = event.value
        right = (seat + 1) % self.seats
        self.fired += 1
        self.free[seat] = self.free[right] = True
        self.think(seat)
        self.take(seat - 1 if seat else self.seats - 1)
        self.take(right)


def philosophers(environment: Any, random: Random, seats: int = 100) -> Count:
    """B7; counts who has become hungry, has taken forks, and has eaten."""
    table = Philosophers(environment, random, seats)
    return lambda: table.fired


def preference(environment: Any, random: Random, waiting: int = 100) -> Count:
    """B9; counts services. All begin at the same instants, in the order of a heap."""
    line = [(due, 0) for due in range(waiting)]
    fired = 0

    def begin() -> None:
        while line:
            environment.timeout(1.0, heappop(line)).callbacks.append(end)

    def end(event: Any) -> None:
        nonlocal fired
        fired += 1
        due, visits = event.value
        heappush(line, (due + random.randint(0, waiting), visits + 1))
        if len(line) == waiting:
            begin()

    begin()
    return lambda: fired


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
        """Take the next packet of a line: its output is known, and keeps room, when it begins to arrive."""
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


def least_served(environment: Any, random: Random, jobs: int = 100) -> Count:
    """B19; counts services. Jobs wait in a heap by their sizes."""
    waiting = [0.02 * (number % 100) for number in range(jobs)]
    heapify(waiting)
    mean, deviation = -log(2) / 2, sqrt(log(2))
    fired = 0

    def begin(size: float) -> None:
        share = random.lognormvariate(mean, deviation)
        environment.timeout(share, size + share).callbacks.append(end)

    def end(event: Any) -> None:
        nonlocal fired
        fired += 1
        begin(event.value if event.value <= waiting[0] else heapreplace(waiting, event.value))

    for _ in range(4):
        begin(heappop(waiting))
    return lambda: fired


def assembly(environment: Any, random: Random, open: int = 100) -> Count:
    """B20; counts orders, parts that are made, and those that are assembled."""
    missing: dict[int, int] = {}
    fired = 0

    def made(event: Any) -> None:
        nonlocal fired
        fired += 1
        missing[event.value] -= 1
        if missing[event.value] == 0:
            del missing[event.value]
            fired += 1

    def source() -> Process:
        nonlocal fired
        number = 0
        while True:
            yield environment.timeout(1.0)
            missing[number] = 3
            for _ in range(3):
                environment.timeout(random.expovariate(1.0 / open), number).callbacks.append(made)
            number += 1
            fired += 1

    environment.process(source())
    return lambda: fired


def unlike(environment: Any, random: Random, stations: int = 3000) -> Count:
    """B18; counts service completions."""
    from benchmarks.unlike import MODULUS, expression

    functions = [eval("lambda x: " + expression(i).replace("mod", "%")) for i in range(stations)]
    network = Stations(environment, random, lambda here, job: ((here + 1) % stations, functions[here](job)))
    network.open([[i % MODULUS] * 4 for i in range(stations)])
    return lambda: network.served


NETS: dict[str, Callable[..., Count]] = {
    "keyed_bag": keyed_bag,
    "in_progress": in_progress,
    "philosophers": philosophers,
    "preference": preference,
    "jackson": jackson,
    "workflow": workflow,
    "crossbar": crossbar,
    "individuals": individuals,
    "unlike": unlike,
    "least_served": least_served,
    "assembly": assembly,
}
