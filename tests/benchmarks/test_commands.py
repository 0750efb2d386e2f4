"""Each command of the benchmarks begins, and each target of `make help` has commands; nothing is measured or built."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import accelerators, clocks, exact, peers, run

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if "__main__" in path.read_text("utf-8") and path.stem != "worker"  # which other commands start
)
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_does(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"), run_name="__main__")
    assert ended.value.code in (0, None)
    assert len(capsys.readouterr().out) > 100


@pytest.mark.parametrize("main", [clocks.main, accelerators.main, peers.main], ids=["clocks", "accelerators", "peers"])
def test_without_names_all_is_measured(
    main: Callable[[list[str]], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: dict[str, Callable[[], str]] = main.__globals__["MEASURED"]
    for name in measured:
        monkeypatch.setitem(measured, name, lambda name=name: f"<{name}>")  # type: ignore[misc]
    main([])
    assert capsys.readouterr().out.split() == [f"<{name}>" for name in measured]
    last = [*measured][-1]
    main([last])
    assert capsys.readouterr().out.split() == [f"<{last}>"]
    with pytest.raises(SystemExit):
        main(["nothing"])
    assert last in capsys.readouterr().err


def test_exact_answers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(exact, "exchange", lambda: "exchanged")
    monkeypatch.setattr(exact, "measure", lambda cards: f"{cards} cards")
    exact.main([])
    exact.main(["2", "3"])
    assert capsys.readouterr().out.splitlines() == ["exchanged", "5 cards", "exchanged", "2 cards", "3 cards"]


def test_the_comparison_of_simulators(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(run.Bench, "run", lambda bench: {})
    monkeypatch.setattr(run, "text", lambda found: f"{found}")
    assert run.main([]) == 0
    assert capsys.readouterr().out == "{}\n"


def targets() -> list[str]:
    """Return the words of `make help` that name a target."""
    said = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return re.findall(r"[\w-]+", " ".join(re.findall(r"^make ([\w -]+?)(?:  |$)", said, re.MULTILINE)))


@pytest.mark.slow
@needs_make
def test_each_target_of_make_help_has_commands_that_are_there() -> None:
    names = targets()
    assert {"run", "test", "bench", "python", "clean"} <= {*names}
    for name in names:
        done = subprocess.run(
            ["make", "--dry-run", "--no-print-directory", name], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        for module in re.findall(r"python -m ([\w.]+)", done.stdout):
            assert find_spec(module) is not None, f"make {name}: {module}"
        for script in re.findall(r"python (\S+\.py)", done.stdout):
            assert (ROOT / script).is_file(), f"make {name}: {script}"
