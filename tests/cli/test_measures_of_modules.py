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
