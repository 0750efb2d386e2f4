"""Replications for as long as they are wanted: those of a run, stopped at once, and shared between settings."""

from __future__ import annotations

import threading
import time

import pytest

import petri
from petri.live.answer import progress
from petri.live.refine import TOGETHER, Point, Refinement
from tests.live.tables import PATIENCE, source


def refined(point: Point, enough: int, threads: int = 2, others: tuple[Point, ...] = ()) -> Refinement:
    changed = threading.Event()
    refinement = Refinement(point, source("mm1").load, threads, changed.set)
    refinement.set_others([others], None)
    refinement.start()
    end = time.monotonic() + PATIENCE
    while len(point.ran) < enough and time.monotonic() < end:
        changed.wait(0.1)
        changed.clear()
    assert len(point.ran) >= enough
    return refinement


def point(load: str = "0.5") -> Point:
    return Point({"load": load}, *source("mm1").load({"load": load}))


def test_the_figures_are_those_of_a_run_with_as_many_replications() -> None:
    one = point()
    refinement = refined(one, 5)
    refinement.stop()
    refinement.wait()
    result = one.result()
    assert result is not None
    whole = petri.load("mm1", load="0.5").run(replications=len(result.replications))
    assert result.hash == whole.hash
    assert [(m.value, m.interval.half_width) for m in result.measures] == [
        (m.value, m.interval.half_width) for m in whole.measures
    ]


def test_a_long_run_stops_at_once() -> None:
    model = petri.load("mm1")
    one = Point({}, model, model.plan(until=1e12)[0])
    changed = threading.Event()
    refinement = Refinement(one, source("mm1").load, 2, changed.set)
    refinement.start()
    assert changed.wait(PATIENCE)  # the first glance
    assert one.glance is not None
    started = time.perf_counter()
    refinement.stop()
    refinement.wait()
    assert time.perf_counter() - started < 2.0
    assert one.ran == ()
    assert one.begun == set()


def test_a_glance_has_figures_before_the_first_replication_ends() -> None:
    model = petri.load("mm1")
    one = Point({}, model, model.plan(until=1e12)[0])
    changed = threading.Event()
    refinement = Refinement(one, source("mm1").load, 1, changed.set)
    refinement.start()
    assert changed.wait(PATIENCE)
    refinement.stop()
    refinement.wait()
    result = one.result()
    assert result is not None
    assert result.measure("customers").value > 0.0


def test_the_first_replication_runs_alone_until_it_tells_its_first_figures() -> None:
    model = petri.load("mm1")
    one = Point({}, model, model.plan(until=1e12)[0])
    begun: list[set[int]] = []
    refinement = Refinement(one, source("mm1").load, 2, lambda: begun.append(set(one.begun)))
    refinement.start()
    end = time.monotonic() + PATIENCE
    while len(one.begun) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    both = set(one.begun)
    refinement.stop()
    refinement.wait()
    assert (begun[0], both) == ({0}, {0, 1})


def test_a_long_warm_up_does_not_delay_the_first_figures() -> None:
    model = petri.load("mm1")
    one = Point({}, model, model.plan(until=2e12, warmup=1e12)[0])
    changed = threading.Event()
    refinement = Refinement(one, source("mm1").load, 1, changed.set)
    refinement.start()
    assert changed.wait(PATIENCE)
    refinement.stop()
    refinement.wait()
    result = one.result()
    assert result is not None
    assert result.measure("customers").value > 0.0
    assert "still in the warm-up" in progress(one, result, 0.0)


def test_the_points_of_a_curve_have_their_turn_after_the_first_replications() -> None:
    others = tuple(Point({"load": load}) for load in ("0.1", "0.2", "0.3"))
    for one in others:
        one.most = 3
    main = point()
    refinement = refined(main, 40, others=others)
    refinement.stop()
    refinement.wait()
    assert [len(one.done) for one in others] == [3, 3, 3]
    assert len(main.ran) > TOGETHER


def test_a_point_that_cannot_be_says_why_and_does_not_end_the_others() -> None:
    wrong, main = Point({"load": "-1"}), point()
    refinement = refined(main, 20, others=(wrong,))
    refinement.stop()
    refinement.wait()
    assert wrong.problem is not None or any(one.faults for one in wrong.done.values())
    assert not wrong.wanted


def test_nothing_begins_while_nobody_looks() -> None:
    one = point()
    refinement = Refinement(one, source("mm1").load, 2, lambda: None)
    refinement.looking = False
    refinement.start()
    time.sleep(0.2)
    assert not one.begun
    refinement.look(True)
    end = time.monotonic() + PATIENCE
    while not one.ran and time.monotonic() < end:
        time.sleep(0.01)
    refinement.stop()
    refinement.wait()
    assert one.ran


@pytest.mark.parametrize("index", [0, 3])
def test_replications_begin_in_order_and_gaps_are_filled(index: int) -> None:
    one = point()
    one.begun.update(n for n in range(6) if n != index)
    assert one.next == index
