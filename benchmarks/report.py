"""The table of a benchmark run: as text, as JSON, and as Markdown for docs/performance.md."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.contenders import COMPILER, FLAGS, HERE
from petri.atomic_file import write_text

RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


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

    def cells(self) -> list[str]:
        return [
            self.id,
            self.net,
            self.engine,
            f"{figure(self.rate)} {self.unit}/s" if self.rate is not None else self.note or "–",
            "–" if self.ratio is None else figure(self.ratio),
            "–" if self.spread is None else f"{100 * self.spread:.0f} %",
            "–" if self.memory is None else f"{self.memory / 1e6:.0f} MB",
        ]


@dataclass(frozen=True, slots=True)
class Goal:
    """A required figure."""

    text: str
    measured: float
    asked: str
    met: bool

    def cells(self) -> list[str]:
        return [self.text, figure(self.measured), self.asked, "yes" if self.met else "no"]


@dataclass(slots=True)
class Scaling:
    """One family of B6 to B18 on one engine: nanoseconds per firing and peak memory by size."""

    title: str
    sizes: list[int]
    nanoseconds: list[float]
    memory: list[int]
    factor: float
    bytes_per_item: float
    engine: str = "pnsim"

    def few_cells(self) -> list[str]:
        """Of a family of few sizes, which others do not have."""
        times = [f"{size:,}: {time:,.0f} ns" for size, time in zip(self.sizes, self.nanoseconds, strict=True)]
        return [self.title, self.engine, *times, f"{self.factor:.1f}", f"{self.bytes_per_item:.0f} B"]

    def cells(self, sizes: Sequence[int]) -> list[str]:
        times = {size: f"{time:.0f} ns" for size, time in zip(self.sizes, self.nanoseconds, strict=True)}
        return [
            self.title,
            *(times.get(size, "–") for size in sizes),
            f"{self.factor:.1f}",
            f"{self.bytes_per_item:.0f} B",
        ]


@dataclass(slots=True)
class Report:
    """All results of one `make bench`."""

    engine: str
    machine: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    scaling: list[Scaling] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def tables(self) -> list[tuple[str, list[str], list[list[str]]]]:
        """(title, heading, lines) of each table."""
        heading = ["", "net", "engine", "speed", "ratio", "±", "memory"]
        found = [("Speed", heading, [row.cells() for row in self.rows])]
        compared = {s.title for s in self.scaling if s.engine != "pnsim"}
        if alone := [s for s in self.scaling if s.title not in compared]:
            sizes = sorted({size for s in alone for size in s.sizes})
            titles = ["time of a firing", *(f"{size:,}" for size in sizes), "growth", "memory each"]
            found.append(("Scale", titles, [s.cells(sizes) for s in alone]))
        beside = [s for s in self.scaling if s.title in compared]
        for number in sorted({len(s.sizes) for s in beside}):
            columns = ["small", "middle", "large"] if number == 3 else [""] * number
            titles = ["time of a firing", "engine", *columns, "growth", "memory each"]
            found.append(("Generality", titles, [s.few_cells() for s in beside if len(s.sizes) == number]))
        if self.goals:
            found.append(("Goals", ["figure", "measured", "asked for", "met"], [g.cells() for g in self.goals]))
        return found

    def text(self) -> str:
        """For a terminal."""
        parts = []
        for title, heading, lines in self.tables():
            parts.append(f"{title}\n{aligned([heading, *lines])}")
        parts += [f"left out: {problem}" for problem in self.problems]
        return "\n\n".join(parts)

    def markdown(self) -> str:
        """For docs/performance.md."""
        parts = [" · ".join(f"{name}: {value}" for name, value in self.machine.items())]
        for _, heading, lines in self.tables():
            lines = [heading, ["---"] * len(heading), *lines]
            parts.append("\n".join("| " + " | ".join(cells) + " |" for cells in lines))
        parts += [f"Left out: {problem}." for problem in self.problems]
        return "\n\n".join(parts)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")


def read(path: Path) -> Report:
    """A report that was saved."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Report(
        engine=data["engine"],
        machine=data["machine"],
        rows=[Row(**row) for row in data["rows"]],
        scaling=[Scaling(**scaling) for scaling in data["scaling"]],
        goals=[Goal(**goal) for goal in data["goals"]],
        problems=data["problems"],
    )


def figure(value: float) -> str:
    """Three digits, with a unit's prefix for large numbers."""
    for limit, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{prefix}"
    return f"{value:.3g}"


def aligned(lines: Iterable[Sequence[str]]) -> str:
    """Columns of equal width; the first three to the left, figures to the right."""
    rows = [list(line) for line in lines]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    left = 3 if len(rows[0]) > 4 and rows[0][2] == "engine" else 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def machine() -> dict[str, str]:
    """The machine and the versions that the figures depend on."""
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
        "processor": f"{processor}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": f"{COMPILER} {compiler} {' '.join(FLAGS)}",
        "Python": platform.python_version(),
        "load by others at the start": f"{os.getloadavg()[0]:.1f}",
    }


def renew_page(report: Report, page: Path = PAGE) -> None:
    """Put the tables between the page's marks."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    write_text(page, f"{before}{BEGIN}\n\n{report.markdown()}\n\n{END}{after}")
