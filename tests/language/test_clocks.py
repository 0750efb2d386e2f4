"""`after` and its clauses, `any`, and time limits of threads: their layout, their words as names, and the flat net."""

from __future__ import annotations

import pytest

import petri
from petri import language
from petri.language.layout.formatter import format_source
from petri.net import Clock, Net, is_memoryless, is_shared
from petri.ticks import InTicks

TEXT = """net clocks
time ms
place queue : int fifo
place up    = 3 * token
transition leave: any queue(x), read any queue(y), up -> up  after x * 1 ms  resume  speed 1 / tokens(queue)  when x > y
transition fail:  up -> nothing                              after exp(5 ms)  servers all
transition other: up -> nothing                              after 5 ms  servers 2  repeat
thread t
  take queue(n)
  again: take queue(m)  when m > n  within 3 ms * n else again
  give queue(m)
end
"""


def test_the_layout_of_clocks() -> None:
    assert format_source(TEXT, "clocks.net") == TEXT
    assert format_source(" ".join(TEXT.split()), "clocks.net") == TEXT
    assert format_source(TEXT.replace("after exp(5 ms)  servers all", "servers all after exp(5 ms)"), "c.net") == TEXT


NAMES = """net names
type servers = { after: int, speed: int, any: int }
param resume = 2
place after : servers fifo
place any
place speed : servers = servers(1, 2, 3)
place repeat = repeats * token
const repeats = 3
place restart : int by value
place queue : int fifo
transition serve: speed(any), any, 2 * any -> speed({after: any.after, speed: 1, any: any.any}), any
transition resume_: read speed({after, speed: 1, any}), repeat -> repeat, restart(after + any)  after 3
transition more: repeat -> repeat  after 3  servers resume
transition again: any queue(speed), no any >= 2, reset any -> queue(speed)  after 1.0 * speed  speed tokens(any)
thread resume_it
  take speed(servers)
  let speed = servers.speed
  after: take repeat
  repeat speed
    give any
  end
  use any, repeat for 2
  take repeat within 3 else after
  give after(servers)
end
thread repeat_
  take restart(any)
  set_: wait any
  give restart(any)
  repeat resume
    wait 1
  end
end
"""


def test_words_of_clocks_stay_names() -> None:
    found = [one for one in language.checks(NAMES, name="names.net") if one.severity == "error"]
    assert found == []
    assert format_source(format_source(NAMES, "n"), "n") == format_source(NAMES, "n")


def loaded(text: str) -> Net:
    return language.loads(f"net n\n{text}")


def clock(net: Net, number: int = 0) -> Clock:
    found = net.transitions[number].clock
    assert found is not None
    return found


def test_the_flat_net_has_what_the_text_says() -> None:
    net = loaded("time ms\nparam k = 2\nplace p = token\n"
                 "transition a: p -> p  after 3 ms  servers k + 1  resume  speed k / 4\n"
                 "transition b: p -> p  after exp(1 ms)  servers all\n"
                 "transition c: p -> p  after exp(1 ms)  prefer least tokens(p)  repeat\n")  # fmt: skip
    assert [(one.servers, one.memory) for one in (clock(net, i) for i in range(3))] == [
        (3, "resume"), (None, "restart"), (1, "repeat"),
    ]  # fmt: skip
    speed = clock(net).speed
    assert speed is not None
    assert (speed.op, speed.value) == ("const", 0.5)
    assert [transition.time.value for transition in net.transitions] == [0.0] * 3
    assert [is_shared(transition) for transition in net.transitions] == [False, True, False]


@pytest.mark.parametrize(
    ("speed", "time", "common", "guard"),
    [
        ("j.share / tokens(q)", "j.work / j.share", "1 / tokens(q)", True),
        ("j.n / tokens(q)", "j.work / j.n", "1 / tokens(q)", False),
        ("2 * (j.n * tokens(q))", "j.work / (j.n * 2)", "tokens(q)", False),
        (
            "(if j.n > 2 then 0.5 else 2) / (3 * tokens(q))",
            "j.work / ((if j.n > 2 then 0.5 else 2) / 3)",
            "1 / tokens(q)",
            False,
        ),
        ("j.rate * line / 1 Mbps / 1 Mbps", "j.work / (j.rate / 1 Mbps)", "line / 1 Mbps", True),
        ("line / j.rate", "j.work / (1 Mbps / j.rate)", "line / 1 Mbps", False),
    ],
)
@pytest.mark.parametrize("work", ["{}", "exp({})"])
def test_what_a_speed_reads_of_its_token_divides_the_time(
    speed: str, time: str, common: str, guard: bool, work: str
) -> None:
    text = """time ms
type Job = {{ n: 1..4, work: Time, share: real, rate: Rate }}
schedule line = 1 Mbps from 0 ms, 2 Mbps from 5 ms every 10 ms
place q : Job = Job(n, 3 ms, 0.5 * n, 2 Mbps) for n in 1..4
transition t: q(j) -> q(j)  after {}  speed {}
run until 1000 ms
"""
    whole = petri.loads(text.format(work.format("j.work"), speed))
    apart = petri.loads(text.format(work.format(time), common))
    assert (whole.net.transitions[0].guard is not None) == guard
    assert is_memoryless(whole.net.transitions[0]) == is_memoryless(apart.net.transitions[0]) == (work != "{}")
    ran, wanted = (model.run(seed=1).replications[0].hash for model in (whole, apart))
    assert ran == wanted


def test_an_exponential_time_stays_one_where_time_has_no_unit() -> None:
    net = loaded("param k = 4\nplace p : int = 1\ntransition a: p(x) -> p(x)  after exp(k)\n"
                 "transition b: p(x) -> p(x)  after exp(1.0 * x)\n"
                 "transition c: p(x) -> p(x)  after 1.5\n")  # fmt: skip
    shared, own, fixed = (clock(net, i).time for i in range(3))
    assert [is_shared(one) for one in net.transitions] == [True, False, False]
    assert is_memoryless(net.transitions[1])
    assert [(one.op, one.args[0].op) for one in (shared, own)] == [("exp", "ticks"), ("exp", "ticks")]
    assert shared.args[0].value == own.args[0].value == pytest.approx(net.tick.ticks(1.0))
    assert fixed.value == net.tick.ticks(1.5)
    assert isinstance(fixed.value, InTicks)


@pytest.mark.parametrize(
    ("clauses", "parts"),
    [
        ("after exp(8 ms)", 2**26),
        ("after exp(8 ms)  prefer least tokens(p)", 2**20),
        ("after exp(8 ms)  resume", 2**20),
        ("after 8 ms", 2**10),
        ("takes exp(8 ms)", 2**20),
    ],
)
def test_the_tick_is_finer_where_bindings_share_a_clock(clauses: str, parts: int) -> None:
    net = loaded(f"time ms\nplace p = token\ntransition a: p -> p  {clauses}\n")
    assert net.tick.ticks(8.0) == parts


def test_a_constant_time_of_a_clock_is_exact() -> None:
    net = loaded(
        "time ms\nplace p = token\ntransition a: p -> p  after 0.3 ms\ntransition b: p -> p  after exp(1 ms)\n"
    )
    assert clock(net).time.value == net.tick.ticks(0.3)
    assert net.inexact == ()


def test_any_of_a_port_is_any_of_its_place() -> None:
    module = "module M()\nport in work : int\ntransition t: any work(x) -> nothing\nend\ninstance m = M(p)\n"
    assert loaded(f"place p : int fifo\n{module}").transitions[0].inputs[0].any
    assert not loaded(f"place p : int\n{module}").transitions[0].inputs[0].any
