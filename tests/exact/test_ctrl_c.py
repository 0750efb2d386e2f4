"""Ctrl-C ends explorations and solutions at once, and says how far they had come."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import petri
from petri.exact import steady
from petri.exact.chain import Interrupted
from petri.exact.native import NativeSpace
from petri.exact.native_chain import chain_of
from petri.exact.solution import solve
from petri.exact.steady import SteadyState
from petri.exact.transient import transient
from petri.run.stop import StopSign
from tests.exact.test_published import kanban
from tests.processes import ctrl_c_heard


@contextmanager
def ctrl_c() -> Iterator[None]:
    """Press Ctrl-C when states are explored; it is answered within five seconds."""
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()
    with ctrl_c_heard():
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
    assert time.monotonic() - begun < 5.5


def test_what_was_explored_is_returned() -> None:
    endless = petri.load("mm1")
    with ctrl_c():
        found = endless.reach(states=2**40)
    assert found.space.ended == "stopped"
    assert 0 < found.space.expanded < len(found.space) + 1


def test_a_solution_says_how_many_states_there_were() -> None:
    with ctrl_c(), pytest.raises(Interrupted) as raised:
        petri.load("mm1").solve(states=2**40)
    assert raised.value.diagnostic.id == "exact-stopped"
    assert "`queue` has held up to" in raised.value.diagnostic.hints[0]


@pytest.mark.parametrize("at", [None, 10.0])
def test_a_solution_ends_once_the_states_are_known(at: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady, "MOST_DIRECT", 1)
    net, stop = kanban(2), StopSign()
    space = NativeSpace(net, stop=stop)
    chain = chain_of(net, space)
    stop.set()
    held = chain.counts(0).astype(float)
    work = (
        (lambda: list(SteadyState(chain).averages(0, [lambda: held]))) if at is None else lambda: transient(chain, at)
    )
    with pytest.raises(Interrupted) as raised:
        work()
    assert raised.value.diagnostic.id == "exact-stopped-solving"


def test_a_chain_whose_exploration_was_stopped_is_not_solved() -> None:
    stop = StopSign()
    stop.set()
    with pytest.raises(Interrupted):
        solve(kanban(2), stop=stop)
