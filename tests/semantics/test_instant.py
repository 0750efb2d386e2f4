"""Rules I1 to I13: what happens at an instant, and when time moves."""

from collections import Counter

import pytest

import petri
from petri import language
from petri.run.session import begin
from petri.structs import replace
from tests.semantics.harness import Fired, fired_of, simulate


def test_i1_simultaneous_ends_deposit_before_anything_starts(engine: str) -> None:
    ran = simulate(
        """
        place a = token  place b = token  place left  place right
        transition x: a -> left   takes 1
        transition y: b -> right  takes 1
        transition lone: left -> nothing
        transition both: left, right -> nothing  priority 1
        """,
        engine,
    )
    assert ran.fired[-1].name == "both"


def test_i2_the_highest_priority_goes_first(engine: str) -> None:
    for seed in range(10):
        ran = simulate(
            """
            place p = 3 * token  place q = 2 * token
            transition low: p -> nothing
            transition high: q -> nothing  priority 2
            """,
            engine,
            seed=seed,
        )
        assert ran.order() == "high high low low low"


def test_i3_weights_share_out_conflicts(engine: str) -> None:
    ran = simulate(
        """
        place p = 1600 * token
        transition a: p -> nothing  weight 3
        transition b: p -> nothing
        """,
        engine,
    )
    # Binomial(1600, 3/4): 1200 ± 17.3; six standard deviations are left once in 10^9.
    assert abs(ran.counts()["a"] - 1200) < 6 * 17.3


def test_i3_weights_may_read_the_marking(engine: str) -> None:
    """All three are enabled each time, and the weights of two are 0."""
    ran = simulate(
        """
        place turn = 60 * token
        place phase
        transition a: turn -> phase        weight if tokens(phase) mod 3 == 0 then 1 else 0
        transition b: turn -> phase        weight if tokens(phase) mod 3 == 1 then 1 else 0
        transition c: turn -> phase        weight if tokens(phase) mod 3 == 2 then 1 else 0
        """,
        engine,
    )
    assert ran.order() == " ".join(20 * "abc")


@pytest.mark.parametrize(("weight", "error"), [("tokens(p) - 3", "negative-weight"), ("tokens(q)", "no-weight")])
def test_i3_weights_are_not_negative_nor_all_0(engine: str, weight: str, error: str) -> None:
    text = """
    place p : { n: int, x: real } = { n: 1, x: 2.0 }
    place q
    transition t: p(v) -> nothing  weight WEIGHT
    transition u: p(v) -> nothing  weight WEIGHT
    """
    ran = simulate(text.replace("WEIGHT", weight), engine)
    assert ran.error is not None
    assert (ran.error.id, ran.error.transition, ran.error.binding) == (error, 0, {})


def test_i3_weights_may_become_0_in_the_middle_of_a_run(engine: str) -> None:
    text = """
    place p = 50 * token
    place q
    place r
    transition come: p -> q  takes 1
    transition a: q -> r  weight 40 - tokens(r)
    transition b: q -> r  weight 40 - tokens(r)
    """
    ran = simulate(text, engine)
    assert ran.error is not None
    assert (ran.error.id, ran.error.transition, ran.error.time) == ("no-weight", 1, 1.0)
    assert len(ran.fired) == 50 + 40


def test_i3_one_candidate_needs_no_weight(engine: str) -> None:
    ran = simulate("place p = token  place q  transition t: p -> nothing  weight tokens(q)", engine)
    assert ran.order() == "t"


def test_i4_how_many_tokens_wait_does_not_bias_which_transition_wins(engine: str) -> None:
    ran = simulate(
        """
        place many : int = i for i in 1..99
        place few : int = 1
        place turn = 600 * token
        transition a: turn, many(n) -> many(n)
        transition b: turn, few(n) -> few(n)
        """,
        engine,
    )
    assert abs(ran.counts()["a"] - 300) < 6 * 12.3  # Binomial(600, 1/2)


WAITING = "place q : {{ x: 0..9, y: real }} = {}  place out : int fifo  place turn : 0..9 = 3\n"


