"""The benchmark nets in simpn: coloured nets in Python whose tokens carry the time from which they may be used."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from simpn.simulator import SimProblem, SimToken


def ring(problem: Any, stations: int = 16, share: int = 4) -> set[str]:
    """B1; a firing of `serve` is a service completion."""
    queue = [problem.add_var(f"queue{i}") for i in range(stations)]
    server = [problem.add_var(f"server{i}") for i in range(stations)]
    for i in range(stations):
        server[i].put(1)
        for _ in range(share):
            queue[i].put(1)

    def serve(token: Any, idle: Any) -> list[Any]:
        time = random.expovariate(1.0)
        return [SimToken(token, delay=time), SimToken(idle, delay=time)]

    names = [f"serve{i}" for i in range(stations)]
    for i, name in enumerate(names):
        problem.add_event([queue[i], server[i]], [queue[(i + 1) % stations], server[i]], serve, name=name)
    return set(names)


def pipeline(problem: Any, threads: int = 8) -> set[str]:
    """B2; a firing of `process` is a packet."""
    source, wire, free = (problem.add_var(name) for name in ("source", "wire", "free"))
    source.put(0)
    for thread in range(threads):
        free.put(thread)

    def arrive(number: Any) -> list[Any]:
        return [SimToken(number + 1, delay=1.0), SimToken((number % 10, number), delay=1.0)]

    def process(packet: Any, thread: Any) -> list[Any]:
        return [SimToken(thread, delay=random.expovariate(1.0 / 6.0))]

    problem.add_event([source], [source, wire], arrive, name="arrive")
    problem.add_event([wire, free], [free], process, name="process")
    return {"process"}


def join(problem: Any, flows: int = 10, length: int = 20) -> set[str]:
    """B3; a firing of `join` is a join."""
    left, right = problem.add_var("left"), problem.add_var("right")
    for flow in range(flows):
        for number in range(length):
            left.put((flow, number))
            right.put((flow, number))

    def give(a: Any, b: Any) -> list[Any]:
        flow, number = a
        return [
            SimToken((flow, (7 * number + 3) % length), delay=1.0),
            SimToken((flow, (3 * number + 1) % length), delay=1.0),
        ]

    problem.add_event([left, right], [left, right], give, name="join", guard=lambda a, b: a == b)
    return {"join"}


NETS: dict[str, Callable[[Any], set[str]]] = {"ring": ring, "pipeline": pipeline, "join": join}


def simulate(net: str, units: int, seed: int) -> tuple[int, float]:
    """Fire until so many units are counted; returns the count and the model time."""
    random.seed(seed)
    problem = SimProblem(debugging=False)
    counted = NETS[net](problem)
    count = 0
    while count < units:
        fired = problem.step()
        if fired is None:
            break
        count += fired[2].get_id() in counted
    return count, float(problem.clock)
