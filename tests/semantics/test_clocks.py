"""Rules C1 to C5 and E9: transitions that race, and arcs that see all tokens; their errors and statistics."""

from __future__ import annotations

import pytest

from petri import language
from petri.engine.interface import Limits
from petri.engine.random import RandomStream
from tests.semantics.harness import Ran, simulate


def times(ran: Ran, name: str) -> list[float]:
    return [firing.start for firing in ran.fired if firing.name == name]


# ---------------------------------------------------------------- which clocks there are


def test_c1_each_token_has_its_own_clock(engine: str) -> None:
    ran = simulate("place job : int = 2, 1, 3  transition t: job(n) -> nothing  after 1.0 * n", engine)
    assert [(f.start, f.end, f.values) for f in ran.fired] == [(1.0, 1.0, (1,)), (2.0, 2.0, (2,)), (3.0, 3.0, (3,))]


def test_c1_each_pair_of_tokens_has_its_own_clock(engine: str) -> None:
    text = """
    place a : int = 1, 2
    place b : int = 10, 20
    transition meet: read a(x), b(y) -> nothing  after 1.0 * (x + y)
    """
    ran = simulate(text, engine)
    assert [(f.start, f.values) for f in ran.fired] == [(11.0, (1, 10)), (21.0, (1, 20))]


def test_c1_a_token_that_is_read_stays_and_one_that_is_given_back_is_another(engine: str) -> None:
    text = """
    place watched : int = 7
    place bell = token  place one
    transition touch: one, {}watched(x) -> {}
    transition wake: bell -> one  takes 2
    transition alarm: watched(x) -> nothing  after 3
    """
    assert times(simulate(text.format("read ", "nothing"), engine), "alarm") == [3.0]
    assert times(simulate(text.format("", "watched(x)"), engine), "alarm") == [5.0]


def test_c1_black_tokens_have_as_many_clocks_as_servers_and_the_enabling_degree(engine: str) -> None:
    text = "place p = 5 * token  place q = 9 * token  transition t: {}p, q -> nothing  after 4  {}"
    assert times(simulate(text.format("", "servers 3"), engine), "t") == [4.0, 4.0, 4.0, 8.0, 8.0]
    assert times(simulate(text.format("", "servers all"), engine), "t") == [4.0] * 5
    assert times(simulate(text.format("2 * ", "servers all"), engine), "t") == [4.0, 4.0]
    assert times(simulate(text.format("2 * ", ""), engine), "t") == [4.0, 8.0]


def test_c1_what_is_read_does_not_count_for_the_enabling_degree(engine: str) -> None:
    text = "place p = 2 * token  place q = token  transition t: p, read q -> nothing  after 4  servers all"
    assert times(simulate(text, engine), "t") == [4.0, 4.0]


# ---------------------------------------------------------------- the end of an instant


@pytest.mark.parametrize(("memory", "alarm"), [("", 5.0), ("resume", 3.0), ("repeat", 5.0)])
def test_c2_a_clock_loses_a_black_token_that_is_taken_and_given_back(engine: str, memory: str, alarm: float) -> None:
    """`p` is taken and given back at 2. What is read, or comes while there is enough, does not disturb the clock."""
    text = f"""
    place p = token  place held  place kick = token  place now_
    transition come: kick -> now_  takes 2
    transition grab: {{}}
    transition back: held -> {{}}
    transition alarm: p -> nothing  after 3  {memory}
    """
    taken = simulate(text.format("p, now_ -> held", "p"), engine)
    assert times(taken, "alarm") == [alarm]
    assert taken.observation.dropped[taken.names.index("alarm")] == 1
    for undisturbed in (("read p, now_ -> held", "nothing"), ("now_ -> held", "nothing"), ("now_ -> held", "p")):
        assert times(simulate(text.format(*undisturbed), engine), "alarm")[0] == 3.0


