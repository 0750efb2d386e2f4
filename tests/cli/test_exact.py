"""`pnsim solve`, `pnsim reach`, `pnsim run --exact` and `pnsim info --structure`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import petri
from petri.engine.native import available
from petri.exact import chain
from petri.exact.reach import LONGEST_LOOKED_AT
from tests.cli.calling import Call, caller

if not available():
    pytest.skip("the native engine is not built", allow_module_level=True)

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


@pytest.mark.parametrize(
    "arguments", [("solve", "mm1k"), ("reach", "mm1k"), ("run", "mm1k", "--exact", "-q"), ("list", "--solvable")]
)
def test_without_the_native_engine(arguments: tuple[str, ...], call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.engine.native._native", None)
    told = call(*arguments)
    assert told.status == 2
    assert "error[exact-needs-native]: exact answers need the native engine, which is not installed" in told.err
    assert "Rust toolchain" in told.err


def test_without_scipy(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The long run of a net that stays in one set of states needs none; what needs it says so."""
    to_an_instant = call("solve", "mm1k", "--at", "10", "--json").out
    for name in ("scipy", *(one for one in sys.modules if one.startswith("scipy."))):
        monkeypatch.setitem(sys.modules, name, None)
    shown = call("solve", "mm1k")
    assert shown.status == 0
    assert "0.7289444011" in shown.out
    assert call("solve", "mm1k", "--at", "10", "--json").out == to_an_instant
    for refused in (("solve", "tandem_overflow"), ("reach", "mm1k")):
        told = call(*refused)
        assert told.status == 2
        assert "exact answers need scipy, which is not installed" in told.err
        assert "pip install 'pnsim[exact]'" in told.err


@pytest.mark.slow
def test_solve_beside_a_simulation(call: Call) -> None:
    assert "intervals contain the exact figure" in call("solve", "closed_ring", "--simulate").out
    assert "half-widths apart" in call("run", "closed_ring", "--exact", "--quiet").out
    assert json.loads(call("run", "closed_ring", "--exact", "--json").out)["exact"]


WORKERS = """net workers
place idle[1..4] = token
place busy[1..4]
place tools = 3 * token
transition start[i in 1..4]: idle[i], tools -> busy[i]  after exp(2)
transition stop[i in 1..4]: busy[i] -> idle[i], tools  after exp(1)
measure work = mean(busy[1])
  expect < 0.2
expect mean(tools) > 1
"""


