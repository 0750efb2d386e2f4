"""`pnsim solve`, `pnsim reach`, `pnsim run --exact` and `pnsim info --structure`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import petri
from petri.exact.reach import LONGEST_LOOKED_AT
from tests.cli.calling import Call, caller

TABLE = """net table
type Seat = 0..2
place thinking : Seat = all
place waiting  : Seat
place fork     : Seat = all
transition take_left:  thinking(i), fork(i) -> waiting(i)  takes exp(1)
transition take_right: waiting(i), fork((i + 1) mod 3) -> thinking(i), fork(i), fork((i + 1) mod 3)  takes exp(1)
"""


@pytest.fixture(name="call")
def _call(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


def test_solve(call: Call) -> None:
    shown = call("solve", "mm1k")
    assert shown.status == 0
    assert "0.7289444011" in shown.out
    told = json.loads(call("solve", "mm1k", "--json").out)
    served = next(one for one in told["measures"] if one["name"] == "served")
    assert served["low"] <= served["value"] <= served["high"]


def test_solve_beside_a_simulation(call: Call) -> None:
    assert "intervals contain the exact figure" in call("solve", "closed_ring", "--simulate").out
    assert "half-widths apart" in call("run", "closed_ring", "--exact", "--quiet").out
    assert json.loads(call("run", "closed_ring", "--exact", "--json").out)["exact"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("md1",), "exact-mixed"),
        (("mm1", "--states", "1000"), "`queue` has held up to"),
        (("mg_infinity",), "exact-time"),
        (("timeout",), "exact-clock"),
    ],
)
def test_refusals(call: Call, arguments: tuple[str, ...], said: str) -> None:
    refused = call("solve", *arguments)
    assert refused.status != 0
    assert said in refused.err
    assert "hint" in refused.err


def test_a_clock_of_several_stages_is_refused_for_what_it_remembers(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "clock.net"
    net.write_text("net clock\nplace a = token\ntransition go: a -> a after erlang(2, 3)\n")
    assert "exact-clock" in call("solve", str(net)).err


def test_the_solvable_nets_of_the_library(call: Call) -> None:
    """docs/exact.md names them."""
    names = [one["name"].rpartition("/")[2] for one in json.loads(call("list", "--solvable", "--json").out)]
    page = (Path(__file__).resolve().parents[2] / "docs" / "exact.md").read_text(encoding="utf-8")
    told = page[page.index("have a chain: ") : page.index(" (`pnsim list --solvable`)")]
    assert sorted(re.findall(r"\w+", told.removeprefix("have a chain: ").replace(" and", ""))) == sorted(names)


def test_reach(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "table.net"
    net.write_text(TABLE)
    shown = call("reach", str(net)).out
    assert "1 dead state; the nearest:" in shown
    assert "take_left" in shown
    assert json.loads(call("reach", str(net), "--json").out)["dead"]["states"] == 1
    assert call("reach", str(net), "--always", "not dead").status == 1
    assert call("reach", str(net), "--find", "tokens(waiting) == 3").status == 0
    assert "tokens(waiting)" in call("reach", str(net), "--find", "waiting == 3").err
    assert call("reach", str(net), "--find", "tokens(nobody) >").status != 0


def test_graphs(call: Call, tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    graph, drawing = tmp_path / "g.graphml", tmp_path / "g.svg"
    assert call("reach", "mm1k", "--graph", str(graph), "--svg", str(drawing)).status == 0
    assert graph.read_text().count("<node") == 24
    assert drawing.read_text().count("<circle") == 24


def test_growth(call: Call) -> None:
    assert "these steps add to queue by 1" in call("reach", "mm1", "--states", "500").out


def test_growth_shows_near_the_start() -> None:
    """The way to the state found last is as long as there are states, and its states hold as many tokens."""
    growth = petri.load("mm1").reach(states=3_000).growth
    assert growth is not None
    assert 0 < len(growth.before) + len(growth.again) <= LONGEST_LOOKED_AT


def test_structure(call: Call) -> None:
    assert "seat + queue = 5" in call("info", "mm1k", "--structure").out
    assert json.loads(call("info", "mm1k", "--structure", "--json").out)["traps"]
