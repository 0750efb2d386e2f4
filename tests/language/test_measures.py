"""Measures in the language, and arrays of them."""

from __future__ import annotations

import math

import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.measure.figures import evaluate_all, figures
from petri.net import Content, Counter, Net, Order, Passage, RunDefaults, Sample, Term

NET = """
time ns
type P = { seq: int, flow: 0..3, size: Bytes, born: Time }
place q : P = P(1, 2, 64 B, 0)
place link[0..2] : P
place server = 2 * token
transition send: q(p), server -> q(p), server  takes p.size / s * t draw s ~ uniform(1 Gbps..2 Gbps), t ~ exp(1)
transition copy[i in 0..2]: q(p) -> link[i](p)  takes 1 ns
module M()  port inlet : P  place alu = token  transition work: inlet(x), alu -> alu  takes 1 ns end
instance m[i in 0..2] = M(inlet = link[i])
"""


def load(text: str) -> Net:
    return language.loads(NET + text)


def shown(term: Term) -> object:
    if term.args:
        return [term.op, *(shown(arg) for arg in term.args)]
    return (term.op, term.value)


@pytest.mark.parametrize(
    ("formula", "term", "dimension"),
    [
        ("rate(send)", ["div", ("firings", 0), ("elapsed", None)], "Freq"),
        ("count(send)", ("firings", 0), ""),
        ("mean(q)", ("mean", 0), ""),
        ("mean(send)", ("in_progress", 0), ""),
        ("max(q)", ("max", 0), ""),
        ("busy(server)", ("busy", 4), "share"),
        ("occupied(link[1])", ("occupied", 2), "share"),
        ("active(m[2].work)", ("active", 6), "share"),
        ("arrivals(q)", ("arrivals", 0), ""),
        ("sojourn(q)", ("sojourn", 0), "Time"),
        ("elapsed", ("elapsed", None), "Time"),
        ("2 * elapsed / 1 ns", ["div", ["mul", ("const", 2.0), ("elapsed", None)], ("const", 1.0)], ""),
        ("min(mean(q), 3)", ["min2", ("mean", 0), ("const", 3.0)], ""),
        ("-mean(q) + 0", ["add", ["neg", ("mean", 0)], ("const", 0.0)], ""),
        ("mean(link[*])", ["add", ("mean", 1), ["add", ("mean", 2), ("mean", 3)]], ""),
        ("busy(m[*].alu)", ["div", ["add", ("busy", 5), ["add", ("busy", 6), ("busy", 7)]], ("const", 3.0)], "share"),
        ("mean(link[1..2])", ["add", ("mean", 2), ("mean", 3)], ""),
        ("mean(link[2..2])", ("mean", 3), ""),
        ("busy(m[0..len([1, 2]) - 1].alu)", ["div", ["add", ("busy", 5), ("busy", 6)], ("const", 2.0)], "share"),
        ("max(link[*])", ["max2", ("max", 1), ["max2", ("max", 2), ("max", 3)]], ""),
        ("count(send, p.size)", ("counter", 0), "Bytes"),
        ("rate(send, p.size)", ["div", ("counter", 0), ("elapsed", None)], "Rate"),
    ],
)
def test_formula(formula: str, term: object, dimension: str) -> None:
    measure = load(f"measure x = {formula}").measures[0]
    assert shown(measure.formula) == term
    assert measure.dimension == dimension


def test_the_sojourn_time_of_several_places_is_that_of_all_their_tokens() -> None:
    term = load("measure x = sojourn(link[*])").measures[0].formula
    assert term.op == "div"
    assert shown(term.args[0]) == ["mul", ["add", ("mean", 1), ["add", ("mean", 2), ("mean", 3)]], ("elapsed", None)]


def test_quantities_of_all_elements_are_added() -> None:
    net = load("measure x = rate(m[*].work, x.size)")
    assert [probe.transition for probe in net.probes if isinstance(probe, Counter)] == [4, 5, 6]


def test_samples_and_their_figures() -> None:
    net = load(
        "measure d = end - p.born at send  record p99, mean, histogram\nmeasure tail = d.p99.9 / d.count + d.max"
    )
    assert isinstance(net.probes[0], Sample)
    d, tail = net.measures
    assert (d.probe, d.record, d.formula, d.dimension) == (
        0,
        ("p99", "mean", "histogram"),
        Term("sample", (), (0, "p99")),
        "Time",
    )
    assert shown(tail.formula) == [
        "add",
        ["div", ("sample", (0, "p99.9")), ("sample", (0, "count"))],
        ("sample", (0, "max")),
    ]
    assert tail.dimension == "Time"
    assert len(net.probes) == 1


def test_what_is_recorded_when_nothing_is_said() -> None:
    net = load("""
    measure a = p.size at send
    measure b = p.size at send  record histogram
    measure c = rate(send)      record series(2 us)""")
    assert [measure.record for measure in net.measures] == [("mean",), ("mean", "histogram"), ("series",)]
    assert net.measures[2].window == 2000.0