def test_elements_that_may_be_exchanged(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "workers.net"
    net.write_text(WORKERS)
    reduced, whole = call("solve", str(net)), call("solve", str(net), "--no-symmetry")
    assert "exact, in the long run: 4 states" in reduced.out
    assert "of 15 states, as elements may be exchanged: idle[…], busy[…]" in reduced.out
    assert "exact, in the long run: 15 states" in whole.out
    tables = [shown.out[shown.out.index("Measures") : shown.out.index("every figure")] for shown in (reduced, whole)]
    assert tables[0] == tables[1]


def test_expectations_are_judged_by_the_exact_value(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "workers.net"
    net.write_text(WORKERS)
    shown = call("solve", str(net))
    assert shown.status == 1
    assert "1 of 2 expectations FAILED" in shown.out
    judged = json.loads(call("solve", str(net), "--json").out)["expectations"]
    assert [one["passed"] for one in judged] == [False, True]
    assert judged[0]["value"] == pytest.approx(
        json.loads(call("solve", str(net), "--json").out)["measures"][0]["value"]
    )


def test_a_page(call: Call, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert call("solve", "mm1k", "--simulate", "--report", str(page)).status == 0
    text = page.read_text(encoding="utf-8")
    assert "0.7289444011" in text
    assert "intervals contain the exact figure" in text
    assert "Both expectations hold exactly" in text
    refused = call("solve", "mm1k", "--report", str(tmp_path / "page.pdf"))
    assert refused.status == 2
    assert "output-suffix" in refused.err


def test_a_coarse_tick_is_told_beside_a_simulation(call: Call, tmp_path: Path) -> None:
    """The simulation rounds a mean of two and a half ticks; the exact figure does not."""
    net = tmp_path / "coarse.net"
    text = "net coarse\ntime us resolution 1 us\nplace a = token\ntransition go: a -> a takes exp(2.5 us)\n"
    text += "run until 10 ms\n"
    net.write_text(text)
    told = " ".join(call("solve", str(net), "--simulate").out.split())
    assert "the fastest event comes after 2.5 of them in the mean" in told
    net.write_text(text.replace(" resolution 1 us", ""))
    assert "whole ticks" not in call("solve", str(net), "--simulate").out


def test_a_solution_in_a_notebook() -> None:
    solution = petri.load("mm1k").solve()
    assert "exact in the long run, 24 states; refused 0.08881949866" in repr(solution)
    shown = solution._repr_html_()
    assert "0.7289444011" in shown
    assert "<script" not in shown
    table = solution.to_pandas().set_index("name")
    assert table.loc["served", "low"] <= table.loc["served", "value"] <= table.loc["served", "high"]


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


REFUSED = {
    "exact-stream": 'type Row = {size: int}\nplace p : Row = stream("rows.csv")\ntransition t: p(_) -> nothing',
    "exact-instant": "place p : real = 0.0\ntransition t: p(x) -> p(now)  takes exp(1 + now - x)",
    "exact-continuous-draw": "place p : int = 0\ntransition t: p(x) -> p(y)  draw y ~ uniform(0..999999)  takes exp(x)",
    "exact-time": "place p = token\ntransition t: p -> p  takes normal(5, 1)",
    "exact-clock": "place p = token\ntransition t: p -> p  after 5",
    "exact-delay": "place p = token\nplace q\ntransition t: p -> p, q in 3  takes exp(1)\ntransition u: q -> nothing",
    "exact-mixed": "place p = token\nplace q = token\ntransition s: p -> p takes 1\ntransition u: q -> q takes exp(1)",
    "exact-zero-clock": "place p = token\nplace q\ntransition t: p -> q  after exp(tokens(q))",
}
"""Nets that neither command takes, because of a transition or a place; without their first line."""


@pytest.mark.parametrize("reason", REFUSED)
@pytest.mark.parametrize("command", ["solve", "reach"])
def test_a_refusal_shows_where_and_what_to_do(call: Call, tmp_path: Path, command: str, reason: str) -> None:
    (tmp_path / "rows.csv").write_text("time,size\n0,3\n")
    (net := tmp_path / "refused.net").write_text(f"net refused\n{REFUSED[reason]}\n")
    refused = call(command, str(net))
    assert refused.status != 0
    assert f"error[{reason}]" in refused.err
    assert f"--> {net}:" in refused.err
    assert "hint: " in refused.err
    assert "`pnsim run`" in refused.err or reason in ("exact-instant", "exact-continuous-draw")


def test_a_circle_that_takes_no_time_is_told_from_a_net_without_times(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "circle.net"
    circle = "net circle\nplace a = token\nplace b\nplace c = token\ntransition to: a -> b\ntransition back: b -> a\n"
    net.write_text(circle)
    assert "exact-no-time" in call("solve", str(net)).err
    net.write_text(f"{circle}transition other: c -> c takes exp(1)\n")
    refused = call("solve", str(net)).err
    assert "exact-standstill" in refused
    assert "`to` or `back`" in refused


def test_a_clock_of_several_stages_is_refused_for_what_it_remembers(call: Call, tmp_path: Path) -> None:
    net = tmp_path / "clock.net"
    net.write_text("net clock\nplace a = token\ntransition go: a -> a after erlang(2, 3)\n")
    assert "exact-clock" in call("solve", str(net)).err


@pytest.mark.slow
def test_the_solvable_nets_of_the_library(call: Call) -> None:
    """docs/exact.md names them."""
    names = [one["name"].rpartition("/")[2] for one in json.loads(call("list", "--solvable", "--json").out)]
    page = (Path(__file__).resolve().parents[2] / "docs" / "exact.md").read_text(encoding="utf-8")
    told = page[page.index("have a chain: ") : page.index(" (`pnsim list --solvable`)")]
    assert sorted(re.findall(r"\w+", told.removeprefix("have a chain: ").replace(" and", ""))) == sorted(names)


CARDS = """net cards
place card : int = i for i in 1..60
transition deal: card(a), card(b), card(c), card(d), card(e) -> card(a)
  after exp(1)  when a + b + c + d + e > 1000
"""


@pytest.mark.slow
def test_too_many_bindings_name_the_transition(call: Call, tmp_path: Path) -> None:
    (net := tmp_path / "cards.net").write_text(CARDS)
    assert "`deal` has more than 10 million ways to choose its tokens in one state" in call("solve", str(net)).err
    shown = " ".join(call("reach", str(net)).out.split())  # of any width
    assert "where deal has more than 10 million ways to choose its tokens" in shown


def test_a_limit_of_memory_is_no_limit_of_states(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri.model.bounds", lambda states: chain.Limits(memory=2**10))
    for command in ("solve", "reach"):
        shown = call(command, "dining_philosophers")
        assert "4 GiB" in shown.out + shown.err
        assert "--states" not in shown.out + shown.err


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


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("tokens(busy[*]) == 3", True),
        ("tokens(busy[*]) > 3", False),
        ("tokens(busy[2]) + tokens(busy[4]) == 2 and tokens(tools) == 1", True),
        ("min(tokens(idle[1]), tokens(busy[1])) > 0", False),
        ("dead", False),
    ],
)
def test_conditions(call: Call, tmp_path: Path, condition: str, found: bool) -> None:
    net = tmp_path / "workers.net"
    net.write_text(WORKERS)
    assert call("reach", str(net), "--find", condition).status == (0 if found else 1)


def test_states_that_differ_in_values_which_decide_nothing(call: Call, tmp_path: Path) -> None:
    """Six voters: at most six go from one place to the other, or any of them do."""
    net = tmp_path / "vote.net"
    net.write_text(
        "net vote\ntype Voter = 1..6\nplace voting : Voter = all\nplace voted : Voter\n"
        "transition vote: voting(v) -> voted(v) after exp(1)\n"
    )
    merged, every = call("reach", str(net)).out, call("reach", str(net), "--all-values").out
    assert "7 states" in merged
    assert "of tokens in voting, voted; --all-values" in " ".join(merged.split())
    assert "64 states" in every
    assert "--all-values" not in every


def test_conditions_on_firings(call: Call) -> None:
    """Either the server is idle, or it serves."""
    assert call("reach", "mm1k", "--always", "firings(serve) + tokens(server) == 1 or tokens(queue) > 0").status == 0
    assert call("reach", "mm1k", "--find", "firings(serve) == 1 and tokens(queue) == 4").status == 0


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("tokens(queu) == 1", "did you mean `queue`?"),
        ("queue == 1", "write `tokens(queue)`"),
        ("tokens(queue)", "is int, but bool is expected"),
        ("tokens(queue) >", "a value is missing after"),
        ("tokens(queue) mod tokens(seat) == 1", "division by zero"),
        ("(" * 3000, "is not a value for `condition`"),
        ("foo(1)", "there is no function `foo`"),
    ],
)
def test_conditions_that_are_wrong(call: Call, condition: str, said: str) -> None:
    refused = call("reach", "mm1k", "--find", condition)
    assert refused.status != 0
    assert said in refused.err
    assert "Traceback" not in refused.err


def test_graphs(call: Call, tmp_path: Path) -> None:
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
