"""Parts of the summary: bars, the progress line, and what remains of an expectation's text."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from petri.measure.histogram import Histogram
from petri.report.quantities import Units
from petri.report.sparks import BARS, COLUMNS, of_histogram, of_series
from petri.report.summary import claim, first_sentence
from pnsim.progress import describe


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
    ("text", "measure", "said"),
    [
        ("loss < 0.01", "loss", "< 0.01"),
        ("expect < 0.01", "loss", "< 0.01"),
        ("losses < 0.01", "loss", "losses < 0.01"),
        ("expect delay.p99\n   < 10 us", "", "delay.p99 < 10 us"),
    ],
)
def test_what_an_expectation_says(text: str, measure: str, said: str) -> None:
    assert claim(text, measure) == said


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
    assert describe(State(), units) == "━━━━━───────────────  25%  5 ms of 20 ms  3.14 M firings/s"
    many = describe(State(replications=8, finished=3), units)
    assert many.endswith("3 of 8 done")
    endless = describe(State(until=math.inf, share=math.nan, rate=512.0), units)
    assert endless == "time 5 ms  512 firings/s"
