"""The tables of a benchmark run: for a terminal, and as Markdown for docs/performance/figures.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.contenders import HERE
from benchmarks.report import LOAD, Goal, Report, Row, Scaling
from petri.atomic_file import write_text

PAGE = HERE.parent / "docs" / "performance" / "figures.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
NONE = "–"

Lines = list[list[str]]


def tables(report: Report) -> Iterator[tuple[str, Lines]]:
    """(title, lines) of each table; the first line is the heading."""
    parts = report.parts.values()
    if rows := [row for part in parts for row in part.rows]:
        yield "Speed", [["", "net", "engine", "speed", "ratio", "±", "memory"], *speed_lines(rows)]
    if grown := [one for part in parts for one in part.scaling]:
        heading = ["", "net", "engine", "small", "middle", "large", "growth", "memory each"]
        yield "Growth", [heading, *scaling_lines(grown)]
    if goals := [goal_cells(goal) for part in parts for goal in part.goals]:
        yield "Goals", [["figure", "measured", "asked for", "met"], *goals]


def speed_lines(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield a line for each engine on each net, whose name is on the first."""
    before = ("", "")
    for row in rows:
        again = (row.id, row.net) == before
        before = (row.id, row.net)
        yield [
            "" if again else row.id,
            "" if again else row.net,
            row.engine,
            f"{figure(row.rate)} {row.unit}/s" if row.rate is not None else row.note or NONE,
            NONE if row.ratio is None else figure(row.ratio),
            NONE if row.spread is None else f"{100 * row.spread:.0f} %",
            NONE if row.memory is None else f"{row.memory / 1e6:.0f} MB",
        ]


def goal_cells(goal: Goal) -> list[str]:
    return [goal.text, figure(goal.measured), goal.asked, "yes" if goal.met else "no"]


def scaling_lines(grown: Sequence[Scaling]) -> Iterator[list[str]]:
    """Yield a line for each engine on each net.

    The first has the sizes; the others, how many times as fast pnsim is.
    """
    for id, title in dict.fromkeys((one.id, one.title) for one in grown):
        engines = [one for one in grown if (one.id, one.title) == (id, title)]
        ours = next((one.nanoseconds for one in engines if one.engine == "pnsim"), [None] * 3)
        for index, one in enumerate(engines):
            cells = list(time_cells(one, ours))[:3]
            yield [
                "" if index else id,
                "" if index else title,
                one.engine,
                *cells,
                *([""] * (3 - len(cells))),
                NONE if one.factor is None else f"{one.factor:.1f}",
                NONE if one.bytes_per_item is None else f"{one.bytes_per_item:.0f} B",
            ]


def time_cells(scaling: Scaling, ours: Sequence[float | None]) -> Iterator[str]:
    for size, time, our in zip(scaling.sizes, scaling.nanoseconds, ours, strict=True):
        if time is None:
            yield NONE
        elif scaling.engine == "pnsim":
            yield f"{count(size)}: {time:,.0f} ns"
        else:
            yield f"{time:,.0f} ns" + ("" if our is None else f", × {times(time / our)}")


def times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"


def count(size: int) -> str:
    """Return a size in a few characters."""
    for limit, prefix in ((1_000_000, " M"), (1_000, " k")):
        if size >= limit:
            return f"{size / limit:g}{prefix}"
    return str(size)


def text(report: Report) -> str:
    """Return the tables for a terminal."""
    return "\n\n".join([*(f"{title}\n{aligned(lines)}" for title, lines in tables(report)), *left_out(report)])


def left_out(report: Report) -> list[str]:
    problems = dict.fromkeys(problem for part in report.parts.values() for problem in part.problems)
    return [f"Left out: {problem}." for problem in problems]


def markdown(report: Report, wanted: Iterable[str] = ()) -> str:
    """Return the tables of docs/performance/figures.md, which name the wanted parts that were not measured."""
    paragraphs = list(measured(report))
    for _, (heading, *lines) in tables(report):
        rows = [heading, ["---"] * len(heading), *lines]
        paragraphs.append("\n".join("| " + " | ".join(cells) + " |" for cells in rows))
    if missing := [name for name in wanted if name not in report.parts]:
        paragraphs.append(f"Not measured: {', '.join(missing)}.")
    return "\n\n".join([*paragraphs, *left_out(report)])


def measured(report: Report) -> Iterator[str]:
    """Yield when and where the figures were measured: a line, or one for each machine, day and set of programs."""
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for name, part in report.parts.items():
        same = tuple((key, value) for key, value in part.conditions.items() if key != LOAD)
        groups.setdefault(same, []).append(name)
    for same, names in groups.items():
        load = max(float(report.parts[name].conditions[LOAD]) for name in names)
        of = [] if len(groups) == 1 else [", ".join(names)]
        yield " · ".join([*of, *(f"{key}: {value}" for key, value in same), f"{LOAD}: {load:.1f}"])


def figure(value: float) -> str:
    """Three digits, with a unit's prefix for large numbers."""
    for limit, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{prefix}"
    return f"{value:.3g}"


def aligned(lines: Lines) -> str:
    """Columns of equal width; the first three to the left, figures to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    left = 3 if lines[0][2] == "engine" else 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def renew_page(report: Report, wanted: Iterable[str] = (), page: Path = PAGE) -> None:
    """Put the tables between the page's marks."""
    shown = page.read_text(encoding="utf-8")
    before, rest = shown.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    write_text(page, f"{before}{BEGIN}\n\n{markdown(report, wanted)}\n\n{END}{after}")
