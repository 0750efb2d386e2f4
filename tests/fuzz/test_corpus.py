"""Every case that once showed a fault, and the machine that looks for others."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from petri.engine.native import available
from petri.engine.statistics import Statistics

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from tests.fuzz.__main__ import CORPUS, Hunt
from tests.fuzz.kinds import KINDS, TURNS, case, fault, kept_cases, kind_of
from tests.fuzz.smaller import smallest
from tests.sampling import one_in

KEPT = list(kept_cases(CORPUS))
PARTS = 4
ROOT = Path(__file__).parents[2]


def nets(number: int) -> list[bytes]:
    """Return the first nets of a seed."""
    found = [case(1, n) for n in range(2 * number) if kind_of(n).name == "net"]
    return found[:number]


@pytest.mark.parametrize("part", one_in(4, range(PARTS)))
def test_what_was_mended_stays_mended(part: int) -> None:
    """In another process, as some of them ended it: the last line that it names is the case."""
    command = [sys.executable, "-m", "tests.fuzz.worker", str(CORPUS), str(part), str(PARTS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
    assert done.stdout.count("begins") == len(KEPT[part::PARTS])


@pytest.mark.slow
def test_a_few_cases_show_no_fault(tmp_path: Path) -> None:
    new = tmp_path / "new"
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", "0.03", "--seed", "5", "--corpus", str(new)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("seed 5\n")
    assert done.stdout.endswith("0 faults, 0 different\n")
    assert not new.exists()


def test_a_case_depends_on_seed_and_number_alone() -> None:
    for number in range(len(TURNS)):
        if kind_of(number).name != "store":  # its original has the time at which it was made
            assert case(3, number) == case(3, number)
            assert case(3, number) != case(4, number)


@pytest.mark.slow
def test_both_native_modes_run() -> None:
    ran = sum((KINDS["net"].run(data) for data in nets(8)), KINDS["net"].run(nets(1)[0]))
    assert ran["reference"] * 2 == ran["interpreted"] + ran["machine code"]
    assert ran["machine code"] >= 4
    assert ran["interpreted"] >= ran["reference"]


@pytest.mark.slow
def test_a_difference_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Statistics.started

    def counted_twice(self: Statistics, transition: int, *rest: object) -> None:
        started(self, transition, *rest)  # type: ignore[arg-type]
        self.firings[transition] += 1

    monkeypatch.setattr(Statistics, "started", counted_twice)
    kind = KINDS["net"]
    data = next(data for data in nets(20) if fault(kind, data) is not None)
    what = fault(kind, data)
    assert what is not None
    assert re.fullmatch("interpreted .*differs from the reference in observed firings", what)
    small = smallest(data, True, lambda other: fault(kind, other) == what, 2.0)
    assert len(small) < len(data) / 2
    assert fault(kind, small) == what


@pytest.mark.parametrize("killer", [signal.SIGSEGV, signal.SIGABRT])
def test_a_case_that_ends_the_process_is_kept(tmp_path: Path, killer: int, capsys: pytest.CaptureFixture[str]) -> None:
    class Crashing(Hunt):
        def command(self, first: int, seconds: float) -> list[str]:
            crash = f"import os; print('{{\"begins\": 7}}', flush=True); os.kill(os.getpid(), {int(killer)})"
            return [sys.executable, "-c", crash]

    hunt = Crashing(1, tmp_path / "new")
    assert hunt.work(0, 5.0) == 8
    assert hunt.faults == {f"the process ended with {-killer}": 1}
    assert list(kept_cases(hunt.corpus)) == [(kind_of(7), case(1, 7))]
    assert f"again: make fuzz SEED=1 CASE=7{os.linesep}" in capsys.readouterr().out


def test_the_corpus_is_of_nets_that_run() -> None:
    for kind, data in KEPT:
        if kind.name == "net":
            assert not kind.run(data)["refused"], json.loads(data)
