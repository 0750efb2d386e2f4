"""Parts of the summary: bars, the progress line, and what remains of an expectation's text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from io import StringIO
from typing import Literal

import numpy as np
import pytest
from rich.console import Console

import petri
from petri.measure.formula import judge
from petri.measure.histogram import Histogram
from petri.measure.intervals import Interval
from petri.net import Expectation, Term
from petri.report.telling.expected import bound_text, origin, verdict_text
from petri.report.telling.progress import describe
from petri.report.telling.quantities import Units
from petri.report.telling.source import first_sentence
from petri.report.terminal.sparks import BARS, COLUMNS, of_histogram, of_series
from petri.report.terminal.summary import print_summary


def test_a_histogram_as_bars() -> None:
    histogram = Histogram()
    for value in range(1, 1001):
        histogram.add(value / 10)
    bars, low, high = of_histogram(histogram)
    assert len(bars) == COLUMNS
    assert set(bars) <= set(BARS[5:])
    assert low == 0.1
    assert high == pytest.approx(99.0, rel=0.01)


def test_a_constant_as_bars() -> None:
    histogram = Histogram()
    histogram.add(4.0)
    bars, low, high = of_histogram(histogram)
    assert bars == BARS[-1] + BARS[0] * (COLUMNS - 1)
    assert (low, high) == (4.0, 4.0)


def test_a_series_as_bars() -> None:
    bars, low, high = of_series([np.array([0.0, 1.0, 2.0]), np.array([0.0, 3.0, 4.0, 9.0])])
    assert (bars, low, high) == ("▁▆█", 0.0, 9.0)  # the windows' extremes, not those of the average
    assert of_series([np.array([math.nan, 1.0])])[0] == " █"
    assert of_series([np.zeros(0)])[0] == ""
    assert len(of_series([np.arange(1000.0)])[0]) == COLUMNS


@pytest.mark.parametrize(
    ("text", "measure", "source"),
    [
        ("loss < 0.01", "loss", ""),
        ("wait == 3 ms within 20 us", "wait", ""),
        ("wait == load / (1 - load)\n  within 15%", "wait", "load / (1 - load)"),
        ("half == 1 / 2", "half", "1 / 2"),
        ("delay.p99\n   < 10 us", "", "delay.p99 < 10 us"),
        ("count(a) == packets within 0.5", "", "count(a) == packets"),
    ],
)
def test_where_an_expected_number_comes_from(text: str, measure: str, source: str) -> None:
    assert origin(text, measure) == source


@pytest.mark.parametrize(
    ("comparison", "bound", "within", "absolute", "value", "said"),
    [
        ("==", 2.172e6, 0.05, False, 2.168e6, "✓ 2.172 ms within 5%"),
        ("==", 2.172e6, 0.05, False, 2.3e6, "✗ FAILED: measured 2.300 ms, expected 2.172 ms within 5%"),
        ("==", 2e6, 3e4, True, 2.01e6, "✓ 2 ms within 30 us"),
        ("==", 5.0, 0.0, False, 5.0, "✓ exactly 5 ns"),
        ("<", 1e4, 0.0, False, 1e4 + 1e-3, "✗ FAILED: measured 10.0000010 us, expected < 10 us"),
        (">=", 1e4, 0.0, False, math.nan, "✗ FAILED: measured nothing, expected >= 10 us"),
    ],
)
def test_a_verdict_shows_the_expected_number(
    comparison: Literal["<", ">=", "=="], bound: float, within: float, absolute: bool, value: float, said: str
) -> None:
    expectation = Expectation(f"x {comparison} 1", Term("const", value=0.0), comparison, bound, within, absolute)
    assert verdict_text(expectation, judge(expectation, value), Units(1e-9), "Time", "x").plain == said


def test_points_are_not_percent() -> None:
    units = Units(1e-9)
    assert bound_text("==", 0.5, 0.05, True, units, "share") == "50% within 5 percentage points"
    assert bound_text("==", 0.5, 0.05, False, units, "share") == "50% within 5%"


def test_the_first_sentence() -> None:
    assert first_sentence("Packets wait\nfor the line. Each is sent.") == "Packets wait for the line"
    assert first_sentence("About 1.5 packets.") == "About 1.5 packets"


@dataclass
class State:
    replications: int = 1
    until: float = 20e6
    finished: int = 0
    time: float = 5e6
    rate: float = 3.14e6
    share: float = 0.25


def test_the_progress_line() -> None:
    units = Units(1e-9)
    assert describe(State(), units, 80) == "━━━━━───────────────  25%  5 ms of 20 ms  3.14 M firings/s"
    many = describe(State(replications=8, finished=3), units, 80)
    assert many.endswith("3 of 8 done")
    endless = describe(State(until=math.inf, share=math.nan, rate=512.0), units, 80)
    assert endless == "time 5 ms  512 firings/s"


@pytest.mark.parametrize("share", [0.25, math.nan])
def test_a_narrow_progress_line_leaves_out_whole_parts(share: float) -> None:
    whole = describe(State(replications=8, finished=3, share=share), Units(1e-9), 200)
    parts = set(whole.split("  "))
    for room in range(100):
        line = describe(State(replications=8, finished=3, share=share), Units(1e-9), room)
        assert len(line) <= room
        assert {part for part in line.split("  ") if part} <= {part.strip() for part in parts}


def stations(number: int) -> str:
    """Return a line of stations, one slower than the other; `served` and `busy` are measured."""
    lines = ["net line", "time us", "place source = token", *(f"place queue_{n}" for n in range(number + 1))]
    lines += [f"place server_{n} = token" for n in range(number)]
    lines += ["transition arrive: source -> source, queue_0  takes exp(1 us)"]
    lines += [
        f"transition serve_{n}: queue_{n}, server_{n} -> server_{n}, queue_{n + 1}  takes exp({(n + 1) / 9} us)"
        for n in range(number)
    ]
    about = "the rate of all customers who have come to the first station, served or not"
    measures = [f"measure served = rate(arrive) expect > 0.1 MHz  ## {about}"]
    measures += [
        f"measure come = count(arrive)  ## {about}",
        f"measure busy = busy(server_{number - 1})  ## of the last",
    ]
    return "\n".join([*lines, *measures, "run until 500 us", ""])


def printed(text: str, *, width: int = 80, every: bool = False) -> list[str]:
    out = StringIO()
    print_summary(petri.loads(text).run(seed=3), Console(file=out, width=width), seconds=1.0, every=every)
    return out.getvalue().splitlines()


def test_a_net_with_few_rows_shows_all_of_them() -> None:
    lines = printed(stations(5))
    assert [line.split()[0] for line in lines if line.startswith(("Measures", "Transitions", "Places"))] == [
        "Measures", "Transitions", "Places"]  # fmt: skip
    assert sum(line.startswith("serve_") for line in lines) == 5
    assert not any("--all" in line for line in lines)


def test_a_larger_net_shows_the_busiest_and_its_measures_last() -> None:
    lines = printed(stations(8))
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) < 24
    start = next(number for number, line in enumerate(lines) if line.startswith("Busiest resources"))
    rows = [line.split() for line in lines[start + 1 : start + 6]]
    assert [row[0] for row in rows if row[0] != "source"] == [f"server_{n}" for n in (7, 6, 5, 4)]
    assert [row[2] for row in rows] == ["arrive", "serve_7", "serve_6", "serve_5", "serve_4"]
    shares = [float(row[3].rstrip("%")) for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert lines[start + 6] == "the busiest of 18 places and 9 transitions, arrays folded; --all shows all"
    assert lines[start + 8].startswith("Measures")
    assert any(line.startswith("served") and line.endswith("✓ > 100 k/s") for line in lines)
    assert not any("who have come" in line for line in lines)  # for which there is no room beside the figure
    assert any(line.startswith("busy") and line.endswith("of the last") for line in lines)
    wide = [line for line in printed(stations(8), width=160) if "who have come" in line]
    assert [line.split()[0] for line in wide] == ["come"]  # that of `served` would need a line of its own
    everything = printed(stations(8), every=True)
    assert sum(line.startswith(("serve_", "server_", "queue_")) for line in everything) == 8 + 8 + 9
    assert not any("Busiest" in line for line in everything)


def test_an_interval_is_printed_with_its_width() -> None:
    assert str(Interval(0.2101, 0.0131, 0.95, 5)) == "0.210 ± 0.013"
    assert str(Interval(1200.0, math.nan, 0.95, 1)) == "1,200"
    result = petri.load("mm1").run(until=5000, replications=3)
    assert str(result.measure("customers").interval).count(" ± ") == 1
