"""Functions and lets."""

from __future__ import annotations

import math
import time

import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.net import Expr, Net, Transition, operations
from tests.engines import FASTEST
from tests.language.test_flatten import shown

HEAD = "type P = { n: int, m: real }\nplace q : P = P(4, 2)\nplace n : int = 3\n"


def load(text: str) -> Net:
    return language.loads(HEAD + text)


def test_a_call_is_the_expression_with_its_arguments() -> None:
    net = load("fn twice(x: int) = 2 * x\ntransition t: n(x) -> n(twice(x + 1))  when twice(x) > 3")
    t = net.transitions[0]
    assert shown(t.outputs[0].values[0]) == ["mul", 2, ["add", "var0", 1]]
    assert shown(t.guard) == ["gt", ["mul", 2, "var0"], 3]


def test_functions_of_records_and_of_functions() -> None:
    net = load(
        "fn next(p: P): P = p with {n: p.n + 1}\nfn load(p: P): real = next(p).n * p.m\n"
        "transition t: q(p) -> q(next(p))  takes load(p)"
    )
    t = net.transitions[0]
    assert [shown(value) for value in t.outputs[0].values] == [["add", "var0", 1], "var1"]
    assert shown(t.time.args[0]) == ["mul", ["real", ["add", "var0", 1]], "var1"]


def test_an_int_becomes_the_real_of_a_parameter() -> None:
    net = load("fn half(x: real) = x / 2\ntransition t: n(x) -> n(x)  takes half(x)")
    assert shown(net.transitions[0].time.args[0]) == ["div", ["real", "var0"], 2.0]


def test_constants_sizes_and_parameters_use_functions() -> None:
    net = load(
        "fn blocks(n: int): int = (n + 63) div 64\nconst most = blocks(1000)\nplace c cap most = blocks(65) * token\n"
        "place d[1..blocks(130)]\ntransition t: c -> d[2]"
    )
    assert (net.places[2].capacity, net.places[2].held, len(net.places)) == (16, 2, 6)


def test_a_function_of_a_module_uses_its_parameters() -> None:
    net = language.loads(
        "module M(k: int)\n  fn scaled(x: int) = k * x\n  place a : int = 1\n"
        "  transition t: a(x) -> a(scaled(x))\nend\n"
        "instance m[i in 2..3] = M(i)"
    )
    assert [shown(t.outputs[0].values[0]) for t in net.transitions] == [["mul", 2, "var0"], ["mul", 3, "var0"]]


def test_units_in_a_net_with_its_own_clock() -> None:
    text = "time cycle\nunit cycle = 1 / (500 MHz)\nfn delay(n: int): Time = n * cycle\n"
    text = text.replace("n * cycle", "n * 1 cycle") + "place p : int = 3\ntransition t: p(x) -> p(x)  takes delay(5)"
    net = language.loads(text)
    assert float(net.transitions[0].time.value or 0) * net.tick.numerator / net.tick.denominator == 5


def test_measures_use_functions_of_firings_and_of_figures() -> None:
    net = petri.loads(
        HEAD + "fn twice(x: int) = 2 * x\nfn ratio(a: real, b: real) = a / max(b, 1)\n"
        "transition t: n(x) -> nothing\ntransition u: q(p) -> nothing\n"
        "measure a = twice(x) at t\nmeasure b = count(t, twice(x))\nmeasure c = ratio(count(t, x), count(u) + 1)\n"
        "run until dead"
    )
    result = net.run()
    assert [result.measure(name).value for name in "abc"] == [6, 6, 1.5]


