"""Runs tests against a changed module, in a process of its own that is forked from this one.

This process has loaded what tests need and nothing of pnsim. The changed module exists in the child alone.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Literal

import hypothesis
import hypothesis.strategies
import numpy  # noqa: F401
import pytest

from tests.mutants.change import ROOT

Outcome = Literal["passed", "failed", "too long"]
MEMORY = 6 << 30  # bytes of addresses, of which machine code reserves many
WAITING = 20  # times as long as the processor may work: other processes need it too
# A failure is not made smaller, which takes long; and a busy machine fails no test.
PROFILE = "mutants"
hypothesis.settings.register_profile(
    PROFILE, derandomize=True, deadline=None, phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate]
)


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the changed source before the right one is found."""

    def __init__(self, file: str, source: str) -> None:
        self.module = file.removesuffix(".py").replace("/", ".")
        self.path = ROOT / file
        self.code = compile(source, str(self.path), "exec")

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.module else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


class Built(importlib.abc.MetaPathFinder):
    """Finds another build of the native engine."""

    def __init__(self, library: Path) -> None:
        self.library = library

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != "petri._native":
            return None
        loader = importlib.machinery.ExtensionFileLoader(name, str(self.library))
        return importlib.util.spec_from_file_location(name, self.library, loader=loader)


def run_tests(tests: Sequence[str]) -> int:
    """Return the status of pytest, which stops at the first failure."""
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "-W", "ignore"]
    return int(pytest.main([*options, f"--hypothesis-profile={PROFILE}", *tests]))


def trial(finder: importlib.abc.MetaPathFinder, tests: Sequence[str], seconds: int, log: Path) -> tuple[Outcome, float]:
    """Return how the tests end, and the processor's time that they take, which may not exceed `seconds`."""
    if (child := os.fork()) == 0:
        status = 1
        try:
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            sys.meta_path.insert(0, finder)
            status = run_tests(tests)
        finally:
            os._exit(status)
    return outcome(child, WAITING * seconds)


def outcome(child: int, seconds: float) -> tuple[Outcome, float]:
    """Wait for a child; ends it when it takes longer."""
    end = time.monotonic() + seconds
    while True:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return "too long", used.ru_utime + used.ru_stime
    return "passed" if status == 0 else "failed", used.ru_utime + used.ru_stime
