"""Stores that were changed by others: each gives what it has, or one of few clear messages."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from petri.experiment import Experiment, sweep
from petri.experiment.errors import ExperimentError
from petri.experiment.procedure.rerun import of_store
from petri.experiment.results.outcome import stored_outcome
from petri.experiment.store.database import Store
from petri.experiment.store.reference import parse_reference
from petri.report.html import sweep_report
from tests.experiment.nets import write_net
from tests.sampling import one_in

TURNS = 30  # of each random test with one seed


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    experiment = Experiment(net=write_net(folder), points=[{"load": 0.3}, {"load": 0.6}], replications=2, until=40.0)
    sweep(experiment, folder / "kept.db", workers=1)
    with sqlite3.connect(folder / "kept.db") as connection:
        connection.execute("PRAGMA journal_mode = DELETE")  # all of it is in one file
    return folder / "kept.db"


def used(path: Path) -> str:
    """Return what commands make of a store: "ok", or the message's id."""
    try:
        reference = parse_reference(str(path))
        if not reference.is_store:
            return "not-a-store"
        with Store.open(path) as store:
            outcome = stored_outcome(store)
        sweep_report(outcome)
        outcome.to_dict()
        outcome.table()
        of_store(reference, "reference")
    except ExperimentError as error:
        return error.diagnostic.id
    return "ok"


def resumed(path: Path, net: Path) -> str:
    """Return what a sweep makes of it that wants more points and more replications."""
    points = [{"load": 0.3}, {"load": 0.6}, {"load": 0.7}]
    try:
        sweep(Experiment(net=net, points=points, replications=3, until=40.0), path, workers=1)
    except ExperimentError as error:
        return error.diagnostic.id
    return "ok"


KNOWN = {"ok", "not-a-store", "store-damaged", "store-version", "store-unwritable"}
OF_OTHERS = {"store-of-other-net", "store-of-other-experiment"}  # as which a sweep may take a store


@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_any_bytes_changed(whole: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(7 + seed)
    data = whole.read_bytes()
    found: Counter[str] = Counter()
    for turn in range(TURNS):
        changed = bytearray(data)
        # Half of the changes are in the header and the schema, where few bytes matter much.
        end = chance.choice((512, 4096, len(data)))
        for _ in range(chance.choice((1, 1, 4, 32))):
            changed[chance.randrange(16, end)] = chance.choice((0, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        if chance.random() < 0.2:
            del changed[chance.randrange(100, len(changed)) :]
        path = tmp_path / "changed.db"
        path.write_bytes(changed)
        found[used(path)] += 1
        if turn % 3 == 0:
            found[resumed(path, whole.parent / "queue.net")] += 1
        for beside in tmp_path.iterdir():
            beside.unlink()
    assert set(found) <= KNOWN | OF_OTHERS
    assert {"ok", "store-damaged"} <= set(found)


VALUES: tuple[Any, ...] = (
    None, -1, 0, 2**63 - 1, 1e999, -1.5, "", "x", "-1", "nan", b"\xff\xfe", b"", "[]", "{}", "[1]", '{"a": []}',
    "1e999", "null", '{"load": [1]}', '{"load": null}', "9" * 5000, "[" * 100_000, zlib.compress(b"{}"),
    zlib.compress(b'{"version": 1}'),
)  # fmt: skip


@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_any_value_in_any_column(whole: Path, tmp_path: Path, seed: int) -> None:
    """SQLite keeps a value of any type in any column."""
    chance = random.Random(8 + seed)
    with sqlite3.connect(whole) as connection:
        tables = {
            table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in ("meta", "points", "replications")
        }
    cells = [(table, column) for table, columns in tables.items() for column in columns]
    found: Counter[str] = Counter()
    for turn in range(TURNS):
        path = tmp_path / "changed.db"
        shutil.copy(whole, path)
        table, column = cells[(seed * TURNS + turn) % len(cells)]
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            try:
                connection.execute(f"UPDATE OR REPLACE {table} SET {column} = ?", (chance.choice(VALUES),))
            except sqlite3.Error:
                continue
        connection.close()
        found[used(path)] += 1
        if turn % 3 == 0:
            found[resumed(path, whole.parent / "queue.net")] += 1
    assert set(found) <= KNOWN | OF_OTHERS
    assert {"ok", "store-damaged"} <= set(found)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("UPDATE points SET seed = ?", "-1"),
        ("UPDATE points SET seed = ?", str(2**64)),
        ("UPDATE replications SET measures = ?", '{"customers": "many"}'),
        ("UPDATE replications SET replication = ? WHERE replication = 0", "first"),
        ("UPDATE replications SET hash = ?", "no number"),
        ("UPDATE replications SET ended = ?", "well"),
        ("UPDATE points SET until = ?", "late"),
        ("UPDATE points SET warmup = ?", 1e999),
        ("UPDATE points SET warmup = ?", 41.0),
        ("UPDATE points SET net = ?", zlib.compress(b"[]")),
        ("UPDATE meta SET value = ? WHERE name = 'about'", '{"expected": 5}'),
        ("UPDATE meta SET value = CAST(? AS TEXT) WHERE name = 'identity'", b"\xff\xfe"),
    ],
)
def test_wrong_values_are_damage(whole: Path, tmp_path: Path, statement: str, value: Any) -> None:
    path = tmp_path / "changed.db"
    shutil.copy(whole, path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement, (value,))
    assert used(path) == "store-damaged"


@pytest.mark.parametrize("does", ["IGNORE", "ABORT, 'UNIQUE constraint failed'"])
def test_a_store_that_keeps_nothing(whole: Path, tmp_path: Path, does: str) -> None:
    """As the index of a damaged one may say that a replication is there which no query finds."""
    path = tmp_path / "changed.db"
    shutil.copy(whole, path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TRIGGER none BEFORE INSERT ON replications BEGIN SELECT RAISE({does}); END")
    assert resumed(path, whole.parent / "queue.net") == "store-damaged"


def test_another_net_of_the_same_experiment(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.db"
    shutil.copy(whole, path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE points SET net_hash = 'another'")
    experiment = Experiment(
        net=whole.parent / "queue.net", points=[{"load": 0.3}, {"load": 0.6}], replications=2, until=40.0
    )
    with pytest.raises(ExperimentError) as error:
        sweep(experiment, path, workers=1)
    assert error.value.diagnostic.id == "store-of-other-net"
    assert "`queue` has changed since" in error.value.diagnostic.message


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_store_in_a_folder_that_cannot_be_written(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: str
) -> None:
    """Nothing is written beside it, not even for a moment: as for root, who may write everywhere, that shows it."""
    path = tmp_path / "kept.db"
    shutil.copy(whole, path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.close()
    before = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)
    tmp_path.chmod(0o555)
    try:
        with Store.open(path) as store:
            assert json.dumps(stored_outcome(store).to_dict())
            assert [entry.name for entry in tmp_path.iterdir()] == ["kept.db"]
        assert used(path) == "ok"
    finally:
        tmp_path.chmod(0o755)
    assert path.read_bytes() == before