def test_c2_old_tokens_are_those_that_have_not_been_taken_since_the_last_instant(engine: str) -> None:
    """At 2 a token comes, and then one is taken: the old one. Of three, two are old then, enough for one clock."""
    text = """
    place p = {} * token  place kick = token  place now_
    transition come: kick -> p, now_  takes 2
    transition take_one: now_, p -> nothing
    transition alarm: p -> nothing  after 3
    """
    assert times(simulate(text.format(1), engine), "alarm") == [5.0]
    assert times(simulate(text.format(3), engine), "alarm")[0] == 3.0


def test_c2_a_clock_needs_the_tokens_that_it_reads_to_stay(engine: str) -> None:
    text = """
    place p = token  place on = {} * token  place kick = token  place now_
    transition come: kick -> now_  takes 2
    transition renew: on, now_ -> on
    transition alarm: p, read on -> nothing  after 3
    """
    assert times(simulate(text.format(1), engine), "alarm") == [5.0]
    assert times(simulate(text.format(2), engine), "alarm") == [3.0]


@pytest.mark.parametrize(("memory", "end"), [("", 13.0), ("restart", 13.0), ("resume", 7.0), ("repeat", 9.0)])
def test_c2_what_becomes_of_a_clock_that_stops(engine: str, memory: str, end: float) -> None:
    """`up` is away from 2 to 4, and a clock that is set anew at 4 is set to 9."""
    text = f"""
    place job = token  place up = token  place down
    place first = token  place trouble
    transition worry: first -> trouble  takes 2
    transition fail: up, trouble -> down
    transition mend: down -> up  takes 2
    transition work: job, up -> up  after now + 5  {memory}
    """
    ran = simulate(text, engine)
    assert times(ran, "work") == [end]
    observation, work = ran.observation, ran.names.index("work")
    assert (observation.set[work], observation.dropped[work]) == (2 if end == 13.0 else 1, 1)


def test_c2_a_stopped_clock_is_forgotten_when_its_token_is_taken(engine: str) -> None:
    text = """
    place job : int = 1  place up = token  place down  place desk : int
    place first = token  place trouble  place second = token  place look
    transition worry: first -> trouble  takes 2
    transition fail: up, trouble -> down
    transition mend: down -> up  takes 4
    transition come: second -> look  takes 3
    transition lift: look, {} -> {}
    transition work: job(n), up -> up  after 5  resume
    """
    assert times(simulate(text.format("read job(n)", "nothing"), engine), "work") == [9.0]
    assert times(simulate(text.format("job(n)", "job(n)"), engine), "work") == [11.0]


def test_c2_clocks_stop_from_the_one_set_first(engine: str) -> None:
    """The tokens of `p` come at 0 and 1, and one is taken at 2; two clocks of `t` need one of `q` each."""
    text = """
    place p = token  place q = 2 * token  place more = token  place less = token  place spare
    transition add: more -> p  takes 1
    transition come: less -> spare  takes 2
    transition take_one: spare, {} -> nothing
    transition t: p, q -> nothing  after 5  servers all
    """
    for taken in "pq":
        ran = simulate(text.format(taken), engine)
        t = ran.names.index("t")
        assert times(ran, "t") == [6.0]
        assert (ran.observation.set[t], ran.observation.dropped[t]) == (2, 1)


# Tokens of `p` come at 0, 1 and 2, and each has a clock; at 4 one is taken.
EACH = """
place p = token  place more = token  place later = token  place less = token  place spare
transition add: more -> p  takes 1
transition add_more: later -> p  takes 2
transition come: less -> spare  takes 4
"""


def test_c1_each_black_token_has_a_clock_and_who_came_first_is_taken_first(engine: str) -> None:
    text = EACH + "transition take_one: spare, p -> nothing  transition t: p -> nothing  after 7 servers all"
    ran = simulate(text, engine)
    assert times(ran, "t") == [8.0, 9.0]
    t = ran.names.index("t")
    assert (ran.observation.set[t], ran.observation.dropped[t]) == (3, 1)


