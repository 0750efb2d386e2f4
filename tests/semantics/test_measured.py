"""Rules M1 to M6: what a run measures, on runs whose figures can be worked out by hand."""

import math

import pytest

import petri
from petri import language
from petri.measure.observation import probe_figure
from petri.run import session
from tests.semantics.harness import simulate

# A job a every 2, from 0; service takes 3, one server: starts at 0, 3, 6, …; arrivals at 2, 4, 6, …
QUEUE = """
place source = token
place queue = token
place server = token
transition arrive: source -> source, queue  takes 2
transition serve: queue, server -> server   takes 3
"""


def test_m1_places(engine: str) -> None:
    ran = simulate(QUEUE, engine, until=6.0)
    # queue: 0 in [0, 2), 1 in [2, 3), 0 in [3, 4), 1 in [4, 6), at 6 one arrives and one is taken.
    seen = ran.observation
    assert seen.elapsed == 6.0
    assert list(seen.integral) == [0.0, 3.0, 0.0]
    assert list(seen.nonempty) == [0.0, 3.0, 0.0]
    assert list(seen.maximum) == [1, 2, 1]
    assert list(seen.arrivals) == [3, 3, 2]


def test_m2_transitions(engine: str) -> None:
    ran = simulate(QUEUE, engine, until=7.0)
    seen = ran.observation
    assert list(seen.firings) == [4, 3]
    assert list(seen.in_progress) == [7.0, 7.0]
    assert list(seen.active) == [7.0, 7.0]


def test_m2_several_in_progress(engine: str) -> None:
    ran = simulate("place a = 3 * token  transition t: a -> nothing  takes 2", engine, until=9.0)
    assert (ran.observation.elapsed, ran.observation.in_progress[0], ran.observation.active[0]) == (2.0, 6.0, 2.0)


def test_m3_the_window_begins_after_the_warm_up(engine: str) -> None:
    ran = simulate(QUEUE, engine, until=6.0, warmup=2.5)
    seen = ran.observation
    assert seen.elapsed == 3.5
    assert seen.integral[1] == pytest.approx(0.5 + 2.0)
    assert list(seen.firings) == [2, 2]
    assert seen.arrivals[1] == 2
    assert seen.in_progress[1] == pytest.approx(3.5)


# 3 leaves `held` at 0, 5 at 2, and 7 comes and goes at 4. `pile` holds 2 and -1 until it is emptied at 3.
CONTENT = """
place held : int fifo = 3, 5
place pile : int = 2, -1
place server = token
place first = token
place second = token
place bell
transition serve: held(n), server -> server  takes 2
transition feed: first -> held(7)  takes 4
transition ring: second -> bell  takes 3
transition clear: bell, reset pile -> nothing
"""


@pytest.mark.parametrize(
    ("figure", "integral", "greatest"),
    [
        ("held, value", 5 * 2.0, 8.0),
        ("held, value / 4", 10 / 4, 2.0),
        ("held, 1", 2.0, 2.0),
        ("held, -value", -10.0, 0.0),
        ("held, 0.1 * value", 1.0, 0.8),
        ("pile, value", 3.0, 1.0),
        ("pile, if value < 0 then 1 else 0", 3.0, 1.0),
    ],
)
def test_m1_the_sum_of_a_value_over_the_tokens(engine: str, figure: str, integral: float, greatest: float) -> None:
    seen = simulate(f"{CONTENT} measure m = mean({figure})  measure n = max({figure})", engine, until=10.0).observation
    assert probe_figure(seen.probes[0], "integral") == pytest.approx(integral, rel=1e-11)
    assert probe_figure(seen.probes[0], "max") == pytest.approx(greatest, rel=1e-11)


def test_m3_a_sum_over_tokens_begins_anew_after_the_warm_up(engine: str) -> None:
    text = f"{CONTENT} measure m = max(held, value)  measure n = mean(pile, value)"
    seen = simulate(text, engine, until=10.0, warmup=1.0).observation
    assert [probe_figure(seen.probes[0], "max"), probe_figure(seen.probes[1], "integral")] == [7.0, 2.0]


def test_m4_declared_measures_see_the_start_of_a_firing(engine: str) -> None:
    net = language.loads(
        """
        net test
        place a = 3 * token
        place s = token
        transition t: a, s -> s  takes 2
        measure waited = now + 10 * end + 100 * tokens(a) at t  record mean, min, max
        measure total = count(t, tokens(a))
        """
    )
    run = session.begin(net, engine, 1, 0)
    run.advance(net.tick.ticks(100.0), 1000)
    seen = run.observe()
    # Starts at 0, 2, 4, which end at 2, 4, 6 and see 3, 2, 1 tokens: 320, 242, 164.
    waited = [probe_figure(seen.probes[0], field) for field in ("count", "mean", "min", "max")]
    assert waited == [3, 242.0, 164.0, 320.0]
    assert seen.probes[1]["sum"] == 6.0


