"""Rules T1 to T10: threads."""

import pytest

from petri import language
from tests.semantics.harness import simulate

WORK = "place work : int = i for i in 1..3\nplace server = token\nplace done : int\n"


def test_t1_activations_run_at_once_as_far_as_tokens_allow(engine: str) -> None:
    ran = simulate(f"{WORK}thread t take work(n) stay: wait 5 give done(n) end", engine)
    assert [f.start for f in ran.fired if f.name == "t.stay"] == [0, 0, 0]
    ran = simulate(f"{WORK}thread t take work(n), server wait 5 give done(n), server end", engine)
    assert [f.start for f in ran.fired] == [0, 5, 10]
    assert sorted(ran.marking["done"]) == [(1,), (2,), (3,)]


def test_t1_activations_without_values_have_clocks_of_their_own(engine: str) -> None:
    """By hand: a server comes every 7, patience is 5, and the next customer comes at once."""
    text = """
    place s = token  place a  place w = token  place got : real  place late : real
    transition src: s -> s, a  takes 7
    thread t
      take w
      choose
        take a
        give got(now)
      or after 5
        give late(now)
      end
      give w
    end
    """
    ran = simulate(text, engine, until=30.0)
    assert [len(set(ran.marking[place])) for place in ("got", "late")] == [4, 4]
    assert sorted(ran.marking["late"]) == [(5,), (12,), (19,), (26,)]
    (waits,) = ran.marking["t.at_take_a"]
    assert waits == (0,)


def test_t1_interrupted_work_begins_again(engine: str) -> None:
    """Work of 10 that is given up every 4 is never done."""
    text = """
    place clk = token  place fault  place job = token  place engine = token  place done
    transition tick: clk -> clk, fault  takes 4
    thread t
      take job
      do
        use engine for 10
        give done
      unless fault
        wait 0
      end
      give job
    end
    """
    ran = simulate(text, engine, until=100.0)
    assert (len(ran.marking["done"]), ran.counts()["t.use_engine_done_interrupted"]) == (0, 25)


def test_t1_exponential_clocks_need_no_tokens_of_their_own(engine: str) -> None:
    text = "place w = 3 * token  place a  thread t take w {} end"
    black = "take a within exp(3) else gone  gone: give w"
    for steps in (black, black.replace("exp(3)", "(exp(tokens(w) + 1))"), "choose take a or after exp(2) end give w"):
        assert simulate(text.format(steps), engine, until=1.0).marking["t.at_take_a"][0] == ()
    for time in ("exp(now + 1)", "uniform(1.0..2.0)", "3 + 0 * tokens(w)"):
        ran = simulate(text.format(black.replace("exp(3)", time)), engine, until=0.5)
        assert ran.marking["t.at_take_a"][0] == (0,)


def test_t2_steps_that_wait_or_last_are_transitions(engine: str) -> None:
    text = (
        f"{WORK}thread t take work(n) use server for 2 wait 1 hold server wait 3 release server given: give done(n) end"
    )
    ran = simulate(text, engine)
    assert sorted(ran.counts()) == ["t.given", "t.hold_server", "t.take_work", "t.use_server", "t.wait"]
    assert {name for name in ran.marking if name.startswith("t.")} == {
        "t.at_use_server", "t.at_wait", "t.at_hold_server", "t.at_given",
    }  # fmt: skip
    assert {f.end - f.start for f in ran.fired if f.name == "t.hold_server"} == {3}


def test_t2_a_full_place_blocks_after_the_work_and_not_before(engine: str) -> None:
    text = """
    place work = 2 * token  place full cap 1  place late = token  place gate
    thread t take work wait 5 give full end
    transition open: late -> gate  takes 20
    transition empty: full, gate -> nothing
    """
    ran = simulate(text, engine)
    assert [(f.name, f.start) for f in ran.fired if f.name.startswith("t.")] == [
        ("t.take_work", 0), ("t.take_work", 0), ("t.give_full", 5), ("t.give_full", 20),
    ]  # fmt: skip