def test_passages() -> None:
    net = load("""
    measure t = time(copy[1] -> link[2]({seq, flow}), by (p.seq, p.flow) -> (seq, flow))
    measure u = time(send -> send)""")
    first, second = net.probes
    assert isinstance(first, Passage)
    assert (first.start.transition, first.end.place) == (2, 3)
    assert [e.value for e in first.start.key] == [0, 1]
    assert [e.value for e in first.end.key] == [0, 1]
    assert isinstance(second, Passage)
    assert second.start.key == ()


def test_orders() -> None:
    net = load(
        "measure o = reorder(send, by p.flow, order p.seq)  record max_extent, extent  measure s = o.reordered_share"
    )
    probe = net.probes[0]
    assert isinstance(probe, Order)
    assert probe.sequence.value == 0
    assert [measure.dimension for measure in net.measures] == ["", "share"]
    assert net.measures[0].formula == Term("order", (), (0, "max_extent"))


def test_measures_may_use_the_draws() -> None:
    probe = load("measure x = t at send").probes[0]
    assert isinstance(probe, Sample)
    assert isinstance(probe.value.value, int)
    assert load("").transitions[0].variables[probe.value.value].name == "t"


def test_expectations() -> None:
    net = load("""
    param bound = 3
    measure r = rate(send, p.size)  expect < 2 Gbps  expect == 1 Gbps within 5%
    measure d = now - p.born at send  record p99  expect == 5 ns within 1 ns
    expect d.mean / 1 ns <= bound""")
    first, second = net.measures[0].expectations
    assert (first.text, first.comparison, first.bound) == ("r < 2 Gbps", "<", 0.25)
    assert (second.within, second.absolute) == (0.05, False)
    (third,) = net.measures[1].expectations
    assert (third.bound, third.within, third.absolute) == (5.0, 1.0, True)
    assert third.formula == Term("sample", (), (1, "p99"))
    assert (net.expectations[0].text, net.expectations[0].bound) == ("d.mean / 1 ns <= bound", 3.0)


def test_the_run_line() -> None:
    assert load("run until 20 ms warmup 2 us replications 20 seed 7").run_defaults == RunDefaults(2e7, 2000.0, 20, 7)
    assert load("run until dead").run_defaults == RunDefaults(math.inf)
    assert load("").run_defaults == RunDefaults()


TWO = """
place p = 6 * token
place q = 3 * token
transition t: p -> nothing
transition u: q -> nothing
measure a = count(t)
measure b = count(u)
run until dead
"""


@pytest.mark.parametrize(
    ("expectation", "holds"),
    [
        ("a > b", True),
        ("a < b", False),
        ("a == 2 * b", True),
        ("b == a within 40%", False),
        ("a == b + 4 within 20%", True),
        ("a == b within 3", True),
        ("a - b <= min(a, b)", True),
        ("b >= (a + b) / 3", True),
    ],
)
def test_an_expectation_may_compare_two_measures(expectation: str, holds: bool) -> None:
    result = petri.loads(f"{TWO}expect {expectation}").run()
    assert result.passed == holds
    assert [one.text for one, _ in result.verdicts] == [expectation]


def test_an_expectation_after_a_measure_may_name_another() -> None:
    text = TWO.replace("count(u)", "count(u)  expect < a")
    assert petri.loads(text).run().passed


def test_mean_and_greatest_sum_over_tokens_share_a_probe() -> None:
    net = language.loads(
        """
        net sums
        type Class = gold | silver
        place q : { class: Class, size: int }
        place p[0..1] : int
        transition t: q(x), p[0](n), p[1](m) -> q(x), p[0](n), p[1](m)  takes 1
        measure held = mean(q, size)
        measure most = max(q, size) + max(q, size * 2)
        measure all_of = mean(p[*], value)
        measure of_class[c in Class] = mean(q, if class == c then size else 0)
        """
    )
    assert [probe.place for probe in net.probes if isinstance(probe, Content)] == [0, 0, 1, 2, 0, 0]
    assert len(set(net.probes)) == 6


RANGES = """
param k = 3
type Class = gold | silver
place p[0..3] : int = 1
place z[Class, 0..3] = token
place rest[Class, 0..3] = 2 * token
transition go[i in 0..3]: p[i](n) -> p[i](n)  takes exp(1 + i)
transition iz[c in Class, i in 0..3]: z[c, i] -> z[c, i]  takes exp(1)
measure each[i in 0..3] = rate(go[i])
measure part = {}
run until 9
"""


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("rate(go[2..k])", "rate(go[2]) + rate(go[3])"),
        ("count(iz[gold, 1..2])", "count(iz[gold, 1]) + count(iz[gold, 2])"),
        ("mean(rest[*, 0..2])", "mean(rest[gold, 0]) * 6"),
        ("max(each[0..1])", "max(each[0], each[1])"),
        ("max(tokens(rest[silver, 0..2]))", "max(tokens(rest[silver, 0]) + tokens(rest[gold, 1..2]))"),
        ("n at go[0..k]", "n at go[*]"),
    ],
)
def test_a_range_of_elements(part: str, whole: str) -> None:
    one, other = (petri.loads(RANGES.format(text)).run().measure("part").interval.mean for text in (part, whole))
    assert one == pytest.approx(other, rel=1e-12)
    assert one > 0.0