@pytest.mark.slow
def test_functions_that_double_are_refused_in_time() -> None:
    lines = ["fn f0(x: int): int = x + x"]
    lines += [f"fn f{i}(x: int): int = f{i - 1}(f{i - 1}(x))" for i in range(1, 64)]
    lines += ["fn k(x: int): int = 3", "fn g0(x: int): int = k(x)"]
    lines += [f"fn g{i}(x: int): int = k(g{i - 1}(x)) + k(g{i - 1}(x))" for i in range(1, 64)]
    lines += ["fn big(x: int): int = " + " + ".join(["x"] * 150), "fn bigger(x: int): int = big(big(x)) - big(x)"]
    lines += [f"const c{i} = big({i})" for i in range(10_000)]
    start = time.monotonic()
    found = language.checks(HEAD + "\n".join(lines), {})
    errors = {one.id for one in found if one.severity == "error"}
    assert errors - {"and-more"} == {"expression-too-large", "functions-too-large"}
    assert time.monotonic() - start < 60


def test_e_is_a_number_unless_the_net_has_something_of_this_name() -> None:
    text = """
time us
param x = pow(e, 2)
place p : int = 3
place q : real = e
transition of_index[e in 0..1]: p(n) -> p(n)  takes e * 1 us  when n > 9 + e
transition of_token: p(e) -> p(e)  takes e * 1 us
transition of_draw: q(n) -> q(n)  draw e ~ uniform(1..2)  takes e * 1 us
measure last = 1 - pow(e, -0.1)
measure alone = e
"""
    net = petri.loads(text).net
    times = {one.name: one.time for one in net.transitions}
    assert net.parameters[0].value == pytest.approx(math.e**2)
    assert net.places[1].initial[0][1] == (math.e,)
    assert [times[f"of_index[{n}]"].value for n in (0, 1)] == [0, net.tick.ticks(1)]
    assert all("var" in {part.op for part in operations([times[name]])} for name in ("of_token", "of_draw"))
    assert net.measures[-1].formula.value == math.e


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("place e\nplace p : real\ntransition t: e -> p(e)  takes 1", "place-as-value"),
        ("place p : real\ntransition t: p(x) -> p(e)  draw e ~ uniform(1..2)  takes 1  when e > 1", "drawn-later"),
        ("place p : int\ntransition t: p(x) -> p(e)  takes 1", "type-mismatch"),
    ],
)
def test_e_does_not_hide_a_mistake(text: str, identifier: str) -> None:
    with pytest.raises(petri.LanguageError) as caught:
        petri.loads(text)
    assert [one.id for one in caught.value.diagnostics] == [identifier]


PLACES = """
type P = { n: int, port: 0..3 }
place q : P = P(4, 2)
place n : int = 3
place known : int = 9
place out[0..3] : P
"""


def only(clauses: str) -> Transition:
    net = language.loads(f"{PLACES}transition t: {clauses}")
    return net.transitions[0]


def test_a_let_stands_for_its_expression() -> None:
    t = only("q(p), n(x) -> n(rest)  let rest = x - p.n  when rest > 2")
    assert shown(t.outputs[0].values[0]) == ["sub", "var2", "var0"]
    assert shown(t.guard) == ["gt", ["sub", "var2", "var0"], 2]
    assert [variable.name for variable in t.variables] == ["p.n", "p.port", "x"]
    assert t.draws == ()


def test_lets_use_one_another_and_draws_in_any_order() -> None:
    t = only("n(x) -> n(b)  let b = a + s, a = 2 * x  draw s ~ uniform(1..3), r ~ exp(c)  let c = a * 1.5  takes r")
    assert shown(t.outputs[0].values[0]) == ["add", ["mul", 2, "var0"], "var1"]
    assert shown(t.draws[1].expression) == ["exp", ["mul", ["real", ["mul", 2, "var0"]], 1.5]]


def test_a_let_can_be_a_record_and_choose_a_place() -> None:
    t = only("q(p) -> out[e](r)  let r = p with {n: p.n + 1}, e = p.port")
    assert [shown(value) for value in t.outputs[0].values] == [["add", "var0", 1], "var1"]
    assert shown(t.outputs[0].index) == "var1"