def test_t2_tokens_are_counted_after_a_transition_that_lasts(engine: str) -> None:
    text = "place work = token place many = 5 * token place yes place not_one transition take: many -> nothing takes 1"
    ran = simulate(
        f"{text} thread t take work wait 5 if tokens(many) > 0 then give yes else give not_one end end", engine
    )
    assert (len(ran.marking["yes"]), len(ran.marking["not_one"])) == (0, 1)


SEEN = "place out : int fifo  place p = 5 * token  place q  place begin = token  thread t take begin {} end"


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        ("take p give out(tokens(p))", [4]),
        ("give 2 * p give out(tokens(p))", [7]),
        ("give 2 * p, out(tokens(p))", [5]),
        ("hold p, p release p let n = tokens(p) give out(n)", [5]),
        ("hold p, p let n = tokens(p) release p give out(n)", [3]),
        ("let n = tokens(p) take p give out(n)", [5]),
        ("let n = 0 take p set n = tokens(p) give p give out(n), out(tokens(p))", [4, 5]),
        ("take p if tokens(p) == 5 then give out(1) elif tokens(p) == 4 then give out(2) end", [2]),
        ("take p if tokens(p) == 4 then give p end if tokens(p) == 5 then give out(2) end", [2]),
        ("while tokens(p) > 1 take p give out(tokens(p)) end", [4, 3, 2, 1]),
        ("take p repeat tokens(p) take p end give out(tokens(p))", [0]),
        ("take p wait tokens(p) give out(floor(now))", [4]),
        ("take p for tokens(p) give out(floor(now))", [4]),
        ("use p for tokens(p) give out(floor(now))", [4]),
        ("take p draw n ~ uniform(tokens(p)..tokens(p)) give out(n)", [4]),
        ("give q if true then give out(tokens(q)) end", [1]),
        ("give if tokens(p) > 9 then q else out(7) give out(tokens(q))", [7, 0]),
        ("give q in 1 wait 2 give out(tokens(q))", [1]),
        ("choose take q or take p end let n = tokens(p) take p give out(n)", [4]),
        ("if tokens(p) > 9 then wait 1 else take p end let n = tokens(p) take p give out(n)", [4]),
        ("take p, reset p give out(tokens(p))", [0]),
        ("take p when tokens(p) > 4 give out(tokens(p))", [4]),
    ],
)  # fmt: skip
def test_t2_a_step_sees_what_the_steps_before_it_did(engine: str, steps: str, seen: list[int]) -> None:
    assert [value for (value,) in simulate(SEEN.format(steps), engine).marking["out"]] == seen


def test_t2_elements_and_ports_may_be_the_place_that_was_changed(engine: str) -> None:
    text = """
    module M
      port in begin: token, a: token, b: token
      port out out: int
      place own = token
      place r[0..2] = token
      thread t
        take begin
        take a
        give out(tokens(b)), out(tokens(own))
        take r[1]
        give out(count(i in [0, 1, 2]: tokens(r[i]) > 0))
      end
    end
    place begin = token  place p = 3 * token  place out : int fifo
    instance m = M(begin, p, p, out)
    """
    assert simulate(text, engine).marking["out"] == [(2,), (1,), (2,)]


def test_t2_a_schedule_is_read_where_its_step_is(engine: str) -> None:
    text = """
    place a = token  place out : int fifo  schedule staff = 2 from 0, 6 from 8 every 24
    thread t take a give out(staff) wait 10 give out(staff) let n = staff wait 20 give out(n), out(staff) end
    """
    assert simulate(text, engine, until=50.0).marking["out"] == [(2,), (6,), (6,), (2,)]


def test_t2_a_value_behind_a_call_is_read_when_the_reply_is_there(engine: str) -> None:
    text = """
    service shop : { n: int }
    place work = token  place p = 5 * token  place thief = token  place out : int fifo  place more = token
    transition steal: thief, p -> nothing  takes 1
    transition sell: shop(r) -> reply(r)  takes 3
    thread t take work call shop({n: 1}) let n = tokens(p) take more give out(n) end
    """
    assert simulate(text, engine).marking["out"] == [(4,)]


def test_t3_outputs_come_at_the_end_and_now_is_then(engine: str) -> None:
    text = """
    place work = token
    place at : real fifo
    thread t take work let began = now wait 5 give at(now), at(began) give at(now + 1) end
    """
    ran = simulate(text, engine)
    assert ran.marking["at"] == [(5,), (0,), (6,)]
    assert ran.order() == "t.take_work"


