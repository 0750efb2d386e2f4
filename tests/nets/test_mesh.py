"""The mesh of the library: a packet that waits for nothing takes exactly what its hops and flits take."""

import pytest

import petri
from petri.engine.native import available

pytestmark = pytest.mark.skipif(not available(), reason="the reference engine takes minutes")


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
