"""Comparing two results or points, and repeating what they tell of."""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from petri import language
from petri.engine.native import available
from petri.experiment import Experiment, ExperimentError, compare
from petri.experiment.procedure.rerun import recorded, repeat
from petri.model import Model, load
from tests.engines import FASTEST
from tests.experiment.nets import FAILING, QUEUE, TIMED, write_net


def written(path: Path, model: Model, **options: Any) -> str:
    options = {"seed": 3, "replications": 6, "engine": FASTEST, **options}
    path.write_text(json.dumps(model.run(**options).to_dict()), encoding="utf-8")
    return str(path)


def queue(load_: float) -> Model:
    return Model(language.loads(QUEUE, {"load": load_}))


def store_of(folder: Path) -> Path:
    points = [{"load": 0.4}, {"load": 0.5}, {"load": 0.5, "servers": 2}]
    experiment = Experiment(net=write_net(folder), points=points, replications=6, seed=3)
    experiment.run(folder / "s.db", engine=FASTEST, workers=1)
    return folder / "s.db"


def test_results_and_points_of_equal_seed_are_paired(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a.json", queue(0.4)), written(tmp_path / "b.json", queue(0.5))
    other = written(tmp_path / "c.json", queue(0.5), seed=4)
    found = compare(a, b).differences["customers"]
    assert found.paired
    values = [
        [r["measures"]["customers"] for r in json.loads(Path(path).read_text(encoding="utf-8"))["replications"]]
        for path in (a, b)
    ]
    differences = [y - x for x, y in zip(*values, strict=True)]
    assert found.interval.mean == pytest.approx(sum(differences) / 6)
    assert found.interval.n == 6
    loose = compare(a, other).differences["customers"]
    assert not loose.paired
    assert loose.interval.half_width > found.interval.half_width
    store = store_of(tmp_path)
    same = compare(f"{store}:load=0.4", f"{store}:load=0.5,servers=2").differences["customers"]
    assert same.paired
    mixed = compare(a, f"{store}:load=0.4", ["busy"])
    assert list(mixed.differences) == ["busy"]
    assert mixed.differences["busy"].interval.mean == 0.0


def test_streams_per_transition_keep_runs_alike(tmp_path: Path) -> None:
    points, net = [{"load": 0.4}, {"load": 0.5}], write_net(tmp_path)
    found = {}
    for streams in ("common", "per-transition"):
        store = tmp_path / f"{streams}.db"
        Experiment(net=net, points=points, replications=30, seed=3, streams=streams).run(
            store, engine=FASTEST, workers=1
        )
        found[streams] = compare(f"{store}:load=0.4", f"{store}:load=0.5").differences["customers"]
        assert all(repeat(one).same for one in recorded(f"{store}:load=0.4", [0, 1]))
    one, other = found.values()
    assert other.interval.half_width < one.interval.half_width / 1.5
    assert other.gain > 2.0 > one.gain


def test_levels_differ(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a.json", queue(0.4)), written(tmp_path / "b.json", queue(0.5))
    narrow, wide = compare(a, b, level=0.5), compare(a, b, level=0.99)
    assert narrow.differences["busy"].interval.half_width < wide.differences["busy"].interval.half_width


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    a = written(tmp_path / "a.json", queue(0.4))
    timed = written(tmp_path / "t.json", Model(language.loads(TIMED)))
    (tmp_path / "text.json").write_text("hello", encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    cases: list[tuple[tuple[Any, ...], str]] = [
        ((str(store), a), "several-points"),
        ((f"{store}:load=0.9", a), "no-such-point"),
        ((f"{store}:load=0.5", a), "several-points"),
        ((a, timed), "nothing-to-compare"),
        ((a, a, ["customer"]), "no-such-measure"),
        ((a, str(tmp_path / "missing.json")), "not-a-result"),
        ((a, str(tmp_path / "text.json")), "not-a-result"),
        ((a, str(tmp_path / "other.json")), "not-a-result"),
    ]
    for arguments, identifier in cases:
        with pytest.raises(ExperimentError) as caught:
            compare(*arguments)
        assert caught.value.diagnostic.id == identifier
        assert str(caught.value)


def test_every_replication_of_a_store_can_be_repeated(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    (tmp_path / "queue.net").unlink()  # the store has the flat nets
    found = recorded(str(store), engine=FASTEST)
    assert len(found) == 18
    assert all(repeat(one).same for one in found)
    (one,) = recorded(f"{store}:load=0.4", [2], engine=FASTEST)
    assert (one.point, one.index) == ("load=0.4", 2)
    connection = sqlite3.connect(store)
    with connection:
        connection.execute("UPDATE replications SET hash = '00000000000000ff' WHERE point = 1 AND replication = 2")
    connection.close()
    assert not repeat(recorded(f"{store}:load=0.4", [2], engine=FASTEST)[0]).same


@pytest.mark.parametrize("text", [QUEUE, TIMED, FAILING], ids=["queue", "timed", "failing"])
def test_a_result_can_be_repeated(tmp_path: Path, text: str) -> None:
    net = write_net(tmp_path, text, "n.net")
    changed = {"load": 0.7} if text is QUEUE else {"gap": "12.5 ns"} if text is TIMED else {"bad": 1}
    model = load(net, **changed)
    result = written(tmp_path / "r.json", model, replications=3)
    found = recorded(result, engine=FASTEST, net=net)
    assert len(found) == 3
    assert all(repeat(one).same for one in found)
    if text is FAILING:
        assert {one.ended for one in found} == {"error"}
    with pytest.raises(ExperimentError) as caught:
        recorded(result, [3], net=net)
    assert caught.value.diagnostic.id == "no-such-replication"
    net.write_text(text.replace("takes exp(", "takes 2 * exp("), encoding="utf-8")
    with pytest.raises(ExperimentError) as caught:
        recorded(result, net=net)
    assert caught.value.diagnostic.id == "rerun-net-differs"
    with pytest.raises(ExperimentError) as caught:
        recorded(result)
    assert caught.value.diagnostic.id == "rerun-net"


def test_a_result_that_was_cut_short_is_followed_as_far_as_it_went(tmp_path: Path) -> None:
    net = write_net(tmp_path)
    result = written(tmp_path / "r.json", load(net), replications=2, max_firings=37)
    assert all(repeat(one).same and one.firings == 37 for one in recorded(result, engine=FASTEST, net=net))


@pytest.mark.skipif(not available(), reason="the native engine refuses the net")
def test_a_net_that_was_changed_in_the_store_is_refused(tmp_path: Path) -> None:
    path = store_of(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        net = json.loads(zlib.decompress(connection.execute("SELECT net FROM points").fetchone()[0]))
        net["places"][0]["capacity"] = -1
        connection.execute("UPDATE points SET net = ?", (zlib.compress(json.dumps(net).encode()),))
    with pytest.raises(ExperimentError) as caught:
        repeat(recorded(str(path), engine="native")[0])
    assert caught.value.diagnostic.id == "net-refused"
    assert caught.value.diagnostic.values["reason"] == "place `source` has a negative capacity"


def test_without_data_there_is_no_difference(tmp_path: Path) -> None:
    text = QUEUE.replace("measure busy", "measure never = sojourn(idle) / count(serve, 0)\nmeasure busy")
    model = Model(language.loads(text))
    a, b = written(tmp_path / "a.json", model), written(tmp_path / "b.json", model, seed=4)
    found = compare(a, b)
    assert math.isnan(found.differences["never"].interval.mean)
    assert not found.differences["never"].certain
    assert json.dumps(found.to_dict(), allow_nan=False)
