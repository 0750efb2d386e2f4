"""The prioritiser, on the IXP2400 and on a host, and the forwarding paths: rules one by one, and the figures of TS."""

from __future__ import annotations

import functools
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import petri
from petri.engine.native import available
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")

SLOT = (1024 + 66) / 0.0125  # of a packet on the line [ns]
CLASSES = ("first", "second", "third", "last")


@functools.cache
def run(until: str = "3 s", warmup: str = "1 s", net: str = "prioritising", **parameters: Any) -> petri.Result:
    result = petri.load(net, **parameters).run(until=until, warmup=warmup, replications=1, seed=11)
    assert result.failure is None
    return result


def figure(result: petri.Result, name: str, field: str = "") -> float:
    measure = result.measure(name)
    return measure.recorded[field].mean if field else measure.value


def shares(result: petri.Result) -> list[float]:
    rates = [figure(result, f"{name}_rate") for name in CLASSES]
    return [rate / sum(rates) for rate in rates]


# -------------------------------------------------------------------- the discipline


@pytest.mark.slow
@pytest.mark.parametrize("quotas", one_in(4, [(12, 2, 1, 1), (1, 1, 1, 1), (4, 3, 2, 1), (1, 2, 3, 4)]))
def test_backlogged_classes_share_the_line_by_their_quotas(quotas: tuple[int, ...]) -> None:
    """Layers of 100 Mbps each. Quotas are no multiples of a packet, so they are not kept packet by packet."""
    given_quotas = {f"quota_{index + 1}": f"{1500 * quota} B" for index, quota in enumerate(quotas)}
    result = run(video="400 Mbps", sender_cost="0 us", **given_quotas)
    assert shares(result) == pytest.approx([quota / sum(quotas) for quota in quotas], rel=0.01)


@pytest.mark.slow
def test_what_a_class_does_not_need_goes_to_the_others() -> None:
    """The first class needs a sixth of the line and may have more; so do two others, and the last has what is left."""
    result = run(quota_2="2000 B", background="200 Mbps", video="60 Mbps")
    first, second, third, last = (figure(result, f"{name}_rate") * 8e3 for name in CLASSES)  # Mbps
    assert (first, second, third) == pytest.approx((15, 15, 15), rel=0.01)
    assert last == pytest.approx(100 * 1024 / 1090 - 45, rel=0.01)
    assert figure(result, "line_used") == 1.0


def test_rounds_in_which_nothing_could_be_sent_are_passed_over() -> None:
    """The last class may send a byte in each round, so a packet of it takes a thousand of them, but one firing."""
    result = run("50 ms", "10 ms", quota_4="1 B", video="60 Mbps")
    fired = dict(zip(result.transitions.names, result.transitions.firings.value, strict=True))
    served = sum(fired[f"rounds.serve[{index}]"] for index in range(4))
    assert 0 < fired["rounds.next_round"] <= served


@pytest.mark.slow
def test_strict_priority_is_the_limit_of_a_large_quota() -> None:
    """The first two layers of 40 Mbps fit on the line and the third has the rest; the fourth has nothing."""
    by_quota = run(video="160 Mbps", quota_1="1 GB", quota_2="1 GB", quota_3="1 GB")
    strict = run(video="160 Mbps", platform="host", stall_every="1000 s")
    expected = [40 / 93.945, 40 / 93.945, 13.945 / 93.945, 0.0]
    assert shares(by_quota) == pytest.approx(expected, abs=0.002)
    assert shares(strict) == pytest.approx(expected, abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters", one_in(3, [{"video": "400 Mbps"}, {}, {"video": "96 Mbps", "background": "0.1 Mbps"}])
)
def test_the_line_is_busy_while_a_ring_holds_packets(parameters: dict[str, str]) -> None:
    result = run(sampling="20 us", **parameters)
    assert figure(result, "line_used") >= 0.999


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    platform=st.sampled_from(["ixp", "host"]),
    video=st.integers(1, 400),
    background=st.integers(1, 400),
    queue_size=st.integers(1, 200),
    committed=st.integers(1, 300),
    arriving=st.integers(1, 300),
    head_drop=st.booleans(),
    load=st.sampled_from(["none", "zip"]),
    seed=st.integers(1, 1000),
)
@pytest.mark.slow
def test_packets_are_delivered_lost_or_inside(seed: int, video: int, background: int, **parameters: Any) -> None:
    model = petri.load("prioritising", video=f"{video} Mbps", background=f"{background} Mbps", **parameters)
    result = model.run(until="200 ms", warmup=0, replications=1, seed=seed)
    assert result.failure is None
    fired = dict(zip(result.transitions.names, result.transitions.firings.value, strict=True))
    held = dict(zip(result.places.names, result.replications[0].marking, strict=True))
    most = dict(zip(result.places.names, result.places.maximum.value, strict=True))

    def count(*names: str) -> float:
        return float(sum(fired[name] for name in names))

    def each(name: str) -> list[str]:
        return [f"{name}[{index}]" for index in range(4)]

    come = count("arrival.accept", "arrival.lose")
    sorted_ = count(*each("sorting.enter"), *each("sorting.drop"), *each("sorting.displace"))
    served = count(*each("rounds.serve"))
    inside = sum(len(held[name]) for name in each("queue"))
    assert count("sorting.sort") == sorted_
    assert sorted_ == inside + served + count(*each("sorting.drop"), *each("sorting.displace"))
    assert served - count(*each("receive")) - len(held["arrived"]) <= parameters["committed"] + 1
    assert come - count("arrival.lose") - sorted_ <= parameters["arriving"] + 128 + 24
    assert max(most[name] for name in each("queue")) <= parameters["queue_size"]


