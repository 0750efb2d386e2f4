"""Measures in the unit that the net names, times in the net's own unit, parameters as they are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import petri
from petri.experiment.preparation import in_units

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
run until 399 cycle
"""


def value(text: str, name: str) -> str:
    line = next(line for line in text.splitlines() if line.split()[:1] == [name])
    return " ".join(line.split()[1:])


def test_the_terminal_shows_the_units(call: Call, write: Callable[..., str]) -> None:
    shown = call("run", write(NET)).out
    assert value(shown, "took") == "mean 4 cycle"
    assert value(shown, "in_time") == "mean 16 ns"
    assert value(shown, "load").startswith("4,010 ±? MBps ✓ > 10 MBps")  # 64 B in 16 ns; one more at the start
    assert value(shown, "plain").endswith("Gbps")
    assert "MBps" in next(line for line in shown.splitlines() if "load.series.max" in line)


def test_parameters_are_shown_as_they_are_written(call: Call, write: Callable[..., str]) -> None:
    shown = call("info", write(NET)).out
    assert value(shown, "memory") == "1066 MBps 1 MBps..2000 MBps"
    assert value(shown, "line") == "1 Gbps"


def test_pages_and_data_name_the_units(call: Call, write: Callable[..., str], tmp_path: Path) -> None:
    path, page = write(NET), tmp_path / "page.html"
    told = json.loads(call("run", path, "--json", "--report", str(page)).out)
    assert "4,010 ±? MBps" in page.read_text(encoding="utf-8")
    assert told["measures"][2]["value"] == told["measures"][3]["value"]
    result = petri.load(path).run()
    assert "4 cycle" in result.measure("took")._repr_html_()
    units = dict(
        zip(*(result.to_pandas()["measures"].reset_index()[column] for column in ("name", "unit")), strict=True)
    )
    assert units == {"took": "cycle", "in_time": "cycle", "load": "B/cycle", "plain": "B/cycle"}


def test_an_expected_value_may_be_in_any_unit() -> None:
    net = petri.loads(NET).net
    load = next(measure for measure in net.measures if measure.name == "load")
    assert in_units("2 Gbps", load.dimension, net, "load") == 1.0  # a byte in each cycle of 4 ns
