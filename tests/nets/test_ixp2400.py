"""The base model of the IXP2400 against the figures that Govind, Govindarajan and Kuri state for one router (PRNP).

Tolerances: throughput 2 %, with 16 threads 10 %; shares of packets a fifth of the value or three points, as the larger
differences of the paper between its own two simulators are. Seeds are fixed; replications spread by a fifteenth of the
value at most.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

import petri
from petri.engine.native import available
from tests.sampling import one_in

GBPS = 0.125  # bytes per nanosecond

slow_without_native = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")


@functools.cache
def run(replications: int = 2, **parameters: Any) -> petri.Result:
    return petri.load("ixp2400", **{"packets": 20_000, **parameters}).run(replications=replications, seed=11)


def figure(result: petri.Result, name: str, field: str = "") -> float:
    measure = result.measure(name)
    return measure.recorded[field].mean if field else measure.value


def gbps(result: petri.Result) -> float:
    return figure(result, "throughput") / GBPS


@pytest.mark.parametrize("name", ["ixp2400", "ixp2400_hops"])
def test_the_net_states_the_rate_that_its_source_sends(name: str) -> None:
    net = petri.load(name).net
    values = {parameter.name: parameter.value for parameter in net.parameters}
    sent = float(values["load"]) * float(values["line"]) / GBPS
    assert f"arrive at {sent:.2f} Gbps" in " ".join(net.doc.split())


@slow_without_native
@pytest.mark.slow
def test_dram_limits_throughput() -> None:
    result = run()
    assert gbps(result) == pytest.approx(2.96, rel=0.02)
    assert figure(result, "dram_busy") > 0.97


@slow_without_native
@pytest.mark.slow
def test_throughput_saturates_at_sixteen_threads() -> None:
    by_threads = {8 * threads: gbps(run(threads=threads, packets=10_000)) for threads in (1, 2, 4, 8)}
    assert by_threads[8] < 0.9 * by_threads[64]
    assert by_threads[16] == pytest.approx(2.96, rel=0.1)
    assert by_threads[32] == pytest.approx(2.96, rel=0.02)
    assert by_threads[8] < by_threads[16] < by_threads[32] * 1.01


@pytest.mark.slow
@slow_without_native
def test_two_microengines_are_enough() -> None:
    assert gbps(run(engines=2)) == pytest.approx(2.96, rel=0.1)


@slow_without_native
@pytest.mark.slow
def test_table_1() -> None:
    """Reorder and retransmission rates of one hop, flows of 6.4 KB and 640 B."""
    for flow_packets, reorder, retransmit in ((100, 0.3585, 0.0835), (10, 0.317, 0.058)):
        result = run(6, flow_packets=flow_packets)
        assert figure(result, "sequence", "duplicate_ack_share") == pytest.approx(reorder, rel=0.2)
        assert figure(result, "sequence", "retransmit_missing_share") == pytest.approx(retransmit, abs=0.03)


@pytest.mark.slow
@slow_without_native
def test_packets_of_512_bytes_keep_sixteen_threads_busy() -> None:
    result = run(packet="512 B", packets=40_000)  # so many that the idle beginning and end count for little
    assert figure(result, "threads_busy") == pytest.approx(16 / 64, rel=0.1)
    assert gbps(result) == pytest.approx(3.0, rel=0.03)
    assert figure(result, "sequence", "duplicate_ack_share") < figure(run(), "sequence", "duplicate_ack_share")


@pytest.mark.slow
@slow_without_native
def test_dram_forwards_512_byte_packets_at_the_published_rate_when_they_are_offered_faster() -> None:
    result = run(packet="512 B", packets=10_000, line="3.5 Gbps")
    assert gbps(result) == pytest.approx(3.068, rel=0.02)


@pytest.mark.slow
@slow_without_native
def test_strided_allocation_costs_no_throughput() -> None:
    assert gbps(run(strided=True)) == pytest.approx(gbps(run()), rel=0.01)


@slow_without_native
@pytest.mark.parametrize(
    "parameters",
    one_in(
        4,
        [
            {"engines": 1, "threads": 1, "packets": 500},
            {"engines": 3, "threads": 5, "flows": 1, "packets": 1000},
            {"packet": "1500 B", "packets": 700},
            {"packet": "40 B", "packets": 1000, "strided": True},
            {"memory_exponential": False, "work_exponential": False, "packets": 1000},
            {"source_exponential": True, "line_exponential": True, "packets": 1000},
            {"command_entries": 1, "engine_line": 1, "output_memory": 1, "packets": 1000},
        ],
    ),
)
def test_nothing_is_lost_and_everything_is_given_back(parameters: dict[str, Any]) -> None:
    model = petri.load("ixp2400", **parameters)
    result = model.run(replications=1)
    assert result.died
    assert result.passed
    marking = result.replications[0].marking
    for index, place in enumerate(model.net.places):
        if place.name.startswith(("source.", "router.receive.next_engine", "router.transmit.head")):
            continue
        initial = sorted(token for count, token in place.initial for _ in range(count))
        assert sorted(marking[index]) == initial, f"{place.name} ends as it began"
        if place.capacity is not None:
            assert result.replications[0].window.maximum[index] <= place.capacity


@slow_without_native
def test_one_thread_keeps_the_order() -> None:
    result = run(engines=1, threads=1, packets=2000)
    assert figure(result, "sequence", "reordered_share") == 0.0


RECEIVE = """
net receive
time ns
import ixp2400.receive
param packets = 9
place inlet   : Packet fifo = Packet(0, i, 64 B, 0 ns) for i in 0..packets-1
place thread  : Context
place element = 128 * token
place start   : Job fifo
place later   : { at: Context, after: Time }
instance receive = ReceiveInTurn(inlet = inlet, thread = thread, element = element, start = start)
transition finish: later(l) -> thread(l.at)  takes l.after
run until dead
"""


def started(packets: int, freed: str, **parameters: int) -> list[tuple[int, int, int]]:
    """Packet, microengine and thread, in the order of their start, if threads are freed so many microseconds later."""
    net = RECEIVE.replace("after: Time }", f"after: Time }} = {freed}" if freed else "after: Time }")
    model = petri.loads(net, packets=packets, **parameters)
    marking = model.run(engine="reference", replications=1).replications[0].marking[3]
    return [(int(job[1]), int(job[4]), int(job[5])) for job in marking]


def test_microengines_get_packets_in_turn() -> None:
    """PRNP section 3.1: P1 goes to the first thread of ME1, P2 to that of ME2."""
    assert started(6, "", engines=4) == [(0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 3, 0), (4, 0, 1), (5, 1, 1)]


def test_a_microengine_for_which_a_packet_waits_is_passed_over() -> None:
    """Packets 4 to 7 wait for one microengine each, until a thread of the third is free and packet 8 has room."""
    freed = "{at: Context(2, 0), after: 2 us * i} for i in 1..2"
    begun = [(0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 3, 0)]
    assert started(9, freed, engines=4, threads=1, engine_line=1) == [*begun, (6, 2, 0), (8, 2, 0)]
    assert started(9, freed, engines=4, threads=1, engine_line=2) == [*begun, (6, 2, 0)]


LINE = """
net line
time ns
import ixp2400.receive
place thread  : Context
place waiting : Packet fifo
place room    : Engine
place start   : Job fifo
place later   : { at: Context, after: Time } = {at: Context(1, 5), after: 1 us}, {at: Context(1, 3), after: 2 us},
                                               {at: Context(0, 4), after: 3 us}
