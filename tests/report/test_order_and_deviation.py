"""Figures that the pages draw in addition: series together, gaps in their order, means with deviations."""

from __future__ import annotations

from pathlib import Path

import pytest

import petri
from petri.experiment import Experiment
from petri.report.html import run_report, sweep_report
from petri.report.html.markup import plotted
from petri.trace import gaps as gaps_of
from petri.trace.gaps import GapCollector, gap_measures
from petri.validation import only_run
from tests.report.test_html import Reader

NET = """
net two_rates
time ms
param slow = 3 in 1..9
place source : int = 0
transition send: source(n) -> source(n + 1)  takes (if n mod 4 < 2 then 1 else slow) * 1 ms
transition half: source(n) -> source(n + 1)  takes 1 ms  when n < 0
measure gap   = time(send -> send)  record mean, std
measure late  = time(send -> half)
measure sent  = rate(send)          record series(10 ms)
measure twice = rate(send) * 2      record series(10 ms)
measure share = count(send) / 2     record series(10 ms)
run until 100 ms  warmup 8 ms
"""


@pytest.fixture
def net(tmp_path: Path) -> str:
    path = tmp_path / "two_rates.net"
    path.write_text(NET, "utf-8")
    return str(path)


def test_only_times_between_firings_of_one_transition_are_collected() -> None:
    assert list(gap_measures(petri.loads(NET).net)) == ["gap"]


