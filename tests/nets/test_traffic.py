"""The sources of traffic against the theory of each: mean, variance over windows, autocovariance, active flows.

Seeds are fixed. Every comparison allows four standard errors of its estimate, found from the replications, which are
independent: with another seed, a false alarm in some 1,800 comparisons (Student's t, 23 degrees of freedom).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import petri
from petri.engine.native import available
from petri.measure.histogram import Histogram
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")

MBPS = 0.125  # bytes per microsecond
REPLICATIONS = 24
ERRORS = 4.0

NET = """
net trial
time us
import traffic.steady
import traffic.bursty
import traffic.shotnoise
place network : Datagram
instance source = {source}
transition deliver: network(p) -> nothing
measure rates = rate(deliver, p.size)   record series({window})
measure flows = {flows}
measure sizes = p.size at deliver   record mean
"""

Floats = np.ndarray[Any, np.dtype[np.float64]]


def run(
    folder: Path, source: str, *, window: str, until: str, flows: str = "rate(deliver)", **parameters: Any
) -> petri.Result:
    path = folder / "trial.net"
    path.write_text(NET.format(source=source, window=window, flows=flows), encoding="utf-8")
    result = petri.load(path, **parameters).run(until=until, replications=REPLICATIONS, seed=3)
    assert result.failure is None
    return result


def windows(result: petri.Result) -> Floats:
    """Mean rate in each window [B/us]: a row for each replication."""
    series = result.measure("rates").series
    assert series is not None
    return np.array([series[index] for index in sorted(series)])


def agrees(samples: Floats, expected: float) -> None:
    """Check that the mean of independent samples is the expected value, to within `ERRORS` standard errors."""
    error = float(np.std(samples, ddof=1)) / math.sqrt(len(samples))
    assert abs(float(np.mean(samples)) - expected) < ERRORS * error, (np.mean(samples), expected, error)


def covariance(rates: Floats, mean: float, lag: int = 0) -> Floats:
    """Return the covariance of windows `lag` apart, about the true mean, for each replication."""
    length = rates.shape[1] - lag
    return np.asarray(np.mean((rates[:, :length] - mean) * (rates[:, lag:] - mean), axis=1))


def shot_covariance(
    flows_per_us: float, rate_squared: float, duration: float, window: float, lag: int = 0, power: int = 0
) -> float:
    """Return the covariance of shots of equal duration, by the second moment of their rates (SN, theorem 2)."""
    grid = 4000
    span = duration + (lag + 2) * window
    step = span / grid
    starts: Floats = np.arange(grid, dtype=np.float64) * step - (lag + 1) * window

    def volume(age: Floats) -> Floats:
        return np.asarray(duration * np.clip(age / duration, 0.0, 1.0) ** (power + 1))

    near = (volume(starts + window) - volume(starts)) / window
    far = (volume(starts + (lag + 1) * window) - volume(starts + lag * window)) / window
    return float(flows_per_us * rate_squared * np.sum(near * far) * step)


def exponential_factor(time_constant: float, window: float) -> float:
    """Variance of a window's mean over the instantaneous variance, when the autocovariance decays exponentially."""
    x = window / time_constant
    return 2 / x - 2 / x**2 * (1 - math.exp(-x))


# -------------------------------------------------------------------- steady


@pytest.mark.slow
def test_poisson(tmp_path: Path) -> None:
    rates = windows(run(tmp_path, "Poisson(rate = 80 Mbps, network = network)", window="10 ms", until="1 s"))
    mean = 80 * MBPS
    agrees(rates.mean(axis=1), mean)
    squared = 0.4 * 40.0**2 + 0.1 * 576.0**2 + 0.5 * 1500.0**2
    agrees(covariance(rates, mean), mean / 823.6 * squared / 10_000)
    agrees(covariance(rates, mean, lag=1), 0.0)


