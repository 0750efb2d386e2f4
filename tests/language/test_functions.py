"""`fn`: functions of the net itself."""

from __future__ import annotations

import math
import time

import pytest

import petri
from petri import language
from petri.net import Net, operations
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
