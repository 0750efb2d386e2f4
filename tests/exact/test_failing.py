"""What has no chain: nets whose outputs arrive later, and values that may break a rule."""

from __future__ import annotations

import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.exact.chain import Unsolvable
from petri.exact.native import NativeSpace
from tests.exact.oracle.explorer import NaiveSpace

NET = "net count\nplace p : {kind} = {start}\ntransition next: p(x) -> p({value}) takes exp(1)\n"


@pytest.mark.parametrize(
    ("kind", "start", "value"),
    [
        ("0..3", "0", "x + 1"),
        ("0..3", "3", "x - 1"),
        ("0..3", "1", "2 * x"),
        ("0..3", "0", "max(x, 4)"),
        ("int", "1", "x mod (x - 1)"),
        ("int", "2", "6 div (x - 2)"),
        ("real", "2.0", "1 / (x - 1)"),
        ("real", "2.0", "sqrt(x - 1)"),
        ("real", "2.0", "ln(x)"),
    ],
)
def test_what_breaks_a_rule_is_found(kind: str, start: str, value: str) -> None:
    model = petri.loads(NET.format(kind=kind, start=start, value=value))
    assert model.run(until=100).failure is not None
    with pytest.raises(LanguageError):
        model.solve(states=1000)


@pytest.mark.parametrize(
    ("kind", "start", "value"),
    [
        ("int", "0", "x + 1"),
        ("0..3", "0", "(x + 1) mod 4"),
        ("0..3", "0", "min(x + 1, 3)"),
        ("0..3", "0", "3 - x"),
        ("real", "0.0", "sqrt(abs(x))"),
        ("real", "0.0", "1 / (abs(x) + 1)"),
    ],
)
def test_what_breaks_none_is_left_out(kind: str, start: str, value: str) -> None:
    model = petri.loads(NET.format(kind=kind, start=start, value=value))
    assert model.run(until=100).failure is None
    assert model.solve(states=1000).tangible == 1


@pytest.mark.parametrize("space", [NaiveSpace, NativeSpace])
def test_a_delay_is_refused(space: type) -> None:
    net = language.loads("place p = token\nplace q\ntransition t: p -> q  takes exp(1)\ntransition u: q -> p in 3")
    with pytest.raises(Unsolvable) as refused:
        space(net)
    assert (refused.value.id, refused.value.transition) == ("exact-delay", 1)
