"""The lines of the table on the page for those who come from SimPy: both sides run, and measure the same.

Each pair is run with eight seeds on both sides. A difference of 4.5 standard errors is a fault: with 15 figures it
comes by chance once in a hundred choices of the seeds, which are fixed.
"""

from __future__ import annotations

import importlib.util
import math
import re
import statistics
from pathlib import Path

import pytest

import petri

PAIRS = Path(__file__).with_name("simpy_pairs")
PAGE = (Path(__file__).parents[2] / "docs" / "coming" / "simpy.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if re.fullmatch(r"\| `.* \| \w+ \|", line)
]
RUNS = 8


@pytest.mark.parametrize(("theirs", "ours", "pair"), ROWS)
def test_both_sides_of_a_line_stand_in_its_pair(theirs: str, ours: str, pair: str) -> None:
    program, net = (_words((PAIRS / f"{pair}.{suffix}").read_text(encoding="utf-8")) for suffix in ("py", "net"))
    for code in re.findall(r"`([^`]+)`", theirs):
        for statement in code.split("; "):
            assert all(_words(part) in program for part in statement.split(": ", 1)), statement
    assert _words(re.findall(r"`([^`]+)`", ours)[0]) in net


def _words(code: str) -> str:
    return " ".join(code.split())


def test_the_table_has_thirty_lines_from_every_pair() -> None:
    assert len(ROWS) >= 30
    assert {pair for *_, pair in ROWS} == {net.stem for net in PAIRS.glob("*.net")}


@pytest.mark.slow
@pytest.mark.parametrize("net", sorted(PAIRS.glob("*.net")), ids=lambda net: net.stem)
def test_both_sides_measure_the_same(net: Path) -> None:
    pytest.importorskip("simpy")
    spec = importlib.util.spec_from_file_location(f"simpy_pairs_{net.stem}", net.with_suffix(".py"))
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    theirs = [program.run(seed) for seed in range(RUNS)]
    model = petri.load(net)
    ours = [model.run(seed=seed, replications=1) for seed in range(RUNS)]
    for name in theirs[0]:
        first, second = [one[name] for one in theirs], [one.measure(name).value for one in ours]
        error = math.sqrt((statistics.variance(first) + statistics.variance(second)) / RUNS)
        assert abs(statistics.mean(first) - statistics.mean(second)) < 4.5 * error, name
