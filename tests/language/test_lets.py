"""`let x = …` in a transition: a name for an expression."""

from __future__ import annotations

import time

import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.net import Expr, Net, Transition
from tests.engines import FASTEST
from tests.language.test_flatten import shown

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
