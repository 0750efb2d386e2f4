"""Arrays of measures, conditions of samples, and events over all of an array: figures that can be counted by hand."""

from __future__ import annotations

import pytest

import petri
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.measure.figures import evaluate_all, figures

NET = """
type Class = gold | silver
type Job   = { n: int, class: Class }
place clock : int = 0
place lane[0..1] : Job = Job(0, gold)
transition tick: clock(n) -> clock(n + 1)   takes 1
transition step[i in 0..1]: lane[i](j) -> lane[i](Job(j.n + 1, if j.class == gold then silver else gold))   takes i + 1

measure numbers[k in 0..2]   = n at tick when n mod 3 == k   record count, max
measure done[c in Class]     = j.n at step[*] when j.class == c   record count, max
  expect > 2
measure per_lane[i in 0..1]  = count(step[i])   if i == 1
measure apart                = gap(tick, by n mod 3)
measure between              = gap(step[*])   record count, max
measure from_lanes           = time(lane[*](j) -> step[*], by j.n)   record count
measure twice                = done[gold].count + 2 * done[silver].count
expect done[gold].count > done[silver].count
expect numbers[1].max == numbers[2].max within 2
run until 9.5
"""
ENGINES = ["reference", *(["native"] if available() else [])]


@pytest.mark.parametrize("engine", ENGINES)
def test_figures_of_arrays(engine: str) -> None:
    result = petri.loads(NET).run(engine=engine)
    wanted = figures(result.net, (
        "numbers[0].count", "numbers[0].max", "numbers[1].max", "numbers[2].count",
        "done[gold].count", "done[gold].max", "done[silver].count", "done[silver].max",
        "per_lane[1]", "apart", "between.count", "between.max", "from_lanes", "twice",
    ))  # fmt: skip
    # The ticks start at 0, 1, …, 9; lane 0 steps then as well, lane 1 at 0, 2, …, 8: its jobs are silver when odd.
    assert evaluate_all(wanted, result.replications[0].window) == {
        "numbers[0].count": 4, "numbers[0].max": 9, "numbers[1].max": 7, "numbers[2].count": 3,
        "done[gold].count": 5 + 3, "done[gold].max": 8, "done[silver].count": 5 + 2, "done[silver].max": 9,
        "per_lane[1]": 5, "apart": 3, "between.count": 14, "between.max": 1, "from_lanes": 13, "twice": 22,
    }  # fmt: skip
    assert [measure.name for measure in result.measures][:4] == ["numbers[0]", "numbers[1]", "numbers[2]", "done[gold]"]
    assert [expected.text for m in result.measures for expected, _ in m.verdicts] == [
        "done[gold] > 2",
        "done[silver] > 2",
    ]
    assert result.passed


def test_a_measure_that_is_an_array_is_named_with_an_index() -> None:
    with pytest.raises(LanguageError) as told:
        petri.loads(NET + "measure wrong = mean(clock) + done")
    assert [d.id for d in told.value.diagnostics] == ["measures-of-array"]
