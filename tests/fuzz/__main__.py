"""`python -m tests.fuzz --minutes 2 [--seed N] [--case N] [--kind KIND]`: see docs/contributing.md."""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from base64 import b64decode
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

from tests.fuzz.kinds import KINDS, case, fault, kind_of, row
from tests.fuzz.worker import LONGEST_CASE

ENDLESS = (-signal.SIGKILL, -signal.SIGPROF)
CORPUS = Path(__file__).with_name("corpus.jsonl")
MOST_APART = 30  # pairs of constructs that are listed
LONGEST_WAIT = 10 * LONGEST_CASE  # seconds, for a worker that sleeps


class Hunt:
    """Lets workers run cases, and starts another where one has ended before its time."""

    def __init__(self, seed: int, corpus: Path, only: str = "") -> None:
        """only: the name of a kind."""
        self.only = [only] if only else []
        self.seed = seed
        self.corpus = corpus
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
        self.faults: Counter[str] = Counter()

    def run(self, seconds: float) -> None:
        end, first = time.monotonic() + seconds, 0
        while (left := end - time.monotonic()) > 0:
            first = self.work(first, left)

    def command(self, first: int, seconds: float) -> list[str]:
        return [sys.executable, "-m", "tests.fuzz.worker", str(self.seed), str(first), str(seconds), *self.only]

    def work(self, first: int, seconds: float) -> int:
        """Run one worker, until the time is over or a case has ended it. Return the number of the next case."""
        worker = subprocess.Popen(self.command(first, seconds), stdout=subprocess.PIPE, bufsize=0)
        assert worker.stdout is not None
        number, rest = first - 1, b""
        while select.select([worker.stdout], [], [], LONGEST_WAIT)[0]:
            if not (more := os.read(worker.stdout.fileno(), 1 << 16)):
                break
            *lines, rest = (rest + more).split(b"\n")
            for line in lines:
                told = json.loads(line)
                if "ends" in told:
                    worker.wait()
                    return int(told["ends"])
                number = told.get("begins", number)
                self.take(told)
        worker.kill()
        status = worker.wait()
        what = f"no end after {LONGEST_CASE:.0f} s" if status in ENDLESS else f"the process ended with {status}"
        if number < first:
            sys.exit(f"the worker has run no case: {what}")
        self.found(what, kind_of(number).name, number, case(self.seed, number))
        return number + 1

    def take(self, told: dict[str, Any]) -> None:
        for kind, counts in told.get("counts", {}).items():
            self.counts[kind] += Counter(counts)
        if "finding" in told:
            self.found(told["finding"], told["kind"], told["case"], b64decode(told["data"]))

    def found(self, what: str, kind: str, number: int, data: bytes) -> None:
        """Keep the first case of each fault."""
        self.faults[what] += 1
        if self.faults[what] > 1:
            return
        with self.corpus.open("a", encoding="utf-8") as corpus:
            corpus.write(row(KINDS[kind], data))
        print(f"fault in {kind}: {what}\n  kept in {self.corpus}", end="; ")
        print(f"again: make fuzz SEED={self.seed} CASE={number}", flush=True)

    def report(self) -> None:
        for kind, counts in self.counts.items():
            others = ", ".join(
                f"{count} {name}" for name, count in sorted(counts.items()) if name != "cases" and ": " not in name
            )
            print(f"{kind:10} {counts['cases']:7} cases: {others}")
        print("\n".join(coverage(self.counts["text"])))
        print(f"{self.faults.total()} faults, {len(self.faults)} different")


def coverage(counts: Counter[str]) -> list[str]:
    """Return a table: in how many nets each construct was drawn, in how many of these it has acted, and with how many
    others; then pairs that have never acted together.
    """
    names = sorted(name.removeprefix("drawn: ") for name in counts if name.startswith("drawn: "))
    apart = [pair for pair in combinations(names, 2) if not counts[f"both: {pair[0]} & {pair[1]}"]]
    alone = Counter(name for pair in apart for name in pair)
    rows = [
        f"{name:60} {counts[f'drawn: {name}']:7} {counts[f'acted: {name}']:7} {len(names) - 1 - alone[name]:7}"
        for name in names
    ]
    title = f"{'construct of the language':60} {'drawn':>7} {'acted':>7} {'with':>7}"
    never = [f"never together: {first} & {second}" for first, second in apart[:MOST_APART]]
    more = [f"and {len(apart) - MOST_APART} other pairs"] if len(apart) > MOST_APART else []
    return [title, *rows, *never, *more] if rows else []


def repeat(seed: int, number: int) -> None:
    """Run one case, in this process."""
    what = fault(kind_of(number), case(seed, number))
    print(f"{kind_of(number).name}, seed {seed}, case {number}: {what or 'no fault'}")
    sys.exit(what is not None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Looks for faults in nets and files.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--case", type=int, default=None, help="repeat this case of the seed")
    parser.add_argument("--kind", choices=list(KINDS), default="", help="only cases of this kind")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="where cases that show a fault are kept")
    asked = parser.parse_args()
    seed = random.SystemRandom().randrange(10**9) if asked.seed is None else asked.seed
    if asked.case is not None:
        repeat(seed, asked.case)
    print(f"seed {seed}", flush=True)
    hunt = Hunt(seed, asked.corpus, asked.kind)
    try:
        hunt.run(60 * asked.minutes)
    except KeyboardInterrupt:
        print("interrupted; the cases so far:")
    finally:
        hunt.report()
    sys.exit(bool(hunt.faults))


if __name__ == "__main__":
    main()
