"""Nets whose transitions race, against systems with exact answers, also in files of other tools.

A figure passes when its exact value lies in the interval of twenty replications with fixed seeds. The intervals of all
figures together are wrong with a chance of `FALSE_ALARMS`, by Bonferroni's correction. So that a wrong figure is
refused, no interval may be wider than `WIDEST`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

import petri
from petri import interchange
from petri.engine.native import available
from petri.measure.formula import evaluate
from petri.measure.intervals import student_interval
from tests.nets import racing

FALSE_ALARMS = 1e-3
REPLICATIONS = 20
WIDEST = 0.06  # half of an interval, as a share of the value


@dataclass(frozen=True)
class System:
    """A net with the exact values of its measures. text: of the net, or the name of a pattern."""

    name: str
    text: str
    until: float
    exact: dict[str, float]
    set: dict[str, float] = field(default_factory=dict)


def mm1(clause: str) -> str:
    """`three`: how often an arrival finds three or more, which is as likely as at any time (PASTA)."""
    return f"""net mm1
place door = token
place knock
place line
place server = token
place served
place inside
transition come: door -> knock  {clause} exp(1 / 0.7)
transition enter: knock -> door, line, inside
transition serve: line, server -> server, served  {clause} exp(1)
transition leave: served, inside -> nothing
measure jobs = mean(inside)
measure three = count(enter, if tokens(inside) >= 3 then 1 else 0) / count(enter)
"""


def many_servers(patience: str) -> str:
    return f"""net patience
place door = token
place line : real fifo
place server = 3 * token
transition arrive: door -> door, line(end)  takes exp(1 / 2.8)
transition serve: line(since), server -> server  takes exp(1)
transition leave: any line(since) -> nothing  after {patience}
measure lost = count(leave) / count(arrive)
measure waiting = mean(line)
"""


def black_patience(patience: str) -> str:
    """Return the same with customers who have no value."""
    return f"""net patience
place line
place server = 3 * token
transition arrive: -> line  after exp(1 / 2.8)
transition serve: line, server -> server  takes exp(1)
transition leave: line -> nothing  after {patience}  servers all
measure lost = count(leave) / count(arrive)
measure waiting = mean(line)
"""


def replacement(parts: int, life: str) -> str:
    """Parts are replaced when they fail, and after 2."""
    return f"""net replacement
place part = {parts} * token
place broken
transition fail: part -> broken  after {life}  servers all
transition replace: part -> part  after 2  servers all
transition mend: broken -> part  takes exp(1)
measure in_time = count(replace) / (count(replace) + count(fail))
"""


def sharing(work: str) -> str:
    return f"""net sharing
place source = token
place job : real
transition arrive: source -> source, job(w)  draw w ~ {work}  takes exp(1 / 0.7)
transition finish: job(w) -> nothing  after w  speed 1 / tokens(job)
measure jobs = mean(job)
measure empty = 1 - occupied(job)
"""


def sharing_by_weight(room: str) -> str:
    return f"""net weights
param load = 0.6
type Job = {{ weight: 1..3 }}
place job : Job {room}
place shares
transition gold: -> job({{weight: 3}}), 3 * shares    after exp(3 / 2 / load)
transition silver: -> job({{weight: 1}}), 1 * shares  after exp(3 / load)
transition finish: job(j), j.weight * shares -> nothing  after exp(1)  speed j.weight / tokens(shares)
measure golds = mean(job, if weight == 3 then 1 else 0)
measure silvers = mean(job, if weight == 1 then 1 else 0)
"""


def endless_servers(stay: str) -> str:
    return f"""net endless
place door = token
place room
transition arrive: door -> door, room  after exp(1)
transition leave: room -> nothing  after {stay}  servers all
measure there = mean(room)
measure squares = count(arrive, tokens(room) * tokens(room)) / count(arrive)
measure empty = 1 - occupied(room)
"""


def two_customers(memory: str) -> str:
    """Return a net in which the clock of `watch` runs while both think, and never ends."""
    return f"""net two_customers
