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
        assert one.exact(name).value == pytest.approx(other.exact(name).value, rel=1e-9)


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


CUSTOMERS = """
place street = token
place customer
place clerk = token
transition arrive: street -> street, customer  takes exp(1 / {rate})
thread visit
  take customer
  let came = now
  queue: hold clerk{order}
  wait exp(1)
  release clerk
  {gone}
end
measure wait = now - came at visit.queue  record mean, std, p99
measure reneged = count(visit.queue_late) / count(arrive)
"""


def waits(order: str) -> dict[str, float]:
    net = petri.loads(CUSTOMERS.format(rate=0.8, order=order, gone="").replace("measure reneged", "#"))
    (one,) = net.run(until=400_000, warmup=1000, replications=4, seed=1).measures
    return {name: interval.mean for name, interval in one.recorded.items()}


@pytest.mark.slow
def test_customers_are_served_in_order_of_arrival() -> None:
    """M/M/1: the mean wait is that of any order, its distribution is not (last come: Riordan 1962). Off by 4 errors."""
    load, first, last = 0.8, waits(""), waits(" lifo")
    assert first["mean"] == pytest.approx(load / (1 - load), rel=0.06)
    assert first["std"] == pytest.approx(math.sqrt(load * (2 - load)) / (1 - load), rel=0.08)
    assert first["p99"] == pytest.approx(math.log(load / 0.01) / (1 - load), rel=0.09)
    assert last["mean"] == pytest.approx(load / (1 - load), rel=0.06)
    assert last["std"] > 1.5 * first["std"]


@pytest.mark.slow
def test_customers_of_constant_patience_leave_as_often_as_they_should() -> None:
    """M/M/1 with a patience of T (Barrer 1957): alike with and without values, as each has a patience of its own."""
    rate, patience = 0.9, 2.0
    busy = (1 - math.exp(-(1 - rate) * patience)) / (1 - rate)
    lost = math.exp(-(1 - rate) * patience)
    exact = rate * lost / (1 + rate * (busy + lost))
    for came in ("let came = now", ""):
        text = CUSTOMERS.format(rate=rate, order=f" within {patience} else gone", gone="gone: wait 0")
        text = text.replace("let came = now", came).replace("measure wait", "measure wait" if came else "#")
        found = measured(text, until=100_000, warmup=1000, replications=4, seed=1)["reneged"]
        assert found == pytest.approx(exact, rel=0.03)


@pytest.mark.slow
def test_a_server_that_takes_all_that_wait_up_to_three() -> None:
    """M/M[1,3]/1 by the balance equations: once the server has taken one, it looks how many wait."""
    text = """
    place street = token
    place line : real fifo
    place server = token
    transition arrive: street -> street, line(end)  takes exp(1 / 1.2)
    thread serve
      hold server
      take line(t)
      repeat min(2, tokens(line))
        take line(u)
      end
      wait exp(1)
      release server
    end
    measure number = mean(line)
    """
    assert measured(text, until=100_000, replications=4, seed=1)["number"] == pytest.approx(1.16501, rel=0.03)
