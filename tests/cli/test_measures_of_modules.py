"""Where people see the measures of instances: terminal, JSON, data frames, pages, experiments, searches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import petri

from .calling import Call

NET = """
type Class = gold | silver
module Counter(pace: real)
  place clock : int = 0
  transition tick: clock(n) -> clock(n + 1)   takes pace
  ## all numbers of a class
  measure odd[c in Class] = n at tick when (c == gold) == (n mod 2 == 1)   record max, count
  measure ticks = count(tick)
end
module Pair(pace: real)
  instance half[i in 1..2] = Counter(pace * i)
end
instance pair = Pair(1)
measure most = max(pair.half[*].ticks)
expect pair.half[2].odd[gold].max < 4
run until 9.5
"""
TICKS = "pair.half[1].ticks"


def test_they_have_their_full_names_everywhere(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    path = write(NET)
    names = ["most"] + [f"pair.half[{i}].{one}" for i in (1, 2) for one in ("odd[gold]", "odd[silver]", "ticks")]
    shown = call("run", path)
    assert ["pair.half[1].odd[gold]", "max", "9"] in [line.split()[:3] for line in shown.out.splitlines()]
    assert "(pair.half[2].odd[gold].max < 4)" in shown.out
    told = json.loads(call("run", path, "--json").out)
    assert [one["name"] for one in told["measures"]] == names
    assert petri.load(path).run().to_pandas()["measures"].index.tolist() == names
    assert petri.load(path).run().measure(TICKS).interval.mean == 10
    page = tmp_path / "page.html"
    assert call("run", path, "--report", str(page)).status == 0
    assert TICKS in page.read_text(encoding="utf-8")
    assert "pair.half[*].odd[*] ×4" in call("info", path).out


def test_experiments_and_searches_name_them(
    call: Call, write: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the store is written
    path = write(NET.replace("Pair(1)", "Pair(pace)").replace("type", "param pace = 1.0\ntype", 1))
    study = tmp_path / "study.yaml"
    study.write_text(
        "net: test.net\ngrid: {pace: [1.0, 2.0]}\nreplications: 1\n"
        f"measures: ['{TICKS}', 'pair.half[2].odd[gold].max']\n",
        encoding="utf-8",
    )
    shown = call("sweep", str(study))
    assert TICKS in shown.out, shown
    assert "pair.half[2].odd[gold].max" in shown.out, shown
    found = call("search", path, "--find", "pace", "--in", "1..4", "--while", f"{TICKS} >= 4", "--resolution", "0.5")
    assert TICKS in found.out, found
    study.write_text(study.read_text(encoding="utf-8").replace(TICKS, "pair.half[1].tics"), encoding="utf-8")
    refused = call("sweep", str(study))
    assert refused.status == 1
    assert f"did you mean `{TICKS}`?" in refused.err


def test_a_run_ends_at_a_measure_of_an_instance(call: Call, write: Callable[..., str]) -> None:
    shown = call("run", write(NET.replace("run until 9.5", f"run until {TICKS} >= 5")))
    assert f"until {TICKS} >= 5" in shown.out
    assert ["most", "5"] in [line.split()[:2] for line in shown.out.splitlines()]


def test_the_formatter_indents_them(call: Call, write: Callable[..., str]) -> None:
    path = write(NET.replace("  measure ticks = count(tick)", "measure ticks=count( tick )"))
    assert call("fmt", path).status == 0
    assert "  measure ticks           = count(tick)" in Path(path).read_text(encoding="utf-8")


LARGE = """
module Counter(pace: int)
  place clock : int = 0
  transition tick: clock(n) -> clock(n + 1)   takes pace
  ## ticks of a clock
  measure ticks = count(tick)
  measure numbers = n at tick   record max, count
end
instance each[i in 1..20] = Counter(i)
measure own[i in 1..20] = count(each[i].tick)
  expect > 2
measure same[i in 1..17] = each[1].ticks
  expect == 50
run until 49
"""


def test_a_large_array_is_one_row(call: Call, write: Callable[..., str]) -> None:
    path = write(LARGE)
    shown = call("run", path)
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    for line in (
        "own[*] ×20 3..50 ✓ all as expected",
        "same[*] ×17 50 ✓ all as expected",
        "each[*].ticks ×20 3..50 ticks of a clock",
        "each[*].numbers max ×20 2..49",
        "count 3..50",
    ):
        assert line in lines, lines
    assert "each[7].ticks" not in shown.out
    assert "×n: n elements of an array" in shown.out
    assert "each[7].ticks" in call("run", path, "--all").out
    assert "each[7].ticks" in call("run", path, "--json").out


def test_elements_of_a_large_array_that_fail_have_rows(call: Call, write: Callable[..., str]) -> None:
    shown = call("run", write(LARGE.replace("expect > 2", "expect > 3")))
    assert shown.status == 1
    found = [line.split()[0] for line in shown.out.splitlines() if line.startswith("own[")]
    assert found == ["own[*]", "own[17]", "own[18]", "own[19]", "own[20]"]
