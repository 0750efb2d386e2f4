"""Measures all programs and prints the table: `python -m benchmarks.run`, or `make bench`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import extras
from benchmarks.cases import CASES, Case
from benchmarks.contenders import NETS, Entry, Unavailable, compete
from benchmarks.report import PAGE, RESULTS, Goal, Report, Row, Scaling, machine, read, renew_page
from benchmarks.scale import FAMILIES, Family, Growth, grow

TIMES = {"simpy": 30.0, "simpn": 100.0}  # required speed of pnsim relative to each comparator
MOST_GROWTH = 6.0
LONG_RUN = 1_000_000  # firings; the other run is ten times as long


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.7, help="of each run (default 0.7)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contender; the median counts (default 5)")
    parser.add_argument("--largest", type=int, default=1_000_000, help="size of B6 to B18 (default 1,000,000)")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--only", default="", help="of B1, B2, …, B18, threads, start, trace, memory: those to measure")
    parser.add_argument("--output", type=Path, default=RESULTS / "latest.json", help="where the JSON goes")
    parser.add_argument(
        "--page",
        action="store_true",
        help="measure nothing: renew docs/performance.md and the committed snapshot from the JSON",
    )
    return parser.parse_args(words)


class Bench:
    """One run of the benchmarks, which fills `report`."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.engine: str = options.engine
        self.seconds: float = options.seconds
        self.rounds: int = options.rounds
        self.only = {word for word in options.only.split(",") if word}
        self.report = Report(self.engine, machine())

    def wanted(self, part: str) -> bool:
        if self.only and part not in self.only:
            return False
        print(f"measuring {part} …", file=sys.stderr, flush=True)
        return True

    def run(self) -> Report:
        for case in CASES:
            if self.wanted(case.id):
                self.speed(case)
        for name in dict.fromkeys(family.id for family in FAMILIES):
            if self.wanted(name):
                self.scale(name)
        for part in (self.threads, self.start, self.trace, self.memory):
            if self.wanted(part.__name__):
                part()
        return self.report

    # ------------------------------------------------------------ parts

    def speed(self, case: Case) -> None:
        entries = compete(case.contenders(self.engine), self.seconds, self.rounds)
        by_name = {entry.contender.name: entry for entry in entries}
        hand = by_name.get("by hand, statistics")
        for entry in entries:
            self.report.rows.append(row(case, entry, hand))
            if entry.problem:
                self.leave_out(f"{entry.contender.name} ({entry.problem})")
        ours = by_name["pnsim"]
        if ours.problem:
            return
        if hand is not None and not hand.problem:
            ratio = ours.rate / hand.rate
            asked = f"at least {case.least:g}, better {case.wanted:g}"
            self.goal(f"{case.id} against by hand", ratio, asked, ratio >= case.least)
        for name, least in TIMES.items():
            if (other := by_name.get(name)) is not None and not other.problem:
                times = ours.rate / other.rate
                self.goal(f"{case.id} against {name}", times, f"at least {least:g} times", times >= least)

    def scale(self, name: str) -> None:
        for family in (family for family in FAMILIES if family.id == name):
            growth = self.grow(family, self.engine)
            if growth is not None:
                sizes = f"{growth.family.sizes[0]:,} to {growth.family.sizes[-1]:,}"
                title = f"{name}, {family.title}: growth from {sizes}"
                self.goal(title, growth.factor, f"at most {MOST_GROWTH:g}", growth.factor <= MOST_GROWTH)
            if family.simpy:
                self.grow(family, "simpy")

    def grow(self, family: Family, engine: str) -> Growth | None:
        """Measure a family and note its times; None if it could not be run at all sizes."""
        growth = grow(family, engine, self.seconds / 3, self.rounds, self.options.largest)
        title = f"{family.id}, {family.title}"
        problems = [entry.problem for entry in growth.entries if entry.problem]
        if problems:
            self.leave_out(f"{title}, {engine} ({problems[0]})")
            return None
        self.report.scaling.append(
            Scaling(
                title,
                list(growth.family.sizes),
                growth.nanoseconds(),
                [entry.memory for entry in growth.entries],
                growth.factor,
                growth.bytes_per_item,
                "simpy" if engine == "simpy" else "pnsim",
            )
        )
        return growth

    def threads(self) -> None:
        clock, processor = extras.two_threads(self.engine, self.seconds, self.rounds)
        for count, rate in zip(("1 replication, 1 thread", "2 replications, 2 threads"), clock, strict=True):
            self.report.rows.append(Row("B1", f"{count}, by the clock", "pnsim", rate, "firings"))
        gain = clock[1] / clock[0]
        self.goal("2 threads against 1, by the clock", gain, "at least 1.8", gain >= 1.8)
        gain = 2 * processor[1] / processor[0]
        self.goal("2 threads against 1, were both cores free (processor time)", gain, "at least 1.8", gain >= 1.8)

    def start(self) -> None:
        clock, processor = extras.start_up()
        self.goal("`pnsim run` on a small net [s by the clock]", clock, "under 0.35", clock < 0.35)
        self.goal("`pnsim run` on a small net [s of processor time]", processor, "under 0.35", processor < 0.35)

    def trace(self) -> None:
        off, on = extras.trace(self.engine, self.seconds, self.rounds)
        self.report.rows.append(Row("B1", "trace off", "pnsim", off, "firings"))
        self.report.rows.append(Row("B1", "trace on", "pnsim", on, "firings"))

    def memory(self) -> None:
        for name in ("ring", "pipeline"):
            short, long = extras.memory_of_long_runs(self.engine, NETS / f"{name}.net", LONG_RUN)
            title = f"memory of a {name} run ten times as long [times]"
            self.goal(title, long / short, "1 (constant)", long / short < 1.1)

    # ------------------------------------------------------------ notes

    def goal(self, text: str, measured: float, asked: str, met: bool) -> None:
        self.report.goals.append(Goal(text, measured, asked, met))

    def leave_out(self, problem: str) -> None:
        if problem not in self.report.problems:
            self.report.problems.append(problem)


def row(case: Case, entry: Entry, hand: Entry | None) -> Row:
    net = f"{case.title}"
    if entry.problem:
        return Row(case.id, net, entry.contender.name, None, case.unit, note="left out")
    ratio = None if hand is None or hand.problem else entry.rate / hand.rate
    return Row(case.id, net, entry.contender.name, entry.rate, case.unit, ratio, entry.spread, entry.memory)


def main(words: list[str] | None = None) -> int:
    options = arguments(sys.argv[1:] if words is None else words)
    if options.page:
        if not options.output.exists():
            print(f"error: {options.output} is not there; `make bench` measures and writes it", file=sys.stderr)
            return 2
        report = read(options.output)
        report.save(RESULTS / "snapshot.json")
        renew_page(report)
        print(f"renewed {PAGE.name} and the snapshot")
        return 0
    try:
        report = Bench(options).run()
    except Unavailable as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    report.save(options.output)
    print(report.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
