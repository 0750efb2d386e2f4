"""Expressions of the flat net in the spelling of the language."""

from __future__ import annotations

import pytest

from petri import codec, language
from petri.net import Colour, Expr, InputArc, Match, Net, OutputArc, Place, Slot, Table, Transition, Variable
from petri.report.telling.expressions import ExpressionText
from petri.report.telling.token_text import Values

X, Y = Expr("var", "int", value=0), Expr("var", "real", value=1)
VARIABLES = (Variable("x", "int"), Variable("y", "real", dimension="Time"))
NET = Net("n", (Place("queue"),), tables=(Table("sizes.csv", (1,), (1.0,)),), time_unit="ns", seconds=1e-9)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    return Expr(op, "int", (a, b))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (binary("mul", binary("add", X, X), X), "(x + x) * x"),
        (binary("sub", X, binary("sub", X, X)), "x - (x - x)"),
        (binary("sub", binary("sub", X, X), X), "x - x - x"),
        (binary("and", binary("or", X, X), X), "(x or x) and x"),
        (Expr("not", "bool", (binary("lt", X, X),)), "not x < x"),
        (Expr("not", "bool", (binary("and", X, X),)), "not (x and x)"),
        (Expr("neg", "int", (binary("add", X, X),)), "-(x + x)"),
        (binary("idiv", X, binary("mod", X, X)), "x div (x mod x)"),
        (binary("add", Expr("if", "int", (X, X, X)), X), "(if x then x else x) + x"),
        (Expr("tokens", "int", value=0), "tokens(queue)"),
        (Expr("table", "real", value=0), 'table("sizes.csv")'),
        (Expr("min", "int", (X, X)), "min(x, x)"),
        (Expr("real", "real", (X,)), "x"),
        (Expr("const", "bool", value=1), "true"),
        (binary("gt", Y, Expr("const", "real", value=1500.0)), "y > 1.5 us"),
    ],
)
def test_operators(expression: Expr, text: str) -> None:
    assert ExpressionText(NET).of(expression, VARIABLES) == text


def test_a_constant_has_the_unit_of_what_it_stands_for() -> None:
    mean = Expr("const", "real", value=2500.0)
    words = ExpressionText(NET)
    assert words.of(Expr("exp", "real", (mean,)), (), "Time") == "exp(2.5 us)"
    stages = Expr("const", "int", value=3)
    assert words.of(Expr("erlang", "real", (stages, mean)), (), "Time") == "erlang(3, 2.5 us)"
    choice = Expr("choice", "real", (mean, Expr("const", "real", value=7.0)))
    assert words.of(choice, (), "Time") == "choice(2.5 us: 7)"


def test_records_are_gathered_again() -> None:
    job = Colour("Job", (Slot("pkt.seq"), Slot("pkt.size"), Slot("me")))
    net = Net("n", (Place("jobs", job),))
    names = ("j.pkt.seq", "j.pkt.size", "j.me")
    variables = tuple(Variable(name, "int") for name in names)
    whole = InputArc(0, tuple(Match(bind=slot) for slot in range(3)))
    transition = Transition("t", variables, (whole,))
    words = ExpressionText(net)
    assert words.pattern(whole, transition) == "j"
    mine = InputArc(0, (Match(bind=0), Match(bind=1), Match(equal=Expr("const", "int", value=4))))
    assert words.pattern(mine, transition) == "j.pkt, 4"
    values = tuple(Expr("var", "int", value=slot) for slot in range(3))
    assert words.inscription(OutputArc((0,), values), transition) == "j"
    anything = InputArc(0, (Match(), Match(), Match()))
    assert words.pattern(anything, transition) == ""


VECTORS = """
type Proc = 0..2
type State = modified | shared
type Line = { owner: Proc, s: State[Proc] }
place p : Line = {owner: 1, s: [shared, shared, modified]}
place q : State[Proc]
transition t: p(l) -> p(l), q(l.s)  takes 1  when l.s[l.owner] == shared
transition u: p({s, owner: o}) -> p(l), q([s[0], s[1], shared])  let l = Line((o + 1) mod 3, s)  takes 1
transition v: p(l) -> p(l with {s[l.owner]: modified})  takes 1  when l.s[l.owner + 1] == shared
"""


def test_vectors_are_gathered_again() -> None:
    net = language.loads(VECTORS)
    words = ExpressionText(net)
    t, u, v = net.transitions
    assert [words.inscription(output, t) for output in t.outputs] == ["l", "l.s"]
    assert words.pattern(u.inputs[0], u) == "o, s"
    assert words.inscription(u.outputs[1], u) == "[s[0], s[1], shared]"
    assert words.of(t.guard or X, t.variables) == "l.s[l.owner] == shared"
    assert words.of(v.guard or X, v.variables) == "l.s[l.owner + 1] == shared"


def test_tokens_and_bindings_show_vectors_as_lists() -> None:
    net = language.loads(VECTORS)
    values = Values(net)
    assert values.token((1, 1, 1, 0), net.places[0].colour.slots) == "owner 1, s [shared, shared, modified]"
    assert values.token((1, 0, 0), net.places[1].colour.slots) == "[shared, modified, modified]"
    assert values.variables(net.transitions[0], (1, 1, 1, 0)) == "l.owner = 1, l.s = [shared, shared, modified]"


def test_enumerations_are_shown_by_name() -> None:
    net = Net("n", (Place("p", Colour("Class", (Slot(labels=("gold", "silver")),))),))
    transition = Transition("t", (Variable("c", "int", labels=("gold", "silver")),))
    words = ExpressionText(net)
    silver = Expr("const", "int", value=1)
    assert words.pattern(InputArc(0, (Match(equal=silver),)), transition) == "silver"
    assert words.inscription(OutputArc((0,), (silver,)), transition) == "silver"
    assert words.of(binary("eq", X, silver), transition.variables) == "c == silver"


CLOCKED = """net clocked
{head}
place a : {{ at: {time}, n: int }} = {{at: 0.5 {unit}, n: 1}}
transition t: a(x) -> a({{at: now + 13.3 {unit}, n: x.n}})  when x.at < 1.7 {unit}
  takes min(x.at, 0.1 {unit}) + exp(3.3 {unit}) + 2.5 {unit} * x.n
transition u: a(x) -> a(x)  takes 40.3 {unit}
"""


@pytest.mark.parametrize(
    ("head", "time", "unit"), [("time ns", "Time", "ns"), ("", "real", ""), ("time us", "Time", "ns")]
)
@pytest.mark.parametrize("read_back", [False, True], ids=["loaded", "from a file"])
def test_times_are_shown_as_they_were_written(head: str, time: str, unit: str, read_back: bool) -> None:
    """The flat net has them in ticks; ticks are nobody's affair."""
    net = language.loads(CLOCKED.format(head=head, time=time, unit=unit))
    if read_back:
        net = codec.net_from_dict(codec.net_to_dict(net))
    text, (first, second) = ExpressionText(net), net.transitions
    unit = f" {unit}" if unit else ""
    assert text.of(second.time, second.variables, "Time") == f"40.3{unit}"
    assert first.guard is not None
    assert text.of(first.guard, first.variables) == f"x.at < 1.7{unit}"
    assert text.inscription(first.outputs[0], first) == f"now + 13.3{unit}, x.n"
    shown = text.of(first.time, first.variables, "Time")
    assert shown.startswith(f"min(x.at, 0.1{unit}) + exp(3.3{unit}) + ".replace("0.1 ns", "100 ps" if unit else "0.1"))
