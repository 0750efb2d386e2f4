"""Nets in Python: what they mean, how they are written, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petri
from petri.builder import Expression, NetBuilder, all_of, any_of, each, fn, no, nothing, over, read, reset, var, where
from petri.language.syntax import tree
from petri.language.syntax.parser import parse_text

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
}
LEAVES = st.sampled_from(["x", "y", "z"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(BINARY)), inner, inner),
        st.tuples(st.sampled_from(["-", "not", ".f", "if"]), inner),
    ),
    max_leaves=12,
)


def built(shape: Any) -> Expression:
    """Return the expression of nested tuples, by Python's operators."""
    if isinstance(shape, str):
        return var(shape)
    operator, *operands = shape
    values = [built(one) for one in operands]
    if len(values) == 2:
        made = BINARY[operator](*values)
        assert isinstance(made, Expression)
        return made
    (value,) = values
    if operator == "-":
        return -value
    if operator == "not":
        return ~value
    return value.f if operator == ".f" else where(value, var("x"), var("y"))


def understood(node: tree.Expr) -> Any:
    """Return what the language reads, as nested tuples."""
    if isinstance(node, tree.Paren):
        return understood(node.inner)
    if isinstance(node, tree.Name):
        return node.name
    if isinstance(node, tree.Field):
        return (f".{node.name}", understood(node.base))
    if isinstance(node, tree.Unary):
        return (node.operator, understood(node.operand))
    if isinstance(node, tree.If):
        return ("if", understood(node.condition))
    assert isinstance(node, tree.Binary), node
    return (node.operator, understood(node.left), understood(node.right))


@settings(deadline=None)
@given(TREES)
def test_operators_mean_in_the_language_what_they_mean_in_python(shape: Any) -> None:
    parsed = parse_text(f"const c = {built(shape)}", "<text>")
    assert parsed.diagnostics == []
    (declared,) = parsed.file.declarations
    assert isinstance(declared, tree.Const)
    assert understood(declared.value) == shape


def test_texts_and_numbers_are_operands() -> None:
    x = var("x")
    assert str(2 * x) == "2 * x"
    assert str("2 ns" + x) == "2 ns + x"
    assert str("a + b" * x) == "(a + b) * x"
    assert str(x - (-3)) == "x - (-3)"
    assert str(x + np.float64(0.5)) == "x + 0.5"
    assert str(x == True) == "x == true"  # noqa: E712
    assert str(no(x) >= 3) == "no x >= 3"
    assert str(x.with_(hop=3).size) == "(x with {hop: 3}).size"
    assert str(x.with_(**{"s[p]": "shared"}).s["p"]) == "(x with {s[p]: shared}).s[p]"
    assert str(x.with_(s=["shared", x.s[1], 2])) == "x with {s: [shared, x.s[1], 2]}"
    with pytest.raises(TypeError, match="write & for and"):
        _ = x > 1 and x < 3
    with pytest.raises(ValueError, match="nan"):
        x + float("nan")
    with pytest.raises(TypeError, match="dict"):
        x + {}


def everything() -> NetBuilder:
    net = NetBuilder("everything", time="ns", doc="One of each.\n\nAnd more.")
    cycle = net.unit("cycle", "1 / 600 MHz")
    kind = net.type("Class", "gold | silver")
    job = net.type("Job", id="int", cls="Class")
    n = net.const("n", 3)
    limit = net.param("limit", 4, type="int", between=(1, 9), doc="how many")
    service = net.dist("service", fn.exp("5 ns"))
    jobs = net.place("jobs", job, by="-id", tokens=["Job(1, gold)", "Job(2, silver)"])
    table = net.place("table", kind, tokens="gold")
    numbers = net.place("numbers", "int", lifo=True, tokens=[1, 2])
    link = net.place("link", "int", index="0..2", fifo=True, cap=limit)
    full, pool = net.place("full"), net.place("pool", tokens=3)
    j, c, x = var("j"), var("c"), var("x")
    inputs = [jobs(j), read(table(c)), no(full) >= 3, 2 * pool]
    net.transition("work", inputs, [where(j.id > 1, full), 2 * pool], when=(c == j.cls) | (j.id >= 2), takes=service)
    net.transition("move", [numbers(x)], link[x % n](x + 1), draw={"d": fn.uniform("1..3")}, priority=2, weight=0.5)
    each = net.transition("leave", "link[i](x)", nothing, index="i in 0..2", takes=f"2 {cycle}")
    net.transition("clear", [numbers(x), reset(pool)], when="x > 99")
    net.measure("done", fn.count(each["*"]), expect=["> 0", "< 10"])
    net.measure("ends", "now at clear", record="mean")
    net.expect(fn.max(full) < 9)
    net.add("module M()\n  place a = token\n  transition t: a -> nothing\nend\ninstance m = M()\n")
    net.run(until="1 us", replications=2, seed=3)
    return net


