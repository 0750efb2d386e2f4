"""Measurements other than speed on one thread: two threads, a busy cache, start-up, the trace, memory of long runs."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.contenders import HERE, NETS, Simulator, Worker, build, calibrate, compete

STARTS = 10


def two_threads(engine: str, seconds: float, rounds: int) -> tuple[list[float], list[float]]:
    """Return firings per second of 1 replication on 1 thread and of 2 on 2: by clock and by processor time (medians).

    The first pair shows what a user gains. If other programs use the second core, only the other pair shows whether the
    threads slow each other down.
    """
    clock: tuple[list[float], list[float]] = ([], [])
    processor: tuple[list[float], list[float]] = ([], [])
    with Worker(engine, NETS / "ring.net") as worker:
        firings = calibrate(Simulator("alone", engine, NETS / "ring.net", worker=worker), seconds)
        for seed in range(1, rounds + 1):
            for index in range(2):
                answer = worker.ask(firings=firings, seed=seed, replications=index + 1, threads=index + 1)
                clock[index].append(answer["firings"] / answer["wall"])
                processor[index].append(answer["firings"] / answer["seconds"])
    return [statistics.median(rates) for rates in clock], [statistics.median(rates) for rates in processor]


@contextmanager
def swept_cache() -> Iterator[None]:
    """While another program goes through the last-level cache. Raises Unavailable without a compiler."""
    program = subprocess.Popen([str(build("sweep"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdin is not None
    assert program.stdout is not None
    with program:
        program.stdout.readline()  # it has gone through it once
        try:
            yield
        finally:
            program.stdin.close()


def beside_a_sweep(case: Case, engine: str, seconds: float, rounds: int) -> tuple[float, float]:
    """Units per second (medians) of a case by itself, and beside a program that sweeps the last-level cache."""
    contender = next(one for one in case.contenders(engine) if one.name == "pnsim")
    alone, beside = [], []
    try:
        firings = calibrate(contender, seconds)
        for seed in range(1, rounds + 1):
            alone.append(contender.run(firings, seed).rate)
            with swept_cache():
                beside.append(contender.run(firings, seed).rate)
    finally:
        contender.close()
    return statistics.median(alone), statistics.median(beside)


def trace(engine: str, seconds: float, rounds: int) -> tuple[float, float]:
    """Return firings per second without a trace, and with one that is handed out and discarded."""
    off = Simulator("trace off", engine, NETS / "ring.net")
    on = Simulator("trace on", engine, NETS / "ring.net", request={"trace": True})
    without, traced = compete([off, on], seconds, rounds)
    return without.rate, traced.rate


def start_up() -> tuple[float, float]:
    """Seconds of `pnsim run` on a small net from start to end, with cached bytecode (medians).

    The first is wall-clock time, the second processor time; on a busy machine they differ.
    """
    net = HERE.parent / "nets" / "patterns" / "mm1.net"
    command = [sys.executable, "-m", "pnsim", "run", str(net), "--until", "1000"]
    times, used = [], []
    with tempfile.TemporaryDirectory() as elsewhere:
        for _ in range(STARTS + 1):
            started, before = time.perf_counter(), children()
            done = subprocess.run(command, capture_output=True, text=True, cwd=elsewhere, env=environment())
            times.append(time.perf_counter() - started)
            used.append(children() - before)
            if done.returncode not in (0, 1):
                raise RuntimeError(f"pnsim run ended with status {done.returncode}: {done.stderr.strip()}")
    return statistics.median(times[1:]), statistics.median(used[1:])


def children() -> float:
    """Processor time of all processes that this one has waited for."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def environment() -> dict[str, str]:
    """Return the environment of a shell, without the paths of this program, and with bytecode caching."""
    kept_out = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if name not in kept_out}


def memory_of_long_runs(engine: str, net: Path, firings: int) -> tuple[int, int]:
    """Peak memory [B] of a run of `firings` firings, and of one ten times as long, each in its own process."""
    peaks = []
    for count in (firings, 10 * firings):
        with Worker(engine, net) as worker:
            peaks.append(int(worker.ask(firings=count, seed=1)["memory"]))
    return peaks[0], peaks[1]
