"""From text to flat net: what each construct becomes."""

from __future__ import annotations

import time

import pytest

from petri import language
from petri.diagnostics import LanguageError
from petri.net import Expr, Match, Net, Transition, constant_weight


def load(text: str, **parameters: object) -> Net:
    return language.loads(text, parameters)


def transition(net: Net, name: str) -> Transition:
    return next(found for found in net.transitions if found.name == name)


def shown(e: Expr | None) -> object:
    """Return an expression as nested lists, to compare without spans."""
    if e is None:
        return None
    if e.op == "const":
        return e.value
    if e.op in ("var", "tokens", "table"):
        return f"{e.op}{e.value}"
    return [e.op, *(shown(arg) for arg in e.args)]


def pattern(matches: tuple[Match, ...]) -> list[object]:
    return [m.bind if m.bind is not None else shown(m.equal) and ["=", shown(m.equal)] for m in matches]


RECORDS = """
type Class = gold | silver
type P = { seq: int, class: Class, ok: bool, at: real }
place q : P = P(1, silver, true, 2)
place n : int = 3
"""


def test_layout_of_records_enumerations_and_bools() -> None:
    net = load(RECORDS + "type J = { p: P, k: 0..7 }  place j : J  transition t: q(p) -> j(J(p, 3))")
    slots = net.places[2].colour.slots
    assert [slot.name for slot in slots] == ["p.seq", "p.class", "p.ok", "p.at", "k"]
    assert [(slot.kind, slot.low, slot.high) for slot in slots] == [
        ("int", None, None),
        ("int", 0, 1),
        ("int", 0, 1),
        ("real", None, None),
        ("int", 0, 7),
    ]
    assert slots[1].labels == ("gold", "silver")
    assert net.places[0].initial == ((1, (1, 1, 1, 2.0)),)
    assert isinstance(net.places[0].initial[0][1][3], float)


def test_a_record_binds_slot_by_slot() -> None:
    net = load(RECORDS + "transition t: q(p) -> q(p with {seq: p.seq + 1})  when p.ok and p.class == gold")
    t = net.transitions[0]
    assert [variable.name for variable in t.variables] == ["p.seq", "p.class", "p.ok", "p.at"]
    assert pattern(t.inputs[0].pattern) == [0, 1, 2, 3]
    assert [shown(value) for value in t.outputs[0].values] == [["add", "var0", 1], "var1", "var2", "var3"]
    assert shown(t.guard) == ["and", ["ne", "var2", 0], ["eq", "var1", 0]]


def test_patterns() -> None:
    net = load(
        RECORDS + "transition t: q({class: silver, seq}), n(seq) -> q({seq: 0, class: gold, ok: seq > 1, at: seq})"
    )
    t = net.transitions[0]
    assert pattern(t.inputs[0].pattern) == [0, ["=", 1], None, None]
    assert pattern(t.inputs[1].pattern) == [["=", "var0"]]
    assert shown(t.outputs[0].values[2]) == ["if", ["gt", "var0", 1], 1, 0]
    assert shown(t.outputs[0].values[3]) == ["real", "var0"]


def test_positional_patterns_and_ignored_fields() -> None:
    net = load(RECORDS + "transition t: q(P(s, _, true, _)), n -> nothing")
    assert pattern(net.transitions[0].inputs[0].pattern) == [0, None, ["=", 1], None]
    assert pattern(net.transitions[0].inputs[1].pattern) == [None]


def test_arcs_are_ordered_so_that_variables_are_bound_before_use() -> None:
    places = "place a : int place b : int place c : int place d : int  "
    net = load(places + "transition t: a(x + y), b(x), c(y + 1), d(y) -> nothing")
    assert [arc.place for arc in net.transitions[0].inputs] == [1, 3, 0, 2]
    assert [pattern(arc.pattern) for arc in net.transitions[0].inputs] == [
        [0],
        [1],
        [["=", ["add", "var0", "var1"]]],
        [["=", ["add", "var1", 1]]],
    ]


def test_the_written_order_is_kept_where_it_can_be() -> None:
    net = load("place a : int place b : int place c  transition t: c, b(x), read a(x) -> nothing")
    assert [(arc.place, arc.keep) for arc in net.transitions[0].inputs] == [(2, False), (1, False), (0, True)]


def test_an_equality_within_one_arc_becomes_a_guard() -> None:
    net = load("type P = { a: int, b: int }  place q : P  transition t: q({a: x, b: x + 1}) -> nothing")
    t = net.transitions[0]
    assert pattern(t.inputs[0].pattern) == [0, 1]
    assert shown(t.guard) == ["eq", "var1", ["add", "var0", 1]]
    net = load("type P = { a: int, b: int }  place q : P  transition t: q(P(x, x)) -> nothing")
    assert shown(net.transitions[0].guard) == ["eq", "var1", "var0"]


def test_records_compare_slot_by_slot() -> None:
    net = load(
        RECORDS + "place r : P  transition t: q(p), r(p) -> nothing  transition u: q(p), r(s) -> nothing when p != s"
    )
    assert pattern(net.transitions[0].inputs[1].pattern) == [["=", f"var{slot}"] for slot in range(4)]
    guard = net.transitions[1].guard
    assert guard is not None
    assert guard.op == "not"


