"""The tick of a net (rule S1): which times it divides, how fine it is, and what is told where it cannot be exact."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from petri import language
from petri.language.flattening import clock
from petri.language.flattening.clock import greatest_common_divisor, simplest
from petri.net import Net
from petri.ticks import HORIZON

PARTS = clock.PARTS_OF_A_TIME


def loaded(body: str, head: str = "time ns") -> Net:
    return language.loads(f"net t\n{head}\n{body}\n")


def loop(*times: str) -> str:
    return "\n".join(
        ["place a = token"] + [f"transition t{number}: a -> a  takes {time}" for number, time in enumerate(times)]
    )


def ticks(flat: Net) -> list[Fraction]:
    """Return the constant firing times in ticks."""
    return [Fraction(t.time.value or 0) for t in flat.transitions]


@pytest.mark.parametrize(
    ("times", "tick"),
    [
        (["40 ns"], Fraction(40, PARTS)),
        (["40 ns", "13.3 ns"], Fraction(1, 10) / 8),
        (["20 ns / 3", "20 ns"], Fraction(20, 3) / PARTS),
        (["1 / (600 MHz)", "4 / (600 MHz)"], Fraction(1000, 600) / PARTS),
        (["3 us", "2 ns"], Fraction(2, PARTS)),
        (["1518 B / (10 Gbps)", "64 B / (10 Gbps)"], Fraction(16, 10) / 32),
    ],
)
def test_the_tick_divides_all_constant_times(times: list[str], tick: Fraction) -> None:
    flat = loaded(loop(*times))
    assert flat.tick.length == tick
    assert all(time.denominator == 1 for time in ticks(flat))


def test_a_time_of_bytes_is_a_multiple_of_the_time_of_one() -> None:
    """Of any number of bytes: 300 MB/s are 10/3 ns for each."""
    flat = loaded("place a : { n: Bytes } = {n: 7 B}\ntransition t: a(x) -> nothing  takes x.n / (2.4 Gbps)")
    assert (Fraction(10, 3) / flat.tick.length).denominator == 1


def test_a_mean_has_many_ticks() -> None:
    flat = loaded(loop("exp(3 ns)", "8 ns"))
    assert (8 / flat.tick.length).denominator == 1
    assert 3 / flat.tick.length >= clock.PARTS_OF_A_MEAN
    assert 3 / flat.tick.length < 4 * clock.PARTS_OF_A_MEAN


def test_a_long_run_has_room() -> None:
    """The tick is no finer than a run a thousand times as long allows, but divides the constants still."""
    flat = loaded(loop("exp(1 ns)", "2 ns") + "\nrun until 100 ms")
    assert flat.tick.length == Fraction(2) / 2**17
    assert flat.tick.length * HORIZON >= 100_000_000 * clock.ROOM
    assert (flat.tick.length / 2) * HORIZON < 100_000_000 * clock.ROOM


@pytest.mark.parametrize(
    ("time", "least"),
    [("takes exp(200 ms)", 64), ("after exp(200 ms)", 64), ("takes uniform(100 ms..300 ms)", 32), ("takes 200 ms", 1)],
)
def test_a_short_random_time_in_a_long_run_makes_the_tick_shorter(time: str, least: int) -> None:
    """As far as a run that is four times as long has room."""
    body = f"{loop('exp(1e5 h)')}\nplace b = token\ntransition back: b -> b  {time}\nrun until 1e9 h"
    flat = loaded(body, head="time h")
    assert Fraction(1, 18_000) / flat.tick.length >= least
    assert flat.tick.length * HORIZON >= 10**9 * clock.LEAST_ROOM


@pytest.mark.parametrize(
    ("head", "tokens", "time", "part"),
    [
        ("time ms", "Bytes = 64 B", "exp(x / 1 Gbps)", Fraction(8, 10**6)),
        ("time h", "int = 4", "exp(x / (3 MHz))", Fraction(1, 3 * 10**6 * 3600)),
        ("time s", "int = 4", "x * 1 ms / 1000", Fraction(1, 10**6)),
        ("", "int = 1", "x / 1000", Fraction(1, 1000)),
        ("", "int = 1", "exp(x / 1000)", Fraction(1, 1000)),
        ("", "real = 1", "0.001 * x / 1000", Fraction(1, 10**6)),
    ],
)
def test_what_one_byte_or_cycle_takes_or_the_part_of_a_quotient_has_many_ticks(
    head: str, tokens: str, time: str, part: Fraction
) -> None:
    flat = loaded(f"place a : {tokens}\ntransition t: a(x) -> a(x)  takes {time}", head=head)
    assert part / flat.tick.length >= PARTS


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("place a : { d: Time } = {d: 13.3 ns}\ntransition t: a(x) -> a(x)  takes x.d + 40 ns", [13.3, 40.0]),
        ("place a = token\ntransition t: a -> a  draw d ~ choice(0.7 ns: 1, 1.1 ns: 2)  takes d", [0.7, 1.1]),
    ],
)
def test_times_in_tokens_and_draws_count(body: str, values: list[float]) -> None:
    flat = loaded(body)
    assert all((simplest(value) / flat.tick.length).denominator == 1 for value in values)


@pytest.mark.parametrize(
    "body",
    [
        "place a = token\ntransition t: a -> a  takes 0.1\ntransition u: a -> a  takes 1/3",
        "place a : { d: real } = {d: 0.1}\ntransition t: a(x) -> a({d: 1/3})  takes x.d",
        "place a = token\ntransition t: a -> a  draw d ~ choice(0.1: 1, 1/3: 2)  takes d",
    ],
)
def test_times_without_a_unit_are_any_numbers(body: str) -> None:
    flat = loaded(body, head="")
    assert all((time / flat.tick.length).denominator == 1 for time in (Fraction(1, 10), Fraction(1, 3)))


def test_numbers_that_are_no_times_do_not_count() -> None:
    flat = loaded("place a : { d: real } = {d: 0.1}\ntransition t: a(x) -> a({d: 1/3})  takes 4.0", head="")
    assert flat.tick.length == Fraction(4, PARTS)


def test_a_resolution_by_hand() -> None:
    flat = loaded(loop("40 ns"), head="time ns resolution 500 ps")
    assert (flat.tick.length, ticks(flat)) == (Fraction(1, 2), [Fraction(80)])


def test_zero_stays_zero_and_no_other_time_becomes_zero() -> None:
    flat = loaded(
        "place a : { d: Time } = {d: 0 ns}, {d: 1 ps}\ntransition t: a(x) -> a(x)  takes 0 ns\n"
        "transition u: a(x) -> a(x)  takes 1 ps",
        head="time ns resolution 1 us",
    )
    assert ticks(flat) == [0, 1]
    assert [token for _, token in flat.places[0].initial] == [(0.0,), (1.0,)]


def warnings(body: str, head: str = "time ns") -> list[str]:
    found = language.checks(f"net t\n{head}\n{body}\nmeasure m = rate(t0)\n")
    return [str(diagnostic.message) for diagnostic in found if diagnostic.id == "inexact-time"]


def test_what_is_not_exact_is_told_with_its_error() -> None:
    (told,) = warnings(loop("40 ns", "13.3 ns"), head="time ns resolution 1 ns")
    assert "13.3 ns is not a whole number of ticks" in told
    assert "steps of 1 ns" in told
    assert "off by 0.3 ns here (-2.26e+04 ppm)" in told


CLOCKS = ("1 / (133.333333 MHz)", "3 / (133.333333 MHz)", "1 / (156.25 MHz)", "1 / (161.1328125 MHz)")


@pytest.mark.parametrize(("end", "most"), [("", 1e-6), ("\nrun until 10 ms", 1e-6), ("\nrun until 10 s", 0.01)])
def test_a_time_without_a_common_divisor_is_nearly_a_multiple_of_the_tick(end: str, most: float) -> None:
    """As nearly as a run a thousand times as long permits, and so that three cycles stay three times one."""
    flat = loaded(loop(*CLOCKS) + end)
    one, three, eth, fibre = ticks(flat)
    assert three == 3 * one
    assert eth * flat.tick.length == Fraction(32, 5)
    assert fibre * flat.tick.length == Fraction(1024, 165)
    assert len(flat.inexact) == 2
    assert all(0 < abs(inexact.ppm) < most for inexact in flat.inexact)
    assert flat.tick.length * HORIZON >= clock.ROOM * Fraction(flat.run_defaults.until or 0)


def test_clocks_that_never_coincide_in_a_run_do_not_coincide_in_ticks() -> None:
    one, _, *others = ticks(flat := loaded(loop(*CLOCKS) + "\nrun until 10 ms"))
    assert all(math.lcm(int(one), int(other)) * flat.tick.length > 10_000_000 for other in others)


def test_a_time_that_would_make_the_tick_too_fine_is_told() -> None:
    assert warnings(loop("1 ns", "1000000007 ns / 1000000009")) != []
    assert warnings(loop("1 ns", "7 ns / 9", "13 us", "40 ms")) == []


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [(Fraction(40), Fraction(133, 10), Fraction(1, 10)), (Fraction(1, 3), Fraction(1, 2), Fraction(1, 6))],
)
def test_greatest_common_divisor(a: Fraction, b: Fraction, common: Fraction) -> None:
    assert greatest_common_divisor(a, b) == common


@pytest.mark.parametrize("value", ["0", "1/10", "-133/10", "5/3", "17/3000000", "1000000", "4118/5", "1/1073741824"])
def test_the_fraction_that_a_float_stands_for(value: str) -> None:
    assert simplest(float(Fraction(value))) == Fraction(value)


def test_other_floats_stand_for_themselves() -> None:
    for value in (0.1 + 0.2, 0.8414709848078965, 1e300, 5e-324):
        assert simplest(value) == Fraction(value)
