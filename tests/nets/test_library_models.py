"""DDR4, meshes and TCP of the library against arithmetic and published formulas."""

from __future__ import annotations

import math

import pytest

import petri
from petri.engine.native import available
from petri.result.result import Result

pytestmark = pytest.mark.skipif(not available(), reason="the reference engine takes minutes")

CYCLE = 0.625  # ns
READ = {"stream": 4.0, "one_group": 8.0, "new_rows": 35 / 4, "one_bank": 74.0}  # cycles from one read to the next


@pytest.mark.parametrize("pattern", list(READ))
def test_the_slowest_constraint_decides(pattern: str) -> None:
    model = petri.load("patterns/ddr4", pattern=pattern, refresh=False)
    result = model.run(until="30 us", warmup="1 us")
    used = result.measure("efficiency").value
    assert used == pytest.approx(4 / READ[pattern], rel=0.005)


@pytest.mark.slow
def test_a_refresh_costs_its_time_and_that_of_closing_and_opening_the_banks() -> None:
    kept = petri.load("patterns/ddr4").run(until="157 us", warmup="1 us").measure("efficiency").value
    assert kept == pytest.approx(1 - (350 + (12 + 22 + 22) * CYCLE) / 7800, abs=0.003)


def test_hits_are_as_many_as_asked_for() -> None:
    model = petri.load("patterns/ddr4", pattern="random", hits=0.5, waiting=1, refresh=False)
    assert model.run(until="60 us").measure("row_hits").value == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(("k", "length", "hop"), [(2, 1, "1 cycle"), (4, 4, "3 cycle"), (5, 7, "2 cycle")])
def test_without_load_no_packet_waits(k: int, length: int, hop: str) -> None:
    """The latency is `hop` for each hop and a cycle for each flit behind the first; nothing is added to either."""
    model = petri.load("patterns/mesh", k=k, length=length, hop=hop, load=0.000002 * length)
    waiting = model.run(until="5 ms", warmup="0 us").measure("waiting").recorded
    assert waiting["min"].mean == pytest.approx(0.0, abs=1e-3)
    assert waiting["max"].mean == pytest.approx(0.0, abs=1e-3)


@pytest.mark.slow
def test_all_flits_arrive_below_saturation() -> None:
    result = petri.load("patterns/mesh", load=0.3).run(until="20 us", warmup="2 us")
    assert result.measure("throughput").value == pytest.approx(0.3, rel=0.05)
    assert result.measure("hops").value == pytest.approx(2.5, rel=0.05)


@pytest.mark.slow
def test_virtual_channels_carry_more() -> None:
    """With one channel, a packet that waits holds up all behind it; the links are busy for less of the time."""
    least, most = (
        petri.load("patterns/mesh", load=0.9, vcs=vcs).run(until="2 us", warmup="1 us").measure("throughput").value
        for vcs in (1, 4)
    )
    assert most > 1.15 * least


def of_the_formula(result: Result) -> float:
    """Return what a flow carries, divided by what the formula says."""
    return math.sqrt(result.measure("formula").value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [{"flows": 1, "line": "12 Mbps"}, {"flows": 2}, {"flows": 4}, {"buffer": 100}, {"line": "1 Gbps", "noise": 0.002}],
)
def test_flows_carry_what_the_formula_says_where_losses_are_rare(changed: dict[str, str | float]) -> None:
    result = petri.load("patterns/tcp", **changed).run(until="1000 s", warmup="50 s")
    assert result.measure("signals").value < 0.003
    assert of_the_formula(result) == pytest.approx(1.0, rel=0.1)


@pytest.mark.slow
def test_small_windows_carry_less() -> None:
    """A flow waits for three answers and a round trip more after each loss, which the formula leaves out."""
    result = petri.load("patterns/tcp", flows=40).run(until="30 s", warmup="10 s")
    assert result.measure("signals").value > 0.01
    assert of_the_formula(result) < 0.85


@pytest.mark.slow
def test_a_flow_alone_loses_a_segment_when_its_window_has_filled_pipe_and_queue() -> None:
    """The window goes from half of W up to W, one more in each round trip: 3 W² / 8 segments for each loss."""
    result = petri.load("patterns/tcp", flows=1, line="12 Mbps").run(until="500 s", warmup="100 s")
    most = 100 + 20 + 1 + 1  # on the way, in the queue, on the line, and the one that is lost
    assert 1 / result.measure("signals").value == pytest.approx(3 * most**2 / 8, rel=0.05)
    assert result.measure("timeouts").value == 0


@pytest.mark.slow
def test_a_long_queue_keeps_the_line_busy() -> None:
    """With room for all that is on the way without it, half a window still fills the line."""
    result = petri.load("patterns/tcp", flows=1, line="12 Mbps", buffer=110).run(until="250 s", warmup="100 s")
    assert result.measure("used").value == pytest.approx(1.0, abs=1e-3)


def test_flows_go_on_where_the_line_loses_much() -> None:
    """Segments that are lost again are sent when the timer has run down, and the receiver gets all, in order."""
    result = petri.load("patterns/tcp", flows=4, noise=0.1).run(until="200 s", warmup="20 s")
    assert result.measure("timeouts").value > 0.1
    assert 10 < result.measure("through").value * 1000 < 100  # of a flow in a second
