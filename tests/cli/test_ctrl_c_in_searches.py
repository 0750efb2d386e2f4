"""Ctrl-C where bindings are looked for without a firing: in play, why and step, and among the tokens at the start."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import petri
from petri.experiment.design.task import Task, pack, perform
from petri.run.plan import Plan
from petri.run.recording import record
from petri.run.replications import replicate
from petri.run.stop import StopSign, TimeLimit, interruptible
from petri.run.walk import Walk
from tests.engines import ENGINES
from tests.processes import ctrl_c_heard

# The third firing makes a token for which 27,000,000,000 bindings are looked at in vain.
NET = """
net searching
place left = 2 * token
place last = token
place gate
place p : int = (i) for i in 0..2999
place out
transition tick: left -> nothing  takes 1
transition open: last, no left -> gate  takes 1
transition find: gate, p(a), p(b), p(c) -> out when a + b * c < 0
run until dead
"""
# The native engine counts the bindings of the initial marking: 10,000,000,000 pairs.
PAIRS = """
net pairs
place p : int = (i) for i in 1..100_000
transition t: p(x), p(y) -> p(x), p(y)  takes exp(1) when x + y > 100_000
run until 10
"""

BEGUN = 0.1  # seconds until something is searched for


@contextmanager
def ctrl_c() -> Iterator[None]:
    """Press Ctrl-C when the search has begun; it is answered within ten seconds."""
    timer = threading.Timer(BEGUN, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()
    with ctrl_c_heard():
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                yield
        finally:
            timer.cancel()
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("firing", [None, "find"])
def test_why(engine: str, firing: str | None) -> None:
    model = petri.loads(NET)
    with ctrl_c():
        model.why("find", firing=firing, engine=engine)


def test_a_recording() -> None:
    net = petri.loads(NET).net
    with ctrl_c():
        interruptible(lambda stop: record(net, 1, 0, 1e9, 100, stopped=stop.is_set))


def test_a_walk_is_back_before_the_firing_that_led_there() -> None:
    walk = Walk(petri.loads(NET).net, 1, 0)
    with ctrl_c():
        walk.run(lambda: False)
    assert (walk.firings, walk.fault) == (2, None)
    assert [one.transition for one in walk.enabled()] == [1]


@pytest.mark.parametrize("engine", ENGINES)
def test_tokens_at_the_start_that_are_tested_in_pairs(engine: str) -> None:
    net = petri.loads(PAIRS).net
    begun = time.monotonic()
    ran, interrupted = replicate(net, Plan(10.0, engine=engine), range(1), limit=TimeLimit(BEGUN))
    assert interrupted
    assert {one.ended for one in ran} <= {"interrupted"}
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("engine", ENGINES)
def test_why_with_such_tokens(engine: str) -> None:
    model = petri.loads(PAIRS)
    with ctrl_c():
        model.why("t", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_replication_of_a_sweep_with_such_tokens(engine: str) -> None:
    net, stop = petri.loads(PAIRS).net, StopSign()
    task = Task(pack(net), Plan(10.0, engine=engine), (0,), ())
    timer = threading.Timer(BEGUN, stop.set)
    begun = time.monotonic()
    timer.start()
    assert perform(task, stop) == ()
    assert time.monotonic() - begun < 10
