"""Exact figures against closed forms, and those of nets of the library against what they expect of themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import petri
from petri.exact import steady
from tests.sampling import one_in

SOLVABLE = (
    "byte_limited_port", "choice", "closed_ring", "dining_philosophers", "epidemic", "gspn_parallel",
    "ixp1200_queues", "marked_graph", "memory_banks", "mm1k", "mmcc", "mva", "pcix", "producer_consumer", "repairman",
    "software_queue_manager", "token_bucket",
)  # fmt: skip


@pytest.mark.parametrize("name", one_in(2, SOLVABLE))
def test_library(name: str) -> None:
    """The expectations that a run meets within some percent hold, and figures are certain to 9 digits."""
    solution = petri.load(name).solve()
    assert solution.passed
    known = [one for one in (*solution.measures, *solution.transitions) if one.value and math.isfinite(one.value)]
    assert known
    assert all(one.error <= 1e-9 * abs(one.value) for one in known)


@pytest.mark.parametrize(("load", "refused"), [(0.8, 0.0888195), (1.0, 1 / 6), (0.5, 0.5**2 * 0.5 / (1 - 0.5**3))])
def test_mm1k(load: float, refused: float) -> None:
    """M/M/1/K (Kleinrock, Queueing Systems I)."""
    seats = 2 if load == 0.5 else 5
    found = petri.load("mm1k", load=load, seats=seats).solve().exact("refused")
    closed = 1 / (seats + 1) if load == 1.0 else (1 - load) * load**seats / (1 - load ** (seats + 1))
    assert closed == pytest.approx(refused, rel=1e-6)
    assert found.value == pytest.approx(closed, rel=1e-12)
    assert abs(found.value - closed) <= found.error + 1e-15


@pytest.mark.parametrize("customers", [34, pytest.param(64, marks=pytest.mark.slow)])
def test_many_states_that_hardly_ever_occur(customers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three queues in a row of which most states are far from the likely ones; a product form (Jackson 1963).

    Such a chain needs more vectors between restarts than others, or sweeps alone.
    """
    monkeypatch.setattr(steady, "MOST_FACTORED", steady.MOST_DIRECT)
    load = 0.3
    net = petri.loads(
        f"""
        place room = {customers} * token
        place q[1..3]
        transition arrive: room -> q[1]  after exp(1 / {load})
        transition pass[i in 1..2]: q[i] -> q[i+1]  after exp(1)
        transition leave: q[3] -> room  after exp(1)
        measure inside = {customers} - mean(room)
        """
    )
    weights = [math.comb(n + 2, 2) * load**n for n in range(customers + 1)]
    inside = sum(n * weight for n, weight in enumerate(weights)) / sum(weights)
    found = net.solve().exact("inside")
    assert found.value == pytest.approx(inside, rel=1e-9)
    assert abs(found.value - inside) <= found.error + 1e-15


def test_measures_of_the_marking() -> None:
    """M/M/1/4 at load 1, whose five states are equally likely; a customer in service waits no more."""
    net = petri.loads(
        """
        place source = token
        place queue cap 3
        place server = token
        transition arrive: source -> source, queue  after exp(1)
        transition begin:  queue, server -> served
        place served
        transition serve:  served -> server  after exp(1)
        measure full = share(tokens(queue) == 3)
        measure squares = mean(tokens(queue) * tokens(queue) / 2)
        measure first = time_until(tokens(queue) == 3)
        """
    )
    solution = net.solve()
    assert solution.exact("full").value == pytest.approx(1 / 5, rel=1e-12)
    assert solution.exact("squares").value == pytest.approx((1 + 4 + 9) / 10, rel=1e-12)


@pytest.mark.parametrize(("servers", "offered", "loss"), [(2, 1.5, 0.3103448), (4, 3.2, 0.2281449)])
def test_mmcc(servers: int, offered: float, loss: float) -> None:
    """Erlang B."""
    assert petri.load("mmcc", servers=servers, offered=offered).solve().exact("lost").value == pytest.approx(loss, 1e-6)


