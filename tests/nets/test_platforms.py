"""The platforms of Brink and others (PM): PCI-X against its closed formula, the forwarding chip, and the server.

The figures of the paper are compared with longer runs in validation/platforms. Here runs are short and seeds are fixed.
"""

from __future__ import annotations

import functools
import math
import re
from typing import Any

import pytest

import petri
from petri.engine.native import available
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")

PROVENANCE = re.compile(r"\b(given|derived|calibrated|estimated)\b")
BURSTS = (64, 128, 256, 512, 1024, 2048, 4096)
FRAMES = (64, 128, 256, 512, 1024, 1518)
LABELLED = (40, 110, 238, 494, 1006, 1264, 1500)


@functools.cache
def run(net: str, until: str, warmup: str, **parameters: Any) -> petri.Result:
    result = petri.load(net, **parameters).run(until=until, warmup=warmup, replications=1, seed=11)
    assert result.failure is None
    return result


def figure(result: petri.Result, name: str) -> float:
    return result.measure(name).value


# ---------------------------------------------------------------- PCI-X


@pytest.mark.parametrize("burst", one_in(3, BURSTS))
def test_efficiency_of_reads_is_that_of_the_formula(burst: int) -> None:
    """Data clocks over data clocks, 5 for the request and 4 for each split completion of 512 B."""
    result = run("pcix", "400 us", "50 us", agent_burst=f"{burst} B")
    completions = math.ceil(burst / 512)
    data = burst / 8
    assert figure(result, "efficiency") == pytest.approx(data / (data + 5 + 4 * completions), rel=0.005)
    assert figure(result, "completions") == pytest.approx(completions, rel=0.02)


def test_utilisation_and_efficiency_give_the_throughput() -> None:
    """Throughput = efficiency x utilisation x clock x width (PM, PCI-X Performance Parameters)."""
    result = run("pcix", "400 us", "50 us", agent_burst="1024 B")
    expected = figure(result, "efficiency") * figure(result, "utilisation") * 0.8  # bytes per nanosecond
    assert figure(result, "throughput") == pytest.approx(expected, rel=1e-3)


def test_a_read_off_the_boundary_takes_one_more_completion() -> None:
    """1 KB from 64 B after a boundary: 448, 512 and 64 B."""
    result = run("pcix", "400 us", "50 us", agent_burst="1024 B", agent_offset="64 B")
    assert figure(result, "completions") == pytest.approx(3, rel=0.02)


def test_writes_take_four_clocks_and_their_data() -> None:
    result = run("pcix", "400 us", "50 us", agent_burst="512 B", agent_writes=1.0)
    assert figure(result, "efficiency") == pytest.approx(64 / 68, rel=0.005)


def test_a_second_bus_carries_as_much_as_the_first() -> None:
    one = run("pcix", "400 us", "50 us", agents=2)
    two = run("pcix", "400 us", "50 us", agents=2, buses=2)
    assert figure(two, "throughput") == pytest.approx(2 * figure(one, "throughput"), rel=0.02)


def test_processors_delay_reads() -> None:
    idle, loaded = (figure(run("pcix", "400 us", "50 us", cpu_load=load), "read_time") for load in (0.0, 0.9))
    assert loaded > idle + 10


# ---------------------------------------------------------------- the forwarding chip


