"""Samples, passages and orders of a whole net, against what its trace tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import petri
from petri import language
from petri.engine.interface import Session
from petri.measure import reorder
from petri.measure.formula import evaluate
from petri.net import Net
from petri.run import session
from tests.engines import ENGINES, NATIVE_FIRST
from tests.measure import definitions

JITTER = """
net jitter
type Packet = { flow: 0..2, seq: int }
place source : Packet = Packet(i, 1) for i in 0..2
place wire : Packet
place sink : Packet
transition send: source(p) -> source(p with {seq: p.seq + 1}), wire(p)  takes exp(1)
transition carry: wire(p) -> sink(p)  takes uniform(0..6.0)
transition leave: sink(p) -> nothing  priority 1
measure order = reorder(sink(p), by p.flow, order p.seq)
measure passage = time(wire(p) -> leave, by (p.flow, p.seq))  record mean, p99, max
measure between = time(leave -> leave)
measure flows = p.flow at leave
measure carried = rate(carry, p.seq)
"""


@pytest.fixture(scope="module")
def net() -> Net:
    return language.loads(JITTER)


def run(net: Net, engine: str, warmup: float = 0.0) -> Session:
    replication = session.begin(net, engine, 3, 0, trace=True)
    if warmup:
        replication.advance(net.tick.ticks(warmup), 10**9)
        replication.begin_window()
    replication.advance(net.tick.ticks(150.0), 10**9)
    return replication


@pytest.mark.parametrize("engine", ENGINES)
def test_measures_tell_what_the_trace_tells(net: Net, engine: str) -> None:
    replication = run(net, engine)
    names = [transition.name for transition in net.transitions]
    time = net.tick.time
    fired = [(names[f.transition], time(f.start), time(f.end), tuple(f.variables)) for f in replication.trace()]
    seen = replication.observe()
    order, passage, between, flows = seen.probes[:4]
    left = [(start, (int(values[0]), int(values[1]))) for name, start, _, values in fired if name == "leave"]
    expected = [
        definitions.rfc_4737(
            [seq for _, (flow, seq) in left if flow == each], [t for t, (flow, _) in left if flow == each]
        )
        for each in range(3)
    ]
    for name in ("packets", "reordered", "total_extent", "total_overtaken", "three_reordered", "runs", "gaps"):
        assert order[name] == sum(figures[name] for figures in expected), name
    assert order["total_late_time"] == pytest.approx(sum(figures["total_late_time"] for figures in expected))
    delays = [end - start for name, start, end, _ in fired if name == "carry" and end <= 150.0]
    assert passage["count"] == len(delays)
    assert passage["max"] == pytest.approx(max(delays))
    assert evaluate(net.measures[1].formula, seen) == pytest.approx(np.mean(delays))
    assert between["origin"] + between["first_moment"] / between["count"] == pytest.approx(
        (left[-1][0] - left[0][0]) / (len(left) - 1)
    )
    assert list(flows["buckets"]) == [0, *(1023 << 7) + np.array([0, 128])]
    assert list(flows["counts"]) == [sum(flow == each for _, (flow, _) in left) for each in range(3)]
    assert evaluate(net.measures[4].formula, seen) == sum(v[1] for name, _, _, v in fired if name == "carry") / 150.0


@pytest.mark.parametrize("engine", NATIVE_FIRST)
def test_a_window_starts_after_the_warm_up(net: Net, engine: str) -> None:
    """Its counts and those before it add up to the whole; a passage counts where it ends."""
    whole, window = (run(net, engine, warmup).observe().probes for warmup in (0.0, 40.0))
    start = session.begin(net, engine, 3, 0)
    start.advance(net.tick.ticks(40.0), 10**9)
    before = start.observe().probes
    assert before[1]["count"] + window[1]["count"] == whole[1]["count"]
    for name in ("packets", "reordered", "total_extent", "runs", "retransmit_overtaken"):
        assert before[0][name] + window[0][name] == whole[0][name], name


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_both_engines_observe_the_same_bits(net: Net, engine: str) -> None:
    for warmup in (0.0, 40.0):
        first, second = (run(net, each, warmup).observe().probes for each in ("reference", engine))
        assert [same(a, b) for a, b in zip(first, second, strict=True)] == [[], [], [], [], []]
        assert set(second[0]) == set(reorder.FIELDS + reorder.DISTRIBUTIONS)


def same(first: Any, second: Any) -> list[str]:
    """Return the names under which two snapshots differ."""
    names = sorted(set(first) | set(second))
    return [name for name in names if not np.array_equal(first.get(name), second.get(name), equal_nan=True)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("until", "replications"), [(400, 3), pytest.param(3_000, 1, marks=pytest.mark.slow)])
def test_a_sum_of_ones_is_the_number_of_tokens_in_value_and_interval(
    engine: str, until: float, replications: int
) -> None:
    model = petri.loads(
        """
        net ones
        place source = token
        place queue : int
        place server = token
        transition arrive: source -> source, queue(1)    takes exp(2)
        transition serve: queue(n), server -> server     takes exp(1)
        measure number = mean(queue)                     record series(100)
        measure ones = mean(queue, value)                record series(100)
        measure greatest = max(queue)
        measure most = max(queue, value)
        """
    )
    result = model.run(until=until, warmup=100, replications=replications, seed=2, engine=engine)
    number, ones, greatest, most = result.measures
    assert str((ones.interval, most.interval)) == str((number.interval, greatest.interval))
    assert np.isfinite(ones.interval.half_width)
    assert str(ones.series) == str(number.series)