@pytest.mark.parametrize(("machines", "rate"), [(1, 0.1), (2, 0.1980198), (10, 0.8320368), (20, 0.999383)])
def test_machine_repairman(machines: int, rate: float) -> None:
    """Mean value analysis."""
    found = petri.load("repairman", machines=machines).solve().exact("repairs").value
    assert found == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize(("banks", "lost"), [(1, 0.75), (4, 0.5223022), (8, 0.3836903)])
def test_memory_with_banks(banks: int, lost: float) -> None:
    """A chain in ticks: the residual busy times of the last three accesses (Kachris et al., Table 1, column 1)."""
    solution = petri.load("memory_banks", banks=banks).solve()
    assert solution.exact("lost").value == pytest.approx(lost, rel=1e-6)


def test_marked_graph() -> None:
    """The slowest circuit (Ramchandani 1973)."""
    assert petri.load("marked_graph").solve().exact("throughput").value == pytest.approx(2 / 11, rel=1e-12)


def test_parallel_computation() -> None:
    """Ajmone Marsan et al., Modelling with GSPNs, section 6.3: tangible states, idle processes, output."""
    solution = petri.load("gspn_parallel").solve()
    assert solution.tangible == 20
    assert solution.exact("new_data.in_progress").value == pytest.approx(1.505551, rel=1e-6)
    assert solution.exact("output.rate").value == pytest.approx(0.3011101, rel=1e-6)


def there_and_back(there: str, back: str) -> str:
    """Return a token that goes from one place to another and back, with these times."""
    return f"""net there_and_back
place a = token
place b
transition go: a -> b takes {there}
transition back: b -> a takes {back}
"""


def test_phases() -> None:
    """An alternating renewal process spends time in proportion to the means, whatever the distributions."""
    for stages in (1, 4):
        found = petri.loads(there_and_back(f"erlang({stages}, 2)", "exp(3)")).solve()
        assert found.exact("go.active").value == pytest.approx(0.4, rel=1e-13)
        assert found.exact("go.rate").value == pytest.approx(0.2, rel=1e-13)
    text = there_and_back("hyperexponential(2, 3)", "exp(3)")
    assert petri.loads(text).solve().exact("go.active").value == pytest.approx(0.4, rel=1e-13)


def test_geometric_times() -> None:
    text = there_and_back("geometric(0.25) * 1", "6")
    found = petri.loads(text).solve()
    assert found.exact("go.active").value == pytest.approx(0.4, rel=2e-3)  # its step is rounded to ticks


def test_rare_states_are_certain_to_twelve_digits() -> None:
    """Four machines that fail and are repaired one by one: all are down for 2e-7 of the time."""
    lines = ["net rare", "place down0 = token", *(f"place down{n}" for n in range(1, 5))]
    for n in range(4):
        lines.append(f"transition fail{n}: down{n} -> down{n + 1}  after exp({100 / (4 - n)!r})")
        lines.append(f"transition mend{n}: down{n + 1} -> down{n}  after exp(1)")
    weights = [1.0]
    for n in range(4):
        weights.append(weights[-1] * (4 - n) / 100)
    dark = petri.loads("\n".join(lines)).solve().exact("fail3.rate")
    expected = weights[3] / 100 / sum(weights)
    assert dark.value == pytest.approx(expected, rel=1e-12, abs=0.0)
    assert dark.error <= 1e-12 * dark.value


@pytest.mark.parametrize("ratio", [2.0**-30, 2.0**-10, 1.0, 1e9])
def test_stiff_nets(ratio: float) -> None:
    """A line of three places between which rates differ by nine orders of magnitude."""
    text = f"""net stiff
param slow = {ratio!r}
place seat = 3 * token
place queue
place a = token
place b = token
transition come: seat, a -> queue, a takes exp(1)
transition go: queue, b -> seat, b takes exp(slow)
"""
    solution = petri.loads(text).solve()
    load = ratio
    weights = [load**count for count in range(4)]
    room, empty = sum(weights[:3]) / sum(weights), weights[0] / sum(weights)
    rate = solution.exact("come.rate")
    assert rate.value == pytest.approx(room, rel=1e-9, abs=0.0)
    assert rate.bounded is not None
    assert rate.bounded.low * (1 - 1e-12) <= room <= rate.bounded.high * (1 + 1e-12)
    busy = solution.exact("go.active")
    assert busy.bounded is not None
    assert busy.bounded.low - 1e-16 <= 1 - empty <= busy.bounded.high + 1e-16