def test_c1_a_stopped_clock_of_a_black_token_goes_with_it(engine: str) -> None:
    """At 4 the token of 0 is taken; clocks stop from 3 to 6. With so many servers a clock is nobody's: it goes on."""
    text = (
        EACH
        + """
    place off  place switch = token  place wait  place woken
    transition stop: switch -> off, wait  takes 3
    transition wake: wait -> woken  takes 3
    transition go: off, woken -> nothing
    transition take_one: spare, p -> nothing
    transition t: p -> nothing  after 7  resume  servers {}  when tokens(off) == 0
    """
    )
    assert times(simulate(text.format("all"), engine), "t") == [11.0, 12.0]
    assert times(simulate(text.format("9"), engine), "t") == [10.0, 11.0]


def test_c3_a_firing_by_its_clock_takes_the_token_of_the_clock(engine: str) -> None:
    """`late` fires at 4 for the token of 2, which has the shortest time; so the clock of `t` for that token is lost."""
    text = (
        EACH
        + """
    transition late: p -> nothing  after if now == 2 then 2 else 9 - now  servers all
    transition t: p -> nothing  after 7  servers all
    """
    )
    ran = simulate(text, engine)
    assert (times(ran, "late"), times(ran, "t")) == ([4.0], [7.0, 8.0])


def test_c3_a_firing_by_the_common_clock_takes_any_token_that_its_clocks_are_for(engine: str) -> None:
    """Of two tokens, `any` takes the younger with probability 1/2, and `one`, which has one clock, the older."""
    text = """
    place p = token  place more = token
    transition add: more -> p  takes 1
    transition {}: p -> nothing  after exp(0.01 + 1e9 * (1 - tokens(p) div 2)) {}
    transition t: p -> nothing  after 7  servers all
    """
    first = [times(simulate(text.format("any", "servers all"), engine, seed=seed), "t")[0] for seed in range(60)]
    assert sorted({round(time) for time in first}) == [7, 8]
    assert 12 <= sum(time > 7.5 for time in first) <= 48  # Binomial(60, 1/2): 4e-6
    assert times(simulate(text.format("one", ""), engine), "t") == [8.0]


def test_c3_a_token_that_is_taken_takes_its_clock_along_at_once(engine: str) -> None:
    """An answer comes for the first request as its time is over; the second request has until 8."""
    text = """
    place request = token  place second = token  place answer = token  place known
    transition ask: second -> request  takes 3
    transition come: answer -> known  takes 5
    transition settle: request, known -> nothing  priority {}
    transition late: request -> nothing  after 5  servers all
    """
    assert times(simulate(text.format(1), engine), "late") == [8.0]
    assert times(simulate(text.format(-1), engine), "late") == [5.0]


def test_c2_clocks_are_set_transition_by_transition_and_then_in_the_order_of_bindings(engine: str) -> None:
    text = """
    place p : int = 1, 2  place q : int = 3
    transition a: p(n) -> nothing  after uniform(0.0..8.0)
    transition b: q(n) -> nothing  after uniform(0.0..8.0)
    """
    ran = simulate(text, engine)
    stream = RandomStream(1, 0)
    drawn = [(8.0 * stream.uniform(), number) for number in (1, 2, 3)]
    for firing, (time, number) in zip(ran.fired, sorted(drawn), strict=True):
        assert firing.start == pytest.approx(time, rel=1e-5)
        assert firing.values == (number,)


# ---------------------------------------------------------------- clocks that have run down


def test_c3_due_bindings_stand_beside_other_transitions_by_priority(engine: str) -> None:
    text = """
    place p = token  place a = token  place b
    transition first: p -> nothing  after 3
    transition other: p -> nothing  after 3  {}
    transition come: a -> b  takes 3
    transition plain: b -> nothing  {}
    """
    assert simulate(text.format("priority 1", "priority 2"), engine).order() == "come plain other"
    assert simulate(text.format("priority 2", "priority 1"), engine).order() == "come other plain"


