"""What is shown for an expression means the same when the language reads it again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri import language
from petri.diagnostics import LanguageError
from petri.engine.expression import Context, evaluate
from petri.net import Expr, Net
from petri.report.picture.diagram import diagram
from petri.report.telling.expressions import ExpressionText

NET = """
net shown
time us
param w = 0.25
param n: int = 3
param slot = 13 us
type Class = gold | silver
type Job = {{ k: int, x: real, on: bool, cls: Class, t: Time }}
place jobs : Job = {{k: 1, x: 2, on: true, cls: gold, t: 1 us}}
place spare[0..1]
place whole : int
place fraction : real
place instant : Time
place flag : bool
transition go: jobs(j) -> {place}({expression}){end}
"""

_INTS = st.sampled_from(("n", "j.k", "2", "7", "tokens(spare[0])"))
_REALS = st.sampled_from(("w", "j.x", "0.5", "1e-3", "j.k", "3"))
_TIMES = st.sampled_from(("slot", "j.t", "now", "end", "1.5 us", "20 ns", "0.3 ms"))
_BOOLS = st.sampled_from(("true", "false", "j.on", "j.cls == silver", "gold != j.cls"))


def _numbers(atoms: st.SearchStrategy[str], binary: str, unary: str) -> st.SearchStrategy[str]:
    """Expressions of one type over its atoms; bool conditions are simple."""

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({}) {} ({})".format, inner, st.sampled_from(binary.split()), inner),
            st.builds("{}({})".format, st.sampled_from(unary.split()), inner),
            st.builds("{}({}, {})".format, st.sampled_from(("min", "max")), inner, inner),
            st.builds("(if {} then {} else {})".format, _BOOLS, inner, inner),
        )

    return st.recursive(atoms, larger, max_leaves=8)


INTS = _numbers(_INTS, "+ - * div mod", "- abs")
REALS = _numbers(_REALS, "+ - * /", "- abs")
TIMES = st.one_of(
    _numbers(_TIMES, "+ -", "- abs"), st.builds("({}) * ({})".format, _numbers(_TIMES, "+ -", "- abs"), _REALS)
)


def _comparisons(left: st.SearchStrategy[str], right: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("({}) {} ({})".format, left, st.sampled_from(("==", "!=", "<", "<=", ">", ">=")), right)


BOOLS = st.recursive(
    st.one_of(_BOOLS, _comparisons(INTS, INTS), _comparisons(REALS, REALS), _comparisons(st.just("j.t"), TIMES)),
    lambda inner: st.one_of(
        st.builds("({}) {} ({})".format, inner, st.sampled_from(("and", "or", "==", "!=")), inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=5,
)


def read(place: str, expression: str) -> tuple[Net, dict[str, str]] | None:
    """Return the net with an expression in an arc; None where a constant in it has no value (`1 / (2 - 2)`)."""
    try:
        return language.loads_with_sources(
            NET.format(place=place, expression=expression, end="  takes 1 us" if "end" in expression else "")
        )
    except LanguageError as error:
        if {found.id for found in error.diagnostics} <= {"constant-zero-division", "constant-overflow"}:
            return None
        raise


def meaning(e: Expr) -> object:
    """Return an expression without its spans and silent conversions; constants to the digits that are shown."""
    values = [arg.value for arg in e.args if arg.op == "const"]
    from_slot = e.op == "ne" and e.args[0].op == "var" and values == [0] and e.args[1].kind == "int"
    if e.op == "real" or from_slot or (e.op == "if" and values == [1, 0]):
        return meaning(e.args[0])
    if e.op == "if" and fixed(e.args[0]):
        return meaning(e.args[1 if evaluate(e.args[0], Context(())) else 2])
    if e.op in ("and", "or") and fixed(e.args[0]) and bool(evaluate(e.args[0], Context(()))) == (e.op == "and"):
        return meaning(e.args[1])
    if fixed(e):
        return float(f"{float(evaluate(e, Context(()))):.10g}")
    return (e.op, e.value, *(meaning(arg) for arg in e.args))


def fixed(e: Expr) -> bool:
    return e.op not in ("var", "now", "end", "tokens") and all(map(fixed, e.args))


def value(net: Net) -> Expr:
    return net.transitions[0].outputs[0].values[0]


@pytest.mark.parametrize(
    ("place", "expressions"), [("whole", INTS), ("fraction", REALS), ("instant", TIMES), ("flag", BOOLS)]
)
@pytest.mark.parametrize("with_source", [True, False])
@pytest.mark.parametrize("examples", [5, pytest.param(40, marks=pytest.mark.slow)])
def test_reading_what_is_shown_gives_the_same_expression(
    place: str, expressions: st.SearchStrategy[str], with_source: bool, examples: int
) -> None:
    @given(expressions)
    @settings(max_examples=examples, deadline=None, derandomize=True)
    def holds(expression: str) -> None:
        found = read(place, expression)
        if found is None:
            return
        net, sources = found
        words = ExpressionText(net, sources if with_source else None)
        shown = words.inscription(net.transitions[0].outputs[0], net.transitions[0])
        again = read(place, shown)
        assert again is not None, shown
        assert meaning(value(again[0])) == meaning(value(net)), shown

    holds()


def test_an_arc_of_a_drawing_keeps_the_parentheses_of_a_constant() -> None:
    text = (
        "net n\nparam w = 0.25\nplace a : real = 1\nplace b : real\nplace c : int = 1\n"
        "transition t: a(x), c(k) -> b((1 - w) * x), (k + 1) * b(x)"
    )
    net, sources = language.loads_with_sources(text)
    assert {"(1 - w) * x", "(k + 1) * (x)"} <= {edge.label for edge in diagram(net, sources=sources).edges}
