"""Measures in the unit that the net names, times in the net's own unit, parameters as they are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import petri
from petri.experiment.design.preparation import in_units

from .calling import Call

NET = """
unit cycle = 1 / clock
time cycle
param clock = 250 MHz in 100 MHz..500 MHz
param memory = 1066 MBps in 1 MBps..2 GBps
param line = 1 Gbps
place source : Bytes = 64 B
place bus = token
transition send: source(size), bus -> source(size), bus   takes 4 cycle
measure took = end - now at send                record mean, p99, count
measure in_time = end - now at send in ns       record mean, count
measure load = rate(send, size) in MBps         record series(20 cycle)
  expect > 10 MBps
measure plain = rate(send, size)
expect load.series.max < 2 * load
measure peak = load.series.max
run until 399 cycle
"""


def value(text: str, name: str) -> str:
    line = next(line for line in text.splitlines() if line.split()[:1] == [name])
    return " ".join(line.split()[1:])


def test_the_terminal_shows_the_units(call: Call, write: Callable[..., str]) -> None:
    shown = call("run", write(NET)).out
    assert value(shown, "took") == "mean 4 cycle"
    assert value(shown, "in_time") == "mean 16 ns"
    assert value(shown, "load").startswith("4,010 MBps ✓ > 10 MBps")  # 64 B in 16 ns; one more at the start
    assert value(shown, "plain").endswith("Gbps")
    assert value(shown, "peak").split()[1] == "MBps"
    assert "MBps" in next(line for line in shown.splitlines() if "load.series.max" in line)


def test_parameters_are_shown_as_they_are_written(call: Call, write: Callable[..., str]) -> None:
    shown = call("info", write(NET)).out
    assert value(shown, "memory") == "1066 MBps 1 MBps..2000 MBps"
    assert value(shown, "line") == "1 Gbps"


def test_pages_and_data_name_the_units(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    path, page = write(NET), tmp_path / "page.html"
    told = json.loads(call("run", path, "--json", "--report", str(page)).out)
    assert "4,010 MBps" in page.read_text(encoding="utf-8")
    assert told["measures"][2]["value"] == told["measures"][3]["value"]
    result = petri.load(path).run()
    assert "4 cycle" in result.measure("took")._repr_html_()
    units = dict(
        zip(*(result.to_pandas()["measures"].reset_index()[column] for column in ("name", "unit")), strict=True)
    )
    assert units == {"took": "cycle", "in_time": "cycle", "load": "B/cycle", "plain": "B/cycle", "peak": "B/cycle"}


def test_an_expected_value_may_be_in_any_unit() -> None:
    net = petri.loads(NET).net
    load = next(measure for measure in net.measures if measure.name == "load")
    assert in_units("2 Gbps", load.dimension, net, "load") == 1.0  # a byte in each cycle of 4 ns


def test_a_comparison_shows_the_units_too(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    sides = [tmp_path / "a.json", tmp_path / "b.json"]
    for side, clock in zip(sides, ("250 MHz", "500 MHz"), strict=True):
        side.write_text(call("run", write(NET), "--replications", "2", "--set", f"clock={clock}", "--json").out)
    shown = call("compare", *map(str, sides)).out
    assert value(shown, "took").startswith("4 cycle 4 cycle")
    assert value(shown, "load").startswith("4,010 MBps")
    assert value(shown, "took.count").startswith("100 100")


ORDER = """
time ns
place wire : int by value = i for i in 1..4
place slow : int
place out : int
transition late: wire(n) -> slow(n)   when n mod 2 == 1
transition soon: wire(n) -> out(n)    takes 1 ns  when n mod 2 == 0
transition pass: slow(n) -> out(n)    takes 9 ns
measure ranks = reorder(out(n), order n)   record reordered_share, mean_extent, max_late_time, reordered
run until 20 ns
"""


def test_the_figures_of_a_reordering_have_units_of_their_own(call: Call, write: Callable[..., str]) -> None:
    lines = call("run", write(ORDER)).out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("ranks"))
    told = [line.replace("±?", "").split()[-2:] for line in lines[start : start + 4]]
    assert told == [["50", "%"], ["mean_extent", "2"], ["8", "ns"], ["reordered", "2"]]


def test_times_of_the_command_line_are_in_units_of_the_net(call: Call, write: Callable[..., str]) -> None:
    net = write(NET)
    for until, warmup, shown in (
        ("399 cycle", "40 cycle", "until 399 cycle, warm-up 40 cycle"),
        ("399", "40", "until 399 cycle, warm-up 40 cycle"),
        ("1_596 ns", "0.16 us", "until 1,596 ns, warm-up 0.16 us"),
        ("2 * 798 ns", "160 ns", "until 399 cycle, warm-up 160 ns"),
    ):
        out = call("run", net, "--until", until, "--warmup", warmup).out
        assert shown in out
        assert call("run", net, "--until", "399", "--warmup", "40").out.partition("\n\n")[2] == out.partition("\n\n")[2]
    assert "at 41 cycle" in call("why", net, "send", "--at", "41 cycle").out
    assert "at 44 cycle" in call("step", net, "--at", "41 cycle").out
    assert "`cycle`, `h`, `min`" in call("run", net, "--until", "20 cyc").err


def test_times_of_the_run_line_are_shown_as_they_are_written(
    call: Call, write: Callable[..., str], tmp_path: Path
) -> None:
    net = write(
        "time min\nplace p = token\ntransition t: p -> p  takes exp(1 min)\nrun until 40_000 min warmup 3_000 min\n"
    )
    told = "until 40,000 min, warm-up 3,000 min"
    page = tmp_path / "page.html"
    assert told in call("run", net, "--report", str(page)).out
    assert "until 40,000 min" in page.read_text(encoding="utf-8")
    assert "runs until 40,000 min, warm-up 3,000 min" in " ".join(call("info", net).out.split())
    assert "1 replication until 40,000 min" in repr(petri.load(net).run())
    assert petri.load(net).run().hash == petri.load(net).run(until=40_000.0, warmup=3_000.0).hash
