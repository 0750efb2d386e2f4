"""The router of dynamic buffering: its rules one by one, and the trends that Girish and Govindarajan state (DB).

The figures of the paper are compared with longer runs in validation/dynamic_buffering. Here runs are short, seeds are
fixed, and what is compared differs by many times the spread of the runs.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.engine.native import available
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")

GBPS = 0.125  # bytes per nanosecond
PROVENANCE = re.compile(r"\b(given|derived|calibrated|estimated)\b")


@functools.cache
def run(net: str = "dynamic_buffering", **parameters: Any) -> petri.Result:
    result = petri.load(net, **{"active_flows": 81, "shared_load": True, **parameters}).run(
        until="30 ms", warmup="10 ms", replications=2, seed=11
    )
    assert result.failure is None
    return result


def figure(result: petri.Result, name: str, field: str = "") -> float:
    measure = result.measure(name)
    return measure.recorded[field].mean if field else measure.value


DECISION = """
net decision
time ns
import buffering.output
place found : Job = {packets} * Job(Datagram(1, 0, 0, {size} B, 0 ns), {cells}, 0)
place port_state : Port = {{number: 0, queue: {queue} B, near: {queue} B, congested: {congested}}},
                          {{number: 1, queue: 9999 B, near: 0 B, congested: true}}