def test_transient_of_two_states() -> None:
    """The probability of a state at t, and its average up to t, of a machine that fails and is repaired."""
    text = there_and_back("exp(4)", "exp(1)").replace("go:", "fail:").replace("back:", "repair:")
    down, both, at = 1 / 4, 1 / 4 + 1, 2.0
    solution = petri.loads(text).solve(at=at)
    average = down / both * (1 - (1 - math.exp(-both * at)) / (both * at))
    repairing = solution.exact("repair.active")
    assert repairing.value == pytest.approx(average, rel=1e-12)
    assert abs(repairing.value - average) <= repairing.error
    assert solution.exact("fail.firings").value == pytest.approx(1 + at * average, rel=1e-12)  # repairs, and the first


def test_transient_in_ticks() -> None:
    text = "net c\nplace a = token\nplace b\ntransition go: a -> b takes 2\ntransition back: b -> a takes 3\n"
    found = petri.loads(text).solve(at=11.0)  # go 0–2, back 2–5, go 5–7, back 7–10, go 10–
    assert found.exact("go.firings").value == 3.0
    assert found.exact("back.firings").value == 2.0
    assert found.exact("go.active").value == pytest.approx(5 / 11)


def test_several_ends() -> None:
    """A token that goes one of two ways for ever: each with its probability, averages over both."""
    text = """net ends
place start = token
place left
place right
place work = token
transition to_left: start -> left takes exp(1)
transition to_right: start -> right takes exp(1)
transition walk: left, work -> left, work takes exp(2)
"""
    solution = petri.loads(text).solve()
    assert [one.dead for one in sorted(solution.classes, key=lambda one: one.dead)] == [False, True]
    assert all(one.probability.value == pytest.approx(0.5) for one in solution.classes)
    assert solution.exact("walk.rate").value == pytest.approx(0.25, rel=1e-12)


def test_loops_that_take_no_time() -> None:
    """A token may go around without time any number of times before it leaves."""
    text = """net loop
place a = token
place b
place c
transition work: a -> b takes exp(1)
transition around: b -> c weight 3
transition again: c -> b
transition leave: b -> a weight 1
"""
    solution = petri.loads(text).solve()
    assert solution.exact("around.rate").value == pytest.approx(3.0, rel=1e-12)
    assert solution.exact("work.rate").value == pytest.approx(1.0, rel=1e-12)


def test_values_of_firings() -> None:
    """A sample of an expression, its mean and spread, and the sum of a value over tokens."""
    text = """net sizes
type Size = 0..9
place free = 2 * token
place line: Size fifo
transition come: free -> line(k) draw k ~ uniform(1..3) takes exp(1)
transition go: line(k) -> free takes exp(k)
measure size = k at go
  record mean, std
"""
    solution = petri.loads(text).solve()
    assert solution.exact("size").value == pytest.approx(2.0, rel=1e-12)
    assert solution.exact("size.std").value == pytest.approx(math.sqrt(2 / 3), rel=1e-9)