def order_of(text: str, engine: str, seed: int = 1) -> list[int]:
    waiting = ", ".join(f"{{x: {x}, y: {y}}}" for x, y in ((5, 0.5), (2, -1.5), (7, 0.25), (0, 9.5)))
    return [int(values[0]) for values in simulate(WAITING.format(waiting) + text, engine, seed=seed).values("t")]


def test_i4_the_binding_with_the_least_or_greatest_key_is_chosen(engine: str) -> None:
    assert order_of("transition t: q({x, y}) -> out(x)  prefer least x", engine) == [0, 2, 5, 7]
    assert order_of("transition t: q({x, y}) -> out(x)  prefer most y", engine) == [0, 5, 7, 2]
    assert order_of("transition t: q({x, y}) -> out(x)  prefer most x  when x < 7", engine) == [5, 2, 0]
    round_robin = "transition t: q({x, y}), turn(n) -> turn((x + 1) mod 10)  prefer least (x - n) mod 10"
    assert order_of(round_robin, engine) == [5, 7, 0, 2]


def test_i4_of_several_keys_each_decides_among_equal_values_of_those_before(engine: str) -> None:
    assert order_of("transition t: q({x, y}) -> out(x)  prefer least (x mod 2, y)", engine) == [2, 0, 7, 5]
    assert order_of("transition t: q({x, y}) -> out(x)  prefer most (x mod 2, x > 3, y)", engine) == [5, 7, 0, 2]
    text = """
        type Class = gold | silver
        place q : { class: Class, urgent: bool, came: real } = {class: silver, urgent: true, came: 1.0},
          {class: gold, urgent: true, came: 4.0}, {class: gold, urgent: false, came: 2.0},
          {class: gold, urgent: true, came: 3.0}
        place s = token
        transition t: q(p), s -> s  takes 1  prefer least (p.class, not p.urgent, p.came)
        """
    assert [values[2] for values in simulate(text, engine).values("t")] == [3.0, 4.0, 2.0, 1.0]


def test_i4_a_key_may_be_of_several_tokens(engine: str) -> None:
    text = """
        place a : int = 1, 4, 9
        place b : int = 2, 3, 8
        transition t: a(m), b(n) -> nothing  prefer least abs(m - n) + m
        """
    assert simulate(text, engine).values("t") == [(1, 2), (4, 3), (9, 8)]


def test_i4_of_bindings_with_equal_keys_each_is_equally_likely(engine: str) -> None:
    text = """
        place q : { key: int, number: 0..2 } = {key: 1, number: 0}, {key: 1, number: 1}, {key: 2, number: 2}
        place go = 1000 * token
        transition t: go, q(p) -> q(p)  prefer least p.key
        """
    counts = Counter(values[1] for values in simulate(text, engine).values("t"))
    assert counts[2] == 0
    assert abs(counts[0] - 500) < 6 * 15.8  # Binomial(1000, 1/2)


def test_i4_the_key_is_evaluated_where_there_is_a_choice(engine: str) -> None:
    """The error names what arcs have bound, and nothing that is drawn later."""
    text = "place q : int = 1, 0  transition t: q(n) -> nothing  draw d ~ exp(1.0)  prefer least 6 div n"
    ran = simulate(text, engine)
    assert ran.error is not None
    assert (ran.error.id, ran.error.binding) == ("division-by-zero", {"n": 0})
    assert simulate(text.replace("1, 0", "0"), engine).counts() == {"t": 1}


def test_i5_draws_then_time_then_outputs_all_at_the_start(engine: str) -> None:
    ran = simulate(
        """
        place a = token
        place b : { drawn: real, start: real, stop: real }
        transition wait: a -> a takes 1  when tokens(b) == 0
        transition t: a -> b({drawn: x, start: now, stop: end})  draw x ~ uniform(2.0..3.0)  takes x
        """,
        engine,
        seed=4,
        firings=50,
    )
    ((drawn, start, stop),) = ran.marking["b"]
    last = ran.fired[-1]
    assert 2.0 <= drawn < 3.0
    assert (start, stop) == (last.start, last.end)
    assert stop - start == pytest.approx(drawn, abs=3.0 / 2**20)  # rounded to ticks