def test_ranges_that_begin_alike_in_an_array_of_measures() -> None:
    """The figure of the first element stood for all: only the beginnings of ranges were compared."""
    text = """place q[0..3] : int = 0
    transition t[i in 0..3]: q[i](n) -> q[i](n + 1)  takes i + 1
    measure upto[k in 0..3] = count(t[0..k])
    measure held[k in 0..3] = mean(t[0..k])
    run until 12
    """
    result = petri.loads(text).run()
    assert [result.measure(f"upto[{k}]").interval.mean for k in range(4)] == [13, 13 + 7, 13 + 7 + 5, 13 + 7 + 5 + 4]
    held = [result.measure(f"held[{k}]").interval.mean for k in range(4)]
    assert held == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("part", "identifier"),
    [
        ("rate(go[2..4])", "no-such-element"),
        ("rate(go[-1..2])", "no-such-element"),
        ("rate(go[0..1_000_000_000])", "no-such-element"),
        ("rate(go[k..1])", "no-such-element"),
        ("rate(iz[gold..silver, 1])", "misplaced-expression"),
        ("rate(go[1..2.5])", "type-mismatch"),
    ],
)
def test_a_range_must_be_one_of_elements_that_are_there(part: str, identifier: str) -> None:
    with pytest.raises(petri.LanguageError) as caught:
        petri.loads(RANGES.format(part))
    assert identifier in [one.id for one in caught.value.diagnostics]


ARRAYS = """
type Class = gold | silver
type Job   = { n: int, class: Class }
place clock : int = 0
place lane[0..1] : Job = Job(0, gold)
transition tick: clock(n) -> clock(n + 1)   takes 1
transition step[i in 0..1]: lane[i](j) -> lane[i](Job(j.n + 1, if j.class == gold then silver else gold))   takes i + 1

measure numbers[k in 0..2]   = n at tick when n mod 3 == k   record count, max
measure done[c in Class]     = j.n at step[*] when j.class == c   record count, max
  expect > 2
measure per_lane[i in 0..1]  = count(step[i])   if i == 1
measure apart                = gap(tick, by n mod 3)
measure between              = gap(step[*])   record count, max
measure from_lanes           = time(lane[*](j) -> step[*], by j.n)   record count
measure twice                = done[gold].count + 2 * done[silver].count
expect done[gold].count > done[silver].count
expect numbers[1].max == numbers[2].max within 2
run until 9.5
"""
ENGINES = ["reference", *(["native"] if available() else [])]


@pytest.mark.parametrize("engine", ENGINES)
def test_figures_of_arrays(engine: str) -> None:
    result = petri.loads(ARRAYS).run(engine=engine)
    wanted = figures(result.net, (
        "numbers[0].count", "numbers[0].max", "numbers[1].max", "numbers[2].count",
        "done[gold].count", "done[gold].max", "done[silver].count", "done[silver].max",
        "per_lane[1]", "apart", "between.count", "between.max", "from_lanes", "twice",
    ))  # fmt: skip
    # The ticks start at 0, 1, …, 9; lane 0 steps then as well, lane 1 at 0, 2, …, 8: its jobs are silver when odd.
    assert evaluate_all(wanted, result.replications[0].window) == {
        "numbers[0].count": 4, "numbers[0].max": 9, "numbers[1].max": 7, "numbers[2].count": 3,
        "done[gold].count": 5 + 3, "done[gold].max": 8, "done[silver].count": 5 + 2, "done[silver].max": 9,
        "per_lane[1]": 5, "apart": 3, "between.count": 14, "between.max": 1, "from_lanes": 13, "twice": 22,
    }  # fmt: skip
    assert [measure.name for measure in result.measures][:4] == ["numbers[0]", "numbers[1]", "numbers[2]", "done[gold]"]
    assert [expected.text for m in result.measures for expected, _ in m.verdicts] == [
        "done[gold] > 2",
        "done[silver] > 2",
    ]
    assert result.passed


def test_a_measure_that_is_an_array_is_named_with_an_index() -> None:
    with pytest.raises(LanguageError) as told:
        petri.loads(ARRAYS + "measure wrong = mean(clock) + done")
    assert [d.id for d in told.value.diagnostics] == ["measures-of-array"]
