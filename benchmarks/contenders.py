"""The programs that simulate a net, each in its own process: pnsim, a hand-written program, SimPy, simpn."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

HERE = Path(__file__).parent
HANDWRITTEN = HERE / "handwritten"
BUILD = HERE / "build"
NETS = HERE / "nets"
COMPILER = os.environ.get("CXX", "g++")
FLAGS = ("-std=c++20", "-O3", "-march=native")
PROBE = 50  # firings of the first run, from which the firings of a run of the required length are estimated
LONGEST_PROBE = 5e9  # firings; a faster contender is not believed
SETTLED = 1.5  # the first of two runs of one length takes at most this many times as long as the second


class Unavailable(Exception):
    """A contender that this machine cannot run; the message says why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: the units counted, the seconds (of processor time), and the memory [B]."""

    units: float
    seconds: float
    wall: float
    memory: int
    firings: int

    @property
    def rate(self) -> float:
        """Units per second."""
        return self.units / max(self.seconds, 1e-9)


class Contender(Protocol):
    """Runs one net, again and again."""

    name: str

    def run(self, firings: int, seed: int) -> Sample:
        """Do one run of about `firings` firings. Raises Unavailable."""

    def close(self) -> None:
        """End the process, if there is one."""


class Worker:
    """A `benchmarks.worker` process and the lines that are exchanged with it."""

    def __init__(self, engine: str, net: str | Path, parameters: Mapping[str, object] | None = None) -> None:
        words = [f"{name}={value}" for name, value in (parameters or {}).items()]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", engine, str(net), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=HERE.parent,
            env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        )
        self.loaded = self.answer()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request, wait for its answer. Raises Unavailable if the process has ended."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        if not line:
            told = self.process.stderr.read().strip().splitlines()
            self.close()
            raise Unavailable(told[-1] if told else "the process ended without a word")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass
class Simulator:
    """pnsim or a comparator in a worker process. `counted` is the transition whose firings count; None: all do."""

    name: str
    engine: str
    net: str | Path
    counted: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)
    worker: Worker | None = None

    def run(self, firings: int, seed: int) -> Sample:
        if self.worker is None:
            self.worker = Worker(self.engine, self.net, self.parameters)
        answer = self.worker.ask(firings=firings, seed=seed, **self.request)
        fired = answer.get("fired", {})
        units = fired[self.counted] if self.counted is not None and fired else answer["firings"]
        return Sample(units, answer["seconds"], answer["wall"], answer["memory"], answer["firings"])

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None


@dataclass
class Handwritten:
    """A C++ program of `handwritten/`, with or without statistics; a unit takes `per_unit` of its firings.

    A net that comes in several sizes runs `settle` firings first, which are not timed.
    """

    name: str
    program: str
    statistics: bool = True
    per_unit: float = 1.0
    defines: tuple[str, ...] = ()
    size: int | None = None
    settle: int = 0

    def run(self, firings: int, seed: int) -> Sample:
        answer = self.figures(firings, seed)
        return Sample(
            units=answer["firings"] / self.per_unit,
            seconds=answer["seconds"],
            wall=answer["wall"],
            memory=answer["memory"],
            firings=answer["firings"],
        )

    def figures(self, firings: int, seed: int) -> dict[str, Any]:
        """Return the whole output of the program."""
        command = [str(build(self.program, self.statistics, self.defines)), str(firings), str(seed)]
        if self.size is not None:
            command += [str(self.size), str(self.settle)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def close(self) -> None:
        pass


def build(program: str, statistics: bool = True, defines: tuple[str, ...] = ()) -> Path:
    """Return the compiled program, rebuilt if a source is newer. Raises Unavailable without a compiler."""
    target = BUILD / "-".join((program, "statistics" if statistics else "plain", *defines))
    sources = [HANDWRITTEN / f"{program}.cpp", *HANDWRITTEN.glob("*.hpp")]
    if target.exists() and all(source.stat().st_mtime < target.stat().st_mtime for source in sources):
        return target
    if shutil.which(COMPILER) is None:
        raise Unavailable(f"{COMPILER} is not installed")
    BUILD.mkdir(exist_ok=True)
    macros = [f"-D{define}" for define in (f"STATISTICS={int(statistics)}", *defines)]
    command = [COMPILER, *FLAGS, *macros, str(sources[0]), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


@dataclass
class Entry:
    """A contender and its runs so far, or why there are none."""

    contender: Contender
    samples: list[Sample] = field(default_factory=list)
    firings: int = 0
    problem: str = ""

    @property
    def rate(self) -> float:
        """Median of the units per second; nan without runs."""
        return statistics.median(s.rate for s in self.samples) if self.samples else float("nan")

    @property
    def spread(self) -> float:
        """Half the distance between the fastest and the slowest run, divided by the median."""
        rates = [s.rate for s in self.samples]
        return (max(rates) - min(rates)) / 2 / self.rate if rates else float("nan")

    @property
    def memory(self) -> int:
        return max((s.memory for s in self.samples), default=0)


def compete(contenders: Sequence[Contender], seconds: float, rounds: int) -> list[Entry]:
    """Time runs of about `seconds` each, in turn, so that other load on the machine affects all of them."""
    entries = [Entry(contender) for contender in contenders]
    for entry in entries:
        try:
            entry.firings = calibrate(entry.contender, seconds)
        except (Unavailable, subprocess.CalledProcessError) as problem:
            entry.problem = str(problem)
    try:
        for seed in range(1, rounds + 1):
            for entry in entries:
                if not entry.problem:
                    try:
                        entry.samples.append(entry.contender.run(entry.firings, seed))
                    except (Unavailable, subprocess.CalledProcessError) as problem:
                        entry.problem, entry.samples = str(problem), []
    finally:
        for entry in entries:
            entry.contender.close()
    return entries


def calibrate(contender: Contender, seconds: float) -> int:
    """Return the number of firings that take about `seconds`, after one-time costs: imports, pages, machine code.

    Two runs of about that length show whether these are over.
    """
    firings = PROBE
    while True:
        first, second = (max(contender.run(firings, 0).seconds, 1e-9) for _ in range(2))
        wanted = max(1, round(firings * seconds / second))
        if firings >= LONGEST_PROBE or (second >= seconds / 2 and first <= SETTLED * second):
            return wanted
        firings = min(20 * firings, wanted)