@pytest.mark.slow
def test_c3_due_bindings_are_chosen_by_weight(engine: str) -> None:
    text = """
    place p : int = i for i in 1..400
    transition a: p(n) -> nothing  after 3  weight 3
    transition b: p(n) -> nothing  after 3
    """
    counts = simulate(text, engine).counts()
    assert abs(counts["a"] - 300) < 6 * 8.7  # Binomial(400, 3/4)
    assert counts["a"] + counts["b"] == 400


def test_c3_a_binding_that_is_disabled_before_its_turn_is_not_due(engine: str) -> None:
    text = """
    place p = token  place q  place kick = token  place hit
    transition come: kick -> hit  takes 3
    transition away: hit, p -> q  priority 1
    transition alarm: p -> nothing  after 3
    transition back: q -> p  takes 1
    """
    ran = simulate(text, engine)
    assert (times(ran, "away"), times(ran, "alarm")) == ([3.0], [7.0])


def test_c3_a_clock_that_has_lost_its_token_is_not_due(engine: str) -> None:
    text = """
    place p = token  place q  place kick = token  place hit
    transition come: kick -> hit  takes 3
    transition away: hit, {}p -> q  priority 2
    transition alarm: p -> nothing  after 3
    transition back: q -> {}  priority 1
    """
    assert times(simulate(text.format("", "p"), engine), "alarm") == [6.0]
    assert times(simulate(text.format("read ", "nothing"), engine), "alarm") == [3.0]


def test_c3_of_the_clocks_that_have_ended_the_one_set_first_is_over(engine: str) -> None:
    """Two clocks end at 6. The one set at 0 is over first; the other has lost its token then."""
    text = """
    place p = token  place more = token  place less
    transition add: more -> p  takes 1
    transition t: p -> less  after 6.0 - now  servers all  priority 1
    transition lose: less, p -> nothing  priority 2
    """
    assert simulate(text, engine).order() == "add t lose"


def test_c3_a_preference_is_among_the_due_bindings(engine: str) -> None:
    text = """
    place p : int = 1, 2, 3
    transition t: p(n) -> nothing  after (if n == 3 then 5 else 4)  prefer most n
    """
    assert simulate(text, engine).values("t") == [(2,), (1,), (3,)]


# ---------------------------------------------------------------- exponential clocks


def test_c4_bindings_share_a_clock_of_their_summed_rate(engine: str) -> None:
    net = language.loads("net test\nplace job : int = 1, 2, 3, 4\ntransition t: job(n) -> nothing  after exp(10)")
    ran = simulate(net, engine)
    stream, mean, now, left = RandomStream(1, 0), net.tick.ticks(10.0), 0, [1, 2, 3, 4]
    for firing in ran.fired:
        now += round(stream.exponential() / (len(left) * (1.0 / mean)))
        assert (firing.start, firing.values) == (net.tick.time(now), (left.pop(stream.equal_choice(len(left))),))
    assert left == []


def test_c4_the_shared_clock_is_set_anew_when_its_rate_has_changed_and_only_then(engine: str) -> None:
    text = "place p = 3 * token  place other = token  transition t: p -> nothing  after exp(10)  {}  {}"
    alone = simulate(text.format("", ""), engine)
    beside = " transition tick: other -> other  takes 0.5"
    undisturbed = times(simulate(text.format("", beside), engine, until=100.0), "t")
    assert undisturbed == pytest.approx([time for time in times(alone, "t") if time <= 100.0])
    more = " transition more: other -> p  takes 0.5"
    assert times(simulate(text.format("", more), engine), "t")[0] == pytest.approx(times(alone, "t")[0])
    stream = RandomStream(1, 0)
    stream.exponential()  # with 3 clocks; it would end later than 0.5, when there are 4
    changed = times(simulate(text.format("servers all", more), engine), "t")[0]
    assert changed == pytest.approx(0.5 + stream.exponential() * 10.0 / 4)