def test_constant(tmp_path: Path) -> None:
    rates = windows(run(tmp_path, "Constant(rate = 80 Mbps, network = network)", window="10 ms", until="0.3 s"))
    assert np.all(np.abs(rates - 80 * MBPS) < 1500.0 / 10_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mix", "mean", "squared"),
    [
        ("core", 823.6, 0.4 * 40**2 + 0.1 * 576**2 + 0.5 * 1500**2),
        ("imix", 4084 / 12, (7 * 40**2 + 4 * 576**2 + 1500**2) / 12),
        ("npf", 515.36, 0.56 * 64**2 + 0.2 * 576**2 + 0.24 * 1518**2),
        ("own", 4084 / 12, (7 * 40**2 + 4 * 576**2 + 1500**2) / 12),
        ("fixed", 64.0, 64.0**2),
    ],
)
def test_mixes(tmp_path: Path, mix: str, mean: float, squared: float) -> None:
    source = "Poisson(rate = 80 Mbps, network = network)"
    result = run(tmp_path, source, window="10 ms", until="200 ms", packet_mix=mix)
    histogram = result.measure("sizes").histogram
    assert isinstance(histogram, Histogram)
    error = math.sqrt(max(squared - mean**2, 0.0) / histogram.count)
    assert abs(result.measure("sizes").recorded["mean"].mean - mean) <= ERRORS * error + 1e-9 * mean
    agrees(windows(result).mean(axis=1), 80 * MBPS)


# -------------------------------------------------------------------- trains


TRAINS = """
net trial
time ns
import traffic.steady
import traffic.trains
place sent : Datagram
place network : Datagram
place last : { flow: int, at: Time } = {flow: -1, at: -1 s}
instance source = Poisson(rate = 6 Gbps, flows = 10, network = sent)
instance upstream = Trains(0.25, packets = sent, network = network)
transition deliver: network(p), last(l) -> last({flow: p.flow, at: now})  let together = now == l.at
measure joined = count(deliver, if together then 1 else 0) / count(deliver)  record series(1 ms)
measure of_one_flow = count(deliver, if together and p.flow == l.flow then 1 else 0)
                      / count(deliver, if together then 1 else 0)  record series(1 ms)
measure rates = rate(deliver, p.size)  record series(1 ms)
"""


def test_trains_are_of_unrelated_flows(tmp_path: Path) -> None:
    """A quarter of the packets join a train, one in ten of them behind a packet of its flow; none is lost."""
    path = tmp_path / "trial.net"
    path.write_text(TRAINS, encoding="utf-8")
    result = petri.load(path).run(until="6 ms", warmup="1 ms", replications=REPLICATIONS, seed=3)
    for name, expected in (("joined", 0.25), ("of_one_flow", 0.1), ("rates", 0.75)):
        series = result.measure(name).series
        assert series is not None
        agrees(np.array([np.mean(series[index]) for index in sorted(series)]), expected)


# -------------------------------------------------------------------- a line

LINE = """
net trial
time ns
import traffic.steady
import traffic.line
place sent : Datagram
place network : Datagram
place last : { seq: int, at: Time } = {seq: -1, at: -1 s}
instance source = Poisson(rate = 6 Gbps, network = sent)
instance incoming = Line(8 Gbps, packets = sent, network = network)
transition deliver: network(p), last(l) -> last({seq: p.seq, at: now})
  let too_soon = now - l.at < p.size / 8 Gbps - 0.001 ns, in_turn = p.seq == l.seq + 1
measure close = count(deliver, if too_soon then 1 else 0)
measure misplaced = count(deliver, if in_turn then 0 else 1)
measure delivered = count(deliver)
measure busy_line = mean(incoming.send)  record series(1 ms)
"""


def test_a_line_sends_one_packet_after_the_other(tmp_path: Path) -> None:
    """None comes sooner behind another than its bytes take, all come in their order, and the line is in use for 6/8."""
    path = tmp_path / "trial.net"
    path.write_text(LINE, encoding="utf-8")
    result = petri.load(path).run(until="6 ms", warmup=0.0, replications=REPLICATIONS, seed=3)
    assert result.measure("delivered").value > 4000
    assert result.measure("close").value == 0
    assert result.measure("misplaced").value == 0
    series = result.measure("busy_line").series
    assert series is not None
    agrees(np.array([np.mean(series[index][1:]) for index in sorted(series)]), 0.75)


# -------------------------------------------------------------------- bursty


