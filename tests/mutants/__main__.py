"""`python -m tests.mutants [--area NAME] [--sample N] [--seed N]`: see docs/contributing.md."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from collections.abc import Sequence
from typing import Protocol

from tests.mutants.accepted import entries, is_accepted, written
from tests.mutants.change import ROOT, Change
from tests.mutants.python import PythonArea
from tests.mutants.rust import RustArea
from tests.mutants.targets import MEASURES, REFERENCE
from tests.mutants.trial import Outcome

FOLDER = ROOT / "build" / "mutants"


class Area(Protocol):
    def changes(self) -> list[Change]: ...

    def try_out(self, change: Change) -> Outcome | None:
        """Run the tests with the change. Return None if it cannot be built."""


def area(name: str) -> Area:
    FOLDER.mkdir(parents=True, exist_ok=True)
    log = FOLDER / f"{name}.log"
    if name == "rust":
        return RustArea(FOLDER, log)
    return PythonArea(REFERENCE if name == "reference" else MEASURES, log)


def hunt(name: str, where: Area, chosen: Sequence[tuple[int, Change]]) -> None:
    """Try changes out, print those that no test notices, and then how many were noticed."""
    accepted = entries()
    tried = [(number, change) for number, change in chosen if not is_accepted(change, accepted)]
    counts = {"passed": 0, "failed": 0, "too long": 0}
    for done, (number, change) in enumerate(tried, 1):
        print(f"{name}: {done} of {len(tried)}: {counts}", end="\r", file=sys.stderr)
        if (outcome := where.try_out(change)) is None:
            continue
        counts[outcome] += 1
        if outcome == "passed":
            print(f"{change} (--at {number})", flush=True)
            print(written(change), flush=True)
    total = sum(counts.values())
    noticed = total - counts["passed"]
    print(
        f"{name}: {noticed} of {total} changes were noticed ({noticed / max(total, 1):.0%}), {counts['too long']} of "
        f"them by the time that the tests took; {len(chosen) - len(tried)} more are accepted"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Changes that tests should notice.")
    parser.add_argument("--area", choices=("reference", "measures", "rust"), action="append")
    parser.add_argument("--sample", type=int, default=40, help="changes of each area")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--file", default="", help="only files whose path ends so")
    parser.add_argument("--at", type=int, help="only the change of this number, in the one area")
    asked = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    python = ["reference", "measures"]
    for name in asked.area or (python if shutil.which("cargo-mutants") is None else [*python, "rust"]):
        where = area(name)
        found = [(number, change) for number, change in enumerate(where.changes()) if change.file.endswith(asked.file)]
        chance = random.Random(f"{seed} {name}")
        sample = chance.sample(found, min(asked.sample, len(found)))
        if asked.at is not None:
            sample = [pair for pair in found if pair[0] == asked.at]
        hunt(name, where, sample)


if __name__ == "__main__":
    main()
