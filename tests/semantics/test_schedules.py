"""Rules V1 and V2 of docs/semantics.md: schedules."""

from __future__ import annotations

import math

from petri import language
from petri.run.session import begin
from tests.semantics.harness import simulate

VALUE = """
schedule level = 10 from 0, 20 from 3, 30 from 4.5 every 6
place go = token  place seen : { value: int, at: real } fifo
transition look: go -> go, seen({value: level, at: now})  takes 0.75
"""


def test_v1_the_value_is_that_of_the_stage(engine: str) -> None:
    ran = simulate(VALUE, engine, until=14.0)
    times = [at % 6 for _, at in ran.marking["seen"]]
    assert [value for value, _ in ran.marking["seen"]] == [10 if t < 3 else 20 if t < 4.5 else 30 for t in times]
    assert [f.start for f in ran.fired if f.name == "level.turn"] == [0.0, 6.0, 12.0]


def test_v1_the_last_value_holds_for_ever_without_every(engine: str) -> None:
    ran = simulate(VALUE.replace(" every 6", ""), engine, until=14.0)
    assert [value for value, at in ran.marking["seen"] if at >= 4.5] == [30] * 12
    assert ran.order().count("level.turn") == 1


def test_v1_a_poisson_process_has_the_rate_of_each_instant(engine: str) -> None:
    text = """
    net arrivals
    schedule rate = 0.5 from 0, 6.0 from 2, 0.25 from 3 every 5
    place source = token
    transition arrive: source -> source  after exp(1 / rate)
    """
    net = language.loads(text)
    run = begin(net, engine, 5, 0, trace=True)
    run.advance(net.tick.ticks(750.0), 10**9)
    starts = [net.tick.time(firing.start) % 5 for firing in run.trace() if firing.transition == 0]
    for low, high, rate in ((0, 2, 0.5), (2, 3, 6.0), (3, 5, 0.25), (2, 2.25, 6.0), (3, 3.5, 0.25)):
        expected = 150 * (high - low) * rate
        assert abs(sum(low <= at < high for at in starts) - expected) < 4 * math.sqrt(expected)


def test_v2_a_place_follows_its_schedule(engine: str) -> None:
    text = """
    schedule staff = 1 from 0, 3 from 2, 2 from 5 every 8
    place nurse = staff * token
    place on = token
    transition goes_on: on -> on  takes 100
    """
    for until, held in ((1, 1), (2, 3), (4, 3), (5, 2), (7, 2), (8, 1), (10, 3), (13, 2), (16, 1)):
        assert len(simulate(text, engine, until=float(until)).marking["nurse"]) == held


def test_v2_a_token_that_is_held_leaves_when_it_is_given_back(engine: str) -> None:
    text = """
    schedule staff = 2 from 0, 0 from 5, 1 from 9
    place nurse = staff * token
    place work = 9 * token  place done : real fifo
    transition treat: work, nurse -> nurse, done(end)  takes 3
    """
    ran = simulate(text, engine, until=20.0)
    assert [f.start for f in ran.fired if f.name == "treat"] == [0.0, 0.0, 3.0, 3.0, 9.0, 12.0, 15.0, 18.0]
    assert [f.start for f in ran.fired if f.name == "nurse.leave"] == [6.0, 6.0]