@pytest.mark.slow
@pytest.mark.parametrize("even", ["false", "true"])
def test_on_off(tmp_path: Path, even: str) -> None:
    """Ten sources of 32 Mbps, on for 1 ms of 4: the autocovariance decays with 1/on + 1/off."""
    source = f"OnOff(peak = 32 Mbps, on = 1 ms, off = 3 ms, sources = 10, even = {even}, network = network)"
    rates = windows(run(tmp_path, source, window="2 ms", until="400 ms", packet_mix="fixed"))
    mean = 80 * MBPS
    agrees(rates.mean(axis=1), mean)
    variance = 10 * 0.25 * 0.75 * (32 * MBPS) ** 2 * exponential_factor(750.0, 2000.0)
    if even == "false":
        agrees(covariance(rates, mean), variance + mean * 64.0 / 2000.0)
    else:  # packets of 64 B one behind the other add next to nothing
        assert covariance(rates, mean).mean() == pytest.approx(variance, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("even", one_in(2, ["false", "true"]))
def test_on_off_rate_is_exact_for_periods_of_few_packets(tmp_path: Path, even: str) -> None:
    """A period of 1 ms has room for 2.7 packets: gaps that it cuts must go on in the next one."""
    source = f"OnOff(peak = 32 Mbps, on = 1 ms, off = 3 ms, sources = 10, even = {even}, network = network)"
    rates = windows(run(tmp_path, source, window="10 ms", until="1 s", packet_mix="fixed", packet_fixed="1500 B"))
    agrees(rates.mean(axis=1), 80 * MBPS)


@pytest.mark.slow
def test_mmpp(tmp_path: Path) -> None:
    source = "Mmpp(first = 160 Mbps, second = 0 bps, first_stay = 2 ms, second_stay = 6 ms, network = network)"
    rates = windows(run(tmp_path, source, window="4 ms", until="2 s", packet_mix="fixed"))
    mean = 40 * MBPS
    agrees(rates.mean(axis=1), mean)
    variance = 0.25 * 0.75 * (160 * MBPS) ** 2 * exponential_factor(1500.0, 4000.0)
    agrees(covariance(rates, mean), variance + mean * 64.0 / 4000.0)


@pytest.mark.slow
def test_self_similar_traffic_stays_bursty_over_long_windows(tmp_path: Path) -> None:
    """Variance over windows falls as their length to the power 2H - 2, H = (3 - shape) / 2 = 0.8; else as -1.

    The exponent is fitted over windows of 50 ms to 800 ms. In 24 runs of 8 s it spreads by some 0.05; a third of the
    distance between the two exponents is allowed.
    """
    exponents = {}
    for kind, heavy in (("heavy", "true"), ("light", "false")):
        source = (
            "OnOff(peak = 3.2 Mbps, on = 10 ms, off = 30 ms, sources = 50, network = network, "
            f"heavy = {heavy}, shape = 1.4)"
        )
        rates = windows(run(tmp_path, source, window="50 ms", until="8 s"))
        lengths = (1, 2, 4, 8, 16)
        spread = [np.mean(rates.reshape(REPLICATIONS, -1, m).mean(axis=2).var(axis=1)) for m in lengths]
        exponents[kind] = float(np.polyfit(np.log(lengths), np.log(spread), 1)[0])
    assert exponents["heavy"] == pytest.approx(-0.4, abs=0.2)
    assert exponents["light"] == pytest.approx(-1.0, abs=0.2)


@pytest.mark.slow
def test_self_similar_rate(tmp_path: Path) -> None:
    """Heavy tails converge slowly: the median over replications of the mean rate, to within 5 %."""
    rates = windows(run(tmp_path, "SelfSimilar(rate = 40 Mbps, network = network)", window="50 ms", until="4 s"))
    assert np.median(rates.mean(axis=1)) == pytest.approx(40 * MBPS, rel=0.05)


# -------------------------------------------------------------------- shot noise

ORACLE = "ShotNoise(rate = 80 Mbps, active = 500, duration = 0.5 s, fixed_duration = true, network = network{more})"


@pytest.mark.slow
def test_rectangular_shots(tmp_path: Path) -> None:
    """1000 flows a second of 10 kB on average (second moment that of the exponential), each of half a second.

    Mean 10 MB/s, 500 flows on average, coefficient of variation 5.888 % over windows of 200 ms (SN); packets of 1500 B
    at Poisson instants add mean * 1500 B / 200 ms to the variance.
    """
    result = run(
        tmp_path, ORACLE.format(more=""), window="200 ms", until="10 s", flows="mean(source.flow_duration)",
        packet_mix="fixed", packet_fixed="1500 B",
    )  # fmt: skip
    rates, mean = windows(result), 10.0
    agrees(rates.mean(axis=1), mean)
    flows = result.measure("flows").interval
    assert abs(flows.mean - 500) < 2 * flows.half_width
    variance = shot_covariance(1e-3, 2 * (20_000.0 * 1e-6) ** 2, 500_000.0, 200_000.0)
    assert math.sqrt(variance) / mean == pytest.approx(0.05887841, rel=1e-3)
    agrees(covariance(rates, mean), variance + mean * 1500.0 / 200_000.0)
    for lag in (1, 2, 4):
        agrees(covariance(rates, mean, lag), shot_covariance(1e-3, 2 * (0.02) ** 2, 500_000.0, 200_000.0, lag))


@pytest.mark.slow
@pytest.mark.parametrize(("power", "factor"), [(1, 4 / 3), (2, 9 / 5)])
def test_triangular_and_parabolic_shots(tmp_path: Path, power: int, factor: float) -> None:
    """The instantaneous variance is (b + 1)^2 / (2 b + 1) times that of rectangular shots (SN)."""
    narrow = shot_covariance(1e-3, 8e-4, 500_000.0, 1000.0, power=power)
    assert narrow == pytest.approx(factor * 0.4, rel=0.01)
    source = ORACLE.format(more=f", power = {power}")
    rates = windows(run(tmp_path, source, window="100 ms", until="5 s", packet_mix="fixed", packet_fixed="1500 B"))
    agrees(rates.mean(axis=1), 10.0)
    variance = shot_covariance(1e-3, 8e-4, 500_000.0, 100_000.0, power=power)
    agrees(covariance(rates, 10.0), variance + 10.0 * 1500.0 / 100_000.0)
    agrees(covariance(rates, 10.0, 1), shot_covariance(1e-3, 8e-4, 500_000.0, 100_000.0, 1, power))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fixed", "more"),
    [
        ("false", ""),
        ("true", ", power = 2"),
        pytest.param("false", ", power = 2", marks=pytest.mark.slow),
        pytest.param("true", "", marks=pytest.mark.slow),
    ],
)
def test_traffic_is_stationary_from_the_start(tmp_path: Path, fixed: str, more: str) -> None:
    """In the first fiftieth of a flow's duration, mean and variance are those of all times."""
    source = (
        f"ShotNoise(rate = 800 Mbps, active = 100, duration = 0.5 s, fixed_duration = {fixed}, network = network{more})"
    )
    first: list[float] = []
    flows: list[float] = []
    for seed in range(8):
        path = tmp_path / "trial.net"
        text = NET.format(source=source, window="10 ms", flows="mean(source.flow_duration)")
        path.write_text(text, encoding="utf-8")
        result = petri.load(path, packet_mix="fixed", packet_fixed="1500 B").run(
            until="10 ms", replications=REPLICATIONS, seed=seed
        )
        first.extend(windows(result)[:, 0])
        flows.append(result.measure("flows").value)
    agrees(np.array(first), 100.0)
    agrees(np.array(flows), 100.0)