@pytest.mark.parametrize("transitions", [2, 3, 5, 17, 40])
def test_c4_transitions_without_memory_have_one_clock_and_one_is_chosen_by_rate(engine: str, transitions: int) -> None:
    means = [1.0 + 0.37 * n for n in range(transitions)]
    text = "".join(
        f"place p{n} = 3 * token\ntransition t{n}: p{n} -> nothing  after exp({mean} s)  servers all\n"
        for n, mean in enumerate(means)
    )
    net = language.loads(f"net test\ntime s resolution 1 ns\n{text}")
    ran = simulate(net, engine)
    stream, now, left = RandomStream(1, 0), 0.0, [3] * transitions
    for firing in ran.fired:
        level = [n * (1.0 / net.tick.ticks(mean)) for n, mean in zip(left, means, strict=True)]
        level += [0.0] * (64 - transitions)
        levels = [level]
        while len(levels[-1]) > 1:
            levels.append([one + other for one, other in zip(levels[-1][::2], levels[-1][1::2], strict=True)])
        now += round(stream.exponential() / levels[-1][0])
        x, chosen = stream.uniform() * levels[-1][0], 0
        for level in levels[-2::-1]:
            first, second = level[2 * chosen], level[2 * chosen + 1]
            is_second = second > 0.0 and x >= first
            x, chosen = x - first * is_second, 2 * chosen + is_second
        assert (firing.name, firing.start) == (f"t{chosen}", net.tick.time(now))
        left[chosen] -= 1
    assert sum(left) == 0


def test_c4_the_transition_that_is_due_may_be_disabled_and_another_is_chosen_then(engine: str) -> None:
    """Both clocks run down at once, as their mean is 0; the one that fires takes the token of the other."""
    text = """
    place p = token  place q = token  place bell = token  place now_
    transition one: p, q -> nothing  after exp(1000000.0 * (1 - tokens(now_)))
    transition other: p, q -> nothing  after exp(1000000.0 * (1 - tokens(now_)))
    transition come: bell -> now_  takes 1
    transition stay: q -> q  after exp(1000000.0)
    """
    ran = simulate(text, engine, until=10.0)
    assert [firing.start for firing in ran.fired] == [0.0, 1.0]
    assert ran.order().split()[1] in ("one", "other")
    disabled = simulate(text + "transition take: now_, p -> nothing  priority 1\n", engine, until=10.0)
    assert [(firing.name, firing.start) for firing in disabled.fired] == [("come", 0.0), ("take", 1.0)]


def test_c4_a_rate_has_a_greatest_value(engine: str) -> None:
    """Of transitions with the mean 0, each fires as often, and before any other."""
    text = """
    place p = 400 * token  place slow = 50 * token
    transition one: p -> nothing  after exp(0.0 * tokens(p))  servers all
    transition other: p -> nothing  after exp(0.0 * tokens(p))
    transition late: slow -> nothing  after exp(0.001)  servers all
    """
    ran = simulate(text, engine)
    order = ran.order().split()
    assert set(order[:400]) == {"one", "other"}
    assert order[400:] == ["late"] * 50
    assert 150 < order.count("one") < 250


def test_c4_a_mean_that_reads_the_marking_holds_anew(engine: str) -> None:
    """With the client the mean is long; without it, from 1 on, it is 0, and the clock has run down."""
    text = """
    place p = token  place client = token  place bell = token  place rung
    transition t: p -> nothing  after exp({})  {}
    transition ring: bell -> rung  takes 1
    transition leave: rung, client -> nothing
    """
    mean = "1000000.0 * tokens(client)"
    for prefer in ("", "prefer least tokens(p)"):
        assert times(simulate(text.format(mean, prefer), engine), "t") == [1.0]
    (kept,) = times(simulate(text.format(mean, "resume"), engine), "t")
    assert kept > 1.0


