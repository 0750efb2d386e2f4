"""`figure` of results, sweeps and solutions: the figures of the pages, as those of the Python library plotly."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.engine.native import available
from petri.exact.solution import Solution
from petri.experiment import Expected, Experiment, Outcome
from petri.report.html import run_report, sweep_report
from petri.report.notebook.plotly_figures import page_figure, themed
from petri.result import Result
from tests.report.test_html import QUEUE, Reader

pytest.importorskip("plotly")


@pytest.fixture(scope="module")
def result() -> Result:
    return petri.loads(QUEUE).run(occupancy=True)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    experiment = Experiment(
        net="mm1k",
        grid={"load": [0.5, 0.8, 0.9], "seats": [2, 3]},
        measures=["stay", "refused"],
        replications=2,
        until="2000",
        expected=[Expected("stay", 2.0, point={"load": 0.8, "seats": 3})],
    )
    return experiment.run(tmp_path_factory.mktemp("sweep") / "mm1k.db")


@pytest.fixture(scope="module")
def solution() -> Solution:
    if not available():
        pytest.skip("exact answers need the native engine")
    pytest.importorskip("scipy")
    return petri.load("mm1k").solve()


def traces(shown: Any) -> list[Any]:
    """Return the data of a plotly figure as JSON types."""
    plain: list[Any] = json.loads(shown.to_json(engine="json"))["data"]
    return plain


KINDS = [("wait", "density"), ("wait", "tail"), ("seen", "series"), ("line", "tokens"), ("order", "displacement")]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_run_has_the_figures_of_its_page(result: Result, name: str, kind: str) -> None:
    figures = Reader(run_report(result)).json("figures")
    assert page_figure(result, name, kind=kind) in json.loads(json.dumps(figures))
    assert traces(result.figure(name, kind)) in [themed(one["data"]) for one in figures]


def test_a_place_over_time_is_the_line_of_the_page(result: Result) -> None:
    (line,) = traces(result.figure("line", "history"))
    drawn = [trace for one in Reader(run_report(result)).json("figures") for trace in one["data"]]
    (same,) = (one for one in drawn if one.get("name") == "line")
    assert (line["x"], line["y"]) == (same["x"], same["y"])


def test_without_a_kind_the_first_one_is_drawn(result: Result) -> None:
    assert result.figure("wait") == result.figure("wait", "density")
    assert result.figure("line") == result.figure("line", "tokens")
    assert result.figure("order") == result.figure("order", "extent")


def test_a_sweep_has_the_curves_of_its_page(outcome: Outcome) -> None:
    drawn = [themed(one["data"]) for one in Reader(sweep_report(outcome)).json("figures")]
    assert traces(outcome.figure("stay")) in drawn
    assert traces(outcome.figure(x="load", y="refused")) in drawn
    names = [line.get("name") for line in traces(outcome.figure("stay", x="seats"))]
    assert names[:3] == ["load 0.5", "load 0.8", "load 0.9"]


def test_a_solution_has_bars_with_the_bounds_of_their_errors(solution: Solution) -> None:
    (bars,) = traces(solution.figure("utilisation"))
    assert bars["x"] == ["source", "seat", "server"]
    assert bars["y"][2] == pytest.approx(100.0 * solution.exact("server.utilisation").value, rel=1e-6)
    (two,) = traces(solution.figure("refused", "served"))
    assert two["y"] == pytest.approx([solution.exact(name).value for name in two["x"]], rel=1e-6)
    assert len(two["error_y"]["array"]) == 2


def test_colours_of_the_page_have_values(result: Result, outcome: Outcome) -> None:
    for shown in (result.figure("wait"), outcome.figure("stay")):
        assert '"@' not in shown.to_json(engine="json")


def test_wrong_names_of_a_run(result: Result) -> None:
    with pytest.raises(petri.UnknownName, match=r"there is no measure or place `wiat`(.|\n)*did you mean `wait`"):
        result.figure("wiat")
    with pytest.raises(petri.UnknownName, match="`serve` is a transition"):
        result.figure("serve")
    with pytest.raises(petri.UnknownName, match=r"did you mean `tail`(.|\n)*there are `density` and `tail`"):
        result.figure("wait", "tial")
    with pytest.raises(ValueError, match="`rate_` is one number"):
        result.figure("rate_")
    with pytest.raises(ValueError, match=r"run\(occupancy=True\)"):
        petri.loads(QUEUE).run(until="2 ms", replications=1).figure("line", "tokens")


def test_wrong_names_of_a_sweep(outcome: Outcome) -> None:
    with pytest.raises(petri.UnknownName, match="did you mean `stay`"):
        outcome.figure("saty")
    with pytest.raises(petri.UnknownName, match="`load` is a parameter"):
        outcome.figure("load")
    with pytest.raises(petri.UnknownName, match=r"there is no parameter `laod`(.|\n)*did you mean `load`"):
        outcome.figure("stay", x="laod")


def test_wrong_names_of_a_solution(solution: Solution) -> None:
    with pytest.raises(petri.UnknownName, match="did you mean `utilisation`"):
        solution.figure("utlisation")
    with pytest.raises(ValueError, match="`stay` and `idle` have different units"):
        solution.figure("stay", "idle")
    with pytest.raises(ValueError, match="nothing to draw"):
        solution.figure()


def test_one_point_needs_the_parameter(tmp_path: Path) -> None:
    outcome = Experiment(net="mm1", grid={"load": [0.5]}, replications=2, until="2000").run(tmp_path / "one.db")
    with pytest.raises(ValueError, match="no parameter differs"):
        outcome.figure("customers")
    assert traces(outcome.figure("customers", x="load"))[0]["x"] == [0.5]


def test_without_plotly_the_extra_is_named(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(ImportError, match=r"figures need plotly: pip install 'pnsim\[plots\]'"):
        result.figure("wait")
