"""The best of the points of a sweep: only those that may be it are replicated on, also after the sweep was killed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from petri.diagnostics import LanguageError
from petri.experiment import Best, Experiment, ExperimentError, Outcome, Precision, Store, stored_outcome
from petri.report.html import sweep_report
from tests.cli.calling import caller
from tests.experiment.nets import write_net
from tests.sampling import one_in

# Waiting costs less with more servers, which cost more: the exact sums are least at 3 servers.
SHOP = """\
net shop
param servers = 1 in 1..64
place source = token
place line
place idle = servers * token
transition arrive: source -> source, line  takes exp(1)
transition serve:  line, idle -> idle      takes exp(1.6)
measure cost = mean(line) + 0.5 * servers
measure waiting = mean(line)
run until 300 warmup 30
"""
POINTS = [{"servers": number} for number in (2, 3, 4, 6, 9, 14)]
LEAST = Best("cost", greatest=False, within=0.2, relative=False)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    net = write_net(tmp_path_factory.mktemp("best"), SHOP, "shop.net")
    return Experiment(net=net, points=POINTS, best=LEAST, max_replications=400)


@pytest.fixture(scope="module")
def outcome(experiment: Experiment) -> Outcome:
    return experiment.run(Path(str(experiment.net)).with_suffix(".db"), workers=2)


def test_the_best_point(outcome: Outcome) -> None:
    assert outcome.best is not None
    assert outcome.best.point.parameters == {"servers": 3}
    assert (outcome.best.certain, outcome.best.others) == (True, ())
    counts = {point.parameters["servers"]: len(point.rows) for point in outcome.points}
    assert counts[14] == counts[9] == 10
    assert counts[3] == max(counts.values()) > 10
    assert outcome.to_dict()["best"] == {
        "figure": "cost", "greatest": False, "within": 0.2, "relative": False, "confidence": 0.95,
        "point": {"servers": 3}, "others": [], "certain": True,
    }  # fmt: skip
    assert "servers=3 has the least cost" in sweep_report(outcome)


def test_a_store_says_the_same(outcome: Outcome) -> None:
    with Store.open(outcome.store) as store:
        read = stored_outcome(store)
    assert read.best is not None
    assert outcome.best is not None
    assert read.best.to_dict() == outcome.best.to_dict()


@pytest.mark.parametrize("left", one_in(3, [25, 0, 70]))
def test_it_goes_on_where_it_was_killed(experiment: Experiment, outcome: Outcome, tmp_path: Path, left: int) -> None:
    """With any of the first rows: in the end the same rows are there."""
    path = tmp_path / "killed.db"
    with closing(sqlite3.connect(outcome.store)) as whole, closing(sqlite3.connect(path)) as copy:
        whole.backup(copy)
        copy.execute("DELETE FROM replications WHERE rowid > ?", (left,))
        copy.commit()
    again = experiment.run(path, workers=1)
    rows = [[(row.index, row.hash) for row in point.rows] for point in again.points]
    assert rows == [[(row.index, row.hash) for row in point.rows] for point in outcome.points]
    assert again.best is not None
    assert again.best.point.label == "servers=3"


def test_too_few_replications(experiment: Experiment, tmp_path: Path) -> None:
    few = replace(experiment, best=replace_best(within=0.001), max_replications=11)
    found = few.run(tmp_path / "few.db").best
    assert found is not None
    assert not found.certain
    assert found.others


def replace_best(**changed: object) -> Best:
    from petri.structs import replace as with_fields

    return with_fields(LEAST, **changed)


@pytest.mark.parametrize(
    ("changed", "identifier"),
    [
        ({"best": Best("nothing")}, "best-of-unkept"),
        ({"precision": Precision(0.1)}, "best-and-precision"),
        ({"points": [{"servers": 1}]}, "best-of-one"),
        ({"best": Best("cost", confidence=1.0)}, "search-confidence"),
        ({"best": Best("cost", within=-1.0)}, "within-form"),
    ],
)
def test_what_is_refused(experiment: Experiment, tmp_path: Path, changed: dict[str, object], identifier: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        replace(experiment, **changed).run(tmp_path / "x.db")  # type: ignore[arg-type]
    assert caught.value.diagnostic.id == identifier


def test_on_the_command_line(experiment: Experiment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("sweep", str(experiment.net), "--grid", "servers=2,3,14", "--store", str(tmp_path / "s.db"), "--quiet")
    ran = caller(capsys)(*options, "--least", "cost", "--within", "10%", "--confidence", "90%")
    text = "servers=3 has the least cost, or is within 10% of it, with a probability of at least 90%"
    assert text in " ".join(ran.out.split())
    for wrong, message in (
        (("--within", "1%"), "best-without-figure"),
        (("--least", "cost", "--greatest", "cost"), "best-twice"),
        (("--least", "cost", "--within", "some"), "within-form"),
    ):
        refused = caller(capsys)(*options, *wrong)
        assert refused.status == 2
        assert message in refused.err


def test_in_a_file(experiment: Experiment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shop.yaml"
    shutil.copy(str(experiment.net), tmp_path / "shop.net")
    path.write_text("net: shop.net\ngrid: {servers: 2..4}\nbest: {least: cost, within: 0.2}\n", "utf-8")
    assert Experiment.load(path).best == LEAST
    options = ("--store", str(tmp_path / "s.db"), "--quiet", "--within", "50%")
    assert "within 50% of it" in " ".join(caller(capsys)("sweep", str(path), *options).out.split())
    wrong = {
        "{least: cost, greatest: cost}": "best-twice",
        "{within: 1%}": "best-without-figure",
        "{least: cost, confidence: 2}": "search-confidence",
        "{}": "best-without-figure",
        "{least: nothing}": "unknown-figure",
        "{least: cost, within: -3}": "within-form",
        "{least: cost, sure: 95%}": "experiment-key",
        "cost": "experiment-kind",
    }
    for written, identifier in wrong.items():
        path.write_text(f"net: shop.net\ngrid: {{servers: 2..4}}\nbest: {written}\n", "utf-8")
        with pytest.raises(LanguageError) as caught:
            Experiment.load(path)
        assert [one.id for one in caught.value.diagnostics] == [identifier]


def test_a_damaged_choice_is_refused(outcome: Outcome, tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    with closing(sqlite3.connect(outcome.store)) as whole, closing(sqlite3.connect(path)) as copy:
        whole.backup(copy)
        about = json.loads(copy.execute("SELECT value FROM meta WHERE name = 'about'").fetchone()[0])
        copy.execute("UPDATE meta SET value = ? WHERE name = 'about'", (json.dumps(about | {"choice": {"best": 3}}),))
        copy.commit()
    with pytest.raises(ExperimentError) as caught:
        stored_outcome(Store.open(path))
    assert caught.value.diagnostic.id == "store-damaged"