def test_a_net_and_its_text_are_one() -> None:
    net = everything()
    text = net.to_text()
    assert text.startswith("## One of each.\n##\n## And more.\nnet everything\ntime ns\n")
    again = petri.loads(text, limit=2)
    result, other = net.model(limit=2).run(), again.run()
    assert result.hash == other.hash
    assert result.measure("done").value == other.measure("done").value > 0
    assert len(again.net.places) == len(net.model().net.places) == 9
    assert next(one.doc for one in again.net.parameters) == "how many"
    assert repr(net).startswith("NetBuilder everything: ")
    assert {one.severity for one in net.check()} <= {"warning", "note"}


def test_a_transition_that_races() -> None:
    net = NetBuilder("race", time="ms")
    x = var("x")
    queue, pool = net.place("queue", "int", fifo=True, tokens=[1, 2]), net.place("pool", tokens=2)
    net.transition("leave", any_of(queue(x)), after="x * 1 ms", memory="resume", speed=1 / fn.tokens(queue))
    net.transition("look", [pool, read(any_of(queue(2)))], after=fn.exp("5 ms"))
    net.transition("fail", pool, after=fn.exp("5 ms"), servers="all")
    net.run(until="1 s")
    text = " ".join(net.to_text().split())
    assert "any queue(x) -> nothing after x * 1 ms resume speed 1 / tokens(queue)" in text
    assert "pool, read any queue(2) -> nothing after exp(5 ms)" in text
    leave, look, fail = net.model().net.transitions
    assert leave.clock is not None
    assert fail.clock is not None
    assert (leave.clock.memory, fail.clock.servers, look.inputs[1].any) == ("resume", None, True)


def test_sets() -> None:
    net = NetBuilder("batches", time="ms")
    go, queue, done = net.place("go"), net.place("queue", "int", tokens=[1, 2, 5]), net.place("done", "int")
    x = var("x")
    net.transition(
        "serve",
        [go, all_of(queue(x), when=(x > 1) & (x < 9))],
        [go, each(done(x + 1))],
        takes=fn.sum(over("j", queue, var("j"))) * "1 ms",
    )
    net.transition("clear", [go, all_of(done(x))], after="1 s")
    net.run(until="5 ms")
    text = " ".join(net.to_text().split())
    assert "go, all queue(x) when x > 1 and x < 9 -> go, each done(x + 1)" in text
    assert "takes sum(j in queue: j) * 1 ms" in text
    assert [len(one.sets) for one in net.model().net.transitions] == [1, 1]


def refused(action: Callable[[], object]) -> petri.LanguageError:
    with pytest.raises(petri.LanguageError) as caught:
        action()
    return caught.value


@pytest.mark.parametrize(
    "declare",
    [
        lambda net: net.place("when"),
        lambda net: net.place("a b"),
        lambda net: net.place(""),
        lambda net: net.place("a = token place b"),
        lambda net: net.place("a", cap="2\nplace b"),
        lambda net: net.place("a # b"),
        lambda net: net.transition("t", "a -> a transition u: a"),
        lambda net: net.measure("m", "rate(t) measure k = rate(t)"),
        lambda net: net.measure("m", "rate(t)", expect="< 3 expect k < 2"),
        lambda net: net.run(until="3 net x"),
    ],
)
def test_a_text_that_is_not_one_declaration_is_refused_at_its_line(declare: Callable[[NetBuilder], object]) -> None:
    net = NetBuilder("n")
    error = refused(lambda: declare(net))
    assert __file__ in str(error)
    assert "lambda net: net." in str(error)
    assert net.to_text() == "net n\n", "nothing of it is kept"


def test_an_error_of_the_whole_net_shows_the_line_that_wrote_it() -> None:
    net = NetBuilder("n")
    net.add("\n\nplace a = token\n")
    net.place("queue", tokens=1, doc="two\nlines")
    net.transition("t", "quue", takes=3)  # this one
    net.transition("u", "a", takes=1)
    error = refused(net.model)
    (diagnostic,) = error.diagnostics
    assert diagnostic.id == "unknown-place"
    assert "did you mean `queue`?" in str(error)
    assert "# this one" in str(error)
    assert "this line wrote it" in str(error)
    assert diagnostic.labels[-1].span.file == __file__


def test_an_unknown_parameter_is_refused_with_the_nearest() -> None:
    assert "did you mean `limit`?" in str(refused(lambda: everything().model(limt=3)))


def test_a_thousand_declarations_take_no_quadratic_time() -> None:
    net = NetBuilder("long")
    for number in range(1000):
        net.place(f"p{number}", tokens=1)
    assert len(net.to_text().splitlines()) == 1001


def test_a_measure_uses_what_a_transition_names() -> None:
    net = NetBuilder("n")
    go, queue, x = net.place("go", tokens=1), net.place("queue", "int", tokens=[1, 5, 7]), var("x")
    large = fn.count(over("x", queue, x > 3))
    net.transition(
        "t", [go, all_of(queue(x))], [go, each(queue(x))], let={"large": large, "twice": "2 * large"}, takes=1
    )
    net.measure("seen", "twice at t")
    assert "let large = count(x in queue: x > 3), twice = 2 * large" in net.to_text()
    assert net.model().run(until=5).measure("seen").value == 4
