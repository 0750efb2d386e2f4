"""TCP of the library against the formula of Mathis, Semke, Mahdavi and Ott (1997), and against arithmetic."""

import math

import pytest

import petri
from petri.engine.native import available
from petri.result.result import Result

pytestmark = pytest.mark.skipif(not available(), reason="the reference engine takes minutes")


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
