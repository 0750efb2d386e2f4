"""Ctrl-C at the worst moment: while the main thread holds the locks of the runs that it waits for."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from petri import language
from petri.run.plan import Plan
from petri.run.replications import replicate
from petri.run.stop import StopSign, interruptible
from petri.run.threads import Threads
from tests.processes import ctrl_c_heard

ENDLESS = "net endless\nplace p = token\ntransition t: p -> p takes exp(1)"


@pytest.fixture(autouse=True)
def ctrl_c_in_a_wait(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    wait = Threads.wait
    pressed: list[bool] = []

    def press_and_wait(self: Threads[Any], seconds: float) -> None:
        with self._lock:  # which a thread needs to go on
            if not pressed:
                pressed.append(True)
                signal.raise_signal(signal.SIGINT)
        wait(self, seconds)

    monkeypatch.setattr(Threads, "wait", press_and_wait)
    with ctrl_c_heard():
        yield
    assert pressed


def test_replications_end() -> None:
    ran, interrupted = replicate(language.loads(ENDLESS), Plan(1e15), range(3), threads=2)
    assert interrupted
    assert {one.ended for one in ran} == {"interrupted"}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_on_a_thread_ends() -> None:
    def work(stop: StopSign) -> None:
        while not stop.is_set():
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        interruptible(work)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