def test_black_tokens_are_counted() -> None:
    net = load("place c = 5 * token place n : int = 2 transition t: n(k), k * c, 2 * c -> 3 * c, c, n(k)  takes 1")
    t = net.transitions[0]
    assert [shown(arc.count) for arc in t.inputs] == [None, "var0", 2]
    assert [shown(arc.count) for arc in t.outputs] == [3, None, None]


def test_inhibitors_and_resets() -> None:
    net = load(RECORDS + "place c  transition t: n(x), no q({seq: x}) >= 2, no c, no n(7), reset q -> nothing")
    t = net.transitions[0]
    assert [(arc.place, shown(arc.threshold)) for arc in t.inhibitors] == [(0, 2), (2, None), (1, None)]
    assert pattern(t.inhibitors[0].pattern) == [["=", "var0"], None, None, None]
    assert pattern(t.inhibitors[2].pattern) == [["=", 7]]
    assert t.resets == (0,)


def test_alternatives_become_arcs_with_complementary_conditions() -> None:
    net = load(
        "place n : int = 1  transition t: n(x) -> if x > 1 then n(1) else if x > 0 then n(2), if x > 5 then n(3)"
    )
    conditions = [shown(arc.condition) for arc in net.transitions[0].outputs]
    first = ["gt", "var0", 1]
    assert conditions == [first, ["and", ["not", first], ["gt", "var0", 0]], ["gt", "var0", 5]]


def constant_time(net: Net) -> float:
    """Return the firing time of the first transition, in the net's unit."""
    return float(net.tick.time(net.transitions[0].time.value or 0))


def test_conditions_that_are_known_disappear() -> None:
    text = """param fast = true  place n : int = 1
    transition t: n(x) -> if fast then n(1) else n(2)  takes if fast then 1 else x"""
    assert [shown(arc.values[0]) for arc in load(text).transitions[0].outputs] == [1]
    assert [shown(arc.values[0]) for arc in load(text, fast=False).transitions[0].outputs] == [2]
    assert constant_time(load(text)) == 1.0


def test_a_computed_place_counts_from_the_start_of_its_array() -> None:
    net = load("place out[2..4] : int  place n : int = 1  transition t: n(x) -> out[x](x), out[3](x)")
    computed, fixed = net.transitions[0].outputs
    assert computed.places == (0, 1, 2)
    assert shown(computed.index) == ["sub", "var0", 2]
    assert (fixed.places, fixed.index) == ((1,), None)
    assert [place.name for place in net.places] == ["out[2]", "out[3]", "out[4]", "n"]


def test_times_draws_and_instants() -> None:
    text = """time ns  dist sizes = choice(64 B: 7, 1518 B: 1)
    place q : { size: Bytes, at: Time, lucky: bool }  place idle = token
    transition t: idle -> idle, q({size: s, at: end, lucky: l})
      draw s ~ sizes, l ~ choice(true: 1, false: 3)  takes exp(s / 1 GBps) + max(0, now - 5 ns)"""
    net = load(text)
    t = net.transitions[0]
    per_ns = float(1 / net.tick.length)
    assert [(v.name, v.kind, v.dimension, v.labels) for v in t.variables] == [
        ("s", "real", "Bytes", ()),
        ("l", "int", "", ("false", "true")),
    ]
    assert [shown(draw.expression) for draw in t.draws] == [
        ["choice", 64.0, 7.0, 1518.0, 1.0],
        ["choice", 1, 1.0, 0, 3.0],
    ]
    assert shown(t.time) == ["add", ["exp", ["div", "var0", 1 / per_ns]], ["max", 0.0, ["sub", ["now"], 5 * per_ns]]]
    assert [shown(value) for value in t.outputs[1].values] == ["var0", ["end"], "var1"]


def test_disciplines_capacities_and_keys() -> None:
    net = load("""
    type P = { a: int, b: { c: real } }
    place f : P fifo cap 3  place k : P by b.c - a  place v : int by -value  place l : P lifo
    transition t: f(x), k(y), v(z), l(w) -> nothing""")
    assert [place.discipline for place in net.places] == ["fifo", "key", "key", "lifo"]
    assert net.places[0].capacity == 3
    assert shown(net.places[1].key) == ["sub", "var1", ["real", "var0"]]
    assert shown(net.places[2].key) == ["neg", "var0"]


def test_initial_markings() -> None:
    net = load("""
    param n = 3
    place black = 2 * token
    place every : { a: 0..1, b: bool } = all
    place loop : int = 10 * i + j for i in 1..2 for j in 0..1
    place several : int = 2 * (7), 7, (2 * 3), n * (i) for i in 0..1
    place none : int = 1 for i in 0..-1
    transition t: black, every(e), loop(x), several(y), none(z) -> nothing""")
    assert [place.initial for place in net.places] == [
        ((2, ()),),
        ((1, (0, 0)), (1, (0, 1)), (1, (1, 0)), (1, (1, 1))),
        ((1, (10,)), (1, (11,)), (1, (20,)), (1, (21,))),
        ((3, (7,)), (1, (6,)), (3, (0,)), (3, (1,))),
        (),
    ]


