"""What comes out of an experiment: figures, expected values, tables in every format."""

from __future__ import annotations

import csv
import json
import math
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from petri import language
from petri.experiment import Expected, Experiment, ExperimentError, Outcome, Store, Tolerance, export, stored_outcome
from petri.experiment.results.tables import titled_columns
from petri.measure.figures import default_names, figures
from petri.measure.formula import evaluate
from petri.model import Model
from petri.net import Net
from petri.result.units import unit_of
from tests.engines import FASTEST
from tests.experiment.nets import TIMED, write_net


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("outcome")
    points = [{"gap": "10 ns"}, {"gap": "20 ns"}]
    expected = [
        Expected("goodput", "51.2 Gbps", Tolerance(0.1), {"gap": "10 ns"}, "by hand"),
        Expected("goodput", "51.2 Gbps", Tolerance(0.1), {"gap": "20 ns"}),
        Expected("delay.p99", 495.0, Tolerance(60.0, relative=False), {"gap": "10 ns"}),
        Expected("wire.mean", 0.0, Tolerance(1.0, relative=False), {"gap": "20 ns"}),
    ]
    names = ["goodput", "delay", "delay.p99", "wire.mean", "send.active"]
    experiment = Experiment(
        net=write_net(folder, TIMED, "timed.net"), points=points, replications=5, measures=names, expected=expected
    )
    return experiment.run(folder / "s.db", engine=FASTEST, workers=1)


@pytest.fixture
def outcome(once: Outcome, tmp_path: Path) -> Outcome:
    """With a store of its own."""
    return replace(once, store=Path(shutil.copy(once.store, tmp_path / "s.db")))


def test_figures_by_name() -> None:
    net = language.loads(TIMED)
    assert default_names(net) == ["rate", "goodput", "delay", "delay.p99"]
    result = Model(net).run(engine="reference", replications=1)
    seen = result.replications[0].window
    found = {one.name: one.value(seen) for one in figures(net, ["rate", "delay.count", "delay.p99", "wire.arrivals"])}
    assert found["rate"] == evaluate(net.measures[0].formula, seen)
    assert found["delay.count"] == result.transitions.firings.value[1]
    assert found["delay.p99"] == result.measure("delay").recorded["p99"].mean
    assert found["wire.arrivals"] == result.places.arrivals.value[1]
    assert {one.name: one.dimension for one in figures(net)} == {
        "rate": "Freq",
        "goodput": "Rate",
        "delay": "Time",
        "delay.p99": "Time",
    }


def test_a_net_without_measures_gives_places_and_transitions() -> None:
    net = language.loads("net n\nplace a = token\ntransition go: a -> a takes 1\n")
    assert default_names(net) == ["a.mean", "go.rate"]


def test_expected_values_are_judged_in_their_units(outcome: Outcome) -> None:
    found = [[one.verdict.passed for one in point.checked] for point in outcome.points]
    assert found == [[True, True], [False, True]]
    assert outcome.points[0].checked[0].value == pytest.approx(6.4)  # bytes per ns
    assert not outcome.passed


@pytest.mark.parametrize(
    ("measure", "value", "identifier"),
    [
        ("goodput", "3 ns", "unit-of-measure"),
        ("goodput", "fast", "not-a-quantity"),
        ("goodput", "3 parsec", "unit-of-measure"),
        ("speed", "3 Gbps", "expected-of-unkept"),
        ("wire.mean", "3 ns", "unit-of-measure"),
    ],
)
def test_expected_values_that_make_no_sense(tmp_path: Path, measure: str, value: str, identifier: str) -> None:
    experiment = Experiment(
        net=write_net(tmp_path, TIMED), measures=["goodput", "wire.mean"], expected=[Expected(measure, value)]
    )
    with pytest.raises(ExperimentError) as caught:
        experiment.prepare()
    assert caught.value.diagnostic.id == identifier
    assert str(caught.value)


def test_a_store_tells_the_same_without_the_net(outcome: Outcome) -> None:
    with Store.open(outcome.store) as store:
        again = stored_outcome(store)
    assert [point.intervals for point in again.points] == [point.intervals for point in outcome.points]
    assert [one.dimension for one in again.figures] == [one.dimension for one in outcome.figures]
    assert again.net.places == outcome.net.places
    assert json.dumps(again.to_dict(), allow_nan=False)


