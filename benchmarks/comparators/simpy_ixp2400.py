"""B4 in SimPy: the base model of `nets/ixp2400.net`, its default parameters, as processes and resources.

Who waits for a server is served in order of arrival, where the net takes any of those waiting. Free threads of a
microengine get packets in the same order, where the net takes the one that was freed last.
"""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Any

import simpy

Process = Generator[Any, Any, None]

CYCLE = 1000.0 / 600.0  # ns
LINE, MEDIA = 64 / 0.375, 64 / 0.5  # ns for a packet
GAP = 64 / 0.37  # ns from one packet of the source to the next
WORK = (30, 12, 12, 12, 12, 12, 15, 15)  # cycles
DRAM, SRAM, HASH, SCRATCH = range(4)
UNITS = (DRAM, DRAM, HASH, SRAM, DRAM, SCRATCH, DRAM)
THREADS = 64
FIRINGS_OF_A_PACKET = 51  # of the net, on the average


class Ixp2400:
    """The model in an environment; `sent` counts the packets that have left."""

    def __init__(self, environment: Any, random: Random) -> None:
        def resource(capacity: int = 1) -> Any:
            return simpy.Resource(environment, capacity)

        self.environment = environment
        self.random = random
        self.engines = [resource() for _ in range(8)]
        self.entries = [resource(4) for _ in range(8)]
        self.bus, self.media = resource(), resource()
        self.servers = [resource(capacity) for capacity in (1, 16, 1, 8)]
        self.line_in = simpy.Store(environment, 1)
        self.memory = simpy.Store(environment, 256)
        self.waiting = [simpy.Store(environment, 2) for _ in range(8)]
        self.line_out = simpy.Store(environment, 4)
        self.valid: dict[int, Any] = {}
        self.turn = environment.event()
        self.sent = 0
        processes = (
            self.source(),
            self.receive(),
            self.enter(),
            self.ring(),
            self.line(),
            *map(self.thread, range(THREADS)),
        )
        for process in processes:
            environment.process(process)

    @property
    def firings(self) -> int:
        """Return how many firings of the net that makes."""
        return self.sent * FIRINGS_OF_A_PACKET

    def access_time(self, unit: int) -> float:
        if unit == HASH:
            return 8 * CYCLE
        if unit == SCRATCH:
            return 60 * CYCLE
        return self.random.expovariate(1.0) * (25.6 if unit == DRAM else 6 * 105) * CYCLE

    def source(self) -> Process:
        while True:
            yield self.environment.timeout(GAP)
            yield self.line_in.put(self.environment.now)

    def receive(self) -> Process:
        while True:
            packet = yield self.line_in.get()
            yield self.environment.timeout(10 * CYCLE)
            yield self.memory.put(packet)

    def enter(self) -> Process:
        """Packets to the receive buffer, for one microengine after the other."""
        while True:
            for line in self.waiting:
                packet = yield self.memory.get()
                with self.media.request() as grant:
                    yield grant
                    yield self.environment.timeout(MEDIA)
                yield line.put(packet)

    def thread(self, number: int) -> Process:
        engine = self.engines[number // 8]
        entries = self.entries[number // 8]
        while True:
            packet = yield self.waiting[number // 8].get()
            for step, work in enumerate(WORK):
                working = engine.request()
                yield working
                yield self.environment.timeout(self.random.expovariate(1.0) * work * CYCLE)
                if step == len(UNITS):
                    engine.release(working)
                    break
                entry = entries.request()
                yield entry
                engine.release(working)
                yield from self.reference(entries, entry, UNITS[step])
            yield self.transmit(number, packet)

    def reference(self, entries: Any, entry: Any, unit: int) -> Process:
        """Take a command from its queue over the bus to its unit, and the unit's answer."""
        with self.bus.request() as grant:
            yield grant
            yield self.environment.timeout(4 * CYCLE)
        entries.release(entry)
        with self.servers[unit].request() as grant:
            yield grant
            yield self.environment.timeout(self.access_time(unit))

    def transmit(self, number: int, packet: Any) -> Any:
        """Make the packet valid in the ring; the event is its leaving."""
        gone = self.environment.event()
        self.valid[number] = (packet, gone)
        if not self.turn.triggered:
            self.turn.succeed()
        return gone

    def ring(self) -> Process:
        head = 0
        while True:
            if not self.valid:
                self.turn = self.environment.event()
                yield self.turn
            number = min(self.valid, key=lambda element: (element - head) % THREADS)
            packet, gone = self.valid.pop(number)
            head = number + 1
            yield self.line_out.put(packet)
            yield self.environment.timeout(MEDIA)
            gone.succeed()

    def line(self) -> Process:
        while True:
            yield self.line_out.get()
            yield self.environment.timeout(LINE)
            self.sent += 1