MODULES = """
place jobs : int = 1
place line[1..3] : int
module Stage(me: int, gain = 2, last: bool = me == 3)
  port in inlet : int  port out outlet : int
  const step = me * gain
  type Local = 0..step
  place own : Local = step
  transition work[i in 0..1]: inlet(x), own(y) -> outlet(x + step + i), own(y)
    takes gain  weight me + i + 1  priority if last then 1 else 0
end
module Pair(base: int)
  port slots[0..1] : int
  instance stage[k in 0..1] = Stage(base + k, inlet = slots[0], outlet = slots[1])
end
instance first = Stage(1, 5, inlet = jobs, outlet = line[1])
instance pair[i in 0..1] = Pair(10 * i, slots = line[i + 1..i + 2])
"""


def test_modules() -> None:
    net = load(MODULES)
    names = [place.name for place in net.places]
    assert names == ["jobs", "line[1]", "line[2]", "line[3]", "first.own"] + [
        f"pair[{i}].stage[{k}].own" for i in (0, 1) for k in (0, 1)
    ]
    own = net.places[names.index("pair[1].stage[1].own")]
    assert (own.colour.slots[0].low, own.colour.slots[0].high, own.initial) == (0, 22, ((1, (22,)),))
    work = transition(net, "pair[1].stage[0].work[1]")
    assert [arc.place for arc in work.inputs] == [2, 7]
    assert [arc.places for arc in work.outputs] == [(3,), (7,)]
    assert shown(work.outputs[0].values[0]) == ["add", ["add", "var0", 20], 1]
    assert (net.tick.time(work.time.value), constant_weight(work), work.priority) == (2.0, 12.0, 0)
    assert net.tick.time(transition(net, "first.work[0]").time.value) == 5.0
    assert transition(net, "first.work[0]").outputs[0].places == (1,)


def test_an_empty_array_ends_a_recursion() -> None:
    net = load("""
    module Chain(n: int)
      port in inlet : int  port out outlet : int
      place mid[1..n] : int
      transition last[i in n..0]: inlet(x) -> outlet(x)
      transition step[i in 1..n]: inlet(x) -> mid[i](x)
      instance rest[i in 1..n] = Chain(n - 1, inlet = mid[i], outlet = outlet)
    end
    place a : int = 1  place b : int  instance c = Chain(1, inlet = a, outlet = b)
    """.replace("n..0", "1..1-n"))  # fmt: skip
    assert [place.name for place in net.places] == ["a", "b", "c.mid[1]"]
    assert [t.name for t in net.transitions] == ["c.step[1]", "c.rest[1].last[1]"]


def test_a_module_hides_names_of_the_file() -> None:
    net = load("""
    param n = 5  const k = 7
    module M(n: int)  port slot : int  const k = n + 1  transition t: slot(x) -> slot(x + k) end
    place p : int = n  instance m = M(1, slot = p)""")
    assert shown(net.transitions[0].outputs[0].values[0]) == ["add", "var0", 2]
    assert net.places[0].initial == ((1, (5,)),)


def test_documentation_and_spans_are_kept() -> None:
    net = load(
        "## The net.\nnet n\nparam a = 1  ## a parameter\n## A place.\nplace p : int = a\n"
        "transition t: p(x) -> p(x)  takes 1  ## a transition\nmeasure m = rate(t)  ## a measure\n"
    )
    assert (net.doc, net.name) == ("The net.", "n")
    assert [x.doc for x in (net.parameters[0], net.places[0], net.transitions[0], net.measures[0])] == [
        "a parameter",
        "A place.",
        "a transition",
        "a measure",
    ]
    span = net.transitions[0].inputs[0].span
    assert span is not None
    assert (span.line, span.column, span.end_column) == (6, 15, 19)


def test_constants_are_exact_until_they_enter_the_net() -> None:
    places = "place r : real = (tenth * 3)  place i : int = 2 * (floor(tenth * 30))"
    net = load(f"const tenth = 0.1  {places}  transition t: r(x), i(y) -> nothing")
    assert net.places[0].initial == ((1, (0.3,)),)
    assert net.places[1].initial == ((2, (3,)),)


@pytest.mark.slow
def test_a_large_net_is_elaborated_fast() -> None:
    start = time.process_time()
    net = load("place p[0..20000] : int = 1  transition t[i in 0..19999]: p[i](x) -> p[i + 1](x + i)  takes exp(1.5)")
    assert len(net.transitions) == 20000
    assert time.process_time() - start < 10
    assert net.transitions[0].inputs[0].pattern is net.transitions[1].inputs[0].pattern
    assert net.transitions[0].time is net.transitions[1].time


@pytest.mark.parametrize("text", ["", "# nothing"])
def test_an_empty_net_is_told(text: str) -> None:
    with pytest.raises(LanguageError) as raised:
        load(text)
    assert [diagnostic.id for diagnostic in raised.value.diagnostics] == ["file-empty"]
