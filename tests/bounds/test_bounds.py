"""Bounds in closed form, what they name as the cause, and the figures of the library within them."""

from __future__ import annotations

import json
import math
import re

import pytest

import petri
from petri.bounds import Bound, Limit
from petri.model import Model
from tests.cli.calling import caller

CYCLE = """net cycle
param jobs = 3
place a = jobs * token
place b
place c
transition first:  a -> b  takes {first}
transition second: b, tool -> c, tool  takes {second}
transition third:  c -> a  takes {third}
place tool = token
measure throughput = count(second) / elapsed
"""


def loaded(text: str, **values: object) -> Model:
    return petri.loads(text.format(**values))


def measure(model: Model, name: str) -> Bound:
    return next(one for one in model.bounds().measures if one.name == name)


def simulated(model: Model, name: str, **options: object) -> float:
    return float(model.run(**options).measure(name).value)  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "second", "third"), [(5.0, 1.0, 3.0), (1.0, 4.0, 1.0), (2.0, 2.0, 2.0)])
def test_a_marked_graph_with_constant_times_reaches_its_bound(first: float, second: float, third: float) -> None:
    """The throughput is the least ratio of tokens to time over its circuits (Ramchandani 1973)."""
    model = loaded(CYCLE, first=first, second=second, third=third)
    exact = min(3 / (first + second + third), 1 / second)
    assert measure(model, "throughput").high == pytest.approx(exact)
    assert simulated(model, "throughput", until=10_000, warmup=1_000) == pytest.approx(exact, rel=1e-3)


def test_a_bound_holds_whatever_the_distribution_and_is_reached_as_load_grows() -> None:
    slow = {"first": "exp(5)", "second": "erlang(4, 1)", "third": "uniform(1.0..5.0)"}
    one = loaded(CYCLE, **slow)
    assert measure(one, "throughput").high == pytest.approx(3 / 9)
    assert simulated(one, "throughput", until=5_000) < 3 / 9
    full = petri.loads(CYCLE.format(**slow).replace("jobs = 3", "jobs = 60"))
    assert measure(full, "throughput").high == pytest.approx(1.0)
    assert simulated(full, "throughput", until=20_000, warmup=1_000) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("jobs", "limit"), [(3, Limit("busy", "a", 3.0, 1.0)), (60, Limit("busy", "tool", 1.0, 1.0))])
def test_the_cause_is_named(jobs: int, limit: Limit) -> None:
    model = petri.loads(CYCLE.format(first=5, second=1, third=3).replace("jobs = 3", f"jobs = {jobs}"))
    [named] = measure(model, "throughput").above
    assert (named.kind, named.name, named.count) == (limit.kind, limit.name, limit.count)
    assert named.share == pytest.approx(limit.share)


def test_sizes_that_tokens_carry_are_followed_by_their_means() -> None:
    """A line of 10 bytes a time unit, and packets of 4 and 16 bytes, which `max` and `ceil` make longer."""
    model = petri.loads("""net line
type Packet = { size: int }
place source = 1 * token
place queue : Packet
place wire = token
transition arrive: source -> source, queue({size: s})  draw s ~ choice(4: 3, 16: 1)  takes 0.1
transition send: queue({size: s}), wire -> wire  takes (ceil(s / 8) * 8 + max(0, s - 8)) / 10
measure flow = rate(send, s)
""")
    mean = 0.75 * 8 + 0.25 * (16 + 8)
    # As far as the structure knows, the small packets may wait for ever: those of 16 give most bytes a time unit.
    assert measure(model, "flow").high == pytest.approx(16 * 10 / 24)
    assert simulated(model, "flow", until=2_000) == pytest.approx(7 * 10 / mean, rel=0.05)


def test_arrivals_limit_what_leaves() -> None:
    bound = measure(petri.load("mm1k"), "served")
    assert bound.high == pytest.approx(0.8)
    assert [(limit.kind, limit.name) for limit in bound.above] == [("arrivals", "arrive")]


READ = """net read
place gate = token
place q = 10 * token
transition t: {arcs} -> q  after exp(2)  servers all
measure rate = rate(t)
run until 1000
"""