def test_csv_has_every_digit(outcome: Outcome, tmp_path: Path) -> None:
    export(outcome, tmp_path / "o.csv")
    with (tmp_path / "o.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10
    assert [row["gap"] for row in rows] == ["10 ns"] * 5 + ["20 ns"] * 5
    values = [row.measures["goodput"] for point in outcome.points for row in point.rows]
    assert [float(row["goodput [B/ns]"]) for row in rows] == values
    assert rows[3]["hash"] == f"{outcome.points[0].rows[3].hash:016x}"


def test_parquet(outcome: Outcome, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    export(outcome, tmp_path / "o.parquet")
    table = parquet.read_table(tmp_path / "o.parquet")
    assert table.column("goodput").to_pylist() == [r.measures["goodput"] for p in outcome.points for r in p.rows]
    assert table.schema.field("goodput").metadata == {b"unit": b"B/ns"}
    assert table.schema.field("delay").metadata == {b"unit": b"ns"}
    assert table.schema.field("hash").metadata is None
    assert table.schema.metadata[b"pnsim.dimension.goodput"] == b"Rate"
    assert table.schema.metadata[b"pnsim.seed"] == b"1"


def test_pandas(outcome: Outcome) -> None:
    pytest.importorskip("pandas")
    frame = outcome.to_pandas()
    assert frame.attrs["units"] == {
        "goodput": "B/ns", "delay": "ns", "delay.p99": "ns", "time": "ns", "seconds": "s",
    }  # fmt: skip
    means = frame.groupby("gap")["goodput"].mean()
    assert means["20 ns"] == pytest.approx(outcome.point(gap="20 ns").interval("goodput").mean)


def test_polars(outcome: Outcome) -> None:
    pytest.importorskip("polars")
    frame = outcome.to_polars()
    assert frame.shape == outcome.to_pandas().shape
    assert {"goodput [B/ns]", "delay [ns]", "time [ns]", "send.active"} <= set(frame.columns)


def test_xarray(outcome: Outcome) -> None:
    pytest.importorskip("xarray")
    data = outcome.to_xarray()
    assert dict(data.sizes) == {"gap": 2, "replication": 5}
    assert float(data["delay"].sel(gap="20 ns", replication=3)) == outcome.points[1].rows[3].measures["delay"]
    assert data["goodput"].attrs == {"dimension": "Rate", "units": "B/ns"}
    assert "units" not in data["wire.mean"].attrs


def test_the_unit_of_a_parameter_is_told_where_its_values_are_numbers(tmp_path: Path) -> None:
    net = write_net(tmp_path, TIMED)
    outcome = Experiment(net=net, grid={"gap": [10.0, 20.0]}, replications=1).run(tmp_path / "u.db")
    assert next(iter(titled_columns(outcome))) == "gap [ns]"
    pytest.importorskip("xarray")
    assert outcome.to_xarray()["gap"].attrs == {"units": "ns"}


def test_the_tables_of_a_run_have_units() -> None:
    result = Model(language.loads(TIMED)).run(replications=2)
    for package in ("pandas", "polars", "xarray"):
        pytest.importorskip(package)
    frames = result.to_pandas()
    assert dict(frames["measures"]["unit"]) == {"rate": "1/ns", "goodput": "B/ns", "delay": "ns"}
    assert frames["places"].attrs["units"]["sojourn"] == frames["places"].attrs["units"]["sojourn_half_width"] == "ns"
    assert "rate [1/ns]" in result.to_polars()["transitions"].columns
    data = result.to_xarray()
    assert data["measure.goodput"].attrs == {"units": "B/ns"}
    assert float(data["transition.firings"].sel(transition="send")) == frames["transitions"]["firings"]["send"]


@pytest.mark.parametrize(
    ("dimension", "timed", "untimed"),
    [("Time", "us", ""), ("Bytes", "B", "B"), ("Rate", "B/us", "B per time unit"), ("Freq", "1/us", ""),
     ("events", "1/us", ""), ("share", "", ""), ("", "", "")],
)  # fmt: skip
def test_units_of_dimensions(dimension: str, timed: str, untimed: str) -> None:
    assert unit_of(Net("n", time_unit="us", seconds=1e-6), dimension) == timed
    assert unit_of(Net("n"), dimension) == untimed


def test_another_format_is_refused(outcome: Outcome, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        export(outcome, tmp_path / "o.xlsx")
    assert caught.value.diagnostic.id == "export-suffix"
    with pytest.raises(ExperimentError) as caught:
        export(outcome, tmp_path / "nowhere" / "o.csv")
    assert caught.value.diagnostic.id == "export-unwritable"


def test_points_are_found_by_their_parameters(outcome: Outcome) -> None:
    assert outcome.point(gap="10 ns").label == "gap=10 ns"
    with pytest.raises(KeyError):
        outcome.point(gap="30 ns")
    assert math.isnan(outcome.points[0].values("goodput").get(9, math.nan))


def test_a_store_tells_what_was_expected(outcome: Outcome) -> None:
    with Store.open(outcome.store) as store:
        again = stored_outcome(store)
    assert [point.checked for point in again.points] == [point.checked for point in outcome.points]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE points SET net = x'00'",
        "UPDATE points SET parameters = '[' WHERE point = 1",
        "UPDATE replications SET measures = 'x'",
        "UPDATE meta SET value = '[1, 2]' WHERE name = 'identity'",
        "DELETE FROM meta",
        "DROP TABLE replications",
    ],
)
def test_a_damaged_store_is_told(outcome: Outcome, damage: str) -> None:
    connection = sqlite3.connect(outcome.store)
    with connection:
        connection.execute(damage)
    connection.close()
    with pytest.raises(ExperimentError) as caught, Store.open(outcome.store) as store:
        stored_outcome(store)
    assert caught.value.diagnostic.id in ("store-damaged", "store-unwritable")