def test_m4_a_measure_at_a_place_sees_arriving_tokens_and_the_marking_then(engine: str) -> None:
    """Each firing gives to q, where its own token is seen, and then to r."""
    text = """
    place a = 3 * token  place s = token
    place q : int  place r[0..1] : int
    transition t: a, s -> q(n), r[n mod 2](n), s  draw n ~ choice(4: 1)  takes 2
    transition pass: q(n) -> nothing  after 3
    measure seen = now + 10 * tokens(q) + 100 * tokens(r[0]) + 1000 * n at q(n)  record mean, min, max
    measure both = n at r[*](n) when now > 3
    measure free = tokens(s) at r[0]
    """
    seen = simulate(text, engine, until=100.0).observation
    # Arrivals at 2, 4 and 6 of the first, second and third token of q; r has none, one and two before them.
    at_q = [probe_figure(seen.probes[0], field) for field in ("count", "sum", "min", "max")]
    assert at_q == [3, 12362.0, 4012.0, 4226.0]
    assert [probe_figure(seen.probes[1], field) for field in ("count", "sum")] == [2, 8.0]
    assert [probe_figure(seen.probes[2], field) for field in ("count", "sum")] == [3, 0.0]


@pytest.mark.parametrize("size", [1e-30, 3e-15, 1.0, 1e15])
def test_m1_small_values_count_as_much_as_great_ones(engine: str, size: float) -> None:
    text = f"""
    place a = token  place b : real  place on = token
    transition last: on -> on  takes 20
    transition t: a -> b({size!r}), b({-size!r} / 4)  takes 2
    measure m = mean(b, value)  measure most = max(b, value)
    measure n = mean({size!r} * tokens(b))  measure least = min({-size!r} * tokens(b))
    """
    seen = simulate(text, engine, until=10.0).observation
    values = [
        probe_figure(probe, field) for probe, field in zip(seen.probes, ("integral", "integral", "min"), strict=True)
    ]
    assert values == pytest.approx([6.0 * size, 16.0 * size, -2.0 * size])
    assert probe_figure(seen.probes[0], "max") == pytest.approx(size)


def test_m5_a_run_ends_after_the_firing_with_which_the_condition_holds(engine: str) -> None:
    net = "place a = token  transition t: a -> a  takes 2  measure n = count(t)\nrun until count(t) >= 5 warmup 3"
    (ran,) = petri.loads(net).run(engine=engine).replications
    # Firings start at 0, 2, 4 …; the fifth of the measured time, which begins at 3, starts at 12, and the next at 14.
    assert (ran.time, ran.firings, ran.window.elapsed, list(ran.window.firings)) == (14.0, 7, 11.0, [5])


def test_m5_the_condition_is_looked_at_after_the_first_firing(engine: str) -> None:
    net = "place a = token  transition t: a -> a  takes 2  measure n = mean(a)\nrun until mean(a) <= 0.5"
    (ran,) = petri.loads(net).run(engine=engine).replications
    assert (ran.time, ran.firings) == (2.0, 1)


# Up to 2 a is 1, and 0 from there on; s is 0 up to 4. b gets a token at 2 and at 4, which go on to c at once.
MARKING = """
place a = 2 * token
place s = token
place b
place c
transition work: s, a -> s, b  takes 2
transition pass: b -> c
place z = token
transition last: z -> nothing  takes 5
"""


@pytest.mark.parametrize(
    ("figure", "field", "value"),
    [
        ("share(tokens(a) == 0 and tokens(s) == 0)", "integral", 2.0),
        ("mean(min(tokens(c), 1) * 3)", "integral", 9.0),
        ("mean(tokens(c) / 4)", "integral", 1.0),
        ("mean(tokens(a) - 2 * tokens(c))", "integral", -6.0),
        ("max(tokens(c) - 1)", "max", 1.0),
        ("min(tokens(c) - 1)", "min", -1.0),
        ("max(tokens(b))", "max", 0.0),
        ("mean(firings(work) + 10 * firings(last))", "integral", 4.0 + 50.0),
        ("share(firings(work) == 0 or tokens(a) == 1)", "integral", 3.0),
        ("max(firings(pass))", "max", 0.0),
        ("time_until(firings(work) == 0)", "first", 4.0),
        ("time_until(tokens(c) == 1)", "first", 2.0),
        ("time_until(tokens(a) < 2)", "first", 0.0),
    ],
)
def test_m6_measures_of_the_marking(engine: str, figure: str, field: str, value: float) -> None:
    seen = simulate(f"{MARKING} measure m = {figure}", engine, until=5.0).observation
    assert probe_figure(seen.probes[0], field) == value


def test_m6_a_marking_within_an_instant_does_not_count(engine: str) -> None:
    text = f"{MARKING} measure m = time_until(tokens(b) > 0)  measure n = max(b)"
    seen = simulate(text, engine, until=5.0).observation
    assert math.isnan(probe_figure(seen.probes[0], "first"))
    assert seen.maximum[2] == 1


def test_m6_the_window_begins_with_the_value_that_holds_then(engine: str) -> None:
    until = "time_until(tokens(c) == 1)  measure k = time_until(tokens(c) == 2)"
    text = f"{MARKING} measure m = min(tokens(c))  measure n = {until}"
    seen = simulate(text, engine, until=5.0, warmup=3.0).observation
    assert [probe_figure(seen.probes[0], field) for field in ("integral", "min", "max")] == [3.0, 1.0, 2.0]
    assert [probe_figure(probe, "first") for probe in seen.probes[1:]] == [0.0, 1.0]


def test_m6_an_error_names_the_measure_and_no_transition(engine: str) -> None:
    text = f"{MARKING} measure m = mean(tokens(c) / tokens(a))"
    ran = simulate(text, engine, until=9.0)
    assert (ran.reason, ran.now) == ("error", 2.0)
    assert ran.error is not None
    assert (ran.error.id, ran.error.binding) == ("division-by-zero", {})
    result = petri.loads(text).run(until=9.0, engine=engine)
    assert result.failure is not None
    assert (result.failure.transition, result.failure.values["measured"]) == ("", "2")