def test_t3_a_delay_begins_when_the_step_is_done(engine: str) -> None:
    ran = simulate(
        """
        place a = token  place out : real  place seen : real
        thread t
          take a for 3
          give out(now) in 2
        end
        transition see: out(x) -> seen(x), seen(now)
        """,
        engine,
    )
    assert sorted(ran.marking["seen"]) == [(3.0,), (5.0,)]


def test_t4_a_number_of_repetitions_is_found_once(engine: str) -> None:
    text = "place work : int = 0, 3 place done : int"
    ran = simulate(f"{text} thread t take work(n) repeat n set n = n + 5 wait 1 end give done(n) end", engine)
    assert ran.counts()["t.wait"] == 3
    assert sorted(ran.marking["done"]) == [(0,), (18,)]


def test_t4_branches_of_choose_compete(engine: str) -> None:
    text = (
        "place work = 300 * token place a place b thread t take work choose weight 2 give a or weight 1 give b end end"
    )
    ran = simulate(text, engine)
    assert 170 < len(ran.marking["a"]) < 230
    text = """
    place work = 3 * token
    place go = token
    thread t take work choose take go wait 1 or wait 5  priority -1 end end
    """
    assert simulate(text, engine).counts() == {"t.take_work": 3, "t.take_go": 1, "t.wait": 2}


def test_t5_a_place_keeps_the_values_that_are_used_later(engine: str) -> None:
    text = """
    type P = { a: int, b: int }
    place work : P = P(1, 2)
    place done : int
    place never : int
    thread t take work(p) let x = p.a wait 1 wait 5 give done(x) wait 1 end
    """
    ran = simulate(text, engine, until=3)
    assert ran.marking["t.at_wait"] == []
    ran = simulate(text.replace("wait 5", "take never(_)"), engine)
    assert ran.marking["t.at_take_never"] == [(1,)]


def test_t6_each_caller_gets_its_own_reply(engine: str) -> None:
    """Two threads with many activations each; the replies come in another order than the requests."""
    text = """
    service double : { n: int } -> { twice: int }
    place work : int = i for i in 1..20
    place done : { n: int, twice: int }
    transition answer: double(r) -> reply(r with {twice: 2 * r.n})  takes exp(3)
    thread one[i in 0..1]
      take work(n)
      call double({n: n}) -> {twice}
      give done({n, twice})
    end
    thread two
      take work(m)
      call double({n: m + 100}) -> {twice: t}
      wait 1
      give done({n: m + 100, twice: t})
    end
    """
    ran = simulate(text, engine)
    assert len(ran.marking["done"]) == 20
    assert all(twice == 2 * n for n, twice in ran.marking["done"])
    assert {n > 100 for n, _ in ran.marking["done"]} == {True, False}
    assert {name for name, count in ran.counts().items() if count} >= {
        "one[0].give_done",
        "one[1].give_done",
        "two.wait",
    }


LATE = """
place work : int = 1, 2
place clerk = token
place happy : int fifo
place lost : int fifo
thread t
  take work(n)
  let served = false
  {} within 4 else gone
  {}
  set served = true
  gone: give if served then happy(n) else lost(n)
end
"""


def test_t7_a_step_goes_on_at_the_label_when_its_time_is_over(engine: str) -> None:
    ran = simulate(LATE.format("take clerk", "wait 6 give clerk"), engine)
    late = [(f.name, f.start) for f in ran.fired if f.name == "t.take_clerk_late"]
    assert late == [("t.take_clerk_late", 4.0)]
    assert [len(ran.marking[place]) for place in ("happy", "lost")] == [1, 1]
    assert simulate(LATE.format("take clerk", "wait 3 give clerk"), engine).marking["lost"] == []


def test_t7_a_hold_and_a_use_have_limits_too(engine: str) -> None:
    held = simulate(LATE.format("hold clerk", "wait 6 release clerk"), engine)
    assert [f.start for f in held.fired if f.name == "t.hold_clerk_late"] == [4.0]
    used = simulate(LATE.format("use clerk for 6", ""), engine)
    assert [f.start for f in used.fired if f.name == "t.use_clerk_late"] == [4.0]


