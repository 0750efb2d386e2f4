"""Rules S1 to S7: time, marking, disciplines, firings in progress, streams, lines."""

from pathlib import Path

import pytest

from petri import language
from petri.traffic import with_streams
from tests.semantics.harness import simulate


def test_s1_time_starts_at_zero_and_is_counted_in_ticks(engine: str) -> None:
    """The tenth sum of a tenth is 1, as no sum is rounded."""
    ran = simulate("place a = token transition t: a -> a takes 0.1", engine, until=1.0)
    assert [f.start for f in ran.fired] == [n / 10 for n in range(11)]


@pytest.mark.parametrize("slot", ["40 ns", "13.3 ns", "20 ns / 3", "1 / (600 MHz)"])
def test_s1_sums_of_multiples_meet_at_one_instant(engine: str, slot: str) -> None:
    """A slot and three slots at once end when four slots one by one do."""
    ran = simulate(
        f"""
        time ns
        param slot = {slot}
        place far : 0..1 = 0
        place one = token
        transition first: far(0) -> far(1)  takes slot
        transition rest:  far(1) -> far(0)  takes 3 * slot
        transition step:  one -> one        takes slot
        """,
        engine,
        firings=500,
    )
    ends = {name: {f.end for f in ran.fired if f.name == name} for name in ("rest", "step")}
    assert len(ends["rest"]) > 75
    assert ends["rest"] <= ends["step"]


def test_s1_a_firing_time_is_rounded_once_to_the_nearest_tick(engine: str) -> None:
    """Halves to the even number; what is positive takes a tick at least, and what is just below 0 takes none."""
    times = {"1.2": 1, "1.5": 2, "2.5": 2, "0.5": 1, "0.01": 1, "0.0": 0, "-0.9": 0}
    for time, ticks in times.items():
        ran = simulate(
            f"time ns resolution 1 ns\nplace a : real = {time}\ntransition t: a(x) -> nothing  takes x * 1 ns\n",
            engine,
        )
        assert [f.end for f in ran.fired] == [ticks], time
    ran = simulate("time ns resolution 1 ns place a : real = -1.0 transition t: a(x) -> nothing takes x * 1 ns", engine)
    assert ran.error is not None
    assert (ran.error.id, ran.error.values) == ("negative-time", {"duration": -1.0})


def test_s1_time_ends_at_the_horizon(engine: str) -> None:
    text = "time s resolution 2 s place a = token transition t: a -> a takes 3e15 s"
    ran = simulate(text, engine)
    assert (ran.fired[-2].end, ran.fired[-1].end) == (18e15, 2.0**55)
    assert ran.error is not None
    assert (ran.error.id, ran.error.time, ran.error.values) == ("beyond-horizon", 18e15, {"horizon": 2.0**54})
    assert ran.error.binding == {}


@pytest.mark.parametrize("time", ["1e16", "2e300", "x.0 * 3e15"])
def test_s1_a_firing_that_would_end_beyond_the_horizon_does_not_end(time: str, engine: str) -> None:
    text = f"""
        time s resolution 1 s
        place a : {{ x: real }} = {{x: 7.0}}
        place b = token
        place c : Time
        transition t: a(v) -> c(end)  takes {time.replace("x.0", "v.x")} * 1 s
        transition u: b -> b  takes 1 s
        """
    ran = simulate(text, engine, until=5.0)
    assert ran.reason == "until"
    assert ran.error is None
    assert {(f.name, f.start, f.end) for f in ran.fired} >= {("t", 0.0, 2.0**54), ("u", 0.0, 1.0), ("u", 5.0, 6.0)}
    assert ran.observation.in_progress.tolist() == [5.0, 5.0]


@pytest.mark.parametrize(("more", "end"), [(0, 2.0**53), (1, 2.0**54)])
def test_s1_a_firing_that_would_end_one_tick_beyond_the_horizon_does_not_end(
    more: int, end: float, engine: str
) -> None:
    """The sum of start and time is no double then: rounded, it would be the horizon."""
    text = f"""
        time s resolution 1 s
        place a = token
        place b
        transition t: a -> b  takes {3 * 2**51 + more} s
        transition u: b -> nothing  takes {2**51} s
        """
    assert simulate(text, engine, until=2.0**53).fired[-1].end == end


def test_s2_tokens_are_tuples_of_scalars_and_negative_zero_is_zero(engine: str) -> None:
    ran = simulate(
        """
        type Job = { at: real, n: int }
        place a = token
        place b : Job
        transition t: a -> b({at: -0.0 * 1.0, n: -3})
        """,
        engine,
    )
    ((at, n),) = ran.marking["b"]
    assert (str(at), n) == ("0.0", -3)