place coming  : Packet fifo = Packet(0, i, 64 B, 0 ns) for i in 0..5
instance line = EngineLine(number = 1, waiting = waiting, thread = thread, room = room, start = start)
transition finish: later(l) -> thread(l.at)      takes l.after
transition come:   coming(p) -> waiting(p)       takes 4 us
run until dead
"""


def test_the_thread_that_was_freed_last_is_next() -> None:
    """Threads 0 and 1 are idle at first, and threads 5 and 3 are freed; another microengine's is no concern."""
    marking = petri.loads(LINE, threads=2).run(engine="reference", replications=1).replications[0].marking
    assert [int(job[5]) for job in marking[3]] == [3, 5, 0, 1]
    assert len(marking[0]) == 1
    assert len(marking[1]) == 2


RING = """
net ring
time ns
import ixp2400.allocation
import ixp2400.transmit
param strided = false
place finished : Job = Job(Packet(0, e, 64 B, 0 ns), Context(e, 0)) for e in 0..3,
                       Job(Packet(0, 10 + t, 64 B, 0 ns), Context(0, t)) for t in 1..7
place asked : Allocation
place thread  : Context
place element
place closed = token
place room
transition unlock:  closed -> 100 * room   takes 1 ns
place outlet : Packet fifo
thread transfer
  take finished(j)
  call asked({at: j.at, bytes: j.packet.size}) -> {slot}
  give valid({packet: j.packet, at: j.at, slot})
end
place valid : Finished
instance allocation = FixedAllocation(per_engine = if strided then 1 else 8, per_thread = if strided then 8 else 1,
                                      asked = asked)
instance ring = TransmitRing(elements = 64, finished = valid, thread = thread, element = element, outlet = outlet,
                             memory = room)
run until dead
"""


@pytest.mark.parametrize(
    ("strided", "order"),
    [(False, [0, 11, 12, 13, 14, 15, 16, 17, 1, 2, 3]), (True, [0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 17])],
)
def test_the_ring_sends_in_the_order_of_its_elements(strided: bool, order: list[int]) -> None:
    """PRNP section 3.2: contiguous elements of threads 1 to 8 of the first engine go before the second engine's."""
    model = petri.loads(RING, strided=strided)
    result = model.run(engine="reference", replications=1)
    names = [place.name for place in model.net.places]
    left = [int(token[1]) for token in result.replications[0].marking[names.index("outlet")]]
    assert left == order
