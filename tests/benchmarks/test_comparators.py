"""The programs for other simulators simulate the same nets."""

from __future__ import annotations

import importlib

import pytest

# Net: units per time in the long run (product form; the source's rate; all tokens each time), units to run, and the
# tolerance, five standard errors or more. In the pipeline and the join only the ends of the run are off.
NETS = {"ring": (16 * 64 / 79, 10_000, 0.06), "pipeline": (1.0, 4_000, 0.02), "join": (200.0, 4_001, 0.06)}


@pytest.mark.parametrize("simulator", ["simpy", "simpn"])
@pytest.mark.parametrize("net", NETS)
def test_throughput(simulator: str, net: str) -> None:
    pytest.importorskip(simulator)
    simulate = importlib.import_module(f"benchmarks.comparators.{simulator}_nets").simulate
    rate, units, tolerance = NETS[net]
    count, time = simulate(net, units, 1)
    assert count / time == pytest.approx(rate, rel=tolerance)


def test_base_model_in_simpy() -> None:
    """64-byte packets leave at 2.96 Gbps (Govind, Govindarajan and Kuri, section 3.6)."""
    pytest.importorskip("simpy")
    from benchmarks.comparators.simpy_nets import simulate

    firings, nanoseconds = simulate("ixp2400", 40 * 3000, 1)
    assert firings / 40 * 64 * 8 / nanoseconds == pytest.approx(2.96, rel=0.05)
