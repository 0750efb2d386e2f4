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


CYCLE = 1000.0 / 600.0  # ns
WORK = (30, 12, 12, 12, 12, 12, 15, 15)  # cycles
DRAM, SRAM, HASH, SCRATCH = range(4)
UNITS = (DRAM, DRAM, HASH, SRAM, DRAM, SCRATCH, DRAM)
FIRINGS_OF_A_PACKET = 37  # of the net


def ixp2400(environment: Any, random: Random) -> Count:
    """B4; counts the net's firings. Who waits for a server is served in order of arrival, where the net takes any."""
    timeout, draw = environment.timeout, random.expovariate
    times: tuple[Callable[[], float], ...] = (
        lambda: draw(1.0) * 26 * CYCLE,
        lambda: random.gammavariate(4, 1.0) * 90 * CYCLE,
        lambda: 8 * CYCLE,
        lambda: draw(1.0) * 60 * CYCLE,
    )
    engines = [simpy.Resource(environment) for _ in range(8)]
    entries = [simpy.Resource(environment, 4) for _ in range(8)]
    bus, media = simpy.Resource(environment), simpy.Resource(environment)
    queues = [simpy.Resource(environment, 4) for _ in range(4)]
    servers = [simpy.Resource(environment, capacity) for capacity in (1, 16, 1, 8)]
    line_in, mac = simpy.Store(environment, 1), simpy.Store(environment, 256)
    line_out = simpy.Store(environment, 2)
    valid: dict[int, Any] = {}
    turn = [environment.event()]
    sent = 0

    def source() -> Process:
        while True:
            yield timeout(64 / 0.375)
            yield line_in.put(environment.now)

    def receive() -> Process:
        while True:
            packet = yield line_in.get()
            yield timeout(10 * CYCLE)
            yield mac.put(packet)

    def reference(engine: int, entry: Any, unit: int) -> Process:
        place = queues[unit].request()
        yield place
        with bus.request() as grant:
            yield grant
            yield timeout(4 * CYCLE)
        entries[engine].release(entry)
        with servers[unit].request() as grant:
            yield grant
            queues[unit].release(place)
            yield timeout(times[unit]())

    def thread(number: int) -> Process:
        engine = number // 8
        while True:
            packet = yield mac.get()
            with media.request() as grant:
                yield grant
                yield timeout(64 / 0.5)
            for step, work in enumerate(WORK):
                working = engines[engine].request()
                yield working
                yield timeout(draw(1.0) * work * CYCLE)
                if step < len(UNITS):
                    entry = entries[engine].request()
                    yield entry
                    engines[engine].release(working)
                    yield from reference(engine, entry, UNITS[step])
                else:
                    engines[engine].release(working)
            valid[number] = (packet, gone := environment.event())
            if not turn[0].triggered:
                turn[0].succeed()
            yield gone

    def ring() -> Process:
        head = 0
        while True:
            if not valid:
                turn[0] = environment.event()
                yield turn[0]
            number = min(valid, key=lambda element: (element - head) % 64)
            packet, gone = valid.pop(number)
            head = number + 1
            yield line_out.put(packet)
            yield timeout(64 / 0.5)
            gone.succeed()

    def line() -> Process:
        nonlocal sent
        while True:
            yield line_out.get()
            yield timeout(64 / 0.375)
            sent += 1

    for process in (source(), receive(), ring(), line(), *(thread(number) for number in range(64))):
        environment.process(process)
    return lambda: sent * FIRINGS_OF_A_PACKET


NETS: dict[str, Callable[[Any, Random], Count]] = {
    "ring": ring,
    "pipeline": pipeline,
    "join": join,
    "ixp2400": ixp2400,
}


def simulate(net: str, units: int, seed: int) -> tuple[int, float]:
    """Run until about so many units are counted; returns the count and the model time."""
    environment = simpy.Environment()
    count = NETS[net](environment, Random(seed))
    step = environment.step
    while count() < units:
        for _ in range(64):
            step()
    return count(), float(environment.now)