@pytest.mark.slow
def test_a_full_queue_may_lose_its_oldest_packet() -> None:
    """The last class is full at all times: its packets wait for the whole queue, or for what the newer ones leave."""
    tail, head = run(), run(head_drop=True)
    assert figure(tail, "lost_queues") == pytest.approx(figure(head, "lost_queues"), rel=0.01)
    assert figure(head, "lost_first") == 0


@pytest.mark.slow
def test_what_is_committed_decides_the_delay_and_not_the_gaps() -> None:
    near, far = run(committed=4), run(committed=64)
    assert figure(far, "gap", "std") == pytest.approx(figure(near, "gap", "std"), rel=0.03)
    assert figure(far, "gap", "p50") == pytest.approx(figure(near, "gap", "p50"), rel=1e-3)
    later = figure(far, "delay", "mean") - figure(near, "delay", "mean")
    assert later == pytest.approx(60 * SLOT, rel=0.01)


# -------------------------------------------------------------------- the sender

SENDER = """
net sender
time ns
import shaping.traffic
place network : Packet
instance stream = LayeredVideo(rate = {rate}, layers = 4, size = 1024 B, cost = 32 us, jitter = 0 us, network = network)
transition take: network(p) -> nothing
measure late = now - (4 * p.seq + p.flow) * 1024 B / {rate} at take  record mean, std
measure sent = rate(take)
run until 20 s
"""


def test_packets_of_the_sender_are_late_as_in_a_queue() -> None:
    """Packets due at even intervals, exponential times: GI/M/1, where a customer stays for an exponential time."""
    result = petri.loads(SENDER.format(rate="100 Mbps")).run(replications=1, seed=3)
    interval, busy = 81_920, 0.0
    for _ in range(100):
        busy = math.exp(-(1 - busy) * interval / 32_000)  # the probability that a packet finds the one before
    assert figure(result, "late", "mean") == pytest.approx(32_000 / (1 - busy), rel=0.01)
    assert figure(result, "late", "std") == pytest.approx(32_000 / (1 - busy), rel=0.02)
    assert figure(result, "sent") == pytest.approx(1 / interval, rel=1e-4)


def test_the_sender_sends_no_faster_than_its_processor_can() -> None:
    result = petri.loads(SENDER.format(rate="400 Mbps")).run(replications=1, seed=3)
    assert figure(result, "sent") == pytest.approx(1 / 32_000, rel=0.005)


# -------------------------------------------------------------------- table 1


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["ixp", "host"])
def test_gaps_at_100_mbps(platform: str) -> None:
    result = run(until="20 s", platform=platform)
    assert figure(result, "gap", "mean") == pytest.approx(0.320e6, rel=0.03)
    assert figure(result, "gap", "p50") == pytest.approx(0.351e6, rel=0.02)
    if platform == "ixp":
        assert figure(result, "gap", "std") == pytest.approx(0.085e6, rel=0.05)
        assert figure(result, "gap", "max") == pytest.approx(0.856e6, rel=0.33)


@pytest.mark.slow
def test_gaps_at_400_mbps() -> None:
    result = run(until="10 s", video="400 Mbps")
    assert figure(result, "gap", "mean") == pytest.approx(0.129e6, rel=0.03)
    assert figure(result, "gap", "p50") == pytest.approx(0.088e6, rel=0.02)
    assert figure(result, "gap", "std") == pytest.approx(0.071e6, rel=0.05)


@pytest.mark.slow
def test_the_host_loses_packets_at_400_mbps_alone() -> None:
    few, many = (run("8 s", "4 s", platform="host", video=video) for video in ("100 Mbps", "400 Mbps"))
    assert figure(few, "lost_arriving") == 0
    assert figure(many, "lost_arriving") == pytest.approx(0.07, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("load", "slots"), [("none", 1), ("disk", 2), ("zip", 2), ("both", 2)])
def test_medians_of_the_host_at_400_mbps(load: str, slots: int) -> None:
    result = run("8 s", "4 s", platform="host", load=load, video="400 Mbps")
    assert figure(result, "gap", "p50") == pytest.approx(slots * SLOT)


@pytest.mark.slow
def test_stalls_of_the_host_move_the_mean_of_squares_and_not_the_median() -> None:
    idle, busy = (run(until="20 s", platform="host", load=load) for load in ("none", "zip"))
    assert figure(busy, "gap", "p50") == pytest.approx(figure(idle, "gap", "p50"), rel=0.01)
    assert figure(busy, "gap", "std") > 2 * figure(idle, "gap", "std")
    assert figure(busy, "gap", "max") > 50e6


@pytest.mark.slow
def test_the_ixp_does_not_know_the_load_of_the_host() -> None:
    assert run(load="none").hash == run(load="both").hash


# -------------------------------------------------------------------- figure 3


@functools.cache
def round_trip(path: str, tar: bool = False) -> petri.Result:
    return run(until="1 s", warmup="100 ms", net="forwarding_paths", path=path, tar=tar)


@pytest.mark.slow
def test_microengines_are_11_to_12_percent_faster_than_the_kernel() -> None:
    chip, kernel = (figure(round_trip(path), "round_trip", "mean") for path in ("microengines", "kernel"))
    assert 0.11 <= 1 - chip / kernel <= 0.12
    for path in ("xscale", "process"):
        assert figure(round_trip(path), "round_trip", "mean") > chip


@pytest.mark.slow
def test_tar_takes_8_to_9_percent_longer_where_the_host_forwards() -> None:
    chip, kernel = (figure(round_trip(path, tar=True), "tar_time") for path in ("microengines", "kernel"))
    assert 0.08 <= 1 - chip / kernel <= 0.09
    slower = figure(round_trip("kernel", tar=True), "round_trip", "mean")
    assert slower / figure(round_trip("kernel"), "round_trip", "mean") == pytest.approx(1.085, abs=0.015)
