"""What a person sees who asks a result for a figure: clear errors, short lines, true extremes."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

import petri
from petri.experiment import Experiment, sweep
from petri.language import checks
from petri.report.terminal.summary import print_summary
from tests.engines import FASTEST

TEXT = """
net many
place queue
place source = token
place server = token
transition come: source -> source, queue  takes exp(1)
transition serve: queue, server -> server  takes exp(0.8)
measure length = mean(queue)
measure passed = rate(serve)  record series(2)
measure gap = time(serve -> serve)  record mean, p99
run until 400 replications 2 seed 4
"""


@pytest.fixture(scope="module")
def result() -> petri.Result:
    return petri.loads(TEXT).run(engine=FASTEST)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lenght", "did you mean `length`?"),
        ("queue", "`queue` is a place"),
        ("serve", "`serve` is a transition"),
        ("L", "there are `length`, `passed` and `gap`"),
    ],
)
def test_an_unknown_measure_is_answered_with_the_nearest_names(result: petri.Result, name: str, said: str) -> None:
    with pytest.raises(petri.UnknownName) as error:
        result.measure(name)
    assert f"there is no measure `{name}` in this result" in str(error.value)
    assert said in str(error.value)
    assert isinstance(error.value, KeyError)


def test_an_unknown_place_is_answered_too(result: petri.Result) -> None:
    with pytest.raises(petri.UnknownName, match="did you mean `queue`"):
        result.occupancy("qeue")


def test_what_is_no_name_is_unknown_too(result: petri.Result) -> None:
    with pytest.raises(petri.UnknownName, match="there is no measure `3` in this result"):
        result.measure(3)  # type: ignore[arg-type]


def test_a_measure_prints_as_one_short_line(result: petri.Result) -> None:
    assert re.fullmatch(r"MeasureResult length: [\d.]+ ± [\d.]+, n = 2", str(result.measure("length")))
    assert re.fullmatch(r"MeasureResult gap: [\d.]+ ± [\d.]+, p99 [\d.]+, n = 2", repr(result.measure("gap")))


def test_the_summary_shows_the_extremes_of_all_windows(result: petri.Result) -> None:
    series = result.measure("passed").series
    assert series is not None
    values = [float(value) for one in series.values() for value in one]
    assert len(values) == 400, "more windows than the picture has columns"
    out = io.StringIO()
    print_summary(result, Console(file=out, width=120), seconds=1.0)
    (line,) = [line for line in out.getvalue().splitlines() if line.split()[:1] == ["series"]]
    low, high = line.split()[-3], line.split()[-1]
    assert (float(low), float(high)) == (min(values), max(values))


def test_an_enumeration_of_a_parameter_is_used() -> None:
    found = checks(
        "net e\ntype Mode = slow | fast\nparam mode = slow\nplace a = token\n"
        "transition t: a -> a  takes if mode == fast then 1 else 2\nmeasure m = rate(t)\nrun until 10\n"
    )
    assert [one.id for one in found] == []


SERIES = TEXT + "expect passed.series.max < 2.6\nmeasure spread = passed.series.max - passed.series.p50\n"


def test_the_windows_of_a_series_can_be_measured(tmp_path: Path) -> None:
    result = petri.loads(SERIES).run(engine=FASTEST)
    series = result.measure("passed").series
    assert series is not None
    greatest = [max(values) for values in series.values()]
    (_, verdict) = result.measure("gap").verdicts[0] if result.measure("gap").verdicts else result.verdicts[0]
    assert verdict.value == max(greatest)
    medians = [sorted(values)[len(values) // 2 - 1] for values in series.values()]
    means = [high - middle for high, middle in zip(greatest, medians, strict=True)]
    assert result.measure("spread").value == pytest.approx(sum(means) / len(means))
    net = tmp_path / "series.net"
    net.write_text(SERIES)
    names = ["passed.series.max", "passed.series.p99.9"]
    outcome = sweep(Experiment(net=str(net), measures=names), tmp_path / "s.db", engine=FASTEST)
    assert outcome.points[0].intervals["passed.series.max"].mean == max(greatest)
    assert outcome.points[0].intervals["passed.series.p99.9"].n == 2


def test_a_percentile_with_a_point_can_be_recorded() -> None:
    result = petri.loads(TEXT.replace("record mean, p99", "record mean, p99.9")).run(engine=FASTEST)
    first = result.to_dict()["replications"][0]["measures"]
    assert first["gap.p99.9"] > first["gap"]