def test_t7_a_limit_that_leads_back_repeats_a_step(engine: str) -> None:
    text = """
    place work : int = 3
    place sent : int
    place ack : int
    place done : int
    place losses = 2 * token
    thread t
      take work(n)
      let tried = 0
      send: give sent(n)
      set tried = tried + 1
      take ack(n) within 5.0 * tried else send
      give done(tried)
    end
    transition lose: sent(n), losses -> nothing  priority 1
    transition arrive: sent(n), no losses -> ack(n)  takes 1
    """
    ran = simulate(text, engine)
    assert [f.start for f in ran.fired if f.name == "t.send"] == [0.0, 5.0, 15.0]
    assert ran.marking["done"] == [(3,)]


def test_t7_a_limit_may_lead_to_the_step_behind_a_call(engine: str) -> None:
    text = """
    place work : int = 1
    service shop : { n: int } -> { price: int }
    place ack : int  place out : int fifo
    transition sell: shop(r) -> reply(r with {price: 3})  takes 1
    thread t
      take work(n)
      let tries = 0
      call shop({n}) -> {price}
      again: give out(price)
      set tries = tries + 1
      take ack(n) within (if tries > 2 then 100.0 else 2.0) else again
    end
    """
    ran = simulate(text, engine, until=50.0)
    assert [f.start for f in ran.fired if f.name == "t.again"] == [1.0, 3.0, 5.0]
    assert ran.marking["out"] == [(3,)] * 3


def test_t7_a_limit_in_a_branch_is_one_of_the_whole_choice(engine: str) -> None:
    text = """
    place work : int = 1
    place a  place b  place out : int fifo
    thread t
      take work(n)
      choose
        take a within 3 else back
        set n = 10
      or
        take b
        set n = 20
      end
      back: give out(n)
    end
    """
    ran = simulate(text, engine)
    assert ([f.start for f in ran.fired], ran.marking["out"]) == ([0.0, 3.0, 3.0], [(1,)])


def test_t7_each_activation_has_its_own_limit_also_without_a_value(engine: str) -> None:
    text = """
    place work = 3 * token  place never  place gone
    transition bring: never -> work
    thread t take work take never within 5 else bye bye: give gone end
    """
    ran = simulate(text, engine)
    assert [f.start for f in ran.fired if f.name == "t.bye"] == [5.0] * 3


CHOICE = """
place work = 3 * token  place clerk = token  place other  place gone  place happy
thread t
  take work
  choose
    use clerk for 4
    give happy
  or
    take other
  or after 5
    wait 2
    give gone
  end
end
"""


def test_t7_a_branch_of_a_choice_begins_when_its_time_is_over(engine: str) -> None:
    ran = simulate(CHOICE, engine)
    assert [f.start for f in ran.fired if f.name == "t.use_clerk"] == [0.0, 4.0]
    assert [f.start for f in ran.fired if f.name == "t.use_clerk_late"] == [5.0]
    assert [(f.start, f.end) for f in ran.fired if f.name == "t.wait"] == [(5.0, 7.0)]
    assert (len(ran.marking["happy"]), len(ran.marking["gone"])) == (2, 1)


def test_t7_a_choice_may_be_one_of_times_alone(engine: str) -> None:
    text = "place work = token place a place b thread t take work choose after 3 give a or after 2 give b end end"
    ran = simulate(text, engine)
    assert ([f.start for f in ran.fired], len(ran.marking["b"])) == ([0.0, 2.0], 1)


def test_t8_a_loop_takes_tokens_as_long_as_there_are_some(engine: str) -> None:
    """Also those that come while it runs, and at the instant at which it looks for the last time."""
    text = """
    place begin = token  place source = token  place ended : real
    place queue : int fifo = 1, 2, 3  place done : int fifo
    transition late: source -> queue(4)  takes 6
    thread t
      take begin
      for each queue(n) when n < 9
        wait 2
        give done(n)
      end
      give ended(now)
    end
    """
    ran = simulate(text, engine)
    assert ran.marking["done"] == [(1,), (2,), (3,), (4,)]
    assert ran.marking["ended"] == [(8.0,)]
    ran = simulate(text.replace("1, 2, 3", "1, 9, 3").replace("takes 6", "takes 7"), engine)
    assert (ran.marking["done"], ran.marking["ended"]) == ([(1,)], [(2.0,)])


