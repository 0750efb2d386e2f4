"""Threads whose steps are given up, against closed forms and against nets that are written without them."""

from __future__ import annotations

import math
from typing import Any

import pytest

import petri


def measured(text: str, **options: Any) -> dict[str, float]:
    return {one.name: one.value for one in petri.loads(text).run(**options).measures}


BREAKDOWNS = """
place outside = {jobs}
place idle = token
place working
place queue
place broken
transition arrive: {arrive}
transition fail: working -> broken  after exp(10)
measure waiting = mean(queue)
measure busy = 1 - mean(idle)
measure inside = mean(queue) + 1 - mean(idle)
"""
THREAD = """
thread server
  take queue, idle
  let left = 1
  while left > 0
    give working
    do
      wait exp(1)
      set left = 0
      take working
    unless broken
      wait exp(2)
    end
  end
  give idle{leave}
end
"""
WRITTEN = """
place repair
transition begin:  queue, idle -> working
transition serve:  working -> idle, outside  after exp(1)
transition stop:   broken -> repair
transition mended: repair -> working  after exp(2)
"""


def test_a_machine_that_breaks_down_during_its_work_is_solved_as_the_net_by_hand() -> None:
    ring = BREAKDOWNS.format(jobs="5 * token", arrive="outside -> queue  after exp(2)")
    one = petri.loads(ring + THREAD.format(leave=", outside")).solve()
    other = petri.loads(ring + WRITTEN).solve()
    for name in ("waiting", "busy"):
        assert one.figure(name).value == pytest.approx(other.figure(name).value, rel=1e-9)


@pytest.mark.slow
def test_breakdowns_during_service_lengthen_it() -> None:
    """Pollaczek-Khinchine with the time from the beginning of a service to its end (Avi-Itzhak and Naor 1963)."""
    net = BREAKDOWNS.format(jobs="token", arrive="outside -> outside, queue  after exp(2)")
    found = measured(net + THREAD.format(leave=""), until=100_000, replications=10, seed=3)["inside"]
    load, failing, repair = 0.5, 0.1, 2.0
    first = 1 + failing * repair
    second = 2 * first**2 + failing * 2 * repair**2
    exact = load * first + load**2 * second / (2 * (1 - load * first))
    assert found == pytest.approx(exact, rel=0.03)


@pytest.mark.slow
def test_who_waits_for_one_of_two_gives_up_after_a_time() -> None:
    text = """
    place start = 40_000 * token
    place a  place b  place gone
    measure a_count = count(t.choose)
    measure b_count = count(t.choose_2)
    measure gone_count = count(t.choose_3)
    place work : int
    transition begin: start -> work(1)
    thread t
      take work(_)
      choose after exp(2)
        give a
      or after exp(3)
        give b
      or after 1.5
        give gone
      end
    end
    """
    ran = measured(text, until="dead", replications=1, seed=5)
    stayed = 1 - math.exp(-1.5 * (1 / 2 + 1 / 3))
    share = {name: ran[f"{name}_count"] / 40_000 for name in ("a", "b", "gone")}
    assert share["gone"] == pytest.approx(1 - stayed, abs=0.01)
    assert share["a"] == pytest.approx(stayed * 3 / 5, abs=0.01)
