"""Where people see the elements of an array of measures: terminal, JSON, data frames, pages, experiments."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import petri

from .calling import Call

NET = """
type Class = gold | silver
place clock : int = 0
transition tick: clock(n) -> clock(n + 1)   takes 1
measure odd[c in Class] = n at tick when (c == gold) == (n mod 2 == 1)   record max, count
  expect > 5
run until 9.5
"""


def test_the_elements_have_their_names_everywhere(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    path = write(NET)
    shown = call("run", path)
    assert [line.split()[:2] for line in shown.out.splitlines() if line.startswith("odd")] == [
        ["odd[gold]", "max"], ["odd[silver]", "max"]
    ]  # fmt: skip
    told = json.loads(call("run", path, "--json").out)
    assert [one["name"] for one in told["measures"]] == ["odd[gold]", "odd[silver]"]
    assert petri.load(path).run().to_pandas()["measures"].index.tolist() == ["odd[gold]", "odd[silver]"]
    page = tmp_path / "page.html"
    assert call("run", path, "--report", str(page)).status == 0
    assert "odd[silver]" in page.read_text(encoding="utf-8")


def test_experiments_and_searches_name_an_element(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    path = write(NET.replace("takes 1", "takes pace").replace("type", "param pace = 1.0\ntype"))
    study = tmp_path / "study.yaml"
    study.write_text(
        "net: test.net\ngrid: {pace: [1.0, 2.0]}\nreplications: 1\nmeasures: ['odd[gold].max']\n", encoding="utf-8"
    )
    shown = call("sweep", str(study))
    assert "odd[gold].max" in shown.out, shown
    found = call("search", path, "--find", "pace", "--in", "1..4", "--while", "odd[gold] >= 4", "--resolution", "0.5")
    assert "odd[gold]" in found.out, found


def test_arrays_over_an_enumeration_are_folded(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    path = write("""
    type Class = gold | silver
    place source : Class = gold, silver
    place queue[Class]
    transition arrive: source(c) -> source(c), queue[c]   takes 3
    transition serve[c in Class]: queue[c] -> nothing     takes 1
    run until 30
    """)
    shown, described, drawn = call("run", path).out, call("info", path).out, tmp_path / "net.dot"
    assert "serve[*] ×2" in shown
    assert "queue[*] ×2" in shown
    assert "serve[*] ×2" in described
    call("draw", path, "-o", str(drawn))
    assert "serve ×2" in drawn.read_text(encoding="utf-8")
