"""A maximum over several replications is the greatest of all, and every output shows the same number."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import petri
from petri.experiment import Experiment, sweep
from petri.experiment.errors import ExperimentError
from petri.experiment.results.comparison import compare
from petri.measure.sequential import Precision
from petri.report.telling.record import of_result
from petri.report.terminal.summary import print_summary
from petri.result.tables import table

TEXT = """
net many
place queue = 2 * token
place source = token
place server = token
transition come: source -> source, queue  takes exp(1)
transition serve: queue, server -> server  takes exp(0.8)
measure longest = max(queue)
measure bytes = 64 * max(queue)
measure spread = max(queue) - mean(queue)
measure gap = time(serve -> serve)  record max, min, mean
run until 200 replications 6 seed 4
"""


@pytest.fixture(scope="module")
def result() -> petri.Result:
    return petri.loads(TEXT).run()


@pytest.fixture(scope="module")
def greatest(result: petri.Result) -> float:
    each = [float(r.window.maximum[0]) for r in result.replications]
    assert len(set(each)) > 1, "the replications must differ, or the test says nothing"
    return max(each)


def test_python_json_and_frames_agree(result: petri.Result, greatest: float) -> None:
    assert result.measure("longest").value == greatest
    assert result.measure("bytes").value == 64 * greatest
    assert result.measure("longest").interval.statistic == "greatest"
    data = json.loads(json.dumps(result.to_dict()))
    assert data["measures"][0]["value"] == data["places"][0]["maximum"]["value"] == greatest
    assert data["measures"][0]["statistic"] == "greatest"
    gap = result.measure("gap")
    assert gap.histogram is not None
    assert gap.recorded["max"].mean == gap.histogram.figure("max") == data["measures"][3]["record"]["max"]["value"]
    assert gap.recorded["min"].mean == gap.histogram.figure("min")


def test_data_frames_agree(result: petri.Result, greatest: float) -> None:
    pytest.importorskip("pandas")
    frames = result.to_pandas()
    assert frames["places"].loc["queue", "maximum"] == greatest
    assert frames["measures"].loc["longest", "value"] == greatest


def test_the_terminal_and_the_page_agree(result: petri.Result, greatest: float) -> None:
    out = io.StringIO()
    print_summary(result, Console(file=out, width=120), seconds=1.0)
    rows = [line.split() for line in out.getvalue().splitlines()]
    assert [row[1] for row in rows if row[:1] == ["longest"]] == [f"{greatest:g}"]
    assert table(result, "places")[0].figures["maximum"].mean == greatest
    record = of_result(result)
    assert record.rows("places", True)[0].figures["maximum"].mean == greatest


def test_what_combines_a_maximum_with_something_else_is_a_mean(result: petri.Result) -> None:
    interval = result.measure("spread").interval
    assert (interval.statistic, interval.n) == ("mean", 6)
    assert interval.half_width > 0


def test_a_sweep_and_a_comparison_show_the_same(tmp_path: Path, result: petri.Result, greatest: float) -> None:
    net = tmp_path / "many.net"
    net.write_text(TEXT)
    names = ["longest", "queue.maximum", "gap.max"]
    outcome = sweep(Experiment(net=str(net), replications=6, measures=names), tmp_path / "s.db")
    point = outcome.points[0]
    assert point.intervals["longest"].mean == point.intervals["queue.maximum"].mean == greatest
    assert point.to_dict()["measures"]["longest"]["statistic"] == "greatest"
    assert point.intervals["gap.max"].mean == result.measure("gap").recorded["max"].mean
    found = compare(str(tmp_path / "s.db"), str(tmp_path / "s.db")).differences["longest"]
    assert (found.first.mean, found.second.mean, found.paired) == (greatest, greatest, False)


def test_maxima_of_results_in_json_are_compared_as_maxima(
    result: petri.Result, greatest: float, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(result.to_dict()))
    found = compare(str(path), str(path)).differences["longest"]
    assert (found.first.mean, found.second.mean, found.paired) == (greatest, greatest, False)


def test_a_precision_of_a_maximum_is_refused(tmp_path: Path) -> None:
    net = tmp_path / "many.net"
    net.write_text(TEXT)
    with pytest.raises(ExperimentError, match="greatest value of all replications"):
        sweep(Experiment(net=str(net), precision={"longest": Precision(0.1)}), tmp_path / "s.db")