def test_t8_two_loops_bind_the_same_name(engine: str) -> None:
    """What the first has bound is unknown behind it, and the second does not ask for it."""
    text = """
    place begin = token  place queue : int fifo = 1, 2  place back : int fifo  place done : { n: int, at: real } fifo
    thread t
      take begin
      for each queue(n)
        wait 2
        give back(n + 10)
      end
      for each back(n)
        wait 1
        give done({n, at: now})
      end
    end
    """
    assert simulate(text, engine).marking["done"] == [(11, 5.0), (12, 6.0)]


BLOCK = """
place work : int fifo = 1, 2  place machine = token  place gauge : int = 7  place stop : int  place begin = token
place done : int fifo  place given_up : real fifo
transition halt: begin -> stop(5)  takes {}
thread t
  take work(n), machine
  let tried = 1
  do
    hold gauge(g)
    wait 3
    release gauge
    set tried = 2
    wait 4
    give done(n)
  unless stop(x)
    wait x
    give given_up(now + 100 * tried)
  end
  give machine
end
"""


def test_t9_the_steps_of_a_do_end_when_something_interrupts_them(engine: str) -> None:
    """What they hold is given back at once, values stay as they are, and the thread goes on behind the `do`."""
    ran = simulate(BLOCK.format(2), engine)
    assert (ran.marking["given_up"], ran.marking["done"]) == ([(107.0,)], [(2,)])
    (halted,) = [f.start for f in ran.fired if f.name == "t.wait_interrupted"]
    assert (halted, ran.marking["gauge"], len(ran.marking["machine"])) == (2.0, [(7,)], 1)
    assert [f.start for f in ran.fired if f.name == "t.hold_gauge"] == [0.0, 7.0]
    ran = simulate(BLOCK.format(5), engine)
    assert (ran.marking["given_up"], ran.marking["done"]) == ([(210.0,)], [(2,)])
    ran = simulate(BLOCK.format(50), engine)
    assert (ran.marking["done"], ran.marking["stop"]) == ([(1,), (2,)], [(5,)])


def test_t9_a_use_is_given_up_while_it_lasts(engine: str) -> None:
    text = """
    place work = token  place engine = token  place bell  place alarm = token  place out : real fifo
    transition ring: alarm -> bell  takes 8.5
    thread t
      take work
      do
        wait 1
        {} engine for 10
      unless bell
        {}give out(now)
      end
    end
    """
    ran = simulate(text.format("use", ""), engine)
    assert (ran.marking["out"], len(ran.marking["engine"])) == ([(8.5,)], 1)
    assert "t.use_engine_done_interrupted" in [f.name for f in ran.fired]
    ran = simulate(text.format("take", "give engine "), engine)
    assert (ran.marking["out"], len(ran.marking["engine"])) == ([(8.5,)], 1)


def test_t9_an_interrupt_goes_first(engine: str) -> None:
    """At the instant at which a step could begin, or a time is over."""
    for at in (0, 3):
        ran = simulate(BLOCK.format(at).replace("place begin = token", "place begin = 2 * token"), engine)
        assert len(ran.marking["given_up"]) >= 1, at
        assert next(f.start for f in ran.fired if f.name.endswith("_interrupted")) == float(at)


def test_t9_blocks_may_be_nested_and_have_several_interrupts(engine: str) -> None:
    text = """
    place work = token  place a  place b  place c  place out : int fifo  place src = token
    transition go: src -> {}  takes 3
    thread t
      take work
      do
        do
          wait 10
        unless a
          wait 10
          give out(1)
        unless b
          give out(2)
        end
        wait 10
        give out(3)
      unless c
        give out(4)
      end
    end
    """
    expected = {"a": [(1,), (3,)], "b": [(2,), (3,)], "c": [(4,)], "nothing": [(3,)]}
    for place, out in expected.items():
        assert simulate(text.format(place), engine).marking["out"] == out