@pytest.mark.parametrize(
    ("discipline", "order"),
    [
        ("by (n mod 2, -mark)", [2, 1, 1, 3]),
        ("fifo", [3, 1, 2, 1]),
        ("lifo", [1, 2, 1, 3]),
        ("by n", [1, 1, 2, 3]),
        ("by -n", [3, 2, 1, 1]),
    ],
)
def test_s3_disciplines(engine: str, discipline: str, order: list[int]) -> None:
    ran = simulate(
        f"""
        place queue : {{ n: int, mark: int }} {discipline} = {{n: 3, mark: 0}}, {{n: 1, mark: 1}}, {{n: 2, mark: 2}},
          {{n: 1, mark: 3}}
        place server = token
        transition serve: queue(job), server -> server  takes 1
        """,
        engine,
    )
    assert [values[0] for values in ran.values("serve")] == order
    if discipline == "by n":  # ties go to the oldest
        assert [values[1] for values in ran.values("serve")] == [1, 3, 2, 0]


def test_s3_a_bag_shows_any_token(engine: str) -> None:
    first = {
        simulate("place q : int = 1, 2, 3  place s = token  transition t: q(n), s -> nothing", engine, seed=seed).fired[
            0
        ]
        for seed in range(40)
    }
    assert {f.values for f in first} == {(1,), (2,), (3,)}


def test_s4_the_last_token_of_a_bag_takes_the_seat_of_one_that_is_taken(engine: str) -> None:
    ran = simulate(
        """
        place q : int = 10, 11, 12, 13
        place two : int = 11
        place new : int
        transition take: q(n), two(n) -> new(14)
        transition add: new(n) -> q(n)
        """,
        engine,
    )
    assert ran.marking["q"] == [(10,), (13,), (12,), (14,)]


def test_s4_two_tokens_of_one_bag_leave_in_the_order_of_the_arcs(engine: str) -> None:
    ran = simulate(
        """
        place q : int = 10, 11, 12, 13
        place which : { a: int, b: int } = {a: 10, b: 13}
        transition take: which(w), q(w.a), q(w.b) -> nothing
        """,
        engine,
    )
    # 13 moves to the seat of 10; then 13 leaves from there and 12, by now the last, takes it.
    assert ran.marking["q"] == [(12,), (11,)]


def test_s5_firings_end_in_order_of_their_end_then_of_their_start(engine: str) -> None:
    ran = simulate(
        """
        place go : { n: int, wait: real } fifo =
          {n: 1, wait: 2.0}, {n: 2, wait: 1.0}, {n: 3, wait: 2.0}, {n: 4, wait: 1.0}
        place out : int fifo
        transition t: go(j) -> out(j.n)  takes j.wait
        """,
        engine,
    )
    assert [n for (n,) in ran.marking["out"]] == [2, 4, 1, 3]


def test_s5_a_firing_in_progress_holds_its_tokens(engine: str) -> None:
    ran = simulate("place a = token place b transition t: a -> b takes 5", engine, until=4.0)
    assert ran.marking == {"a": [], "b": []}
    assert ran.reason == "until"


