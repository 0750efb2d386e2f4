"""The programs for other simulators simulate the same nets."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import mean

import pytest

import petri
from benchmarks import ensembles
from benchmarks.comparators.sir import RIVALS
from benchmarks.peers import QUEUES, predator_net, units
from benchmarks.scale import FAMILIES, Family
from petri.engine.native import available
from petri.run.session import begin

ROOT = Path(__file__).parents[2]

# Net: units per time in the long run (product form; the source's rate; all tokens each time), units to run, and the
# tolerance, five standard errors or more. In the pipeline and the join only the ends of the run are off.
NETS = {"ring": (16 * 64 / 79, 10_000, 0.06), "pipeline": (1.0, 4_000, 0.02), "join": (200.0, 4_001, 0.06)}


@pytest.mark.slow
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
    from benchmarks.comparators.simpy_ixp2400 import FIRINGS_OF_A_PACKET
    from benchmarks.comparators.simpy_nets import simulate

    firings, nanoseconds = simulate("ixp2400", FIRINGS_OF_A_PACKET * 3000, 1)
    assert firings / FIRINGS_OF_A_PACKET * 64 * 8 / nanoseconds == pytest.approx(2.96, rel=0.05)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.simpy], ids=lambda family: family.net)
def test_nets_that_grow_in_simpy(family: Family) -> None:
    """Firings in a unit of time, of which both programs draw other ones: within five standard errors or more."""
    pytest.importorskip("simpy")
    from benchmarks.comparators.simpy_nets import Simulation

    size = family.sizes[0]
    sizes = {family.parameter: size, **{name: int(str(value)) for name, value in family.fixed}}
    simulation = Simulation(family.simpy, 1, **sizes)
    words = {name: str(value) for name, value in family.parameters(size).items()}
    net = petri.load(family.file(size), **words).net
    session = begin(net, "native" if available() else "reference", 1, 0)
    seen = []
    for _ in range(2):
        simulation.advance(20_000)
        session.advance(math.inf, 20_000)
        seen.append((simulation.count(), simulation.environment.now, session.firings, net.tick.time(session.now)))
    theirs, their_time, ours, our_time = (later - earlier for earlier, later in zip(*seen, strict=True))
    assert ours / our_time == pytest.approx(theirs / their_time, rel=0.05)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("cimba") is None, reason="cimba is not installed")
@pytest.mark.parametrize(("name", "servers"), [("mm1", 1), ("reneging", 1), ("shop", 2)])
def test_queues_in_cimba(name: str, servers: int) -> None:
    """A figure of both: of 75,000 customers or more, within five standard errors.

    Cimba runs in a process of its own: where many libraries have been loaded, the memory that its own needs is gone.
    """
    one = QUEUES[name]
    ours = one.model().run(until=300_000, warmup=0, seed=1).measure(one.figure).value
    program = f"from benchmarks.comparators.cimba_nets import simulate; print(simulate({name!r}, 300_000.0, 1))"
    theirs = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert float(theirs.stdout) == pytest.approx(servers * ours, rel=0.1 if name == "mm1" else 0.04)


@pytest.mark.slow
def test_predators_in_batss() -> None:
    """The means of two of 22,500 and of 17,500, of which both give 1% more or less from run to run."""
    pytest.importorskip("batss")
    from benchmarks.comparators.batss_nets import begin

    simulation = begin(10_000, 1)
    simulation.run(10.0, 0.02)
    seen = simulation.history.mean()
    result = petri.loads(predator_net(10_000)).run(seed=1)
    assert float(seen["R"].iloc[0]) == pytest.approx(result.measure("prey").value, rel=0.04)
    assert float(seen["F"].iloc[0]) == pytest.approx(result.measure("hunters").value, rel=0.04)


@pytest.mark.parametrize("name", QUEUES)
def test_units_of_the_queues_are_counted(name: str) -> None:
    """Repairs per time, M/M/1 and reneging by their arrivals: what a nanosecond per unit is divided by."""
    one = QUEUES[name]
    found = units(one.model().run(until=4_000, warmup=0, seed=1), one) / 4_000
    assert found == pytest.approx({"mm1": 0.75, "reneging": 0.25, "shop": 1.7565}[name], rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("name", RIVALS)
def test_the_epidemic_in_other_simulators(name: str) -> None:
    """The mean of 100 runs deviates by 0.56 people, in each simulator; 3.2 are four deviations of the difference."""
    pytest.importorskip(name)
    model, _, _ = ensembles.NETS["SIR of 1,009 people"]
    recovered = [len(list(one.marking)[2]) for one in model.run(replications=100).replications]
    theirs, _ = RIVALS[name]
    assert mean(theirs(100, 1)) == pytest.approx(mean(recovered), abs=3.2)


def test_a_simulator_that_is_missing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensembles, "find_spec", lambda name: None)
    assert ensembles.rival("rebop", 1) == "rebop is not installed"
