"""The DDR memory, the IXP1200 and the software queue manager: their rules, and the figures of Kachris et al. (QM).

The whole tables are compared with the paper in validation/queue_management. Here runs are short and seeds are fixed.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.engine.native import available
from tests.nets.markov import loss_in_order
from tests.sampling import one_in

pytestmark = pytest.mark.skipif(not available(), reason="takes too long on the reference engine")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models" / "queue-management.md"
PROVENANCE = re.compile(r"\b([Gg]iven|[Dd]erived|[Cc]alibrated|[Ee]stimated)\b")
MBPS = 0.000125  # bytes per nanosecond


@functools.cache
def run(net: str, until: str, replications: int = 2, **parameters: Any) -> petri.Result:
    result = petri.load(net, **parameters).run(until=until, replications=replications, seed=11)
    assert result.failure is None
    return result


def figure(result: petri.Result, name: str, field: str = "") -> float:
    measure = result.measure(name)
    return measure.recorded[field].mean if field else measure.value


def lost(banks: int, column: str, slots: int = 100_000, **parameters: Any) -> float:
    return figure(run("ddr", f"{slots * 10} ns", 4, banks=banks, column=column, **parameters), "lost")


# ---------------------------------------------------------------- the exact chain


@pytest.mark.parametrize(("banks", "loss"), [(1, 0.75), (4, 0.5223022), (8, 0.3836903), (16, 0.2528603)])
def test_the_chain_gives_the_known_figures(banks: int, loss: float) -> None:
    assert loss_in_order(banks) == pytest.approx(loss, abs=5e-8)


def test_the_chain_of_two_slots_can_be_checked_by_hand() -> None:
    """A bank is busy for the slot of its command and one more: an access waits one slot with probability 1/b."""
    assert loss_in_order(5, busy=2) == pytest.approx((1 / 5) / (1 + 1 / 5))
    assert loss_in_order(5, busy=1) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("banks", [2, 3, 5, 7, 12])
def test_in_order_the_memory_loses_what_the_chain_says(banks: int) -> None:
    assert lost(banks, "plain", 250_000) == pytest.approx(loss_in_order(banks), abs=0.002)


@pytest.mark.parametrize("busy", one_in(4, [1, 2, 3, 6]))
def test_so_it_does_with_other_busy_times(busy: int) -> None:
    assert lost(6, "plain", busy_cycles=busy) == pytest.approx(loss_in_order(6, busy), abs=0.003)


# ---------------------------------------------------------------- Table 1

TABLE_1 = [
    ("plain", 4, 0.522, 0.003),
    ("plain", 8, 0.384, 0.003),
    ("plain", 16, 0.253, 0.003),
    ("plain_interleaved", 8, 0.390, 0.018),
    ("plain_interleaved", 16, 0.317, 0.018),
    ("optimised", 4, 0.260, 0.007),
    ("optimised", 8, 0.046, 0.007),
    ("optimised", 16, 0.003, 0.007),
    ("optimised_interleaved", 4, 0.331, 0.02),
    ("optimised_interleaved", 8, 0.199, 0.02),
    ("optimised_interleaved", 16, 0.139, 0.02),
]


@pytest.mark.slow
@pytest.mark.parametrize(("column", "banks", "stated", "within"), TABLE_1)
def test_table_1(column: str, banks: int, stated: float, within: float) -> None:
    assert lost(banks, column) == pytest.approx(stated, abs=within)


@pytest.mark.parametrize("column", ["plain", "plain_interleaved", "optimised", "optimised_interleaved"])
def test_one_bank_loses_three_of_four_cycles(column: str) -> None:
    """The warm-up and the end are not whole cycles."""
    assert lost(1, column, 40_000) == pytest.approx(0.75, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("column", ["plain", "plain_interleaved", "optimised", "optimised_interleaved"])
def test_the_loss_does_not_depend_on_the_cycle(column: str) -> None:
    """To the last bit: a run has 100,000 cycles after 100, whatever their length."""
    usual, *others = (
        petri.load("ddr", column=column, cycle=cycle).run(replications=1) for cycle in ("40 ns", "13.3 ns", "20 ns / 3")
    )
    assert [other.hash for other in others] == [usual.hash] * 2
    assert [figure(other, "lost") for other in others] == [figure(usual, "lost")] * 2


# ---------------------------------------------------------------- the memory


@pytest.mark.parametrize("column", ["plain_interleaved", "optimised", "optimised_interleaved"])
def test_what_is_lost_is_lost_to_something(column: str) -> None:
    """The ports always have accesses waiting."""
    result = run("ddr", "1 ms", column=column)
    assert figure(result, "nothing_waiting") == pytest.approx(0.0, abs=1e-3)
    assert figure(result, "turnarounds") > 0.01 or column == "optimised"
    assert figure(result, "bank_conflicts") > 0.1 or column != "plain_interleaved"


def test_a_turnaround_in_each_second_cycle() -> None:
    """Ports in the order write, read, write, read, in order, with so many banks that none is busy: 40 + 30 ns each."""
    order = {"column": "plain_interleaved", "kinds": "alternating", "banks": 64, "trail": "0 ns", "busy_cycles": 1}
    result = run("ddr", "1 ms", **order)
    assert figure(result, "lost") == pytest.approx(30 / 70, abs=1e-3)
    assert figure(result, "run_length", "mean") == 1.0


@pytest.mark.slow
def test_data_that_trails_hides_turnarounds() -> None:
    losses = [
        figure(run("ddr", "2 ms", column="plain_interleaved", trail=f"{trail} ns"), "lost") for trail in (0, 40, 80)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] - losses[2] > 0.03


ARBITRATION = """
net arbitration
time ns
import memory.ddr
param arbitration: Arbitration = round_robin
place request[0..2] : Access fifo
place early : Access = Access(p, 4 * p + n, true, 0 ns) for p in 1..2 for n in 0..3
place late  : Access = Access(0, n, true, 0 ns) for n in 0..3
place done : Access
place served : int = 0
instance memory = Ddr(3, 12, busy_cycles = 1, arbitration = arbitration, request = request, done = done)
transition offer: early(a) -> request[a.tag](a)
transition come:  late(a) -> request[a.tag](a)  takes 100 ns
transition note:  done(a), served(n) -> served(10 * n + a.tag)
measure order = 10 * n + a.tag at note record max
run until dead
"""


@pytest.mark.parametrize(
    ("arbitration", "order"),
    [("round_robin", 121201201200), ("last_first", 111122220000), ("fixed_order", 111000012222)],
)
def test_the_order_in_which_ports_are_served(arbitration: str, order: int) -> None:
    """Ports 1 and 2 have four accesses each, and port 0 after 100 ns; no bank is ever busy."""
    result = petri.loads(ARBITRATION, arbitration=arbitration).run()
    assert figure(result, "order", "max") == order


@pytest.mark.slow
def test_random_arbitration_serves_all_ports_alike() -> None:
    orders = [petri.loads(ARBITRATION, arbitration="random_order").run(seed=seed) for seed in range(8)]
    assert len({figure(result, "order", "max") for result in orders}) > 4
    assert lost(8, "optimised", arbitration="random_order") == pytest.approx(lost(8, "optimised"), abs=0.005)


@pytest.mark.slow
def test_last_first_turns_the_bus_less_often_than_round_robin() -> None:
    last, turn = (
        run("ddr", "1 ms", arbitration=arbitration) for arbitration in ("last_first", "round_robin")
    )  # the last column
    assert figure(last, "run_length", "mean") > 2 * figure(turn, "run_length", "mean")
    assert figure(last, "turnarounds") < figure(turn, "turnarounds") / 2


@pytest.mark.slow
def test_accesses_at_random_instants() -> None:
    """All are served below saturation, and the delay rises: beyond, the throughput is what is not lost."""
    peak = 64 * 8 / 40  # bits per nanosecond
    some, more, too_many = (run("ddr", "2 ms", saturated=False, load=load) for load in (0.1, 0.6, 0.95))
    assert figure(some, "throughput") * 8 == pytest.approx(0.1 * peak, rel=0.05)
    assert figure(more, "throughput") * 8 == pytest.approx(0.6 * peak, rel=0.05)
    assert figure(too_many, "throughput") * 8 == pytest.approx((1 - lost(8, "optimised_interleaved")) * peak, rel=0.02)
    delays = [figure(result, "delay", "mean") for result in (some, more, too_many)]
    assert 40 < delays[0] < 60 < delays[1] < 400 < delays[2]


MODULO = """
net modulo
time ns
import memory.ddr
param scheme: Scheme = reordered
param second = 3
place request[0..1] : Access fifo
place later : Access = Access(0, 3, true, 0 ns), Access(1, second, true, 0 ns)
place done : Access
instance memory = Ddr(2, 8, scheme = scheme, request = request, done = done)
transition come: later(a) -> request[a.tag](a)
transition leave: done(a) -> nothing
measure last = now at leave record max
run until dead
"""


@pytest.mark.parametrize("scheme", ["in_order", "reordered"])
@pytest.mark.parametrize(("second", "last"), [(4, 80), (3, 200), (11, 200), (-5, 200), (12, 80)])
def test_banks_count_modulo_their_number(scheme: str, second: int, last: float) -> None:
    """The second access waits for the bank of the first until 160 ns, if it is the same of the eight."""
    result = petri.loads(MODULO, scheme=scheme, second=second).run()
    assert figure(result, "last", "max") == last


# ---------------------------------------------------------------- Table 2


@pytest.mark.parametrize(
    ("queues", "engines", "stated", "within"),
    [
        (16, 1, 0.956, 0.01),
        (128, 1, 0.390, 0.05),
        (1024, 1, 0.060, 0.01),
        (16, 6, 5.6, 0.05),
        (128, 6, 2.3, 0.05),
        (1024, 6, 0.300, 0.01),
    ],
)
def test_table_2(queues: int, engines: int, stated: float, within: float) -> None:
    """Millions of packets per second."""
    result = run("ixp1200_queues", "20 ms", 1, queues=queues, engines=engines)
    assert figure(result, "packet_rate") == pytest.approx(stated, rel=within)


def test_the_memory_is_the_bottleneck_of_six_engines_with_many_queues() -> None:
    few, many = (run("ixp1200_queues", "20 ms", 1, queues=queues) for queues in (16, 1024))
    assert figure(few, "waiting") < 0.01
    assert figure(many, "memory_busy") == pytest.approx(1.0, abs=1e-3)
    assert figure(many, "waiting") > 0.1


# ---------------------------------------------------------------- Table 3

OPERATIONS = {
    "single_beats": {"first_cycles": 216, "following_cycles": 238, "dequeue_cycles": 230},
    "lines": {"first_cycles": 104, "following_cycles": 126, "dequeue_cycles": 118},
}
PARTS = ("free_list_dequeue", "enqueue_first", "enqueue_following", "dequeue_segment", "free_list_enqueue")


@pytest.mark.parametrize("copying", ["single_beats", "lines"])
def test_the_sums_of_table_3_are_exact(copying: str) -> None:
    result = run("software_queue_manager", "2 ms", 1, copying=copying)
    for name, cycles in OPERATIONS[copying].items():
        assert figure(result, name) == pytest.approx(cycles, rel=1e-9), name


def test_the_parts_of_table_3_are_what_was_put_in() -> None:
    model = petri.load("software_queue_manager")
    inputs = {parameter.name: parameter.value for parameter in model.net.parameters}
    result = run("software_queue_manager", "20 ms", 1)
    for part in PARTS:
        assert figure(result, f"{part}_cycles") == pytest.approx(inputs[part], rel=5e-3), part
    assert figure(result, "copy_cycles") == pytest.approx(136, rel=5e-3)
    assert figure(result, "copying_share") == pytest.approx(2 * 136 / (227 + 230), rel=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("copying", "segments", "cycles"),
    [("single_beats", 1, 446), ("single_beats", 1000, 468), ("lines", 1, 222), ("lines", 1000, 244)],
)
def test_throughput_is_512_bits_in_the_cycles_of_both_operations(copying: str, segments: int, cycles: int) -> None:
    result = run("software_queue_manager", "20 ms", 1, copying=copying, segments=segments)
    assert figure(result, "throughput") == pytest.approx(512 / cycles * 100 * MBPS, rel=5e-3)


@pytest.mark.slow
def test_a_faster_processor_waits_for_the_same_bus() -> None:
    slow, fast = (run("software_queue_manager", "10 ms", 1, clock=clock) for clock in ("100 MHz", "400 MHz"))
    assert 1.05 < figure(fast, "throughput") / figure(slow, "throughput") < 1.15
    assert figure(fast, "bus_busy") > 0.9


@pytest.mark.slow
def test_dma_leaves_more_of_the_processor_and_is_hardly_faster() -> None:
    lines, dma = (run("software_queue_manager", "10 ms", 1, copying=copying) for copying in ("lines", "dma"))
    assert figure(dma, "throughput") == pytest.approx(figure(lines, "throughput"), rel=0.1)
    loaded = {"saturated": False, "segments": 1}
    for duplex in ("half", "full"):
        by_line, by_dma = (
            run("software_queue_manager", "10 ms", 1, copying=copying, duplex=duplex, **loaded)
            for copying in ("lines", "dma")
        )
        assert figure(by_dma, "headroom") > figure(by_line, "headroom") + 0.01


@pytest.mark.slow
def test_a_link_that_brings_too_much_loses_segments() -> None:
    full = {"saturated": False, "segments": 1, "duplex": "full"}
    beats, lines = (
        run("software_queue_manager", "20 ms", 1, copying=copying, **full) for copying in ("single_beats", "lines")
    )
    assert figure(beats, "headroom") == 0.0
    assert figure(beats, "lost") == pytest.approx(1 - 256 / 446, abs=0.03)
    assert figure(lines, "lost") == 0.0


# ---------------------------------------------------------------- their constants, and the page


@pytest.mark.parametrize("net", ["ddr", "ixp1200_queues", "software_queue_manager"])
def test_constants_say_where_they_come_from(net: str) -> None:
    model = petri.load(net)
    unexplained = {"column", "saturated", "load"}  # what to run, not what the hardware is
    for parameter in model.net.parameters:
        assert parameter.doc, parameter.name
        assert parameter.name in unexplained or PROVENANCE.search(parameter.doc), f"{parameter.name}: {parameter.doc}"


def test_the_page_shows_the_chain() -> None:
    """The exact loss of each number of banks, to four digits."""
    rows = re.findall(r"^\| (\d+) \| (0\.\d{4}) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 16
    for banks, exact in rows:
        assert float(exact) == pytest.approx(loss_in_order(int(banks)), abs=5.1e-5)
