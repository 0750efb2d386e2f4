"""Observations as columns: the figures of all windows at once have the bits that those of each by itself have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import petri
from petri.engine.native import available
from petri.measure import formula
from petri.measure.catalogue import PLACES, TRANSITIONS
from petri.measure.figures import probe_term
from petri.measure.histogram import FIELDS, Histogram
from petri.measure.observation import Observation, probe_figure
from petri.measure.windows import Ragged, Windows, probe_figures
from petri.net import Sample, Term

TEXT = """
place source = token
place queue
place done : {x: real}
transition arrive: source -> source, queue  takes exp(1)
transition serve: queue -> done({x: x})  draw x ~ exp(20)  takes exp(0.7)
measure size = x at serve
  record mean, p90, count, std, min, max, sum
measure wait = time(arrive -> serve)
measure most = max(max(queue), count(serve) - 3)
measure busy = min(mean(serve) / (1 - occupied(source)), 2)
measure none = mean(queue) / arrivals(source)
measure shown = share(tokens(queue) > 2)
run until 40
"""
ENGINE = "native" if available() else "reference"


@pytest.fixture(scope="module")
def result() -> petri.Result:
    return petri.loads(TEXT).run(replications=7, engine=ENGINE)


def same(found: Any, expected: Any) -> None:
    assert np.array_equal(np.asarray(found), np.asarray(expected), equal_nan=True)


def each(windows: Windows) -> list[Observation]:
    return [windows[number] for number in range(len(windows))]


def test_formulas_have_the_values_of_each_window(result: petri.Result) -> None:
    windows = result.windows
    terms = [one.formula for one in result.net.measures]
    terms += [
        probe_term(result.net, number, field)
        for number, probe in enumerate(result.net.probes)
        if isinstance(probe, Sample)
        for field in (*FIELDS, "p10")
    ]
    terms += [Term("const", value=3.0), Term("quantile", (terms[0],), 0.9)]
    for term in terms:
        same(formula.values(term, windows), [formula.evaluate(term, one) for one in each(windows)])


def test_columns_have_the_values_of_each_window(result: petri.Result) -> None:
    for kind in (*PLACES, *TRANSITIONS):
        same(kind.of_all(result.windows.together), [kind.of_all(one) for one in each(result.windows)])


def test_windows_one_by_one_are_the_columns_again(result: petri.Result) -> None:
    again = Windows.of(each(result.windows))
    same(again.elapsed, result.windows.elapsed)
    for name, row in result.windows.rows.items():
        same(again.rows[name], row)
    assert [columns.keys() for columns in again.probes] == [columns.keys() for columns in result.windows.probes]
    for index in range(len(again.probes)):
        assert str(again.snapshots(index)) == str(result.windows.snapshots(index))


def test_parts_joined_are_the_whole(result: petri.Result) -> None:
    windows = result.windows
    joined = Windows.joined([windows[:2], windows[2:2], windows[2:]])
    chosen = windows.take(np.array([5, 0]))
    for index in range(len(windows.probes)):
        assert str(joined.snapshots(index)) == str(windows.snapshots(index))
        assert str(chosen.snapshots(index)) == str([windows.probe(index, 5), windows.probe(index, 0)])
    same(joined.rows["integral"], windows.rows["integral"])
    same(chosen.rows["firings"], windows.rows["firings"][[5, 0]])


def test_sums_beyond_all_doubles_come_from_the_buckets() -> None:
    histograms = [Histogram(), Histogram(), Histogram()]
    for value in (1e300, -1e300, 5.0):
        histograms[0].add(value)
    histograms[1].add(4.0)
    snapshots = [one.snapshot() for one in histograms]
    seen = petri.loads("place p = token\ntransition t: p -> p takes 1\nrun until 3").run(engine="reference").windows[0]
    windows = Windows.of([petri.structs.replace(seen, probes=(one,)) for one in snapshots])
    for field in FIELDS:
        same(probe_figures(windows, 0, field), [probe_figure(one, field) for one in snapshots])
        assert math.isnan(probe_figures(windows, 0, "mean")[2])


def test_a_ragged_column() -> None:
    column = Ragged.of([np.array([1, 2]), np.array([], dtype=np.int64), np.array([3])])
    assert [column[row].tolist() for row in range(3)] == [[1, 2], [], [3]]
    assert [column.take(slice(1, 3))[row].tolist() for row in range(2)] == [[], [3]]
    assert len(column.take(slice(0, 0))) == 0
