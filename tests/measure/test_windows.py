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
from petri.measure.figures import figures, probe_term
from petri.measure.histogram import FIELDS, Histogram
from petri.measure.observation import Observation, probe_figure
from petri.measure.trend import figure_courses
from petri.measure.unvaried import Ranged
from petri.measure.windows import Ragged, Windows, probe_figures
from petri.net import Sample, Term
from petri.structs import fields

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


def rows_of(result: petri.Result) -> list[petri.Result]:
    """Return the same result with each replication alone."""
    parts = [result.replications[row : row + 1] for row in range(len(result.replications))]
    return [petri.Result(result.net, result.plan, part) for part in parts]


@pytest.mark.parametrize("net", ["raid", "mmcc", "tandem_overflow", "mm1", "reneging", "timeout"])
def test_what_did_not_vary_is_known_of_all_as_of_each(net: str) -> None:
    """Of replications that have different numbers of batches, and of which some end early."""
    result = petri.load(net).run(replications=6, max_firings=3_000, engine=ENGINE)
    each = [one.rare for one in rows_of(result)]
    same(result.rare.looks, np.concatenate([one.looks for one in each]))
    kinds = [(kind, number) for kind in PLACES for number in range(len(result.net.places))]
    kinds += [(kind, number) for kind in TRANSITIONS for number in range(len(result.net.transitions))]
    terms = [one.formula for one in result.net.measures]
    found = [
        [*(rare.of_kind(*of) for of in kinds), *(rare.of_term(term) for term in terms)] for rare in (result.rare, *each)
    ]
    for of_all, *of_each in zip(*found, strict=True):
        for name in fields(Ranged):
            same(getattr(of_all, name), np.concatenate([getattr(one, name) for one in of_each]))


def test_courses_of_all_are_those_of_each(result: petri.Result) -> None:
    long = petri.loads(TEXT).run(replications=5, until=900, engine=ENGINE).replications
    wanted = figures(result.net, ["wait.mean", "none", "queue.mean", "size.p90"])
    for some in (wanted, wanted[1:3]):
        of_all = figure_courses(some, long.batches, long.batch_ends)
        assert len(of_all[0]) == len(some)
        assert str(of_all) == str([figure_courses(some, one.batches, np.array([len(one.batches)]))[0] for one in long])
    assert figure_courses(wanted, long.batches[:5], np.array([0, 3, 5])) == [{}, {}, {}]
