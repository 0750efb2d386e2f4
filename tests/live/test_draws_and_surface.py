"""Parameters that are drawn from ranges, and a measure over two of them."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.experiment.yaml.file import load_experiment
from petri.live.draws import Draws
from petri.live.knobs import knobs
from petri.live.refine import TOGETHER, Point, Refinement
from petri.live.surface import NEAR, Surface
from petri.model import Model
from petri.report.telling.quantities import Units

from .tables import COUNTER, answer, desk, source

SHORT = COUNTER.replace("1_000 h  warmup 10 h", "100 h  warmup 1 h").replace("  expect <= 0.8\n", "")


def finished(found: dict[str, Any], draws: int) -> bool:
    shown = found.get("drawn")
    return bool(shown and shown.get("figure")) and int(re.match(r"[\d,]+", shown["note"])[0].replace(",", "")) >= draws  # type: ignore[index]


def cells(html: str) -> list[list[str]]:
    """Return the rows of all tables as texts."""
    rows = re.findall("<tr>(.*?)</tr>", html, re.DOTALL)
    return [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL)] for row in rows]


def surface_of(text: str) -> tuple[Model, Surface]:
    model = petri.loads(text)
    both = knobs(model.net, model.net)
    return model, Surface({}, both[0], both[1])


def test_a_draw_is_a_run_with_its_seed_and_its_values(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net", SHORT) as one:
        answer(one, lambda found: found.get("count", 0) >= 4)
        one.change(drawn="wait", draws={"gap": "3.2..5 min", "clerks": "1..2"})
        found = answer(one, lambda found: finished(found, 20))["drawn"]
    words = shlex.split(found["command"])
    sets = dict(word.split("=") for before, word in pairwise(words) if before == "--set")
    seed = int(words[words.index("--seed") + 1])
    listed = {row[0]: row for row in cells(found["html"])}
    draw = listed[str(seed - 1)]
    assert draw[1:4] == [str(seed), sets["gap"], sets["clerks"]]
    ran = petri.load(tmp_path / "counter.net", **sets).run(seed=seed, replications=1)
    assert draw[4] == Units.of(ran.net).show(ran.measure("wait").value, "Time")
    assert 3.2 <= float(sets["gap"].removesuffix(" min")) <= 5.0
    assert {row[3] for row in listed.values() if len(row) == 5 and row[0].isdigit()} == {"1", "2"}


def test_draws_follow_from_the_seed_and_the_name_alone(tmp_path: Path) -> None:
    (tmp_path / "counter.net").write_text(SHORT, encoding="utf-8")
    made = source(tmp_path / "counter.net")
    model, plan = made.load({})
    both = Draws({}, {"gap": "2..8 min", "clerks": "1..9"}, plan, made, model, [])
    alone = Draws({}, {"gap": "2..8 min"}, plan, made, model, [])
    other = Draws({}, {"gap": "2..8 min"}, made.load({})[1].__class__(until=plan.until, seed=2), made, model, [])
    gaps = [[point.settings["gap"] for point in each.points] for each in (both, alone, other)]
    assert gaps[0] == gaps[1] != gaps[2]
    values = [float(text.removesuffix(" min")) for text in gaps[0]]
    # Kolmogorov and Smirnov's distance of 1,000 uniform draws exceeds 0.0617 with probability 0.001; the seed is fixed.
    spread = sorted((value - 2.0) / 6.0 for value in values)
    assert max(max((i + 1) / 1000 - u, u - i / 1000) for i, u in enumerate(spread)) < 0.0617
    assert {point.settings["clerks"] for point in both.points} == set("123456789")
    listed = Draws({}, {"clerks": "1, 3"}, plan, made, model, [])
    assert {point.settings["clerks"] for point in listed.points} == {"1", "3"}


def test_the_distribution_over_a_range_is_that_of_the_draws(tmp_path: Path) -> None:
    text = SHORT.replace("measure wait = sojourn(line)", "measure wait = 60 * gap / 1 min")
    with desk(tmp_path / "counter.net", text) as one:
        one.change(drawn="wait", draws={"gap": "2..8 min"})
        found = answer(one, lambda found: finished(found, 90))["drawn"]
    (wait,) = (row for row in cells(found["html"]) if row[0] == "wait")
    low, middle, high = (float(text.split(" ")[0]) for text in wait[3:])
    assert 120.0 <= low < 180.0 < 240.0 < middle < 360.0 < 420.0 < high <= 480.0  # uniform, and the seed is fixed
    bars = found["figure"]["data"][0]
    assert sum(bars["y"]) == pytest.approx(1.0)
    assert 120.0 <= min(bars["x"]) < max(bars["x"]) <= 480.0


@pytest.mark.parametrize(
    ("draws", "said"),
    [
        ({}, "Choose a parameter"),
        ({"gap": "8..2 min"}, "8..2 min"),
        ({"gap": "often"}, "often"),
        ({"gap": "1 min..2 s"}, "unit"),
        ({"clerks": "5..12"}, "could not run"),
    ],
)
def test_draws_that_cannot_be_say_why(tmp_path: Path, draws: dict[str, str], said: str) -> None:
    with desk(tmp_path / "counter.net", SHORT) as one:
        one.change(drawn="wait", draws=draws)
        found = answer(one, lambda found: bool(found.get("drawn")) and said in found["drawn"]["note"])
        assert found["problem"] == ""


def test_a_point_of_the_surface_is_a_run_with_its_values_and_settles(tmp_path: Path) -> None:
    with desk(tmp_path / "counter.net", SHORT) as one:
        one.change(surface="busy", across="gap", up="clerks", within=0.1)
        found = answer(one, lambda found: bool(found.get("surface")) and "\n" not in _first_open(found["surface"]))
        surface = found["surface"]
        values = surface["values"]
        assert load_experiment(_written(tmp_path, found)).points == [
            {"gap": gap, "clerks": int(clerks)} for gap in values[0] for clerks in values[1]
        ]
    top = cells(surface["html"])[1:]
    assert [row[0] for row in top] == list(reversed(values[1]))
    counts = re.findall(r'data-at="3,0" title="(\d+) replications?(, not settled)?"', surface["html"])
    (count, open_) = counts[0]
    ran = petri.load(tmp_path / "counter.net", gap=values[0][3], clerks=values[1][0]).run(replications=int(count))
    interval = ran.measure("busy").interval
    text = top[-1][4].removeprefix("○ ")
    assert text == Units.of(ran.net).show_interval(interval, "share")
    assert bool(open_) == (interval.relative > 0.1 or int(count) < TOGETHER)


def _first_open(surface: dict[str, Any]) -> str:
    """Return a line break while no point near the sliders has settled."""
    return "" if 'data-at="3,0"' in surface["html"] and not surface["note"].startswith("0 of") else "\n"


def _written(folder: Path, found: dict[str, Any]) -> Path:
    (folder / "copy.yaml").write_text(found["copies"]["yaml"], encoding="utf-8")
    return folder / "copy.yaml"


def test_points_near_the_sliders_get_the_next_replications(tmp_path: Path) -> None:
    (tmp_path / "counter.net").write_text(SHORT, encoding="utf-8")
    model, surface = surface_of(SHORT)
    surface.weigh({"gap": surface.across.values[-1], "clerks": surface.up.values[-1]})
    main = Point({}, model, model.plan()[0])
    refinement = Refinement(main, source(tmp_path / "counter.net").load, 0, lambda: None)
    refinement.set_others([surface.points], None)
    while sum(len(point.ran) for point in surface.points) < 60:
        refinement.step(1.0)
    counts = [[len(point.ran) for point in row] for row in surface.rows]
    assert counts[-1][-1] == max(map(max, counts)) > 1
    assert counts[-1][-1] > counts[0][0]
    assert surface.points[-1].weight == 1.0
    assert surface.points[0].weight < 1.0 / (1.0 + NEAR**-2)
    surface.weigh({"gap": surface.across.values[0], "clerks": surface.up.values[0]})
    for _ in range(12):
        refinement.step(1.0)
    assert len(surface.points[0].ran) > counts[0][0]


def test_a_settled_point_goes_on_when_less_is_allowed() -> None:
    model, surface = surface_of(SHORT)
    point, plan = surface.points[0], model.plan()[0]
    here = {"gap": "4 min", "clerks": "1"}
    refinement = Refinement(point, lambda _: (model, plan), 0, lambda: None)
    while len(point.ran) < TOGETHER:
        refinement.step(1.0)
    assert surface.told("busy", 0.5, here, model.net, 1)["note"].startswith("1 of 49 points have settled")
    assert not point.wanted
    assert surface.told("busy", 1e-9, here, model.net, 1)["note"].startswith("0 of 49")
    assert point.wanted
    chart = surface.told("busy", 0.5, here, model.net, 1)["figure"]["data"]
    assert len(chart[1]["x"]) == 48  # open marks
    assert chart[2]["y"] == [0.0]


def test_a_surface_has_no_times_of_0() -> None:
    _, surface = surface_of(SHORT.replace("param gap    = 4 min", "param gap = 4 min in 0 min..10 min"))
    assert surface.across.values[0] == "0.05 min"
    assert surface.across.values[-1] == "10 min"


def test_choices_and_switches_are_axes_too(tmp_path: Path) -> None:
    text = SHORT.replace("param clerks", "param quick = false\nparam clerks").replace(
        "exp(3 min)", "if quick then exp(1 min) else exp(3 min)"
    )
    with desk(tmp_path / "counter.net", text) as one:
        one.change(surface="busy", across="quick", up="quick")
        answer(one, lambda found: found.get("count", 0) >= 1 and found["surface"] is None)
        one.change(across="quick", up="clerks", settings={"gap": "5 min"})
        found = answer(one, lambda found: bool(found.get("surface")) and bool(found["surface"]["figure"]))
        assert found["surface"]["values"][0] == ("false", "true")
        one.change(across="nothing")
        answer(one, lambda found: found["surface"] is None)
        one.change(across="gap", up="clerks", surface="weight")
        found = answer(one, lambda found: bool(found["surface"]))
        assert found["surface"]["figure"] is None
