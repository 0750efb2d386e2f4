"""Parameters, and the declarations that they leave out of the net."""

from __future__ import annotations

from fractions import Fraction

import pytest

import petri
from petri import language
from petri.diagnostics import LanguageError
from petri.net import Net

NET = """
time ns
type Class = gold | silver
param count = 3 in 1..10
param ratio: real = 2
param gap = 10 us in 0..1 s
param line = 2.5 Gbps
param strict = true
param class = gold
param double = 2 * count
param flow: 0..7 = 3
place p = token
transition t: p -> p  takes gap
"""


def values(**given: object) -> dict[str, object]:
    return {parameter.name: parameter.value for parameter in language.loads(NET, given).parameters}


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("count", 5, 5),
        ("count", 5.0, 5),
        ("count", "2 + 3", 5),
        ("ratio", 5, 5.0),
        ("ratio", "5", 5.0),
        ("ratio", Fraction(1, 4), 0.25),
        ("gap", "10 ms", 1e7),
        ("gap", 12.5, 12.5),
        ("gap", "0", 0.0),
        ("line", "10 Gbps", 1.25),
        ("line", "1 KiB / 1 us", 1.024),
        ("strict", False, False),
        ("strict", "false", False),
        ("class", "silver", "silver"),
        ("flow", 7, 7),
    ],
)
def test_value(name: str, given: object, value: object) -> None:
    found = values(**{name: given})[name]
    assert found == value
    assert type(found) is type(value)


def test_others_follow() -> None:
    assert values(count=4)["double"] == 8
    net = language.loads(NET, {"gap": "3 us"})
    assert net.tick.time(net.transitions[0].time.value) == 3000.0


def test_what_a_net_says_of_its_parameters_can_be_given_back() -> None:
    net: Net = language.loads(NET)
    again = language.loads(NET, {parameter.name: parameter.value for parameter in net.parameters})
    assert again == net
    gap = net.parameters[2]
    assert (gap.kind, gap.dimension, gap.low, gap.high, gap.text) == ("real", "Time", 0.0, 1e9, "10 us")
    assert net.parameters[5].kind == "Class"


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [
        ("counts", 5, "unknown-parameter"),
        ("p", 5, "unknown-parameter"),
        ("count", 11, "parameter-out-of-bounds"),
        ("count", "0", "parameter-out-of-bounds"),
        ("flow", 8, "parameter-out-of-bounds"),
        ("count", 2.5, "parameter-value"),
        ("count", True, "parameter-value"),
        ("count", "2.5", "type-mismatch"),
        ("gap", "10", "type-mismatch"),
        ("gap", "10 B", "type-mismatch"),
        ("gap", "2 s", "parameter-out-of-bounds"),
        ("gap", "ten", "unknown-name"),
        ("gap", "10 us place x", "parameter-value"),
        ("gap", "10 us)", "parameter-value"),
        ("gap", "", "parameter-value"),
        ("gap", "exp(3 us)", "draw-not-allowed"),
        ("gap", float("nan"), "parameter-value"),
        ("gap", None, "parameter-value"),
        ("strict", 3, "parameter-value"),
        ("class", "bronze", "unknown-name"),
        ("class", 1, "parameter-value"),
        ("ratio", float("inf"), "parameter-value"),
        ("ratio", 10**400, "parameter-value"),
        ("ratio", "1e309", "constant-overflow"),
        ("gap", "1e309 s", "constant-overflow"),
    ],
)
def test_wrong_value(name: str, given: object, error: str) -> None:
    with pytest.raises(LanguageError) as raised:
        values(**{name: given})
    assert [diagnostic.id for diagnostic in raised.value.diagnostics] == [error]
    str(raised.value)


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("count", 2.5, "`2.5` is not a value for `count`: it needs an int"),
        ("ratio", float("nan"), "`nan` is not a value for `ratio`: it needs a finite real"),
        ("ratio", [1], "`[1]` is not a value for `ratio`: it needs a real"),
        ("ratio", "1e309", " --> the value given for ratio:1:15"),
    ],
)
def test_what_is_told_of_a_wrong_value(name: str, given: object, told: str) -> None:
    with pytest.raises(LanguageError) as raised:
        values(**{name: given})
    assert told in str(raised.value)


def test_an_unknown_parameter_lists_the_known() -> None:
    with pytest.raises(LanguageError, match="did you mean `count`") as raised:
        values(cuont=5)
    assert "`ratio`, `gap`" in str(raised.value)


RING = """
time ns
param local = true
place idle = token
place ring : int fifo if local
place queue : int = 7  if not local
transition put: idle -> idle, if local then ring(1) else queue(2)  takes 5 ns
transition next if local: ring(x) -> nothing
transition other if not local: queue(x) -> nothing
measure served = rate(next)  if local  expect > 0 GHz
measure others = rate(other)  if not local
expect served > 0 GHz if local
run until 100 ns
"""


def names(net: Net) -> list[str]:
    return [
        *(place.name for place in net.places),
        *(transition.name for transition in net.transitions),
        *(measure.name for measure in net.measures),
    ]


def test_what_is_switched_off_is_not_in_the_net() -> None:
    assert names(language.loads(RING)) == ["idle", "ring", "put", "next", "served"]
    assert names(language.loads(RING, {"local": False})) == ["idle", "queue", "put", "other", "others"]


def test_an_expectation_may_have_a_condition() -> None:
    text = RING.replace("expect > 0 GHz", "", 1)
    assert [one.text for one in language.loads(text).expectations] == ["served > 0 GHz"]
    assert petri.loads(text, local=False).run().passed


def test_nothing_is_unused_or_dead_because_of_a_parameter() -> None:
    text = RING.replace("transition other if not local", "transition other").replace(" = 7  if not local", "")
    assert language.checks(RING) == language.checks(RING, {"local": False}) == []
    assert language.checks(text) == []  # `put` would feed the queue


def test_a_place_that_nothing_would_feed_still_warns() -> None:
    found = language.checks(RING + "place lost\ntransition never: lost -> nothing takes 1 ns")
    assert [one.id for one in found] == ["never-fires"]


def test_elements_of_an_array_have_their_own_conditions() -> None:
    net = language.loads(
        "place p[0..2] = token\ntransition t[i in 0..2, j in 0..2] if i != j: p[i] -> p[j]\n"
        "module M(n: int)\n  place q\n  transition u if n > 1: q -> nothing\nend\ninstance m[i in 0..2] = M(i) if i > 0"
    )
    names = [transition.name for transition in net.transitions]
    assert names == ["t[0][1]", "t[0][2]", "t[1][0]", "t[1][2]", "t[2][0]", "t[2][1]", "m[2].u"]


def test_a_condition_ends_a_recursion() -> None:
    net = language.loads(
        "module Tree(depth: int)\n  place leaf if depth == 0\n  instance left = Tree(depth - 1) if depth > 0\n"
        "  instance right = Tree(depth - 1) if depth > 0\nend\ninstance top = Tree(3)\n"
        "place a = token\ntransition t: a -> nothing"
    )
    assert len(net.places) == 9
    assert net.places[1].name == "top.left.left.left.leaf"


def test_what_is_switched_off_is_not_evaluated() -> None:
    net = language.loads(
        "module M(n: int)\n  place p[0..8 div n] if n > 0\nend\ninstance m = M(0)\n"
        "place q = token\ntransition t: q -> nothing"
    )
    assert [place.name for place in net.places] == ["q"]
