"""The module of TCP against windows that were worked out by hand, and senders behind routers that reorder (PRNP).

Runs of chance have fixed seeds; each tolerance is five standard errors or more, found from replications.
"""

from __future__ import annotations

from typing import Any

import pytest

import petri
from petri.engine.native import available

slow_without_native = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")

# A trip takes 2 ms, and a window is sent within 8 us: segments 0 and 1, 2 to 5, then eight at a time, 6 to 13, 14 to
# 21, 22 to 29. The path does `does` to its n-th segment.
PATH = """
net path
time ms
import traffic.tcp
place door : Segment fifo
place arrived : Segment fifo
place sent : int = 0
instance sender = Tcp(0, back = 1 ms, most = 8, staggered = 1 ns, {options}door = door, arrived = arrived)
transition carry: door(p), sent(n) -> sent(n + 1), {does}  takes 1 us
measure halves  = count(sender.halve)
measure mends   = count(sender.mend)
measure known   = count(sender.known)
measure arrives = count(sender.take) + count(sender.follow)
run until 100 ms
"""
LATE = "arrived(p) in 1 ms + (if n == {late} then {time} else 0 ms)"
LOST = "if n != 26 and n != 27 then arrived(p) in 1 ms"


def counts(does: str, options: str = "") -> tuple[int, int, int]:
    result = petri.loads(PATH.format(does=does, options=options)).run(replications=1)
    assert result.measure("arrives").value > 300, "the sender goes on"
    halves, mends, known = (int(result.measure(name).value) for name in ("halves", "mends", "known"))
    return halves, mends, known


@pytest.mark.parametrize("reno", ["true", "false"])
@pytest.mark.parametrize("time", ["0.5 ms", "2.5 ms"])  # before and after the segment that is sent again
@pytest.mark.parametrize(("late", "repeats", "again"), [(26, 3, 1), (27, 3, 0), (27, 2, 1), (26, 4, 0)])
def test_a_segment_that_three_overtake_is_sent_again_for_nothing(
    late: int, repeats: int, again: int, time: str, reno: str
) -> None:
    """Three segments of the window, 27 to 29, are behind the 26th, and those of the next come 2 ms later."""
    if time == "2.5 ms" and again == 0:
        again = 1  # the next window overtakes it as well
    found = counts(LATE.format(late=late, time=time), f"repeats = {repeats}, reno = {reno}, ")
    # NewReno sends all again that had been sent by then: 30 to 33, and 34 and 35, as answers say that two have arrived.
    mends = 6 if reno == "false" and again and time == "0.5 ms" else 0
    assert found == (again, mends, again + mends)


def test_the_window_is_half_of_what_it_was() -> None:
    """It was 2, and is one more for each of the answers to segments 0 to 25: 28 before, 14 afterwards."""
    result = petri.loads(PATH.format(does=LATE.format(late=26, time="0.5 ms"), options="")).run(replications=1)
    names = [place.name for place in result.net.places]
    ((*_, window, slow, _, _, _),) = result.replications[0].marking[names.index("sender.sender")]
    assert slow == 14.0 < window < 64


@pytest.mark.parametrize(("reno", "expected"), [("false", (1, 1)), ("true", (2, 0))])
def test_two_losses_of_a_window_halve_it_twice_with_reno(reno: str, expected: tuple[int, int]) -> None:
    assert counts(LOST, f"reno = {reno}, ") == (*expected, 0)


def behind(until: str, warmup: str, replications: int = 1, **changed: Any) -> petri.Result:
    return petri.load("ixp2400_tcp", **changed).run(until=until, warmup=warmup, replications=replications, seed=11)


@slow_without_native
@pytest.mark.parametrize("scheme", ["contiguous", "its"])
def test_only_routers_that_reorder_make_senders_repeat_for_nothing(scheme: str) -> None:
    result = behind("1 ms", "0 ms", scheme=scheme, senders=5, flows=5)
    figures = {name: result.measure(name).value for name in ("goodput", "throughput", "spurious", "lost", "halved")}
    assert figures["lost"] == 0
    assert (figures["spurious"] > 0) == (figures["halved"] > 0) == (scheme == "contiguous")
    assert figures["goodput"] <= figures["throughput"] * (1 + 1e-9)


@pytest.mark.slow
@slow_without_native
def test_senders_that_wait_longer_for_a_late_segment_fill_the_path() -> None:
    """They offer what the paper does, and as in its open loop, many packets are reordered."""
    few, many = (behind("10 ms", "5 ms", repeats=repeats) for repeats in (3, 30))
    assert many.measure("goodput").value == pytest.approx(2.96 * 0.125, rel=0.03)
    by_three, by_thirty = (one.measure("sequence").recorded["retransmit_missing_share"].mean for one in (few, many))
    assert by_thirty > 5 * by_three


@slow_without_native
@pytest.mark.parametrize(("tbuf", "threads"), [("8 KiB", 5), ("24 KiB", 16), ("96 KiB", 64)])
def test_as_many_threads_work_as_there_are_slots(tbuf: str, threads: int) -> None:
    result = petri.load("ixp2400_slots", tbuf=tbuf, packets=300).run(replications=1, seed=11)
    assert result.passed
    assert sum(place.held for place in result.net.places if place.name.endswith("].idle")) == threads


@pytest.mark.slow
@slow_without_native
def test_windows_are_those_of_the_formula_where_one_router_halves_them() -> None:
    result = behind("25 ms", "5 ms", replications=4)
    assert result.measure("formula").value == pytest.approx(1.0, rel=0.25)
    assert result.measure("goodput").value < 0.6 * 2.96 * 0.125