QUEUE = """
place job : { n: int, size: int } = {n: 1, size: 3}, {n: 2, size: 1}, {n: 3, size: 2}, {n: 4, size: 1}
place clerk  place out : int fifo  place open = token
transition begin: open -> clerk  takes 9
thread t
  take job({n, size})
  wait n
  {}
  give out(n)
end
"""


@pytest.mark.parametrize(
    ("steps", "order"),
    [
        ("use clerk for 1", [1, 2, 3, 4]),
        ("use clerk fifo for 1", [1, 2, 3, 4]),
        ("use clerk lifo for 1", [4, 3, 2, 1]),
        ("use clerk by size for 1", [2, 4, 3, 1]),
        ("use clerk by (size, -n) for 1", [4, 2, 3, 1]),
        ("use clerk for 1 prefer least size", [2, 4, 3, 1]),
        ("use clerk lifo for 1 prefer least size", [4, 2, 3, 1]),
        ("use clerk for 1 when n != 1 or tokens(out) > 1", [2, 3, 1, 4]),
        ("use clerk by size for 1 when n > 2 or tokens(out) > 1", [4, 3, 2, 1]),
        ("use clerk lifo for 1 when n < 3 or tokens(out) > 1", [2, 1, 4, 3]),
        ("choose lifo use clerk for 1 or take nothing_comes end", [4, 3, 2, 1]),
    ],
)
def test_t10_activations_go_on_in_order(engine: str, steps: str, order: list[int]) -> None:
    text = f"place nothing_comes {QUEUE.replace('{}', steps)}"
    assert [n for (n,) in simulate(text, engine, firings=1000).marking["out"]] == order


def test_t10_a_bag_has_no_order(engine: str) -> None:
    orders = {
        tuple(simulate(QUEUE.replace("{}", "use clerk bag for 1"), engine, seed=seed).marking["out"])
        for seed in range(12)
    }
    assert len(orders) > 4


def test_t10_the_order_begins_behind_a_reply(engine: str) -> None:
    text = """
    service shop : { n: int }
    transition sell: shop(r) -> reply(r)  takes r.n
    """ + QUEUE.replace("wait n", "call shop({n: n})")
    for order, expected in (("", [1, 2, 3, 4]), ("lifo", [4, 3, 2, 1]), ("by size", [2, 4, 3, 1])):
        ran = simulate(text.replace("{}", f"use clerk {order} for 1"), engine)
        assert [n for (n,) in ran.marking["out"]] == expected


def test_t10_clocks_that_run_down_at_one_instant_go_on_in_order(engine: str) -> None:
    text = """
    place job : int  place clerk = token  place never  place out : int fifo  place begin = token
    transition start: begin -> job(3), job(1), job(2)
    thread t
      take job(n) priority -1
      {}
      use clerk for 1
      give out(n)
    end
    """
    for steps in ("do wait 5 unless never wait 1 end", "choose take never or after 5 end"):
        for seed in range(4):
            ran = simulate(text.replace("{}", steps), engine, seed=seed)
            came = [value[0] for value in ran.values("t.take_job")]
            assert [n for (n,) in ran.marking["out"]] == came


def test_t10_an_interrupt_hits_any_activation(engine: str) -> None:
    text = """
    place job : int = 1, 2, 3  place bell  place hit : int  place begin = token
    transition ring: begin -> bell  takes 5
    thread t
      take job(n)
      wait n
      do take never unless bell give hit(n) end
    end
    place never
    """
    assert {simulate(text, engine, seed=seed).marking["hit"][0] for seed in range(20)} == {(1,), (2,), (3,)}


def test_t10_a_step_whose_tokens_depend_on_nothing_is_a_queue(engine: str) -> None:
    """Its arc is one that sees the first activation alone; where it depends on values, all are seen."""
    flat = language.loads(f"net a {QUEUE.replace('{}', 'use clerk for 1')}")
    (arc,) = [one.inputs[0] for one in flat.transitions if one.name == "t.use_clerk"]
    assert (flat.places[arc.place].discipline, arc.any, arc.in_turn) == ("fifo", False, False)
    flat = language.loads(f"net a {QUEUE.replace('{}', 'use clerk for 1 when n > 1')}")
    (arc,) = [one.inputs[0] for one in flat.transitions if one.name == "t.use_clerk"]
    assert (arc.any, arc.in_turn) == (True, True)