SHARED = """
net trial
time us
import traffic.shotnoise with packet_mix = fixed, packet_fixed = 100 B
place network : Datagram
instance source = ShotNoise(rate = 80 Mbps, active = 20, duration = 50 ms, spread = 0, ports = 4, shared = true,
                            network = network)
transition deliver: network(p) -> nothing
measure rates = rate(deliver, p.size)  record series(10 ms)
measure first = rate(deliver, if p.port == 0 then p.size else 0 B)  record series(10 ms)
"""


@pytest.mark.slow
def test_flows_that_share_a_rate_leave_only_the_ports_shares_to_chance(tmp_path: Path) -> None:
    """The whole varies as packets at Poisson instants do: mean * 100 B / 10 ms, a hundredth of what 20 flows do else.

    A flow is one of four ports': n flows, a Poisson number, vary its share by 1/4 * 3/4 * E[1/n], where E[1/n] is
    0.0528 for a mean of 20, with an autocovariance that decays as flows end.
    """
    path = tmp_path / "trial.net"
    path.write_text(SHARED, encoding="utf-8")
    result = petri.load(path).run(until="300 ms", replications=REPLICATIONS, seed=3)
    assert result.failure is None
    rates = windows(result)
    agrees(rates.mean(axis=1), 10.0)
    agrees(covariance(rates, 10.0), 10.0 * 100.0 / 10_000.0)
    series = result.measure("first").series
    assert series is not None
    first = np.array([series[index] for index in sorted(series)])
    agrees(first.mean(axis=1), 2.5)
    variance = 100.0 * 3 / 16 * 0.0528 * exponential_factor(50.0, 10.0)
    agrees(covariance(first, 2.5), variance + 2.5 * 100.0 / 10_000.0)