@pytest.mark.parametrize("most", [5, 1000])
def test_gaps_are_kept_in_their_order_from_the_warmup_on(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(gaps_of, "MOST", most)
    model = petri.loads(NET)
    collector = GapCollector(model.net, 8.0)
    model.run(trace=collector, replications=1)
    found = collector.gaps["gap"].tolist()
    # Firings of 1, 1, 3 and 3 ms in turn; one starts at 8 ms.
    assert found[:8] == pytest.approx([1, 1, 3, 3, 1, 1, 3, 3][: len(found)])
    assert len(found) == min(most, 46)  # 47 starts in 8 .. 98 ms


def test_the_page_of_a_validation_draws_them(net: str, tmp_path: Path) -> None:
    outcome = Experiment(net=net, points=[{"slow": 3}], replications=2).run(tmp_path / "one.db")
    run = only_run(outcome)
    assert run is not None
    drawn = Reader(run_report(run.result, gaps=run.gaps)).json("figures")
    (points,) = [one["data"][0] for one in drawn if one["data"][0].get("mode") == "markers"]
    assert points["x"][:4] == [1, 2, 3, 4]
    assert points["y"][:4] == pytest.approx([1, 1, 3, 3])
    assert not [
        one for one in Reader(run_report(run.result)).json("figures") if one["data"][0].get("mode") == "markers"
    ]


def test_series_of_one_unit_are_drawn_together(net: str) -> None:
    result = petri.load(net).run()
    drawn = Reader(run_report(result)).json("figures")
    (both,) = [one for one in drawn if [line.get("name") for line in one["data"]] == ["sent", "twice"]]
    once, twice = (line["y"] for line in both["data"])
    assert twice == pytest.approx([2 * value for value in once])
    assert len(once) == 9


def test_means_have_bars_of_one_deviation(net: str, tmp_path: Path) -> None:
    points = [{"slow": 1}, {"slow": 3}]
    experiment = Experiment(net=net, points=points, replications=2, measures=["gap.mean", "gap.std", "sent"])
    outcome = experiment.run(tmp_path / "two.db")
    text = sweep_report(outcome)
    assert "Means with deviations" in text
    drawn = Reader(text).json("figures")
    (figure,) = [one for one in drawn if one["layout"]["xaxis"].get("type") == "category"]
    (line,) = figure["data"]
    assert line["x"] == [plotted(point.label) for point in outcome.points]
    assert line["y"] == pytest.approx([1, 2], rel=0.03)
    assert line["error_y"]["array"] == pytest.approx([0, 1], abs=0.03)


def test_there_are_none_without_a_deviation(net: str, tmp_path: Path) -> None:
    experiment = Experiment(net=net, points=[{"slow": 1}, {"slow": 3}], replications=2, measures=["gap.mean"])
    assert "Means with deviations" not in sweep_report(experiment.run(tmp_path / "none.db"))


def test_parts_of_a_whole_are_stacked(net: str, tmp_path: Path) -> None:
    parts = {"all": ["sent", "twice", "unknown"]}
    points = [{"slow": 3}, {"slow": 5}]
    outcome = Experiment(net=net, points=points, replications=2, parts=parts).run(tmp_path / "parts.db")
    drawn = Reader(sweep_report(outcome)).json("figures")
    (stack,) = [one for one in drawn if one["layout"].get("barmode") == "stack"]
    assert [trace["name"] for trace in stack["data"]] == [plotted("sent"), plotted("twice")]
    sent, twice = (trace["y"] for trace in stack["data"])
    assert twice == pytest.approx([2 * value for value in sent])


@pytest.mark.slow
def test_a_measure_over_decades_has_a_logarithmic_axis(net: str, tmp_path: Path) -> None:
    """As long as its parameter has one, and it is never 0."""
    text = NET.replace("in 1..9", "in 1..10000").replace("until 100 ms", "until 8 s")
    Path(net).write_text(text, "utf-8")
    outcome = Experiment(net=net, grid={"slow": [1, 10, 100, 1000]}, replications=2, measures=["sent"]).run(
        tmp_path / "log.db"
    )
    (curve,) = [one for one in Reader(sweep_report(outcome)).json("figures") if "xaxis" in one["layout"]]
    assert curve["layout"]["xaxis"]["type"] == curve["layout"]["yaxis"]["type"] == "log"
    up, (trace,) = curve["layout"]["yaxis"], curve["data"]
    assert [float(text.replace(",", "")) for text in up["ticktext"]] == up["tickvals"]  # 20 and 50, not 2 and 5
    assert up["tickvals"][0] <= 2 * min(trace["y"])
    assert up["tickvals"][-1] >= max(trace["y"]) / 2


def test_quantities_are_on_an_axis_of_numbers(tmp_path: Path) -> None:
    """At their distances and in ascending order, labelled as they were written."""
    source = tmp_path / "service.net"
    source.write_text(
        "net service\ntime us\nparam service: Time = 1 us\nplace idle = token\n"
        "transition serve: idle -> idle takes service\nmeasure served = count(serve)\nrun until 20 ms",
        encoding="utf-8",
    )
    grid = {"service": ["20 us", "500 ns", "1 ms"]}
    outcome = Experiment(net=str(source), grid=grid, replications=2, measures=["served"]).run(tmp_path / "a.db")
    text = sweep_report(outcome)
    (curve,) = [one for one in Reader(text).json("figures") if "xaxis" in one["layout"]]
    assert curve["data"][0]["x"] == pytest.approx([0.5, 20, 1000])
    assert curve["layout"]["xaxis"]["ticktext"] == ["500 ns", "20 us", "1 ms"]
    assert "20 ms, 0 s" in text


@pytest.mark.slow
def test_cells_of_a_heat_map_have_whole_numbers_in_full(net: str, tmp_path: Path) -> None:
    grid = {"slow": [1, 2, 3], "load": [0.25, 0.5, 1.0]}
    text = NET.replace("until 100 ms", "until 3 s").replace("param slow", "param load = 1.0\nparam slow")
    Path(net).write_text(text, "utf-8")
    outcome = Experiment(net=net, grid=grid, replications=2, measures=["share"]).run(tmp_path / "map.db")
    figures = [one["data"][0] for one in Reader(sweep_report(outcome)).json("figures")]
    (cells,) = [one["text"] for one in figures if one["type"] == "heatmap"]
    assert cells[0][0] == "1,496"
