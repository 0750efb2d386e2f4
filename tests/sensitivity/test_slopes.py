"""Slopes of runs and of exact solutions, compared with closed forms; and what counts as noise."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

import petri
from petri.experiment.errors import ExperimentError
from petri.experiment.sensitivity.factors import factors, slower
from petri.experiment.sensitivity.local import Effect
from petri.experiment.sensitivity.study import Sensitivity
from petri.model import Model
from tests.sensitivity.closed_forms import CASES, slope

REPETITIONS = 200


def effect(found: Sensitivity, figure: str, name: str, text: str | None = None) -> Effect:
    return next(one for one in found.effects[figure] if one.factor.name == name and text in (None, one.factor.text))


@pytest.mark.parametrize("case", ["M/M/1/K", "repairman", "Erlang loss"])
def test_exact_slopes_are_those_of_the_closed_forms(case: str) -> None:
    load, at, _, forms = CASES[case]
    found = load().sensitivity(exact=True, over=list(at), measures=list(forms))
    for figure, form in forms.items():
        for name in at:
            one = effect(found, figure, name)
            right = slope(form, at, name)
            assert one.slope is not None
            assert one.slope.mean == pytest.approx(right, rel=1e-6)
            assert abs(one.slope.mean - right) <= one.slope.half_width + 1e-9 * abs(right)
            assert one.relative.mean == pytest.approx(0.1 * at[name] * right / form(at), rel=1e-6)


def covered(case: str, seeds: range) -> dict[tuple[str, str], list[bool]]:
    """Return, by figure and parameter, whether the intervals of the slope have the right value."""
    load, at, options, forms = CASES[case]
    model = load()
    hits: dict[tuple[str, str], list[bool]] = {(figure, name): [] for figure in forms for name in at}
    for seed in seeds:
        found = model.sensitivity(over=list(at), measures=list(forms), seed=seed, **options)  # type: ignore[arg-type]
        for figure, name in hits:
            one = effect(found, figure, name).slope
            assert one is not None
            hits[figure, name].append(abs(one.mean - slope(forms[figure], at, name)) <= one.half_width)
    return hits


@pytest.mark.slow
def test_intervals_cover_the_slopes_of_closed_forms() -> None:
    """95 % intervals of ten replications, in 200 repetitions: fixed seeds. If they cover in 95 %, the average over the
    four nets is outside of 93 to 97 % with a probability of 1 %, and each of nine slopes outside of 90 to 99.5 % with
    0.3 %.
    """
    shares: Mapping[str, list[float]] = {
        case: [float(np.mean(hits)) for hits in covered(case, range(1, REPETITIONS + 1)).values()] for case in CASES
    }
    assert 0.93 <= np.mean([np.mean(of) for of in shares.values()]) <= 0.97, shares
    assert all(0.90 <= share <= 0.995 for of in shares.values() for share in of), shares


def test_an_interval_covers_with_its_first_seed() -> None:
    hits = covered("Erlang loss", range(1, 3))
    assert all(all(of) for of in hits.values())


def test_common_random_numbers_make_intervals_narrow() -> None:
    """The difference of two nets by independent runs has an interval of several hundred percent of it."""
    model = petri.load("mm1k")
    one = effect(model.sensitivity(over=["load"], measures=["customers"], until=2_000), "customers", "load")
    apart = [model.run(replications=10, until=2_000, seed=seed).measure("customers").interval for seed in (1, 2)]
    assert one.change.half_width < 0.5 * math.hypot(*(of.half_width for of in apart)) / 0.1


CURVED = """net curved
param load = 0.9 in 0..0.99
place source = token
place queue
place server = token
transition arrive: source -> source, queue  takes exp(1 / load)
transition serve: queue, server -> server  takes exp(1)
measure stay = (mean(queue) + 1 - mean(server)) / load
run until 100_000
"""


@pytest.mark.slow
def test_the_step_is_halved_where_the_figure_bends_and_the_range_ends() -> None:
    """M/M/1: 1 / (1 - load), of which a step of 5 % would be up to a load of 0.99. A false alarm: 5 %, a fixed seed."""
    found = petri.loads(CURVED).sensitivity(over=["load"], replications=20)
    one = effect(found, "stay", "load")
    assert one.step < 0.05
    assert one.slope is not None
    assert abs(one.slope.mean - 1 / 0.1**2) <= one.slope.half_width


KINDS = """net kinds
type Job = { size: int }
place a : Job = ({size: 3})
place b : Job
place c = 2 * token
place d
place e = token
transition carry: a({size: s}) -> b({size: s})  takes s * uniform(0.5..1.5)
transition back:  b({size: s}) -> a({size: s})  takes if s > 2 then 3 else normal(2.0, 0.1, 1.0..3.0)
transition race:  c -> d                        after exp(2)  servers all
transition ring:  d -> c                        after erlang(2, 1) resume
transition late:  e -> e in 3                   takes choice(1.0: 1, 4.0: 2)
measure there = mean(b)
"""


def kinds() -> Model:
    return petri.loads(KINDS)


def test_a_net_whose_every_time_is_doubled_runs_at_half_the_speed() -> None:
    """Whatever its times are made of, the draws are the same: so are the firings, in twice the time."""
    model = kinds().with_own_streams()
    everything = range(len(model.net.transitions))
    before = model.run(until=500, seed=3)
    after = Model(slower(model.net, everything, 2.0)).run(until=1000, seed=3)
    assert after.replications[0].firings == before.replications[0].firings > 500
    assert after.measure("there").value == pytest.approx(before.measure("there").value, rel=1e-6)


def test_each_transition_that_takes_time_can_be_faster() -> None:
    names = [one.name for one in factors(kinds())]
    assert names == ["carry", "back", "race", "ring", "late"]


def test_a_faster_transition_is_as_a_smaller_parameter() -> None:
    found = petri.load("repairman").sensitivity(exact=True, over=["run_time", "fail"])
    for figure in ("utilisation", "repairs"):
        time, faster = effect(found, figure, "run_time"), effect(found, figure, "fail")
        assert faster.change.mean == pytest.approx(-time.change.mean, rel=1e-6)


LINE = """net line
param jobs = 3 in 1..3
type Mode = fast | slow
param mode = fast
param spare = false
param sizes = [1, 2]
param lost = 0.0 in 0..1
param unused = 0.0
place a = jobs * token
place b
place tool[0..1] = token
transition first:  a -> b  takes 5
transition second[i in 0..1]: b, tool[i] -> a, tool[i]  takes if mode == fast then 4 else 8
measure flow = rate(first)
run until 10_000 warmup 1_000
"""


def line(**values: object) -> Model:
    return petri.loads(LINE, **values)  # type: ignore[arg-type]


def test_neighbours_are_tried_of_what_has_no_tenth() -> None:
    found = line().sensitivity(replications=2, until=2_000).effects["flow"]
    assert {one.factor.name: one.factor.text for one in found if one.factor.kind == "parameter"} == {
        "jobs": "3 → 2", "mode": "fast → slow", "spare": "false → true", "lost": "0 → 0.1",
    }  # fmt: skip


def test_an_array_is_faster_as_a_whole_and_constants_by_whole_ticks() -> None:
    """Nothing is random: 3 / 9 a time unit, of which the 4 of both servers are a part."""
    found = line(jobs=2).sensitivity(over=["first", "second[*]"], replications=2)
    assert effect(found, "flow", "first").relative.mean == pytest.approx(0.1 * 5 / 9, rel=0.03)
    assert effect(found, "flow", "second[*]").relative.mean == pytest.approx(0.1 * 4 / 9, rel=0.03)


def test_what_does_nothing_is_no_effect_and_what_is_random_is_noise() -> None:
    text = "net still\nparam x = 1.0\nparam y = 1.0\nplace a = token\nplace b = token\n"
    text += "transition t: a -> a  takes exp(1)\ntransition u: b -> b  takes exp(x)\n"
    found = petri.loads(text + "measure f = rate(t)\nrun until 100\n").sensitivity()
    assert (found.effects["f"][0].factor.name, found.effects["f"][0].certain) == ("t", True)
    for name in ("x", "y", "u"):
        one = effect(found, "f", name)
        assert (one.certain, one.change.mean, one.change.half_width) == (False, 0.0, 0.0)


def test_a_value_that_the_net_refuses_is_told_and_the_other_side_is_taken() -> None:
    text = "net half\nparam x = 1.0\nparam top = 1.0 in 1.0..5.0\nplace a = token\n"
    text += "transition t: a -> a  takes exp(top + x)\nmeasure f = rate(t)\nrun until 1000\n"
    found = petri.loads(text).sensitivity(over=["top"], measures=["f"])
    one = effect(found, "f", "top")
    assert one.relative.mean == pytest.approx(-0.1 * 1 / 2, rel=0.1)


def test_a_change_that_stops_the_net_is_told_and_the_others_go_on() -> None:
    text = "net risky\nparam x = 1 in 1..2\nplace a = token\ntransition t: a -> a  takes 1 / (2 - x)\n"
    text += "param y = 1.0\ntransition u: a -> a  takes exp(y)\nmeasure f = rate(t)\nrun until 100\n"
    found = petri.loads(text).sensitivity(measures=["f"])
    assert {one.factor.name for one in found.effects["f"]} == {"y", "t", "u"}
    assert list(found.refused) == ["x"]


@pytest.mark.parametrize(
    ("options", "identifier"),
    [
        ({"over": ["lod"]}, "sensitivity-unknown"),
        ({"over": ["sizes"]}, "sensitivity-unvaried"),
        ({"over": ["second[0]"]}, "sensitivity-timeless"),
        ({"measures": ["flow", "nothing"]}, "unknown-figure"),
        ({"replications": 1}, "sensitivity-one"),
        ({"exact": True, "until": 5, "measures": ["a.mean"]}, "sensitivity-exact-run"),
        ({"measures": ["a.maximum"]}, "sensitivity-extreme"),
        ({"globally": True, "over": ["sizes"]}, "sensitivity-unvaried"),
        ({"globally": True, "over": ["lod"]}, "unknown-parameter"),
    ],
)
def test_what_cannot_be_followed_is_refused(options: dict[str, object], identifier: str) -> None:
    with pytest.raises(ExperimentError) as refused:
        line().sensitivity(**options)  # type: ignore[arg-type]
    assert refused.value.diagnostic.id == identifier


def test_a_zero_without_a_range_has_no_other_value() -> None:
    text = "net zero\nparam x = 0.0\nplace a = token\ntransition t: a -> a  takes 1 + x\nrun until 100\n"
    with pytest.raises(ExperimentError) as refused:
        petri.loads(text).sensitivity(over=["x"])
    assert refused.value.diagnostic.id == "sensitivity-unvaried"


def test_a_net_without_a_text_has_times_but_no_parameters() -> None:
    model = Model(line().net)
    assert {one.factor.kind for one in model.sensitivity(replications=2, until=2_000).effects["flow"]} == {"transition"}
    with pytest.raises(ExperimentError, match="no parameters"):
        model.sensitivity(over=["jobs"])
