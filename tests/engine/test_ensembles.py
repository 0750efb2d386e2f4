"""Replications that the native engine runs in one call are those that a driver runs one by one."""

from __future__ import annotations

import threading
import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import petri
from petri.engine.native import available
from petri.engine.seeds import many_seed_words, seed_words
from petri.measure.windows import Windows
from petri.run import replications
from petri.run.ensemble import Ensemble
from petri.run.replications import Parts, replicate

pytestmark = pytest.mark.skipif(not available(), reason="the native engine is not built")

NETS = {
    "probes": """
        place source = token
        place queue fifo
        transition arrive: source -> source, queue takes exp(1)
        transition serve: queue -> nothing  takes exp(0.8)
        measure wait = time(arrive -> serve)
        measure shown = share(tokens(queue) > 2)
        measure served = count(serve)
        run until 60 warmup 7
        """,
    "dies": "place p = 90 * token\ntransition t: p -> nothing  takes exp(1)\nrun until 300 warmup 5",
    "dies in its warm-up": "place p = 2 * token\ntransition t: p -> nothing  takes exp(1)\nrun until 300 warmup 250",
    "until dead": "place p = 200 * token\ntransition t: p -> nothing  takes exp(1)\nrun until dead",
    "colours": """
        place p : {x: int, y: real} = {x: 1, y: 0.5}, {x: 2, y: 1.5}
        transition t: p({x: a, y: b}) -> p({x: a + 1, y: b}) takes exp(b)
        run until 9
        """,
    "windows": """
        place queue = 3 * token
        transition t: queue -> queue  takes exp(1)
        transition u: queue -> nothing  takes exp(20)
        measure held = mean(queue)  record series(0.7)
        measure sent = rate(t)  record series(1.3)
        measure lasts = time(u -> u)  record series(5)
        run until 30 warmup 0.9
        """,
    "windows of a dead net": """
        place p = 2 * token
        transition t: p -> nothing  takes exp(1)
        measure held = mean(p)  record series(3)
        run until 30
        """,
    "until a count": """
        place p = 3 * token
        transition t: p -> p  takes exp(1)
        transition u: p -> p  takes exp(2)
        measure held = mean(p)  record series(3)
        run until count(t) >= 50 warmup 2
        """,
    "until a mean": """
        place p
        place q = token
        transition t: q -> q, p  takes exp(1)
        run until mean(p) > 30
        """,
    "dies before its condition": """
        place p = 9 * token
        transition t: p -> nothing  takes exp(1)
        run until count(t) >= 50
        """,
    "trials": """
        place p = 9 * token
        transition t: p -> nothing  takes exp(1)
        measure early = probability(tokens(p) == 0 within 2)
        run until 5
        """,
    "stream": """
        place rows : int = stream("rows.csv")
        place kept : int
        transition t: rows(x) -> kept(x) takes exp(1)
        measure taken = count(t)  record series(20)
        run until 200
        """,
    "wrong stream": """
        place rows : int = stream("wrong.csv")
        transition t: rows(x) -> nothing takes exp(1)
        run until 200
        """,
    "fails": "place p : int = 0\ntransition t: p(x) -> p(x + 1) takes exp(1 - x / 7)\nrun until 100",
}


def told(found: Ensemble) -> list[Any]:
    """Return all of each replication but the time that it took."""
    names = ("index", "ended", "time", "firings", "hash", "warm", "drew", "fault", "series", "files")
    each = []
    for one in found:
        numbers = [getattr(one, name) for name in names]
        each.append([*numbers, str(one.died), list(one.marking), shown(Windows.of([one.window])), shown(one.batches)])
        each[-1] += [None if one.levels is None else one.levels.tolist(), one.window.chances]
    return each


def shown(windows: Windows) -> list[Any]:
    rows = [windows.rows[name].tolist() for name in sorted(windows.rows)]
    return [windows.elapsed.tolist(), rows, [str(windows.snapshots(index)) for index in range(len(windows.probes))]]


@pytest.mark.parametrize(
    ("tick", "options"),
    [(0.0, {}), (0.02, {}), (0.02, {"max_firings": 40}), (0.02, {"occupancy": True, "max_firings": 6000})],
)
@pytest.mark.parametrize("kind", NETS)
def test_together_is_as_one_by_one(
    kind: str, tick: float, options: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """tick: by how much the clock goes on at each look, so that those that have ended are taken after some pauses."""
    (tmp_path / "rows.csv").write_text("value\n" + "".join(f"{row}\n" for row in range(99)))
    (tmp_path / "wrong.csv").write_text("value\n" + "".join(f"{row}\n" for row in range(99)) + "x\n")
    (tmp_path / "of.net").write_text(NETS[kind])
    model = petri.load(tmp_path / "of.net")
    plan, _ = model.plan(engine="native", **options)
    monkeypatch.setattr("petri.run.together.time", SimpleNamespace(perf_counter=count(0.0, tick).__next__))
    together, _ = replicate(model.net, plan, range(3, 24), batches=4, threads=2)
    monkeypatch.setattr(replications, "runs_together", lambda *_: False)
    apart, _ = replicate(model.net, plan, range(3, 24), batches=4, threads=2)
    assert told(together) == told(apart)


def test_some_of_an_ensemble() -> None:
    model = petri.loads(NETS["fails"])
    every = model.run(replications=9, occupancy=True).replications
    rows = np.array([7, 2, 3])
    assert told(every.take(rows)) == [told(every)[row] for row in rows]
    assert told(Ensemble.joined([every[:4], every[4:4], every[4:]])) == told(every)
    assert told(every[2:5]) == told(every)[2:5]


def test_the_words_of_many_replications_are_those_of_each() -> None:
    numbers = [0, 1, 7, 99_999, 2**31]
    for seed in (0, 1, 2**32 - 1, 2**32, 2**127 + 5, 2**128, 2**200 + 3):
        assert many_seed_words(seed, numbers).tolist() == [list(seed_words(seed, number)) for number in numbers]


def test_parts_are_as_long_as_a_piece() -> None:
    parts = Parts(range(1000), 2, one_by_one=False)
    assert parts.next() == range(1)
    parts.adapt(1, 0.001)
    assert parts.next() == range(1, 3)
    for size in (2, 4, 8, 16, 32, 64, 128, 256, 512):
        parts.adapt(size, 0.001)
    assert parts.next() == range(3, 253)  # not more than each of two threads can take twice
    parts.adapt(250, 10.0)
    assert len(parts.next()) == 125
    assert sum(len(part) for part in iter(parts.next, range(1000, 1000))) == 1000 - 378


def test_progress_is_told_while_replications_run_together() -> None:
    seen: list[tuple[int, float]] = []
    net = "place p = token\ntransition t: p -> p takes exp(1)\nrun until 40_000"
    result = petri.loads(net).run(
        replications=400, threads=1, progress=lambda one: seen.append((one.finished, one.share))
    )
    assert len(result.replications) == 400
    assert len({finished for finished, _ in seen}) > 1
    assert all(0.0 <= share <= 1.0 for _, share in seen)


def test_a_time_limit_ends_replications_that_run_together() -> None:
    net = "place p = token\ntransition t: p -> p takes exp(1)\nrun until 40_000"
    started = time.monotonic()
    result = petri.loads(net).run(replications=100_000, threads=2, time_limit=0.3)
    assert time.monotonic() - started < 5.0
    assert result.interrupted
    ran = result.replications
    assert 0 < len(ran) < 100_000
    assert {one.ended for one in ran} == {"until", "interrupted"}
    assert threading.active_count() == 1
