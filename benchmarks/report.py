"""What a benchmark run has measured, part by part, and the same as JSON."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.contenders import COMPILER, FLAGS, HERE
from petri.atomic_file import write_text

RESULTS = HERE / "results"
SNAPSHOT = RESULTS / "snapshot.json"  # what docs/performance/figures.md shows
LOAD = "load by others at the start"


@dataclass(frozen=True, slots=True)
class Row:
    """One engine on one net. Rates are units per second of processor time; memory is the process's peak [B]."""

    id: str
    net: str
    engine: str
    rate: float | None
    unit: str
    ratio: float | None = None  # to the hand-written program with the same statistics
    spread: float | None = None  # half the distance between fastest and slowest, divided by the median
    memory: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Goal:
    """A required figure."""

    text: str
    measured: float
    asked: str
    met: bool


@dataclass(frozen=True, slots=True)
class Scaling:
    """One family of B6 to B20 on one engine: by size, nanoseconds per firing and peak memory [B], or None."""

    id: str
    title: str
    engine: str
    sizes: list[int]
    nanoseconds: list[float | None]
    memory: list[int | None]

    @property
    def factor(self) -> float | None:
        """Time of a firing at the largest size, divided by that at the smallest."""
        first, last = self.nanoseconds[0], self.nanoseconds[-1]
        return None if first is None or last is None or len(self.sizes) == 1 else last / first

    @property
    def bytes_per_item(self) -> float | None:
        """Peak memory that each further token, station or firing costs, from the smallest size to the largest."""
        first, last = self.memory[0], self.memory[-1]
        if first is None or last is None or len(self.sizes) == 1:
            return None
        return (last - first) / (self.sizes[-1] - self.sizes[0])


@dataclass(slots=True)
class Part:
    """What was measured together: a net, or one of the other figures. `conditions` are the machine and the date."""

    conditions: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    scaling: list[Scaling] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def leave_out(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


@dataclass(slots=True)
class Report:
    """All results, by the names of the parts, in the order of the tables."""

    parts: dict[str, Part] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")


def read(path: Path) -> Report:
    """Return a report that was saved. Raises ValueError if the file is not one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Report({name: part(one) for name, one in data["parts"].items()})
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is not a report of this version of the benchmarks") from error


def part(data: dict[str, Any]) -> Part:
    return Part(
        conditions=data["conditions"],
        rows=[Row(**row) for row in data["rows"]],
        scaling=[Scaling(**scaling) for scaling in data["scaling"]],
        goals=[Goal(**goal) for goal in data["goals"]],
        problems=data["problems"],
    )


def conditions() -> dict[str, str]:
    """Return the date, the machine and the versions that the figures depend on."""
    processor = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    try:
        compiler = subprocess.run([COMPILER, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    except OSError:
        compiler = "none"
    return {
        "measured": datetime.date.today().isoformat(),
        "processor": f"{processor}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": f"{COMPILER} {compiler} {' '.join(FLAGS)}",
        "Python": platform.python_version(),
        LOAD: f"{os.getloadavg()[0]:.1f}",
    }
