"""A process that loads one net for one engine, and then runs it on request.

    python -m benchmarks.worker ENGINE NET [name=value …]

It answers one line of JSON for each line that it reads. A request is {"units": n, "seed": s} with further keys for the
engine; the answer has the units counted, the firings, the seconds of processor time and of wall-clock
time, and the process's peak memory so far. Its first line of output says that the net is loaded.

The comparators run without petri: they may be installed in a separate environment.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petri.structs import replace

if TYPE_CHECKING:
    from petri.engine.interface import Limits

Request = dict[str, Any]
Answer = dict[str, Any]
Run = Callable[[Request], Answer]


def peak_memory() -> int:
    """Return the peak memory of this process, in bytes."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class Timer:
    """Processor time of the whole process, and wall-clock time."""

    def __enter__(self) -> Timer:
        self.wall = -time.perf_counter()
        self.processor = -time.process_time()
        return self

    def __exit__(self, *error: object) -> None:
        self.processor += time.process_time()
        self.wall += time.perf_counter()

    def times(self) -> Answer:
        return {"seconds": self.processor, "wall": self.wall}


def no_limits() -> Limits:
    """Limits that no net here reaches. Where more tokens were allowed, integrals over time would need a wider word."""
    from petri.engine.interface import Limits

    return Limits(firings_at_an_instant=1 << 40, tokens=1 << 32)


def whole_run(engine: str, net: str, parameters: dict[str, str]) -> Run:
    """Run like those of a user, with all statistics.

    Request: "firings" to stop after this many, or otherwise at the net's own end; "replications", "threads"; "trace":
    each firing is handed out. The answer's "fired" counts firings by transition (all replications together). Statistics
    of places and transitions are always kept; an engine "NAME-bare" leaves out the measures that the net declares.
    """
    import numpy as np

    import petri

    model = petri.load(net, **parameters)
    if engine.endswith("-bare"):
        engine = engine.removesuffix("-bare")
        model = replace(model, net=replace(model.net, measures=(), expectations=(), probes=()))
    limits = no_limits()

    def run(request: Request) -> Answer:
        firings = request.get("firings")
        with Timer() as timer:
            result = model.run(
                until=request.get("until", "dead") if firings is not None else None,
                warmup=0.0 if firings is not None else None,
                seed=request["seed"],
                replications=request.get("replications", 1),
                threads=request.get("threads", 1),
                max_firings=firings,
                engine=engine,
                limits=limits,
                trace=discard if request.get("trace") else None,
            )
        if result.failure is not None:
            raise RuntimeError(f"{net}: {result.failure}")
        fired = np.sum([replication.window.firings for replication in result.replications], axis=0)
        return {
            "firings": sum(replication.firings for replication in result.replications),
            "fired": dict(zip((t.name for t in model.net.transitions), map(int, fired), strict=True)),
            **timer.times(),
        }

    return run


def discard(replication: int, firings: object) -> None:
    """Write a trace that is discarded."""


def steady_state(engine: str, net: str, parameters: dict[str, str]) -> Run:
    """Return one replication that continues: the first request sets it up and runs "settle" firings, untimed.

    If that takes more than "patience" seconds of processor time, the measurement starts at once.
    """
    import petri
    from petri.engine.interface import Session
    from petri.run.session import begin

    model = petri.load(net, **parameters)
    sessions: list[Session] = []

    def run(request: Request) -> Answer:
        if not sessions:
            sessions.append(begin(model.net, engine, request["seed"], 0, limits=no_limits()))
            settle(lambda more: sessions[0].advance(math.inf, more), request["settle"], request["patience"])
        with Timer() as timer:
            sessions[0].advance(math.inf, request["firings"])
        return {"firings": request["firings"], **timer.times()}

    return run


def settle(advance: Callable[[int], object], firings: int, patience: float) -> None:
    """Advance by so many firings, in pieces that grow, until the processor time is over."""
    started, done, piece = time.process_time(), 0, 1
    while done < firings and (spent := time.process_time() - started) < patience:
        advance(piece)
        done += piece
        if time.process_time() - started - spent < patience / 20:
            piece *= 2


def comparator(engine: str, net: str, parameters: dict[str, str]) -> Run:
    """SimPy or simpn."""
    import importlib

    simulate = importlib.import_module(f"benchmarks.comparators.{engine}_nets").simulate

    def run(request: Request) -> Answer:
        with Timer() as timer:
            count, _ = simulate(net, request["firings"], request["seed"])
        return {"firings": count, **timer.times()}

    return run


def steady_simpy(net: str, parameters: dict[str, str]) -> Run:
    """Return one simulation that continues: the first request sets it up and runs "settle" firings, untimed."""
    from benchmarks.comparators.simpy_nets import Simulation

    running: list[Simulation] = []

    def run(request: Request) -> Answer:
        if not running:
            running.append(Simulation(net, request["seed"], **{name: int(size) for name, size in parameters.items()}))
            settle(running[0].advance, request["settle"], request["patience"])
        with Timer() as timer:
            count = running[0].advance(request["firings"])
        return {"firings": count, **timer.times()}

    return run


def main(words: list[str]) -> None:
    kind, net, *settings = words
    parameters = dict(setting.split("=", 1) for setting in settings)
    if kind in ("simpy", "simpn"):
        run = comparator(kind, net, parameters)
    elif kind == "steady-simpy":
        run = steady_simpy(net, parameters)
    elif kind.startswith("steady-"):
        run = steady_state(kind.removeprefix("steady-"), net, parameters)
    else:
        run = whole_run(kind, net, parameters)
    print(json.dumps({"ready": True, "memory": peak_memory()}), flush=True)
    for line in sys.stdin:
        answer = run(json.loads(line))
        print(json.dumps({**answer, "memory": peak_memory()}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