@pytest.mark.parametrize("most", [steady.MOST_DIRECT, 1])
def test_where_a_net_ends(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gambler's ruin: from 3 of 10, with odds q/p = 1/2, all is won with (1 − 2⁻³) / (1 − 2⁻¹⁰), in either way."""
    monkeypatch.setattr(steady, "MOST_DIRECT", most)
    ruin = petri.loads(
        "net ruin\nplace own = 3 * token\nplace other = 7 * token\n"
        "transition win:  own, other -> 2 * own after exp(1)\n"
        "transition lose: own, other -> 2 * other after exp(2)\n"
    )
    won, lost = sorted((one.probability for one in ruin.solve().classes), key=lambda one: -one.value)
    assert won.value == pytest.approx((1 - 0.5**3) / (1 - 0.5**10), rel=1e-9)
    assert won.low <= (1 - 0.5**3) / (1 - 0.5**10) <= won.high
    assert won.error < 1e-8
    assert won.value + lost.value == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("most", [steady.MOST_DIRECT, 1])
@pytest.mark.parametrize("mean", [1e5, 1e10, 1e14, 1e17, 1e50])
def test_bounds_where_an_end_is_rare(mean: float, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside going there and back, an end is so rare that its rate is lost, and the system singular, in floats."""
    monkeypatch.setattr(steady, "MOST_DIRECT", most)
    model = petri.loads(
        "net patient\nplace here = token\nplace there\nplace one\nplace two\n"
        "transition go: here -> there after exp(1)\ntransition come: there -> here after exp(1)\n"
        f"transition first: here -> one after exp({mean!r})\ntransition second: there -> two after exp({mean!r})\n"
    )
    exact = [(mean + 1) / (2 * mean + 1), mean / (2 * mean + 1)]
    for end, probability in zip(model.solve().classes, exact, strict=True):
        assert end.dead
        assert end.probability.low <= probability <= end.probability.high
        assert end.probability.low <= end.probability.value <= end.probability.high


@pytest.mark.parametrize("mean", [1e5, 1e10, 1e14, 1e17, 1e50])
def test_bounds_where_parts_are_hardly_connected(mean: float) -> None:
    """Two pairs of states, all equally likely, of which one is left for the other ever more rarely."""
    model = petri.loads(
        "net pairs\nplace a = token\nplace b\nplace c\nplace d\n"
        "transition ab: a -> b after exp(1)\ntransition ba: b -> a after exp(1)\n"
        "transition cd: c -> d after exp(1)\ntransition dc: d -> c after exp(1)\n"
        f"transition ac: a -> c after exp({mean!r})\ntransition ca: c -> a after exp({mean!r})\n"
    )
    found = model.solve().exact("a.mean").bounded
    assert found is not None
    assert found.low <= 0.25 <= found.high
    assert found.low <= found.value <= found.high


def test_a_key_matters_though_nothing_else_reads_it() -> None:
    """Two arcs find tokens of two lines (S7): the states keep the values that tell these apart."""
    text = """net pair
place queue : { k: 0..1 } fifo per k = {k: 0}, {k: 1}
transition both: queue(a), queue(b) -> queue({k: 0}), queue({k: 1})  takes exp(0.5)
measure pairs = rate(both)
"""
    assert petri.loads(text).solve().exact("pairs").value == pytest.approx(2.0, rel=1e-12)


def test_a_set_leaves_at_once() -> None:
    """Batches take all that wait (E11): arrivals since the last batch are geometric, here up to 9 of them."""
    text = """net batch
place queue : 0..1
transition come: no queue >= 9 -> queue(k)  draw k ~ uniform(0..1)  after exp(2)
transition serve: all queue(x) -> nothing  let many = count(x in queue: x == 1)  after exp(3)
measure waiting = mean(queue)
measure size = many at serve
"""
    come, serve = 1 / 2, 1 / 3
    shares = np.array([(come / (come + serve)) ** n for n in range(10)])
    shares[:9] *= serve / (come + serve)
    mean = float(shares @ np.arange(10))
    solution = petri.loads(text).solve()
    assert solution.exact("waiting").value == pytest.approx(mean, rel=1e-9)
    assert solution.exact("size").value == pytest.approx(mean / 2, rel=1e-9)


def test_weights_of_the_marking() -> None:
    """The urns of Ehrenfest: each of six balls is equally likely to move, so their number in one is binomial."""
    net = """
    time s
    place clock = token
    place ball
    place here = 6 * token
    place there
    transition tick: clock -> ball takes exp(1 s)
    transition leave: ball, here -> there, clock   weight tokens(here)
    transition enter: ball, there -> here, clock   weight tokens(there)
    """ + "".join(f"measure p{number} = share(tokens(here) == {number})\n" for number in range(7))
    solution = petri.loads(net).solve()
    for number in range(7):
        assert solution.exact(f"p{number}").value == pytest.approx(math.comb(6, number) / 64, rel=1e-12)