@pytest.mark.slow
@pytest.mark.parametrize("operation", one_in(2, ["ipv4", "ipv6"]))
@pytest.mark.parametrize("share", one_in(3, [{}, {"control_share": 0.05}, {"option_share": 0.001}]))
def test_smallest_frames_pass_at_line_rate(operation: str, share: dict[str, float]) -> None:
    result = run("npf", "2 ms", "500 us", operation=operation, frame="64 B" if operation == "ipv4" else "78 B", **share)
    assert figure(result, "lost") == 0
    kept = 1 - share.get("control_share", 0.0)
    assert figure(result, "forwarding") == pytest.approx(kept, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("operation", ["ipv4", "ipv6"])
def test_nothing_is_lost_in_forty_milliseconds(operation: str, frame: int) -> None:
    size = max(frame, 78) if operation == "ipv6" else frame
    result = run("npf", "40 ms", "0 ms", operation=operation, frame=f"{size} B")
    assert figure(result, "lost") == 0


@pytest.mark.slow
def test_small_frames_take_longer_than_those_of_one_block() -> None:
    """All blocks cost DRAM as much, so that it is busier with more frames (PM figure 12)."""
    small, whole = (run("npf", "3 ms", "1 ms", frame=f"{size} B", load=0.95) for size in (64, 128))
    assert figure(small, "latency") > figure(whole, "latency")
    assert figure(small, "dram_busy") > 1.5 * figure(whole, "dram_busy")


@pytest.mark.parametrize(("operation", "rate"), [("ipv4", 96_292), ("ipv6", 18_000)])
def test_without_traffic_updates_go_at_their_greatest_rate(operation: str, rate: int) -> None:
    result = run("npf", "20 ms", "1 ms", operation=operation, load=0.001, updates=1.0)
    assert figure(result, "updates_done") * 1e9 == pytest.approx(rate, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("operation", "frame"), [("ipv4", "64 B"), ("ipv6", "78 B")])
def test_only_most_updates_cost_packets(operation: str, frame: str) -> None:
    most, half = (
        figure(run("npf", "40 ms", "20 ms", operation=operation, frame=frame, updates=share), "lost")
        for share in (1.0, 0.5)
    )
    assert 0.005 < most < 0.06
    assert half == 0


@pytest.mark.slow
def test_the_internet_mix_does_not_feel_updates() -> None:
    assert figure(run("npf", "4 ms", "1 ms", sizes="internet", updates=1.0), "lost") == 0


@pytest.mark.slow
@pytest.mark.parametrize("labels", [1, 2, 3])
def test_pushed_labels_fill_the_output_line(labels: int) -> None:
    """A packet of 40 B comes in 64 B and leaves in 62, 66 or 70 B, but in no less than 64."""
    result = run("npf", "4 ms", "3 ms", operation="push", labels=labels)
    assert figure(result, "out_busy") > 0.998
    size = max(64, 40 + 18 + 4 * labels)
    assert figure(result, "throughput") == pytest.approx(0.5 * size / (size + 20), rel=0.002)


@pytest.mark.slow
@pytest.mark.parametrize(("packet", "labels"), [(packet, number % 3 + 1) for number, packet in enumerate(LABELLED)])
def test_all_sizes_fill_the_output_line(packet: int, labels: int) -> None:
    result = run("npf", "10 ms", "3 ms", operation="push", labels=labels, ip_packet=f"{packet} B")
    assert figure(result, "out_busy") > 0.998


@pytest.mark.slow
def test_most_labels_need_two_words_of_an_entry() -> None:
    """60 % read 8 B, the others all 16 B: 11.2 B on average instead of 16."""
    first, whole = (run("npf", "1 ms", "200 us", operation="swap", whole_entry=entry) for entry in (False, True))
    assert figure(first, "entry_read") == pytest.approx(11.2, rel=0.03)
    assert figure(whole, "entry_read") == 16


@pytest.mark.slow
def test_two_chips_forward_twice_as_much() -> None:
    one, two = (figure(run("npf", "1 ms", "200 us", chips=chips), "throughput") for chips in (1, 2))
    assert two == pytest.approx(2 * one, rel=0.01)


@pytest.mark.slow
def test_the_tests_of_rfc_2544_find_its_load_loss_and_delay() -> None:
    """As in the README, but shorter: the names of parameters and measures are those that the tests know."""
    outcome = petri.rfc2544(
        "npf", sizes=[64, 1518], until="1 ms", warmup="200 us", max_replications=1, replications=1, growth=False
    )
    table = outcome.table()
    assert table["load"] == [1, 1]
    assert table["loss_at_full_load"] == [0, 0]
    for column in ("throughput", "delay_at_100%", "delay_at_25%"):
        small, large = table[column]
        assert small < large


# ---------------------------------------------------------------- the server


@pytest.mark.slow
@pytest.mark.parametrize("routing", one_in(4, ["lowest", "next", "fixed", "balanced"]))
def test_processors_are_no_more_than_busy(routing: str) -> None:
    """Work, interrupts, moved data and spinning together are the time of the processors."""
    result = run("ia32", "40 ms", "10 ms", routing=routing)
    limit = 2 if routing in ("fixed", "balanced") else None
    assert figure(result, "used") <= 2.01
    if limit:
        assert figure(result, "used") == pytest.approx(limit, rel=0.01)
    assert figure(result, "loss") == 0


def test_one_processor_at_its_limit_is_busy_all_the_time() -> None:
    result = run("ia32", "40 ms", "10 ms", processors=1, function="ipsec", directions=1)
    assert figure(result, "used") == pytest.approx(1, rel=0.002)


@pytest.mark.slow
def test_most_interrupts_go_to_the_first_processor() -> None:
    result = run("ia32", "400 ms", "20 ms", processors=4, cards=4, load=0.1, window=0)
    shares = [figure(result, f"cpu{n}_share") for n in range(4)]
    assert shares[0] == pytest.approx(0.80, abs=0.01)
    assert sum(shares) == pytest.approx(1)
    assert shares == sorted(shares, reverse=True)


@pytest.mark.slow
def test_fixed_routing_gives_each_processor_its_card() -> None:
    result = run("ia32", "40 ms", "10 ms", routing="fixed")
    assert figure(result, "moving") == 0
    assert figure(result, "cpu0_share") == pytest.approx(0.5, abs=0.02)


@pytest.mark.slow
def test_shares_of_ipsec() -> None:
    """Those of 64 B were fitted; 3DES is 31 times the work with 1518 B, and takes most of the time."""
    small, large = (run("ia32", "100 ms", "20 ms", function="ipsec", directions=1, frame=f"{n} B") for n in (64, 1518))
    assert 0.22 < figure(small, "tdes_share") < 0.29
    assert figure(small, "maintenance_share") == pytest.approx(0.5, abs=0.02)
    assert figure(small, "md5_share") == pytest.approx(0.09, abs=0.01)
    assert figure(large, "md5_share") == pytest.approx(0.04, abs=0.005)
    assert figure(large, "tdes_share") > 0.8
    names = ("tdes", "md5", "maintenance", "system", "filter")
    for result in (small, large):
        assert sum(figure(result, f"{name}_share") for name in names) == pytest.approx(1, abs=0.01)


@pytest.mark.slow
def test_buses_are_not_the_limit() -> None:
    for parameters in ({"routing": "fixed"}, {"processors": 1}, {"function": "ipsec", "frame": "1518 B"}):
        result = run("ia32", "40 ms", "10 ms", **parameters)
        assert figure(result, "pcix_busy") < 0.5
        assert figure(result, "fsb_busy") < 0.5


@pytest.mark.slow
def test_rules_cost_throughput() -> None:
    none, few, many = (
        figure(run("ia32", "40 ms", "10 ms", processors=1, function=name, rules=rules), "throughput")
        for name, rules in (("networks", 0), ("firewall", 200), ("firewall", 512))
    )
    assert none > 2 * few > 3 * many


@pytest.mark.slow
def test_more_than_it_can_forward_is_lost_without_a_window() -> None:
    assert figure(run("ia32", "40 ms", "20 ms", window=0, processors=1), "loss") > 0.3


# ---------------------------------------------------------------- all


@pytest.mark.parametrize("net", ["pcix", "npf", "ia32"])
def test_constants_say_where_they_come_from(net: str) -> None:
    for parameter in petri.load(net).net.parameters:
        assert parameter.doc, parameter.name
        if parameter.kind != "bool":
            assert PROVENANCE.search(parameter.doc), f"{parameter.name}: {parameter.doc}"


def test_six_constants_are_calibrated() -> None:
    found = {
        parameter.name
        for net in ("pcix", "npf", "ia32")
        for parameter in petri.load(net).net.parameters
        if "calibrated" in parameter.doc
    }
    assert found == {"lock_share", "driver_work", "forward_work", "maintenance", "md5_base", "md5_work"}