def test_c4_bindings_of_different_means_have_clocks_of_their_own(engine: str) -> None:
    text = "place job : int = 1, 2, 3  transition t: job(n) -> nothing  after exp(1.0 * n)"
    ran = simulate(text, engine)
    stream = RandomStream(1, 0)
    drawn = sorted((n * stream.exponential(), n) for n in (1, 2, 3))
    for firing, (time, number) in zip(ran.fired, drawn, strict=True):
        assert firing.start == pytest.approx(time, rel=1e-5)
        assert firing.values == (number,)


# ---------------------------------------------------------------- speeds


def test_c5_processor_sharing(engine: str) -> None:
    """Both jobs run at half speed until 6; then the second has 3 left, and half of it is done when a third comes."""
    text = """
    place job : {id: int, work: real} = {id: 1, work: 3.0}, {id: 2, work: 6.0}
    place late = token
    transition come: late -> job({id: 3, work: 2.0})  takes 7.5
    transition done: job(j) -> nothing  after j.work  speed 1 / tokens(job)
    """
    ran = simulate(text, engine)
    assert [(f.start, f.values[0]) for f in ran.fired if f.name == "done"] == [(6.0, 1), (10.5, 2), (11.0, 3)]


def test_c5_a_clock_of_speed_0_stands_still(engine: str) -> None:
    text = """
    place job = token  place up = token  place first = token  place trouble  place second = token
    transition worry: first -> trouble  takes 2
    transition fail: trouble, up -> nothing
    transition mend: second -> up  takes 6
    transition work: job -> nothing  after 5  speed tokens(up)
    """
    ran = simulate(text, engine)
    work = ran.names.index("work")
    assert times(ran, "work") == [9.0]
    assert (ran.observation.in_progress[work], ran.observation.set[work], ran.observation.dropped[work]) == (9.0, 1, 0)


def test_c5_a_shared_clock_runs_at_the_speed_too(engine: str) -> None:
    text = "place p = token  place factor = 4 * token  transition t: p -> nothing  after exp(8)  {}"
    (slow,) = times(simulate(text.format(""), engine), "t")
    (fast,) = times(simulate(text.format("speed tokens(factor)"), engine), "t")
    assert fast == pytest.approx(slow / 4, rel=1e-8)


def test_c5_each_token_has_a_share(engine: str) -> None:
    """One third and two thirds until 6; then the first has 2 left, all of the speed, and loses it from 7 to 8."""
    text = """
    place job : {id: int, share: int, work: real} = {id: 1, share: 1, work: 4.0}, {id: 2, share: 2, work: 4.0}
    place shares = 3 * token  place up = token  place first = token  place second = token
    transition fail: first, up -> nothing  after 7
    transition mend: second -> up  takes 8
    transition done: job(j), read up, j.share * shares -> nothing  after j.work  resume  speed j.share / tokens(shares)
    """
    ran = simulate(text, engine)
    assert [(f.start, f.values[0]) for f in ran.fired if f.name == "done"] == [(6.0, 2), (9.0, 1)]


def test_c5_a_token_whose_share_is_0_has_no_clock(engine: str) -> None:
    text = """
    place job : {share: real} = {share: 0.0}, {share: 0.5}, {share: 2.0}
    transition done: job(j) -> nothing  after exp(1)  speed j.share
    """
    ran = simulate(text, engine)
    assert sorted(ran.values("done")) == [(0.5,), (2.0,)]
    assert (ran.observation.set[0], ran.observation.dropped[0], ran.marking["job"]) == (2, 0, [(0.0,)])


# ---------------------------------------------------------------- arcs that see all tokens


@pytest.mark.parametrize(
    ("discipline", "order"),
    [("fifo", [2, 3, 1]), ("lifo", [1, 3, 2]), ("by value", [1, 2, 3]), ("by -value", [3, 2, 1])],
)
def test_e9_any_sees_all_tokens_in_the_order_of_the_discipline(engine: str, discipline: str, order: list[int]) -> None:
    text = f"place q : int {discipline} = 2, 3, 1  place go = token  transition t: go, any q(n) -> nothing"
    for seed in range(8):
        ((number,),) = simulate(text, engine, seed=seed).values("t")
        assert number == order[RandomStream(seed, 0).equal_choice(3)]


