"""The token bucket and the shaper: conservation, the bound of the bucket, and the fluid that it is made of (TS 4.1)."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import petri
from petri.engine.native import available

KBPS = 1.25e-4  # bytes per microsecond
PROVENANCE = re.compile(r"\b(given|derived|calibrated|estimated)\b")
slow_without_native = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")

BUCKET = """
net bucket
time us
import shaping.bucket
type Coming = {{ after: Time, size: Bytes }}
place script : Coming fifo = {script}
place started = token
place inlet  : Packet fifo
place outlet : Packet fifo
place log    : {{ at: Time, size: Bytes, number: int }}
transition come: script(c), started -> started, inlet({{flow: 0, seq: 0, size: c.size, born: end}})  takes c.after
instance bucket = TokenBucket({arguments}, inlet = inlet, outlet = outlet)
transition out: outlet(p) -> log({{at: now, size: p.size, number: 0}})  priority 9
measure passed  = count(out)
measure lost    = count(bucket.displace) + count(bucket.refuse) + count(bucket.reject)
measure expired = count(bucket.expire)
run until {until} us
"""


def bucket(
    script: list[tuple[int, int]],
    *,
    rate: str = "1 MBps",
    depth: int = 3000,
    room: int = 3,
    deadline: int = 0,
    header: int = 0,
    dropping: str = "head",
    until: int = 1_000_000,
) -> petri.Result:
    """Run a bucket on packets given as (time since the one before in us, size in bytes)."""
    arguments = f"{rate}, {depth} B, {room}, {deadline} us, {header} B, {dropping}"
    rows = ", ".join(f"{{after: {after} us, size: {size} B}}" for after, size in script)
    text = BUCKET.format(script=rows, arguments=arguments, until=until)
    return petri.loads(text).run(engine="reference", replications=1, occupancy=False)


def figure(result: petri.Result, name: str, field: str = "") -> float:
    measure = result.measure(name)
    return measure.recorded[field].mean if field else measure.value


def left(result: petri.Result) -> list[tuple[float, float]]:
    """Return when packets passed, and their sizes."""
    place = result.net.places.index(next(one for one in result.net.places if one.name == "log"))
    return sorted((float(token[0]), float(token[1])) for token in result.replications[0].marking[place])


def waiting(result: petri.Result) -> int:
    places = [one.name for one in result.net.places]
    return len(result.replications[0].marking[places.index("bucket.queue")])


def test_credits_pass_a_burst_and_then_the_rate() -> None:
    """3000 B of credits for five packets of 1000 B: three pass at once, the others one every millisecond."""
    times = [at for at, _ in left(bucket([(10, 1000)] * 5))]
    assert times[:3] == pytest.approx([10, 20, 30])
    assert times[3:] == pytest.approx([1010, 2010], abs=0.01)


def test_headers_are_charged() -> None:
    """With 100 B of header, the bucket has credits for two packets; the third waits for 300 of its 1100 B."""
    times = [at for at, _ in left(bucket([(0, 1000)] * 3, header=100))]
    assert times == pytest.approx([0, 0, 300], abs=0.01)


@pytest.mark.parametrize(("dropping", "sizes"), [("head", [1000, 1002, 1003]), ("tail", [1000, 1001, 1002])])
def test_a_full_queue_loses_its_oldest_packet_or_the_new_one(dropping: str, sizes: list[int]) -> None:
    """The bucket is empty after the first packet, and there is room for two of the other three."""
    result = bucket([(0, 1000), (1, 1001), (1, 1002), (1, 1003)], depth=1003, room=2, rate="10 KBps", dropping=dropping)
    assert [size for _, size in left(result)] == sizes
    assert figure(result, "lost") == 1


def test_packets_expire_at_their_deadline() -> None:
    """Packets wait 100 ms each for their credits: the second leaves in time, the third and fourth do not."""
    result = bucket([(0, 1000)] * 4, depth=1000, rate="10 KBps", room=9, deadline=150_000)
    assert [at for at, _ in left(result)] == pytest.approx([0, 100_000], abs=0.01)
    assert figure(result, "expired") == 2


def test_a_packet_larger_than_the_bucket_is_lost() -> None:
    result = bucket([(0, 3001), (5, 3000)])
    assert [size for _, size in left(result)] == [3000]
    assert figure(result, "lost") == 1


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=(Phase.generate, Phase.shrink)
)
@given(
    script=st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 1500)), min_size=1, max_size=40),
    rate=st.integers(10, 5000),
    depth=st.integers(1000, 8000),
    room=st.integers(1, 6),
    deadline=st.sampled_from([0, 500, 3000]),
    header=st.sampled_from([0, 28]),
    dropping=st.sampled_from(["head", "tail"]),
    until=st.integers(1000, 100_000),
)
@pytest.mark.slow
def test_nothing_is_lost_and_no_more_passes_than_the_bucket_allows(
    script: list[tuple[int, int]],
    rate: int,
    depth: int,
    room: int,
    deadline: int,
    header: int,
    dropping: str,
    until: int,
) -> None:
    """Packets pass, are dropped, expire or wait; in any interval of t, at most depth + rate * t bytes pass."""
    result = bucket(script, rate=f"{rate} KBps", depth=depth, room=room, deadline=deadline, header=header,
                    dropping=dropping, until=until)  # fmt: skip
    assert result.failure is None
    still = waiting(result)
    assert still <= room
    assert came(result) == still + sum(figure(result, name) for name in ("passed", "lost", "expired"))
    passed = left(result)
    for first in range(len(passed)):
        charged = 0.0
        for at, size in passed[first:]:
            charged += size + header
            assert charged <= depth + rate * 1e-3 * (at - passed[first][0]) + 1e-6 * depth


def came(result: petri.Result) -> float:
    """Packets that have arrived at the bucket."""
    names = list(result.places.names)
    return float(result.places.arrivals.value[names.index("inlet")])


# -------------------------------------------------------------------- the experiment of figure 5

PACKETS = 100  # at each rate


def oracle(depth: int, room: int, slow: float, cycles: int = 40) -> float:
    """Return the share of packets dropped if credits are a fluid: 800 kbps flow in, and a packet takes its credits, or
    owes them while it waits.
    """
    level, dropped, sent = float(depth), 0, 0
    for cycle in range(cycles):
        for rate in [1100.0] * PACKETS + [slow] * PACKETS:
            level = min(float(depth), level + 800.0 / rate)
            fits = level - 1.0 >= -room - 1e-9
            level -= fits
            if cycle >= 2:
                sent, dropped = sent + 1, dropped + (not fits)
    return dropped / sent


def fluid(depth: float, room: float, slow: float) -> float:
    """Return the same for fluid packets: what the fast half needs, less what the slow half leaves for it."""
    fall, rise = PACKETS * (1 - 800 / 1100), PACKETS * (800 / slow - 1)
    return max(fall - min(depth + room, rise), 0.0) / (2 * PACKETS)


@functools.cache
def shaped(depth: int, room: int, slow: int) -> petri.Result:
    """60 whole cycles of the sender after 6."""
    parameters: dict[str, Any] = {"depth": f"{depth} * 1024 B", "room": room, "slow": f"{slow} kbps"}
    cycle = PACKETS * 1024 / KBPS * (1 / 1100 + 1 / slow)
    result = petri.load("shaping", **parameters).run(until=66 * cycle, warmup=6 * cycle, replications=1, seed=1)
    assert result.failure is None
    return result


SLOW_RATES = (800, 700, 600)
PAIRS = [
    pytest.param(*pair, slow, marks=() if slow == SLOW_RATES[number % 3] and number == 0 else pytest.mark.slow)
    for number, pair in enumerate([(10, 20), (5, 5), (5, 20), (10, 5)])
    for slow in SLOW_RATES
]


@slow_without_native
@pytest.mark.parametrize(("depth", "room", "slow"), PAIRS)
def test_drops_are_those_of_a_fluid_of_credits(depth: int, room: int, slow: int) -> None:
    """Within 0.2 points. Of a fluid of packets, up to two fewer of the 200 packets of a cycle are dropped."""
    share = figure(shaped(depth, room, slow), "dropped")
    assert share == pytest.approx(oracle(depth, room, slow), abs=0.002)
    assert fluid(depth, room, slow) - 0.002 <= share <= fluid(depth, room, slow) + 2 / (2 * PACKETS) + 0.002


@slow_without_native
@pytest.mark.parametrize(("slow", "offered", "dropped"), [(800, 926.3, 0.136), (700, 855.6, 0.065), (600, 776.5, 0.0)])
def test_rates_of_figure_5(slow: int, offered: float, dropped: float) -> None:
    result = shaped(10, 20, slow)
    assert figure(result, "offered") / KBPS == pytest.approx(offered, rel=0.01)
    assert figure(result, "dropped") == pytest.approx(dropped, abs=0.003)
    assert figure(result, "shaped") / KBPS == pytest.approx(min(offered, 800.0), rel=0.01)
    smooth = (
        0.975 * 800 < figure(result, "lowest_shaped") / KBPS < figure(result, "highest_shaped") / KBPS < 1.025 * 800
    )
    assert smooth == (slow > 600)


@slow_without_native
def test_a_recording_is_shaped(tmp_path: Path) -> None:
    """100 packets of 1000 B in 10 ms, and a bucket of ten of them at 10 MB/s: ten at once, then one every 0.1 ms."""
    rows = "".join(f"{index * 1e-4:.4f},1000,0\n" for index in range(100))
    path = tmp_path / "packets.csv"
    path.write_text("time,size,flow\n" + rows, "utf-8")
    model = petri.load("shaping_recorded", token_rate="2 MBps", depth="10 KB", room=5)
    result = model.with_streams({"packets": str(path)}).run(replications=1)
    assert result.failure is None
    passed = round((1 - figure(result, "dropped")) * figure(result, "packets_in"))
    assert figure(result, "packets_in") == 100
    assert passed == pytest.approx(10 + 2e6 * 9.9e-3 / 1000 + 5, abs=1)


@pytest.mark.parametrize("net", ["shaping", "shaping_recorded", "prioritising", "forwarding_paths"])
def test_constants_say_where_they_come_from(net: str) -> None:
    for parameter in petri.load(net).net.parameters:
        assert parameter.doc, parameter.name
        if parameter.kind != "bool":
            assert PROVENANCE.search(parameter.doc), f"{parameter.name}: {parameter.doc}"


def test_a_full_queue_loses_the_highest_layers_first() -> None:
    """As a fluid: of the third layers 250 + 150 of 900 kbps pass, of the fourth 50 + 150, and of the lower ones all."""
    result = petri.load("shaping_streams").run(until="60 s", warmup="5 s", replications=1, seed=11)
    assert result.passed, "each stream passes the lesser of what is sent and what was negotiated"
    passes = [result.measure(f"passes[{layer}]").value for layer in range(4)]
    assert passes == pytest.approx([1, 1, 4 / 9, 2 / 9], abs=0.01)
