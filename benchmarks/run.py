"""Measures all programs and prints the tables: `python -m benchmarks.run`, or `make bench`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import extras
from benchmarks.cases import CASES, Case
from benchmarks.contenders import NETS, Entry, Unavailable, compete
from benchmarks.report import RESULTS, SNAPSHOT, Goal, Part, Report, Row, Scaling, conditions, read
from benchmarks.scale import FAMILIES, Family, grow
from benchmarks.tables import PAGE, renew_page, text

TIMES = {"simpy": 30.0, "simpn": 100.0}  # required speed of pnsim relative to each comparator
WITH_MEASURES = 0.8  # required speed with the measures that a net declares, relative to that without
MOST_GROWTH = 6.0
BESIDE_A_SWEEP = 0.85  # required speed while another program sweeps the last-level cache, relative to that without
LONG_RUN = 1_000_000  # firings; the other run is ten times as long
OTHERS = ("threads", "cache", "start", "trace", "memory")
NAMES = (*(case.id for case in CASES), *dict.fromkeys(family.id for family in FAMILIES), *OTHERS)


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.7, help="of each run; of B6 to B20 a third (default 0.7)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each contender; the median counts (default 5)")
    parser.add_argument("--largest", type=int, default=1_000_000, help="size of B6 to B20 (default 1,000,000)")
    parser.add_argument("--engine", default="native", choices=("native", "reference"))
    parser.add_argument("--only", type=names, default=(), help=f"measure only some of {', '.join(NAMES)} (anew)")
    parser.add_argument("--resume", action="store_true", help="measure only what the JSON does not have yet")
    parser.add_argument("--output", type=Path, default=RESULTS / "latest.json", help="where the JSON goes")
    parser.add_argument(
        "--page",
        action="store_true",
        help="measure nothing: renew docs/performance/figures.md and the committed snapshot from the JSON",
    )
    return parser.parse_args(words)


def names(words: str) -> tuple[str, ...]:
    """Names of parts, separated by commas."""
    listed = tuple(word for word in words.split(",") if word)
    if unknown := [word for word in listed if word not in NAMES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is not one of {', '.join(NAMES)}")
    return listed


class Bench:
    """One run of the benchmarks. Each part is written to the JSON as soon as it is measured."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.engine: str = options.engine
        self.seconds: float = options.seconds
        self.rounds: int = options.rounds
        self.conditions = {**conditions(), "runs": f"{self.rounds} of {self.seconds:g} s"}
        if self.engine != "native":
            self.conditions["engine"] = self.engine

    def run(self) -> Report:
        """Raise ValueError if the JSON that is to be continued is not one of these."""
        goes_on = (self.options.only or self.options.resume) and self.options.output.exists()
        report = read(self.options.output) if goes_on else Report()
        for name in self.options.only or NAMES:
            if self.options.resume and name in report.parts:
                continue
            report.parts[name] = self.measure(name)
            report.parts = {known: report.parts[known] for known in NAMES if known in report.parts}
            report.save(self.options.output)
        return report

    def measure(self, name: str) -> Part:
        print(f"measuring {name} …", end=" ", file=sys.stderr, flush=True)
        started = time.monotonic()
        part = Part(self.conditions)
        try:
            if name in OTHERS:
                getattr(self, name)(part)
            for case in (case for case in CASES if case.id == name):
                self.speed(case, part)
            for family in (family for family in FAMILIES if family.id == name):
                self.growth(family, part)
        except (Unavailable, RuntimeError, subprocess.CalledProcessError) as problem:
            part.leave_out(f"{name} ({problem})")
        print(f"{time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        return part

    # ------------------------------------------------------------ parts

    def speed(self, case: Case, part: Part) -> None:
        entries = compete(case.contenders(self.engine), self.seconds, self.rounds)
        by_name = {entry.contender.name: entry for entry in entries}
        hand = by_name.get("by hand, statistics")
        for entry in entries:
            part.rows.append(row(case, entry, hand))
            if entry.problem:
                part.leave_out(f"{entry.contender.name} ({entry.problem})")
        if not by_name["pnsim"].problem:
            part.goals += speed_goals(case, {name: entry.rate for name, entry in by_name.items() if not entry.problem})

    def growth(self, family: Family, part: Part) -> None:
        found, problems = grow(family, self.engine, self.seconds / 3, self.rounds, self.options.largest)
        part.scaling += found
        for problem in problems:
            part.leave_out(problem)
        for scaling in found:
            if scaling.engine == "pnsim":
                part.goals += growth_goals(family, scaling)

    def threads(self, part: Part) -> None:
        clock, processor = extras.two_threads(self.engine, self.seconds, self.rounds)
        for count, rate in zip(("1 replication, 1 thread", "2 replications, 2 threads"), clock, strict=True):
            part.rows.append(Row("B1", f"{count}, by the clock", "pnsim", rate, "firings"))
        gain = clock[1] / clock[0]
        part.goals.append(Goal("2 threads against 1, by the clock", gain, "at least 1.8", gain >= 1.8))
        gain = 2 * processor[1] / processor[0]
        title = "2 threads against 1, were both cores free (processor time)"
        part.goals.append(Goal(title, gain, "at least 1.8", gain >= 1.8))

    def cache(self, part: Part) -> None:
        chain = next(case for case in CASES if case.id == "B5")
        alone, beside = extras.beside_a_sweep(chain, self.engine, self.seconds, self.rounds)
        part.rows.append(Row("B5", "alone", "pnsim", alone, "firings"))
        part.rows.append(Row("B5", "beside a sweep of the last-level cache", "pnsim", beside, "firings"))
        share = beside / alone
        asked = f"at least {BESIDE_A_SWEEP:g}"
        part.goals.append(Goal("B5 beside a sweep of the last-level cache", share, asked, share >= BESIDE_A_SWEEP))

    def start(self, part: Part) -> None:
        for of, seconds in zip(("s by the clock", "s of processor time"), extras.start_up(), strict=True):
            part.goals.append(Goal(f"`pnsim run` on a small net [{of}]", seconds, "under 0.35", seconds < 0.35))

    def trace(self, part: Part) -> None:
        off, on = extras.trace(self.engine, self.seconds, self.rounds)
        part.rows.append(Row("B1", "trace off", "pnsim", off, "firings"))
        part.rows.append(Row("B1", "trace on", "pnsim", on, "firings"))

    def memory(self, part: Part) -> None:
        for name in ("ring", "pipeline"):
            short, long = extras.memory_of_long_runs(self.engine, NETS / f"{name}.net", LONG_RUN)
            title = f"memory of a {name} run ten times as long [times]"
            part.goals.append(Goal(title, long / short, "1 (constant)", long / short < 1.1))


def row(case: Case, entry: Entry, hand: Entry | None) -> Row:
    if entry.problem:
        return Row(case.id, case.title, entry.contender.name, None, case.unit, note="left out")
    ratio = None if hand is None or hand.problem else entry.rate / hand.rate
    return Row(case.id, case.title, entry.contender.name, entry.rate, case.unit, ratio, entry.spread, entry.memory)


def speed_goals(case: Case, rates: dict[str, float]) -> Iterator[Goal]:
    """Judge the rates, given by the names of the contenders, pnsim among them."""
    ours = rates["pnsim"]
    if hand := rates.get("by hand, statistics"):
        asked = f"at least {case.least:g}, better {case.wanted:g}"
        yield Goal(f"{case.id} against by hand", ours / hand, asked, ours / hand >= case.least)
    if measured := rates.get("pnsim, its measures too"):
        asked, share = f"at least {WITH_MEASURES:g}", measured / ours
        yield Goal(f"{case.id} with its measures against without", share, asked, share >= WITH_MEASURES)
    for name, least in TIMES.items():
        if other := rates.get(name):
            yield Goal(f"{case.id} against {name}", ours / other, f"at least {least:g} times", ours / other >= least)


def growth_goals(family: Family, ours: Scaling) -> Iterator[Goal]:
    title = f"{family.id}, {family.title}"
    if ours.factor is not None:
        sizes = f"{ours.sizes[0]:,} to {ours.sizes[-1]:,}"
        met = ours.factor <= MOST_GROWTH
        yield Goal(f"{title}: growth from {sizes}", ours.factor, f"at most {MOST_GROWTH:g}", met)
    times = dict(zip(ours.sizes, ours.nanoseconds, strict=True))
    for size, most in family.most:
        if time := times.get(size):
            yield Goal(f"{title}: a firing at {size:,} [ns]", time, f"at most {most:,.0f}", time <= most)


def page(output: Path) -> None:
    """Renew the page and the snapshot. Parts that the JSON does not have stay as the snapshot has them, with the date.

    Raises ValueError if a file is not there or not a report.
    """
    if not output.exists():
        raise ValueError(f"{output} is not there; `make bench` measures and writes it")
    new, old = read(output), read(SNAPSHOT) if SNAPSHOT.exists() else Report()
    known = {**old.parts, **new.parts}
    report = Report({name: known[name] for name in NAMES if name in known})
    for name in report.parts:
        if name not in new.parts:
            print(f"{name} was not measured: it stays as of {report.parts[name].conditions['measured']}")
    report.save(SNAPSHOT)
    renew_page(report, NAMES)
    print(f"renewed {PAGE.name} and the snapshot")


def main(words: list[str] | None = None) -> int:
    options = arguments(sys.argv[1:] if words is None else words)
    try:
        if options.page:
            page(options.output)
        else:
            print(text(Bench(options).run()))
    except ValueError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\ninterrupted; what is measured is in {options.output}, and --resume continues", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
