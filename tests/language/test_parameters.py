"""Values given to parameters from outside."""

from __future__ import annotations

from fractions import Fraction

import pytest

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