def test_e9_any_finds_a_token_behind_the_one_that_is_shown(engine: str) -> None:
    text = "place q : int fifo = 1, 2, 3  place want : int = 2  transition t: want(n), {}q(n) -> nothing"
    assert simulate(text.format(""), engine).values("t") == []
    ran = simulate(text.format("any "), engine)
    assert (ran.values("t"), ran.marking["q"]) == ([(2,)], [(1,), (3,)])
    assert simulate(text.format("read any "), engine).marking["q"] == [(1,), (2,), (3,)]


def test_e9_any_and_the_arc_that_sees_one_find_distinct_tokens(engine: str) -> None:
    text = "place q : int fifo = 1, 2  transition t: q(a), any q(b) -> nothing"
    assert simulate(text, engine).values("t") == [(1, 2)]


def test_e9_each_customer_has_a_patience_behind_the_first(engine: str) -> None:
    text = """
    place queue : {id: int, patience: real} fifo = {id: 1, patience: 9.0}, {id: 2, patience: 4.0}
    transition renege: any queue(c) -> nothing  after c.patience
    transition serve: queue(c) -> nothing  after 5  resume
    """
    assert [(f.name, f.start) for f in simulate(text, engine).fired] == [("renege", 4.0), ("serve", 5.0)]


# ---------------------------------------------------------------- errors and statistics


@pytest.mark.parametrize(
    ("clause", "error"),
    [
        ("after 1.0 * tokens(p) - 7.0", "negative-time"),
        ("after 1  speed tokens(p) - 7", "negative-speed"),
        ("after exp(1)  speed tokens(p) - 7", "negative-speed"),
        ("after exp(1.0 * tokens(p) - 7.0)", "bad-parameter"),
    ],
)
def test_x2_times_and_speeds_are_not_negative(engine: str, clause: str, error: str) -> None:
    ran = simulate(f"place p = token  transition t: p -> nothing  {clause}", engine)
    assert ran.error is not None
    assert (ran.error.id, ran.error.transition) == (error, 0)


@pytest.mark.parametrize(("time", "error"), [("2", "negative-time"), ("exp(2)", "bad-parameter")])
def test_x2_the_share_of_a_token_is_not_negative(engine: str, time: str, error: str) -> None:
    ran = simulate(f"place p : real = -0.5  transition t: p(x) -> nothing  after {time}  speed 3 * x", engine)
    assert ran.error is not None
    assert (ran.error.id, ran.error.transition) == (error, 0)


def test_x3_clocks_are_limited(engine: str) -> None:
    text = "place a : int = i for i in 1..30  transition t: a(x), a(y) -> nothing  after {}"
    ran = simulate(text.format("1.0 * x"), engine, limits=Limits(tokens=500))
    assert ran.error is not None
    assert ran.error.id == "clock-limit"
    assert simulate(text.format("exp(1)"), engine, limits=Limits(tokens=500)).error is None


def test_x3_a_loop_of_clocks_that_take_no_time_is_told(engine: str) -> None:
    text = "place p = token  transition t: p -> p  after 0"
    ran = simulate(text, engine, limits=Limits(firings_at_an_instant=50))
    assert ran.error is not None
    assert ran.error.id == "instant-limit"


def test_m2_clocks_take_the_place_of_firings_in_progress(engine: str) -> None:
    text = """
    place p = 2 * token
    transition t: p -> nothing  after 4  servers all
    transition u: p -> nothing  after 6
    """
    seen = simulate(text, engine, until=10.0).observation
    assert list(seen.firings) == [2, 0]
    assert list(seen.in_progress) == [8.0, 4.0]
    assert list(seen.active) == [4.0, 4.0]
    assert list(seen.set) == [2, 1]
    assert list(seen.dropped) == [0, 1]
