"""Numbers of first tokens and guards of the time against formulas and programs of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest

import petri
from petri.engine.native import available

needs_native = pytest.mark.skipif(not available(), reason="exact answers need the native engine")

BULK = """net bulk
param least = 2  param most = 5  param room = 30  param gap = 1.0  param work = 3.0
place source = token  place queue : int fifo cap room  place server = token
transition come:  source -> source, queue(0)  takes exp(gap)
transition serve: least..most * queue(x), server -> server  takes exp(work)  let n = count(x in queue: true)
measure waiting = mean(queue)
measure idle = mean(server)
measure batches = rate(serve)
measure taken = n at serve
measure comes = rate(come)
"""


def bulk(least: int, most: int, room: int, arrives: float, serves: float) -> tuple[float, float]:
    """Return the mean number that waits, and the share of time without service, of M/M[a,b]/1 with a limited queue."""
    states = [(0, n) for n in range(least)] + [(1, n) for n in range(room + 1)]
    number = {state: at for at, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for (busy, n), at in number.items():
        if n < room:
            rates[at, number[(1, n + 1) if busy else (0, n + 1) if n + 1 < least else (1, 0)]] += arrives
        if busy:
            rates[at, number[(0, n) if n < least else (1, max(n - most, 0))]] += serves
    rates -= np.diag(rates.sum(axis=1))
    rates[:, 0] = 1.0
    share = np.linalg.solve(rates.T, np.eye(len(states))[0])
    return sum(share[at] * n for (_, n), at in number.items()), sum(share[: number[1, 0]])


@needs_native
@pytest.mark.parametrize(("least", "most", "work"), [(1, 1, 0.7), (1, 4, 3.0), (2, 5, 3.0), (5, 5, 4.0)])
def test_bulk_service_is_the_chain_of_its_numbers(least: int, most: int, work: float) -> None:
    """The source pauses at a full queue, which is as if what comes there were lost: its time has no memory."""
    found = petri.loads(BULK, least=least, most=most, work=work, room=60).solve()
    waiting, idle = bulk(least, most, 60, 1.0, 1 / work)
    assert found.exact("waiting").value == pytest.approx(waiting, rel=1e-9)
    assert found.exact("idle").value == pytest.approx(idle, rel=1e-9)
    taken = found.exact("batches").value * found.exact("taken").value
    assert taken == pytest.approx(found.exact("comes").value, rel=1e-9)


COALESCED = """net coalesced
param most = 4  param wait = 3.0
place wire = token  place ring : real fifo  place done : real
transition arrive: wire -> wire, ring(end)  takes exp(1)
transition irq: ring(y), all up to (most - 1) * ring(x) -> each done(x)
  when tokens(ring) >= most or now - y >= wait  let n = count(x in ring: true)
measure others = n at irq
"""


def test_coalesced_interrupts_come_for_a_number_or_for_the_oldest_packet() -> None:
    """k others come within the wait of the first with the chances of Poisson. The false-alarm rate is below 1e-6."""
    result = petri.loads(COALESCED).run(until=40_000.0, warmup=0.0, seed=3)
    others = sum(1 - sum(math.exp(-3.0) * 3.0**n / math.factorial(n) for n in range(k)) for k in range(1, 4))
    assert result.measure("others").value == pytest.approx(others, abs=5 * 1.5 / math.sqrt(40_000 / (1 + others)))


def test_no_packet_waits_longer_than_the_guard_says() -> None:
    waited = petri.loads(COALESCED + "measure waited = now - y at irq record max, min\n").run(until=2_000.0, warmup=0.0)
    assert waited.measure("waited").recorded["max"].mean == pytest.approx(3.0, abs=1e-9)