@pytest.mark.parametrize(("arcs", "rate"), [("read gate, q", 5.0), ("read gate", 0.5)])
def test_tokens_that_are_read_serve_all_clocks(arcs: str, rate: float) -> None:
    model = petri.loads(READ.format(arcs=arcs).replace("-> q", "-> q" if "q" in arcs else "-> nothing"))
    assert measure(model, "rate").high == pytest.approx(rate)
    assert simulated(model, "rate") == pytest.approx(rate, rel=0.1)


@pytest.mark.parametrize(("place", "number"), [("token", "n"), ("0..3", "x")])
def test_an_arc_may_need_no_token(place: str, number: str) -> None:
    """The place `b` is always empty."""
    value, seen = ("= token", "a") if place == "token" else (": 0..3 = (0)", "a(x)")
    model = petri.loads(f"""net none
param n = 0 in 0..3
place a {value}
place b
place c
transition t: {seen}, {number} * b -> c  takes 1
transition u: c -> {"a" if place == "token" else "a(0)"}  takes 1
measure rate = rate(t)
run until 100
""")
    assert measure(model, "rate").high == pytest.approx(0.5)
    assert simulated(model, "rate") == pytest.approx(0.5, rel=0.05)


def test_what_comes_from_outside_is_bounded_by_what_serves_it() -> None:
    model = petri.loads("""net desk
port in jobs
port out done
place desk = token
transition serve: jobs, desk -> desk, done  takes 4
measure rate = rate(serve)
run until 100
""")
    bound = measure(model, "rate")
    assert bound.high == pytest.approx(0.25)
    assert [(limit.kind, limit.name) for limit in bound.above] == [("busy", "desk")]


def test_a_net_that_dies_is_bounded_for_its_run() -> None:
    model = petri.loads("""net finite
place stock = 100 * token
place server = token
transition serve: stock, server -> server  takes exp(2)
measure rate = count(serve) / elapsed
run until dead
""")
    bound = measure(model, "rate")
    assert bound.high == pytest.approx(0.5)
    assert [(limit.kind, limit.name) for limit in bound.above] == [("busy", "server")]
    assert measure(
        petri.loads(
            "net still\nplace a = 9 * token\ntransition t: a -> nothing  takes 1\n"
            "measure rate = count(t) / elapsed\nrun until 100"
        ),
        "rate",
    ).high == pytest.approx(0.0)


def test_weights_divide_what_is_chosen() -> None:
    model = petri.loads("""net choice
place a = token
transition often: a -> a  weight 3  takes 1
transition seldom: a -> a  weight 1  takes 5
measure rate = count(often) / elapsed
""")
    assert measure(model, "rate").high == measure(model, "rate").low == pytest.approx(3 / 8)


@pytest.mark.parametrize(
    "name", ["ixp2400", "pcie", "mva", "mmc", "mm1k", "ddr4", "choice", "repairman", "microengine"]
)
def test_figures_of_the_library_are_within_their_bounds(name: str) -> None:
    model = petri.load(name)
    result = model.run(replications=2)
    for bound in model.bounds().measures:
        interval = result.measure(bound.name).interval
        slack = 1e-3 * abs(interval.mean) + (0.0 if math.isnan(interval.half_width) else interval.half_width)
        assert bound.low - slack <= interval.mean <= bound.high + slack, bound


def test_the_bottleneck_of_the_ixp2400_is_its_dram() -> None:
    """PRNP section 3.6: the chip carries 3 Gbps at most, for its DRAM."""
    bound = measure(petri.load("ixp2400", line="6 Gbps"), "throughput")
    assert bound.high * 8 == pytest.approx(3.0, rel=0.01)
    assert {limit.name for limit in bound.above} == {"router.chip.core.dram.channel"}


def test_a_run_shows_its_figures_as_shares_of_their_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    call = caller(capsys)
    short = ("run", "mm1k", "--until", "2000", "-n", "3", "--bound", "-q")
    told = call(*short).out
    assert re.search(r"^served +9\d\.\d ± \d\.\d % +0\.8000 +`arrive` brings no more$", told, re.MULTILINE)
    data = json.loads(call(*short, "--json").out)
    served, bound = (next(one for one in data[part] if one["name"] == "served") for part in ("measures", "bounds"))
    assert bound["share"] == pytest.approx(served["value"] / 0.8)