def test_s6_the_next_row_arrives_when_the_place_is_empty(engine: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("value\n10\n20\n30\n")
    text = """
        place trace : int = stream()
        place idle = token
        place seen : int fifo
        transition both: trace(n), trace(m) -> seen(n + m)         priority 9
        transition take: trace(n), idle -> idle, seen(tokens(trace))  takes 1   priority 1
        transition idle_still: idle, no trace -> nothing
        """
    flat = with_streams(language.loads(f"net test\n{text}"), {"trace": rows})
    ran = simulate(flat, engine)
    # One row is shown at a time, so no firing finds two; it is there again before the next choice.
    assert ran.order() == "take take take idle_still"
    assert ran.marking["seen"] == [(1,), (1,), (1,)]
    assert ran.values("take") == [(10,), (20,), (30,)]
    trace = ran.names.index("take") - 1
    assert (ran.observation.arrivals[trace], ran.observation.maximum[trace]) == (3, 1)
    # The third row is taken at 2, and none follows.
    assert ran.observation.integral[trace] == 2.0


def test_s6_tokens_that_a_firing_gives_wait_behind_the_row(engine: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("value\n1\n2\n")
    text = """
        place trace : int = stream()
        place twice : int = 7
        place server = token
        transition again: twice(n) -> trace(n)                     priority 1
        transition take:  trace(n), server -> server  takes 1
        """
    ran = simulate(with_streams(language.loads(f"net test\n{text}"), {"trace": rows}), engine)
    assert [n for (n,) in ran.values("take")] == [1, 7, 2]


LINES = """
    place queue : {{ k: 0..2, n: int }} {discipline} per k = {tokens}
    place server[0..2] = token
"""


def lines(discipline: str, *tokens: tuple[int, int]) -> str:
    listed = ", ".join(f"{{k: {k}, n: {n}}}" for k, n in tokens)
    return LINES.format(discipline=discipline, tokens=listed)


@pytest.mark.parametrize(
    ("discipline", "served"), [("fifo", [3, 1, 2]), ("lifo", [2, 1, 3]), ("by n", [1, 2, 3]), ("by (-n, k)", [3, 2, 1])]
)
def test_s7_a_discipline_orders_each_line(engine: str, discipline: str, served: list[int]) -> None:
    text = lines(discipline, (0, 3), (1, 3), (0, 1), (1, 1), (0, 2), (1, 2))
    serve = "transition serve[i in 0..2]: queue({k: i, n}), server[i] -> server[i]  takes 1 + i"
    ran = simulate(text + serve, engine)
    assert [n for (n,) in ran.values("serve[0]")] == served
    assert [n for (n,) in ran.values("serve[1]")] == served
    assert ran.values("serve[2]") == []


def test_s7_a_line_whose_token_is_taken_goes_to_the_end_and_the_last_to_its_position(engine: str) -> None:
    text = lines("fifo", (0, 10), (1, 20), (0, 11), (2, 30), (1, 21))
    ran = simulate(text + "place go = token  transition take: go, queue({k: 0}) -> nothing", engine)
    assert ran.marking["queue"] == [(2, 30), (1, 20), (1, 21), (0, 11)]
    ran = simulate(text + "place go = 2 * token  transition take: go, queue({k: 0}) -> nothing", engine)
    assert ran.marking["queue"] == [(2, 30), (1, 20), (1, 21)]


@pytest.mark.parametrize(("discipline", "moves"), [("fifo", False), ("lifo", True), ("by -n", True), ("by n", False)])
def test_s7_a_line_goes_to_the_end_when_it_shows_another_token(engine: str, discipline: str, moves: bool) -> None:
    text = lines(discipline, (0, 10), (1, 20), (2, 30)) + "place go = token  transition put: go -> queue({k: 0, n: 11})"
    line, others = [(0, 10), (0, 11)], [(2, 30), (1, 20)] if moves else [(1, 20), (2, 30)]
    assert simulate(text, engine).marking["queue"] == ([*others, *line] if moves else [*line, *others])


def test_s7_what_is_shown_is_chosen_evenly_in_the_order_of_the_row(engine: str) -> None:
    text = lines("fifo", (0, 10), (1, 20), (0, 11), (2, 30))
    text += "place go = token  transition take: go, queue({n}) -> nothing"
    found = [simulate(text, engine, seed=seed).values("take")[0][0] for seed in range(20)]
    assert set(found) == {10, 20, 30}


def test_s7_arcs_of_one_transition_find_tokens_of_different_lines(engine: str) -> None:
    two = "transition both: queue({n}), queue({n: m}) -> nothing"
    ran = simulate(lines("fifo", (0, 10), (0, 11), (0, 12)) + two, engine)
    assert not ran.fired
    ran = simulate(lines("fifo", (0, 10), (0, 11), (1, 20), (1, 21)) + two, engine)
    assert [sorted(values) for values in ran.values("both")] == [[10, 20], [11, 21]]


def test_s7_a_capacity_is_for_each_line(engine: str) -> None:
    """Tokens on the way count, and so does what the firing takes (E6)."""
    ran = simulate(
        """
        place come : { k: 0..1, n: int } fifo = {k: 0, n: i} for i in 1..3, {k: 1, n: 4}, {k: 0, n: 5}
        place queue : { k: 0..1, n: int } fifo per k cap 2
        transition put: come(j) -> queue(j)  takes 1
        """,
        engine,
    )
    assert ran.values("put") == [(0, 1), (0, 2)]
    ran = simulate(
        """
        place queue : { k: 0..1, n: int } fifo per k cap 2 = {k: 0, n: i} for i in 1..2, {k: 1, n: i} for i in 1..2
        transition turn: queue({k, n}) -> queue({k: k, n: n + 2})  when n < 5
        """,
        engine,
    )
    assert ran.marking["queue"] == [(1, 5), (1, 6), (0, 5), (0, 6)] or ran.marking["queue"] == [
        (0, 5), (0, 6), (1, 5), (1, 6),
    ]  # fmt: skip


def test_s7_all_tokens_count_for_inhibitors_and_numbers(engine: str) -> None:
    text = lines("fifo", (0, 10), (0, 11), (1, 20))
    text += """
        place go = token  place seen : int
        transition look: go, no queue({n: 11}) -> nothing
        transition count: go, no queue({k: 0}) >= 3 -> seen(tokens(queue))  when tokens(queue) == 3
        transition empty: seen(n), reset queue -> nothing
        """
    ran = simulate(text, engine)
    assert ran.order() == "count empty"
    assert ran.marking["queue"] == []
