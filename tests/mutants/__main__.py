"""`python -m tests.mutants [--sample N] [--seed N] [MODULE …]`: see docs/contributing.md.

Each mutant has a process of its own, forked from this one, which has loaded what tests need and nothing of pnsim. The
changed module exists in that process alone: no file is written.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import math
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Sequence
from types import CodeType, ModuleType

import hypothesis.strategies  # noqa: F401
import numpy  # noqa: F401
import pytest

from tests.mutants.changes import Mutant, mutant, positions
from tests.mutants.targets import ROOT, TARGETS, source

TIMES_LONGER = 5  # than the tests without a change: a mutant may run for ever
MEMORY = 4 << 30  # bytes


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the changed module before the right one is found."""

    def __init__(self, module: str, code: CodeType) -> None:
        self.module, self.code = module, code

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, source(name), loader=self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def run_tests(tests: Sequence[str], quiet: bool) -> int:
    if quiet:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-W", "ignore"]
    return int(pytest.main([*options, *tests]))


def survives(module: str, change: Mutant | None, tests: Sequence[str], seconds: float) -> bool:
    """Whether all tests pass. One that takes longer, or too much memory, does not."""
    if (child := os.fork()) == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            if change is not None:
                sys.meta_path.insert(0, Changed(module, compile(change.tree, str(source(module)), "exec")))
            status = run_tests(tests, quiet=change is not None)
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def sample(modules: Sequence[str], number: int, chance: random.Random) -> list[tuple[str, int]]:
    """So many changes of all that there are, by module and position."""
    everywhere = [(name, at) for name in modules for at in positions(source(name).read_text("utf-8"))]
    return sorted(chance.sample(everywhere, min(number, len(everywhere))))


def seconds_needed(tests: Sequence[str]) -> float:
    """How long the tests take without any change."""
    start = time.monotonic()
    if not survives("", None, tests, math.inf):
        sys.exit(f"the tests fail without any change: {' '.join(tests)}")
    return time.monotonic() - start


def hunt(chosen: Sequence[tuple[str, int]]) -> list[str]:
    """The mutants that no test notices, one line each."""
    survivors = []
    needed = {tests: seconds_needed(tests) for tests in dict.fromkeys(TARGETS[name] for name, _ in chosen)}
    for name, at in chosen:
        changed = mutant(source(name).read_text("utf-8"), at)
        tests = TARGETS[name]
        if survives(name, changed, tests, TIMES_LONGER * needed[tests]):
            line = f"{source(name).relative_to(ROOT)}:{changed.line}: `{changed.was}` becomes `{changed.becomes}`"
            survivors.append(f"{line} (position {at})")
            print(survivors[-1], flush=True)
    return survivors


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Changes that tests should notice.")
    parser.add_argument("modules", nargs="*", help="such as petri.engine.random; all by default")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--at", type=int, default=None, help="only the change at this position of the one module")
    asked = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if asked.seed is None else asked.seed
    modules = asked.modules or sorted(TARGETS)
    if unknown := [name for name in modules if name not in TARGETS]:
        parser.error(f"no tests are known for {', '.join(unknown)}")
    print(f"seed {seed}", flush=True)
    chosen = sample(modules, asked.sample, random.Random(seed)) if asked.at is None else [(modules[0], asked.at)]
    survivors = hunt(chosen)
    killed = len(chosen) - len(survivors)
    print(f"{killed} of {len(chosen)} changes were noticed ({killed / max(len(chosen), 1):.0%})")


if __name__ == "__main__":
    main()