def test_i5_tokens_are_taken_then_places_reset(engine: str) -> None:
    ran = simulate(
        """
        place a = token
        place b : int fifo = 1, 2, 3
        transition t: a, b(n), reset b -> b(10 * n)
        """,
        engine,
    )
    assert ran.marking["b"] == [(10,)]


def test_i6_an_immediate_firing_deposits_at_once(engine: str) -> None:
    ran = simulate(
        """
        place a = token  place b  place c
        transition x: a -> b
        transition y: b -> c  takes 0
        """,
        engine,
    )
    assert (ran.order(), ran.now) == ("x y", 0.0)


def test_i7_starts_go_on_until_nothing_is_enabled(engine: str) -> None:
    ran = simulate("place a = 5 * token place b transition t: a -> b takes 3", engine)
    assert [f.start for f in ran.fired] == [0.0] * 5


def test_i8_time_moves_to_the_earliest_end_and_a_net_can_die(engine: str) -> None:
    ran = simulate(
        """
        place a = token  place b = token  place c
        transition slow: a -> c  takes 3
        transition fast: b -> c  takes 2
        transition last: c -> nothing  takes 0.5
        """,
        engine,
    )
    assert [(f.name, f.start) for f in ran.fired][2:] == [("last", 2.0), ("last", 3.0)]
    assert (ran.reason, ran.now) == ("dead", 3.5)


def test_i9_a_firing_in_progress_is_not_disturbed(engine: str) -> None:
    ran = simulate(
        """
        place a = token  place b = token  place out : real
        transition t: a, no blocked -> out(end)  takes 4
        place blocked
        transition block: b -> blocked  takes 1
        """,
        engine,
    )
    assert ran.marking["out"] == [(4.0,)]


def test_i10_a_run_until_t_includes_what_happens_at_t(engine: str) -> None:
    text = "place a = token transition t: a -> a takes 1"
    ran = simulate(text, engine, until=3.0)
    assert [f.start for f in ran.fired] == [0.0, 1.0, 2.0, 3.0]
    assert (ran.reason, ran.now) == ("until", 3.0)
    ran = simulate("place a = token transition t: a -> nothing takes 1", engine, until=3.0)
    assert (ran.reason, ran.now) == ("dead", 1.0)


@pytest.mark.parametrize("warmup", [0.0, 1.0, 50.0])
def test_i10_the_state_of_a_dead_net_lasts_until_the_end(engine: str, warmup: float) -> None:
    text = """net absorb
    place a = token  place b
    transition t: a -> b  takes 2
    measure in_b = mean(b)
    measure fired = rate(t)
    measure gone = share(tokens(b) > 0)
    measure hit = time_until(tokens(b) > 0)
    measure course = mean(b)  record series(40)
    """
    result = petri.loads(text).run(until=100.0, warmup=warmup, engine=engine, occupancy=True)
    length, after = 100.0 - warmup, 100.0 - max(warmup, 2.0)
    assert result.replications[0].window.elapsed == length
    assert result.measure("in_b").value == result.measure("gone").value == after / length
    assert result.measure("fired").value == (warmup == 0.0) / length
    assert result.measure("hit").value == max(2.0 - warmup, 0.0)
    occupancy = result.occupancy("b")
    assert occupancy is not None
    assert occupancy.shares[1] == after / length
    assert [*result.replications[0].series[4]] == [(40.0 - max(2.0 - warmup, 0.0)) / 40.0, 1.0][: int(length / 40.0)]
    assert (result.replications[0].ended, result.replications[0].died, result.replications[0].time) == (
        "dead",
        2.0,
        100.0,
    )


def test_i10_a_run_until_the_net_is_dead_ends_with_it(engine: str) -> None:
    model = petri.loads("net absorb  place a = token  place b  transition t: a -> b takes 2  measure in_b = mean(b)")
    result = model.run(until="dead", engine=engine)
    assert (result.measure("in_b").value, result.replications[0].window.elapsed) == (0.0, 2.0)