@pytest.mark.slow
def test_figure_4() -> None:
    """Mean 411 Mbps, variation 6.45 % over windows of 200 ms, in five runs of 10 s.

    Their standard errors are 0.7 % of the mean and 0.3 points; 3 % and 1.2 points are allowed.
    """
    result = petri.load("shotnoise").run(until="10 s", replications=5, seed=11)
    assert result.measure("traffic").value / MBPS == pytest.approx(411, rel=0.03)
    assert result.measure("variation").value == pytest.approx(0.0645, abs=0.012)


PORTS = """
net ports
time us
import traffic.shotnoise
place network : Datagram
place port_of : { flow: int, port: int }
instance source = ShotNoise(rate = 80 Mbps, active = 50, duration = 10 ms, ports = 4, network = network)
transition first:   network(p), no port_of({flow: p.flow}) -> port_of({flow: p.flow, port: p.port})
transition same:    network(p), read port_of({flow: p.flow, port: p.port}) -> nothing
transition moved:   network(p), read port_of({flow: p.flow, port: q}) -> nothing   when q != p.port
measure firsts = count(first)
measure sames  = count(same)
measure others = count(moved)
measure on_port_3 = count(first, if p.port == 3 then 1 else 0) / count(first)
"""


def test_every_flow_keeps_to_one_port(tmp_path: Path) -> None:
    path = tmp_path / "ports.net"
    path.write_text(PORTS, encoding="utf-8")
    result = petri.load(path).run(until="200 ms", replications=4, seed=3)
    assert result.measure("others").value == 0
    assert result.measure("sames").value > result.measure("firsts").value > 500
    assert result.measure("on_port_3").value == pytest.approx(0.25, abs=ERRORS * math.sqrt(0.25 * 0.75 / (4 * 500)))


RECORDED = """
net recorded
time us
import traffic.replay
param speed: real = 1
place packets : Recorded = stream("rows.csv")
place network : Datagram
place ended   : token
place out     : Datagram fifo
instance source = Replay(ports = 3, speed = speed, recording = packets, network = network, ended = ended)
transition deliver: network(p) -> out(p)
run until dead
"""


@pytest.mark.parametrize("speed", [1, 4])
def test_a_recording_is_replayed_at_its_times(tmp_path: Path, speed: int) -> None:
    (tmp_path / "rows.csv").write_text("time [ms],size,flow\n100,64,5\n100,65,6\n100.5,1500,5\n108,40,10\n")
    (tmp_path / "recorded.net").write_text(RECORDED)
    model = petri.load(tmp_path / "recorded.net", speed=speed)
    result = model.run()
    marking = dict(zip((place.name for place in model.net.places), result.replications[0].marking, strict=True))
    assert marking["out"] == [  # flow, port, seq, size, born
        (5, 2, 0, 64.0, 0.0),
        (6, 0, 1, 65.0, 0.0),
        (5, 2, 2, 1500.0, 500.0 / speed),
        (10, 1, 3, 40.0, 8000.0 / speed),
    ]
    assert len(marking["ended"]) == 1
    assert result.replications[0].time == 8000.0 / speed