place wanted  : {{ job: Job, inside: bool }}
place request : {{ job: Job, inward: bool }}
instance decision = Decision(dynamic, found = found, port_state = port_state, wanted = wanted, request = request)
transition on_chip: wanted(w) -> nothing
transition to_dram: request(r) -> nothing
measure detours = count(to_dram)
measure directs = count(on_chip)
run until dead
"""


@pytest.mark.parametrize(
    ("queue", "congested", "detour"),
    [
        (0, False, 0),
        (4160, False, 0),
        (4161, False, 1),
        (3000, False, 0),
        (3000, True, 1),
        (2080, True, 1),
        (2079, True, 0),
    ],
)
def test_watermarks_have_hysteresis(tmp_path: Path, queue: int, congested: bool, detour: int) -> None:
    """A port is congested above 4160 B, and until it is below 2080 B; the queues of other ports do not matter."""
    path = tmp_path / "decision.net"
    text = DECISION.format(packets=1, size=500, cells=8, queue=queue, congested=str(congested).lower())
    path.write_text(text, encoding="utf-8")
    result = petri.load(path).run()
    assert (figure(result, "detours"), figure(result, "directs")) == (detour, 1 - detour)


def test_a_queue_is_as_long_as_the_mpackets_of_its_packets(tmp_path: Path) -> None:
    """Three packets of 40 B occupy 192 B: the third one finds 4032 + 128 B, not above 4160 B, the fourth 4224 B."""
    path = tmp_path / "decision.net"
    path.write_text(DECISION.format(packets=4, size=40, cells=1, queue=4032, congested="false"), encoding="utf-8")
    result = petri.load(path).run()
    assert (figure(result, "detours"), figure(result, "directs")) == (1, 3)


@pytest.mark.slow
def test_what_comes_in_goes_out() -> None:
    """At an underloaded router all is delivered but what its buffers hold, some 30 packets of 80,000, and drops."""
    result = run()
    assert figure(result, "transmit") == pytest.approx(
        figure(result, "input_rate") * (1 - figure(result, "dropped_bytes")), rel=1e-3
    )


@pytest.mark.slow
def test_buffers_are_never_more_than_full() -> None:
    places = dict(zip(run().places.names, run().places.maximum.value, strict=True))
    assert places["router.rbuf_free"] <= 128
    assert places["router.tbuf_free"] <= 128
    assert places["router.thread"] <= 40
    assert places["router.engine"] <= 5
    assert places["router.port_state"] == 5


@pytest.mark.slow
def test_packets_lost_are_long_ones() -> None:
    """A packet is lost when RBUF has no room for it: lost bytes over lost packets is some 1.7 in DB Table I.

    If only the longest were lost, it would be 1500 B over the mean length.
    """
    for net in ("dynamic_buffering", "dram_buffering"):
        assert 1.3 < figure(run(net), "dropped_bytes") / figure(run(net), "dropped") < 1500 / 816


@pytest.mark.slow
def test_dynamic_buffering_drops_far_less_than_dram_buffering() -> None:
    dram, dynamic = (run(net, load="5.42 Gbps") for net in ("dram_buffering", "dynamic_buffering"))
    assert figure(dram, "dropped") == pytest.approx(0.0366, rel=0.5)
    assert figure(dynamic, "dropped") < figure(dram, "dropped") / 10
    assert figure(dram, "transmit") / GBPS == pytest.approx(5.08, rel=0.05)
    assert figure(dram, "bus_busy") > 0.85


@pytest.mark.slow
def test_drops_fall_with_threads_and_then_are_flat() -> None:
    dropped = {8 * engines: figure(run(engines=engines), "dropped") for engines in (1, 2, 3, 5)}
    assert dropped[8] > 2 * dropped[16]
    assert abs(dropped[24] - dropped[40]) < 0.004  # 0.0007 in the mean of 64 longer runs
    assert dropped[40] < dropped[16] + 0.001


@pytest.mark.slow
def test_share_in_dram_falls_as_the_high_watermark_rises() -> None:
    shares = [figure(run(high_watermark=f"{mark} B", engines=4), "in_dram") for mark in (1600, 2880, 4160)]
    assert shares[0] > shares[1] > 2 * shares[2]


@pytest.mark.slow
def test_use_of_resources() -> None:
    """DB Table VI: the hash unit at 15 % whatever the threads, engines 57 % of one, the data bus below 6 %."""
    for engines in (1, 2, 5):
        result = run(engines=engines)
        load = figure(result, "input_rate") / (6.22 * GBPS)
        assert figure(result, "hash_busy") == pytest.approx(0.15 * load, rel=0.05)
        assert figure(result, "engines_busy") * engines == pytest.approx(0.57 * load, rel=0.05)
        assert figure(result, "bus_busy") < 0.08  # 0.06 and less in longer runs


@pytest.mark.slow
def test_own_links_make_longer_queues() -> None:
    """Links of a fifth of the rate each serve a burst of one port more slowly than the whole does."""
    assert figure(run(own_links=True), "in_dram") > 3 * figure(run(), "in_dram")


@pytest.mark.parametrize("net", one_in(2, ["dynamic_buffering", "dram_buffering"]))
def test_engines_agree_on_packets(net: str) -> None:
    """With few flows, so that the firings compared are of packets rather than of flows that begin."""
    model = petri.load(net, active_flows=10, load="8 Gbps")
    native, reference = (
        model.run(engine=engine, warmup=0.0, seed=3, replications=1, max_firings=1000)
        for engine in ("native", "reference")
    )
    assert native.hash == reference.hash


@pytest.mark.parametrize("net", ["shotnoise", "dynamic_buffering", "dram_buffering"])
def test_constants_say_where_they_come_from(net: str) -> None:
    for parameter in petri.load(net).net.parameters:
        assert parameter.doc, parameter.name
        if parameter.kind != "bool":
            assert PROVENANCE.search(parameter.doc), f"{parameter.name}: {parameter.doc}"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["dram", "dynamic"])
def test_the_hash_unit_limits_an_attack_of_the_smallest_packets(scheme: str) -> None:
    """One packet of 64 B in 96 cycles of 600 MHz, 3.2 Gbps, with either scheme (DB section VI)."""
    model = petri.load("dynamic_buffering", scheme=scheme, load="5 Gbps", packet_mix="fixed", packet_fixed="64 B",
                       active_flows=81, shared_load=True)  # fmt: skip
    result = model.run(until="3 ms", warmup="1 ms", replications=1, seed=11)
    assert figure(result, "hash_busy") > 0.99
    assert figure(result, "transmit") == pytest.approx(600e6 / 96 * 64 * 1e-9, rel=0.01)