def test_i11_an_output_with_a_delay_arrives_that_time_after_the_start(engine: str) -> None:
    ran = simulate(
        """
        place a : real fifo = 4.0, 1.0
        place early : { at: real, stop: real } fifo  place late : real fifo  place done : real
        place seen : { what: int, at: real } fifo
        transition t: a(x) -> early({at: now, stop: end}) in x / 2, late(x) in x, late(0.0 - x) in 0
          takes 3
        transition see_early: early(e) -> done(e.stop), seen({what: 1, at: now})
        transition see_late: late(x) -> seen({what: if x > 0 then 2 else 3, at: now})
        """,
        engine,
    )
    assert [value for value in ran.marking["seen"] if value[0] == 1] == [(1, 0.5), (1, 2.0)]
    assert [value for value in ran.marking["seen"] if value[0] == 2] == [(2, 1.0), (2, 4.0)]
    assert [value for value in ran.marking["seen"] if value[0] == 3] == [(3, 0.0), (3, 0.0)]
    assert ran.marking["done"] == [(3.0,), (3.0,)]  # `end` is that of the firing
    assert (ran.reason, ran.now) == ("dead", 4.0)


def test_i11_at_one_instant_a_firing_ends_before_its_outputs_arrive_in_the_order_of_the_arcs(engine: str) -> None:
    ran = simulate(
        """
        place a : int fifo = 1, 2
        place out : { of: int, what: int } fifo
        transition t: a(n) -> out({of: n, what: 1}) in 2, out({of: n, what: 0}), out({of: n, what: 2}) in 2  takes 2
        """,
        engine,
    )
    assert ran.marking["out"] == [(n, what) for n in (1, 2) for what in (0, 1, 2)]


def test_i11_room_is_kept_for_what_is_on_the_way(engine: str) -> None:
    ran = simulate(
        """
        place a = 5 * token  place b cap 2  place gone
        transition t: a -> b in 3
        transition u: b -> gone  takes 1
        """,
        engine,
    )
    assert [f.start for f in ran.fired if f.name == "t"] == [0.0, 0.0, 3.0, 3.0, 6.0]


def test_i11_a_firing_with_outputs_on_the_way_is_not_in_progress(engine: str) -> None:
    ran = simulate(
        """
        place a = token  place b  place c  place on = token
        transition t: a -> b in 5, c  takes 2
        transition goes_on: on -> on  takes 20
        """,
        engine,
        until=10.0,
    )
    observed = ran.observation
    assert (observed.in_progress[0], observed.active[0]) == (2.0, 2.0)
    assert (observed.integral[1], observed.integral[2]) == (5.0, 8.0)


def test_i11_an_output_that_gives_nothing_has_no_delay(engine: str) -> None:
    ran = simulate(
        """
        place a : int fifo = -1, 2  place b : int
        transition t: a(n) -> if n > 0 then b(n) in n
        """,
        engine,
    )
    assert (ran.reason, ran.now, ran.marking["b"]) == ("dead", 2.0, [(2,)])


def test_i11_a_delay_is_not_negative(engine: str) -> None:
    ran = simulate("place a : real = -2.5 place b transition t: a(x) -> b in x", engine)
    assert ran.error is not None
    assert (ran.error.id, ran.error.values) == ("negative-time", {"duration": -2.5})


def in_and_out(text: str, engine: str, coming: list[tuple[float, str, tuple[float, ...]]]) -> list[Fired]:
    """Return the firings of a net into whose ports these tokens come, on machine code too where that is asked for."""
    net = language.loads(f"net test\n{text}")
    places = {place.name: index for index, place in enumerate(net.places)}
    found = []
    for trace in (True, False):
        session = begin(net, engine, 1, 0, trace=trace)
        for time, port, token in coming:
            session.put(places[port], net.tick.ticks(time), token)
        assert session.advance(net.tick.ticks(100), 1000) == "until"
        found.append(session.hash)
        if trace:
            fired = [fired_of(net, firing) for firing in session.trace()]
    assert found[0] == found[1]
    return fired