place gold_thinks = token
place gold
place silver_thinks = token
place silver
transition gold_comes: gold_thinks -> gold  after exp(1 / 0.6)
transition gold_served: gold -> gold_thinks  after 1
transition silver_comes: silver_thinks -> silver  after exp(1 / 0.9)
transition silver_served_: silver, no gold -> silver_thinks  after 1  {memory}
place eye = token
transition watch: eye, read gold_thinks, read silver_thinks -> eye  after exp(1_000_000_000)
measure silver_served = active(silver_served_)
measure silver_rate = rate(silver_served_)
measure both_think = active(watch)
"""


SICK_PAIRS = """net pairs
const people = 12
place healthy : int = i for i in 1..people - 1
place infected : int = 0
transition infect: healthy(i), read infected(j) -> infected(i)  after exp(24)
transition recover: infected(i) -> healthy(i)  after exp(5)  when tokens(infected) > 1
measure infected_people = mean(infected)
measure alone = 1 - active(recover)
"""
SICK_RING = """net ring
const n = 8
type Edge = { from: int, to: int }
place healthy : int = i for i in 1..n - 1
place infected : int = 0
place edge : Edge = Edge(i, (i + 1) mod n) for i in 0..n - 1, Edge((i + 1) mod n, i) for i in 0..n - 1
transition infect: healthy(i), read edge({from: j, to: i}), read infected(j) -> infected(i)  after exp(2)
transition recover: infected(i) -> healthy(i)  after exp(2)  when tokens(infected) > 1
measure infected_people = mean(infected)
measure alone = 1 - active(recover)
"""
CELL = """module cell{i}
  w{i} : [0..1]; x{i} : [0..1]; y{i} : [0..1];
  [{enter}] w{i}+x{i}+y{i} < 1 -> 1 : (w{i}'=w{i}+1);
  [] w{i} > 0 -> {again} : (w{i}'=w{i}-1) & (x{i}'=x{i}+1);
  [] w{i} > 0 -> {done} : (w{i}'=w{i}-1) & (y{i}'=y{i}+1);
  [] x{i} > 0 -> 0.3 : (x{i}'=x{i}-1) & (w{i}'=w{i}+1);
  [{leave}] y{i} > 0 -> {rate} : (y{i}'=y{i}-1);
endmodule
"""
KANBAN = "// Four cells with a card each (Ciardo & Tilgner 1996)\nctmc\n" + "".join(
    CELL.format(i=number, enter=enter, again=again, done=done, leave=leave, rate=rate)
    for number, enter, again, done, leave, rate in (
        (1, "enter", 0.36, 0.84, "fork", 0.4),
        (2, "fork", 0.42, 0.98, "join", 0.5),
        (3, "fork", 0.39, 0.91, "join", 1),
        (4, "join", 0.33, 0.77, "", 0.9),
    )
)

GREATSPN = """<project name="two" version="121"><gspn name="Two"><nodes>
<place name="gold_thinks" marking="1"/><place name="gold"/>
<place name="silver_thinks" marking="1"/><place name="silver"/>
<transition name="gold_comes" type="EXP" delay="0.6" nservers="1"/>
<transition name="gold_served" type="GEN" delay="I[1.0]"/>
<transition name="silver_comes" type="EXP" delay="0.9" nservers="1"/>
<transition name="silver_served" type="GEN" delay="I[1.0]"/>
</nodes><edges>
<arc kind="INPUT" tail="gold_thinks" head="gold_comes"/><arc kind="OUTPUT" tail="gold_comes" head="gold"/>
<arc kind="INPUT" tail="gold" head="gold_served"/><arc kind="OUTPUT" tail="gold_served" head="gold_thinks"/>
<arc kind="INPUT" tail="silver_thinks" head="silver_comes"/><arc kind="OUTPUT" tail="silver_comes" head="silver"/>
<arc kind="INPUT" tail="silver" head="silver_served"/><arc kind="OUTPUT" tail="silver_served" head="silver_thinks"/>
<arc kind="INHIBITOR" tail="gold" head="silver_served"/>
</edges></gspn></project>
"""


def foreign(text: str, name: str, measure: str) -> str:
    return f"{interchange.text_of(interchange.read_bytes(text.encode(), name))}\nmeasure {measure}\n"


def systems() -> Iterator[System]:
    load = 0.7
    for clause in ("after", "takes"):
        yield System(f"M/M/1 by {clause}", mm1(clause), 60_000, {"jobs": load / (1 - load), "three": load**3})
    lost, waiting = racing.erlang_a(2.8, 1.0, 3, 1 / 1.5)
    yield System(
        "M/M/c with exponential patience", many_servers("exp(1.5)"), 20_000, {"lost": lost, "waiting": waiting}
    )
    lost, waiting = racing.constant_patience(2.8, 1.0, 3, 1.5)
    yield System("M/M/c with constant patience", many_servers("1.5"), 20_000, {"lost": lost, "waiting": waiting})
    exact = {"lost": lost, "waiting": waiting}
    yield System("M/M/c with constant patience, of black tokens", black_patience("1.5"), 20_000, exact)
    for parts in (1, 5):
        for life, late in (("exp(3)", math.exp(-2 / 3)), ("weibull(2, 2)", math.exp(-1.0)), ("uniform(0.0..5.0)", 0.6)):
            name = f"{parts} parts that are replaced after 2, {life}"
            yield System(name, replacement(parts, life), 30_000 / parts, {"in_time": late})
    resent, answered = racing.retransmission(0.1, 10.0, 20.0)
    yield System("timeout and retransmission", "timeout", 200_000, {"resent": resent, "answered": answered})
    yield from preemptive()
    for work in ("exp(1)", "1.0", "hyperexponential(1, 2)"):
        yield System(f"M/G/1-PS, {work}", sharing(work), 120_000, {"jobs": load / (1 - load), "empty": 1 - load})
    sizes = {"jobs": 1.0, "small_stay": 1.0, "large_stay": 10.0}
    yield System("M/G/1-PS by size", "processor_sharing", 100_000, sizes, {"load": 0.5})
    golds, silvers = racing.shared_by_weight([0.4, 0.2], [3, 1])
    weighted = {"golds": golds, "silvers": silvers}
    yield System("M/M/1 shared by weights", sharing_by_weight(""), 60_000, weighted)
    for stay in ("exp(2)", "2", "uniform(0.0..4.0)", "hyperexponential(2, 3)"):
        poisson = {"there": 2.0, "squares": 2.0 + 2.0**2, "empty": math.exp(-2.0)}
        yield System(f"M/G/infinity, {stay}", endless_servers(stay), 30_000, poisson)
    for machines, repairmen in ((5, 1), (11, 1), (20, 3)):
        working = racing.repairmen_at_work(machines, repairmen, 1 / 9, 1.0)
        yield System(
            f"machine repair, {machines} and {repairmen}", "repairman", 20_000,
            {"repairs": working, "utilisation": working / repairmen}, {"machines": machines, "repairmen": repairmen},
        )  # fmt: skip
    for memory in ("resume", "repeat", "restart"):
        exact = racing.two_customers(0.6, 0.9, memory)
        yield System(f"M/D/1/2/2 with preemption, {memory}", two_customers(memory), 30_000, exact)
    infected = racing.everyone(12, 1 / 24, 1 / 5)
    exact = {"infected_people": racing.mean(infected), "alone": infected[1]}
    yield System("SIS on a complete graph", "epidemic", 2_400_000, exact)
    yield System("SIS on a complete graph, by pairs", SICK_PAIRS, 100_000, exact)
    infected = racing.on_a_ring(8, 1 / 2, 1 / 2)
    exact = {"infected_people": racing.mean(infected), "alone": infected[1]}
    yield System("SIS on a ring", SICK_RING, 40_000, exact)
    kanban = foreign(KANBAN, "kanban.sm", "enters = rate(enter)")
    yield System("kanban of PRISM", kanban, 40_000, {"enters": 0.0925846346333826})  # by QVBS
    rate = racing.two_customers(0.6, 0.9, "restart")["silver_rate"]
    two = foreign(GREATSPN, "two.PNPRO", "served = rate(silver_served)")
    yield System("M/D/1/2/2 of GreatSPN", two, 30_000, {"served": rate})


def preemptive() -> Iterator[System]:
    """Gold jobs take 1, silver ones 0.5 or 1.5."""
    gold, silver, works = 0.3, 0.3, (0.5, 1.5)
    away = racing.busy_period(gold, (1.0, 1.0))
    square = sum(work * work for work in works) / 2
    same = [racing.occupied(gold, away, [work]) for work in works]
    identical = (sum(first for first, _ in same) / 2, sum(second for _, second in same) / 2)
    stays = {
        "gold": racing.mg1_sojourn(gold, (1.0, 1.0)),
        "resumed": racing.resumed_sojourn(gold, (1.0, 1.0), silver, (1.0, square)),
        "repeated": racing.begun_again_sojourn(gold, away, silver, identical),
        "renewed": racing.begun_again_sojourn(gold, away, silver, racing.occupied(gold, away, works)),
    }
    for name, stay in stays.items():
        yield System(f"M/G/1 preemptive, {name}", "preemptive_priority", 60_000, {f"{name}_stay": stay})


SYSTEMS = list(systems())
LEVEL = 1 - FALSE_ALARMS / sum(len(system.exact) for system in SYSTEMS)


def test_shares_by_weight_are_exact_in_the_chain() -> None:
    found = petri.loads(sharing_by_weight("cap 14"), load=0.3).solve()
    exact = racing.shared_by_weight([0.2, 0.1], [3, 1])
    assert [found.exact(name).value for name in ("golds", "silvers")] == pytest.approx(exact, rel=1e-5)


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="takes too long on the reference engine")
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_intervals_cover_the_exact_figures(system: System) -> None:
    model = petri.loads(system.text, **system.set) if "\n" in system.text else petri.load(system.text, **system.set)
    result = model.run(until=system.until, warmup=system.until / 100, seed=38, replications=REPLICATIONS)
    assert result.failure is None
    for name, exact in system.exact.items():
        formula = result.measure(name).measure.formula
        seen = student_interval([evaluate(formula, one.window) for one in result.replications], LEVEL)
        assert seen.low <= exact <= seen.high, f"{name}: {seen}, exactly {exact}"
        assert seen.half_width <= WIDEST * exact, f"{name}: {seen} cannot refuse much"