def test_a_let_in_a_pattern_is_an_equality() -> None:
    t = only("read known(k), q(p) -> q(p)  let k = p.n + 5")
    assert [arc.place for arc in t.inputs] == [0, 2]
    assert shown(t.inputs[1].pattern[0].equal) == ["add", "var0", 5]


def test_a_constant_let_may_be_a_priority() -> None:
    assert only("n(x) -> n(x)  let high = 2 * 3  priority high").priority == 6


def test_measures_see_a_let() -> None:
    net = petri.loads(f"{PLACES}transition t: n(x) -> nothing  let y = 2 * x\nmeasure m = y at t\nrun until dead")
    assert net.run().measure("m").value == 6


def test_measures_see_a_let_that_depends_on_its_module() -> None:
    net = petri.loads(
        "module M(k: int)\n  place a : int = 2\n  place b = 5 * token\n"
        "  transition t: a(x) -> nothing  let y = k * x, z = tokens(b) + x, w = y > z\nend\n"
        "instance m[i in 3..4] = M(i)\nmeasure y = count(m[*].t, y)\nmeasure z = z at m[3].t\n"
        "measure w = count(m[4].t, if w then 1 else 0)\nrun until dead"
    )
    result = net.run()
    assert [result.measure(name).value for name in "yzw"] == [14, 7, 1]


def test_a_chain_that_doubles_is_refused_in_time() -> None:
    lets = ", ".join(f"a{i + 1} = a{i} + a{i}" for i in range(60))
    found = language.checks(f"{PLACES}transition t: n(x) -> n(a60)  let a0 = x, {lets}")
    assert {one.id for one in found if one.severity == "error"} == {"expression-too-large"}


def test_let_is_still_a_name() -> None:
    net: Net = language.loads("place let = token\nplace p : int = 3\ntransition t: let, p(x) -> let  let let = x")
    assert [place.name for place in net.places] == ["let", "p"]
    guard: Expr | None = net.transitions[0].guard
    assert guard is None


MEASURED = """
net measured
time ns
param unrelated = 100 ns
module Worker(work: Time, more: int)
  const twice = 2 * work
  place idle[0..2] : int = 7
  place extra = more * token
  transition go[i in 0..2]: idle[i](n) -> idle[i](n)
    let wait = twice + i * 1 ns + tokens(extra) * 10 ns, long = wait > 20 ns, key = n + i
    takes wait
end
instance fast = Worker(5 ns, 0)
instance slow = Worker(5 ns, 1)
measure waits = count(fast.go[*], wait)
                - 10 ns * count(fast.go[0]) - 11 ns * count(fast.go[1]) - 12 ns * count(fast.go[2])
measure one   = wait + unrelated at slow.go[2]         record mean, max
measure long  = count(slow.go[1], if long then 1 else 0) - count(slow.go[1])
measure round = time(fast.go[1] -> fast.go[1], by key) record mean, max
measure order = reorder(fast.go[1], by key, order key)
run until 13.2 us
"""


def test_measures_see_the_lets_of_a_module() -> None:
    """With the parameters, places and loop variables of the instance that fires: 10, 11 and 12 ns there."""
    result = petri.loads(MEASURED).run(engine=FASTEST)
    assert result.failure is None
    assert result.measure("waits").value == 0
    assert result.measure("one").recorded["mean"].mean == 122
    assert result.measure("long").value == 0
    assert result.measure("round").recorded["max"].mean == 11


def test_thousands_of_lets_are_refused_at_once() -> None:
    """The names that each stands for were collected for each of them."""
    names = [f"let x{n} = x{n + 1} + x{n + 1}" for n in range(1000)]
    begun = time.process_time()
    with pytest.raises(LanguageError, match="expression-too-large"):
        only(f"n(x) -> n(x0) {' '.join(names)} let x1000 = d draw d ~ uniform(1..2)")
    assert time.process_time() - begun < 1