def test_i12_what_ends_comes_before_what_comes_from_outside(engine: str) -> None:
    fired = in_and_out(
        """
        port in a : 0..9 fifo
        place start = token  place line : 0..9 fifo
        transition own: start -> line(7) takes 5
        transition move: a(x) -> line(x)
        transition serve: line(x) -> nothing takes 1
        place slow = token
        transition late: slow -> nothing takes 200
        """,
        engine,
        [(5, "a", (2,)), (5, "a", (1,)), (3, "a", (3,))],
    )
    assert [(f.start, f.values) for f in fired if f.name == "serve"] == [(3, (3,)), (5, (7,)), (5, (2,)), (5, (1,))]


def test_i12_arrivals_at_an_instant_come_before_anything_starts(engine: str) -> None:
    fired = in_and_out(
        """
        port in a
        port in b
        place slow = token
        transition lone: a -> nothing
        transition both: a, b -> nothing  priority 1
        transition late: slow -> nothing takes 200
        """,
        engine,
        [(4, "a", ()), (4, "b", ()), (4, "a", ())],
    )
    assert [f.name for f in fired][1:] == ["both", "lone"]


def test_i12_what_goes_out_leaves_at_the_end_of_the_instant(engine: str) -> None:
    net = language.loads(
        """net test
        port in a : 0..9 fifo
        port out z : 0..9
        transition t: a(x) -> z(x) takes 2
        """
    )
    session = begin(net, engine, 1, 0)
    session.keep_outputs(stops=True)
    tick = net.tick.ticks
    for time, token in ((1, 3), (1, 4), (5, 6)):
        session.put(0, tick(time), (token,))
    assert session.advance(tick(100), 1000) == "output"
    assert session.now == tick(3)
    assert session.outputs(1) == [(tick(3), 3), (tick(3), 4)]
    session.put(0, tick(3), (9,))  # the instant goes on
    assert session.advance(tick(100), 1000) == "output"
    assert session.outputs(1) == [(tick(5), 9)]
    assert session.advance(tick(100), 1000) == "output"
    assert session.outputs(1) == [(tick(7), 6)]
    assert list(session.marking()) == [[], []]
    assert session.advance(tick(100), 1000) == "dead"


def test_i13_what_is_decided_comes_last(engine: str) -> None:
    """Without a program that decides, it is a transition as others, of the least priority."""
    ran = simulate(
        """
        place p = token  place q : 0..9 = 7  place r : 0..9 = 1, 2, 3
        transition choose: p, r(x) -> r(x)  decide  prefer most x
        transition move: q(x) -> r(x)       priority -2147483647
        """,
        engine,
    )
    assert [(fired.name, fired.values) for fired in ran.fired] == [("move", (7,)), ("choose", (7,))]


def test_i13_a_program_decides_before_anything_leaves(engine: str) -> None:
    net = language.loads(
        """net test
        place p = 2 * token  place r : 0..9 = 1, 2, 3
        place s : 0..9  place slow = token
        port out z : 0..9
        transition choose: p, r(x) -> s(x)  decide
        transition move:   s(x) -> z(x)
        transition late:   slow -> nothing  takes 5
        """
    )
    session = begin(replace(net, stops_at_decisions=True), engine, 1, 0)
    session.keep_outputs(stops=True)
    assert not session.decide(0, {})  # nothing waits yet
    assert session.advance(net.tick.ticks(9), 1000) == "decision"
    assert (session.now, session.choices()) == (0, [(0, (1,)), (0, (2,)), (0, (3,))])
    assert not session.decide(0, {0: 4})
    assert not session.decide(1, {})
    assert session.decide(0, {0: 2})
    assert session.choices() == []
    assert session.advance(net.tick.ticks(9), 1000) == "decision"
    assert (session.firings, session.outputs(4), len(session.choices())) == (3, [], 2)
    session.pass_over()
    assert session.advance(net.tick.ticks(9), 1000) == "output"
    assert (session.now, session.outputs(4)) == (0, [(0, 2)])
    assert session.advance(net.tick.ticks(9), 1000) == "decision"
    assert session.now == net.tick.ticks(5)
